//! Quicksort of 64-bit words with AVX-512.
//!
//! A part of a line is read in vectors. Each is split at a pivot by two compressed stores, without a
//! branch that depends on words. A short part is sorted by rank: the rank of a word is the number
//! of words before it in sorted order. The result is that of any other sort, as equal words are the
//! same.

#![allow(
    unsafe_code,
    reason = "instructions of a processor that was tested for, on places within slices"
)]

/// The most words of a part that is sorted by rank.
#[cfg(target_arch = "x86_64")]
const SHORT: usize = 32;

/// Whether this machine has the instructions.
#[inline(always)]
pub(super) fn is_able() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        crate::simd::has_avx512()
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Sorts words, with `spare` of the same length as work space, if this machine has the
/// instructions. Returns whether it has.
pub(super) fn sort(words: &mut [u64], spare: &mut [u64]) -> bool {
    assert_eq!(words.len(), spare.len(), "as much work space as words");
    #[cfg(target_arch = "x86_64")]
    if is_able() {
        let depth = 2 * (usize::BITS - words.len().leading_zeros());
        // SAFETY: the instructions were detected.
        unsafe { x86::sort(words, spare, depth) };
    }
    is_able()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::SHORT;

    const LANES: usize = 8;

    /// Sorts words. After `depth` poor pivots the standard library goes on, whose time is bounded.
    #[target_feature(enable = "avx512f,popcnt")]
    pub(super) fn sort(mut words: &mut [u64], mut spare: &mut [u64], mut depth: u32) {
        while words.len() > SHORT {
            if depth == 0 {
                return words.sort_unstable();
            }
            depth -= 1;
            let pivot = pivot(words);
            let mut count = split::<_MM_CMPINT_LT>(words, spare, pivot);
            if count == 0 {
                // No word is less than the pivot: the words equal to it come first.
                count = split::<_MM_CMPINT_LE>(words, spare, pivot);
            } else {
                sort(&mut words[..count], &mut spare[..count], depth);
            }
            (words, spare) = (&mut words[count..], &mut spare[count..]);
        }
        sort_short(words);
    }

    /// Returns a word near the middle of the sorted ones, of at least [`LANES`] words.
    #[target_feature(enable = "avx512f,popcnt")]
    fn pivot(words: &[u64]) -> u64 {
        let last = words.len() - 1;
        if words.len() < 16 * SHORT {
            let mut sample: [u64; LANES] = std::array::from_fn(|at| words[last * at / LANES]);
            sort_short(&mut sample);
            return sample[LANES / 2];
        }
        let mut sample: [u64; SHORT] = std::array::from_fn(|at| words[last * at / SHORT]);
        sort_short(&mut sample);
        sample[SHORT / 2]
    }

    /// Moves the words that compare with the pivot so to the front. Returns their number.
    #[target_feature(enable = "avx512f,popcnt")]
    fn split<const COMPARED: i32>(words: &mut [u64], spare: &mut [u64], pivot: u64) -> usize {
        assert_eq!(words.len(), spare.len(), "as much work space as words");
        let count = words.len();
        let pivots = _mm512_set1_epi64(pivot.cast_signed());
        let (mut front, mut rest) = (0, 0);
        let whole = count / LANES * LANES;
        let (first, aside) = (words.as_mut_ptr(), spare.as_mut_ptr());
        let mut at = 0;
        while at < whole {
            // SAFETY: `at + LANES <= count`, and `front <= at` and `rest <= at`, so that a vector
            // lies in the slices at each of these places. The words up to `at + LANES` have been
            // read before they are overwritten.
            unsafe {
                let vector = _mm512_loadu_epi64(first.add(at).cast::<i64>());
                let is_front = _mm512_cmp_epu64_mask::<COMPARED>(vector, pivots);
                let taken = _mm512_maskz_compress_epi64(is_front, vector);
                let left = _mm512_maskz_compress_epi64(!is_front, vector);
                _mm512_storeu_epi64(first.add(front).cast::<i64>(), taken);
                _mm512_storeu_epi64(aside.add(rest).cast::<i64>(), left);
                let moved = is_front.count_ones() as usize;
                front += moved;
                rest += LANES - moved;
            }
            at += LANES;
        }
        for at in whole..count {
            let word = words[at];
            let is_front = match COMPARED {
                _MM_CMPINT_LE => word <= pivot,
                _ => word < pivot,
            };
            if is_front {
                words[front] = word;
                front += 1;
            } else {
                spare[rest] = word;
                rest += 1;
            }
        }
        words[front..].copy_from_slice(&spare[..rest]);
        front
    }

    /// Sorts at most [`SHORT`] words.
    #[target_feature(enable = "avx512f,popcnt")]
    fn sort_short(words: &mut [u64]) {
        match words.len().div_ceil(LANES) {
            0 => {}
            1 => sort_ranked::<1>(words),
            2 => sort_ranked::<2>(words),
            3 => sort_ranked::<3>(words),
            _ => sort_ranked::<4>(words),
        }
    }

    /// Sorts the words of at most `V` vectors by their ranks.
    #[target_feature(enable = "avx512f")]
    fn sort_ranked<const V: usize>(words: &mut [u64]) {
        let count = words.len();
        assert!(count <= V * LANES, "the words fit into the vectors");
        let mut padded = [[u64::MAX; LANES]; V];
        padded.as_flattened_mut()[..count].copy_from_slice(words);
        let mut vectors = [_mm512_setzero_si512(); V];
        for (vector, lanes) in vectors.iter_mut().zip(&padded) {
            // SAFETY: the lanes are a vector.
            *vector = unsafe { _mm512_loadu_epi64(lanes.as_ptr().cast::<i64>()) };
        }
        let mut ranks = [_mm512_setzero_si512(); V];
        let one = _mm512_set1_epi64(1);
        for from in 0..V {
            for lane in 0..LANES {
                let word = _mm512_set1_epi64(padded[from][lane].cast_signed());
                for to in 0..V {
                    // Equal words keep their order, so that no two have one rank.
                    let is_behind = if to > from {
                        _mm512_cmpge_epu64_mask(vectors[to], word)
                    } else if to < from {
                        _mm512_cmpgt_epu64_mask(vectors[to], word)
                    } else {
                        let later = (0xfe_u8) << lane;
                        _mm512_cmpgt_epu64_mask(vectors[to], word)
                            | _mm512_mask_cmpeq_epu64_mask(later, vectors[to], word)
                    };
                    ranks[to] = _mm512_mask_add_epi64(ranks[to], is_behind, ranks[to], one);
                }
            }
        }
        let mut sorted = [[0; LANES]; V];
        for (rank, vector) in ranks.iter().zip(&vectors) {
            // SAFETY: the ranks are all numbers below `V * LANES`, each once.
            unsafe {
                _mm512_i64scatter_epi64::<8>(sorted.as_mut_ptr().cast(), *rank, *vector);
            }
        }
        // The largest words pad the vectors, so they are the last of all or equal to them.
        words.copy_from_slice(&sorted.as_flattened()[..count]);
    }
}
