//! Powers of integers, whose exponents must not be below 0. Of single values that is known at the call, as it is of elements that can be
//! read at once. Otherwise an operation finds it out, and where it fails the power cannot be read.

use super::{Input, View};
use crate::dtype::Scalar;
use crate::kernel::{BinaryOp, ReduceOp};
use crate::library;
use crate::shape::Shape;
use weft_core::error::CallError;
use weft_core::memory::element_of;
use weft_core::site::Site;

/// Whether exponents may be below 0.
enum Exponents {
    Fine,
    BelowZero,
    Unknown,
}

impl Exponents {
    /// Those of a function with results of this shape, in the dtype of its operands.
    fn of(op: BinaryOp, right: Input<'_>, shape: &Shape, call: Site) -> Exponents {
        let is_fine = op != BinaryOp::Pow || !right.dtype().is_signed_integer() || shape.is_empty();
        // Of no exponents there is no least: that the shapes differ is an error elsewhere.
        let is_nothing = matches!(right, Input::View(view) if view.layout.shape.is_empty());
        if is_fine || is_nothing {
            return Exponents::Fine;
        }
        let least = match right {
            Input::Scalar(value) => Some(value),
            Input::View(view) => view.least_at_once(call),
        };
        match least.and_then(|least| least.integer()) {
            None => Exponents::Unknown,
            Some(least) if least < 0 => Exponents::BelowZero,
            Some(_) => Exponents::Fine,
        }
    }
}

/// Whether a function of integers needs no check of its exponents but this.
pub(super) fn are_exponents_fine(
    op: BinaryOp,
    right: Input<'_>,
    shape: &Shape,
    call: Site,
) -> bool {
    matches!(Exponents::of(op, right, shape, call), Exponents::Fine)
}

/// The right operand of a function of this dtype with results of this shape, where the function is a power: exponents that cannot be read
/// where one is below 0.
///
/// # Errors
/// One is known to be below 0.
pub(super) fn checked<'a>(
    op: BinaryOp,
    right: Input<'a>,
    shape: &Shape,
    call: Site,
    kept: &'a mut Option<View>,
) -> Result<Input<'a>, CallError> {
    let view = match (Exponents::of(op, right, shape, call), right) {
        (Exponents::BelowZero, _) => return Err(CallError::Exponent),
        (Exponents::Unknown, Input::View(view)) => view,
        _ => return Ok(right),
    };
    let least = view.reduce(ReduceOp::Min, None, call)?;
    let (dtype, body) = (view.dtype(), library::exponent::check());
    let zero = View::made(
        &view.core,
        (dtype, Shape::SCALAR),
        body,
        &[(&least).into()],
        call,
    )?;
    Ok(Input::View(kept.insert(view.with(
        BinaryOp::Add,
        &zero,
        call,
    )?)))
}

impl View {
    /// The least element, where that can be found out at once.
    fn least_at_once(&self, call: Site) -> Option<Scalar> {
        let out = View::unwritten(&self.core, self.dtype(), Shape::SCALAR, call).ok()?;
        let least = library::reduce::partial(ReduceOp::Min);
        let is_done = out.fill_at_once(&least, &self.layout.shape, &[self.into()], call);
        let _held = is_done.then(|| out.core.at_once(&out.store)).flatten()?;
        Some(element_of(&out.store, out.layout.offset)?.scalar(out.dtype()))
    }
}
