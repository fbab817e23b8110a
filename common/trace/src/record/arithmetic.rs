//! The floating-point arithmetic of a task.

use super::field::FieldType;

/// A number of floating-point operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    /// The number of additions, multiplications and similar operations on real numbers, at most
    /// [`MOST`](Self::MOST).
    pub operations: u64,
    /// Whether operands have 32 bits instead of 64.
    pub single: bool,
}

/// The bit that marks operands of 32 bits.
const SINGLE: u64 = 1 << 63;

impl Arithmetic {
    /// The most operations that a record can hold.
    pub const MOST: u64 = SINGLE - 2;
}

/// `u64::MAX` stands for `None`. Bit 63 marks operands of 32 bits; the other bits are the number of
/// operations.
impl FieldType for Option<Arithmetic> {
    const NAME: &'static str = "arithmetic?";
    const SIZE: usize = 8;
    #[inline]
    fn put(&self, to: &mut [u8]) {
        let word = self.map_or(u64::MAX, |arithmetic| {
            let single = if arithmetic.single { SINGLE } else { 0 };
            arithmetic.operations.min(Arithmetic::MOST) | single
        });
        word.put(to);
    }
    #[inline]
    fn get(from: &[u8]) -> Option<Self> {
        let word = u64::get(from)?;
        Some((word != u64::MAX).then_some(Arithmetic {
            operations: word & !SINGLE,
            single: word & SINGLE != 0,
        }))
    }
    #[inline]
    fn missing() -> Option<Self> {
        Some(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(arithmetic: Option<Arithmetic>) -> Option<Arithmetic> {
        let mut bytes = [0; 8];
        arithmetic.put(&mut bytes);
        FieldType::get(&bytes).unwrap()
    }

    #[test]
    fn arithmetic_distinguishes_unknown_from_zero() {
        assert_eq!(round_trip(None), None);
        for single in [false, true] {
            for operations in [0, 1, Arithmetic::MOST] {
                let known = Some(Arithmetic { operations, single });
                assert_eq!(round_trip(known), known);
            }
            let more = Some(Arithmetic {
                operations: u64::MAX,
                single,
            });
            let most = round_trip(more).map(|arithmetic| arithmetic.operations);
            assert_eq!(most, Some(Arithmetic::MOST));
        }
        assert_eq!(<Option<Arithmetic> as FieldType>::missing(), Some(None));
    }
}
