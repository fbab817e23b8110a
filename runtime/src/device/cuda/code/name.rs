//! Names of kernels: `weft_`, what is done, and the dtype, as `weft_add_mul_f64`.
//!
//! Where several kernels do the same in different ways (to elements that lie otherwise, say), all but the plainest one
//! have eight hexadecimal digits behind that, which tell them apart.

use std::hash::{Hash, Hasher};

use crate::kernel::{BinaryOp, UnaryOp};

/// Eight digits for what the name does not say; the same in every run.
pub(super) fn digits(of: &impl Hash) -> String {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    of.hash(&mut hasher);
    let hash = hasher.finish();
    format!("{:08x}", (hash >> 32) as u32 ^ hash as u32)
}

/// The hash FNV-1a: the same in every run, unlike the standard library's.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The short name of a function of one element: C's where NumPy's is long.
pub(super) const fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Positive => "pos",
        UnaryOp::Neg => "neg",
        UnaryOp::Abs => "abs",
        UnaryOp::Reciprocal => "recip",
        UnaryOp::Asin => "asin",
        UnaryOp::Acos => "acos",
        UnaryOp::Atan => "atan",
        UnaryOp::Asinh => "asinh",
        UnaryOp::Acosh => "acosh",
        UnaryOp::Atanh => "atanh",
        UnaryOp::LogicalNot => "not",
        UnaryOp::BitNot => "bitnot",
        other => other.name(),
    }
}

/// The short name of a function of two elements.
pub(super) const fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::FloorDiv => "floordiv",
        BinaryOp::Rem => "rem",
        BinaryOp::Pow => "pow",
        BinaryOp::Atan2 => "atan2",
        BinaryOp::Minimum => "min",
        BinaryOp::Maximum => "max",
        BinaryOp::Equal => "eq",
        BinaryOp::NotEqual => "ne",
        BinaryOp::Less => "lt",
        BinaryOp::LessEqual => "le",
        BinaryOp::Greater => "gt",
        BinaryOp::GreaterEqual => "ge",
        BinaryOp::LogicalAnd => "and",
        BinaryOp::LogicalOr => "or",
        BinaryOp::LogicalXor => "xor",
        BinaryOp::BitAnd => "bitand",
        BinaryOp::BitOr => "bitor",
        BinaryOp::BitXor => "bitxor",
        BinaryOp::ShiftLeft => "shl",
        BinaryOp::ShiftRight => "shr",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn short_names_are_distinct() {
        let names: HashSet<_> = UnaryOp::ALL
            .iter()
            .map(|&op| unary(op))
            .chain(BinaryOp::ALL.iter().map(|&op| binary(op)))
            .collect();
        assert_eq!(names.len(), UnaryOp::ALL.len() + BinaryOp::ALL.len());
    }
}
