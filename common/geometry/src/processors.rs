//! The processors of a rank, as far as they decide how operations are cut.

use crate::{Cuts, Shape, Tiling};

/// The CPU processors of a rank, and the fewest elements worth a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processors {
    /// The number of CPU workers.
    pub cpus: usize,
    /// The number of OMP groups, which run all tasks if there are any.
    pub omps: usize,
    /// The number of threads of each OMP group.
    pub omp_threads: usize,
    /// The fewest elements worth a task on a CPU worker.
    pub smallest: usize,
    /// The fewest elements worth a task on an OMP group.
    pub smallest_omp: usize,
}

impl Processors {
    /// Cuts an operation of this shape into tasks for `ranks` ranks.
    #[inline]
    pub fn cuts(&self, shape: &Shape, tiling: Tiling, ranks: usize) -> Cuts {
        if matches!(tiling, Tiling::Together { .. }) {
            let threads = self.cpus.max(self.omps.saturating_mul(self.omp_threads));
            let cuts = Cuts::for_ranks(shape, tiling, self.smallest, threads, ranks);
            return cuts.together(ranks);
        }
        if self.omps == 0 {
            return Cuts::for_ranks(shape, tiling, self.smallest, self.cpus, ranks);
        }
        let threads = self.omps.saturating_mul(self.omp_threads);
        let tiles = Cuts::for_ranks(shape, tiling, self.smallest, threads, ranks);
        let groups = self.omps.saturating_mul(ranks);
        tiles.for_teams(tiling.work(shape), self.smallest_omp, groups)
    }
}
