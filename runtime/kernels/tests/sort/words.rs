//! Words of any number and variety: sizes around those of networks and blocks, few values, and
//! patterns that spoil pivots.

use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::sort::{argpartition, argsort, partition, sort};
use weft_kernels::testing::{Draw, Operand};

/// An element that can be compared with the results of a kernel bit by bit.
trait Bits: Copy {
    const DTYPE: DType;

    /// Returns the element that a word stands for.
    fn of(word: u64) -> Self;
    fn scalar(self) -> Scalar;
    fn back(scalar: &Scalar) -> u64;
    /// Returns a number in the order of the elements, in which no two differ only in NaN's sign.
    fn rank(self) -> i128;
    /// Returns the rank with one number for -0.0 and 0.0.
    fn equal_rank(self) -> i128 {
        self.rank()
    }
    /// Returns the bits, without the sign of NaN.
    fn bits(self) -> u64;
}

macro_rules! integers {
    ($($type:ty, $name:ident);*) => {$(
        impl Bits for $type {
            const DTYPE: DType = DType::$name;
            fn of(word: u64) -> $type {
                // The upper bits, which the patterns below vary.
                (word >> (64 - <$type>::BITS)) as $type
            }
            fn scalar(self) -> Scalar {
                Scalar::$name(self)
            }
            fn back(scalar: &Scalar) -> u64 {
                scalar.to::<$type>().bits()
            }
            fn rank(self) -> i128 {
                i128::from(self)
            }
            fn bits(self) -> u64 {
                self as u64
            }
        }
    )*};
}

integers!(u8, U8; i16, I16; u32, U32; i32, I32; u64, U64; i64, I64);

macro_rules! floats {
    ($($type:ty, $bits:ty, $name:ident);*) => {$(
        impl Bits for $type {
            const DTYPE: DType = DType::$name;
            fn of(word: u64) -> $type {
                <$type>::from_bits((word >> (64 - <$bits>::BITS)) as $bits)
            }
            fn scalar(self) -> Scalar {
                Scalar::$name(self)
            }
            fn back(scalar: &Scalar) -> u64 {
                scalar.to::<$type>().bits()
            }
            fn rank(self) -> i128 {
                let magnitude = i128::from(self.abs().to_bits());
                match self.is_sign_negative() && !self.is_nan() {
                    true => -1 - magnitude,
                    false => magnitude,
                }
            }
            fn equal_rank(self) -> i128 {
                match self.is_nan() {
                    true => i128::MAX,
                    false => (self + 0.0).rank(),
                }
            }
            fn bits(self) -> u64 {
                let bits = if self.is_nan() { self.abs() } else { self }.to_bits();
                u64::from(bits)
            }
        }
    )*};
}

floats!(f32, u32, F32; f64, u64, F64);

fn numbers_of(operand: &Operand) -> Vec<usize> {
    (operand.values().iter())
        .map(|number| number.to::<i64>() as usize)
        .collect()
}

/// Compares sorts and selections of the elements with those of the standard library.
fn check<T: Bits>(what: &str, words: &[u64]) {
    let elements: Vec<T> = words.iter().map(|word| T::of(*word)).collect();
    let count = elements.len();
    let scalars: Vec<Scalar> = elements.iter().map(|element| element.scalar()).collect();
    let input = Operand::from_values(&[count], &scalars, T::DTYPE);
    let bits_of = |operand: &Operand| operand.values().iter().map(T::back).collect::<Vec<_>>();
    let mut expected = elements.clone();
    expected.sort_by_key(|element| element.rank());
    let expected: Vec<u64> = expected.iter().map(|element| element.bits()).collect();
    let mut out = Operand::zeros(&[count], T::DTYPE);
    sort(0, &input.tile(), &mut out.tile_mut());
    assert!(bits_of(&out) == expected, "sort of {what}");
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|at| elements[*at].equal_rank());
    let mut numbers = Operand::zeros(&[count], DType::I64);
    argsort(0, &input.tile(), &mut numbers.tile_mut());
    assert!(numbers_of(&numbers) == order, "argsort of {what}");
    if count == 0 {
        return;
    }
    let place = words[0] as usize % count;
    let mut sorted = Operand::zeros(&[count], T::DTYPE);
    for places in [&[place][..], &[0, place / 2, place, count - 1]] {
        let mut places = places.to_vec();
        places.dedup();
        partition(0, &places, &input.tile(), &mut out.tile_mut());
        let placed = bits_of(&out);
        let is_placed = |place: &usize| placed[*place] == expected[*place];
        assert!(
            places.iter().all(is_placed),
            "partition of {what} at {places:?}"
        );
        sort(0, &out.tile(), &mut sorted.tile_mut());
        assert!(
            bits_of(&sorted) == expected,
            "elements of the partition of {what}"
        );
        argpartition(0, &places, &input.tile(), &mut numbers.tile_mut());
        let by_rank: Vec<i128> = elements
            .iter()
            .map(|element| element.equal_rank())
            .collect();
        assert!(
            numbers_of(&numbers) == select(&by_rank, &places),
            "argpartition of {what} at {places:?}"
        );
    }
}

/// Returns the numbers of the items: those that belong to the places, and between two of these, in
/// their first order, those that are sorted between them.
fn select(ranks: &[i128], places: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|at| ranks[*at]);
    let mut from = 0;
    for place in places.iter().copied().chain([ranks.len()]) {
        order[from..place].sort_unstable();
        from = place + 1;
    }
    order
}

fn check_all(what: &str, words: &[u64]) {
    check::<u8>(what, words);
    check::<i16>(what, words);
    check::<u32>(what, words);
    check::<i32>(what, words);
    check::<f32>(what, words);
    check::<u64>(what, words);
    check::<i64>(what, words);
    check::<f64>(what, words);
}

#[test]
fn words_of_any_number_and_variety_are_ordered() {
    let mut draw = Draw(3);
    let counts = (0..=40).chain([
        63, 64, 65, 95, 96, 97, 127, 128, 129, 130, 160, 191, 192, 193,
    ]);
    let counts = counts.chain([
        224, 255, 256, 257, 258, 288, 300, 399, 400, 401, 513, 1023, 1025,
    ]);
    for count in counts.chain([4097, 20_011, 70_003]) {
        let mut each = |what: &str, word: &mut dyn FnMut(&mut Draw, u64) -> u64| {
            let words: Vec<u64> = (0..count).map(|at| word(&mut draw, at)).collect();
            check_all(&format!("{count} {what}"), &words);
        };
        // Floats of all sorts too: with small and large magnitudes, infinite, and not a number.
        each("words", &mut |draw, _| draw.next());
        each("of three values", &mut |draw, _| (draw.next() % 3) << 62);
        each("largest words", &mut |draw, _| {
            u64::MAX - ((draw.next() % 2) << 33)
        });
        each("zeros of both signs", &mut |draw, _| draw.next() << 63);
        each("words with equal leading bits", &mut |draw, at| {
            (at % 7) << 60 | draw.next() >> 24
        });
        each("words of an organ pipe", &mut |_, at| {
            at.min(count - at) << 40
        });
        each("decreasing words", &mut |_, at| (count - at) << 40);
        each("increasing words", &mut |_, at| at << 40);
        each("words with a period", &mut |_, at| {
            (at % 64) << 40 | at << 48
        });
        each("equal words", &mut |_, _| u64::MAX);
    }
}
