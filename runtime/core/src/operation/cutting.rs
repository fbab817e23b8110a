//! The cutting of operations into tasks: the same on all ranks, so that each can derive what the
//! others have.

use weft_config::Plan;
use weft_geometry::{Cuts, Processors, Ranks, Tiling};
use weft_trace::record;

use crate::shape::Shape;

/// The processors that operations are cut for. With many ranks, the minimum over all. Ranks cut in
/// the same way even if a node has fewer cores, or cores cannot be shared evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cutting {
    processors: Processors,
    gpus: usize,
    /// Number of elements below which a tile is not worth a launch.
    smallest_gpu: usize,
    /// The number of this rank, and the number of ranks.
    ranks: Ranks,
}

impl Cutting {
    /// Returns the cutting for this rank alone, by its plan.
    pub(crate) fn new(plan: &Plan) -> Cutting {
        Cutting {
            processors: Processors {
                cpus: plan.cpus,
                omps: plan.omps,
                omp_threads: plan.omp_threads,
                smallest: plan.min_cpu_chunk,
                smallest_omp: plan.min_omp_chunk,
            },
            gpus: plan.gpus,
            smallest_gpu: plan.min_gpu_chunk,
            ranks: Ranks::default(),
        }
    }

    /// Returns the cutting with this number of GPUs.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn with_gpus(self, gpus: usize) -> Cutting {
        Cutting { gpus, ..self }
    }

    /// Returns the cutting for all ranks. `least` returns the minimum of each number over them.
    pub(crate) fn agree(self, ranks: Ranks, least: impl FnOnce([u64; 7]) -> [u64; 7]) -> Cutting {
        let Cutting {
            processors,
            gpus,
            smallest_gpu,
            ..
        } = self;
        let own = [
            processors.cpus,
            processors.omps,
            processors.omp_threads,
            processors.smallest,
            processors.smallest_omp,
            gpus,
            smallest_gpu,
        ];
        let least = least(own.map(|number| number as u64));
        let [
            cpus,
            omps,
            omp_threads,
            smallest,
            smallest_omp,
            gpus,
            smallest_gpu,
        ] = least.map(|number| number as usize);
        Cutting {
            processors: Processors {
                cpus,
                omps,
                omp_threads,
                smallest,
                smallest_omp,
            },
            gpus,
            smallest_gpu,
            ranks,
        }
    }

    /// Returns the number of this rank and the number of ranks.
    #[inline]
    pub(crate) fn ranks(&self) -> Ranks {
        self.ranks
    }

    /// Returns the number of GPUs of each rank.
    pub(crate) fn gpus(&self) -> usize {
        self.gpus
    }

    /// Returns the cuts of an operation of this shape into tasks, for all ranks.
    #[inline]
    pub(crate) fn cuts(&self, shape: &Shape, tiling: Tiling) -> Cuts {
        let ranks = self.ranks.size.into();
        match self.gpus {
            0 => self.processors.cuts(shape, tiling, ranks),
            // They run on the host.
            _ if matches!(tiling, Tiling::Together { .. }) => {
                self.processors.cuts(shape, tiling, ranks)
            }
            gpus => Cuts::for_gpus(shape, tiling, self.smallest_gpu, gpus, ranks),
        }
    }

    /// Returns whether an operation of this shape is one task.
    #[inline]
    pub(crate) fn has_one_tile(&self, shape: &Shape, tiling: Tiling) -> bool {
        (self.gpus == 0 && !self.ranks.are_many() && self.processors.has_one_tile(shape, tiling))
            || self.cuts(shape, tiling).tiles() == 1
    }

    /// Returns the tasks of an operation of this shape that this rank runs: its part if ranks share
    /// them, otherwise all.
    pub(crate) fn own_cuts(&self, shape: &Shape, tiling: Tiling, is_shared: bool) -> Cuts {
        let cuts = self.cuts(shape, tiling);
        match is_shared {
            true => cuts.of_rank(self.ranks),
            false => cuts,
        }
    }

    /// Returns the processors that operations are cut for, as a record.
    pub(crate) fn described(&self) -> record::Processors {
        let processors = self.processors;
        record::Processors {
            cpus: processors.cpus as u32,
            omps: processors.omps as u32,
            omp_threads: processors.omp_threads as u32,
            smallest: processors.smallest as u64,
            smallest_omp: processors.smallest_omp as u64,
        }
    }
}
