//! Colours of ranges.

/// A colour, 0xAARRGGBB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Color(pub u32);

/// Twenty colours that are told apart side by side and carry black text; grey is left to unnamed work.
const PALETTE: [u32; 20] = [
    0xff4e79a7, 0xfff28e2b, 0xffe15759, 0xff76b7b2, 0xff59a14f, 0xffedc948, 0xffb07aa1, 0xffff9da7,
    0xff9c755f, 0xff86bcb6, 0xffa0cbe8, 0xffffbe7d, 0xff8cd17d, 0xffb6992d, 0xfff1ce63, 0xff499894,
    0xffd37295, 0xfffabfd2, 0xffd4a6c8, 0xffd7b5a6,
];

/// The colour of a task name: the same in every run, on every machine, in every version.
pub fn color_of(name: &str) -> Color {
    // FNV-1a, because the standard hasher may change between releases; its low bits are the weak ones.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Color(PALETTE[((hash >> 32) % PALETTE.len() as u64) as usize])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_name_keeps_its_colour() {
        assert_eq!(color_of("ADD"), Color(0xffedc948));
        assert_eq!(color_of("DOT"), Color(0xff86bcb6));
        assert_eq!(color_of(""), Color(0xff59a14f));
    }

    #[test]
    fn colours_are_opaque_and_all_in_use() {
        let used: HashSet<Color> = (0..2000)
            .map(|index| color_of(&format!("TASK_{index}")))
            .collect();
        assert_eq!(used.len(), PALETTE.len());
        assert!(used.iter().all(|color| color.0 >> 24 == 0xff));
    }
}
