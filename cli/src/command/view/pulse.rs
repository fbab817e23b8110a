//! Whether the programs that write profiles are gone.
//!
//! A program is there while its process is seen or its file grows. A process in another PID namespace, as in a container, is not seen, or
//! another one has its number here: then only its file tells, which a program that waits for something may leave alone for seconds.

use std::path::PathBuf;

use weft_trace::file::Glance;

/// Looks at a file that did not grow after which a program whose process was seen counts as gone: it may have written just before it ended.
const AFTER_ITS_PROCESS: u32 = 4;

/// The same of a program whose process was never seen.
const UNSEEN: u32 = 20;

/// What is known of the process that writes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Process {
    /// It has completed the file.
    Done,
    /// It runs, or is on another machine.
    There,
    /// No process here is it.
    Unseen,
}

/// How far a file has come. Records are dropped where there is no room for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    records: u64,
    dropped: u64,
    bytes: u64,
}

/// One file, as it was at the last look.
#[derive(Clone, Copy, Debug)]
struct Heard {
    extent: Extent,
    was_seen: bool,
    /// Looks without a sign of its program.
    quiet: u32,
}

/// What was heard of the programs.
#[derive(Debug, Default)]
pub(super) struct Pulse(Vec<Heard>);

impl Pulse {
    /// Takes in one more look at the files, the same in the same order; whether all programs are gone or done.
    pub(super) fn is_gone(&mut self, inputs: &[PathBuf], files: &[Glance]) -> bool {
        let looks = inputs.iter().zip(files).map(|(input, file)| {
            let bytes = input.metadata().map_or(0, |known| known.len());
            let extent = Extent {
                records: file.records,
                dropped: file.dropped,
                bytes,
            };
            (extent, process(file))
        });
        self.hear(looks)
    }

    fn hear(&mut self, looks: impl Iterator<Item = (Extent, Process)>) -> bool {
        let mut are_gone = true;
        for (at, (extent, process)) in looks.enumerate() {
            if self.0.len() == at {
                self.0.push(Heard {
                    extent,
                    was_seen: false,
                    quiet: 0,
                });
            }
            let Some(heard) = self.0.get_mut(at) else {
                continue;
            };
            heard.was_seen |= process == Process::There;
            let is_there = process == Process::There || heard.extent != extent;
            heard.quiet = if is_there { 0 } else { heard.quiet + 1 };
            heard.extent = extent;
            let patience = match heard.was_seen {
                true => AFTER_ITS_PROCESS,
                false => UNSEEN,
            };
            are_gone &= process == Process::Done || heard.quiet >= patience;
        }
        are_gone
    }
}

fn process(file: &Glance) -> Process {
    if file.is_finished {
        return Process::Done;
    }
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let is_here = !boot.is_empty() && boot.trim() == file.info.boot_id;
    match is_here && !runs(file.info.pid, &file.info.program) {
        true => Process::Unseen,
        false => Process::There,
    }
}

/// Whether a process of this number runs this program.
#[cfg(target_os = "linux")]
fn runs(pid: u32, program: &str) -> bool {
    // One that has ended and whose parent has not asked for its status is a zombie.
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let Some((named, state)) = status.rsplit_once(") ") else {
        return false;
    };
    if state.starts_with(['Z', 'X']) {
        return false;
    }
    if program.is_empty() {
        return true;
    }
    let plain = |path: &str| path.strip_suffix(" (deleted)").unwrap_or(path).to_owned();
    let program = plain(program);
    match std::fs::read_link(format!("/proc/{pid}/exe")) {
        Ok(runs) => plain(&runs.to_string_lossy()) == program,
        // Of a process of another user only the beginning of the name is told.
        Err(_) => {
            let name = program.rsplit('/').next().unwrap_or_default().as_bytes();
            let named = named.split_once('(').map_or("", |(_, name)| name);
            name.get(..NAMED).unwrap_or(name) == named.as_bytes()
        }
    }
}

/// Bytes of its program's name that a process is called by at most.
#[cfg(target_os = "linux")]
const NAMED: usize = 15;

#[cfg(not(target_os = "linux"))]
fn runs(_pid: u32, _program: &str) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use Process::{Done, There, Unseen};

    fn extent(records: u64) -> Extent {
        Extent {
            records,
            dropped: 0,
            bytes: 4096,
        }
    }

    /// The looks until the programs count as gone; none within so many.
    fn looks_until_gone(
        pulse: &mut Pulse,
        most: u32,
        mut look: impl FnMut(u32) -> Vec<(Extent, Process)>,
    ) -> Option<u32> {
        (1..=most).find(|number| pulse.hear(look(*number).into_iter()))
    }

    #[test]
    fn a_process_that_was_seen_is_gone_soon_after_its_end() {
        let mut pulse = Pulse::default();
        let alive = |_| vec![(extent(1), There)];
        assert_eq!(looks_until_gone(&mut pulse, 1000, alive), None);
        let ended = |_| vec![(extent(1), Unseen)];
        assert_eq!(
            looks_until_gone(&mut pulse, 1000, ended),
            Some(AFTER_ITS_PROCESS)
        );
    }

    #[test]
    fn a_process_that_is_not_seen_is_there_as_long_as_its_file_grows() {
        // Seldom: with pauses in which one that was seen would count as gone.
        let pause = UNSEEN - 1;
        let grown = [
            |step: u64| extent(step),
            |step| Extent {
                dropped: step,
                ..extent(9)
            },
            |step| Extent {
                bytes: step,
                ..extent(9)
            },
        ];
        for grown in grown {
            let mut pulse = Pulse::default();
            let slow = |number: u32| vec![(grown(u64::from(number / pause)), Unseen)];
            assert_eq!(looks_until_gone(&mut pulse, 1000, slow), None);
            let last = grown(1000 / u64::from(pause));
            let ended = |_| vec![(last, Unseen)];
            let left = looks_until_gone(&mut pulse, 1000, ended);
            assert!(left.is_some_and(|left| left <= UNSEEN), "{left:?}");
        }
    }

    #[test]
    fn all_programs_must_be_gone_or_done() {
        let mut pulse = Pulse::default();
        let one_left = |_| vec![(extent(1), Unseen), (extent(1), Done), (extent(1), There)];
        assert_eq!(looks_until_gone(&mut pulse, 1000, one_left), None);
        let none_left = |_| vec![(extent(1), Unseen), (extent(1), Done), (extent(1), Unseen)];
        assert_eq!(
            looks_until_gone(&mut pulse, 1000, none_left),
            Some(AFTER_ITS_PROCESS)
        );
        let done = |_| vec![(extent(1), Done)];
        assert_eq!(looks_until_gone(&mut Pulse::default(), 9, done), Some(1));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_known_by_its_number_and_its_program() {
        let own = std::env::current_exe().unwrap();
        let own = own.to_string_lossy();
        let pid = std::process::id();
        assert!(runs(pid, &own) && runs(pid, ""));
        // Another program has the number that the process has elsewhere.
        assert!(!runs(pid, "/usr/bin/something-else"));
        // Whatever is told of the first process, it is not this program.
        assert!(!runs(1, &own));
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        let pid = ended.id();
        ended.wait().unwrap();
        assert!(!runs(pid, ""));
    }
}
