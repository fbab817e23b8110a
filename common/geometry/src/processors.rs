//! What a rank has to run tiles on, as far as it decides how operations are cut.

use crate::{Cuts, Shape, Tiling};

/// A rank's CPUs, and the fewest elements worth a task of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processors {
    /// CPU workers.
    pub cpus: usize,
    /// OMP groups; where there are any, tasks are theirs.
    pub omps: usize,
    /// Threads of each OMP group.
    pub omp_threads: usize,
    /// Fewest elements that are worth a task of their own.
    pub smallest: usize,
    /// The same of an OMP group.
    pub smallest_omp: usize,
}

impl Processors {
    /// How an operation of this shape is cut into tasks, for all of so many ranks.
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
