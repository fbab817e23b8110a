//! Sort keys of floats.

use weft_kernels::testing::inner::Ordered;

#[test]
fn sort_keys_preserve_order_and_are_reversible() {
    let values = [
        f64::NEG_INFINITY,
        f64::MIN,
        -1.0,
        -f64::MIN_POSITIVE,
        -5e-324,
        -0.0,
        0.0,
        5e-324,
        0.5,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    for pair in values.windows(2) {
        assert!(pair[0].key() < pair[1].key(), "{pair:?}");
    }
    for value in values {
        assert_eq!(f64::from_key(value.key()).to_bits(), value.to_bits());
        assert_eq!(
            f32::from_key((value as f32).key()).to_bits(),
            (value as f32).to_bits()
        );
    }
    assert_eq!((-f64::NAN).key(), f64::NAN.key());
    assert_eq!((-0.0f64).rank(), 0.0f64.rank());
    assert_eq!((-0.0f32).rank(), 0.0f32.rank());
}
