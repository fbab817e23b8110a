//! Every generator on every dtype, over outputs with any memory layout, compared with the CPU's
//! kernels.

use super::super::testing::{self, can_run, compile_all, device_tile, run};
use super::*;
use crate::dtype::{Parameter, f16, with_integer};
use crate::kernel::random::Source;
use crate::kernel::testing::{Draw, Operand, assert_same};
use crate::kernel::{generate, random};

/// A tile of a larger array, and its generator.
struct RandomFill {
    out: Operand,
    first: [usize; MAX_DIMS],
    whole: Shape,
    generator: Generator,
}

const LENGTHS: [usize; 8] = [0, 1, 2, 5, 31, 64, 150, 700];

impl RandomFill {
    fn new(kind: Kind, dtype: DType, draw: &mut Draw) -> RandomFill {
        let rank = match kind {
            Kind::Arange | Kind::Linspace => 1,
            Kind::Eye => 2,
            _ => draw.below(4),
        };
        let most = if rank == 1 {
            LENGTHS.len()
        } else {
            LENGTHS.len() - 1
        };
        let mut dims: Vec<usize> = (0..rank).map(|_| LENGTHS[draw.below(most)]).collect();
        if rank == 3 {
            dims[draw.below(3)] = 2;
            dims[draw.below(3)] = 3;
        }
        // A tile is a part of the whole along some axes.
        let mut first = [0; MAX_DIMS];
        let mut whole = dims.clone();
        for axis in 0..rank {
            if draw.below(2) == 0 {
                first[axis] = draw.below(40);
                whole[axis] += first[axis] + draw.below(5);
            }
        }
        let whole = Shape::new(&whole).unwrap();
        let out = Operand::new(draw, dtype, &dims, true, |draw| draw.value(dtype));
        let generator = generator(kind, dtype, whole, draw);
        RandomFill {
            out,
            first,
            whole,
            generator,
        }
    }

    fn work(&self) -> Option<Work> {
        work(
            self.generator,
            &device_tile(&self.out),
            self.first,
            self.whole,
        )
    }

    /// Returns the values of the CPU's kernel.
    fn expected(&self) -> Vec<Scalar> {
        let mut out = Operand::zeros(self.out.layout.shape.dims(), self.out.tile().dtype());
        let first = &self.first[..self.whole.rank()];
        let (mut tile, whole) = (out.tile_mut(), self.whole);
        match self.generator {
            Generator::Arange { start, step } => generate::arange(start, step, &mut tile, first),
            Generator::Linspace {
                start: Parameter(start),
                stop: Parameter(stop),
                count,
                endpoint,
            } => {
                generate::linspace(start, stop, count, endpoint, &mut tile, first);
            }
            Generator::Eye { diagonal } => generate::eye(diagonal, &mut tile, first[0], first[1]),
            Generator::Random {
                distribution,
                source,
            } => match distribution {
                Distribution::Uniform => random::uniform(source, &mut tile, first, whole),
                Distribution::Normal => random::normal(source, &mut tile, first, whole),
                Distribution::Integers { low, high } => {
                    random::integers(source, low, high, &mut tile, first, whole)
                }
            },
        }
        out.values()
    }
}

fn generator(kind: Kind, dtype: DType, whole: Shape, draw: &mut Draw) -> Generator {
    let source = Source {
        seed: draw.next(),
        stream: draw.next(),
    };
    let random = |distribution| Generator::Random {
        distribution,
        source,
    };
    let float = |draw: &mut Draw| draw.tame(DType::F64).to::<f64>();
    match kind {
        Kind::Arange => Generator::Arange {
            start: draw.tame(dtype),
            step: draw.tame(dtype),
        },
        Kind::Linspace => {
            let start = float(draw);
            // Steps that underflow, and no steps.
            let stop = [float(draw), start, 5e-324][draw.below(3)];
            let count = whole.len();
            Generator::Linspace {
                start: Parameter(start),
                stop: Parameter(stop),
                count,
                endpoint: draw.below(2) == 0,
            }
        }
        Kind::Eye => Generator::Eye {
            diagonal: draw.below(41) as isize - 20,
        },
        Kind::Uniform => random(Distribution::Uniform),
        Kind::Normal => random(Distribution::Normal),
        Kind::Integers => {
            let (least, most) = with_integer!(dtype, T => (i128::from(T::MIN), i128::from(T::MAX)),
                else unreachable!("random integers have an integer type"));
            let (low, high): (i128, i128) =
                [(least, most + 1), (0, 10), (least, least + 1), (3, most)][draw.below(4)];
            random(Distribution::Integers { low, high })
        }
    }
}

fn dtypes(kind: Kind) -> impl Iterator<Item = DType> {
    testing::dtypes().filter(move |dtype| match kind {
        Kind::Arange => !dtype.is_bool() && !dtype.is_complex(),
        Kind::Linspace | Kind::Eye => true,
        Kind::Uniform | Kind::Normal => dtype.is_float(),
        Kind::Integers => dtype.is_integer(),
    })
}

const KINDS: [Kind; 6] = [
    Kind::Arange,
    Kind::Linspace,
    Kind::Eye,
    Kind::Uniform,
    Kind::Normal,
    Kind::Integers,
];

#[test]
fn runs_every_generator_on_every_dtype() {
    if !can_run() {
        return;
    }
    let mut draw = Draw(1);
    for kind in KINDS {
        for dtype in dtypes(kind) {
            for _ in 0..5 {
                let drawn = RandomFill::new(kind, dtype, &mut draw);
                let expected = drawn.expected();
                let outside = drawn.out.others();
                if let Some(work) = drawn.work() {
                    run(&work);
                }
                let what = format!(
                    "{:?} of {dtype}, {:?} in {}",
                    drawn.generator, drawn.out.layout, drawn.whole
                );
                if kind == Kind::Normal {
                    assert_near(&drawn.out.values(), &expected, &what);
                } else {
                    assert_same(&drawn.out.values(), &expected, &what);
                }
                for ((_, before), (_, after)) in outside.iter().zip(drawn.out.others()) {
                    assert_same(&[after], &[*before], &format_args!("outside: {what}"));
                }
            }
        }
    }
}

/// Asserts that values are nearly equal: logarithm, sine and cosine may differ in the last bits,
/// and angles are up to 2 pi.
fn assert_near(got: &[Scalar], expected: &[Scalar], what: &str) {
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        let [a, b]: [f64; 2] = [got.to(), expected.to()];
        let ulp = match got.dtype() {
            DType::F16 => f64::from(f16::EPSILON),
            DType::F32 => f64::from(f32::EPSILON),
            _ => f64::EPSILON,
        };
        assert!(
            (a - b).abs() <= 16.0 * ulp * (1.0 + b.abs()),
            "{a} is not {b}: {what}"
        );
    }
}

#[test]
fn every_kernel_compiles() {
    let mut draw = Draw(2);
    let mut kernels = Vec::new();
    for kind in KINDS {
        for dtype in dtypes(kind) {
            for _ in 0..5 {
                if let Some(Work::Kernel(launch)) = RandomFill::new(kind, dtype, &mut draw).work() {
                    kernels.push(launch.kernel);
                }
            }
        }
    }
    compile_all(kernels);
}
