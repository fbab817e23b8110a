//! Work for a GPU, as plain data that is independent of the driver.

use smallvec::SmallVec;

use super::code::Kernel;
use super::factor::Factoring;
use crate::dtype::DType;

/// An address in device memory, or in host memory that the device can use.
pub type Address = u64;

/// One item of work in a stream.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "most are kernels, and an allocation for each would cost more than moving it"
)]
pub enum Work {
    /// A kernel generated from CUDA C.
    Kernel(Launch),
    /// A product of matrices, by cuBLAS.
    Gemm(Gemm),
    /// Fourier transforms of lines, by cuFFT.
    Fft(Fft),
    /// A routine of linear algebra, by cuSOLVER or cuBLAS.
    Factor(Factoring),
    /// A repeated byte pattern.
    Fill {
        /// Address of the first byte.
        to: Address,
        /// The pattern, in the lowest `width` bytes.
        pattern: u32,
        /// Size of the pattern in bytes: 1, 2 or 4.
        width: u8,
        /// Number of repetitions.
        count: usize,
    },
    /// A copy of bytes. The driver finds the memories by the addresses.
    Copy {
        /// Address of the first byte to read.
        from: Address,
        /// Address of the first byte to write.
        to: Address,
        /// Number of bytes.
        bytes: usize,
    },
}

/// One launch of a generated kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The kernel.
    pub kernel: Kernel,
    /// Number of blocks along x, y and z.
    pub grid: [u32; 3],
    /// Number of threads of a block along x, y and z.
    pub block: [u32; 3],
    /// The arguments, without those that the dispatcher adds. Every parameter of a generated kernel
    /// is 8 bytes wide. Integers are sign- or zero-extended, and a `float` has its bits in the
    /// lower half.
    pub args: Args,
}

/// The number of tickets of a stream: counters of 32 bits that are 0 before and after each kernel.
/// Blocks of a launch count with them, to find the block that finishes last.
pub const TICKETS: usize = 1024;

/// Arguments of a kernel, one word each.
pub type Args = SmallVec<[u64; 16]>;

/// `c = a b`, row-major: `a` is `rows` by `inner`, `b` `inner` by `columns`, `c` `rows` by
/// `columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gemm {
    /// `F32`, `F64`, `C64` or `C128`.
    pub dtype: DType,
    /// Number of rows of the result.
    pub rows: usize,
    /// Number of columns of the result.
    pub columns: usize,
    /// Number of columns of the left matrix.
    pub inner: usize,
    /// The left matrix.
    pub a: Matrix,
    /// The right matrix.
    pub b: Matrix,
    /// The result; not transposed.
    pub c: Matrix,
}

/// A matrix in memory whose elements are contiguous along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Address of the element at row 0, column 0.
    pub start: Address,
    /// Number of elements from one row to the next, or from one column to the next if transposed.
    pub step: usize,
    /// Whether columns are contiguous instead of rows.
    pub is_transposed: bool,
}

/// Unscaled Fourier transforms of lines of one length.
///
/// The results are written elsewhere or, for complex numbers with equal steps, in place. A
/// transform to real numbers may destroy its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fft {
    /// All parameters except addresses.
    pub transform: Transform,
    /// Address of the first element of the first line. For real numbers it is a multiple of the
    /// size of a complex number.
    pub input: Address,
    /// Address of the first element of the first result, aligned like `input`.
    pub output: Address,
    /// Address of temporary device memory: a multiple of 256. The driver determines its size, and
    /// its content does not matter.
    pub area: Address,
}

/// The shape of a transform, which determines its cuFFT plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transform {
    /// The direction and the dtypes.
    pub kind: TransformKind,
    /// The dtype of real numbers, and of the parts of complex ones: `F32` or `F64`.
    pub real: DType,
    /// Number of elements of a line of the signal, at least 1. Half a spectrum has `length / 2 +
    /// 1`.
    pub length: usize,
    /// Number of lines, at least 1.
    pub lines: usize,
    /// Layout of the lines.
    pub input: LineSteps,
    /// Layout of the results.
    pub output: LineSteps,
}

/// The direction of a transform and its dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransformKind {
    /// Complex signals to spectra.
    Forward,
    /// Spectra to complex signals.
    Inverse,
    /// Real signals to the first halves of their spectra.
    RealForward,
    /// The first halves of spectra to real signals.
    RealInverse,
}

/// Layout of lines in memory, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineSteps {
    /// Distance between elements of a line, at least 1.
    pub step: usize,
    /// Distance between lines, at least 1.
    pub distance: usize,
}

/// Amount of work put into streams, for comparison with CUPTI's and nsys's records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Issued {
    /// Launches of generated kernels, outside of graphs.
    pub kernels: u64,
    /// Calls of cuBLAS and cuSOLVER, each of which is one kernel or several.
    pub products: u64,
    /// Batches of Fourier transforms by cuFFT, each of which is one kernel or several.
    pub transforms: u64,
    /// Fills.
    pub fills: u64,
    /// Copies.
    pub copies: u64,
    /// Launches of graphs.
    pub graphs: u64,
    /// Kernels in graphs, counted at each launch of the graph.
    pub graph_kernels: u64,
}

/// Format: `kernels=12 products=0 transforms=0 fills=1 copies=2 graphs=3 graph_kernels=30`.
impl std::fmt::Display for Issued {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Issued {
            kernels,
            products,
            transforms,
            fills,
            copies,
            graphs,
            graph_kernels,
        } = self;
        write!(
            f,
            "kernels={kernels} products={products} transforms={transforms} fills={fills} copies={copies} graphs={graphs} \
             graph_kernels={graph_kernels}"
        )
    }
}
