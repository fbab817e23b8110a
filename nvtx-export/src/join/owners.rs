//! Which process of a session wrote which `.prof` file.

use crate::joined::{Joined, Reason, SourceIndex, SourceKind, process_of};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The process of `session`, as Nsight Systems numbers it, that wrote the `.prof` file `prof`: the one of its process
/// id that opened ranges of domain `weft`. In a container the ids may differ; a single such process is then taken for
/// a single file.
pub fn process_in(joined: &Joined, prof: SourceIndex, session: SourceIndex) -> Option<i64> {
    let source = joined.sources.get(prof.0 as usize)?;
    let ranges = joined.ranges.iter();
    let processes: BTreeSet<i64> = ranges
        .filter(|range| range.source == session && range.weft)
        .map(|range| process_of(range.thread))
        .collect();
    let pid = |process: i64| (process >> 24) & 0xff_ffff;
    let same_pid = processes
        .iter()
        .find(|process| Some(pid(**process)) == source.pid.map(i64::from));
    if let Some(process) = same_pid {
        return Some(*process);
    }
    let is_prof = |kind: SourceKind| kind == SourceKind::WeftProf;
    let files = joined
        .sources
        .iter()
        .filter(|source| is_prof(source.kind))
        .count();
    match processes.first() {
        Some(process) if files == 1 && processes.len() == 1 => Some(*process),
        _ => None,
    }
}

/// Processes of sessions and the `.prof` files they wrote, both ways.
pub(super) struct Owners {
    files: FxHashMap<(SourceIndex, i64), SourceIndex>,
    processes: FxHashMap<SourceIndex, Vec<(SourceIndex, i64)>>,
    /// The file to look in for processes that wrote none: any, if all files are of one run.
    only_run: Option<SourceIndex>,
    lossy: Vec<bool>,
}

impl Owners {
    pub(super) fn of(joined: &Joined) -> Self {
        let sources = || (0..).map(SourceIndex).zip(&joined.sources);
        let mut owners = Owners {
            files: FxHashMap::default(),
            processes: FxHashMap::default(),
            only_run: None,
            lossy: joined.sources.iter().map(|source| source.lossy).collect(),
        };
        for (session, _) in sources().filter(|(_, source)| source.kind.is_nsys()) {
            for (prof, _) in sources().filter(|(_, source)| !source.kind.is_nsys()) {
                if let Some(process) = process_in(joined, prof, session) {
                    owners.files.insert((session, process), prof);
                    owners
                        .processes
                        .entry(prof)
                        .or_default()
                        .push((session, process));
                }
            }
        }
        let mut files = sources().filter(|(_, source)| !source.kind.is_nsys());
        if let Some((first, source)) = files.next()
            && files.all(|(_, other)| other.run == source.run)
        {
            owners.only_run = Some(first);
        }
        owners
    }

    /// The file to look for the launches of a process of a session in.
    pub(super) fn file(&self, session: SourceIndex, process: i64) -> Option<SourceIndex> {
        let file = self.files.get(&(session, process)).copied();
        file.or(self.only_run)
    }

    /// The sessions that watched the process which wrote this file.
    pub(super) fn processes(&self, prof: SourceIndex) -> &[(SourceIndex, i64)] {
        self.processes.get(&prof).map_or(&[], |processes| processes)
    }

    /// Why a UID of this file names no launch.
    pub(super) fn unknown(&self, file: Option<SourceIndex>) -> Reason {
        let lossy = file.and_then(|file| self.lossy.get(file.0 as usize));
        if lossy.copied().unwrap_or(false) {
            Reason::LostRecords
        } else {
            Reason::UnknownUid
        }
    }
}
