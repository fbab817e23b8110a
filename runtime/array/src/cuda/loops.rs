//! Loops of the kernels that fold, scan and index, in CUDA C and as arguments (`cuda/loops.cuh`).

use std::fmt::Write;

use super::c::index_type;
use super::nest::Nest;
use weft_core::cuda::Args;

/// The CUDA C of loops.
pub(super) const LOOPS: &str = include_str!("cuda/loops.cuh");

/// The CUDA C to find the last block of a launch. Kernels that use it take [`TICKETS`].
pub(super) const LAST: &str = include_str!("cuda/last.cuh");

/// The last parameter of a kernel with tickets.
pub(super) const TICKETS: &str = "unsigned *tickets";

/// The number of threads of a full block.
pub(super) const THREADS: usize = 256;

/// The number of blocks of a grid whose blocks loop over further work. It is enough for any GPU,
/// and the same on all GPUs, so that they give the same bits.
pub(super) const BLOCKS: usize = 1024;

// A block, or a row of blocks that share lines, has a ticket each.
const _: () = assert!(BLOCKS <= weft_core::cuda::TICKETS);

/// The properties of a kernel's loops on which its source depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    /// The number of loops, at least one.
    depth: u8,
    /// The number of operands that advance in them.
    operands: u8,
    /// Whether indices need 64 bits.
    is_wide: bool,
}

impl Form {
    /// Returns the form of the loops of a nest, for the operands whose numbers are in `operands`.
    pub(super) fn new(nest: &Nest, operands: &[usize], is_wide: bool) -> Form {
        Form {
            depth: nest.loops.len().max(1) as u8,
            operands: operands.len() as u8,
            is_wide,
        }
    }

    /// Returns the same loops with 64-bit indices.
    #[cfg(test)]
    pub(super) fn widened(self) -> Form {
        Form {
            is_wide: true,
            ..self
        }
    }

    /// Returns the suffix of a kernel's name: empty for one loop and 32 bits.
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

    /// Returns whether indices need 64 bits.
    pub(super) fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// Returns the C type of indices.
    pub(super) fn index(&self) -> &'static str {
        index_type(self.is_wide)
    }

    /// Returns the number of operands.
    pub(super) fn operands(&self) -> u8 {
        self.operands
    }

    /// Returns the C type of the loops.
    pub(super) fn c(&self) -> String {
        let Form {
            depth, operands, ..
        } = *self;
        format!("weft::Loops<{operands}, {depth}, {}>", self.index())
    }

    /// Returns the parameters of the loops.
    pub(super) fn parameters(&self) -> impl Iterator<Item = String> + use<> {
        self.parameters_of("")
    }

    /// Returns the parameters of one of several sets of loops, whose names begin with `set`.
    pub(super) fn parameters_of(&self, set: &'static str) -> impl Iterator<Item = String> + use<> {
        let Form {
            depth, operands, ..
        } = *self;
        (0..depth).flat_map(move |d| {
            let steps = (0..operands).map(move |n| format!("long long {set}step{d}_{n}"));
            std::iter::once(format!("long long {set}count{d}")).chain(steps)
        })
    }

    /// Returns the declaration of `loops`.
    pub(super) fn declare(&self) -> String {
        self.declare_of("")
    }

    /// Returns the declaration of one of several sets of loops, whose name begins with `set`.
    pub(super) fn declare_of(&self, set: &str) -> String {
        let Form {
            depth, operands, ..
        } = *self;
        let index = self.index();
        let joined = |parts: Vec<String>| parts.join(", ");
        let counts = (0..depth).map(|d| format!("({index}){set}count{d}"));
        let counts = joined(counts.collect());
        let steps = (0..depth).map(|d| {
            let steps = (0..operands).map(|n| format!("({index}){set}step{d}_{n}"));
            format!("{{{}}}", joined(steps.collect()))
        });
        let steps = joined(steps.collect());
        format!(
            "    const {} {set}loops = {{{{{counts}}}, {{{steps}}}}};\n",
            self.c()
        )
    }

    /// Returns the parameters of a walk.
    pub(super) fn walk_parameters(&self) -> impl Iterator<Item = String> + use<> {
        let more = ["rows", "parts", "units"].map(|name| format!("long long {name}"));
        self.parameters().chain(more)
    }

    /// Returns the declaration of `walk`, in which a thread does `each` rounds of the innermost
    /// loop.
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

/// Returns the arguments for the parameters of loops over `operands` of a nest.
pub(super) fn arguments(nest: &Nest, operands: &[usize]) -> Args {
    let mut args = Args::new();
    for level in 0..nest.loops.len().max(1) {
        args.push(nest.count(level) as u64);
        args.extend(operands.iter().map(|&n| nest.step(level, n) as u64));
    }
    args
}

/// The threads that walk a nest.
pub(super) struct Walk {
    pub(super) block: [u32; 3],
    /// The number of units of work for blocks: some rows by a part of the innermost loop.
    pub(super) units: usize,
    /// The arguments for the parameters of a walk.
    pub(super) args: Args,
}

impl Walk {
    /// Creates a walk in which a thread does `each` rounds of the innermost loop.
    pub(super) fn new(nest: &Nest, operands: &[usize], each: usize) -> Walk {
        let inner = nest.count(0);
        let rows: usize = nest.loops.iter().skip(1).map(|each| each.count).product();
        // Starts as many threads as have `each` rounds of work. The threads of a warp stay
        // together.
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

/// Returns a kernel of at most [`THREADS`] threads a block.
pub(super) fn entry(
    name: &str,
    parameters: impl IntoIterator<Item = String>,
    body: &str,
) -> String {
    bounded_entry(name, &THREADS.to_string(), parameters, body)
}

/// Returns a kernel with the arguments of its `__launch_bounds__`.
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

/// Returns the number of blocks of a grid along x: one for each unit, at most the largest grid.
pub(super) fn longest_grid(units: usize) -> usize {
    units.min((1 << 31) - 1)
}

/// Returns a grid along x.
pub(super) fn blocks(count: usize) -> [u32; 3] {
    [count as u32, 1, 1]
}
