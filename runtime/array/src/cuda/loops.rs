//! Loops of the kernels that fold, scan and index, in CUDA C and as arguments (`cuda/loops.cuh`).

use std::fmt::Write;

use super::c::index_type;
use super::nest::Nest;
use weft_core::cuda::Args;

/// CUDA C of loops.
pub(super) const LOOPS: &str = include_str!("cuda/loops.cuh");

/// Threads of a full block.
pub(super) const THREADS: usize = 256;

/// Blocks of a grid whose blocks go on with further work: enough for any GPU, and the same on all of them, so that they
/// all give the same bits.
pub(super) const BLOCKS: usize = 1024;

/// What the source of a kernel depends on of its loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    /// How many loops, at least one.
    depth: u8,
    /// How many operands advance in them.
    operands: u8,
    /// Whether indices need 64 bits.
    is_wide: bool,
}

impl Form {
    /// The loops of a nest over so many operands, of which those in `operands` count.
    pub(super) fn of(nest: &Nest, operands: &[usize], is_wide: bool) -> Form {
        Form {
            depth: nest.loops.len().max(1) as u8,
            operands: operands.len() as u8,
            is_wide,
        }
    }

    /// The same loops with indices of 64 bits.
    #[cfg(test)]
    pub(super) fn widened(self) -> Form {
        Form {
            is_wide: true,
            ..self
        }
    }

    /// What follows the name of a kernel: nothing for one loop and 32 bits.
    pub(super) fn suffix(&self) -> String {
        let mut suffix = String::new();
        if self.depth > 1 {
            let _ = write!(suffix, "_{}d", self.depth);
        }
        if self.is_wide {
            suffix.push_str("_wide");
        }
        suffix
    }

    /// The C type of indices.
    pub(super) fn index(&self) -> &'static str {
        index_type(self.is_wide)
    }

    /// The parameters of the loops.
    pub(super) fn parameters(&self) -> impl Iterator<Item = String> + use<> {
        let Form {
            depth, operands, ..
        } = *self;
        (0..depth).flat_map(move |d| {
            let steps = (0..operands).map(move |n| format!("long long step{d}_{n}"));
            std::iter::once(format!("long long count{d}")).chain(steps)
        })
    }

    /// Declares `loops`.
    pub(super) fn declare(&self) -> String {
        let Form {
            depth, operands, ..
        } = *self;
        let index = self.index();
        let joined = |parts: Vec<String>| parts.join(", ");
        let counts = joined((0..depth).map(|d| format!("({index})count{d}")).collect());
        let steps = (0..depth).map(|d| {
            let steps = (0..operands).map(|n| format!("({index})step{d}_{n}"));
            format!("{{{}}}", joined(steps.collect()))
        });
        let steps = joined(steps.collect());
        format!(
            "    const weft::Loops<{operands}, {depth}, {index}> loops = {{{{{counts}}}, {{{steps}}}}};\n"
        )
    }

    /// The parameters of a walk.
    pub(super) fn walk_parameters(&self) -> impl Iterator<Item = String> + use<> {
        let more = ["rows", "parts", "units"].map(|name| format!("long long {name}"));
        self.parameters().chain(more)
    }

    /// Declares `walk`, in which a thread does `each` rounds of the innermost loop.
    pub(super) fn declare_walk(&self, each: usize) -> String {
        let Form {
            depth, operands, ..
        } = *self;
        let index = self.index();
        format!(
            "{}    const weft::Walk<{each}, {operands}, {depth}, {index}> walk = \
             {{loops, ({index})rows, ({index})parts, ({index})units}};\n",
            self.declare()
        )
    }
}

/// The arguments for the parameters of loops over `operands` of a nest.
pub(super) fn arguments(nest: &Nest, operands: &[usize]) -> Args {
    let mut args = Args::new();
    for level in 0..nest.loops.len().max(1) {
        args.push(nest.count(level) as u64);
        args.extend(operands.iter().map(|&n| nest.step(level, n) as u64));
    }
    args
}

/// Threads that walk a nest.
pub(super) struct Walk {
    pub(super) block: [u32; 3],
    /// Units of work for blocks: some rows by a part of the innermost loop.
    pub(super) units: usize,
    /// For the parameters of a walk.
    pub(super) args: Args,
}

impl Walk {
    /// A walk in which a thread does `each` rounds of the innermost loop.
    pub(super) fn new(nest: &Nest, operands: &[usize], each: usize) -> Walk {
        let inner = nest.count(0);
        let rows: usize = nest.loops.iter().skip(1).map(|each| each.count).product();
        // As many threads as have `each` rounds to do, but those of a warp lie together.
        let least = inner.next_power_of_two().min(32);
        let x = inner
            .div_ceil(each)
            .next_power_of_two()
            .clamp(least, THREADS);
        let y = (THREADS / x).min(rows.next_power_of_two());
        let parts = inner.div_ceil(x * each);
        let units = rows.div_ceil(y) * parts;
        let mut args = arguments(nest, operands);
        args.extend([rows, parts, units].map(|count| count as u64));
        Walk {
            block: [x as u32, y as u32, 1],
            units,
            args,
        }
    }
}

/// A kernel of at most [`THREADS`] threads a block.
pub(super) fn entry(
    name: &str,
    parameters: impl IntoIterator<Item = String>,
    body: &str,
) -> String {
    bounded_entry(name, &THREADS.to_string(), parameters, body)
}

/// A kernel with the arguments of its `__launch_bounds__`.
pub(super) fn bounded_entry(
    name: &str,
    bounds: &str,
    parameters: impl IntoIterator<Item = String>,
    body: &str,
) -> String {
    let parameters: Vec<String> = parameters.into_iter().collect();
    let parameters = parameters.join(",\n    ");
    format!(
        "extern \"C\" __global__ void __launch_bounds__({bounds}) {name}(\n    {parameters}) {{\n{body}}}\n"
    )
}

/// The blocks of a grid along x: as many as there are units, up to what a grid can have.
pub(super) fn longest_grid(units: usize) -> usize {
    units.min((1 << 31) - 1)
}

/// A grid along x.
pub(super) fn blocks(count: usize) -> [u32; 3] {
    [count as u32, 1, 1]
}
