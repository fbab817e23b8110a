//! Elements read and written by indices along an axis.
//!
//! If several indices refer to one place, the last one takes effect. The kernel that writes is
//! preceded by one that finds, for each place of the axis, the last index that refers to it.

use smallvec::{SmallVec, smallvec};

use super::c::{from_words, prelude, type_name, types, value_parameters, words};
use super::loops::{BLOCKS, Form, LOOPS, THREADS, Walk, blocks, entry, longest_grid};
use super::nest::{Nest, Strided};
use super::{DeviceOperand, DeviceTile, Job, Kernel};
use crate::dtype::DType;
use crate::shape::MAX_DIMS;
use weft_core::cuda::{Address, Args, Launch, Work};

pub(super) const INDEX: &str = include_str!("cuda/index.cuh");

/// The number of elements that a thread has in flight.
const EACH: usize = 4;

/// A kernel that reads, or writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IndexKernelKey {
    /// Reads elements.
    Take {
        /// The type of the elements.
        dtype: DType,
        /// The loops over the elements.
        form: Form,
    },
    /// Finds the last index that refers to each place.
    Winners {
        /// Whether there are more indices than 32 bits can count.
        is_wide: bool,
    },
    /// Writes elements.
    Put {
        /// The type of the elements.
        dtype: DType,
        /// The loops over the elements.
        form: Form,
        /// Whether one value, an argument, is written to all places.
        is_one: bool,
        /// Whether there are more indices than 32 bits can count.
        is_wide: bool,
    },
}

/// Returns the C type of numbers of indices.
fn winner(is_wide: bool) -> &'static str {
    type_name(if is_wide { DType::U64 } else { DType::U32 })
}

impl IndexKernelKey {
    /// Returns the same kernel with 64-bit indices.
    #[cfg(test)]
    pub(crate) fn widened(mut self) -> IndexKernelKey {
        if let IndexKernelKey::Take { form, .. } | IndexKernelKey::Put { form, .. } = &mut self {
            *form = form.widened();
        }
        self
    }

    pub(crate) fn name(&self) -> String {
        let many = |is_wide: bool| if is_wide { "_many" } else { "" };
        match self {
            IndexKernelKey::Take { dtype, form } => format!("weft_take_{dtype}{}", form.suffix()),
            IndexKernelKey::Winners { is_wide } => format!("weft_put_winners{}", many(*is_wide)),
            IndexKernelKey::Put {
                dtype,
                form,
                is_one,
                is_wide,
            } => {
                let one = if *is_one { "_one" } else { "" };
                format!("weft_put_{dtype}{one}{}{}", many(*is_wide), form.suffix())
            }
        }
    }

    pub(crate) fn source(&self) -> String {
        let indices = "const long long *indices".to_owned();
        let numbers = |names: &[&str]| -> Vec<String> {
            names
                .iter()
                .map(|name| format!("long long {name}"))
                .collect()
        };
        let (parameters, body) = match self {
            IndexKernelKey::Take { dtype, form } => {
                let element = type_name(*dtype);
                let mut parameters = vec![
                    format!("const {element} *in"),
                    indices,
                    format!("{element} *out"),
                ];
                parameters.extend(numbers(&["step", "length", "*fault"]));
                parameters.extend(form.walk_parameters());
                let body = format!(
                    "{}    weft::take<{EACH}>(in, indices, out, step, length, walk, fault);\n",
                    form.declare_walk(EACH)
                );
                (parameters, body)
            }
            IndexKernelKey::Winners { is_wide } => {
                let mut parameters = vec![indices, format!("{} *winners", winner(*is_wide))];
                parameters.extend(numbers(&["step", "count", "length", "*fault"]));
                let body =
                    "    weft::find_winners(indices, step, count, length, winners, fault);\n";
                (parameters, body.to_owned())
            }
            IndexKernelKey::Put {
                dtype,
                form,
                is_one,
                is_wide,
            } => {
                let element = type_name(*dtype);
                let (mut parameters, source) = if *is_one {
                    let words = value_parameters(*dtype, "values");
                    let words = words
                        .iter()
                        .map(|word| format!("unsigned long long {word}"));
                    let value = from_words(*dtype, "values");
                    (words.collect(), format!("weft::One<{element}>{{{value}}}"))
                } else {
                    let value = format!("const {element} *values");
                    (vec![value], format!("weft::Each<{element}>{{values}}"))
                };
                parameters.extend([
                    indices,
                    format!("{element} *out"),
                    format!("const {} *winners", winner(*is_wide)),
                ]);
                parameters.extend(numbers(&["indices_step", "step", "length"]));
                parameters.extend(form.walk_parameters());
                let body = format!(
                    "{}    weft::put<{EACH}>({source}, out, indices, indices_step, step, length, walk, winners);\n",
                    form.declare_walk(EACH)
                );
                (parameters, body)
            }
        };
        let entry = entry(&self.name(), parameters, &body);
        // The prelude has a function that gets a value from an argument.
        let prelude = match *self {
            IndexKernelKey::Put {
                is_one: true,
                dtype,
                ..
            } => prelude(&[dtype]),
            IndexKernelKey::Take { dtype, .. } | IndexKernelKey::Put { dtype, .. } => {
                types(&[dtype])
            }
            IndexKernelKey::Winners { .. } => String::new(),
        };
        format!("{prelude}\n{LOOPS}\n{INDEX}\n{entry}")
    }
}

/// Returns a tile as if its axis had one position: all loops stay at position 0 of it.
fn at_first(tile: &DeviceTile, axis: usize) -> Strided {
    let mut strided = Strided::from_tile(tile);
    strided.strides[axis] = 0;
    strided
}

/// Returns an operand that advances only along an axis.
fn along(axis: usize, first: u64, unit: u64, step: isize) -> Strided {
    let mut strides = [0; MAX_DIMS];
    strides[axis] = step;
    Strided {
        first,
        unit,
        strides,
    }
}

/// Returns the work that reads the elements of `input` at `indices` along an axis.
pub(super) fn take(
    job: &Job<'_>,
    axis: usize,
    [input, indices, out]: [&DeviceTile; 3],
) -> SmallVec<[Work; 2]> {
    let first = Strided::from_tile(indices).first;
    let operands = [
        at_first(input, axis),
        along(axis, first, 8, indices.layout.strides[0]),
        Strided::from_tile(out),
    ];
    let Some(nest) = Nest::new(out.layout.shape, &operands) else {
        return SmallVec::new();
    };
    let form = Form::new(&nest, &[0, 1, 2], nest.is_wide);
    let walk = Walk::new(&nest, &[0, 1, 2], EACH);
    let mut args = Args::from_slice(&nest.first);
    args.extend([
        input.layout.strides[axis] as u64,
        input.layout.shape.dims()[axis] as u64,
        job.fault,
    ]);
    args.extend(walk.args);
    smallvec![Work::Kernel(Launch {
        kernel: Kernel::from_source(IndexKernelKey::Take {
            dtype: out.dtype,
            form,
        }),
        grid: blocks(longest_grid(walk.units)),
        block: walk.block,
        args,
    })]
}

/// Whether there are more indices than 32 bits can count, not including 0.
fn is_many(indices: &DeviceTile) -> bool {
    indices.layout.shape.len() >= u32::MAX as usize
}

/// Returns the number of bytes of device memory for [`put`]: a number for each place of the axis.
pub(super) fn put_scratch(axis: usize, indices: &DeviceTile, out: &DeviceTile) -> usize {
    let number = if is_many(indices) { 8 } else { 4 };
    out.layout.shape.dims()[axis] * number
}

/// Returns the work that writes values to `out` at `indices` along an axis.
pub(super) fn put(
    job: &Job<'_>,
    axis: usize,
    values: &DeviceOperand,
    [indices, out]: [&DeviceTile; 2],
    scratch: Address,
) -> SmallVec<[Work; 2]> {
    let count = indices.layout.shape.len();
    let length = out.layout.shape.dims()[axis];
    let still = along(axis, 0, 1, 0);
    let operands = [
        match values {
            DeviceOperand::Tile(tile) => Strided::from_tile(tile),
            DeviceOperand::Scalar(_) => still,
        },
        along(axis, 0, 1, 1),
        at_first(out, axis),
    ];
    let shape = out.layout.shape.with_dim(axis, count);
    let Some(nest) = shape.and_then(|shape| Nest::new(shape, &operands)) else {
        return SmallVec::new();
    };
    let (is_wide, indices_step) = (is_many(indices), indices.layout.strides[0] as u64);
    let indices = Strided::from_tile(indices).first;
    let winners = Launch {
        kernel: Kernel::from_source(IndexKernelKey::Winners { is_wide }),
        grid: blocks(count.div_ceil(THREADS).min(4 * BLOCKS)),
        block: blocks(THREADS),
        args: smallvec![
            indices,
            scratch,
            indices_step,
            count as u64,
            length as u64,
            job.fault
        ],
    };
    let (mut args, is_one): (Args, bool) = match values {
        DeviceOperand::Tile(_) => (smallvec![nest.first[0]], false),
        DeviceOperand::Scalar(value) => (words(*value).into_iter().collect(), true),
    };
    let walk = Walk::new(&nest, &[0, 1, 2], EACH);
    args.extend([indices, nest.first[2], scratch, indices_step]);
    args.extend([out.layout.strides[axis] as u64, length as u64]);
    args.extend(walk.args);
    let put = Launch {
        kernel: Kernel::from_source(IndexKernelKey::Put {
            dtype: out.dtype,
            form: Form::new(&nest, &[0, 1, 2], nest.is_wide),
            is_one,
            is_wide,
        }),
        grid: blocks(longest_grid(walk.units)),
        block: walk.block,
        args,
    };
    let fill = Work::Fill {
        to: scratch,
        pattern: 0,
        width: 4,
        count: if is_wide { 2 * length } else { length },
    };
    smallvec![fill, Work::Kernel(winners), Work::Kernel(put)]
}
