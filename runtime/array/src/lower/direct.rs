//! Small operations at once, for programs of many.
//!
//! To note, order and run an operation takes most of a microsecond, of which the kernel of a few elements is a small part. Where nothing
//! that uses its arrays is under way, and nobody records operations or shares them out, the kernel runs on the elements where they lie,
//! without an operation.

#![allow(
    unsafe_code,
    reason = "promises that views lie in their stores, and are not in use"
)]

use smallvec::SmallVec;

use super::exponent::are_exponents_fine;
use super::{Input, View};
use crate::dtype::DType;
use crate::kernel::{BinaryOp, UnaryOp};
use crate::library;
use crate::shape::{Layout, Shape};
use weft_core::define::StoreView;
use weft_core::memory::Store;
use weft_core::operation::Descriptor;
use weft_core::runtime;
use weft_core::site::Site;

impl View {
    /// An elementwise function of one view, where that can be computed at once. `None`, and nothing is done, where only an operation can
    /// do it: an operation that uses the view is under way or has failed, the view is large, operations are recorded, there are GPUs or many
    /// ranks. Likewise where the function is not of the view's dtype.
    pub(crate) fn unary_at_once(&self, op: UnaryOp, call: Site) -> Option<View> {
        let dtype = self.dtype();
        if op.input_dtype(dtype) != Some(dtype) {
            return None;
        }
        let result = op.output_dtype(dtype)?;
        let body = library::elementwise::unary(op);
        View::made_at_once(result, self.layout.shape, &body, &[self.into()], call)
    }

    /// An elementwise function of two inputs of one dtype, as [`unary_at_once`](Self::unary_at_once); also `None` if they do not
    /// broadcast together.
    pub(crate) fn binary_at_once(
        op: BinaryOp,
        left: Input<'_>,
        right: Input<'_>,
        call: Site,
    ) -> Option<View> {
        let dtype = common(op, left, right)?;
        let shape = left.shape_beside(right)?;
        if !are_exponents_fine(op, right, &shape, call) {
            return None;
        }
        View::made_at_once(
            op.output_dtype(dtype)?,
            shape,
            &library::elementwise::binary(op),
            &[left, right],
            call,
        )
    }

    /// Writes an elementwise function of two inputs of one dtype into this view, where that can be done at once; `false`, and nothing
    /// is written, as [`unary_at_once`](Self::unary_at_once) says, and where the result has another dtype, or writing it would change
    /// what is read.
    pub(crate) fn set_binary_at_once(
        &self,
        op: BinaryOp,
        left: Input<'_>,
        right: Input<'_>,
        call: Site,
    ) -> bool {
        let is_of_dtype = common(op, left, right)
            .is_some_and(|dtype| op.output_dtype(dtype) == Some(self.dtype()));
        let is_hurt = |input: &Input<'_>| match input {
            Input::View(view) => view.is_hurt_by_writing(self),
            Input::Scalar(_) => false,
        };
        is_of_dtype
            && are_exponents_fine(op, right, &self.layout.shape, call)
            && !self.has_repeated_elements()
            && ![left, right].iter().any(is_hurt)
            && self.write_at_once(&library::elementwise::binary(op), &[left, right], call)
    }

    /// The product of matrices and vectors of one dtype, as [`unary_at_once`](Self::unary_at_once).
    pub(super) fn product_at_once(
        body: &Descriptor,
        left: &View,
        right: &View,
        shape: Shape,
        call: Site,
    ) -> Option<View> {
        View::made_at_once(
            left.dtype(),
            shape,
            body,
            &[left.into(), right.into()],
            call,
        )
    }

    /// A new view that `body` makes of these.
    fn made_at_once(
        dtype: DType,
        shape: Shape,
        body: &Descriptor,
        inputs: &[Input<'_>],
        call: Site,
    ) -> Option<View> {
        let core = inputs.iter().find_map(|input| match input {
            Input::View(view) => Some(&view.core),
            Input::Scalar(_) => None,
        })?;
        let work = || work(body, &shape, inputs);
        let _held = core.at_once_for(body, &shape, work, stores(inputs))?;
        let out = View::from(StoreView {
            core: core.clone(),
            store: core.store(dtype, shape, call),
            layout: Layout::contiguous(shape),
        });
        // SAFETY: views lie in their stores, which are held and have been written, since a program cannot name others; that of the
        // output is new.
        let done = unsafe { run(body, &shape, inputs, &out, call) };
        done.then_some(out)
    }

    /// Writes this view by `body`, where that can be done at once. Its elements are distinct, and reading the inputs while they are
    /// written does no harm.
    pub(super) fn write_at_once(
        &self,
        body: &Descriptor,
        inputs: &[Input<'_>],
        call: Site,
    ) -> bool {
        body.is_elementwise() && self.fill_at_once(body, &self.layout.shape, inputs, call)
    }

    /// The same by any body, over `shape`.
    pub(super) fn fill_at_once(
        &self,
        body: &Descriptor,
        shape: &Shape,
        inputs: &[Input<'_>],
        call: Site,
    ) -> bool {
        let work = || work(body, shape, inputs);
        let stores = stores(inputs).chain([&*self.store]);
        let Some(_held) = self.core.at_once_for(body, shape, work, stores) else {
            return false;
        };
        // SAFETY: views lie in their stores, which are held; inputs have been written, since a program cannot name others, and are
        // exactly the output where they meet it, as the caller promises.
        unsafe { run(body, shape, inputs, self, call) }
    }
}

/// The dtype of both operands, where the function is of it.
fn common(op: BinaryOp, left: Input<'_>, right: Input<'_>) -> Option<DType> {
    let dtype = left.dtype();
    (dtype == right.dtype() && op.input_dtype(dtype) == Some(dtype)).then_some(dtype)
}

/// About how many elements are touched.
fn work(body: &Descriptor, shape: &Shape, inputs: &[Input<'_>]) -> usize {
    let touched = shape.len().max(body.work(shape));
    if body.is_elementwise() {
        return touched;
    }
    inputs.iter().fold(touched, |most, input| match input {
        Input::View(view) => most.max(view.len()),
        Input::Scalar(_) => most,
    })
}

fn stores<'a>(inputs: &'a [Input<'a>]) -> impl Iterator<Item = &'a Store> {
    inputs.iter().filter_map(|input| match input {
        Input::View(view) => Some(&*view.store),
        Input::Scalar(_) => None,
    })
}

/// # Safety
/// As for [`run_at_once`](weft_core::runtime::Core::run_at_once).
unsafe fn run(
    body: &Descriptor,
    shape: &Shape,
    inputs: &[Input<'_>],
    out: &View,
    call: Site,
) -> bool {
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
            .run_at_once(body, shape, &given, (&out.store, &out.layout), call)
    }
}
