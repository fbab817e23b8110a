//! Projections of random inputs and outputs: as constraints of the builder, and as the elements of
//! an index of the task.

use std::ops::Range;

use proptest::prelude::*;
use weft::dtype::DType;
use weft::task::{Builder, Kind, Names};
use weft_geometry::{Affine, Along, Projection, Rest};

/// Widths or factors along each axis of a task.
pub(super) type PerAxis = [u32; 3];

/// The elements of an array for an index of a task: a range along each axis.
pub(super) type Part = Vec<Range<usize>>;

/// The projection of a random input.
#[derive(Clone, Debug)]
pub(super) enum Follows {
    /// Index by index.
    Same,
    /// The whole array for every tile.
    Whole,
    /// With a halo, clipped at the border.
    Halo(PerAxis, PerAxis),
    /// With a halo that is part of the array.
    Inner(PerAxis, PerAxis),
    /// This number of elements for each index.
    Scale(PerAxis),
    /// With the axes in reverse order.
    Reversed,
    /// Along one axis of the task only.
    Only(usize),
    /// The whole of one extra axis, with its own length.
    Beside { axis: usize, length: usize },
    /// The whole of one axis of the task, which is not cut then.
    Uncut(usize),
    /// An affine function of an axis of the task, within a larger array.
    Affine {
        axis: usize,
        affine: Affine,
        spare: usize,
    },
    /// Through the values of another array.
    Image(Image),
}

/// An input that follows the values of another array.
#[derive(Clone, Debug)]
pub(super) struct Image {
    pub(super) names: Names,
    /// Whether a tile touches nothing between the indices.
    pub(super) is_exact: bool,
    /// The dtype of the values.
    pub(super) dtype: DType,
    /// Whether the other array has only the first axis of the task.
    pub(super) is_of_rows: bool,
    /// The length of the first axis, and of a second one.
    pub(super) length: usize,
    pub(super) columns: Option<usize>,
    pub(super) seed: u64,
}

fn image() -> impl Strategy<Value = Image> {
    let names = prop_oneof![
        Just(Names::Ranges),
        Just(Names::Offsets),
        Just(Names::Coordinates)
    ];
    let dtypes = prop_oneof![Just(DType::I64), Just(DType::I32), Just(DType::U8)];
    let dims = (1..200_usize, prop::option::of(1..4_usize));
    let is = any::<(bool, bool)>();
    (names, dtypes, is, dims, any::<u64>()).prop_map(
        |(names, dtype, (is_of_rows, is_exact), (length, columns), seed)| Image {
            names,
            is_exact,
            dtype,
            is_of_rows,
            length,
            columns,
            seed,
        },
    )
}

/// Generates widths of a halo.
pub(super) fn widths() -> impl Strategy<Value = PerAxis> {
    [0..4_u32, 0..3, 0..3]
}

pub(super) fn follows() -> impl Strategy<Value = Follows> {
    let affine = (1..4_u32, 1..4_u32, -2..5_i64);
    prop_oneof![
        1 => Just(Follows::Same),
        1 => Just(Follows::Whole),
        1 => (widths(), widths()).prop_map(|(low, high)| Follows::Halo(low, high)),
        1 => (widths(), widths()).prop_map(|(low, high)| Follows::Inner(low, high)),
        1 => [1..4_u32, 1..3, 1..3].prop_map(Follows::Scale),
        1 => Just(Follows::Reversed),
        1 => (0..3_usize).prop_map(Follows::Only),
        1 => (0..3_usize, 1..6_usize).prop_map(|(axis, length)| Follows::Beside { axis, length }),
        1 => (0..3_usize).prop_map(Follows::Uncut),
        1 => (0..3_usize, affine, 0..3_usize).prop_map(|(axis, (times, over, offset), spare)| {
            let affine = Affine {
                of: 0,
                times,
                over,
                offset,
                low: 0,
                high: 0,
            };
            Follows::Affine {
                axis,
                affine,
                spare,
            }
        }),
        3 => image().prop_map(Follows::Image),
    ]
}

impl Image {
    /// Returns the shape of the array with the image's values.
    pub(super) fn through(&self, shape: &[usize]) -> Vec<usize> {
        match (self.names, self.is_of_rows(shape.len())) {
            (Names::Offsets, _) => vec![shape[0] + 1],
            (Names::Coordinates, true) => vec![shape[0]],
            (Names::Coordinates, false) => shape.to_vec(),
            (Names::Ranges, true) => vec![shape[0], 2],
            (Names::Ranges, false) => shape.iter().copied().chain([2]).collect(),
        }
    }

    /// Whether the values follow only the first axis of a task of `rank` axes.
    pub(super) fn is_of_rows(&self, rank: usize) -> bool {
        self.is_of_rows || (self.names == Names::Offsets && rank > 1)
    }

    /// Returns the values of the image, row-major.
    pub(super) fn values(&self, shape: &[usize]) -> Vec<f64> {
        let count: usize = self.through(shape).iter().product();
        let mut state = self.seed | 1;
        let mut next = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        };
        let (mut values, mut end) = (Vec::with_capacity(count), 0);
        for at in 0..count {
            let value = match self.names {
                Names::Coordinates => next(self.length),
                // Some ranges are empty.
                Names::Ranges if at % 2 == 0 => {
                    let first = next(self.length + 1);
                    end = (first + next(5)).min(self.length);
                    first
                }
                Names::Ranges => end,
                Names::Offsets => {
                    end = (end + next(4)).min(self.length);
                    end
                }
            };
            values.push(value as f64);
        }
        values
    }

    /// Returns the places, in the other array, of the bounds for an index of the task; for a
    /// coordinate there is one.
    pub(super) fn places(&self, index: &[usize]) -> (Vec<usize>, Option<Vec<usize>>) {
        let own = match self.is_of_rows(index.len()) {
            true => &index[..1],
            false => index,
        };
        let with = |last: usize| own.iter().copied().chain([last]).collect();
        match self.names {
            Names::Coordinates => (own.to_vec(), None),
            Names::Ranges => (with(0), Some(with(1))),
            Names::Offsets => (vec![index[0]], Some(vec![index[0] + 1])),
        }
    }

    fn constrain(&self, builder: Builder, through: &str, name: &str, rank: usize) -> Builder {
        let builder = match (self.names, self.is_of_rows(rank)) {
            (Names::Offsets, true) => builder.project_text(through, "[i0<0>1, ..*]"),
            (Names::Offsets, false) => builder.halo(through, &[0], &[1]),
            (_, true) => builder.project_text(through, "[i0, ..*]"),
            (_, false) => builder,
        };
        match self.is_exact {
            true => builder.exact_image(through, name, self.names),
            false => builder.image(through, name, self.names),
        }
    }
}

impl Follows {
    /// Returns the shape of the array, for a task of this shape.
    pub(super) fn dims(&self, shape: &[usize]) -> Vec<usize> {
        let each = |of: &dyn Fn(usize, usize) -> usize| -> Vec<usize> {
            let axes = shape.iter().enumerate();
            axes.map(|(axis, extent)| of(axis, *extent)).collect()
        };
        let rank = shape.len();
        match self {
            Follows::Same | Follows::Halo(..) | Follows::Uncut(_) => shape.to_vec(),
            Follows::Whole => vec![7, 5],
            Follows::Inner(low, high) => {
                each(&|axis, extent| extent + (low[axis] + high[axis]) as usize)
            }
            Follows::Scale(factors) => each(&|axis, extent| extent * factors[axis] as usize),
            Follows::Reversed => shape.iter().rev().copied().collect(),
            Follows::Only(axis) => vec![shape[axis % rank]],
            Follows::Beside { axis, length } => {
                each(&|at, extent| if at == axis % rank { *length } else { extent })
            }
            Follows::Affine {
                axis,
                affine,
                spare,
            } => {
                let indices = shape[axis % rank] * affine.times as usize;
                let length = indices.div_ceil(affine.over as usize) as i64 + affine.offset;
                vec![length.max(1) as usize + spare, 3]
            }
            Follows::Image(image) => std::iter::once(image.length).chain(image.columns).collect(),
        }
    }

    /// Whether the parameter is in the task's list of aligned ones.
    pub(super) fn is_aligned(&self) -> bool {
        matches!(self, Follows::Uncut(_))
    }

    /// Adds the parameter `name` and its constraints. `through` is the name of the image's array.
    pub(super) fn declare(
        &self,
        builder: Builder,
        (through, name): (&str, &str),
        dtype: DType,
        shape: &[usize],
    ) -> Builder {
        let input = |builder: Builder, name: &str, dtype: DType, dims: &[usize]| {
            builder.parameter(name, Kind::In, Some(dtype), Some(dims.len()))
        };
        let rank = shape.len();
        let builder = match self {
            Follows::Image(image) => input(builder, through, image.dtype, &image.through(shape)),
            _ => builder,
        };
        let builder = input(builder, name, dtype, &self.dims(shape));
        match self {
            Follows::Same => builder,
            Follows::Whole => builder.broadcast(name),
            Follows::Halo(low, high) | Follows::Inner(low, high) => {
                builder.halo(name, &low[..rank], &high[..rank])
            }
            Follows::Scale(factors) => builder.scale(&factors[..rank], "out", name),
            Follows::Reversed => builder.project_text(name, &reversed(rank)),
            Follows::Only(axis) => builder.project_text(name, &format!("[i{}, ..*]", axis % rank)),
            Follows::Beside { axis, .. } | Follows::Uncut(axis) => {
                builder.broadcast_axes(name, &[axis % rank])
            }
            Follows::Affine { axis, affine, .. } => {
                let of = (axis % rank) as u8;
                let along = Along::Affine(Affine { of, ..*affine });
                builder.project(name, Projection::of_axes([along], Rest::Whole))
            }
            Follows::Image(image) => image.constrain(builder, through, name, rank),
        }
    }

    /// Returns the elements of an array of these lengths that an index of the task reads. `through`
    /// is the image's array.
    pub(super) fn part(
        &self,
        index: &[usize],
        dims: &[usize],
        through: &dyn Fn(&[usize]) -> Option<f64>,
    ) -> Option<Part> {
        let one = |at: usize| at..at + 1;
        let each = |of: &dyn Fn(usize, usize) -> Range<usize>| -> Part {
            let axes = index.iter().enumerate();
            axes.map(|(axis, at)| of(axis, *at)).collect()
        };
        let rank = index.len();
        Some(match self {
            Follows::Same => each(&|_, at| one(at)),
            Follows::Whole => dims.iter().map(|extent| 0..*extent).collect(),
            Follows::Halo(low, high) => each(&|axis, at| {
                let end = at + high[axis] as usize + 1;
                at.saturating_sub(low[axis] as usize)..end.min(dims[axis])
            }),
            Follows::Inner(low, high) => {
                each(&|axis, at| at..at + (low[axis] + high[axis]) as usize + 1)
            }
            Follows::Scale(factors) => {
                each(&|axis, at| at * factors[axis] as usize..(at + 1) * factors[axis] as usize)
            }
            Follows::Reversed => index.iter().rev().map(|at| one(*at)).collect(),
            Follows::Only(axis) => vec![one(index[axis % rank])],
            Follows::Beside { axis, .. } | Follows::Uncut(axis) => each(&|of, at| {
                let is_whole = of == axis % rank;
                if is_whole { 0..dims[of] } else { one(at) }
            }),
            Follows::Affine { axis, affine, .. } => {
                let at = index[axis % rank];
                let (first, end) = affine.bounds((at, at + 1), dims[0]);
                vec![first..end, 0..dims[1]]
            }
            Follows::Image(image) => {
                let (first, end) = image.places(index);
                let first = through(&first)? as usize;
                let end = match end {
                    Some(end) => through(&end)? as usize,
                    None => first + 1,
                };
                let columns = dims.iter().skip(1).map(|extent| 0..*extent);
                std::iter::once(first..end).chain(columns).collect()
            }
        })
    }
}

/// Returns the projection with the axes of a task in reverse order.
fn reversed(rank: usize) -> String {
    let axes: Vec<String> = (0..rank).rev().map(|axis| format!("i{axis}, ")).collect();
    format!("[{}..*]", axes.concat())
}

/// The projection of a random output.
#[derive(Clone, Debug)]
pub(super) enum Written {
    /// Index by index.
    Same,
    /// With the axes in reverse order.
    Reversed,
    /// This number of elements for each index.
    Scale(PerAxis),
    /// Along one axis of the task only: the same for all indices of the others.
    Only(usize),
}

pub(super) fn written() -> impl Strategy<Value = Written> {
    prop_oneof![
        Just(Written::Same),
        Just(Written::Reversed),
        [1..4_u32, 1..3, 1..3].prop_map(Written::Scale),
        (0..3_usize).prop_map(Written::Only),
    ]
}

impl Written {
    /// Returns the input with the same projection.
    pub(super) fn as_input(&self) -> Follows {
        match self {
            Written::Same => Follows::Same,
            Written::Reversed => Follows::Reversed,
            Written::Scale(factors) => Follows::Scale(*factors),
            Written::Only(axis) => Follows::Only(*axis),
        }
    }

    /// Adds the constraints of the output.
    pub(super) fn constrain(&self, builder: Builder, name: &str, rank: usize) -> Builder {
        match self {
            Written::Same => builder,
            Written::Reversed => builder.project_text(name, &reversed(rank)),
            Written::Scale(factors) => builder.scale(&factors[..rank], "out", name),
            Written::Only(axis) => builder.project_text(name, &format!("[i{}, ..*]", axis % rank)),
        }
    }
}

/// Returns the indices of a part, row-major.
pub(super) fn indices(part: &[Range<usize>]) -> Vec<Vec<usize>> {
    part.iter().fold(vec![Vec::new()], |before, range| {
        let with = |index: &Vec<usize>| {
            let index = index.clone();
            range
                .clone()
                .map(move |at| index.iter().copied().chain([at]).collect())
        };
        before.iter().flat_map(with).collect()
    })
}
