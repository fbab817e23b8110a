//! Work of the device as records.

use super::layout::{Record, Version};
use super::session::kind;
use crate::machine::access::Space;
use crate::machine::fft::Fft;
use crate::machine::gemm::Gemm;
use crate::machine::solver::SolverCall;
use crate::machine::work::Origin;

/// The time and place of work that ran.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) gpu: u32,
    pub(crate) origin: Origin,
}

impl Timed {
    /// CUPTI's number of the context.
    fn context(&self) -> u32 {
        self.gpu + 1
    }
}

/// CUPTI's description of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelWork {
    /// Address of its name.
    pub(crate) name: u64,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_bytes: u32,
    pub(crate) static_bytes: u32,
}

impl KernelWork {
    /// The kernel of cuBLAS that does a product.
    pub(crate) fn of_gemm(gemm: &Gemm) -> KernelWork {
        let name = match (gemm.elements.is_double, gemm.is_tf32) {
            _ if gemm.elements.is_complex => "cutlass_80_simt_complex_gemm_nn_align1",
            (true, _) => "sm90_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize64x64x16",
            (false, false) => "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8",
            (false, true) => "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x16",
        };
        let tiles = |extent: u64| extent.div_ceil(64).clamp(1, 65_535) as u32;
        KernelWork {
            name: crate::machine::function::c_name(name),
            grid: [tiles(gemm.m), tiles(gemm.n), 1],
            block: [128, 1, 1],
            dynamic_bytes: 49_152,
            static_bytes: 0,
        }
    }

    /// A kernel of cuFFT: one that does a transform, or one that comes before it.
    pub(crate) fn of_fft(fft: &Fft, is_first: bool) -> KernelWork {
        let name = match (fft.shape.is_double, is_first) {
            (true, true) => "void regular_fft_first<double>",
            (true, false) => "void vector_fft<double>",
            (false, true) => "void regular_fft_first<float>",
            (false, false) => "void vector_fft<float>",
        };
        KernelWork {
            name: crate::machine::function::c_name(name),
            grid: [fft.shape.count.clamp(1, 65_535) as u32, 1, 1],
            block: [128, 1, 1],
            dynamic_bytes: 0,
            static_bytes: 16_384,
        }
    }

    /// A kernel of a routine of cuSOLVER, or of cuBLAS for batches.
    pub(crate) fn of_solver(call: &SolverCall) -> KernelWork {
        let part = if call.is_rest { "rest" } else { "kernel" };
        let name = format!("{}_{part}", call.routine.name());
        KernelWork {
            name: crate::machine::function::c_name(&name),
            grid: [8, 1, 1],
            block: [128, 1, 1],
            dynamic_bytes: 0,
            static_bytes: 1024,
        }
    }

    /// `CUpti_ActivityKernel9`, of 13.0 `CUpti_ActivityKernel10`.
    pub(super) fn record(&self, kind: u32, time: Timed, version: Version) -> Vec<u8> {
        Record::new(kind, version)
            .u16(6, 32)
            .u64(16, time.start)
            .u64(24, time.end)
            .u64(32, time.end)
            .all_u32(40, [time.gpu, time.context(), time.origin.stream])
            .all_u32(52, self.grid)
            .all_u32(64, self.block)
            .all_u32(76, [self.static_bytes, self.dynamic_bytes])
            .u32(92, time.origin.correlation)
            .u64(96, u64::from(time.origin.correlation))
            .u64(104, self.name)
            .u32(140, self.static_bytes + self.dynamic_bytes)
            .u64(144, time.origin.node)
            .u32(156, time.origin.graph)
            .done()
    }
}

/// A fill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FillWork {
    pub(crate) value: u32,
    pub(crate) bytes: u64,
}

/// `CUpti_ActivityMemoryKind`.
fn memory_kind(place: Space) -> u8 {
    match place {
        Space::Pageable => 1,
        Space::Pinned => 2,
        Space::Device(_) => 3,
        Space::Managed => MANAGED,
    }
}

/// `CUPTI_ACTIVITY_MEMORY_KIND_MANAGED`.
const MANAGED: u8 = 5;

impl FillWork {
    /// `CUpti_ActivityMemset4`.
    pub(super) fn record(&self, time: Timed, version: Version) -> Vec<u8> {
        Record::new(kind::MEMSET, version)
            .u32(4, self.value)
            .u64(8, self.bytes)
            .u64(16, time.start)
            .u64(24, time.end)
            .all_u32(
                32,
                [
                    time.gpu,
                    time.context(),
                    time.origin.stream,
                    time.origin.correlation,
                ],
            )
            .u16(50, 3)
            .u64(64, time.origin.node)
            .u32(72, time.origin.graph)
            .done()
    }
}

/// A copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyWork {
    pub(crate) from: Space,
    pub(crate) to: Space,
    pub(crate) bytes: u64,
}

impl CopyWork {
    /// Whether it goes from one GPU to another.
    pub(super) fn is_between_gpus(&self) -> bool {
        matches!((self.from, self.to), (Space::Device(from), Space::Device(to)) if from != to)
    }

    /// `CUpti_ActivityMemcpyKind`.
    fn direction(&self) -> u8 {
        match (self.from, self.to) {
            (Space::Device(from), Space::Device(to)) if from != to => 10,
            (Space::Device(_) | Space::Managed, Space::Device(_) | Space::Managed) => 8,
            (_, Space::Device(_) | Space::Managed) => 1,
            (Space::Device(_) | Space::Managed, _) => 2,
            _ => 9,
        }
    }

    fn is_async(&self) -> u8 {
        u8::from(self.from != Space::Pageable && self.to != Space::Pageable)
    }

    /// `CUpti_ActivityMemcpy5`; in 13.0 `CUpti_ActivityMemcpy6`.
    pub(super) fn record(&self, time: Timed, version: Version) -> Vec<u8> {
        Record::new(kind::MEMCPY, version)
            .u8(4, self.direction())
            .u8(5, memory_kind(self.from))
            .u8(6, memory_kind(self.to))
            .u8(7, self.is_async())
            .u64(8, self.bytes)
            .u64(16, time.start)
            .u64(24, time.end)
            .all_u32(
                32,
                [
                    time.gpu,
                    time.context(),
                    time.origin.stream,
                    time.origin.correlation,
                ],
            )
            .u64(64, time.origin.node)
            .u32(72, time.origin.graph)
            .u64(88, 1)
            .done()
    }

    /// `CUpti_ActivityMemcpyPtoP4`.
    pub(super) fn peer_record(&self, time: Timed) -> Vec<u8> {
        let device = |place| match place {
            Space::Device(gpu) => gpu as u32,
            _ => 0,
        };
        let (from, to) = (device(self.from), device(self.to));
        Record::new(kind::MEMCPY2, Version::V13)
            .u8(4, self.direction())
            .u8(5, memory_kind(self.from))
            .u8(6, memory_kind(self.to))
            .u8(7, 1)
            .u64(8, self.bytes)
            .u64(16, time.start)
            .u64(24, time.end)
            .all_u32(
                32,
                [
                    time.gpu,
                    time.context(),
                    time.origin.stream,
                    from,
                    from + 1,
                    to,
                    to + 1,
                ],
            )
            .u32(60, time.origin.correlation)
            .u64(72, time.origin.node)
            .u32(80, time.origin.graph)
            .done()
    }
}

/// `CUpti_ActivityMemory3`, of 13.0 `CUpti_ActivityMemory4`.
pub(super) fn memory_record(
    (space, is_taken): (Space, bool),
    gpu: usize,
    address: u64,
    bytes: u64,
    correlation: u32,
    version: Version,
) -> Vec<u8> {
    Record::new(kind::MEMORY2, version)
        .u32(4, if is_taken { 1 } else { 2 })
        .u32(8, u32::from(memory_kind(space)))
        .u32(12, correlation)
        .u64(16, address)
        .u64(24, bytes)
        .u64(32, super::clock::now())
        .all_u32(
            48,
            [std::process::id(), gpu as u32, gpu as u32 + 1, u32::MAX],
        )
        .done()
}

/// A fault or a move of pages of unified memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnifiedWork {
    /// `CUpti_ActivityUnifiedMemoryCounterKind`.
    pub(crate) counter: u32,
    pub(crate) value: u64,
    pub(crate) address: u64,
    /// CUPTI's numbers of the places.
    pub(crate) source: u32,
    pub(crate) destination: u32,
    pub(crate) flags: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl UnifiedWork {
    /// `CUpti_ActivityUnifiedMemoryCounter2`, of 13.0 `CUpti_ActivityUnifiedMemoryCounter3`.
    pub(super) fn record(&self, version: Version) -> Vec<u8> {
        Record::new(kind::UNIFIED_MEMORY_COUNTER, version)
            .u32(4, self.counter)
            .u64(8, self.value)
            .u64(16, self.start)
            .u64(24, self.end)
            .u64(32, self.address)
            .all_u32(40, [self.source, self.destination, 0, std::process::id()])
            .u32(56, self.flags)
            .done()
    }
}
