//! Detects whether the programs that write profiles have ended.
//!
//! A program runs while its process is seen or its file grows. Its process is the one that has the
//! file mapped, even if its executable was replaced. Its number may differ from the one it knows: a
//! process in another PID namespace, as in a container, has several. If mappings cannot be read, as
//! for processes of other users, its number and its program's path decide. If these are not
//! available either, only the file does, which a waiting program may not write for seconds.

use std::path::{Path, PathBuf};

use weft_trace::file::Glance;

/// The number of checks without growth after which a program whose process was seen counts as
/// ended: it may have written just before its end.
const AFTER_ITS_PROCESS: u32 = 4;

/// The number of checks without growth after which a program whose process was never seen counts as
/// ended.
const UNSEEN: u32 = 20;

/// The state of the process that writes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Process {
    /// The process has completed the file.
    Done,
    /// The process runs, or is on another machine.
    There,
    /// No process here matches.
    Unseen,
}

/// The extent of a file. Records are dropped if there is no room for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    records: u64,
    dropped: u64,
    bytes: u64,
}

/// A file as of the last check.
#[derive(Clone, Copy, Debug)]
struct FileStatus {
    extent: Extent,
    was_seen: bool,
    /// The number of checks without a sign of its program.
    quiet: u32,
}

/// The state of the programs at the last checks.
#[derive(Debug, Default)]
pub(super) struct Pulse(Vec<FileStatus>);

impl Pulse {
    /// Takes the result of another check of the files, in the same order. Returns whether all
    /// programs have ended or are done.
    pub(super) fn is_gone(&mut self, inputs: &[PathBuf], files: &[Glance]) -> bool {
        let looks = inputs.iter().zip(files).map(|(input, file)| {
            let bytes = input.metadata().map_or(0, |known| known.len());
            let extent = Extent {
                records: file.records,
                dropped: file.dropped,
                bytes,
            };
            (extent, process(input, file))
        });
        self.update(looks)
    }

    fn update(&mut self, looks: impl Iterator<Item = (Extent, Process)>) -> bool {
        let mut are_gone = true;
        for (at, (extent, process)) in looks.enumerate() {
            if self.0.len() == at {
                self.0.push(FileStatus {
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

fn process(input: &Path, file: &Glance) -> Process {
    if file.is_finished {
        return Process::Done;
    }
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let is_here = !boot.is_empty() && boot.trim() == file.info.boot_id;
    let (pid, program) = (file.info.pid, &file.info.program);
    match is_here && !runs(pid, program) && !is_written(input, pid) {
        true => Process::Unseen,
        false => Process::There,
    }
}

/// Returns whether a process that knows itself by this number has the file mapped.
#[cfg(target_os = "linux")]
fn is_written(input: &Path, pid: u32) -> bool {
    let Ok(input) = input.canonicalize() else {
        return false;
    };
    if has_mapped(pid, &input) {
        return true;
    }
    // The last number is the one in the process's own PID namespace.
    let knows_itself_as = |at: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{at}/status")).unwrap_or_default();
        let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
        let known = numbers.and_then(|numbers| numbers.split_whitespace().next_back());
        known.and_then(|known| known.parse::<u32>().ok()) == Some(pid)
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut others = numbers.filter(|at| *at != pid).filter(knows_itself_as);
    others.any(|at| has_mapped(at, &input))
}

/// Returns whether a process has a file mapped. Some file systems use other device numbers in
/// mappings, so that a file is compared by its number and its name. A file that got its name after
/// it was opened (`O_TMPFILE`) is compared by Linux's name for it.
#[cfg(target_os = "linux")]
fn has_mapped(pid: u32, file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let (Ok(known), Some(name)) = (file.metadata(), file.file_name()) else {
        return false;
    };
    let maps = std::fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
    let number = known.ino().to_string();
    let (name, nameless) = (name.as_encoded_bytes(), format!("/#{number} (deleted)"));
    maps.split(|byte| *byte == b'\n').any(|line| {
        // Addresses, rights, place, device, number of the file, path.
        let mut fields = line.splitn(6, |byte| *byte == b' ');
        fields.nth(4) == Some(number.as_bytes())
            && fields
                .next()
                .is_some_and(|path| path.ends_with(name) || path.ends_with(nameless.as_bytes()))
    })
}

#[cfg(not(target_os = "linux"))]
fn is_written(_input: &Path, _pid: u32) -> bool {
    false
}

/// Returns whether a process of this number runs this program.
#[cfg(target_os = "linux")]
fn runs(pid: u32, program: &str) -> bool {
    // A process that has ended and was not reaped by its parent is a zombie.
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
        // For processes of other users only the beginning of the name is known.
        Err(_) => {
            let name = program.rsplit('/').next().unwrap_or_default().as_bytes();
            let named = named.split_once('(').map_or("", |(_, name)| name);
            name.get(..NAMED).unwrap_or(name) == named.as_bytes()
        }
    }
}

/// The maximum number of bytes in a process's name.
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

    /// Returns the number of checks until the programs count as ended; `None` if above `most`.
    fn looks_until_gone(
        pulse: &mut Pulse,
        most: u32,
        mut look: impl FnMut(u32) -> Vec<(Extent, Process)>,
    ) -> Option<u32> {
        (1..=most).find(|number| pulse.update(look(*number).into_iter()))
    }

    #[test]
    fn seen_process_is_gone_soon_after_its_end() {
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
    fn unseen_process_is_alive_while_its_file_grows() {
        // Infrequent growth: with pauses in which a program that was seen would count as ended.
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
    fn ends_once_all_programs_are_gone_or_done() {
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
    fn profile_of_this_process(path: &Path) -> weft_trace::file::ProfWriter {
        use weft_trace::file::{ProfWriter, RunId, RunInfo, WriterOptions};

        let rank = weft_trace::id::Rank::new(0).unwrap();
        let info = RunInfo::of_this_process(RunId::random(), rank, 1);
        ProfWriter::create(path, &info, WriterOptions::limited(8 << 20)).unwrap()
    }

    /// Returns the state of the writer of a profile with this number and program.
    #[cfg(target_os = "linux")]
    fn look(profile: &Path, pid: u32, program: &str) -> Process {
        let mut file = weft_trace::file::glance(profile).unwrap();
        file.info.pid = pid;
        file.info.program = program.to_owned();
        process(profile, &file)
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn replaced_executable_is_alive_while_it_writes() {
        let folder = tempfile::tempdir().unwrap();
        let profile = folder.path().join("weft_0.prof");
        let writer = profile_of_this_process(&profile);
        let pid = std::process::id();
        // The executable was moved away and replaced.
        assert_eq!(look(&profile, pid, "/opt/program"), There);
        // No process has this number.
        assert_eq!(look(&profile, u32::MAX, "/opt/program"), Unseen);
        drop(writer);
        assert_ne!(look(&profile, pid, "/opt/program"), There);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn identifies_processes_by_number_and_program() {
        let own = std::env::current_exe().unwrap();
        let own = own.to_string_lossy();
        let pid = std::process::id();
        assert!(runs(pid, &own) && runs(pid, ""));
        // Another program has the number that the process has in another namespace.
        assert!(!runs(pid, "/usr/bin/something-else"));
        // The first process is not this program in any case.
        assert!(!runs(1, &own));
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        let pid = ended.id();
        ended.wait().unwrap();
        assert!(!runs(pid, ""));
    }
}
