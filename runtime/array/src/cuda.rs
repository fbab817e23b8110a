//! CUDA C for the array library's operations: the kernel of each, its arguments, and its threads.

/// Implements the sources of kernels for the keys of families. Those with tickets have a function
/// that tells which kernels take them.
macro_rules! sources {
    ($($key:ty $([$tickets:ident])?),*) => {
        $(impl Source for $key {
            $(fn $tickets(&self) -> bool {
                <$key>::$tickets(self)
            })?

            fn name(&self) -> String {
                // This calls the key's own function.
                <$key>::name(self)
            }

            fn source(&self) -> String {
                <$key>::source(self)
            }
        })*
    };
}

#[cfg(test)]
mod chains;
mod count;
mod exponent;
#[cfg(feature = "linalg")]
pub(crate) mod factor;
mod fold;
#[cfg(feature = "fft")]
pub(crate) mod fourier;
mod generate;
mod histogram;
mod index;
mod linear;
mod loops;
mod pack;
mod plan;
mod reduce;
mod scan;
mod search;
mod sort;
#[cfg(test)]
pub(crate) mod testing;
mod weights;

pub(crate) use plan::{Plan, Planned, planned};
pub(crate) use reduce::chained;
use weft_core::cuda::{DeviceOperand, DeviceTile, Job, Kernel, Source, c, grid, name, nest};

sources! {
    count::CountKernelKey, exponent::ExponentKernelKey, generate::GenerateKernelKey, histogram::HistogramKernelKey, index::IndexKernelKey, linear::LinearKernelKey [takes_tickets], pack::PackKernelKey, reduce::ReduceKernelKey [takes_tickets], scan::ScanKernelKey, search::SearchKernelKey, sort::SortKernelKey, weights::WeightsKernelKey
}
