//! Floating-point numbers among the parameters of an operation.

use std::hash::{Hash, Hasher};

/// A number that is part of what an operation does. Two are equal if their bits are, so that descriptions of operations can be hashed.
#[derive(Clone, Copy, Debug)]
pub struct Parameter(pub f64);

impl PartialEq for Parameter {
    fn eq(&self, other: &Parameter) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Parameter {}

impl Hash for Parameter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}
