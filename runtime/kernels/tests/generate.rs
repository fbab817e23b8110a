use weft_kernels::Tile;
use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::generate::*;
use weft_kernels::testing::{Draw, Operand, assert_same};

/// Generates an array of `n` values in tiles of every size, with any memory layout.
fn in_tiles(n: usize, dtype: DType, make: impl Fn(&mut Tile, &[usize])) -> Vec<Scalar> {
    let mut whole = Operand::zeros(&[n], dtype);
    make(&mut whole.tile_mut(), &[0]);
    for size in 1..n {
        let mut out = Operand::new(&mut Draw(size as u64), dtype, &[n], true, |draw| {
            draw.value(dtype)
        });
        for first in (0..n).step_by(size) {
            let part = out.layout.tile(&[first], &[n.min(first + size)]);
            make(&mut out.view_mut(part), &[first]);
        }
        assert_same(&out.values(), &whole.values(), &format!("tiles of {size}"));
    }
    whole.values()
}

#[test]
fn generates_integer_ranges() {
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_integer()) {
        let made = in_tiles(9, dtype, |out, first| {
            arange(3i64.into(), 2i64.into(), out, first)
        });
        let expected: Vec<Scalar> = (0..9).map(|i| Scalar::I64(3 + 2 * i).cast(dtype)).collect();
        assert_same(&made, &expected, &dtype);
    }
    let down = in_tiles(4, DType::I32, |out, first| {
        arange(1i32.into(), (-1i32).into(), out, first)
    });
    assert_eq!(down, [1, 0, -1, -2].map(Scalar::I32));
}

#[test]
fn float_ranges_match_numpy() {
    // numpy.arange(1.0, 2.0, 0.1).tolist()
    let numpy = [
        1.0,
        1.1,
        1.2000000000000002,
        1.3000000000000003,
        1.4000000000000004,
        1.5000000000000004,
        1.6000000000000005,
        1.7000000000000006,
        1.8000000000000007,
        1.9000000000000008,
    ];
    let made = in_tiles(10, DType::F64, |out, first| {
        arange(1.0.into(), 0.1.into(), out, first)
    });
    assert_same(&made, &numpy.map(Scalar::F64), &"arange");
}

#[test]
fn linspace_reaches_its_ends() {
    let line = |count, endpoint| {
        in_tiles(count, DType::F64, move |out, first| {
            linspace(0.0, 1.0, count, endpoint, out, first)
        })
    };
    assert_eq!(
        line(4, true),
        [0.0, 0.3333333333333333, 0.6666666666666666, 1.0].map(Scalar::F64)
    );
    assert_eq!(line(4, false), [0.0, 0.25, 0.5, 0.75].map(Scalar::F64));
    assert_eq!(line(1, true), [Scalar::F64(0.0)]);
    let whole = in_tiles(4, DType::I32, |out, first| {
        linspace(-1.0, 1.0, 4, true, out, first)
    });
    assert_eq!(whole, [-1, -1, 0, 1].map(Scalar::I32));
    let tiny = in_tiles(3, DType::F64, |out, first| {
        linspace(0.0, 5e-324, 3, true, out, first)
    });
    assert_eq!(tiny[2], Scalar::F64(5e-324));
}

#[test]
fn eye_places_diagonals() {
    for dtype in DType::ALL {
        for k in -4..5isize {
            let (rows, columns) = (3, 4);
            let seed = (k + 10) as u64;
            let mut out = Operand::new(&mut Draw(seed), dtype, &[rows, columns], true, |draw| {
                draw.value(dtype)
            });
            for (lo, hi) in [
                ([0, 0], [2, 3]),
                ([0, 3], [2, 4]),
                ([2, 0], [3, 3]),
                ([2, 3], [3, 4]),
            ] {
                let part = out.layout.tile(&lo, &hi);
                eye(k, &mut out.view_mut(part), lo[0], lo[1]);
            }
            for (flat, value) in out.values().iter().enumerate() {
                let on = (flat / columns) as isize + k == (flat % columns) as isize;
                let expected = if on {
                    Scalar::one(dtype)
                } else {
                    Scalar::zero(dtype)
                };
                assert_eq!(*value, expected, "{dtype} {k} {flat}");
            }
        }
    }
}
