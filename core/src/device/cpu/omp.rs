//! OMP groups: processors whose tasks are shared by a team of threads.

use std::sync::{Arc, Mutex, PoisonError};

use weft_geometry::Cut;
use weft_trace::id::ProcessorId;
use weft_trace::record::ProcessorKind;

use super::team::Team;
use super::together::{self, Turn};
use super::{TileTask, Tiles, run, run_tile};
use crate::device::Patience;
use crate::error::Cause;
use crate::operation::Operation;
use crate::runtime::{Core, Trap};

/// Who runs tasks: a thread, or a team.
pub(crate) struct Processor {
    pub(crate) id: ProcessorId,
    pub(crate) kind: ProcessorKind,
    team: Option<Arc<Team>>,
}

impl Processor {
    /// A thread.
    pub(crate) fn cpu(id: ProcessorId) -> Processor {
        Processor {
            id,
            kind: ProcessorKind::Cpu,
            team: None,
        }
    }

    /// The same without the team.
    pub(super) fn alone(&self) -> Processor {
        Processor {
            id: self.id,
            kind: self.kind,
            team: None,
        }
    }

    /// Calls `body` once with the number of each tile of a task.
    pub(super) fn each_tile(&self, cut: &Cut, body: &(dyn Fn(usize) + Sync)) {
        let (first, end) = cut.tiles();
        match &self.team {
            Some(team) => team.each(end - first, &|number| body(first + number)),
            None => (first..end).for_each(body),
        }
    }

    /// Runs the kernel of an operation on each tile of a task. Of several that have no result, the first tile's cause is told.
    pub(super) fn run(
        &self,
        core: &Core,
        operation: &Operation,
        task: &TileTask,
        tiles: &mut Tiles<'_>,
        turn: Option<&Turn<'_>>,
    ) -> Result<(), Cause> {
        if let Some(turn) = turn {
            return turn.run(operation, task, tiles, self);
        }
        let (cut, task) = (&task.cut, task.uid);
        let (first, end) = cut.tiles();
        if end - first <= 1 {
            return run_tile(core, operation, task, tiles, cut);
        }
        let tiles = &*tiles;
        let cuts = core.cuts(&operation.shape, operation.body.tiling);
        let failed: Mutex<Option<(usize, Cause)>> = Mutex::default();
        self.each_tile(cut, &|number| {
            core.trap(Trap::Tile);
            let tile = cuts.tile(number);
            if let Err(cause) = run_tile(core, operation, task, &mut tiles.part(&tile), &tile) {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(first, _)| number < *first) {
                    *failed = Some((number, cause));
                }
            }
        });
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or(Ok(()), |(_, cause)| Err(cause))
    }
}

/// Takes and runs tasks, with the team's help, until the runtime stops.
pub(crate) fn lead(core: &Arc<Core>, id: ProcessorId, index: usize, team: Arc<Team>) {
    core.enter_thread(id, ProcessorKind::Omp, &format!("OMP {index}"));
    let stop = Stop(&team);
    let processor = Processor {
        id,
        kind: ProcessorKind::Omp,
        team: Some(team.clone()),
    };
    let mut next = None;
    let mut patience = Patience::default();
    let mut pop = || core.queues.ready.pop_or(|| core.help(&mut patience));
    while let Some(task) = next.take().or_else(&mut pop) {
        if task.turn > 0 {
            together::run_apart(core, task, &processor);
            continue;
        }
        next = run(core, &task, &processor);
        if let Some(other) = next.take_if(|next| !core.queues.ready.goes_first(next.priority)) {
            core.make_ready([other]);
        }
        if core.is_abandoned() {
            break;
        }
    }
    drop(stop);
    core.recorder.detach_thread();
}

/// Helps the leader of a group until that ends.
pub(crate) fn help(core: &Core, index: usize, team: &Team, member: usize) {
    core.name_thread(&format!("OMP {index} thread {member}"));
    team.help(member);
}

/// Sends the helpers away when their leader ends.
struct Stop<'a>(&'a Team);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_team_does_everything_once() {
        let team = Arc::new(Team::new(4));
        std::thread::scope(|scope| {
            for member in 1..4 {
                let team = team.clone();
                scope.spawn(move || team.help(member));
            }
            let stop = Stop(&team);
            for count in (0..40).chain([1000]) {
                for _ in 0..20 {
                    let done: Vec<_> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                    team.each(count, &|number| {
                        done[number].fetch_add(1, Ordering::Relaxed);
                    });
                    assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1));
                }
            }
            drop(stop);
        });
    }
}
