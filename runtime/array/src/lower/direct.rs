//! Small operations that run at once on the program's thread.
//!
//! Recording, ordering and running an operation takes most of a microsecond, of which the kernel of
//! a few elements is a small part. If no operation that uses the arrays is under way, and
//! operations are neither recorded nor shared out, the kernel runs directly on the elements,
//! without an operation.

#![allow(
    unsafe_code,
    reason = "promises that views lie in their stores, and are not in use"
)]

use std::ptr;
use std::sync::Arc;

use smallvec::SmallVec;

use super::exponent::are_exponents_fine;
use super::{Input, View};
use crate::dtype::{DType, Element, with_element};
use crate::kernel::{BinaryOp, Tile, UnaryOp};
use crate::library;
use crate::shape::{Layout, MAX_DIMS, Shape};
use weft_core::define::StoreView;
use weft_core::memory::Store;
use weft_core::operation::Descriptor;
use weft_core::runtime::{self, Core, ProgramGuard};

/// Elements that a product reads in the time that other kernels take for one.
const MULTIPLYING: usize = 4;

/// The most terms of an element of a product of matrices that runs whole though it could be cut.
/// With so few, and more rows and columns than [`FEW_LINES`], its kernels add the terms of each
/// element in order, whatever the number of rows.
const FEW_TERMS: usize = 256;
const FEW_LINES: usize = 8;

impl View {
    /// Computes an elementwise function of one view at once. Returns `None` and does nothing if
    /// only an operation can do it: an operation that uses the view is under way or has failed, the
    /// view is large, operations are recorded, or there are GPUs or several ranks. Also returns
    /// `None` if the function is not defined for the view's dtype.
    pub(crate) fn unary_at_once(&self, op: UnaryOp) -> Option<View> {
        let dtype = self.dtype();
        if op.input_dtype(dtype) != Some(dtype) {
            return None;
        }
        let result = op.output_dtype(dtype)?;
        let body = library::elementwise::unary(op);
        View::compute_now(result, self.layout.shape, &body, &[self.into()])
    }

    /// Computes an elementwise function of two inputs of one dtype at once. Returns `None` like
    /// [`unary_at_once`](Self::unary_at_once), and if they do not broadcast together.
    pub(crate) fn binary_at_once(op: BinaryOp, left: Input<'_>, right: Input<'_>) -> Option<View> {
        let dtype = common(op, left, right)?;
        let shape = left.shape_beside(right)?;
        if !are_exponents_fine(op, right, &shape) {
            return None;
        }
        View::compute_now(
            op.output_dtype(dtype)?,
            shape,
            &library::elementwise::binary(op),
            &[left, right],
        )
    }

    /// Writes an elementwise function of two inputs of one dtype into this view at once. Returns
    /// `false` and writes nothing in the cases of [`unary_at_once`](Self::unary_at_once), if the
    /// result has another dtype, or if writing would change elements before they are read.
    pub(crate) fn set_binary_at_once(
        &self,
        op: BinaryOp,
        left: Input<'_>,
        right: Input<'_>,
    ) -> bool {
        let is_of_dtype = common(op, left, right)
            .is_some_and(|dtype| op.output_dtype(dtype) == Some(self.dtype()));
        let is_hurt = |input: &Input<'_>| match input {
            Input::View(view) => view.aliases(self),
            Input::Scalar(_) => false,
        };
        is_of_dtype
            && are_exponents_fine(op, right, &self.layout.shape)
            && !self.has_repeated_elements()
            && ![left, right].iter().any(is_hurt)
            && self.write_at_once(&library::elementwise::binary(op), &[left, right])
    }

    /// Computes the product of matrices and vectors of one dtype at once, like
    /// [`unary_at_once`](Self::unary_at_once).
    pub(super) fn product_at_once(
        body: &Descriptor,
        left: &View,
        right: &View,
        shape: Shape,
    ) -> Option<View> {
        let (dtype, inputs) = (left.dtype(), [left.into(), right.into()]);
        let is_in_order =
            || right.dims()[0] <= FEW_TERMS && shape.dims().iter().all(|&lines| lines > FEW_LINES);
        if shape.rank() > 1 && !is_in_order() {
            return View::compute_now(dtype, shape, body, &inputs);
        }
        // A few workers would save less than the hand-over takes.
        let touched = left.len().max(right.len()).max(shape.len());
        let work = touched.max(body.work(&shape)) / MULTIPLYING;
        let held = left.core.at_once_over(work, stores(&inputs))?;
        View::compute_locked(&held, dtype, shape, body, &inputs)
    }

    /// Returns a new view that `body` computes from `inputs`.
    fn compute_now(
        dtype: DType,
        shape: Shape,
        body: &Descriptor,
        inputs: &[Input<'_>],
    ) -> Option<View> {
        let work = || work(body, &shape, inputs);
        let core = core_of(inputs)?;
        let held = core.at_once_for(body, &shape, work, stores(inputs))?;
        View::compute_locked(&held, dtype, shape, body, inputs)
    }

    /// Like [`compute_now`](Self::compute_now), while the stores of the inputs are held.
    fn compute_locked(
        _held: &ProgramGuard<'_>,
        dtype: DType,
        shape: Shape,
        body: &Descriptor,
        inputs: &[Input<'_>],
    ) -> Option<View> {
        let core = core_of(inputs)?;
        let out = View::from(StoreView {
            core: core.clone(),
            store: core.store(dtype, shape),
            layout: Layout::contiguous(shape),
        });
        // SAFETY: views are inside of their stores, which are kept alive and have been written,
        // since a program has no others. That of the output is new.
        let done = unsafe { run(body, &shape, inputs, &out) };
        done.then_some(out)
    }

    /// Writes this view by `body` at once, if possible. Its elements must be distinct, and reading
    /// the inputs while they are written must be harmless.
    pub(super) fn write_at_once(&self, body: &Descriptor, inputs: &[Input<'_>]) -> bool {
        body.is_elementwise() && self.fill_at_once(body, &self.layout.shape, inputs)
    }

    /// Writes this view by any body at once, over `shape`.
    pub(super) fn fill_at_once(
        &self,
        body: &Descriptor,
        shape: &Shape,
        inputs: &[Input<'_>],
    ) -> bool {
        let work = || work(body, shape, inputs);
        let stores = stores(inputs).chain([&*self.store]);
        let Some(_held) = self.core.at_once_for(body, shape, work, stores) else {
            return false;
        };
        // SAFETY: views are inside of their stores, which are kept alive. Inputs have been written,
        // since a program has no others. If they overlap the output, they are exactly the same
        // view, as the caller promises.
        unsafe { run(body, shape, inputs, self) }
    }
}

/// Kernels over whole views, whose results have lengths that depend on values.
impl View {
    /// Returns a new view whose shape `measure` computes from the first input. `fill` writes it,
    /// and gets the tiles of `inputs` and then that of the new view. Returns `None` and does
    /// nothing in the cases that [`unary_at_once`](Self::unary_at_once) lists.
    pub(super) fn measured_at_once(
        name: &'static str,
        inputs: &[&View],
        dtype: DType,
        measure: impl FnOnce(&Tile<'_>) -> Option<Shape>,
        fill: impl FnOnce(&mut [Tile<'_>]),
    ) -> Option<View> {
        let first = inputs.first()?;
        let core = &first.core;
        // The length is waited for anyway.
        if core.is_small(first.len()) && core.goes_direct() {
            inputs.iter().for_each(|view| view.settle());
        }
        let _held = core.at_once_over(first.len(), inputs.iter().map(|view| &*view.store))?;
        // SAFETY: a view lies in its store, which is held and has been written, since a program
        // cannot name others.
        let shape = unsafe { core.read_at_once((&first.store, &first.layout), measure) }??;
        let out = View::from(StoreView {
            core: core.clone(),
            store: core.store(dtype, shape),
            layout: Layout::contiguous(shape),
        });
        // SAFETY: as above; the store of the output is new.
        unsafe { write(name, inputs, &out, fill) }.then_some(out)
    }

    /// Waits for the operation that writes a small view, which has one tile. The next reader of the
    /// view reports a failure.
    fn settle(&self) {
        if !self.store.is_pending() || self.is_empty() {
            return;
        }
        let element = self.with_layout(Layout {
            shape: Shape::SCALAR,
            strides: [0; MAX_DIMS],
            offset: self.layout.offset,
        });
        with_element!(self.dtype(), T => drop(element.read::<T>()));
    }

    /// Calls `measure` with the elements of this view. Returns `None` in the cases that
    /// [`unary_at_once`](Self::unary_at_once) lists.
    pub(super) fn read_at_once<R>(&self, measure: impl FnOnce(&Tile<'_>) -> R) -> Option<R> {
        let _held = self.core.at_once_over(self.len(), [&*self.store])?;
        // SAFETY: a view lies in its store, which is held and has been written, since a program
        // cannot name others.
        unsafe { self.core.read_at_once((&self.store, &self.layout), measure) }
    }

    /// Writes values, one for each element in row-major order, to this view without gaps. Returns
    /// `false` and writes nothing in the cases that [`unary_at_once`](Self::unary_at_once) lists.
    pub(super) fn load_at_once<T: Element>(&self, values: &[T]) -> bool {
        if values.len() != self.len() || self.dtype() != T::DTYPE || !self.layout.is_contiguous() {
            return false;
        }
        let Some(_held) = self.core.at_once_over(self.len(), [&*self.store]) else {
            return false;
        };
        let fill = |tiles: &mut [Tile<'_>]| {
            if let [out] = tiles {
                let from = values.as_ptr().cast::<u8>();
                // SAFETY: the tile has as many elements without gaps, of this type.
                unsafe { ptr::copy_nonoverlapping(from, out.first(), size_of_val(values)) };
            }
        };
        // SAFETY: a view lies in its store, which is held.
        unsafe { write("load", &[], self, fill) }
    }

    /// Writes this view by `fill`, which gets the tiles of `inputs` and then that of this view. The
    /// view's elements are distinct, and belong to no input. Returns `false` and writes nothing if
    /// `is_fine` refuses the first input, and in the cases that
    /// [`unary_at_once`](Self::unary_at_once) lists.
    pub(super) fn filled_at_once(
        &self,
        name: &'static str,
        inputs: &[&View],
        is_fine: impl FnOnce(&Tile<'_>) -> bool,
        fill: impl FnOnce(&mut [Tile<'_>]),
    ) -> bool {
        let stores = inputs.iter().map(|view| &*view.store);
        let Some(_held) = (self.core).at_once_over(self.len(), stores.chain([&*self.store])) else {
            return false;
        };
        let Some(first) = inputs.first() else {
            return false;
        };
        // SAFETY: a view lies in its store, which is held and has been written, since a program
        // cannot name others.
        let is_fine = unsafe { (self.core).read_at_once((&first.store, &first.layout), is_fine) };
        // SAFETY: as above; that the output's elements are its own is the caller's promise.
        is_fine == Some(true) && unsafe { write(name, inputs, self, fill) }
    }
}

fn core_of<'a>(inputs: &[Input<'a>]) -> Option<&'a Arc<Core>> {
    inputs.iter().find_map(|input| match input {
        Input::View(view) => Some(&view.core),
        Input::Scalar(_) => None,
    })
}

/// Returns the dtype of both operands, if the function is defined for it without a cast.
fn common(op: BinaryOp, left: Input<'_>, right: Input<'_>) -> Option<DType> {
    let dtype = left.dtype();
    (dtype == right.dtype() && op.input_dtype(dtype) == Some(dtype)).then_some(dtype)
}

/// Returns roughly the number of elements that are touched.
fn work(body: &Descriptor, shape: &Shape, inputs: &[Input<'_>]) -> usize {
    let touched = shape.len().max(body.work(shape));
    if body.is_elementwise() {
        return touched;
    }
    // If an input is read through indices or by a search, about as many elements of it are read as
    // are written.
    let declared = body.operands.iter();
    inputs
        .iter()
        .zip(declared)
        .fold(touched, |most, pair| match pair {
            (Input::View(view), declared) if !declared.is_led => most.max(view.len()),
            _ => most,
        })
}

fn stores<'a>(inputs: &'a [Input<'a>]) -> impl Iterator<Item = &'a Store> {
    inputs.iter().filter_map(|input| match input {
        Input::View(view) => Some(&*view.store),
        Input::Scalar(_) => None,
    })
}

/// # Safety
/// See [`run_at_once`](weft_core::runtime::Core::run_at_once).
unsafe fn run(body: &Descriptor, shape: &Shape, inputs: &[Input<'_>], out: &View) -> bool {
    let mut given: SmallVec<[runtime::Input<'_>; 3]> = SmallVec::new();
    for input in inputs {
        given.push(match input {
            Input::View(view) => runtime::Input::View(&view.store, &view.layout),
            Input::Scalar(value) => runtime::Input::Value(*value),
        });
    }
    // SAFETY: the caller's promise.
    unsafe {
        out.core
            .run_at_once(body, shape, &given, (&out.store, &out.layout))
    }
}

/// # Safety
/// As for [`write_at_once`](weft_core::runtime::Core::write_at_once).
unsafe fn write(
    name: &'static str,
    inputs: &[&View],
    out: &View,
    fill: impl FnOnce(&mut [Tile<'_>]),
) -> bool {
    let views = inputs.iter();
    let given: SmallVec<[runtime::Input<'_>; 3]> = views
        .map(|view| runtime::Input::View(&view.store, &view.layout))
        .collect();
    // SAFETY: the caller's promise.
    unsafe { (out.core).write_at_once(name, &given, (&out.store, &out.layout), fill) }
}
