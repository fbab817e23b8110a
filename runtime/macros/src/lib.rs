//! The attribute `#[weft::task]`: a function of tiles of arrays becomes a task, and its calls take whole arrays.

mod constraint;
mod elementwise;
mod expand;
mod parameter;

use proc_macro::TokenStream;
use syn::punctuated::Punctuated;
use syn::{ItemFn, Token, parse_macro_input};

use constraint::Entry;

/// Makes a function a task.
///
/// The function is the body: it gets of each array the part that its tile covers, as `In<T, D>`, `Out<T, D>`, `InOut<T, D>` or
/// `Reduce<T, D>` of `weft::task` (`T` elements, `D` axes), and single values as they are. It returns nothing, or a `Result` whose error the
/// call fails with. A result of unknown length is a parameter `Unbound<T>`, a vector that each tile fills; a call returns them as new arrays, once
/// their lengths are known. What stands in its place takes whole arrays, `&weft::Array<T>`, returns at once, and gives a `Result` of whether the
/// arguments fit.
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
/// | `align(x, y)` | one shape, cut alike; what has no other constraint is aligned with the first array that is written |
/// | `broadcast(w)`, `broadcast(w, 0, 1)` | every tile gets all of it, or all of these axes |
/// | `halo(x, 1)`, `halo(x, [1, 0], [2, 0])` | a tile gets neighbours: so many below and above, along each axis |
/// | `scale(small, large, 2)` | two elements of `large` for each of `small`, along each axis |
/// | `image(pos, crd)` | a tile gets of `crd` the ranges that its pairs in `pos` name |
/// | `offsets(start, crd)` | the same of offsets: the range of an index ends where the next one begins |
/// | `coordinates(crd, x)` | a tile gets of `x` from the lowest to the highest index in its part of `crd` |
/// | `project(w, "[i1, ..*]")` | any other way: see `weft_geometry::Projection` |
/// | `reduce(h, Add)` | how contributions to `h` are combined: `Add`, `Mul`, `Min` or `Max` |
/// | `work = 8` | about how many elements are touched for an index; the default is 1 |
/// | `flops = 2` | floating-point operations for an index, for `weft stats --roofline` |
/// | `unordered` | contributions may be combined in any order |
/// | `whole` | never cut |
/// | `concurrent` | all tiles run at the same time, and exchange values by a parameter `Communicator` |
/// | `nested` | bodies make arrays of their parts and start tasks on these |
/// | `cpu` | there is a body for CPUs: the function |
/// | `cuda = "saxpy.cu"` | a body for GPUs, in CUDA C: a file, found from that of the attribute |
/// | `cuda_source = "..."` | the same as a text |
/// | `cuda_block = 256`, `cuda_block = [16, 16]` | threads of its blocks, along the last axes |
/// | `name = "axpy"` | its name in outputs; the default is that of the function |
/// | `crate = path` | where the crate `weft` is, if it has another name |
#[proc_macro_attribute]
pub fn task(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let entries =
        parse_macro_input!(attribute with Punctuated::<Entry, Token![,]>::parse_terminated);
    let function = parse_macro_input!(item as ItemFn);
    expand::expand(entries.into_iter().collect(), function)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes a function of elements one of arrays: it fuses with other elementwise functions.
///
/// The function takes up to six elements and gives one. What stands in its place takes arrays or single values, which broadcast together,
/// and returns a new array at once.
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
/// `name = "..."` and `crate = path` mean what they mean for [`macro@task`]. With `cuda = "axpy.cu"` or `cuda_source = "..."`, CUDA C with a
/// `__device__` function of the same name, it runs and fuses on GPUs too; without, it runs on CPUs.
///
/// # Panics
/// What stands in its place panics at the caller's line if the arrays do not broadcast together.
#[proc_macro_attribute]
pub fn elementwise(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let entries =
        parse_macro_input!(attribute with Punctuated::<Entry, Token![,]>::parse_terminated);
    let function = parse_macro_input!(item as ItemFn);
    elementwise::expand(entries.into_iter().collect(), function)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
