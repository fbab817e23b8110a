//! The colour of a task name: the same in NVTX ranges, in outputs, in every run and on every
//! machine.

/// Twenty opaque colours (ARGB) that are easy to distinguish, and readable behind black text.
const PALETTE: [u32; 20] = [
    0xff4e79a7, 0xfff28e2b, 0xffe15759, 0xff76b7b2, 0xff59a14f, 0xffedc948, 0xffb07aa1, 0xffff9da7,
    0xff9c755f, 0xff86bcb6, 0xffa0cbe8, 0xffffbe7d, 0xff8cd17d, 0xffb6992d, 0xfff1ce63, 0xff499894,
    0xffd37295, 0xfffabfd2, 0xffd4a6c8, 0xffd7b5a6,
];

/// Returns the colour of a task name, 0xAARRGGBB.
pub fn of_task(name: &str) -> u32 {
    // FNV-1a, because the standard hasher may change between releases. Its low bits are the weak
    // ones.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    PALETTE[((hash >> 32) % PALETTE.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn task_colors_are_stable() {
        assert_eq!(of_task("ADD"), 0xffedc948);
        assert_eq!(of_task("DOT"), 0xff86bcb6);
        assert_eq!(of_task(""), 0xff59a14f);
    }

    #[test]
    fn colors_are_opaque_and_all_used() {
        let used: HashSet<u32> = (0..2000)
            .map(|index| of_task(&format!("TASK_{index}")))
            .collect();
        assert_eq!(used.len(), PALETTE.len());
        assert!(used.iter().all(|color| color >> 24 == 0xff));
    }
}
