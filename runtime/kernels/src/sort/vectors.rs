//! Sorts and selections of words of 32 and 64 bits in vectors of AVX-512, in place.
//!
//! Equal words are the same, so the result of a sort is that of any other.

#[cfg(target_arch = "x86_64")]
mod network;
#[cfg(target_arch = "x86_64")]
mod quick;
#[cfg(target_arch = "x86_64")]
mod unit;

use super::word::Word;

/// Sorts words if this machine can do it in vectors. Returns whether it did.
pub(super) fn try_sort<W: Word>(words: &mut [W]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if let Some(unit) = unit::Unit::find() {
        use super::word::ByWidth;

        match W::by_width(words) {
            ByWidth::Of32(words) => quick::sort(unit, words),
            ByWidth::Of64(words) => quick::sort(unit, words),
            ByWidth::Other => return false,
        }
        return true;
    }
    let _ = words;
    false
}

/// Moves words so that the one at `place` is that of sorted order, if this machine can do it in
/// vectors. Returns whether it did. Words before the place are then no larger, those behind it no
/// smaller.
pub(super) fn try_select<W: Word>(words: &mut [W], place: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    if let Some(unit) = unit::Unit::find() {
        use super::word::ByWidth;

        match W::by_width(words) {
            ByWidth::Of32(words) => quick::select(unit, words, place),
            ByWidth::Of64(words) => quick::select(unit, words, place),
            ByWidth::Other => return false,
        }
        return true;
    }
    let _ = (words, place);
    false
}
