//! Colours of task names: the same that the runtime gives to NVTX.

/// Opaque colours, ARGB.
const PALETTE: [u32; 20] = [
    0xff4e79a7, 0xfff28e2b, 0xffe15759, 0xff76b7b2, 0xff59a14f, 0xffedc948, 0xffb07aa1, 0xffff9da7,
    0xff9c755f, 0xff86bcb6, 0xffa0cbe8, 0xffffbe7d, 0xff8cd17d, 0xffb6992d, 0xfff1ce63, 0xff499894,
    0xffd37295, 0xfffabfd2, 0xffd4a6c8, 0xffd7b5a6,
];

/// The colour of a task name, ARGB: the same in every run, on every machine, in every version.
pub(crate) fn of(name: &str) -> u32 {
    // FNV-1a; its low bits are the weak ones.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let index = (hash >> 32) % PALETTE.len() as u64;
    PALETTE.get(index as usize).copied().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_has_the_colour_that_the_runtime_gives_it() {
        assert_eq!(super::of("ADD"), 0xffed_c948);
        assert_eq!(super::of("DOT"), 0xff86_bcb6);
        assert_eq!(super::of(""), 0xff59_a14f);
    }
}
