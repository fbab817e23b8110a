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
    /// Returns whether an operation of this shape is one task for certain. False for some that are.
    #[inline]
    pub fn has_one_tile(&self, shape: &Shape, tiling: Tiling) -> bool {
        match tiling {
            Tiling::Processors { work } => {
                (1..self.smallest).contains(&shape.len().saturating_mul(work))
            }
            Tiling::Whole => !shape.is_empty(),
            _ => false,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_said_to_have_one_tile_have_one() {
        let processors = Processors {
            cpus: 4,
            omps: 0,
            omp_threads: 1,
            smallest: 1000,
            smallest_omp: 1000,
        };
        let mut certain = 0;
        for omps in [0, 2] {
            let processors = Processors { omps, ..processors };
            for dims in [
                &[][..],
                &[0],
                &[1],
                &[999],
                &[1000],
                &[10, 50],
                &[3, 0],
                &[4000, 2],
            ] {
                let shape = Shape::new(dims).unwrap();
                for tiling in [
                    Tiling::Whole,
                    Tiling::Processors { work: 1 },
                    Tiling::Processors { work: 3 },
                    Tiling::Few { work: 1 },
                ] {
                    if processors.has_one_tile(&shape, tiling) {
                        certain += 1;
                        assert_eq!(processors.cuts(&shape, tiling, 1).tiles(), 1, "{dims:?}");
                    }
                }
            }
        }
        assert!(certain > 10);
    }
}
