//! Tasks that find the indices which a tile's values name.

#![allow(unsafe_code, reason = "reads and writes elements by their addresses")]

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use weft_elements::nest::Nest;
use weft_elements::{Handle, Run, Tile};
use weft_geometry::Projection;

use super::{Names, Through};
use crate::define::unbound::{Collector, count_of};
use crate::dtype::{Element, Scalar, with_integer};
use crate::error::Cause;
use crate::operation::{Body, CpuTask, Declared, Descriptor, Kernels};

/// Number of words in a tile's row of bounds: the lowest index, one past the highest, both 0 if no
/// index is named, and the elements of the part that name them, in row-major order.
pub(super) const WORDS: usize = 4;

/// Returns the task that finds the bounds of each tile (values, rows).
pub(super) fn bounds(through: &Through) -> Body {
    let find = FindBounds {
        names: through.names,
    };
    body(through, Projection::of_tiles(false), find)
}

/// Returns the task that finds the indices of each tile (values, counts of words). The result is
/// [`BoundedRuns`] as words.
pub(super) fn runs(through: &Through, collector: Arc<Collector>) -> Body {
    let names = through.names;
    body(
        through,
        Projection::of_tiles(true),
        FindRuns { names, collector },
    )
}

fn body(through: &Through, out: Projection, kernels: impl Kernels + 'static) -> Body {
    let operands = vec![
        Declared::read(through.follows.clone()),
        Declared::write(out),
    ];
    let descriptor = Descriptor::new("image", operands, kernels);
    Handle::shared(Arc::new(descriptor.tiled(through.tiling)))
}

/// Finds the lowest and the highest index that a tile names, and the elements that name them.
#[derive(Debug, Hash)]
struct FindBounds {
    names: Names,
}

impl Kernels for FindBounds {
    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [through, out] = task.expect();
        let found = with_integer!(through.dtype(), T => words_of::<T>(self.names, through), else [0; WORDS]);
        // A row of the output, or for a single tile the output without the axis of rows.
        for (at, value) in found.into_iter().enumerate() {
            let step = out.byte_stride(out.layout().rank() - 1);
            let place = out.first().wrapping_offset(step * at as isize);
            // SAFETY: the row has `WORDS` elements of `i64`.
            unsafe { place.cast::<i64>().write(value) };
        }
        Ok(())
    }
}

/// Finds all indices that a tile names.
struct FindRuns {
    names: Names,
    collector: Arc<Collector>,
}

impl Hash for FindRuns {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.names.hash(state);
    }
}

impl fmt::Debug for FindRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FindRuns({:?})", self.names)
    }
}

impl Kernels for FindRuns {
    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let (tile, _) = task.cut().tiles();
        let [through, out] = task.expect();
        let found = with_integer!(through.dtype(), T => runs_of::<T>(self.names, through), else BoundedRuns::default());
        let words = found.words();
        *count_of(out) = words.len() as i64;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        self.collector.keep_bytes(tile, &bytes);
        Ok(())
    }
}

/// The indices that a tile names, and the elements of its part that name the first and the last
/// one.
#[derive(Debug, Default, PartialEq)]
pub(super) struct BoundedRuns {
    /// Runs in ascending order, with gaps between them.
    pub(super) runs: Vec<(i64, i64)>,
    /// The element that names the lowest index, and the one that names the highest.
    pub(super) ends: (i64, i64),
}

impl BoundedRuns {
    fn words(&self) -> Vec<i64> {
        let head = [self.runs.len() as i64, self.ends.0, self.ends.1];
        let runs = self.runs.iter().flat_map(|(first, end)| [*first, *end]);
        head.into_iter().chain(runs).collect()
    }

    /// Reads the runs of one tile; `None` if no words are left.
    pub(super) fn read(words: &mut impl Iterator<Item = i64>) -> Option<BoundedRuns> {
        let (count, ends) = (words.next()?, (words.next()?, words.next()?));
        let runs = (0..count).map(|_| Some((words.next()?, words.next()?)));
        Some(BoundedRuns {
            runs: runs.collect::<Option<_>>()?,
            ends,
        })
    }
}

/// An index, and the element that names it.
type Interval = (i64, i64);

/// Calls `with` for each range that a tile names, with the elements that name its start and its
/// end.
fn each_range<T: Element>(
    names: Names,
    through: &Tile<'_>,
    with: &mut dyn FnMut(Interval, Interval),
) {
    let mut add = |first: Interval, end: Interval| {
        if first.0 < end.0 {
            with(first, end);
        }
    };
    match names {
        Names::Coordinates => each_value::<T>(through, |(index, at)| {
            // The greatest `i64` has no successor; no array has such an index.
            let index = index.min(i64::MAX - 1);
            add((index, at), (index + 1, at));
        }),
        Names::Offsets => {
            let mut last = None;
            each_value::<T>(through, |offset| {
                if let Some(first) = last.replace(offset) {
                    add(first, offset);
                }
            });
        }
        Names::Ranges => {
            let mut first = None;
            each_value::<T>(through, |bound| match first.take() {
                None => first = Some(bound),
                Some(first) => add(first, bound),
            });
        }
    }
}

/// Calls `with` for each value of a tile, with its element.
fn each_value<T: Element>(tile: &Tile<'_>, mut with: impl FnMut(Interval)) {
    let mut element = 0;
    Nest::in_order([tile]).for_each_run(&mut |run| {
        let Run {
            at: [at],
            steps: [step],
            count,
        } = run;
        for number in 0..count as isize {
            let place = at.wrapping_offset(step * number).cast::<T>();
            // SAFETY: as the tile guarantees; a run stays inside it.
            with((i64::cast_from_element(unsafe { place.read() }), element));
            element += 1;
        }
    });
}

/// Returns the bounds of a tile as words.
fn words_of<T: Element>(names: Names, through: &Tile<'_>) -> [i64; WORDS] {
    let mut found: Option<[i64; WORDS]> = None;
    each_range::<T>(names, through, &mut |(first, first_at), (end, end_at)| {
        let [low, high, low_at, high_at] = found.get_or_insert([first, end, first_at, end_at]);
        if first < *low {
            (*low, *low_at) = (first, first_at);
        }
        if end > *high {
            (*high, *high_at) = (end, end_at);
        }
    });
    found.unwrap_or_default()
}

/// Returns the runs of indices that a tile names.
fn runs_of<T: Element>(names: Names, through: &Tile<'_>) -> BoundedRuns {
    let [low, high, low_at, high_at] = words_of::<T>(names, through);
    let mut ranges = 0_u64;
    each_range::<T>(names, through, &mut |_, _| ranges += 1);
    let length = low.abs_diff(high);
    // A bit for each index takes no more memory than the ranges, and less time than sorting them.
    let runs = match length / 64 <= ranges {
        true => marked::<T>(names, through, low, length),
        false => sorted::<T>(names, through),
    };
    BoundedRuns {
        runs,
        ends: (low_at, high_at),
    }
}

/// Returns the runs among `length` indices starting at `low`, by a bit for each index.
fn marked<T: Element>(names: Names, through: &Tile<'_>, low: i64, length: u64) -> Vec<(i64, i64)> {
    const BITS: usize = u64::BITS as usize;
    let length = length as usize;
    let mut marks = vec![0_u64; length.div_ceil(BITS)];
    each_range::<T>(names, through, &mut |(first, _), (end, _)| {
        let (mut at, end) = (low.abs_diff(first) as usize, low.abs_diff(end) as usize);
        while at < end {
            let next = end.min((at / BITS + 1) * BITS);
            marks[at / BITS] |= u64::MAX >> (BITS - (next - at)) << (at % BITS);
            at = next;
        }
    });
    let is_marked = |at: usize| marks[at / BITS] >> (at % BITS) & 1 == 1;
    let mut runs: Vec<(i64, i64)> = Vec::new();
    let mut first = None;
    let mut at = 0;
    while at < length {
        // A word of equal bits is skipped as a whole.
        let step = match marks[at / BITS] {
            0 | u64::MAX if at % BITS == 0 => BITS.min(length - at),
            _ => 1,
        };
        match (is_marked(at), first) {
            (true, None) => first = Some(at),
            (false, Some(from)) => {
                runs.push((low + from as i64, low + at as i64));
                first = None;
            }
            _ => {}
        }
        at += step;
    }
    runs.extend(first.map(|from| (low + from as i64, low + length as i64)));
    runs
}

/// Returns the runs by sorting all ranges.
fn sorted<T: Element>(names: Names, through: &Tile<'_>) -> Vec<(i64, i64)> {
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    each_range::<T>(
        names,
        through,
        &mut |(first, _), (end, _)| match ranges.last_mut() {
            Some(last) if last.1 == first => last.1 = end,
            _ => ranges.push((first, end)),
        },
    );
    ranges.sort_unstable();
    ranges.dedup_by(|next, before| {
        let joins = next.0 <= before.1;
        if joins {
            before.1 = before.1.max(next.1);
        }
        joins
    });
    ranges
}

/// Conversion of an element to an index.
trait FromElement {
    fn cast_from_element<T: Element>(element: T) -> Self;
}

impl FromElement for i64 {
    fn cast_from_element<T: Element>(element: T) -> i64 {
        match element.to_scalar() {
            Scalar::U64(value) => i64::try_from(value).unwrap_or(i64::MAX),
            other => other.to::<i64>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use weft_elements::TileRef;

    use super::*;
    use crate::dtype::DType;
    use crate::shape::{Layout, Shape};

    fn tile(values: &[i64]) -> TileRef<'_> {
        let layout = Layout::contiguous(Shape::new(&[values.len()]).unwrap());
        // SAFETY: the values match the layout.
        unsafe { TileRef::new(values.as_ptr().cast(), DType::I64, layout) }
    }

    fn named(names: Names, values: &[i64]) -> BTreeSet<i64> {
        let mut named = BTreeSet::new();
        each_range::<i64>(names, &tile(values), &mut |(first, _), (end, _)| {
            named.extend(first..end);
        });
        named
    }

    proptest! {
        #[test]
        fn runs_match_named_elements(values in prop::collection::vec(-300..300_i64, 0..60), wide in any::<bool>()) {
            for names in [Names::Coordinates, Names::Ranges, Names::Offsets] {
                // Distant indices are sorted; near ones are marked in bits.
                let scale = match (wide, names) { (true, Names::Coordinates) => 1000, _ => 1 };
                let values: Vec<i64> = values.iter().map(|value| value * scale).collect();
                let found = runs_of::<i64>(names, &tile(&values));
                let held: BTreeSet<i64> = found.runs.iter().flat_map(|(first, end)| *first..*end).collect();
                prop_assert_eq!(&held, &named(names, &values));
                let mut gaps = found.runs.windows(2).map(|two| two[1].0 - two[0].1);
                prop_assert!(gaps.all(|gap| gap > 0));
                prop_assert_eq!(&found.runs, &sorted::<i64>(names, &tile(&values)));
                let mut words = found.words().into_iter();
                prop_assert_eq!(BoundedRuns::read(&mut words), Some(found));
                prop_assert_eq!(words.next(), None);
            }
        }
    }
}
