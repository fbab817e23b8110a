//! Variances, quantiles, norms, reductions that ignore NaN, and equality within tolerances.

use weft::program::{MatrixNorm, Tolerance};

use super::*;

const NAN: f64 = f64::NAN;

fn matrix() -> Array<f64> {
    array(&[2, 3], &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
}

#[test]
fn variances_match_numpy() {
    on(2, || {
        let f = matrix();
        near(&f.var(0), &[117.25], 2.0);
        near(
            &f.var_axis(1, 1),
            &[2.333333333333333, 149.33333333333331],
            4.0,
        );
        near(&f.std_axis(0, 0), &[3.5, 7.0, 14.0], 2.0);
        assert!(weft::from_slice(&[1.0f64]).var(1).item().is_nan());
        let ints = array(&[2, 2], &[1i32, 2, 3, 5]);
        let std: Array<f64> = ints.as_dyn().std(None, 0).unwrap().try_into().unwrap();
        near(&std, &[1.479019945774904], 2.0);
        is(&f.ptp_axis(1), &[2], &[3.0, 24.0]);
        let weights = array(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        near(&f.average(&weights), &[15.285714285714286], 2.0);
        let weights = weft::from_slice(&[1.0, 2.0, 1.0]);
        near(&f.average_axis(&weights, 1), &[2.25, 18.0], 2.0);
        let cov = [
            2.3333333333333335,
            18.666666666666668,
            18.666666666666668,
            149.33333333333334,
        ];
        near(&f.cov(1), &cov, 4.0);
        is(&f.diff(2, 1), &[2, 1], &[1.0, 8.0]);
        is(&f.diff(4, 1), &[2, 0], &[]);
        let clipped = weft::from_slice(&[-2.0, 0.5, NAN, 9.0]).clip(0.0, 1.0);
        assert_eq!(said(&vec(&clipped)), "[0.0, 0.5, NaN, 1.0]");
        let x = weft::from_slice(&[0.125, 2.5, -1.235, 1e10, 1234.567]);
        assert_eq!(vec(&x.round(2)), [0.12, 2.5, -1.24, 1e10, 1234.57]);
        let x = weft::from_slice(&[1250i64, 1350, -149]);
        assert_eq!(vec(&x.round(-2)), [1200, 1400, -100]);
    });
}

#[test]
fn quantiles_match_numpy() {
    on(2, || {
        let f = matrix();
        assert_eq!(f.median().item(), 6.0);
        assert_eq!(vec(&f.median_axis(0)), [4.5, 9.0, 18.0]);
        assert_eq!(vec(&f.median_axis(1)), [2.0, 16.0]);
        near(
            &f.quantiles(&[0.0, 0.1, 0.5, 0.77, 1.0]),
            &[1.0, 1.5, 6.0, 14.8, 32.0],
            2.0,
        );
        let along = f.quantiles_axis(&[0.3, 0.9], 1);
        assert_eq!(along.shape(), [2, 2]);
        near(&along, &[1.6, 12.8, 3.6, 28.8], 2.0);
        near(&f.percentile(35.0), &[3.5], 2.0);
        let with_nan = weft::from_slice(&[1.0, NAN, 3.0]);
        assert!(with_nan.median().item().is_nan() && with_nan.quantile(0.2).item().is_nan());
        assert!(f.as_dyn().quantile(&[1.5], None).is_err());
        assert!(weft::zeros::<f64>(&[0]).median().item().is_nan());
    });
}

#[test]
fn norms_match_numpy() {
    on(2, || {
        let f = matrix();
        near(&f.norm(), &[36.945906403822335], 2.0);
        near(&f.norm_p(1.0), &[63.0], 0.0);
        near(&f.norm_p(3.0), &[33.456466806575776], 4.0);
        near(
            &f.norm_axis(0),
            &[8.06225774829855, 16.1245154965971, 32.2490309931942],
            2.0,
        );
        let signed = weft::from_slice(&[0.0, -1.0, 0.0, 2.0]);
        assert_eq!(signed.norm_p(0.0).item(), 2.0);
        assert_eq!(signed.norm_p(f64::INFINITY).item(), 2.0);
        assert_eq!(signed.norm_p(f64::NEG_INFINITY).item(), 0.0);
        let norms = [
            (MatrixNorm::Frobenius, 36.945906403822335),
            (MatrixNorm::One, 36.0),
            (MatrixNorm::MinusOne, 9.0),
            (MatrixNorm::Infinity, 56.0),
            (MatrixNorm::MinusInfinity, 7.0),
        ];
        for (norm, expected) in norms {
            near(&f.matrix_norm(norm), &[expected], 2.0);
        }
        assert_eq!(f.tile(&[4, 1, 1]).matrix_norm(MatrixNorm::One).shape(), [4]);
    });
}

#[test]
fn nan_functions_skip_nan_like_numpy() {
    on(2, || {
        let n = array(&[2, 3], &[1.0, NAN, 3.0, NAN, NAN, NAN]);
        near(&n.nansum(), &[4.0], 0.0);
        near(&n.nansum_axis(1), &[4.0, 0.0], 0.0);
        near(&n.nanmin_axis(1), &[1.0, NAN], 0.0);
        near(&n.nanmax(), &[3.0], 0.0);
        near(&n.nanmean_axis(1), &[2.0, NAN], 0.0);
        near(&n.nanvar(0), &[1.0], 0.0);
        near(&n.nanstd(1), &[std::f64::consts::SQRT_2], 1.0);
        near(&n.nanprod(), &[3.0], 0.0);
        let odd = weft::from_slice(&[NAN, f64::INFINITY, -f64::INFINITY, 1.0]);
        near(&odd.nan_to_num(), &[0.0, f64::MAX, f64::MIN, 1.0], 0.0);
        let ints: Array<i64> = weft::from_slice(&[2i64, 3])
            .as_dyn()
            .nanprod(None)
            .unwrap()
            .try_into()
            .unwrap();
        assert_eq!(ints.item(), 6);
    });
}

#[test]
fn isclose_tolerances_match_numpy() {
    on(2, || {
        let a = weft::from_slice(&[1.0, 1e10, 1e-9, f64::INFINITY, NAN, f64::INFINITY]);
        let b = weft::from_slice(&[1.00001, 1.00001e10, 2e-8, f64::INFINITY, NAN, 1.0]);
        let close = a.isclose(&b, Tolerance::default());
        assert_eq!(vec(&close), [true, true, false, true, false, false]);
        let equal_nan = Tolerance {
            equal_nan: true,
            ..Tolerance::default()
        };
        assert_eq!(
            vec(&a.isclose(&b, equal_nan)),
            [true, true, false, true, true, false]
        );
        assert!(!a.allclose(&b));
        let near = weft::from_slice(&[1.0, 2.0]);
        assert!(near.allclose(&(&near + 1e-9)));
        assert!(
            near.as_dyn()
                .allclose(near.as_dyn(), Tolerance::default())
                .unwrap()
        );
        assert!(near.array_equal(&near) && !near.array_equal(&a));
        let wide = near.broadcast_to(&[3, 2]);
        assert!(wide.as_dyn().array_equiv(near.as_dyn()).unwrap());
        assert!(!wide.array_equal(&near));
    });
}
