//! Elements selected by a mask: counted by blocks, packed and unpacked by the running counts.

use smallvec::smallvec;

use super::c::{type_name, types};
use super::loops::{LOOPS, THREADS, blocks, entry};
use super::nest::Strided;
use super::{DeviceTile, Job, Kernel};
use crate::dtype::DType;
use crate::kernel::pack::BLOCK;
use weft_core::cuda::{Args, Launch, Work};

const PACK: &str = include_str!("cuda/pack.cuh");

/// A kernel over blocks of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PackKernelKey {
    /// Counts the set elements of each block.
    Count,
    /// Packs values of this size in bytes.
    Pack(usize),
    /// Writes the numbers of the set elements.
    Positions,
    /// Unpacks values of this size in bytes.
    Unpack(usize),
}

/// The dtype whose elements have 16 bytes.
const PAIR: DType = DType::C128;

/// Returns the C type of elements of this size in bytes, which are only moved.
fn word(bytes: usize) -> &'static str {
    match bytes {
        1 => "unsigned char",
        2 => "unsigned short",
        4 => "unsigned int",
        8 => "unsigned long long",
        // A pair of words.
        _ => type_name(PAIR),
    }
}

impl PackKernelKey {
    pub(crate) fn name(&self) -> String {
        match self {
            PackKernelKey::Count => "weft_count_blocks".to_owned(),
            PackKernelKey::Pack(bytes) => format!("weft_pack_{}bit", 8 * bytes),
            PackKernelKey::Positions => "weft_nonzero".to_owned(),
            PackKernelKey::Unpack(bytes) => format!("weft_unpack_{}bit", 8 * bytes),
        }
    }

    pub(crate) fn source(&self) -> String {
        let mut parameters = vec!["const bool *mask".to_owned()];
        let mut numbers = |names: &[&str]| {
            let all = names.iter().map(|name| format!("long long {name}"));
            parameters.extend(all);
        };
        let of_mask: &[&str] = &["*ends", "step", "ends_step", "elements", "first", "count"];
        let call = match self {
            PackKernelKey::Count => {
                numbers(&["*counts", "step", "count", "counts_step"]);
                "count_blocks(mask, counts, step, count, counts_step)"
            }
            PackKernelKey::Positions => {
                numbers(of_mask);
                numbers(&["*out", "out_step"]);
                "positions({mask, ends, step, ends_step, elements}, out, out_step, first, count)"
            }
            PackKernelKey::Pack(bytes) | PackKernelKey::Unpack(bytes) => {
                numbers(of_mask);
                numbers(&["values_step", "out_step"]);
                let word = word(*bytes);
                parameters.extend([format!("const {word} *values"), format!("{word} *out")]);
                match self {
                    PackKernelKey::Pack(_) => {
                        "pack({mask, ends, step, ends_step, elements}, values, out, values_step, out_step, first, count)"
                    }
                    _ => {
                        "unpack({mask, ends, step, ends_step, elements}, values, out, values_step, out_step, first, count)"
                    }
                }
            }
        };
        let entry = entry(&self.name(), parameters, &format!("    weft::{call};\n"));
        let types = match self {
            PackKernelKey::Pack(16) | PackKernelKey::Unpack(16) => types(&[PAIR]),
            _ => String::new(),
        };
        format!("{types}{LOOPS}\n{PACK}\n{entry}")
    }
}

fn step(tile: &DeviceTile) -> u64 {
    tile.layout.strides[0] as u64
}

fn launch(key: PackKernelKey, grid: usize, args: Args) -> Option<Work> {
    (grid > 0).then(|| {
        Work::Kernel(Launch {
            kernel: Kernel::from_source(key),
            grid: blocks(grid),
            block: blocks(THREADS),
            args,
        })
    })
}

/// Returns the work that counts the set elements of each block of a mask; `None` without elements.
pub(super) fn count_blocks(mask: &DeviceTile, counts: &DeviceTile) -> Option<Work> {
    let elements = mask.layout.shape.len();
    let args = smallvec![
        Strided::from_tile(mask).first,
        Strided::from_tile(counts).first,
        step(mask),
        elements as u64,
        step(counts)
    ];
    launch(PackKernelKey::Count, elements.div_ceil(BLOCK), args)
}

/// Returns the arguments that all kernels share, and the number of blocks of the mask; 0 if nothing
/// is written.
fn arguments(
    job: &Job<'_>,
    mask: &DeviceTile,
    ends: &DeviceTile,
    out: &DeviceTile,
) -> (Args, usize) {
    let elements = mask.layout.shape.len();
    let args = smallvec![
        Strided::from_tile(mask).first,
        Strided::from_tile(ends).first,
        step(mask),
        step(ends),
        elements as u64,
        job.first[0] as u64,
        out.layout.shape.len() as u64
    ];
    let blocks = match out.layout.shape.is_empty() {
        true => 0,
        false => elements.div_ceil(BLOCK),
    };
    (args, blocks)
}

/// Returns the work that packs values; `None` if nothing is written.
pub(super) fn pack(job: &Job<'_>, [mask, ends, values, out]: [&DeviceTile; 4]) -> Option<Work> {
    let (mut args, grid) = arguments(job, mask, ends, out);
    args.extend([step(values), step(out)]);
    args.extend([values, out].map(|tile| Strided::from_tile(tile).first));
    launch(PackKernelKey::Pack(out.dtype.size()), grid, args)
}

/// Returns the work that writes the numbers of the set elements; `None` if nothing is written.
pub(super) fn positions(job: &Job<'_>, [mask, ends, out]: [&DeviceTile; 3]) -> Option<Work> {
    let (mut args, grid) = arguments(job, mask, ends, out);
    args.extend([Strided::from_tile(out).first, step(out)]);
    launch(PackKernelKey::Positions, grid, args)
}

/// Returns the work that unpacks values; `None` if nothing is written.
pub(super) fn unpack(job: &Job<'_>, [mask, ends, values, out]: [&DeviceTile; 4]) -> Option<Work> {
    let (mut args, _) = arguments(job, mask, ends, out);
    args.extend([step(values), step(out)]);
    args.extend([values, out].map(|tile| Strided::from_tile(tile).first));
    // The grid covers the blocks of the mask that contain the tile.
    let (first, count) = (job.first[0], out.layout.shape.len());
    let grid = if count == 0 {
        0
    } else {
        (first + count).div_ceil(BLOCK) - first / BLOCK
    };
    launch(PackKernelKey::Unpack(out.dtype.size()), grid, args)
}
