//! Rust functions of elements have the same results for all layouts of their operands.

#![allow(
    clippy::unwrap_used,
    unsafe_code,
    reason = "a test fails by panicking, and makes tiles of its own vectors"
)]

use weft_elements::chain::{ChainPlan, Step, Value};
use weft_elements::dtype::{DType, Element};
use weft_elements::shape::{Layout, Shape};
use weft_elements::{Map, Tile, TileRef};

/// The steps between the elements of a tile in its vector: one element for all, neighbours, and
/// every third.
const STEPS: [isize; 3] = [0, 1, 3];

fn layout(count: usize, step: isize) -> Layout {
    let mut layout = Layout::contiguous(Shape::new(&[count]).unwrap());
    layout.strides[0] = step;
    layout
}

/// Returns a vector with the elements of a tile of `count` elements, for each of [`STEPS`].
fn values<T: Element>(count: usize, of: impl Fn(usize) -> T) -> Vec<T> {
    (0..3 * count).map(of).collect()
}

fn input<T: Element>(of: &[T], count: usize, step: isize) -> TileRef<'_> {
    // SAFETY: the vector has an element at each step.
    unsafe { TileRef::new(of.as_ptr().cast(), T::DTYPE, layout(count, step)) }
}

#[test]
fn map_accepts_any_operand_layout() {
    let map = Map::new("polynomial", |a: f64, b: f32, c: i16| {
        a * f64::from(b) - f64::from(c)
    });
    let step = Step {
        kind: map.step(),
        inputs: [0, 1, 2].into_iter().map(Value::Input).collect(),
    };
    let dtypes = [DType::F64, DType::F32, DType::I16];
    let plan = ChainPlan::new(&dtypes, &[step], &[0], None).unwrap();
    // Less than a vector, pairs of cache lines and a remainder, and more than a block.
    for count in [1, 5, 16, 37, 700] {
        let a = values(count, |at| at as f64 + 0.5);
        let b = values(count, |at| 2.0 - at as f32);
        let c = values(count, |at| 7 * at as i16 - 100);
        for (of_a, of_b) in STEPS.into_iter().flat_map(|a| STEPS.map(|b| (a, b))) {
            for (of_c, of_out) in STEPS
                .into_iter()
                .flat_map(|c| [1_isize, 3].map(|out| (c, out)))
            {
                let mut out = vec![f64::NAN; 3 * count];
                let inputs = [
                    input(&a, count, of_a),
                    input(&b, count, of_b),
                    input(&c, count, of_c),
                ];
                let at = out.as_mut_ptr().cast();
                // SAFETY: the vector has an element at each step, and nothing else accesses it
                // meanwhile.
                let tile = unsafe { Tile::new(at, DType::F64, layout(count, of_out)) };
                plan.run(&inputs, &mut [tile], None);
                let steps = [of_a, of_b, of_c, of_out].map(|step| step as usize);
                for (at, found) in out.iter().enumerate() {
                    let index = at / steps[3];
                    let is_written = at % steps[3] == 0 && index < count;
                    let expected = match is_written {
                        true => {
                            let [a, b, c] = [
                                a[index * steps[0]],
                                f64::from(b[index * steps[1]]),
                                f64::from(c[index * steps[2]]),
                            ];
                            a * b - c
                        }
                        false => f64::NAN,
                    };
                    assert_eq!(
                        found.to_bits(),
                        expected.to_bits(),
                        "element {at} of {count}, steps {steps:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn output_may_alias_an_input() {
    let map = Map::new("difference", |a: f64, b: f64| a - b);
    let step = Step {
        kind: map.step(),
        inputs: [0, 1].into_iter().map(Value::Input).collect(),
    };
    let plan = ChainPlan::new(&[DType::F64; 2], &[step], &[0], None).unwrap();
    for (count, of_b) in [5, 37, 700]
        .into_iter()
        .flat_map(|count| STEPS.map(|b| (count, b)))
    {
        let mut a = values(count, |at| at as f64);
        let b = values(count, |at| 0.25 * at as f64 + 1.0);
        let at: *mut u8 = a.as_mut_ptr().cast();
        // SAFETY: the vector has all elements; an output may be exactly the view of an input.
        let (own, mut out) = unsafe {
            let tile = || Tile::new(at, DType::F64, layout(count, 1));
            (TileRef::new(at, DType::F64, layout(count, 1)), [tile()])
        };
        plan.run(&[own, input(&b, count, of_b)], &mut out, None);
        for (at, found) in a[..count].iter().enumerate() {
            assert_eq!(
                *found,
                at as f64 - b[at * of_b as usize],
                "element {at} of {count}"
            );
        }
    }
}
