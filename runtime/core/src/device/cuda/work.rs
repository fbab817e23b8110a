//! What a GPU is given to do: plain data, whoever carries it out.

use smallvec::SmallVec;

use super::code::Kernel;
use super::factor::Factoring;
use crate::dtype::DType;

/// An address in device memory, or in host memory that the device can use.
pub type Address = u64;

/// One thing that goes into a stream.
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
    /// The same bytes again and again.
    Fill {
        /// The first byte.
        to: Address,
        /// The bytes, in the lowest `width` of it.
        pattern: u32,
        /// Bytes of the pattern: 1, 2 or 4.
        width: u8,
        /// How often.
        count: usize,
    },
    /// Bytes from one place to another; the driver tells from the addresses which memories they are in.
    Copy {
        /// The first byte to read.
        from: Address,
        /// The first byte to write.
        to: Address,
        /// How many.
        bytes: usize,
    },
}

/// One launch of a generated kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Which kernel.
    pub kernel: Kernel,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// The arguments: every parameter of a generated kernel is 8 bytes wide. An integer is sign- or zero-extended, a
    /// `float` stands in the lower half with its bits.
    pub args: Args,
}

/// Arguments of a kernel, one word each.
pub type Args = SmallVec<[u64; 16]>;

/// `c = a b`, row-major: `a` is `rows` by `inner`, `b` `inner` by `columns`, `c` `rows` by `columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gemm {
    /// `F32` or `F64`.
    pub dtype: DType,
    /// Rows of the result.
    pub rows: usize,
    /// Columns of the result.
    pub columns: usize,
    /// Columns of the left matrix.
    pub inner: usize,
    /// The left matrix.
    pub a: Matrix,
    /// The right matrix.
    pub b: Matrix,
    /// The result; not transposed.
    pub c: Matrix,
}

/// A matrix in memory whose elements follow each other along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The element at row 0, column 0.
    pub start: Address,
    /// Elements from one row to the next; where transposed, from one column to the next.
    pub step: usize,
    /// Whether neighbours in memory are of one column instead of one row.
    pub is_transposed: bool,
}

/// Fourier transforms of lines of one length, none of them scaled.
///
/// Lines are read as they are and the results written elsewhere, or, between complex numbers in equal places, over them. A transform to real
/// numbers may destroy what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fft {
    /// Everything but addresses.
    pub transform: Transform,
    /// The first element of the first line. An address of real numbers is a multiple of the size of a complex one.
    pub input: Address,
    /// The first element of the first result; likewise.
    pub output: Address,
    /// Device memory of as many bytes as the driver asks for, a multiple of 256; its content does not matter.
    pub area: Address,
}

/// The shape of a transform: a plan of cuFFT depends on nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transform {
    /// The direction and the dtypes.
    pub kind: TransformKind,
    /// The dtype of real numbers and of the parts of complex ones: `F32` or `F64`.
    pub real: DType,
    /// Elements of a line of the signal, at least 1. Half a spectrum has `length / 2 + 1`.
    pub length: usize,
    /// Lines, at least 1.
    pub lines: usize,
    /// Where the lines lie.
    pub input: LineSteps,
    /// Where the results lie.
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

/// Where lines lie in memory, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineSteps {
    /// From one element of a line to the next, at least 1.
    pub step: usize,
    /// From one line to the next, at least 1.
    pub distance: usize,
}

/// How much was put into streams, for comparison with what CUPTI and nsys saw.
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
    /// Kernels in them, each counted at each launch.
    pub graph_kernels: u64,
}

/// As in `kernels=12 products=0 transforms=0 fills=1 copies=2 graphs=3 graph_kernels=30`.
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
