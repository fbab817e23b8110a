//! Rounding to half precision.

use weft_kernels::dtype::f16;
use weft_kernels::testing::inner::from_f64;

#[test]
fn rounds_doubles_to_halves_once() {
    // Just above the middle of 1 and the next half. Rounding to f32 first would give the middle.
    let middle = 1.0 + 2f64.powi(-11);
    assert_eq!(from_f64(middle), f16::ONE);
    assert_eq!(from_f64(middle + 2f64.powi(-40)), f16::from_bits(0x3c01));
    assert_eq!(from_f64(-middle - 2f64.powi(-40)), f16::from_bits(0xbc01));
    assert_eq!(from_f64(middle - 2f64.powi(-40)), f16::ONE);
    // The middle of the largest half and the next one without a limit.
    assert_eq!(from_f64(65519.999999999), f16::MAX);
    assert_eq!(from_f64(65520.0), f16::INFINITY);
    assert_eq!(from_f64(1e300), f16::INFINITY);
    assert_eq!(from_f64(-1e300), f16::NEG_INFINITY);
    assert!(from_f64(f64::NAN).is_nan());
    // The middle of 0 and the smallest half.
    let tiny = 2f64.powi(-25);
    assert_eq!(from_f64(tiny).to_bits(), 0);
    assert_eq!(from_f64(tiny * (1.0 + f64::EPSILON)).to_bits(), 1);
    assert_eq!(from_f64(-1e-300).to_bits(), 0x8000);
}

#[test]
fn every_half_survives_a_round_trip() {
    for bits in 0..=u16::MAX {
        let value = f16::from_bits(bits);
        let back = from_f64(value.to_f64());
        assert!(back.to_bits() == bits || value.is_nan() && back.is_nan());
    }
}
