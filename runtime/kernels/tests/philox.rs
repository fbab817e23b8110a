//! The generator, compared with published results.

use weft_kernels::testing::inner::philox;

#[test]
fn parallel_counters_are_independent() {
    let counters = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]];
    let together = philox(counters, [13, 14]);
    for p in 0..3 {
        let alone = philox(counters.map(|words| [words[p]]), [13, 14]);
        assert_eq!(together.map(|words| [words[p]]), alone);
    }
}

/// The published vectors, from `kat_vectors` of Random123.
#[test]
fn matches_published_vectors() {
    let philox = |counter: [u32; 4], key| {
        philox(counter.map(|word| [word]), key)
            .as_flattened()
            .to_vec()
    };
    assert_eq!(
        philox([0; 4], [0; 2]),
        [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
    );
    assert_eq!(
        philox([u32::MAX; 4], [u32::MAX; 2]),
        [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]
    );
    assert_eq!(
        philox(
            [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
            [0xa4093822, 0x299f31d0]
        ),
        [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]
    );
}
