//! The attribute `#[weft::task]`, which turns a function of tiles into a task on whole arrays.

mod constraint;
mod elementwise;
mod expand;
mod parameter;

use proc_macro::TokenStream;
use syn::punctuated::Punctuated;
use syn::{ItemFn, Token, parse_macro_input};

use constraint::Entry;

/// Turns a function into a task.
///
/// The function is the body. It gets the part of each array that its tile covers, as `In<T, D>`,
/// `Out<T, D>`, `InOut<T, D>` or `Reduce<T, D>` of `weft::task` (`T` is the element type, `D` the
/// number of axes). It gets single values unchanged. It returns nothing, or a `Result` whose error
/// the operation fails with.
///
/// A result of unknown length is a parameter `Unbound<T>`, a vector that each tile fills. A call
/// returns these results as new arrays, once their lengths are known.
///
/// The attribute replaces the function by one that takes whole arrays, `&weft::Array<T>`. It
/// returns at once, with an error if the arguments do not fit.
///
/// ```ignore
/// use weft::task::{In, Out, Reduce};
///
/// #[weft::task(align(x, y), reduce(total, Add))]
/// fn saxpy(a: f32, x: In<f32, 1>, mut y: Out<f32, 1>, mut total: Reduce<f64, 0>) {
///     for (y, x) in y.iter_mut().zip(&*x) {
///         *y = a * x;
///         total[[]] += f64::from(*y);
///     }
/// }
///
/// saxpy(2.0, &x, &y, &total)?;
/// ```
///
/// | entry | meaning |
/// |---|---|
/// | `align(x, y)` | one shape and one cut; an array without another constraint is aligned with the first array that is written |
/// | `broadcast(w)`, `broadcast(w, 0, 1)` | every tile gets the whole array, or all of these axes |
/// | `halo(x, 1)`, `halo(x, [1, 0], [2, 0])` | a tile also gets neighbours: the number below and above, along each axis |
/// | `scale(small, large, 2)` | two elements of `large` for each of `small`, along each axis |
/// | `image(pos, crd)` | a tile gets the ranges of `crd` that its pairs in `pos` name |
/// | `offsets(start, crd)` | like `image`, with offsets: the range of an index ends where the next one begins |
/// | `coordinates(crd, x)` | a tile gets the range of `x` from the lowest to the highest index in its part of `crd` |
/// | `project(w, "[i1, ..*]")` | any other projection: see `weft_geometry::Projection` |
/// | `reduce(h, Add)` | the operation that combines contributions to `h`: `Add`, `Mul`, `Min` or `Max` |
/// | `work = 8` | the approximate number of elements touched for an index; the default is 1 |
/// | `flops = 2` | the number of floating-point operations for an index, for `weft stats --roofline` |
/// | `unordered` | contributions may be combined in any order |
/// | `whole` | the operation is never cut |
/// | `concurrent` | all tiles run at the same time, and exchange values by a parameter `Communicator` |
/// | `nested` | bodies create arrays of their parts and start tasks on these |
/// | `cpu` | there is a body for CPUs: the function |
/// | `cuda = "saxpy.cu"` | a body for GPUs in CUDA C, in a file relative to that of the attribute |
/// | `cuda_source = "..."` | a body for GPUs in CUDA C, as text |
/// | `cuda_block = 256`, `cuda_block = [16, 16]` | the threads of a GPU block, along the last axes |
/// | `name = "axpy"` | the name in outputs; the default is that of the function |
/// | `crate = path` | the path of the crate `weft`, if it has another name |
#[proc_macro_attribute]
pub fn task(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let entries =
        parse_macro_input!(attribute with Punctuated::<Entry, Token![,]>::parse_terminated);
    let function = parse_macro_input!(item as ItemFn);
    expand::expand(entries.into_iter().collect(), function)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Turns a function of elements into one of arrays, which fuses with other elementwise functions.
///
/// The function takes up to six elements and returns one. The attribute replaces it by a function
/// of arrays or single values, which broadcast together. That function returns a new array at once.
///
/// ```ignore
/// #[weft::elementwise]
/// fn axpy(a: f32, x: f32, y: f32) -> f32 {
///     a * x + y
/// }
///
/// let z = axpy(2.0, &x, &y);
/// ```
///
/// `name = "..."` and `crate = path` have the same meaning as for [`macro@task`]. With
/// `cuda = "axpy.cu"` or `cuda_source = "..."`, which is CUDA C with a `__device__` function of the
/// same name, it also runs and fuses on GPUs. Otherwise it runs on CPUs.
///
/// # Panics
/// The new function panics, at the caller's line, if the arrays do not broadcast together.
#[proc_macro_attribute]
pub fn elementwise(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let entries =
        parse_macro_input!(attribute with Punctuated::<Entry, Token![,]>::parse_terminated);
    let function = parse_macro_input!(item as ItemFn);
    elementwise::expand(entries.into_iter().collect(), function)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
