//! Undeclared accesses of random tasks: `--verify` names the task, the operand and the index of
//! each.

#![allow(unsafe_code, reason = "bodies with deliberate violations")]

use std::cell::Cell;

use proptest::prelude::*;
use weft::Error;
use weft::dtype::{DType, Scalar};
use weft::error::Cause;
use weft::task::{BodyArgument, BodyError, Builder, Reduction};
use weft::{Array, Runtime};

use super::arrays::read;
use super::follows::Written;
use super::task::{Bodies, Body, RandomTask, drawn, names};
use super::{Arrays, cases, config, state};
use crate::support::runtime;

/// The modulus of an element that was read in addition, so that every dtype of the output shows a
/// difference.
const REST: f64 = 1021.0;

/// The number of elements of the array in which a body reports its access: the count, and the
/// index.
const PROBED: usize = 5;

/// The kind of an undeclared access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    ReadOutside,
    WriteInput,
    WriteOutside,
    Unwritten,
    ReadOutput,
    /// A read at an index that the array does not have.
    ReadBeyond,
    WriteBeyond,
}

/// An undeclared access, at one index of the task.
#[derive(Clone, Debug)]
pub(super) struct Plant {
    pub(super) what: What,
    /// The operand.
    pub(super) name: String,
    /// The shape of the operand.
    pub(super) dims: Vec<usize>,
    /// The index of the task whose body makes the access.
    pub(super) index: Vec<usize>,
    /// The axis along which the access leaves the tile's part, if it can.
    pub(super) axis: usize,
    pub(super) is_up: bool,
    /// The number of elements between the access and the part.
    pub(super) far: usize,
    /// The first element of the operand that the index writes.
    pub(super) own: Vec<usize>,
}

/// The place of a tile's access: an element of the operand; `None` if the part has all elements.
pub(super) struct Failures {
    place: Option<Vec<usize>>,
    address: *mut u8,
    dtype: DType,
}

/// The addition to the output, and an element that must not be written.
type Effect = (f64, Option<(&'static str, Vec<usize>)>);

/// Random numbers that determine a plant.
type Numbers = (
    usize,
    prop::sample::Index,
    prop::sample::Index,
    usize,
    bool,
    usize,
);

pub(super) fn numbers() -> impl Strategy<Value = Numbers> {
    let index = any::<prop::sample::Index>;
    (
        0..7_usize,
        index(),
        index(),
        0..4_usize,
        any::<bool>(),
        0..3_usize,
    )
}

/// Adds the array in which a body reports its access.
pub(super) fn declare(builder: Builder) -> Builder {
    builder.reduce("probe", Reduction::Add, DType::I64, 1)
}

impl Plant {
    /// Returns an undeclared access of a kind that the bodies can make.
    pub(super) fn new(task: &RandomTask, numbers: &Numbers, all: &[What]) -> Plant {
        let (what, operand, index, axis, is_up, far) = numbers;
        let what = all[what % all.len()];
        let inputs = task.inputs.iter().enumerate().flat_map(|(at, input)| {
            let (through, name) = names(at);
            let own = (name, input.follows.dims(&task.shape));
            let through = match &input.follows {
                super::Follows::Image(image) => Some((through, image.through(&task.shape))),
                _ => None,
            };
            through.into_iter().chain([own])
        });
        let outputs = task.outputs().filter(|(_, output)| match what {
            What::Unwritten | What::ReadOutput => {
                !output.adds && !matches!(output.written, Written::Only(_))
            }
            _ => true,
        });
        let dims = |written: &Written| written.as_input().dims(&task.shape);
        let outputs = outputs.map(|(name, output)| (name.to_owned(), dims(&output.written)));
        let operands: Vec<(String, Vec<usize>)> = match what {
            What::ReadOutside | What::WriteInput | What::ReadBeyond => inputs.collect(),
            _ => outputs.collect(),
        };
        let (name, dims) = operand.get(&operands).clone();
        let mut rest = index.index(task.shape.iter().product());
        let mut index = task.shape.clone();
        for at in index.iter_mut().rev() {
            (rest, *at) = (rest / *at, rest % *at);
        }
        let output = task.outputs().find(|(own, _)| *own == name);
        let own = output.map(|(_, output)| task.written(output, &index).swap_remove(0));
        Plant {
            what,
            name,
            dims,
            index,
            axis: *axis,
            is_up: *is_up,
            far: *far,
            own: own.unwrap_or_default(),
        }
    }

    /// Returns the directions out of a part, the preferred one first: the axis, whether upwards,
    /// and the distance.
    pub(super) fn ways(&self) -> impl Iterator<Item = (usize, bool, usize)> {
        let rank = self.dims.len();
        let axes = (0..rank).map(move |axis| (axis + self.axis) % rank);
        axes.flat_map(|axis| {
            let ways = [(self.is_up, self.far), (!self.is_up, self.far)];
            let near = [(self.is_up, 0), (!self.is_up, 0)];
            ways.into_iter()
                .chain(near)
                .map(move |(is_up, far)| (axis, is_up, far))
        })
    }

    /// Finds the place of the access in a tile with these arguments.
    pub(super) fn find(&self, given: &mut [BodyArgument<'_, '_>]) -> Failures {
        let operand = given.iter_mut().find(|one| one.name() == self.name);
        let operand = operand.unwrap();
        let bounds = operand.bounds().to_vec();
        let dtype = operand.dtype();
        let is_empty = bounds.iter().any(|(first, end)| first == end);
        let firsts: Vec<usize> = bounds.iter().map(|(first, _)| *first).collect();
        let place = match self.what {
            _ if is_empty => None,
            What::WriteInput => Some(firsts.clone()),
            What::Unwritten | What::ReadOutput => Some(self.own.clone()),
            _ => self.ways().find_map(|(axis, is_up, far)| {
                let (first, end) = bounds[axis];
                let at = match is_up {
                    true => Some(end + far).filter(|at| *at < self.dims[axis]),
                    false => first.checked_sub(1 + far),
                };
                let mut place = firsts.clone();
                place[axis] = at?;
                Some(place)
            }),
        };
        let tile = operand.as_tile();
        let mut address = tile.first();
        for (axis, at) in place.iter().flatten().enumerate() {
            let steps = *at as isize - firsts[axis] as isize;
            address = address.wrapping_offset(steps * tile.byte_stride(axis));
        }
        Failures {
            place,
            address,
            dtype,
        }
    }

    /// Makes the access, or reports it.
    pub(super) fn run(
        &self,
        body: &mut Body<'_, '_>,
        found: &Failures,
        is_armed: bool,
    ) -> Result<Effect, BodyError> {
        let Some(place) = &found.place else {
            return Ok((0.0, None));
        };
        if !is_armed {
            let probe = body.cells("probe")?;
            for (at, value) in std::iter::once(&1).chain(place).enumerate() {
                probe.set(&[at], *value as f64).ok_or("no probe")?;
            }
            return Ok((0.0, None));
        }
        match self.what {
            What::ReadOutside => return Ok((found.read() % REST, None)),
            What::WriteInput | What::WriteOutside => found.change(),
            What::Unwritten => {
                let name = if self.name == "out" { "out" } else { "second" };
                return Ok((0.0, Some((name, place.clone()))));
            }
            What::ReadOutput => {
                let value = body.cells(&self.name)?.get(place).ok_or("no output")?;
                return Ok((value % REST, None));
            }
            What::ReadBeyond | What::WriteBeyond => return Err("only on GPUs".into()),
        }
        Ok((0.0, None))
    }

    /// Returns the expected message for the access at this index of the operand.
    fn expected(&self, place: &[i64]) -> String {
        let name = &self.name;
        let beyond = |what: &str| {
            let axis = self.axis % self.dims.len();
            let index = place[axis];
            format!("it {what} {name} at index {index} of axis {axis}, outside of its shape")
        };
        match self.what {
            What::ReadOutside => {
                format!("it reads {name} at {place:?}, which its tile does not have")
            }
            What::WriteInput => format!("it writes to {name} at {place:?}, which it only reads"),
            What::WriteOutside => {
                format!("it writes to {name} at {place:?}, which is not in its tile")
            }
            What::Unwritten => format!("it does not write {name} at {place:?}"),
            What::ReadOutput => format!("it reads {name} at {place:?} before it writes it"),
            What::ReadBeyond => beyond("reads"),
            What::WriteBeyond => beyond("writes to"),
        }
    }
}

impl Plant {
    /// Returns the message about an output with its old value.
    fn as_before(&self) -> String {
        format!("it does not write {} at {:?}", self.name, self.own)
    }
}

impl Failures {
    /// Reads the element.
    fn read(&self) -> f64 {
        macro_rules! of {
            ($($dtype:ident: $T:ty),*) => {
                match self.dtype {
                    // SAFETY: `--verify` has a copy of the whole array. The element is in it,
                    // aligned, and has a value or a pattern, which is valid for all of these types.
                    $(DType::$dtype => Scalar::from(unsafe { self.address.cast::<$T>().read() }).to::<f64>(),)*
                    other => panic!("{other} is not drawn"),
                }
            };
        }
        of!(Bool: u8, U8: u8, I16: i16, I32: i32, I64: i64, F32: f32, F64: f64)
    }

    /// Changes the lowest bit of the element.
    fn change(&self) {
        // SAFETY: as above for the address. The write violates the contract on purpose, since an
        // input is lent for reading only.
        unsafe { self.address.write(self.address.read() ^ 1) }
    }
}

/// Runs the task twice. Without `--verify` it reports the access, and has the right results. With
/// `--verify` it makes the access, which must be found. Returns whether there was something to
/// find.
pub(super) fn find(
    task: &RandomTask,
    plant: &Plant,
    bodies: Bodies,
    words: &str,
    runtime: impl Fn(&str) -> Runtime,
) -> bool {
    let mut expected = state(task);
    let plain = runtime(words);
    let probed: Vec<i64> = plain.enter(|| {
        let arrays = Arrays::new(task, &expected);
        let probe = weft::zeros::<i64>(&[PROBED]);
        let definition = task.definition(bodies, Some((plant, false)));
        definition.launch(&with(&arrays, &probe)).unwrap();
        expected.step(task);
        let found = read(&arrays.outputs[0]).unwrap();
        assert_eq!(found, expected.outputs[0], "{words}: {task:?}");
        probe.to_vec().unwrap()
    });
    plain.finish().unwrap();
    let verifying = runtime(&format!("{words} --verify"));
    let text = verifying.enter(|| {
        let arrays = Arrays::new(task, &state(task));
        let probe = weft::zeros::<i64>(&[PROBED]);
        let definition = task.definition(bodies, Some((plant, true)));
        definition.launch(&with(&arrays, &probe)).unwrap();
        match read(&arrays.outputs[0]) {
            Ok(_) => String::new(),
            Err(Error::Failed(failure)) => {
                assert!(matches!(failure.cause, Cause::Undeclared(_)), "{failure}");
                failure.to_string()
            }
            Err(error) => panic!("{error}"),
        }
    });
    drop(verifying.finish());
    let is_there = probed[0] == 1;
    if is_there {
        let wanted = plant.expected(&probed[1..1 + plant.dims.len()]);
        let place = format!("drawn at {}:", file!());
        // The addition may be too small to change the element, which then looks as if it were not
        // written.
        let is_as_before = plant.what == What::ReadOutput && text.contains(&plant.as_before());
        assert!(
            (text.contains(&wanted) || is_as_before) && text.contains(&place),
            "{words}: {wanted:?} is not in {text:?}\n{plant:?}\n{task:?}"
        );
    } else {
        assert_eq!(text, "", "{words}: {probed:?} {plant:?}\n{task:?}");
    }
    is_there
}

fn with<'a>(arrays: &'a Arrays, probe: &'a Array<i64>) -> Vec<weft::task::Argument<'a>> {
    let mut arguments = arrays.arguments();
    arguments.push(probe.into());
    arguments
}

/// Plants and finds accesses in `count` tasks.
pub(super) fn find_all(
    count: u32,
    all: &[What],
    bodies: Bodies,
    words: &str,
    runtime: impl Fn(&str) -> Runtime + Copy,
) {
    let found = Cell::new(0);
    proptest!(config(count), |(task in drawn(), numbers in numbers())| {
        let plant = Plant::new(&task, &numbers, all);
        if find(&task, &plant, bodies, words, runtime) {
            found.set(found.get() + 1);
        }
    });
    // Many parts have all elements, so that none are beyond them.
    let found = found.get();
    assert!(
        found >= count / 3,
        "{found} of {count} tasks have something to find"
    );
}

#[test]
fn verify_finds_planted_errors() {
    let all = [
        What::ReadOutside,
        What::WriteInput,
        What::WriteOutside,
        What::Unwritten,
        What::ReadOutput,
    ];
    let words = "--cpus 2 --min-cpu-chunk 40 --max-inline-chunk 0";
    find_all(cases(100), &all, Bodies::Cpu, words, runtime);
}
