//! Programs that differ in one property differ in the hash by which ranks compare them.

use ndarray::s;
use weft_core::operation::{Operand, Request};
use weft_core::testing;

use super::plan;
use crate::dtype::{DType, Parameter, Scalar};
use crate::fft::Along;
use crate::kernel::factor::FactorOp;
use crate::kernel::fourier::FourierOp;
use crate::kernel::{ReduceOp, ScanOp};
use crate::library::fourier::Fourier;
use crate::library::generate::Generator;
use crate::library::{
    count, elementwise, factor, fourier, generate, index, linear, reduce, scan, sort,
};
use crate::program::Side;
use crate::runtime::Runtime;
use crate::shape::Shape;
use crate::{Array, arange, eye, from_slice, full, linspace, ones, random, zeros};

/// Returns the hash of a program. As on many ranks, all its calls are operations.
fn hash_of(program: impl FnOnce()) -> u64 {
    let runtime = Runtime::new(plan("--cpus 1 --gpus 0 --max-inline-chunk 0")).unwrap();
    testing::note_program(&runtime);
    runtime.enter(program);
    runtime.wait().unwrap();
    let hash = testing::program_hash(&runtime);
    // Some of these programs fail, as they would on all ranks.
    drop(runtime.finish());
    hash
}

/// Checks that the hash of a program changes with the parameter, and only then.
fn differs(what: &str, program: impl Fn(usize)) {
    let [one, again, other] = [0, 0, 1].map(|parameter| hash_of(|| program(parameter)));
    assert_ne!(one, 0, "{what}: no operation was submitted");
    assert_eq!(one, again, "{what}: the same program");
    assert_ne!(one, other, "{what}: another parameter");
}

fn square() -> Array<f64> {
    ones::<f64>(&[3, 3])
}

#[test]
fn program_hash_covers_every_parameter() {
    differs("the axis of a sum", |p| drop(square().sum_axis(p)));
    differs("the axis of a maximum", |p| drop(square().max_axis(p)));
    differs("the axis of a running sum", |p| {
        drop(square().cumsum_axis(p));
    });
    differs("the axis of a sort", |p| drop(square().sort_axis(p)));
    differs("the axis of an argsort", |p| drop(square().argsort_axis(p)));
    differs("the axis of a take", |p| {
        drop(square().take_axis(&from_slice(&[0_i64, 1, 2]), p));
    });
    differs("the axis of a transform", |p| {
        let along = Along {
            axis: Some(p),
            ..Along::default()
        };
        drop(square().as_dyn().fft(along));
    });
    differs("a quantile", |p| {
        drop(square().quantile(0.25 + 0.5 * p as f64))
    });
    differs("a scalar operand", |p| drop(&square() + p as f64));
    differs("the sign of a zero", |p| {
        drop(&square() / [0.0, -0.0][p]);
    });
    differs("a value that is filled in", |p| drop(full(&[3], p as f64)));
    differs("the bits of a NaN", |p| {
        drop(full(&[3], f64::from_bits(0x7ff8 << 48 | p as u64)));
    });
    differs("a dtype", |p| {
        if p == 0 {
            drop(square().cast::<f32>());
        } else {
            drop(square().cast::<i64>());
        }
    });
    differs("a reduction", |p| {
        let a = square();
        drop(if p == 0 { a.max() } else { a.min() });
    });
    differs("a diagonal", |p| drop(eye::<f64>(3, 3, p as isize)));
    differs("the end of a range", |p| {
        drop(linspace(0.0, 1.0 + p as f64, 3))
    });
    differs("a seed", |p| {
        drop(random::seeded(p as u64).uniform::<f64>(&[3]));
    });
    differs("a limit of random integers", |p| {
        drop(random::seeded(0).integers::<i64>(0, 5 + p as i64, &[3]));
    });
    differs("the first element of a slice", |p| {
        drop(&square().slice(s![p..p + 1, ..]) + 1.0);
    });
    differs("the step of a slice", |p| {
        drop(&arange::<f64>(8.0).slice(s![..;1 + p]).slice(s![..3]) + 1.0);
    });
    differs("the order of axes", |p| {
        let a = square();
        drop(if p == 0 {
            &a + 1.0
        } else {
            &a.transpose(&[1, 0]) + 1.0
        });
    });
    differs("a side of a search", |p| {
        let side = [Side::Left, Side::Right][p];
        drop(arange::<f64>(4.0).searchsorted(&square(), side));
    });
    differs("which array is which", |p| {
        let (a, b) = (square(), square());
        drop(if p == 0 { &a - &b } else { &b - &a });
    });
    differs("which array is written", |p| {
        let (a, b) = (square(), square());
        [&a, &b][p].fill(0.0);
        drop(&a - &b);
    });
    differs("one value among many", |p| {
        let mut values = vec![0.0; 10_000];
        values[777] = p as f64;
        drop(from_slice(&values));
    });
    differs("what is read", |p| {
        drop(zeros::<f64>(&[3, 3]).slice(s![p, ..]).to_vec());
    });
}

/// The descriptions of each pair differ in one field.
#[test]
fn program_hash_covers_every_description_field() {
    let transform = |scale| Fourier {
        op: FourierOp::Forward,
        axis: 0,
        length: 4,
        scale: Parameter(scale),
    };
    let squares = |cutoff| FactorOp::LstSq {
        vector: true,
        cutoff: Parameter(cutoff),
    };
    let pairs = [
        [ReduceOp::Sum, ReduceOp::Max].map(reduce::partial),
        [0, 1].map(|axis| reduce::partial_along(ReduceOp::Sum, axis)),
        [3, 4].map(|length| reduce::along(ReduceOp::Sum, 0, length)),
        [ScanOp::CumSum, ScanOp::CumProd].map(|scan| scan::scan(scan, 0, false)),
        [0, 1].map(index::put),
        [1, 2].map(|width| sort::merge(8, width)),
        [7, 8].map(|runs| sort::merge_numbered(runs, 1)),
        [false, true].map(count::count),
        [5, 6].map(count::ravel),
        [5, 6].map(linear::matmul),
        [1.0, 0.5].map(|scale| fourier::fourier(transform(scale))),
        [1e-9, 1e-8].map(|cutoff| {
            factor::factor(
                squares(cutoff),
                Shape::new(&[]).unwrap(),
                factor::Sizes {
                    matrix: [1, 1],
                    sides: 1,
                },
                [2, 4],
            )
        }),
        [false, true].map(|endpoint| {
            generate::generated(Generator::Linspace {
                start: Parameter(0.0),
                stop: Parameter(1.0),
                count: 3,
                endpoint,
            })
        }),
        [DType::F32, DType::F64].map(elementwise::cast),
    ];
    for [one, other] in pairs {
        let [hash, same, another] = [&one, &one, &other].map(|body| {
            let shape = Shape::new(&[3, 3]).unwrap();
            let operands = body.operands.iter();
            let operands = operands.map(|_| Operand::Scalar(Scalar::Bool(true)));
            let request = Request::new(body.clone(), shape, operands.collect());
            testing::request_hash(&request)
        });
        assert_eq!(hash, same, "{one:?}");
        assert_ne!(hash, another, "{one:?} and {other:?}");
    }
}
