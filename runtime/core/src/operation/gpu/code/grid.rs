//! Threads for loops: their number, and the CUDA C that computes a thread's indices.
//!
//! Threads lie along the three innermost loops. A thread runs [`ROWS`] iterations of the second
//! one, so that several loads are under way at once. Neighbouring rows, which a stencil reads too,
//! then share the cache of one multiprocessor. Blocks are numbered from the innermost loop
//! outwards, in the x dimension of the grid, because only that may be long.

use std::fmt::Write;

use super::super::work::Args;
use super::nest::Nest;

/// Number of threads of a full block.
pub const THREADS: usize = 256;

/// Number of iterations of the second loop per thread.
pub const ROWS: usize = 4;

/// Maximum number of blocks of a grid.
const MAX_BLOCKS: usize = (1 << 31) - 1;

/// A grid of threads, and its arguments.
#[derive(Debug)]
pub struct Grid {
    /// Number of blocks along x, y and z.
    pub grid: [u32; 3],
    /// Number of threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Arguments for the parameters that [`parameters`] declares.
    pub args: Args,
}

impl Grid {
    /// Returns the threads for one loop, with `each` iterations per thread.
    pub fn flat(count: usize, each: usize) -> Grid {
        let threads = count.div_ceil(each).next_multiple_of(32).min(THREADS);
        Grid {
            grid: along_x(count.div_ceil(threads * each)),
            block: along_x(threads),
            args: Args::from_slice(&[count as u64]),
        }
    }

    /// Returns the threads for a nest taken as `rank` loops, at least two. `is_crosswise` says that
    /// some operand has a smaller step along the second loop than along the innermost one.
    pub fn nested(nest: &Nest, rank: usize, is_crosswise: bool) -> Grid {
        let [inner, second, third] = [0, 1, 2].map(|level| nest.count(level));
        let mut x = inner
            .next_power_of_two()
            .min(if is_crosswise { 32 } else { 64 });
        let y = second.div_ceil(ROWS).next_power_of_two().min(THREADS / x);
        while x * y < THREADS && x < inner && !is_crosswise {
            x *= 2;
        }
        let z = third.next_power_of_two().min(THREADS / (x * y)).min(64);
        let mut blocks = [
            inner.div_ceil(x),
            second.div_ceil(y * ROWS),
            third.div_ceil(z),
        ];
        let mut all = blocks.iter().product::<usize>();
        for level in 3..rank {
            all *= nest.count(level);
        }
        let mut args: Args = (0..rank).map(|level| nest.count(level) as u64).collect();
        args.extend(blocks.iter_mut().take(rank).map(|blocks| *blocks as u64));
        args.push(all as u64);
        Grid {
            grid: along_x(all),
            block: [x as u32, y as u32, z as u32],
            args,
        }
    }
}

fn along_x(count: usize) -> [u32; 3] {
    [count.min(MAX_BLOCKS) as u32, 1, 1]
}

/// Declares the parameters of a kernel over `rank` loops, at least two.
pub fn parameters(rank: usize) -> Vec<String> {
    let counts = (0..rank).map(|level| format!("long long count{level}"));
    let blocks = (0..rank.min(3)).map(|level| format!("long long blocks{level}"));
    let all = std::iter::once("long long blocks".into());
    counts.chain(blocks).chain(all).collect()
}

/// Opens a loop over blocks, in which `i0` to `i<rank - 1>` are a thread's indices starting with
/// the innermost loop. Those of the second loop are `i1`, `i1 + blockDim.y` and so on, [`ROWS`] of
/// them. Indices not below `count1` must be skipped.
pub fn open(out: &mut String, rank: usize) {
    let _ = write!(
        out,
        "    for (Count block = blockIdx.x; block < (Count)blocks; block += gridDim.x) {{
        Count rest = block;
        const Index i0 = (Index)(rest % (Count)blocks0 * blockDim.x + threadIdx.x);
        rest /= (Count)blocks0;
        const Index i1 = (Index)(rest % (Count)blocks1 * (blockDim.y * {ROWS}) + threadIdx.y);
        rest /= (Count)blocks1;
        if (i0 >= (Index)count0) continue;
"
    );
    if rank > 2 {
        out.push_str(
            "        const Index i2 = (Index)(rest % (Count)blocks2 * blockDim.z + threadIdx.z);
        rest /= (Count)blocks2;
        if (i2 >= (Index)count2) continue;
",
        );
    }
    for level in 3..rank {
        let _ = write!(
            out,
            "        const Index i{level} = (Index)(rest % (Count)count{level});
        rest /= (Count)count{level};
"
        );
    }
}

/// Declares the types `Index`, of indices and steps, and `Count`, of numbers of blocks.
pub fn types(out: &mut String, is_wide: bool) {
    let index = super::c::index_type(is_wide);
    let _ = write!(
        out,
        "typedef {index} Index;\ntypedef unsigned {index} Count;\n\n"
    );
}
