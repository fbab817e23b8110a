//! Fourier transforms, compared with the sums that define them, with NumPy's values, and with the
//! original after the inverse.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a mistake in a test must stop it"
)]

#[path = "support/runtimes.rs"]
mod support;

use std::f64::consts::TAU;

use ndarray::s;
use proptest::prelude::*;
use support::{drawn, runtime};
use weft::Array;
use weft::dtype::Complex;
use weft::fft::{self, Along, Norm};

type C = Complex<f64>;

fn signal(seed: u64, count: usize) -> Vec<C> {
    let parts = drawn(seed, 2 * count);
    parts
        .chunks(2)
        .map(|part| C::new(part[0], part[1]))
        .collect()
}

/// Returns the sum that defines a transform.
fn direct(line: &[C], length: usize, sign: f64) -> Vec<C> {
    let term = |k: usize, j: usize, value: &C| {
        // The product is reduced first, so that the angle is exact.
        let angle = sign * TAU * ((j * k) % length) as f64 / length as f64;
        value * C::new(angle.cos(), angle.sin())
    };
    (0..length)
        .map(|k| {
            let terms = line.iter().take(length).enumerate();
            terms.map(|(j, value)| term(k, j, value)).sum()
        })
        .collect()
}

/// Asserts that values are equal within the rounding errors of the terms, and of the sums here.
#[track_caller]
fn assert_near(got: &[C], expected: &[C], epsilon: f64) {
    assert_eq!(got.len(), expected.len());
    let bound = 10.0 * got.len().max(4) as f64 * epsilon;
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert!(
            (got - expected).norm() <= bound,
            "element {at}: {got} is not {expected}"
        );
    }
}

fn complex(values: &[f64]) -> Vec<C> {
    values.iter().map(|value| C::new(*value, 0.0)).collect()
}

fn single(values: &[Complex<f32>]) -> Vec<C> {
    values
        .iter()
        .map(|value| C::new(value.re.into(), value.im.into()))
        .collect()
}

/// Returns lines of another length.
fn along_length(length: usize) -> Along {
    Along {
        length: Some(length),
        ..Along::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn transforms_match_direct_sums(
        count in 1usize..70,
        length in 1usize..70,
        seed in 1u64..1_000_000,
    ) {
        runtime("--cpus 1").enter(|| {
            let line = signal(seed, count);
            let x = weft::from_slice(&line);
            let there = fft::fft_along(&x, along_length(length)).to_vec().unwrap();
            assert_near(&there, &direct(&line, length, -1.0), f64::EPSILON);
            let back = fft::ifft_along(&x, along_length(length)).to_vec().unwrap();
            let scaled: Vec<C> = back.iter().map(|value| value * length as f64).collect();
            assert_near(&scaled, &direct(&line, length, 1.0), f64::EPSILON);
            let narrow = fft::fft_along(&x.cast::<Complex<f32>>(), along_length(length)).to_vec().unwrap();
            assert_near(&single(&narrow), &direct(&line, length, -1.0), f64::from(f32::EPSILON));

            let real = drawn(seed, count);
            let x = weft::from_slice(&real);
            let expected = direct(&complex(&real), length, -1.0);
            let half = fft::rfft_along(&x, along_length(length)).to_vec().unwrap();
            assert_near(&half, &expected[..length / 2 + 1], f64::EPSILON);
            let whole = fft::fft_along(&x, along_length(length)).to_vec().unwrap();
            assert_near(&whole, &expected, f64::EPSILON);
            let narrow = fft::rfft_along(&x.cast::<f32>(), along_length(length)).to_vec().unwrap();
            assert_near(&single(&narrow), &expected[..length / 2 + 1], f64::from(f32::EPSILON));

            // The other half of a spectrum is conjugated; the ends are real.
            let mut spectrum = vec![C::new(0.0, 0.0); length];
            for k in 0..length / 2 + 1 {
                let mut value = line.get(k).copied().unwrap_or_default();
                if k == 0 || 2 * k == length {
                    value.im = 0.0;
                }
                spectrum[k] = value;
                spectrum[(length - k) % length] = value.conj();
            }
            let got = fft::irfft_along(&weft::from_slice(&line), along_length(length)).to_vec().unwrap();
            let got: Vec<f64> = got.iter().map(|value| value * length as f64).collect();
            assert_near(&complex(&got), &direct(&spectrum, length, 1.0), f64::EPSILON);
        });
    }

    #[test]
    fn inverse_transform_restores_the_input(
        length in 1usize..3000,
        seed in 1u64..1_000_000,
        norm in prop_oneof![Just(Norm::Backward), Just(Norm::Ortho), Just(Norm::Forward)],
    ) {
        runtime("--cpus 1").enter(|| {
            let along = Along { norm, ..Along::default() };
            let line = signal(seed, length);
            let there = fft::fft_along(&weft::from_slice(&line), along);
            let back = fft::ifft_along(&there, along).to_vec().unwrap();
            assert_near(&back, &line, f64::EPSILON);
            let real = drawn(seed, length);
            let there = fft::rfft_along(&weft::from_slice(&real), along);
            let along = Along { length: Some(length), ..along };
            let back = fft::irfft_along(&there, along).to_vec().unwrap();
            assert_near(&complex(&back), &complex(&real), f64::EPSILON);

            // Parseval's theorem: the spectrum has the energy of the signal.
            let ortho = Along { norm: Norm::Ortho, ..Along::default() };
            let energy = |values: &[C]| values.iter().map(|value| value.norm_sqr()).sum::<f64>();
            let spectrum = fft::fft_along(&weft::from_slice(&line), ortho).to_vec().unwrap();
            let (before, after) = (energy(&line), energy(&spectrum));
            assert!((before - after).abs() <= 20.0 * f64::EPSILON * length as f64 * before.max(1.0));
        });
    }
}

#[test]
fn transform_values_match_numpy() {
    runtime("--cpus 1").enter(|| {
        // np.fft.fft(np.exp(2j * np.pi * np.arange(8) / 8)) is 8 at frequency 1 and 0 elsewhere.
        let turning: Vec<C> = (0..8)
            .map(|j| C::new(0.0, TAU * f64::from(j) / 8.0).exp())
            .collect();
        let mut expected = complex(&[0.0; 8]);
        expected[1] = C::new(8.0, 0.0);
        assert_near(
            &fft::fft(&weft::from_slice(&turning)).to_vec().unwrap(),
            &expected,
            f64::EPSILON,
        );
        // np.fft.rfft([1, 2, 3, 4, 5])
        let half = fft::rfft(&weft::from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0]))
            .to_vec()
            .unwrap();
        let expected = [
            (15.0, 0.0),
            (-2.5, 3.440_954_801_177_933),
            (-2.5, 0.812_299_240_582_266),
        ];
        assert_near(
            &half,
            &expected.map(|(re, im)| C::new(re, im)),
            f64::EPSILON,
        );
        // np.fft.ifft([0, 4, 0, 0])
        let back = fft::ifft(&weft::from_slice(&[0.0, 4.0, 0.0, 0.0]))
            .to_vec()
            .unwrap();
        let expected = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];
        assert_near(
            &back,
            &expected.map(|(re, im)| C::new(re, im)),
            f64::EPSILON,
        );
        // np.fft.irfft([1, 2j, 3])
        let real = fft::irfft(&weft::from_slice(&[
            C::new(1.0, 0.0),
            C::new(0.0, 2.0),
            C::new(3.0, 0.0),
        ]));
        assert_near(
            &complex(&real.to_vec().unwrap()),
            &complex(&[1.0, -1.5, 1.0, 0.5]),
            f64::EPSILON,
        );
        // np.fft.fft2([[1, 2], [3, 4]])
        let square = weft::from_slice(&[1.0, 2.0, 3.0, 4.0]).reshape(&[2, 2]);
        let spectrum = fft::fft2(&square);
        assert_near(
            &spectrum.to_vec().unwrap(),
            &complex(&[10.0, -2.0, -4.0, 0.0]),
            f64::EPSILON,
        );
        assert_near(
            &fft::ifft2(&spectrum).to_vec().unwrap(),
            &complex(&[1.0, 2.0, 3.0, 4.0]),
            f64::EPSILON,
        );
        assert_eq!(
            fft::fftfreq(5, 0.1).to_vec().unwrap(),
            [0.0, 2.0, 4.0, -4.0, -2.0]
        );
        assert_eq!(
            fft::fftfreq(4, 1.0).to_vec().unwrap(),
            [0.0, 0.25, -0.5, -0.25]
        );
        assert_eq!(fft::rfftfreq(5, 0.1).to_vec().unwrap(), [0.0, 2.0, 4.0]);
        assert_eq!(fft::rfftfreq(4, 1.0).to_vec().unwrap(), [0.0, 0.25, 0.5]);
        let shifted = fft::fftshift(&weft::arange(5i64), None);
        assert_eq!(shifted.to_vec().unwrap(), [3, 4, 0, 1, 2]);
        assert_eq!(
            fft::ifftshift(&shifted, None).to_vec().unwrap(),
            [0, 1, 2, 3, 4]
        );
        let grid = weft::arange(6i64).reshape(&[2, 3]);
        assert_eq!(
            fft::fftshift(&grid, None).to_vec().unwrap(),
            [5, 3, 4, 2, 0, 1]
        );
        assert_eq!(
            fft::fftshift(&grid, Some(&[0])).to_vec().unwrap(),
            [3, 4, 5, 0, 1, 2]
        );
    });
}

#[test]
fn transforms_any_view_along_any_axis() {
    let dims = [3, 50, 8];
    let values = drawn(5, dims.iter().product());
    let made = |words: &str| {
        runtime(words).enter(|| {
            let a = weft::from_slice(&values).reshape(&dims);
            let mut all = Vec::new();
            let views: [Array<f64>; 3] = [a.clone(), a.slice(s![..;-1, 1..;3, ..;2]), a.t()];
            for view in &views {
                for axis in 0..3 {
                    let along = Along {
                        axis: Some(axis),
                        ..Along::default()
                    };
                    let spectrum = fft::rfft_along(view, along);
                    let back = fft::irfft_along(
                        &spectrum,
                        Along {
                            length: Some(view.shape()[axis]),
                            ..along
                        },
                    );
                    let [known, found] = [view.to_vec().unwrap(), back.to_vec().unwrap()];
                    assert_near(&complex(&found), &complex(&known), f64::EPSILON);
                    all.push(spectrum.to_vec().unwrap());
                    all.push(fft::fft_along(view, along).to_vec().unwrap());
                }
            }
            // One line alone has the same bits.
            let alone = fft::fft(&a.slice(s![2, 33, ..])).to_vec().unwrap();
            let stacked = fft::fft(&a).slice(s![2, 33, ..]).to_vec().unwrap();
            assert_eq!(alone, stacked);
            all.push(fft::fftn(&a, None, Norm::Ortho).to_vec().unwrap());
            all.push(
                fft::ifftn(&a, Some(&[0, 2]), Norm::Forward)
                    .to_vec()
                    .unwrap(),
            );
            all
        })
    };
    let expected = made("--cpus 1");
    for words in [
        "--cpus 3 --min-cpu-chunk 100",
        "--cpus 2 --min-cpu-chunk 300 --max-inline-chunk 0",
    ] {
        assert_eq!(made(words), expected, "{words}");
    }
}

#[test]
fn transform_dtypes_match_numpy() {
    use weft::dtype::{DType, Element, f16};
    fn check_dtypes<T: Element>(spectrum: DType, back: DType) {
        let a = weft::arange(4i64).cast::<T>().into_dyn();
        assert_eq!(a.fft(Along::default()).unwrap().dtype(), spectrum);
        assert_eq!(a.irfft(Along::default()).unwrap().dtype(), back);
    }
    runtime("--cpus 1").enter(|| {
        check_dtypes::<f16>(DType::C64, DType::F32);
        check_dtypes::<f32>(DType::C64, DType::F32);
        check_dtypes::<Complex<f32>>(DType::C64, DType::F32);
        check_dtypes::<f64>(DType::C128, DType::F64);
        check_dtypes::<C>(DType::C128, DType::F64);
        check_dtypes::<i64>(DType::C128, DType::F64);
        check_dtypes::<bool>(DType::C128, DType::F64);
    });
}

#[test]
fn rejects_invalid_arguments_at_the_call() {
    runtime("--cpus 1").enter(|| {
        let x = weft::ones::<f64>(&[4]);
        let axis = Along {
            axis: Some(1),
            ..Along::default()
        };
        assert!(fft::try_fft(&x, axis).is_err());
        assert!(fft::try_fft(&x, along_length(0)).is_err());
        // One element is the whole spectrum of an empty line.
        assert!(fft::try_irfft(&weft::ones::<f64>(&[1]), Along::default()).is_err());
        assert!(fft::try_fft(&weft::ones::<f64>(&[]), Along::default()).is_err());
        assert!(fft::try_fftn(&x, Some(&[0, 3]), Norm::default()).is_err());
        let complex = x.cast::<C>();
        assert!(complex.as_dyn().rfft(Along::default()).is_err());
        assert_eq!(fft::fft(&weft::ones::<f64>(&[0, 4])).shape(), [0, 4]);
    });
}

/// Lines with real spectra: `hfft` is the real inverse of the conjugates without its factor, and
/// `ihfft` is its inverse.
#[test]
fn hermitian_transforms_invert_each_other() {
    runtime("--cpus 1").enter(|| {
        for length in [1usize, 2, 7, 16, 45] {
            let values = drawn(length as u64, length);
            let spectrum = weft::from_slice(&values);
            let along = Along {
                length: Some(length),
                ..Along::default()
            };
            let line = fft::ihfft_along(&spectrum, along);
            let half = line.to_vec().unwrap();
            assert_eq!(half.len(), length / 2 + 1);
            let conjugates: Vec<C> = complex(&values);
            let expected: Vec<C> = direct(&conjugates, length, 1.0)
                .iter()
                .take(half.len())
                .map(|value| value / length as f64)
                .collect();
            assert_near(&half, &expected, f64::EPSILON);
            let back = fft::hfft_along(&line, along).to_vec().unwrap();
            assert_near(&complex(&back), &complex(&values), f64::EPSILON);
        }
    });
}
