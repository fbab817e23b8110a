//! Sums of weights by number, each in the order of the weights. The numbers are sorted first, and
//! equal ones keep their order.

use smallvec::{SmallVec, smallvec};

use super::c::type_name;
use super::index::INDEX;
use super::loops::{BLOCKS, LOOPS, THREADS, blocks, entry};
use super::nest::Strided;
use super::sort::Lines;
use super::{DeviceTile, Job, Kernel};
use crate::dtype::DType;
use crate::shape::Layout;
use weft_core::cuda::{Address, Launch, Work};

const WEIGHTS: &str = include_str!("cuda/weights.cuh");

/// The number of weights of a bin from which a block of threads fetches them.
const MANY: usize = 64;

/// The kernel that adds up weights.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WeightsKernelKey {
    dtype: DType,
    /// Whether a block of threads computes a bin, instead of a thread.
    is_many: bool,
}

impl WeightsKernelKey {
    pub(crate) fn name(&self) -> String {
        let many = if self.is_many { "_many" } else { "" };
        format!("weft_bincount_weights_{}{many}", self.dtype)
    }

    pub(crate) fn source(&self) -> String {
        let element = type_name(self.dtype);
        let mut parameters: Vec<String> = ["numbers", "sorted", "places"]
            .map(|name| format!("const long long *{name}"))
            .into();
        parameters.push(format!("const {element} *weights"));
        parameters.push(format!("{element} *out"));
        let numbers = ["count", "step", "weights_step", "bins", "*fault"];
        parameters.extend(numbers.map(|name| format!("long long {name}")));
        let many = if self.is_many { "_many" } else { "" };
        let body = format!(
            "    weft::check_numbers(numbers, step, count, bins, fault);\n    \
             weft::sum{many}_weights(sorted, places, count, weights, weights_step, out, bins);\n"
        );
        let entry = entry(&self.name(), parameters, &body);
        format!("{LOOPS}\n{INDEX}\n{WEIGHTS}\n{entry}")
    }
}

/// Sums of the weights of each number below the length of `out`, a dense vector.
pub(crate) struct Weights<'a> {
    job: &'a Job<'a>,
    numbers: &'a DeviceTile,
    weights: &'a DeviceTile,
    out: &'a DeviceTile,
}

impl<'a> Weights<'a> {
    pub(super) fn new(
        job: &'a Job<'a>,
        [numbers, weights, out]: [&'a DeviceTile; 3],
    ) -> Weights<'a> {
        Weights {
            job,
            numbers,
            weights,
            out,
        }
    }

    fn count(&self) -> usize {
        self.numbers.layout.shape.len()
    }

    fn bins(&self) -> usize {
        self.out.layout.shape.len()
    }

    /// Returns vectors for the sorted numbers, and for their places, starting at an address.
    fn vectors(&self, scratch: Address) -> [DeviceTile; 2] {
        let bytes = (8 * self.count()).next_multiple_of(256) as u64;
        [scratch, scratch + bytes].map(|start| DeviceTile {
            start,
            dtype: DType::I64,
            layout: Layout::contiguous(self.numbers.layout.shape),
        })
    }

    /// Returns the sort by the bytes in which bins differ; `None` if there are no numbers.
    fn sort<'s>(&'s self, [sorted, places]: &'s [DeviceTile; 2]) -> Option<Lines<'s>> {
        let lines = Lines::new(0, self.numbers, Some(sorted), Some(places), 0)?;
        let bits = usize::BITS - self.bins().leading_zeros();
        Some(lines.by_low_bytes(bits.div_ceil(8).max(1) as usize))
    }

    /// Returns the number of bytes of device memory for the work.
    pub(super) fn scratch(&self) -> usize {
        let vectors = self.vectors(0);
        let sort = self.sort(&vectors).map_or(0, |lines| lines.scratch());
        2 * vectors[1].start as usize + sort
    }

    /// Returns the work.
    pub(super) fn work(&self, scratch: Address) -> SmallVec<[Work; 2]> {
        let vectors = self.vectors(scratch);
        let [sorted, places] = [vectors[0].start, vectors[1].start];
        let after = places + (places - sorted);
        let mut works = match self.sort(&vectors) {
            Some(lines) => lines.work(after),
            None => SmallVec::new(),
        };
        let (count, bins) = (self.count(), self.bins());
        if bins == 0 && count == 0 {
            return works;
        }
        let is_many = count >= MANY * bins;
        let grid = match is_many {
            true => bins.max(count.div_ceil(THREADS * 16)),
            false => bins.max(count / 4).div_ceil(THREADS),
        };
        let step = |tile: &DeviceTile| tile.layout.strides[0] as u64;
        works.push(Work::Kernel(Launch {
            kernel: Kernel::from_source(WeightsKernelKey {
                dtype: self.weights.dtype,
                is_many,
            }),
            grid: blocks(grid.clamp(1, 4 * BLOCKS)),
            block: blocks(THREADS),
            args: smallvec![
                Strided::from_tile(self.numbers).first,
                sorted,
                places,
                Strided::from_tile(self.weights).first,
                Strided::from_tile(self.out).first,
                count as u64,
                step(self.numbers),
                step(self.weights),
                bins as u64,
                self.job.fault
            ],
        }));
        works
    }
}
