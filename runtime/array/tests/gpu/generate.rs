//! Arrays generated without inputs.

use weft::DynArray;
use weft::random::seeded;

use super::harness::{Tolerance, Two, length};

#[test]
#[ignore = "needs a GPU"]
fn computes_fills_and_ranges() {
    let two = Two::new();
    two.compare("fills", Tolerance::Exact, || -> Vec<DynArray> {
        let n = length();
        vec![
            weft::full(&[n], -0.0f64).into_dyn(),
            weft::full(&[n], 2.5f32).into_dyn(),
            weft::full(&[7, n / 7], i64::MIN).into_dyn(),
            weft::full(&[n], true).into_dyn(),
            weft::arange::<i32>(70_000).into_dyn(),
            weft::arange_step::<f64>(0.1, 1000.0, 0.3).into_dyn(),
            weft::linspace(-1.0, 1.0, n).into_dyn(),
            weft::eye::<f32>(300, 200, -3).into_dyn(),
        ]
    });
}

#[test]
#[ignore = "needs a GPU"]
fn random_numbers_match_cpus() {
    let two = Two::new();
    two.compare("bits", Tolerance::Exact, || -> Vec<DynArray> {
        let random = seeded(42);
        vec![
            random.uniform::<f64>(&[length()]).into_dyn(),
            random.uniform::<f32>(&[length()]).into_dyn(),
            random.integers::<i64>(-5, 1000, &[length()]).into_dyn(),
            random.integers::<u32>(0, u32::MAX, &[333, 44]).into_dyn(),
        ]
    });
    two.compare("normal", Tolerance::Ulps(64.0), || -> Vec<DynArray> {
        let random = seeded(43);
        vec![
            random.normal::<f64>(&[length()]).into_dyn(),
            random.normal::<f32>(&[length()]).into_dyn(),
        ]
    });
}
