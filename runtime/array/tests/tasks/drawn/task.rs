//! A random task, as a definition and as an oracle that has whole arrays at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{ArrayD, IxDyn};
use proptest::prelude::*;
use weft::dtype::DType;
use weft::task::{BodyArgument, BodyError, Builder, Context, Definition, Kind, Reduction};

use super::arrays::{Cells, StoredView, cells, seen};
use super::cuda::source;
use super::follows::{Follows, Written, follows, indices, widths, written};
use super::verify::{self, Plant};

/// The bound of the numbers that the task computes.
pub(super) const BELOW: f64 = 61.0;

/// The number of elements of a reduced array with an axis.
pub(super) const BINS: usize = 3;

/// The number of tiles that bodies for CPUs have computed.
pub(super) static ON_CPUS: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) follows: Follows,
    pub(super) dtype: DType,
    pub(super) seen: StoredView,
}

#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) written: Written,
    pub(super) dtype: DType,
    /// Whether it is also read.
    pub(super) adds: bool,
    pub(super) seen: StoredView,
}

#[derive(Clone, Debug)]
pub(super) struct Reduced {
    pub(super) reduction: Reduction,
    pub(super) dtype: DType,
    pub(super) rank: usize,
}

/// A task that adds up all elements that an index reads. `out` is that sum; `second` and the
/// contributions depend on it.
#[derive(Clone, Debug)]
pub(super) struct RandomTask {
    pub(super) shape: Vec<usize>,
    pub(super) inputs: Vec<Input>,
    /// Whether the first input is the output of the call before.
    pub(super) feeds: bool,
    pub(super) out: Output,
    pub(super) second: Option<Output>,
    pub(super) reduced: Vec<Reduced>,
    pub(super) unordered: bool,
    /// The threads of a block, if the body in CUDA C is a function of blocks.
    pub(super) block: Option<Vec<u32>>,
}

fn input() -> impl Strategy<Value = Input> {
    use DType::{Bool, F32, F64, I16, I32, I64, U8};
    let dtypes = prop::sample::select(vec![F64, F32, I64, I32, I16, U8, Bool]);
    (follows(), dtypes, seen()).prop_map(|(follows, dtype, seen)| Input {
        follows,
        dtype,
        seen,
    })
}

fn dtypes() -> impl Strategy<Value = DType> {
    prop::sample::select(vec![DType::F64, DType::F32, DType::I64, DType::I32])
}

fn output() -> impl Strategy<Value = Output> {
    (written(), dtypes(), any::<bool>(), seen()).prop_map(|(written, dtype, adds, seen)| Output {
        // All indices of the other axes write the same value.
        adds: adds && !matches!(written, Written::Only(_)),
        written,
        dtype,
        seen,
    })
}

fn reduced() -> impl Strategy<Value = Reduced> {
    use Reduction::{Add, Max, Min, Mul};
    let reductions = prop::sample::select(vec![Add, Mul, Min, Max]);
    (reductions, dtypes(), 0..2_usize).prop_map(|(reduction, dtype, rank)| Reduced {
        reduction,
        dtype,
        rank,
    })
}

/// Generates tasks of up to three axes.
pub(super) fn drawn() -> impl Strategy<Value = RandomTask> {
    let shape = prop_oneof![
        (1..600_usize).prop_map(|length| vec![length]),
        [1..40_usize, 1..40_usize].prop_map(|shape| shape.to_vec()),
        [1..12_usize, 1..12_usize, 1..12_usize].prop_map(|shape| shape.to_vec()),
    ];
    let inputs = (prop::collection::vec(input(), 1..12), widths(), widths());
    let outputs = (output(), prop::option::of(output()));
    let reduced = prop::collection::vec(reduced(), 0..3);
    let blocks = prop::sample::select(vec![
        None,
        None,
        Some(vec![64]),
        Some(vec![4, 16]),
        Some(vec![2, 4, 8]),
    ]);
    let flags = any::<[bool; 2]>();
    (shape, inputs, outputs, reduced, blocks, flags).prop_map(
        |(shape, (mut inputs, low, high), (mut out, second), reduced, block, flags)| {
            let [feeds, unordered] = flags;
            (out.written, out.adds) = (Written::Same, false);
            if feeds {
                inputs[0].follows = Follows::Halo(low, high);
                inputs[0].dtype = out.dtype;
            }
            RandomTask {
                shape,
                inputs,
                feeds,
                out,
                second,
                reduced,
                unordered,
                block,
            }
        },
    )
}

/// The bodies that a definition has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bodies {
    Cpu,
    Both,
}

/// Returns the names of an input and of its image's array.
pub(super) fn names(input: usize) -> (String, String) {
    (format!("through{input}"), format!("in{input}"))
}

impl RandomTask {
    /// Returns all written arrays with their names, `out` first.
    pub(super) fn outputs(&self) -> impl Iterator<Item = (&'static str, &Output)> {
        [("out", Some(&self.out)), ("second", self.second.as_ref())]
            .into_iter()
            .filter_map(|(name, output)| Some((name, output?)))
    }

    /// Returns the elements of an output for an index of the task.
    pub(super) fn written(&self, output: &Output, index: &[usize]) -> Vec<Vec<usize>> {
        let follows = output.written.as_input();
        let dims = follows.dims(&self.shape);
        indices(&follows.part(index, &dims, &|_| None).unwrap())
    }

    pub(super) fn definition(&self, bodies: Bodies, plant: Option<(&Plant, bool)>) -> Definition {
        let mut builder = Definition::builder("drawn");
        for (name, output) in self.outputs() {
            let kind = if output.adds { Kind::InOut } else { Kind::Out };
            let rank = output.written.as_input().dims(&self.shape).len();
            builder = builder.parameter(name, kind, Some(output.dtype), Some(rank));
            builder = output.written.constrain(builder, name, self.shape.len());
        }
        let mut aligned = vec!["out".to_owned()];
        for (at, input) in self.inputs.iter().enumerate() {
            let (through, name) = names(at);
            let both = (through.as_str(), name.as_str());
            builder = input
                .follows
                .declare(builder, both, input.dtype, &self.shape);
            if input.follows.is_aligned() {
                aligned.push(name);
            }
        }
        let aligned: Vec<&str> = aligned.iter().map(String::as_str).collect();
        builder = builder.align(&aligned);
        for (at, reduced) in self.reduced.iter().enumerate() {
            let Reduced {
                reduction,
                dtype,
                rank,
            } = *reduced;
            builder = builder.reduce(&format!("total{at}"), reduction, dtype, rank);
        }
        if plant.is_some() {
            builder = verify::declare(builder);
        }
        if self.unordered || plant.is_some() {
            builder = builder.unordered();
        }
        if bodies == Bodies::Both {
            builder = builder.cuda(&source(self, plant));
            if let Some(block) = &self.block {
                builder = builder.cuda_block(block);
            }
        }
        self.with_body(builder, plant).finish().unwrap()
    }

    fn with_body(&self, builder: Builder, plant: Option<(&Plant, bool)>) -> Builder {
        let task = self.clone();
        let plant = plant.map(|(plant, is_armed)| (plant.clone(), is_armed));
        builder.cpu(move |context: &mut Context<'_, '_>| {
            ON_CPUS.fetch_add(1, Ordering::Relaxed);
            let ranges = context.ranges().to_vec();
            let mut given: Vec<BodyArgument<'_, '_>> = context.take().collect();
            let planted = plant.as_ref();
            let planted = planted.map(|(plant, _)| plant.find(&mut given));
            let mut all = Vec::new();
            for one in given {
                all.push((one.name().to_owned(), cells(one)?));
            }
            let mut body = Body { task: &task, all };
            for index in indices(&ranges) {
                body.run(&index, plant.as_ref(), planted.as_ref())?;
            }
            Ok(())
        })
    }
}

/// The arguments of a tile.
pub(super) struct Body<'a, 't> {
    task: &'a RandomTask,
    all: Vec<(String, Box<dyn Cells + 't>)>,
}

impl Body<'_, '_> {
    pub(super) fn cells(&mut self, name: &str) -> Result<&mut dyn Cells, BodyError> {
        let found = self.all.iter_mut().find(|(own, _)| own == name);
        let (_, cells) = found.ok_or_else(|| format!("there is no {name}"))?;
        Ok(&mut **cells)
    }

    fn get(&mut self, name: &str, index: &[usize]) -> Result<f64, BodyError> {
        let value = self.cells(name)?.get(index);
        value.ok_or_else(|| format!("the tile has no {name} at {index:?}").into())
    }

    fn set(&mut self, name: &str, index: &[usize], value: f64) -> Result<(), BodyError> {
        let done = self.cells(name)?.set(index, value);
        done.ok_or_else(|| format!("the tile has no {name} at {index:?}").into())
    }

    /// Returns the sum of all elements that an index reads.
    fn sum(&mut self, index: &[usize]) -> Result<f64, BodyError> {
        let mut sum = 0.0;
        for (at, input) in self.task.inputs.iter().enumerate() {
            let (through, name) = names(at);
            let dims = input.follows.dims(&self.task.shape);
            let bounds = |place: &[usize]| {
                let all = self.all.iter().find(|(own, _)| *own == through);
                all.and_then(|(_, cells)| cells.get(place))
            };
            let part = input.follows.part(index, &dims, &bounds);
            for place in indices(&part.ok_or_else(|| format!("{through} for {index:?}"))?) {
                sum += self.get(&name, &place)?;
            }
        }
        Ok(sum)
    }

    fn run(
        &mut self,
        index: &[usize],
        plant: Option<&(Plant, bool)>,
        planted: Option<&verify::Failures>,
    ) -> Result<(), BodyError> {
        let value = self.sum(index)? % BELOW;
        let mut more = 0.0;
        let mut skipped = None;
        if let (Some((plant, is_armed)), Some(found)) = (plant, planted)
            && plant.index == index
        {
            (more, skipped) = plant.run(self, found, *is_armed)?;
        }
        let task = self.task;
        for (name, output) in task.outputs() {
            for (number, place) in task.written(output, index).iter().enumerate() {
                if skipped.as_ref() == Some(&(name, place.clone())) {
                    continue;
                }
                let old = match output.adds {
                    true => self.get(name, place)?,
                    false => 0.0,
                };
                let more = if number == 0 { more } else { 0.0 };
                self.set(name, place, output.value(value, number, index, old) + more)?;
            }
        }
        for (at, reduced) in task.reduced.iter().enumerate() {
            let (name, bin) = (format!("total{at}"), reduced.bin(index));
            let old = self.get(&name, &bin)?;
            self.set(&name, &bin, reduced.combine(old, value))?;
        }
        Ok(())
    }
}

impl Output {
    /// Returns the value of the element with this number among those of an index.
    fn value(&self, value: f64, number: usize, index: &[usize], old: f64) -> f64 {
        match self.written {
            Written::Only(axis) => index[axis % index.len()] as f64 % BELOW,
            _ => (old + value + number as f64) % BELOW,
        }
    }
}

impl Reduced {
    /// Returns the element to which an index contributes.
    fn bin(&self, index: &[usize]) -> Vec<usize> {
        match self.rank {
            0 => Vec::new(),
            _ => vec![index[index.len() - 1] % BINS],
        }
    }

    fn combine(&self, old: f64, value: f64) -> f64 {
        match self.reduction {
            Reduction::Add => old + value,
            Reduction::Mul => old * (1.0 - 2.0 * (value % 2.0)),
            Reduction::Min => old.min(value),
            Reduction::Max => old.max(value),
        }
    }

    /// Whether every order of the contributions gives the same bits.
    pub(super) fn has_one_result(&self) -> bool {
        let is_sum = matches!(self.reduction, Reduction::Add | Reduction::Mul);
        self.rank == 0 || !is_sum || self.dtype.is_integer()
    }

    /// Returns the shape of the array.
    pub(super) fn dims(&self) -> Vec<usize> {
        vec![BINS; self.rank]
    }
}

/// The arrays of a task.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The inputs, each with the values of its image.
    pub(super) inputs: Vec<(Option<ArrayD<f64>>, ArrayD<f64>)>,
    pub(super) outputs: Vec<ArrayD<f64>>,
    pub(super) totals: Vec<ArrayD<f64>>,
}

impl State {
    /// Computes one call of the task.
    pub(super) fn step(&mut self, task: &RandomTask) {
        let shape: Vec<_> = task.shape.iter().map(|extent| 0..*extent).collect();
        for index in indices(&shape) {
            let mut sum = 0.0;
            for (input, (through, array)) in task.inputs.iter().zip(&self.inputs) {
                let bounds = |place: &[usize]| through.as_ref().map(|of| of[IxDyn(place)]);
                let part = input.follows.part(&index, array.shape(), &bounds).unwrap();
                for place in indices(&part) {
                    sum += array[IxDyn(&place)];
                }
            }
            let value = sum % BELOW;
            for ((_, output), array) in task.outputs().zip(&mut self.outputs) {
                for (number, place) in task.written(output, &index).iter().enumerate() {
                    let element = &mut array[IxDyn(place)];
                    let old = if output.adds { *element } else { 0.0 };
                    *element = output.value(value, number, &index, old);
                }
            }
            for (reduced, array) in task.reduced.iter().zip(&mut self.totals) {
                let element = &mut array[IxDyn(&reduced.bin(&index))];
                *element = reduced.combine(*element, value);
            }
        }
    }
}
