//! Random programs as plain data.
//!
//! A program works on values of two shapes, [`OUTER`] and [`INNER`], and on single numbers. A
//! stencil with a halo of one maps the outer shape to the inner one, so every outer value has nine
//! views of the inner shape. Numbers of values are taken modulo the number of values, so that every
//! program is valid and shrinks well.

use proptest::prelude::*;
use weft::dtype::DType;
use weft::kernel::{BinaryOp, ReduceOp, UnaryOp};

/// The shape of grids with their edges.
pub(crate) const OUTER: [usize; 2] = [14, 11];
/// The shape of grids without their edges.
pub(crate) const INNER: [usize; 2] = [12, 9];

/// The dtypes of initial values, and of casts.
pub(crate) const DTYPES: [DType; 6] = [
    DType::F64,
    DType::F32,
    DType::I64,
    DType::Bool,
    DType::I32,
    DType::U8,
];

/// The shape that a step works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grid {
    Outer,
    Inner,
}

/// An operand of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    /// A value.
    Value(u8),
    /// For inner steps, the view of an outer value with this shift; for outer steps the value
    /// itself.
    Shifted { of: u8, down: u8, right: u8 },
    /// A value with its rows reversed.
    Reversed(u8),
    /// The first row of a value, in every row.
    Row(u8),
    /// The first column of a value, in every column.
    Column(u8),
    /// A number from an earlier step.
    Single(u8),
    /// A constant of the program.
    Number(i8),
}

/// A statement of a program.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// `new = op(a)`
    Unary { grid: Grid, op: UnaryOp, a: Operand },
    /// `new = a op b`
    Binary {
        grid: Grid,
        op: BinaryOp,
        a: Operand,
        b: Operand,
    },
    /// `new = where(c < d, a, b)`
    Select {
        grid: Grid,
        c: Operand,
        d: Operand,
        a: Operand,
        b: Operand,
    },
    /// `new = minimum(maximum(a, low), high)`
    Clip {
        grid: Grid,
        a: Operand,
        low: i8,
        high: i8,
    },
    /// `new = a.astype(dtype)`
    Cast {
        grid: Grid,
        dtype: DType,
        a: Operand,
    },
    /// `new = a.copy()`
    Copy { grid: Grid, a: Operand },
    /// `new = a`, another name of the same view.
    Name { grid: Grid, a: Operand },
    /// `to[...] = a`
    Assign { grid: Grid, to: Operand, a: Operand },
    /// `to op= a`
    InPlace {
        grid: Grid,
        op: BinaryOp,
        to: Operand,
        a: Operand,
    },
    /// `op(a, b, out=to)`
    Into {
        grid: Grid,
        op: BinaryOp,
        to: Operand,
        a: Operand,
        b: Operand,
    },
    /// `op(a, out=to)`
    UnaryInto {
        grid: Grid,
        op: UnaryOp,
        to: Operand,
        a: Operand,
    },
    /// `putmask(to, c < d, a)`
    PutMask {
        grid: Grid,
        to: Operand,
        c: Operand,
        d: Operand,
        a: Operand,
    },
    /// Repeated: the average of some of an outer value's nine views, written to its middle.
    Stencil {
        of: u8,
        neighbours: u16,
        times: u8,
        /// Whether the sum is kept by name, and so must be written.
        keep: bool,
    },
    /// `single = op(a)` over all elements.
    Reduce {
        grid: Grid,
        op: ReduceOp,
        a: Operand,
    },
    /// `new = op(a, axis)`, broadcast.
    ReduceAxis {
        grid: Grid,
        op: ReduceOp,
        axis: usize,
        a: Operand,
    },
    /// Drops a value.
    Drop { grid: Grid, at: u8 },
    /// Waits for a value, and takes a number from its first element.
    Read { grid: Grid, a: Operand },
    /// A sum that cannot be computed, since its array is larger than the memory. The program keeps
    /// the array.
    Huge,
}

fn grid() -> impl Strategy<Value = Grid> {
    prop_oneof![2 => Just(Grid::Outer), 3 => Just(Grid::Inner)]
}

/// Generates operands that can be written.
fn target() -> impl Strategy<Value = Operand> {
    prop_oneof![
        6 => any::<u8>().prop_map(Operand::Value),
        5 => (any::<u8>(), 0..3u8, 0..3u8)
            .prop_map(|(of, down, right)| Operand::Shifted { of, down, right }),
        1 => any::<u8>().prop_map(Operand::Reversed),
    ]
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        8 => target(),
        1 => any::<u8>().prop_map(Operand::Row),
        1 => any::<u8>().prop_map(Operand::Column),
        1 => any::<u8>().prop_map(Operand::Single),
        1 => any::<i8>().prop_map(Operand::Number),
    ]
}

fn unary() -> impl Strategy<Value = UnaryOp> {
    prop::sample::select(UnaryOp::ALL)
}

/// Generates mostly functions that keep values from degenerating.
fn binary() -> impl Strategy<Value = BinaryOp> {
    use BinaryOp::{Add, Maximum, Mul, Sub};
    prop_oneof![
        2 => prop::sample::select(vec![Add, Sub, Mul, Maximum]),
        1 => prop::sample::select(BinaryOp::ALL),
    ]
}

fn reduce() -> impl Strategy<Value = ReduceOp> {
    prop::sample::select(ReduceOp::ALL)
}

fn elementwise() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (grid(), unary(), operand()).prop_map(|(grid, op, a)| Step::Unary { grid, op, a }),
        6 => (grid(), binary(), operand(), operand())
            .prop_map(|(grid, op, a, b)| Step::Binary { grid, op, a, b }),
        2 => (grid(), operand(), operand(), operand(), operand())
            .prop_map(|(grid, c, d, a, b)| Step::Select { grid, c, d, a, b }),
        1 => (grid(), operand(), any::<i8>(), any::<i8>())
            .prop_map(|(grid, a, low, high)| Step::Clip { grid, a, low, high }),
        2 => (grid(), prop::sample::select(&DTYPES), operand())
            .prop_map(|(grid, dtype, a)| Step::Cast { grid, dtype, a }),
        1 => (grid(), operand()).prop_map(|(grid, a)| Step::Copy { grid, a }),
        1 => (grid(), operand()).prop_map(|(grid, a)| Step::Name { grid, a }),
    ]
}

fn writing() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (grid(), target(), operand()).prop_map(|(grid, to, a)| Step::Assign { grid, to, a }),
        3 => (grid(), binary(), target(), operand())
            .prop_map(|(grid, op, to, a)| Step::InPlace { grid, op, to, a }),
        2 => (grid(), binary(), target(), operand(), operand())
            .prop_map(|(grid, op, to, a, b)| Step::Into { grid, op, to, a, b }),
        1 => (grid(), unary(), target(), operand())
            .prop_map(|(grid, op, to, a)| Step::UnaryInto { grid, op, to, a }),
        2 => (grid(), target(), operand(), operand(), operand())
            .prop_map(|(grid, to, c, d, a)| Step::PutMask { grid, to, c, d, a }),
        2 => (any::<u8>(), 1..512u16, 1..4u8, any::<bool>())
            .prop_map(|(of, neighbours, times, keep)| Step::Stencil { of, neighbours, times, keep }),
    ]
}

/// Generates a statement. Reads are rare, since they end fusion.
pub(crate) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => elementwise(),
        12 => writing(),
        3 => (grid(), reduce(), operand()).prop_map(|(grid, op, a)| Step::Reduce { grid, op, a }),
        1 => (grid(), reduce(), 0..2usize, operand())
            .prop_map(|(grid, op, axis, a)| Step::ReduceAxis { grid, op, axis, a }),
        8 => (grid(), any::<u8>()).prop_map(|(grid, at)| Step::Drop { grid, at }),
        1 => (grid(), operand()).prop_map(|(grid, a)| Step::Read { grid, a }),
    ]
}

/// Generates a program of up to this many statements.
pub(crate) fn program(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..most)
}

impl Step {
    /// Whether the step writes to a part of an existing value.
    fn writes_a_part(&self) -> bool {
        match self {
            Step::Assign { grid, to, .. }
            | Step::InPlace { grid, to, .. }
            | Step::Into { grid, to, .. }
            | Step::UnaryInto { grid, to, .. }
            | Step::PutMask { grid, to, .. } => {
                *grid == Grid::Inner && matches!(to, Operand::Shifted { .. })
            }
            Step::Stencil { .. } => true,
            _ => false,
        }
    }
}

/// Removes writes to parts of values, so that a value fails as a whole or not at all.
pub(crate) fn keep_whole_values(mut program: Vec<Step>) -> Vec<Step> {
    program.retain(|step| !step.writes_a_part());
    program
}

/// Removes reads, whose numbers depend on which values fail. Without them later steps are the same
/// in any case.
pub(crate) fn without_reads(mut program: Vec<Step>) -> Vec<Step> {
    program.retain(|step| !matches!(step, Step::Read { .. }));
    program
}

/// Generates a program in which some statements need more memory than there is.
pub(crate) fn failing_program(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![12 => step(), 1 => Just(Step::Huge)];
    prop::collection::vec(step, 1..most)
}
