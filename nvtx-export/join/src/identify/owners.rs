//! Matching of processes in sessions to the files that they wrote.

use super::bodies::Candidates;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use weft_model::{Index, Reason, Recording, SourceIndex, SourceKind, process_of};
use weft_trace::id::Uid;

/// The number of a process's UIDs that are looked up to find its file.
const UIDS: usize = 4096;

/// Evidence for the identity of a process, from its ranges.
#[derive(Default)]
struct Process {
    /// Whether it opened ranges of domain `weft`.
    weft: bool,
    /// A sample of the UIDs in their payloads.
    uids: Vec<Uid>,
    /// The number of ranges named like tasks of a Legion Prof source, by source.
    named: BTreeMap<SourceIndex, u64>,
}

/// Processes of sessions and the files they wrote, in both directions.
#[derive(Debug, Default)]
pub struct Owners {
    files: FxHashMap<(SourceIndex, i64), SourceIndex>,
    processes: FxHashMap<SourceIndex, Vec<(SourceIndex, i64)>>,
    /// The file to use for processes that wrote none: any file, if all are of one run.
    only_run: Option<SourceIndex>,
    lossy: Vec<bool>,
}

impl Owners {
    /// Matches the processes of a trace, whose times need not be on one clock.
    ///
    /// A process belongs to the file that contains the UIDs in its ranges or, for a profile of
    /// Legion Prof, whose tasks its ranges are named after. Of several such files, the one with its
    /// process id is chosen. Process ids alone are not sufficient, because they repeat on other
    /// machines. If none of its UIDs is in a file, the process id decides. Otherwise a single
    /// process is matched to a single file, because ids may differ in a container.
    pub(crate) fn new(recording: &Recording, index: &Index, bodies: &Candidates) -> Self {
        let sources = || (0..).map(SourceIndex).zip(&recording.sources);
        let mut owners = Owners {
            lossy: recording
                .sources
                .iter()
                .map(|source| source.lossy)
                .collect(),
            ..Owners::default()
        };
        let processes = processes(recording, bodies);
        let weft = processes.iter().filter(|(_, process)| process.weft);
        let mut claims: Vec<(Claim, SourceIndex, (SourceIndex, i64))> = Vec::new();
        let mut files = sources().filter(|(_, source)| source.kind == SourceKind::WeftProf);
        let one_file = files.clone().count() == 1;
        for (&(session, id), process) in weft {
            let in_session = processes.range((session, i64::MIN)..=(session, i64::MAX));
            let alone = one_file && in_session.filter(|(_, other)| other.weft).count() == 1;
            for (file, source) in files.clone() {
                let known = process.uids.iter().filter(|uid| {
                    let launch = index.launch(file, **uid);
                    let launch =
                        launch.and_then(|launch| recording.work.launches.get(launch.0 as usize));
                    launch.is_some_and(|launch| launch.source == file)
                });
                let claim = Claim::new(known.count() as u64, pid_of(id) == source.pid);
                if alone || claim.known > 0 || claim.pid {
                    claims.push((claim, file, (session, id)));
                }
            }
        }
        for (&(session, id), process) in &processes {
            for (&file, &named) in &process.named {
                let source = recording.sources.get(file.0 as usize);
                let pid = pid_of(id) == source.and_then(|source| source.pid);
                claims.push((Claim::new(named, pid), file, (session, id)));
            }
        }
        owners.settle(claims);
        if let Some((first, source)) = files.next()
            && files.all(|(_, other)| other.run == source.run)
        {
            owners.only_run = Some(first);
        }
        owners
    }

    /// Settles the best claims first, with one process per session and file. A process that two
    /// files claim equally stays unmatched.
    fn settle(&mut self, mut claims: Vec<(Claim, SourceIndex, (SourceIndex, i64))>) {
        claims.sort_by_key(|(claim, file, process)| (std::cmp::Reverse(*claim), *process, *file));
        let mut next = 0;
        let mut disputed = FxHashSet::default();
        while let Some(&(claim, file, process)) = claims.get(next) {
            let same = |other: &&(Claim, SourceIndex, _)| (other.0, other.2) == (claim, process);
            let rivals = claims.iter().skip(next).take_while(same).count();
            next += rivals;
            let served = self.processes.entry(file).or_default();
            let free = served.iter().all(|(session, _)| *session != process.0);
            if rivals > 1 && !self.files.contains_key(&process) {
                disputed.insert(process);
            }
            if free && !disputed.contains(&process) && !self.files.contains_key(&process) {
                self.files.insert(process, file);
                served.push(process);
            }
        }
    }

    /// Returns the file in which to find the launches of a session's process.
    pub fn file(&self, session: SourceIndex, process: i64) -> Option<SourceIndex> {
        self.file_written_by(session, process).or(self.only_run)
    }

    /// Returns the file that a process of a session wrote.
    pub fn file_written_by(&self, session: SourceIndex, process: i64) -> Option<SourceIndex> {
        self.files.get(&(session, process)).copied()
    }

    /// Returns the processes that wrote this file, at most one per session.
    pub fn processes(&self, file: SourceIndex) -> &[(SourceIndex, i64)] {
        self.processes.get(&file).map_or(&[], |processes| processes)
    }

    /// Returns the reason why a UID of this file has no launch.
    pub fn unknown(&self, file: Option<SourceIndex>) -> Reason {
        let lossy = file.and_then(|file| self.lossy.get(file.0 as usize));
        if lossy.copied().unwrap_or(false) {
            Reason::LostRecords
        } else {
            Reason::UnknownUid
        }
    }
}

/// The quality of a match between a process and a file. Greater is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    any: bool,
    pid: bool,
    known: u64,
}

impl Claim {
    fn new(known: u64, pid: bool) -> Self {
        Claim {
            any: known > 0,
            pid,
            known,
        }
    }
}

fn pid_of(process: i64) -> Option<u32> {
    Some(((process >> 24) & 0xff_ffff) as u32)
}

fn processes(recording: &Recording, bodies: &Candidates) -> BTreeMap<(SourceIndex, i64), Process> {
    let mut processes: BTreeMap<(SourceIndex, i64), Process> = BTreeMap::new();
    // Ranges of one process are often consecutive.
    let mut latest: Option<((SourceIndex, i64), Process)> = None;
    for range in &recording.work.ranges {
        let named = bodies.files(range);
        if !range.weft && named.is_empty() {
            continue;
        }
        let key = (range.source, process_of(range.thread));
        if latest.as_ref().is_none_or(|(known, _)| *known != key) {
            if let Some((known, process)) = latest.take() {
                processes.insert(known, process);
            }
            latest = Some((key, processes.remove(&key).unwrap_or_default()));
        }
        let Some((_, process)) = &mut latest else {
            continue;
        };
        process.weft |= range.weft;
        if let Some(uid) = range.launch.filter(|_| process.uids.len() < UIDS) {
            process.uids.push(uid);
        }
        for file in named {
            *process.named.entry(*file).or_default() += 1;
        }
    }
    if let Some((known, process)) = latest {
        processes.insert(known, process);
    }
    processes
}
