//! Runs a program of [`Step`]s on a runtime.

use ndarray::s;
use weft::dtype::{Complex, DType, Element, Scalar, f16};
use weft::error::{CallError, Cause};
use weft::kernel::BinaryOp;
use weft::program::Value;
use weft::{DynArray, Error, Runtime};

use super::program::{DTYPES, Grid, INNER, OUTER, Operand, Step};

/// The most values of one shape that a program has at a time.
const MAX: usize = 20;
/// The number of elements of an array that exceeds the memory of all tests.
const HUGE: usize = 4 << 20;

/// The result of reading a value: the bits of its elements, or the operation that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Bits(Vec<u64>),
    Failed(String),
}

impl Outcome {
    /// Describes the difference between two outcomes.
    pub(crate) fn unlike(&self, found: &Outcome) -> String {
        let (Outcome::Bits(expected), Outcome::Bits(found)) = (self, found) else {
            return format!("{} and not {}", found.brief(), self.brief());
        };
        let differ = |at: &usize| expected.get(*at) != found.get(*at);
        let most = expected.len().max(found.len());
        let places: Vec<usize> = (0..most).filter(differ).collect();
        let bits = |bits: &[u64], at: usize| bits.get(at).map(|bits| format!("{bits:#x}"));
        format!(
            "{:?} and not {:?} in the first of the places {places:?} of {most}",
            bits(found, places[0]),
            bits(expected, places[0])
        )
    }

    fn brief(&self) -> String {
        match self {
            Outcome::Bits(bits) => format!("{} elements", bits.len()),
            Outcome::Failed(operation) => format!("failure of {operation}"),
        }
    }
}

/// The state of a program while it runs.
pub(crate) struct Run<'a> {
    runtime: &'a Runtime,
    /// Whether the program waits for every value that it computes.
    eager: bool,
    outer: Vec<DynArray>,
    inner: Vec<DynArray>,
    singles: Vec<DynArray>,
    huge: Vec<DynArray>,
}

/// Runs a program, and reads all its values at the end.
pub(crate) fn run(runtime: &Runtime, program: &[Step], eager: bool) -> Vec<Outcome> {
    let mut run = Run {
        runtime,
        eager,
        outer: grids(runtime, OUTER),
        inner: grids(runtime, INNER),
        singles: Vec::new(),
        huge: Vec::new(),
    };
    for (at, value) in [2.5, -1.0].into_iter().enumerate() {
        let scalar = Scalar::from(value).cast(DTYPES[at]);
        run.singles.extend(DynArray::full(runtime, &[], scalar));
    }
    for step in program {
        // Calls with the wrong dtypes fail in every mode.
        drop(run.step(step));
    }
    let values = run.outer.iter().chain(&run.inner).chain(&run.singles);
    values.map(outcome).collect()
}

/// Returns values of one shape: one of each dtype, and the first of them twice.
fn grids(runtime: &Runtime, shape: [usize; 2]) -> Vec<DynArray> {
    let count = shape[0] * shape[1];
    let dtypes = DTYPES.into_iter().chain([DType::F64, DType::I64]);
    let grids = dtypes.enumerate().map(|(at, dtype)| {
        let value = |i: usize| ((i * 37 + at * 11) % 113) as f64 * 0.25 - 9.0;
        let values: Vec<f64> = (0..count).map(value).collect();
        let grid = DynArray::from_vec(runtime, &shape, values)?;
        let out = DynArray::full(runtime, &shape, Scalar::from(0.0).cast(dtype))?;
        out.assign(&grid)?;
        Ok::<DynArray, CallError>(out)
    });
    grids.map(Result::unwrap).collect()
}

impl Run<'_> {
    fn values(&mut self, grid: Grid) -> &mut Vec<DynArray> {
        match grid {
            Grid::Outer => &mut self.outer,
            Grid::Inner => &mut self.inner,
        }
    }

    /// Adds a value, and removes the oldest one that is not an initial value if there are too many.
    fn add(&mut self, grid: Grid, value: DynArray) {
        if self.eager {
            drop(outcome(&value));
        }
        let values = self.values(grid);
        if values.len() >= MAX {
            values.remove(MAX / 2);
        }
        values.push(value);
    }

    fn add_single(&mut self, value: DynArray) {
        if self.eager {
            drop(outcome(&value));
        }
        if self.singles.len() >= MAX {
            self.singles.remove(MAX / 2);
        }
        self.singles.push(value);
    }

    fn array(&mut self, grid: Grid, operand: Operand) -> Result<Option<DynArray>, CallError> {
        let pick = |values: &[DynArray], at: u8| values[usize::from(at) % values.len()].clone();
        let shape = match grid {
            Grid::Outer => OUTER,
            Grid::Inner => INNER,
        };
        Ok(Some(match operand {
            Operand::Value(at) => pick(self.values(grid), at),
            Operand::Shifted { of, .. } if grid == Grid::Outer => pick(&self.outer, of),
            Operand::Shifted { of, down, right } => {
                view(&pick(&self.outer, of), down.into(), right.into())?
            }
            Operand::Reversed(at) => pick(self.values(grid), at).slice(s![..;-1, ..])?,
            Operand::Row(at) => {
                let row = pick(self.values(grid), at).slice(s![0, ..])?;
                row.broadcast_to(&shape)?
            }
            Operand::Column(at) => {
                let column = pick(self.values(grid), at).slice(s![.., ..1])?;
                column.broadcast_to(&shape)?
            }
            Operand::Single(at) => pick(&self.singles, at).broadcast_to(&shape)?,
            Operand::Number(_) => return Ok(None),
        }))
    }

    fn value(&mut self, grid: Grid, operand: Operand) -> Result<Value, CallError> {
        Ok(match (self.array(grid, operand)?, operand) {
            (Some(array), _) => Value::Array(array),
            (None, Operand::Number(number)) => Value::from(f64::from(number) * 0.25),
            (None, _) => Value::from(0.0),
        })
    }

    /// Returns the right operand of a function. Negative exponents of integers are raised to 0.
    fn right(&mut self, grid: Grid, op: BinaryOp, operand: Operand) -> Result<Value, CallError> {
        match self.value(grid, operand)? {
            Value::Array(array) if op == BinaryOp::Pow && array.dtype().is_integer() => {
                DynArray::binary(BinaryOp::Maximum, &array, 0i64).map(Value::Array)
            }
            other => Ok(other),
        }
    }

    /// Returns an operand as an array; a number becomes an array with this number in every element.
    fn whole(&mut self, grid: Grid, operand: Operand) -> Result<DynArray, CallError> {
        match self.value(grid, operand)? {
            Value::Array(array) => Ok(array),
            Value::Scalar(scalar) => {
                let shape = if grid == Grid::Outer { OUTER } else { INNER };
                DynArray::full(self.runtime, &shape, scalar)
            }
        }
    }

    fn mask(&mut self, grid: Grid, c: Operand, d: Operand) -> Result<DynArray, CallError> {
        let (c, d) = (self.whole(grid, c)?, self.value(grid, d)?);
        DynArray::binary(BinaryOp::Less, &c, d)
    }

    fn wrote(&self, to: &DynArray) {
        if self.eager {
            drop(outcome(to));
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), CallError> {
        match *step {
            Step::Unary { grid, op, a } => {
                let value = self.whole(grid, a)?.unary(op)?;
                self.add(grid, value);
            }
            Step::Binary { grid, op, a, b } => {
                let (a, b) = (self.whole(grid, a)?, self.right(grid, op, b)?);
                self.add(grid, DynArray::binary(op, &a, b)?);
            }
            Step::Select { grid, c, d, a, b } => {
                let mask = self.mask(grid, c, d)?;
                let (a, b) = (self.value(grid, a)?, self.value(grid, b)?);
                self.add(grid, DynArray::select(&mask, a, b)?);
            }
            Step::Clip { grid, a, low, high } => {
                let above = self.whole(grid, a)?;
                let above = DynArray::binary(BinaryOp::Maximum, &above, f64::from(low))?;
                let within = DynArray::binary(BinaryOp::Minimum, &above, f64::from(high))?;
                drop(above);
                self.add(grid, within);
            }
            Step::Cast { grid, dtype, a } => {
                // Like NumPy's `astype`, which has no form for arrays of unknown dtype.
                let a = self.whole(grid, a)?;
                let shape = a.shape().to_vec();
                let out = DynArray::full(self.runtime, &shape, Scalar::from(0.0).cast(dtype))?;
                out.assign(&a)?;
                self.add(grid, out);
            }
            Step::Copy { grid, a } => {
                let value = self.whole(grid, a)?.copy()?;
                self.add(grid, value);
            }
            Step::Name { grid, a } => {
                let value = self.whole(grid, a)?;
                self.add(grid, value);
            }
            Step::Assign { grid, to, a } => {
                let (to, a) = (self.whole(grid, to)?, self.value(grid, a)?);
                to.assign(a)?;
                self.wrote(&to);
            }
            Step::InPlace { grid, op, to, a } => {
                let (to, a) = (self.whole(grid, to)?, self.right(grid, op, a)?);
                to.binary_into(op, &to, a)?;
                self.wrote(&to);
            }
            Step::Into { grid, op, to, a, b } => {
                let (to, a) = (self.whole(grid, to)?, self.whole(grid, a)?);
                let b = self.right(grid, op, b)?;
                to.binary_into(op, &a, b)?;
                self.wrote(&to);
            }
            Step::UnaryInto { grid, op, to, a } => {
                let (to, a) = (self.whole(grid, to)?, self.whole(grid, a)?);
                to.unary_into(op, &a)?;
                self.wrote(&to);
            }
            Step::PutMask { grid, to, c, d, a } => {
                let (to, mask) = (self.whole(grid, to)?, self.mask(grid, c, d)?);
                let values = self.value(grid, a)?;
                to.putmask(&mask, values)?;
                self.wrote(&to);
            }
            Step::Stencil {
                of,
                neighbours,
                times,
                keep,
            } => self.stencil(of, neighbours, times, keep)?,
            Step::Reduce { grid, op, a } => {
                let value = self.whole(grid, a)?.reduce(op, None)?;
                self.add_single(value);
            }
            Step::ReduceAxis { grid, op, axis, a } => {
                let a = self.whole(grid, a)?;
                let sum = a.reduce(op, Some(axis))?;
                let mut dims = a.shape().to_vec();
                dims[axis] = 1;
                let value = sum.reshape(&dims)?.broadcast_to(a.shape())?;
                self.add(grid, value);
            }
            Step::Drop { grid, at } => {
                let values = self.values(grid);
                let at = usize::from(at) % values.len();
                if values.len() > 1 {
                    values.remove(at);
                }
            }
            Step::Read { grid, a } => {
                let first = self.whole(grid, a)?.slice(s![..1, ..1])?;
                if let Outcome::Bits(bits) = outcome(&first) {
                    let number = Scalar::from((bits[0] % 1000) as f64);
                    let single = DynArray::full(self.runtime, &[], number)?;
                    self.add_single(single);
                }
            }
            Step::Huge => {
                let huge = DynArray::full(self.runtime, &[HUGE], Scalar::from(1.0))?;
                let sum = huge.reduce(weft::kernel::ReduceOp::Sum, None)?;
                // While the program keeps it, its value needs memory.
                self.huge.push(huge);
                self.add_single(sum);
            }
        }
        Ok(())
    }

    fn stencil(&mut self, of: u8, neighbours: u16, times: u8, keep: bool) -> Result<(), CallError> {
        let grid = self.outer[usize::from(of) % self.outer.len()].clone();
        let center = view(&grid, 1, 1)?;
        let chosen = (0..9).filter(|at| neighbours & 1 << at != 0);
        let views: Result<Vec<DynArray>, CallError> =
            chosen.map(|at| view(&grid, at / 3, at % 3)).collect();
        let views = views?;
        for _ in 0..times {
            let mut sum = views[0].clone();
            for view in &views[1..] {
                sum = DynArray::binary(BinaryOp::Add, &sum, view)?;
                self.wrote(&sum);
            }
            let share = DynArray::binary(BinaryOp::Mul, &sum, 0.125)?;
            if keep {
                self.add(Grid::Inner, sum);
            } else {
                drop(sum);
            }
            center.assign(&share)?;
            self.wrote(&center);
        }
        Ok(())
    }
}

/// Returns a view of an outer value with the inner shape.
fn view(grid: &DynArray, down: usize, right: usize) -> Result<DynArray, CallError> {
    let (rows, columns) = (down + INNER[0], right + INNER[1]);
    grid.slice(s![down..rows, right..columns])
}

/// Returns the bits of a float, the same for all NaN: which NaN results from two is undefined.
fn f64_bits(x: f64) -> u64 {
    if x.is_nan() { u64::MAX } else { x.to_bits() }
}

fn f32_bits(x: f32) -> u64 {
    if x.is_nan() {
        u32::MAX.into()
    } else {
        x.to_bits().into()
    }
}

/// Waits for a value.
pub(crate) fn outcome(value: &DynArray) -> Outcome {
    fn bits<T: Element>(value: &DynArray, bits: fn(T) -> u64) -> Result<Vec<u64>, Error> {
        let values = value.to_ndarray::<T>()?;
        Ok(values.into_iter().map(bits).collect())
    }
    let read = match value.dtype() {
        DType::Bool => bits::<bool>(value, u64::from),
        DType::I8 => bits::<i8>(value, |x| x as u64),
        DType::I16 => bits::<i16>(value, |x| x as u64),
        DType::I32 => bits::<i32>(value, |x| x as u64),
        DType::I64 => bits::<i64>(value, |x| x as u64),
        DType::U8 => bits::<u8>(value, u64::from),
        DType::U16 => bits::<u16>(value, u64::from),
        DType::U32 => bits::<u32>(value, u64::from),
        DType::U64 => bits::<u64>(value, |x| x),
        DType::F16 => bits::<f16>(value, |x| f32_bits(x.to_f32())),
        DType::F32 => bits::<f32>(value, f32_bits),
        DType::F64 => bits::<f64>(value, f64_bits),
        DType::C64 => bits::<Complex<f32>>(value, |x| f32_bits(x.re) << 32 ^ f32_bits(x.im)),
        DType::C128 => {
            bits::<Complex<f64>>(value, |x| f64_bits(x.re) ^ f64_bits(x.im).rotate_left(7))
        }
    };
    match read {
        Ok(bits) => Outcome::Bits(bits),
        Err(Error::Failed(failure)) if matches!(failure.cause, Cause::OutOfMemory(_)) => {
            Outcome::Failed(failure.operation.to_owned())
        }
        Err(Error::Elsewhere(elsewhere)) if elsewhere.is_out_of_memory => {
            Outcome::Failed(elsewhere.operation)
        }
        Err(error) => panic!("{error}"),
    }
}
