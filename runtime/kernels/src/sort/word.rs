//! Words: unsigned integers in the order of the elements.

/// A sortable unsigned integer.
pub(crate) trait Word: Copy + Ord {
    /// Returns the word as the widest type.
    fn wide(self) -> u64;
    /// Returns the lower bits of the widest type as a word.
    fn narrow(wide: u64) -> Self;
    /// Returns the words as those of their width.
    #[cfg(target_arch = "x86_64")]
    fn by_width(words: &mut [Self]) -> ByWidth<'_>;
}

/// Words of widths that vectors sort, or others.
#[cfg(target_arch = "x86_64")]
pub(crate) enum ByWidth<'a> {
    /// Words of 32 bits.
    Of32(&'a mut [u32]),
    /// Words of 64 bits.
    Of64(&'a mut [u64]),
    /// Other words.
    Other,
}

macro_rules! words {
    ($($word:ty: |$words:pat_param| $by_width:expr),*) => {$(
        impl Word for $word {
            #[inline(always)]
            fn wide(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn narrow(wide: u64) -> $word {
                wide as $word
            }
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            fn by_width($words: &mut [$word]) -> ByWidth<'_> {
                $by_width
            }
        }
    )*};
}

words!(
    u8: |_| ByWidth::Other,
    u16: |_| ByWidth::Other,
    u32: |words| ByWidth::Of32(words),
    u64: |words| ByWidth::Of64(words)
);
