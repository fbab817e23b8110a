//! Powers of integers, whose exponents must not be negative. Exponents that are single values, or
//! elements that can be read at once, are checked in the call. Otherwise an operation checks them,
//! and the power cannot be read if it fails.

use super::{Input, View};
use crate::dtype::Scalar;
use crate::kernel::{BinaryOp, ReduceOp};
use crate::library;
use crate::shape::Shape;
use weft_core::error::CallError;
use weft_core::memory::element_of;

/// Whether exponents may be below 0.
enum Exponents {
    Fine,
    BelowZero,
    Unknown,
}

impl Exponents {
    /// Returns the exponents of a function with results of this shape, in the dtype of its
    /// operands.
    fn new(op: BinaryOp, right: Input<'_>, shape: &Shape) -> Exponents {
        let is_fine = op != BinaryOp::Pow || !right.dtype().is_signed_integer() || shape.is_empty();
        // No exponents have no minimum. Shapes that differ are reported elsewhere.
        let is_nothing = matches!(right, Input::View(view) if view.layout.shape.is_empty());
        if is_fine || is_nothing {
            return Exponents::Fine;
        }
        let least = match right {
            Input::Scalar(value) => Some(value),
            Input::View(view) => view.least_at_once(),
        };
        match least.and_then(|least| least.integer()) {
            None => Exponents::Unknown,
            Some(least) if least < 0 => Exponents::BelowZero,
            Some(_) => Exponents::Fine,
        }
    }
}

/// Whether a function of integers needs no further check of its exponents.
pub(super) fn are_exponents_fine(op: BinaryOp, right: Input<'_>, shape: &Shape) -> bool {
    matches!(Exponents::new(op, right, shape), Exponents::Fine)
}

/// Returns the right operand of a function of this dtype with results of this shape. For a power,
/// it cannot be read if an exponent is below 0.
///
/// # Errors
/// Returns an error if an exponent is known to be below 0.
pub(super) fn checked<'a>(
    op: BinaryOp,
    right: Input<'a>,
    shape: &Shape,
    kept: &'a mut Option<View>,
) -> Result<Input<'a>, CallError> {
    let view = match (Exponents::new(op, right, shape), right) {
        (Exponents::BelowZero, _) => return Err(CallError::Exponent),
        (Exponents::Unknown, Input::View(view)) => view,
        _ => return Ok(right),
    };
    let least = view.reduce(ReduceOp::Min, None)?;
    let (dtype, body) = (view.dtype(), library::exponent::check());
    let zero = View::compute(&view.core, (dtype, Shape::SCALAR), body, &[(&least).into()])?;
    Ok(Input::View(kept.insert(view.with(BinaryOp::Add, &zero)?)))
}

impl View {
    /// Returns the smallest element, if it can be computed at once.
    fn least_at_once(&self) -> Option<Scalar> {
        let out = View::unwritten(&self.core, self.dtype(), Shape::SCALAR).ok()?;
        let least = library::reduce::partial(ReduceOp::Min);
        let is_done = out.fill_at_once(&least, &self.layout.shape, &[self.into()]);
        let _held = is_done.then(|| out.core.at_once(&out.store)).flatten()?;
        Some(element_of(&out.store, out.layout.offset)?.scalar(out.dtype()))
    }
}
