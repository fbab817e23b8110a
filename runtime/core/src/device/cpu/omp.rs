//! OMP groups: processors whose tasks are shared by a team of threads.

use std::sync::{Arc, Mutex, PoisonError};

use weft_geometry::Cut;
use weft_trace::id::ProcessorId;
use weft_trace::record::ProcessorKind;

use super::team::Team;
use super::together::Turn;
use super::{TileTask, Tiles, run_tile};
use crate::device::Executor;
use crate::error::Cause;
use crate::health::Trap;
use crate::observe::Observers;
use crate::operation::Operation;

/// A processor that runs tasks: a thread, or a team of threads.
pub(crate) struct Processor {
    pub(crate) id: ProcessorId,
    pub(crate) kind: ProcessorKind,
    team: Option<Arc<Team>>,
}

impl Processor {
    /// Creates the processor of a single thread.
    pub(crate) fn cpu(id: ProcessorId) -> Processor {
        Processor {
            id,
            kind: ProcessorKind::Cpu,
            team: None,
        }
    }

    /// Creates the processor of a team, represented by its leader.
    pub(crate) fn group(id: ProcessorId, team: Arc<Team>) -> Processor {
        Processor {
            id,
            kind: ProcessorKind::Omp,
            team: Some(team),
        }
    }

    /// Returns a guard that stops the team when it is dropped.
    pub(crate) fn stop_team(&self) -> Option<Stop<'_>> {
        self.team.as_deref().map(Stop)
    }

    /// Returns this processor without its team.
    pub(crate) fn alone(&self) -> Processor {
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

    /// Runs the kernel of an operation on each tile of a task. If several tiles fail, returns the
    /// cause of the first tile.
    pub(super) fn run(
        &self,
        executor: &Executor<'_>,
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
            return run_tile(executor.bodies, operation, task, tiles, cut);
        }
        let tiles = &*tiles;
        let cuts = executor
            .cutting
            .cuts(&operation.shape, operation.body.tiling);
        let failed: Mutex<Option<(usize, Cause)>> = Mutex::default();
        self.each_tile(cut, &|number| {
            executor.health.trap(Trap::Tile);
            let tile = cuts.tile(number);
            if let Err(cause) = run_tile(
                executor.bodies,
                operation,
                task,
                &mut tiles.part(&tile),
                &tile,
            ) {
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

/// Runs a helper of a group until its leader ends.
pub(crate) fn help(observers: &Observers, index: usize, team: &Team, member: usize) {
    observers.name_thread(&format!("OMP {index} thread {member}"));
    team.help(member);
}

/// Stops the helpers of a team when it is dropped.
pub(crate) struct Stop<'a>(&'a Team);

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
    fn team_runs_each_item_once() {
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
