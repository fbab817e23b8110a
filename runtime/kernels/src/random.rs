//! Random numbers that depend only on a seed, a stream and the place in the array.
//!
//! Element number `i` (row-major, in the whole array) takes its bits from Philox4x32-10. The seed
//! is the key, and (`i / 2`, stream) the counter. Even elements use the first two words, odd ones
//! the last two. So values do not depend on the cut, and any element can be computed alone. Two
//! arrays with the same seed need different streams.

#![allow(
    unsafe_code,
    reason = "writes operands through the addresses of their tiles"
)]

use super::Tile;
use super::generate::for_each_flat;
use super::philox::philox;
use super::simd::{Vectorised, vectorised};
use crate::dtype::{CastFrom, Element, Float, with_float, with_integer};
use crate::shape::Shape;

/// A source of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The seed, chosen by the user.
    pub seed: u64,
    /// The stream, which distinguishes arrays with the same seed, such as by the number of the
    /// call.
    pub stream: u64,
}

impl Source {
    /// Returns the two 64-bit words of elements `2 q` and `2 q + 1`, for `P` values of `q` starting
    /// at `pair`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn words<const P: usize>(self, pair: u64) -> [[u64; 2]; P] {
        let [stream_low, stream_high] = halves(self.stream);
        let pairs: [[u32; 2]; P] = std::array::from_fn(|p| halves(pair.wrapping_add(p as u64)));
        let [low, high] = [pairs.map(|pair| pair[0]), pairs.map(|pair| pair[1])];
        let counters = [low, high, [stream_low; P], [stream_high; P]];
        let words = philox(counters, halves(self.seed));
        let join = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let mut joined = [[0; 2]; P];
        for p in 0..P {
            joined[p] = [
                join(words[0][p], words[1][p]),
                join(words[2][p], words[3][p]),
            ];
        }
        joined
    }
}

/// Returns the lower and the upper half of a word.
#[inline(always)]
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// Fills `out` with uniform floats in [0, 1): multiples of 2^-53 (`f64`), 2^-24 (`f32`) or 2^-11
/// (`f16`), all equally likely.
///
/// The tile starts at index `first` of an array of shape `whole`.
///
/// # Panics
/// Panics if `out` is not a float, or a shape does not fit.
pub fn uniform(source: Source, out: &mut Tile, first: &[usize], whole: Shape) {
    with_float!(out.dtype(), T => {
        generate(source, out, first, whole, |words| words.map(unit::<T>));
    }, else unreachable!("uniform random numbers are floats"));
}

/// Fills `out` with uniform integers from `low` to `high` (exclusive).
///
/// The value is `low` plus the upper half of the product of the span and 64 random bits. The
/// relative error of a value's probability is at most the span over 2^64. The tile starts at index
/// `first` of an array of shape `whole`.
///
/// # Panics
/// Panics if `out` is not an integer, the bounds do not fit its type, `low` is not below `high`, or
/// a shape does not fit.
pub fn integers(
    source: Source,
    low: i128,
    high: i128,
    out: &mut Tile,
    first: &[usize],
    whole: Shape,
) {
    assert!(low < high, "there are integers between the bounds");
    with_integer!(out.dtype(), T => {
        let (least, most) = (i128::from(T::MIN), i128::from(T::MAX));
        assert!(low >= least && high - 1 <= most, "the bounds fit the type");
        let span = (high - low) as u128;
        let pick = |word: u64| (low + ((span * u128::from(word)) >> 64) as i128) as T;
        generate(source, out, first, whole, |words| words.map(pick));
    }, else unreachable!("random integers have an integer type"));
}

/// Fills `out` with normally distributed floats with mean 0 and standard deviation 1, by Box and
/// Muller's method. Elements `2 p` and `2 p + 1` are the cosine and the sine part of one pair.
///
/// Logarithm, sine and cosine are the system's, so the last bits can differ between systems. The
/// tile starts at index `first` of an array of shape `whole`.
///
/// # Panics
/// Panics if `out` is not a float, or a shape does not fit.
pub fn normal(source: Source, out: &mut Tile, first: &[usize], whole: Shape) {
    with_float!(out.dtype(), T => {
        generate(source, out, first, whole, |[a, b]| {
            // 1 - [0, 1) is never 0, so the logarithm is finite.
            let radius = (-2.0 * (1.0 - unit::<f64>(a)).ln()).sqrt();
            let (sine, cosine) = (std::f64::consts::TAU * unit::<f64>(b)).sin_cos();
            [T::cast_from(radius * cosine), T::cast_from(radius * sine)]
        });
    }, else unreachable!("normal random numbers are floats"));
}

/// Returns the upper bits of a word as a float in [0, 1).
#[inline(always)]
fn unit<T: Float>(word: u64) -> T {
    let bits = match size_of::<T>() {
        2 => 11,
        4 => 24,
        _ => 53,
    };
    let scale = T::cast_from(1.0 / (1u64 << bits) as f64);
    // The value fits the float exactly, and `i64` converts faster than `u64`.
    T::cast_from((word >> (64 - bits)) as i64).times(scale)
}

/// Writes the elements of a tile. `pair` computes two at a time.
fn generate<T: Element>(
    source: Source,
    out: &mut Tile,
    first: &[usize],
    whole: Shape,
    pair: impl Fn([u64; 2]) -> [T; 2] + Copy,
) {
    for_each_flat(out, first, whole, &mut |flat, at, step, count| {
        vectorised(Row {
            source,
            flat: flat as u64,
            at,
            step,
            count,
            pair,
        });
    });
}

/// One row of a tile.
struct Row<F> {
    source: Source,
    flat: u64,
    at: *mut u8,
    step: isize,
    count: usize,
    pair: F,
}

/// The number of pairs computed at a time.
const PAIRS: usize = 16;

impl<T: Element, F: Fn([u64; 2]) -> [T; 2] + Copy> Vectorised for Row<F>
where
    F: Fn([u64; 2]) -> [T; 2],
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let end = self.flat + self.count as u64;
        let mut pair = self.flat / 2;
        while pair * 2 < end {
            let words = self.source.words::<PAIRS>(pair);
            let mut values = [[T::ZERO; 2]; PAIRS];
            for (values, words) in values.iter_mut().zip(words) {
                *values = (self.pair)(words);
            }
            // Rows may begin and end inside of a group.
            let first = self.flat.saturating_sub(pair * 2) as usize;
            let last = values.as_flattened().len().min((end - pair * 2) as usize);
            let mut to = self
                .at
                .wrapping_offset((pair * 2 + first as u64 - self.flat) as isize * self.step);
            for &value in &values.as_flattened()[first..last] {
                // SAFETY: by the promises made for the tile; a row stays inside it.
                unsafe { to.cast::<T>().write(value) };
                to = to.wrapping_offset(self.step);
            }
            pair += PAIRS as u64;
        }
    }
}
