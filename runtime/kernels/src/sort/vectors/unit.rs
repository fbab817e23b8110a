//! The vector unit of the processor: AVX-512, for words of 32 and 64 bits.
//!
//! A [`Row`](Lanes::Row) has 64 bytes. A split works on eight words at a time, since a table of the
//! orders of eight words is small.

#![allow(
    unsafe_code,
    reason = "instructions of a processor that was tested for; the caller vouches for addresses"
)]

use std::arch::x86_64::*;

use crate::sort::word::Word;

/// The number of words that are split at a time.
pub(super) const EIGHT: usize = 8;

/// A permission to use AVX-512: a value exists only if the processor has it.
#[derive(Clone, Copy)]
pub(super) struct Unit(());

impl Unit {
    /// Returns the permission if this machine has the instructions.
    #[inline(always)]
    pub(super) fn find() -> Option<Unit> {
        let has_popcnt = std::arch::is_x86_feature_detected!("popcnt");
        (crate::simd::has_avx512() && has_popcnt).then_some(Unit(()))
    }

    /// Runs a body whose code uses these instructions. `run` must be `#[inline(always)]`.
    #[inline(always)]
    pub(super) fn run<B: Body>(self, body: B) -> B::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,popcnt,bmi1,bmi2")]
        #[inline(never)]
        fn with<B: Body>(unit: Unit, body: B) -> B::Output {
            body.run(unit)
        }
        // SAFETY: a `Unit` exists, so the processor has the instructions.
        unsafe { with(self, body) }
    }
}

/// Code for the vector unit.
pub(super) trait Body {
    /// The result.
    type Output;

    /// Runs the code.
    fn run(self, unit: Unit) -> Self::Output;
}

/// Places of the words of a row in two rows: those of the second follow those of the first. The
/// numbers are as wide as words of 32 bits, so for wide words each second number is 0.
pub(super) type Places = [u32; 16];

/// Words of which rows exist.
pub(super) trait Lanes: Word {
    /// The number of words of a row.
    const LANES: usize;
    /// The largest word.
    const LAST: Self;

    /// A row of words.
    type Row: Copy;
    /// Eight words.
    type Eight: Copy;

    /// Returns the smaller words of two rows, lane by lane, and the larger ones.
    fn order(unit: Unit, a: Self::Row, b: Self::Row) -> [Self::Row; 2];
    /// Returns the words at these places of two rows.
    fn pick(unit: Unit, a: Self::Row, b: Self::Row, places: &Places) -> Self::Row;
    /// Returns `count` words from `at` on, then the largest word.
    ///
    /// # Safety
    /// There are as many words at `at`, or as many as a row has if `count` is more.
    unsafe fn load(unit: Unit, at: *const Self, count: usize) -> Self::Row;
    /// Writes the first `count` words of a row.
    ///
    /// # Safety
    /// There is room for as many words at `at`, or for a row if `count` is more.
    unsafe fn store(unit: Unit, at: *mut Self, count: usize, row: Self::Row);

    /// Returns eight words.
    ///
    /// # Safety
    /// They are at `at`.
    unsafe fn load_eight(unit: Unit, at: *const Self) -> Self::Eight;
    /// Returns the words whose bits are set, and 0 in other lanes.
    ///
    /// # Safety
    /// Those words are at `at`.
    unsafe fn load_some(unit: Unit, at: *const Self, lanes: u8) -> Self::Eight;
    /// Writes eight words.
    ///
    /// # Safety
    /// There is room for them at `at`.
    unsafe fn store_eight(unit: Unit, at: *mut Self, eight: Self::Eight);
    /// Writes the words whose bits are set.
    ///
    /// # Safety
    /// There is room for those words at `at`.
    unsafe fn store_some(unit: Unit, at: *mut Self, lanes: u8, eight: Self::Eight);
    /// Returns a word in each lane.
    fn eight_of(unit: Unit, word: Self) -> Self::Eight;
    /// Returns a bit for each word that is less than the pivot's.
    fn less(unit: Unit, eight: Self::Eight, pivot: Self::Eight) -> u8;
    /// Moves the words whose bits are set before the others. Both keep their order.
    fn front(unit: Unit, eight: Self::Eight, lanes: u8) -> Self::Eight;
}

/// For each set of lanes, the order that puts these first: eight numbers of four bits.
static FRONT: [u32; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let (mut at, mut lane) = (0, 0);
        while lane < 2 * EIGHT as u32 {
            let is_first = lane < EIGHT as u32;
            if ((set >> (lane % EIGHT as u32)) & 1 == 1) == is_first {
                table[set] |= (lane % EIGHT as u32) << (4 * at);
                at += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

/// Defines [`Lanes`] for a word.
macro_rules! lanes {
    ($word:ty, $mask:ty, $eight:ty;
     $min:ident $pick:ident $load:ident $store:ident $set:ident;
     $load_eight:ident $load_some:ident $store_eight:ident $store_some:ident $set_eight:ident
     $less:ident $spread:ident $shift:ident $permute:ident $shifts:expr) => {
        impl Lanes for $word {
            const LANES: usize = 64 / size_of::<$word>();
            const LAST: $word = <$word>::MAX;

            type Row = __m512i;
            type Eight = $eight;

            #[inline(always)]
            fn order(_: Unit, a: __m512i, b: __m512i) -> [__m512i; 2] {
                // The larger word is what remains of both. One port of the processor compares and
                // permutes, so it would be slower to ask it for the larger word.
                const EXCLUSIVE: i32 = 0b1001_0110;
                // SAFETY: a `Unit` exists, so the processor has the instructions. Here and below
                // the caller vouches for addresses, and lanes outside a mask are not accessed.
                unsafe {
                    let least = $min(a, b);
                    [least, _mm512_ternarylogic_epi64::<EXCLUSIVE>(a, b, least)]
                }
            }
            #[inline(always)]
            fn pick(_: Unit, a: __m512i, b: __m512i, places: &Places) -> __m512i {
                // SAFETY: as above.
                unsafe { $pick(a, _mm512_loadu_si512(places.as_ptr().cast()), b) }
            }
            #[inline(always)]
            unsafe fn load(_: Unit, at: *const $word, count: usize) -> __m512i {
                let lanes = first::<{ Self::LANES }>(count) as $mask;
                // SAFETY: as above.
                unsafe { $load($set(-1), lanes, at.cast()) }
            }
            #[inline(always)]
            unsafe fn store(_: Unit, at: *mut $word, count: usize, row: __m512i) {
                let lanes = first::<{ Self::LANES }>(count) as $mask;
                // SAFETY: as above.
                unsafe { $store(at.cast(), lanes, row) }
            }

            #[inline(always)]
            unsafe fn load_eight(_: Unit, at: *const $word) -> $eight {
                // SAFETY: as above.
                unsafe { $load_eight(at.cast()) }
            }
            #[inline(always)]
            unsafe fn load_some(_: Unit, at: *const $word, lanes: u8) -> $eight {
                // SAFETY: as above.
                unsafe { $load_some(lanes, at.cast()) }
            }
            #[inline(always)]
            unsafe fn store_eight(_: Unit, at: *mut $word, eight: $eight) {
                // SAFETY: as above.
                unsafe { $store_eight(at.cast(), eight) }
            }
            #[inline(always)]
            unsafe fn store_some(_: Unit, at: *mut $word, lanes: u8, eight: $eight) {
                // SAFETY: as above.
                unsafe { $store_some(at.cast(), lanes, eight) }
            }
            #[inline(always)]
            fn eight_of(_: Unit, word: $word) -> $eight {
                // SAFETY: as above.
                unsafe { $set_eight(word.cast_signed()) }
            }
            #[inline(always)]
            fn less(_: Unit, eight: $eight, pivot: $eight) -> u8 {
                // SAFETY: as above.
                unsafe { $less(eight, pivot) }
            }
            #[inline(always)]
            fn front(_: Unit, eight: $eight, lanes: u8) -> $eight {
                // An order's bits above the lowest three are ignored.
                // SAFETY: as above.
                unsafe {
                    let order = $spread(FRONT[lanes as usize].cast_signed());
                    $permute($shift(order, $shifts), eight)
                }
            }
        }
    };
}

lanes!(u64, u8, __m512i;
    _mm512_min_epu64 _mm512_permutex2var_epi64 _mm512_mask_loadu_epi64
    _mm512_mask_storeu_epi64 _mm512_set1_epi64;
    _mm512_loadu_epi64 _mm512_maskz_loadu_epi64 _mm512_storeu_epi64 _mm512_mask_storeu_epi64
    _mm512_set1_epi64 _mm512_cmplt_epu64_mask _mm512_set1_epi32 _mm512_srlv_epi64
    _mm512_permutexvar_epi64     _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28));
lanes!(u32, u16, __m256i;
    _mm512_min_epu32 _mm512_permutex2var_epi32 _mm512_mask_loadu_epi32
    _mm512_mask_storeu_epi32 _mm512_set1_epi32;
    _mm256_loadu_epi32 _mm256_maskz_loadu_epi32 _mm256_storeu_epi32 _mm256_mask_storeu_epi32
    _mm256_set1_epi32 _mm256_cmplt_epu32_mask _mm256_set1_epi32 _mm256_srlv_epi32 _mm256_permutexvar_epi32
    _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));

/// Returns a bit for each of the first `count` of `LANES` lanes.
#[inline(always)]
fn first<const LANES: usize>(count: usize) -> u32 {
    (1 << count.min(LANES)) - 1
}
