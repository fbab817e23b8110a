//! Declarations of elementwise functions: everything that a layer needs to know of a function.

use crate::chain::Block;
use crate::dtype::{DType, Promotion};

/// The declaration of a function with `N` operands: its inputs, which have one dtype, and its
/// result.
#[derive(Clone, Copy)]
pub(crate) struct Declaration<const N: usize> {
    /// NumPy's name, which is also the name of the CUDA C function in `namespace weft`.
    pub(super) name: &'static str,
    /// The name in names of GPU kernels: C's name if NumPy's is long.
    pub(super) short: &'static str,
    /// Whether NumPy has a universal function of this name.
    pub(super) is_universal: bool,
    /// Returns the dtype to which inputs of a dtype are cast; `None` if the function is not defined
    /// for it.
    pub(super) takes: fn(DType) -> Option<DType>,
    /// The dtype of the result.
    pub(super) gives: Gives,
    /// Returns the loop for inputs of a dtype that the function takes: [`loops!`](super::loops).
    /// Without a loop for `f16`, that of `f32` computes on converted elements.
    pub(super) loops: fn(DType) -> Option<Block<N>>,
    /// The loop for `f16` that converts elements.
    pub(super) through_single: Block<N>,
    /// Whether functions of `f32` compute two `f16` in the other order. Of zeros with different
    /// signs, NumPy returns the first for `f16`, and loops of `f32` return the second.
    pub(super) swaps_half: bool,
    /// Whether it takes many instructions, such as an exponential.
    pub(super) is_long: bool,
    /// The number of floating-point operations for an element, as docs/roofline.md counts them;
    /// `None` if unknown. An elementary function counts the steps of its formula in `math`.
    pub(super) flops: Option<u64>,
    /// The number of floating-point operations for a complex element.
    pub(super) complex_flops: Option<u64>,
    /// The largest distance of a GPU's result from the CPU's, in units in the last place.
    pub(super) ulps: u64,
    /// The CUDA C function of real numbers, see [`cuda!`](super::cuda). Without it, prelude.cuh and
    /// complex_functions.cuh define the function.
    pub(super) cuda: Option<&'static str>,
}

/// The dtype of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// The dtype of the inputs.
    Same,
    /// The dtype of the parts of complex inputs, otherwise that of the inputs.
    Real,
    /// The complex dtype whose parts have the dtype of the inputs.
    Complex,
    /// One dtype.
    Only(DType),
}

/// The bases of declarations.
impl<const N: usize> Declaration<N> {
    /// A function of all dtypes whose result has the same dtype.
    pub(super) const fn plain(name: &'static str, through_single: Block<N>) -> Declaration<N> {
        Declaration {
            name,
            short: name,
            is_universal: true,
            takes: Some,
            gives: Gives::Same,
            loops: |_| None,
            through_single,
            swaps_half: false,
            is_long: false,
            flops: Some(0),
            complex_flops: Some(0),
            ulps: 0,
            cuda: None,
        }
    }

    /// A function of all dtypes whose result is a `bool`.
    pub(super) const fn predicate(name: &'static str, through_single: Block<N>) -> Declaration<N> {
        Declaration {
            gives: Gives::Only(DType::Bool),
            ..Declaration::plain(name, through_single)
        }
    }

    /// A function of floats and complex numbers in many instructions.
    pub(super) const fn elementary(name: &'static str, through_single: Block<N>) -> Declaration<N> {
        Declaration {
            takes: inexact,
            is_long: true,
            flops: None,
            complex_flops: None,
            ulps: 4,
            ..Declaration::plain(name, through_single)
        }
    }
}

impl<const N: usize> Declaration<N> {
    /// Returns the dtype of the result for inputs of a dtype; `None` unless the function takes it
    /// without a cast.
    pub(super) fn output_dtype(&self, input: DType) -> Option<DType> {
        if (self.takes)(input) != Some(input) {
            return None;
        }
        Some(match (self.gives, input) {
            (Gives::Same, _) => input,
            (Gives::Real, _) => input.real(),
            (Gives::Complex, DType::F32) => DType::C64,
            (Gives::Complex, _) => DType::C128,
            (Gives::Only(dtype), _) => dtype,
        })
    }

    /// Returns the loop for inputs of a dtype, whose output has the dtype
    /// [`output_dtype`](Self::output_dtype); `None` if the function is not defined for it.
    pub(super) fn block(&self, dtype: DType) -> Option<Block<N>> {
        self.output_dtype(dtype)?;
        let own = (self.loops)(dtype);
        own.or_else(|| (dtype == DType::F16).then_some(self.through_single))
    }

    /// Returns the CUDA C expression of `arguments`, which have a dtype that the function takes.
    pub(super) fn expression(&self, arguments: &[String], dtype: DType) -> String {
        if dtype != DType::F16 || (self.loops)(dtype).is_some() {
            return format!("weft::{}({})", self.name, arguments.join(", "));
        }
        let singles = arguments.iter().map(|name| format!("(float){name}"));
        let mut singles: Vec<String> = singles.collect();
        if self.swaps_half {
            singles.reverse();
        }
        let single = self.expression(&singles, DType::F32);
        match self.output_dtype(dtype) {
            Some(DType::F16) => format!("weft::Half({single})"),
            _ => single,
        }
    }
}

/// Takes real numbers and `bool`.
pub(super) fn real(input: DType) -> Option<DType> {
    (!input.is_complex()).then_some(input)
}

/// Takes numbers.
pub(super) fn number(input: DType) -> Option<DType> {
    (!input.is_bool()).then_some(input)
}

/// Takes numbers, and `bool` as `i8`.
pub(super) fn counted(input: DType) -> Option<DType> {
    Some(if input.is_bool() { DType::I8 } else { input })
}

/// Takes real numbers, and `bool` as `i8`.
pub(super) fn counted_real(input: DType) -> Option<DType> {
    real(input).and_then(counted)
}

/// Takes integers.
pub(super) fn integer(input: DType) -> Option<DType> {
    input.is_integer().then_some(input)
}

/// Takes integers, and `bool` as `i8`.
pub(super) fn counted_integer(input: DType) -> Option<DType> {
    counted(input).and_then(integer)
}

/// Takes integers and `bool`.
pub(super) fn bits(input: DType) -> Option<DType> {
    (input.is_bool() || input.is_integer()).then_some(input)
}

/// Takes floats and complex numbers, and integers and `bool` as floats.
pub(super) fn inexact(input: DType) -> Option<DType> {
    Some(input.inexact())
}

/// Takes floats, and integers and `bool` as floats.
pub(super) fn real_inexact(input: DType) -> Option<DType> {
    real(input).and_then(inexact)
}

/// Declares the functions of an arity: the operations as an enum, their [`Declaration`]s, and a
/// macro that passes what methods of arrays are made from to another macro.
///
/// A row is `Variant = "name" as method(Bound) -> Out: base { fields }`. The method of arrays of
/// elements with this bound is optional; a function of two elements has two methods, of which the
/// second returns errors. `base` is a function of [`Declaration`], and fields replace its fields.
macro_rules! functions {
    (
        ($d:tt)
        $(#[$op_doc:meta])*
        $Op:ident<$operands:literal>, $each_method:ident
        $(
            $(#[$($doc:tt)*])*
            $variant:ident = $name:literal
            $(as $($method:ident),+ ($bound:ident) -> $out:ty)?
            : $base:ident { $($fields:tt)* }
        )*
    ) => {
        $(#[$op_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $Op {
            $($(#[$($doc)*])* $variant),*
        }

        #[allow(unsafe_code, reason = "passes the promise of a block on")]
        static DECLARATIONS: [Declaration<$operands>; $Op::ALL.len()] = [
            $(Declaration {
                $($fields)*
                ..Declaration::$base($name, |run| {
                    // SAFETY: the block's promise.
                    unsafe { super::half::through_single($Op::$variant.declaration(), run) }
                })
            }),*
        ];

        impl $Op {
            /// All operations.
            pub const ALL: &'static [$Op] = &[$($Op::$variant),*];

            /// Returns NumPy's name of the function.
            pub const fn name(self) -> &'static str {
                match self {
                    $($Op::$variant => $name),*
                }
            }

            #[inline]
            pub(crate) fn declaration(self) -> &'static Declaration<$operands> {
                &DECLARATIONS[self as usize]
            }

            /// Returns the type of the result for inputs of type `input`; `None` if the function is
            /// not defined for this type without a cast (see [`input_dtype`](Self::input_dtype)).
            pub fn output_dtype(self, input: DType) -> Option<DType> {
                self.declaration().output_dtype(input)
            }

            /// Returns the type to which inputs of the (promoted) type `input` must be cast, which
            /// is often the same; `None` if the function is not defined.
            ///
            /// These are NumPy's types, except that complex numbers have no order, and `signbit`
            /// and `rint` take integers without a cast.
            pub fn input_dtype(self, input: DType) -> Option<DType> {
                (self.declaration().takes)(input)
            }

            /// Whether the result is a `bool` for all inputs.
            pub fn is_predicate(self) -> bool {
                self.declaration().gives == Gives::Only(DType::Bool)
            }

            /// Whether NumPy has a universal function of this name.
            pub fn is_universal(self) -> bool {
                self.declaration().is_universal
            }

            /// Returns the number of floating-point operations for an element that is a float, or
            /// a complex number; `None` if unknown.
            pub fn flops(self, is_complex: bool) -> Option<u64> {
                match is_complex {
                    true => self.declaration().complex_flops,
                    false => self.declaration().flops,
                }
            }

            /// Returns the largest distance of a GPU's result from the CPU's, in units in the last
            /// place.
            pub fn gpu_ulps(self) -> u64 {
                self.declaration().ulps
            }
        }

        impl std::fmt::Display for $Op {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        /// Passes the rows of functions to a macro: documentation, operation, and the method with
        /// the bound of its elements and those of the result.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $each_method {
            ($d then:ident) => {
                $d then! {
                    $({ $(#[$($doc)*])* $variant $($($method),+ ($bound) -> $out)? })*
                }
            };
        }
    };
}

/// Creates the function from a dtype to its loop. Each entry is a family of dtypes, the name of an
/// element's type, and the loop for it; the first entry that has the dtype applies.
///
/// `same` copies; `exact` is `bool` and integers; `word` is the same as unsigned integers of the
/// same size; `real` is `integer` and `float`; `float` is `f32` and `f64`; the type of `complex` is
/// that of the parts.
macro_rules! loops {
    ($($family:ident $($T:ident)? $(=> $block:expr)?),* $(,)?) => {
        |dtype: DType| {
            $(if let Some(block) = loops!(@$family dtype $($T)? $(=> $block)?) {
                return Some(block);
            })*
            None
        }
    };
    (@same $dtype:ident) => { ($dtype != DType::F16).then(|| copy_block($dtype)) };
    (@bool $dtype:ident => $block:expr) => { $dtype.is_bool().then(|| $block) };
    (@half $dtype:ident => $block:expr) => { ($dtype == DType::F16).then(|| $block) };
    (@exact $dtype:ident => $block:expr) => {
        ($dtype.is_bool() || $dtype.is_integer()).then(|| $block)
    };
    (@word $dtype:ident $T:ident => $block:expr) => {
        with_unsigned!($dtype.unsigned(), $T => Some($block), else None)
    };
    (@integer $dtype:ident $T:ident => $block:expr) => {
        with_integer!($dtype, $T => Some($block), else None)
    };
    (@real $dtype:ident $T:ident => $block:expr) => {
        with_native_real!($dtype, $T => Some($block), else None)
    };
    (@float $dtype:ident $T:ident => $block:expr) => {
        with_native_float!($dtype, $T => Some($block), else None)
    };
    (@complex $dtype:ident $P:ident => $block:expr) => {
        dispatch!($dtype, $P => Some($block), [C64: f32, C128: f64], else None)
    };
}

/// Creates the CUDA C of a function. Its text defines the function of real numbers, without a
/// function of `Half`, for which arguments are converted.
macro_rules! cuda {
    ($text:literal) => {
        Some(concat!(
            "namespace weft {\n",
            $text,
            "\n}  // namespace weft\n"
        ))
    };
}

pub(super) use {cuda, functions, loops};
