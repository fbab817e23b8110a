//! Cutting operations into tiles.
//!
//! A tile is a slice of the operation's shape along one axis. The number of tiles depends on the
//! shape and the processors. If cutting can change the result (sums, matrix products), it depends
//! on the shape alone, so that every number of processors gives the same bits.

use crate::Ranks;
use crate::{Layout, Shape};

/// The target size of a tile if the shape alone decides, in units of the fewest elements worth a
/// task.
const BY_SHAPE: usize = 4;

/// The target size of a tile of a large operation, in units of the fewest elements worth a task. A
/// worker continues with what it has just written, and finds a tile of 2 MiB of `f64` in its cache.
const CACHED: usize = 8;

/// The most tiles for each processor: enough to share the work evenly if processors are disturbed.
const MAX_A_PROCESSOR: usize = 8;

/// The most tiles if the shape alone decides.
const MAX_BY_SHAPE: usize = 64;

/// The fewest terms of a line that are worth a result of their own, which is read once more.
const SHORTEST: usize = 32;

/// The fewest neighbouring lines that are worth a task: two cache lines of `f64`.
const NARROWEST: usize = 16;

/// The fewest rows or columns of a tile of a matrix product. The other factor is read and packed
/// once for each tile; the more rows it is multiplied with, the smaller that share of the time. A
/// multiple of the rows that vector code takes at a time.
const THINNEST: usize = 96;

/// The fewest rows or columns if [`THINNEST`] gives fewer than [`SOME`] tiles: half of a machine's
/// processors lose more than packing takes.
const THIN: usize = 32;

/// The number of tiles up to which thin ones are used.
const SOME: usize = 4;

/// The elements of a tile on a GPU if the shape alone decides.
const GPU_BY_SHAPE: usize = 1 << 24;

/// The bits of all axes.
const ALL: u8 = u8::MAX;

/// Returns the bits of all axes but one.
fn all_but(axis: u8) -> u8 {
    ALL & !(1_u8.checked_shl(axis.into()).unwrap_or(0))
}

/// The method that determines the number of an operation's tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tiling {
    /// One tile.
    Whole,
    /// By the shape and the processors; `work` elements are touched for each element of the shape.
    Processors {
        /// Elements touched for each element of the operation's shape.
        work: usize,
    },
    /// By the shape and the processors, into at most one tile for each processor. The results of
    /// tiles are combined afterwards, at a cost that grows with their number.
    Few {
        /// Elements touched for each element of the operation's shape.
        work: usize,
    },
    /// Depends on the shape and the processors, but never cuts along one axis.
    Across {
        /// The axis that stays whole.
        axis: u8,
    },
    /// Depends on the shape only.
    Shape {
        /// Elements touched for each element of the operation's shape.
        work: usize,
    },
    /// Depends on the shape only: tiles of many rows or of many columns, for a matrix product.
    Product {
        /// The number of terms of each element.
        inner: usize,
    },
    /// Along some axes only, each a bit of `axes`.
    Axes {
        /// Bit `k` is set where axis `k` may be cut.
        axes: u8,
        /// Elements touched for each element of the operation's shape.
        work: u32,
        /// Whether the shape alone decides the number of tiles.
        by_shape: bool,
    },
    /// By the shape alone, and along one axis only, if cutting the others gives too little parallel
    /// work.
    Along {
        /// The axis that is cut.
        axis: u8,
    },
    /// Into at most one tile for each processor, all of which run at the same time. The tiles of a
    /// rank are one task.
    Together {
        /// Bit `k` is set where axis `k` may be cut.
        axes: u8,
        /// Elements touched for each element of the operation's shape.
        work: u32,
    },
}

impl Tiling {
    /// Returns roughly the number of elements that are touched.
    #[inline]
    pub fn work(self, shape: &Shape) -> usize {
        match self {
            Tiling::Processors { work } | Tiling::Few { work } | Tiling::Shape { work } => {
                shape.len().saturating_mul(work)
            }
            Tiling::Product { inner } => shape.len().saturating_mul(inner),
            Tiling::Axes { work, .. } | Tiling::Together { work, .. } => {
                shape.len().saturating_mul(work as usize)
            }
            Tiling::Whole | Tiling::Across { .. } | Tiling::Along { .. } => shape.len(),
        }
    }
}

/// One tile, or several neighbouring ones: indices `first` to `end` (exclusive) of one axis, and
/// all of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    axis: u8,
    first: usize,
    end: usize,
    /// The number of the first tile, and one past the last.
    tiles: (u32, u32),
    /// Whether these are all tiles of the operation.
    is_all: bool,
}

impl Cut {
    /// Returns all of an operation of this shape, as one tile.
    #[inline]
    pub fn whole(shape: &Shape) -> Cut {
        Cut {
            axis: 0,
            first: 0,
            end: shape.dims().first().copied().unwrap_or(1),
            tiles: (0, 1),
            is_all: true,
        }
    }

    /// Returns the tile's part of a view that has the operation's shape.
    #[inline]
    pub fn of(&self, view: &Layout) -> Layout {
        self.along(usize::from(self.axis), view)
    }

    /// Returns the part of a view whose axis `axis` follows the axis that is cut.
    #[inline]
    pub fn along(&self, axis: usize, view: &Layout) -> Layout {
        let mut part = *view;
        if let Some(extent) = view.shape.dims().get(axis)
            && *extent != self.end - self.first
        {
            part.offset =
                (view.offset as isize + view.strides[axis] * self.first as isize) as usize;
            part.shape = view
                .shape
                .with_dim(axis, self.end - self.first)
                .unwrap_or(view.shape);
        }
        part
    }

    /// Returns the axis of the operation's shape that is cut.
    #[inline]
    pub fn axis(&self) -> usize {
        usize::from(self.axis)
    }

    /// Returns the number of the first tile, and one past the last. There are several if threads
    /// share a task.
    #[inline]
    pub fn tiles(&self) -> (usize, usize) {
        (self.tiles.0 as usize, self.tiles.1 as usize)
    }

    /// Whether there are no other tiles.
    #[inline]
    pub fn is_all(&self) -> bool {
        self.is_all
    }

    /// Returns the first index along the axis that is cut.
    #[inline]
    pub fn first(&self) -> usize {
        self.first
    }

    /// Returns the first index and one past the last along `axis` of the operation's shape.
    #[inline]
    pub fn bounds(&self, axis: usize, extent: usize) -> (usize, usize) {
        if axis == self.axis() {
            (self.first, self.end)
        } else {
            (0, extent)
        }
    }
}

/// The tiles of one operation, grouped into tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cuts {
    axis: u8,
    extent: usize,
    /// The number of tiles.
    tiles: usize,
    /// The number of tasks, each of one or several neighbouring tiles.
    tasks: usize,
    /// The first of the tasks that this rank runs, and one past the last.
    own: (usize, usize),
}

impl Cuts {
    fn of_tiles(axis: usize, extent: usize, tiles: usize) -> Cuts {
        Cuts {
            axis: axis as u8,
            extent,
            tiles,
            tasks: tiles,
            own: (0, tiles),
        }
    }

    /// Returns the tasks that one rank runs.
    #[inline]
    pub fn of_rank(self, ranks: Ranks) -> Cuts {
        let at = |rank| share(self.tasks, rank, usize::from(ranks.size));
        Cuts {
            own: (at(ranks.rank.into()), at(usize::from(ranks.rank) + 1)),
            ..self
        }
    }

    /// Cuts `shape` for this many processors. Below `smallest` elements, handing over a task costs
    /// more than running it.
    pub fn new(shape: &Shape, tiling: Tiling, smallest: usize, processors: usize) -> Cuts {
        let elements = shape.len();
        let by_processors = |work: usize| {
            let (total, processors) = (elements.saturating_mul(work), processors.max(1));
            let cached = (total / (CACHED * smallest)).min(MAX_A_PROCESSOR * processors);
            // An equal number for each processor: one more tile takes as long as one more for every
            // processor.
            let even = cached / processors * processors;
            (total / smallest).clamp(1, processors).max(even)
        };
        let by_shape = |work: usize| {
            let wanted = elements.saturating_mul(work) / (BY_SHAPE * smallest);
            wanted.clamp(1, MAX_BY_SHAPE)
        };
        let (wanted, axes) = match tiling {
            Tiling::Whole => (1, ALL),
            Tiling::Processors { work } => (by_processors(work), ALL),
            Tiling::Few { work } => {
                let total = elements.saturating_mul(work);
                ((total / smallest).clamp(1, processors.max(1)), ALL)
            }
            Tiling::Together { axes, work } => {
                let total = elements.saturating_mul(work as usize);
                ((total / smallest).clamp(1, processors.max(1)), axes)
            }
            Tiling::Across { axis } => (by_processors(1), all_but(axis)),
            Tiling::Axes {
                axes,
                work,
                by_shape: true,
            } => (by_shape(work as usize), axes),
            Tiling::Axes { axes, work, .. } => (by_processors(work as usize), axes),
            Tiling::Shape { work } => (by_shape(work), ALL),
            Tiling::Product { inner } => return Cuts::of_product(shape, by_shape(inner)),
            Tiling::Along { axis } => {
                return Cuts::along(shape, usize::from(axis), by_shape(1));
            }
        };
        Cuts::into_tiles(shape, wanted, axes)
    }

    /// Cuts a matrix product into at most `most` tiles, along the rows unless the columns give
    /// more.
    fn of_product(shape: &Shape, most: usize) -> Cuts {
        let mut best = Cuts::of_tiles(0, shape.dims().first().copied().unwrap_or(1), 1);
        for (axis, &extent) in shape.dims().iter().enumerate() {
            let count = (extent / THINNEST).max((extent / THIN).min(SOME)).min(most);
            if count > best.tiles {
                best = Cuts::of_tiles(axis, extent, count);
            }
        }
        best
    }

    /// Cuts `shape` along `axis` into roughly `wanted` tiles; one if the other axes can be cut into
    /// as many.
    fn along(shape: &Shape, axis: usize, wanted: usize) -> Cuts {
        let dims = shape.dims();
        let extent = dims.get(axis).copied().unwrap_or(1);
        let count = wanted.min(extent / SHORTEST).max(1);
        let others = dims.iter().enumerate().filter(|(other, _)| *other != axis);
        // A cut along an axis inside of this one reads a few elements at a time.
        let most = others
            .map(|(other, extent)| match other < axis {
                true => *extent,
                false => extent / NARROWEST,
            })
            .max();
        let count = match most {
            Some(most) if most >= count => 1,
            _ => count,
        };
        Cuts::of_tiles(axis, extent, count)
    }

    /// Groups the same tiles into one task for each team of threads, or fewer if a task would have
    /// less than `smallest` elements.
    pub fn for_teams(self, elements: usize, smallest: usize, teams: usize) -> Cuts {
        let wanted = (elements / smallest).clamp(1, teams.max(1));
        let tasks = wanted.min(self.tiles);
        Cuts {
            tasks,
            own: (0, tasks),
            ..self
        }
    }

    /// Cuts `shape` for `processors` processors on each of `ranks` ranks. If processors decide,
    /// every rank gets the same number of tiles, so that all operations share out a shape in the
    /// same way.
    pub fn for_ranks(
        shape: &Shape,
        tiling: Tiling,
        smallest: usize,
        processors: usize,
        ranks: usize,
    ) -> Cuts {
        let cuts = Cuts::new(shape, tiling, smallest, processors.saturating_mul(ranks));
        let axes = match tiling {
            Tiling::Processors { .. } | Tiling::Few { .. } => ALL,
            Tiling::Across { axis } => all_but(axis),
            Tiling::Axes {
                axes,
                by_shape: false,
                ..
            }
            | Tiling::Together { axes, .. } => axes,
            Tiling::Whole
            | Tiling::Axes { .. }
            | Tiling::Shape { .. }
            | Tiling::Product { .. }
            | Tiling::Along { .. } => return cuts,
        };
        match cuts.tiles {
            0 | 1 => cuts,
            tiles => Cuts::into_tiles(shape, tiles.next_multiple_of(ranks), axes),
        }
    }

    /// Groups the same tiles into one task for each rank.
    pub fn together(self, ranks: usize) -> Cuts {
        self.for_teams(usize::MAX, 1, ranks)
    }

    /// Cuts `shape` along one of `axes` into `wanted` tiles, or as many as the axis is long.
    fn into_tiles(shape: &Shape, wanted: usize, axes: u8) -> Cuts {
        let dims = shape.dims();
        // The outermost axis that is long enough keeps tiles contiguous; otherwise the longest axis
        // is cut.
        let axes = (0..dims.len()).filter(|axis| axes & 1 << axis != 0);
        let axis = axes
            .clone()
            .find(|axis| dims[*axis] >= wanted)
            .or_else(|| axes.max_by_key(|axis| dims[*axis]));
        let wanted = if axis.is_some() { wanted } else { 1 };
        let axis = axis.unwrap_or(0);
        let extent = dims.get(axis).copied().unwrap_or(1);
        let count = wanted.min(extent).max(1);
        Cuts::of_tiles(axis, extent, count)
    }

    /// Cuts `shape` for a number of GPUs on each of `ranks` ranks: into one tile for each if there
    /// is enough work. If the shape alone decides, tiles are so large that the cost of a launch is
    /// negligible.
    pub fn for_gpus(
        shape: &Shape,
        tiling: Tiling,
        smallest: usize,
        gpus: usize,
        ranks: usize,
    ) -> Cuts {
        let gpus = gpus.saturating_mul(ranks);
        let by_gpus =
            |work: usize| (shape.len().saturating_mul(work) / smallest).clamp(1, gpus.max(1));
        let by_shape = (shape.len() / GPU_BY_SHAPE).clamp(1, MAX_BY_SHAPE);
        let (wanted, axes) = match tiling {
            Tiling::Whole => (1, ALL),
            // Small tiles of a matrix product would cost more than identical bits are worth.
            Tiling::Product { inner } => (by_gpus(inner), ALL),
            Tiling::Processors { work } | Tiling::Few { work } => (by_gpus(work), ALL),
            Tiling::Across { axis } => (by_gpus(1), all_but(axis)),
            Tiling::Axes {
                axes,
                by_shape: true,
                ..
            } => (by_shape, axes),
            Tiling::Axes { axes, work, .. } | Tiling::Together { axes, work } => {
                (by_gpus(work as usize), axes)
            }
            Tiling::Shape { .. } => (by_shape, ALL),
            // GPU kernels share the terms of a line among their blocks.
            Tiling::Along { axis } => return Cuts::along(shape, usize::from(axis), 1),
        };
        let wanted = match tiling {
            Tiling::Processors { .. }
            | Tiling::Few { .. }
            | Tiling::Across { .. }
            | Tiling::Axes {
                by_shape: false, ..
            } if wanted > 1 => wanted.next_multiple_of(ranks),
            _ => wanted,
        };
        Cuts::into_tiles(shape, wanted, axes)
    }

    /// Returns the number of tiles.
    #[inline]
    pub fn tiles(&self) -> usize {
        self.tiles
    }

    /// Returns the number of tasks of this rank.
    #[inline]
    pub fn count(&self) -> usize {
        self.own.1 - self.own.0
    }

    /// Returns the tiles of a task of this rank.
    #[inline]
    pub fn get(&self, point: usize) -> Cut {
        let first = self.own.0 + point;
        self.tasks_between(first, first + 1)
    }

    /// Returns the tiles of all tasks of this rank, as one cut.
    #[inline]
    pub fn all(&self) -> Cut {
        self.tasks_between(self.own.0, self.own.1)
    }

    fn tasks_between(&self, first: usize, end: usize) -> Cut {
        let at = |task| share(self.tiles, task, self.tasks);
        self.between(at(first), at(end))
    }

    /// Returns one tile.
    #[inline]
    pub fn tile(&self, number: usize) -> Cut {
        self.between(number, number + 1)
    }

    fn between(&self, first: usize, end: usize) -> Cut {
        let at = |tile| share(self.extent, tile, self.tiles);
        Cut {
            axis: self.axis,
            first: at(first),
            end: at(end),
            tiles: (first as u32, end as u32),
            is_all: end - first == self.tiles,
        }
    }
}

/// Returns the index at which part `part` of `parts` equal parts of `things` begins.
fn share(things: usize, part: usize, parts: usize) -> usize {
    ((things as u128 * part as u128) / parts as u128) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_the_axis_once() {
        for (dims, processors) in [(vec![1_000_003], 7), (vec![3, 500_000], 4), (vec![0, 5], 2)] {
            let shape = Shape::new(&dims).unwrap();
            let cuts = Cuts::new(&shape, Tiling::Processors { work: 1 }, 1000, processors);
            let mut next = 0;
            for point in 0..cuts.count() {
                let cut = cuts.get(point);
                assert_eq!(cut.first, next);
                next = cut.end;
            }
            assert_eq!(next, dims[usize::from(cuts.axis)]);
        }
    }

    #[test]
    fn shape_tiling_ignores_the_number_of_processors() {
        let shape = Shape::new(&[5000, 300]).unwrap();
        let cuts = |processors| Cuts::new(&shape, Tiling::Shape { work: 1 }, 1000, processors);
        assert_eq!(cuts(1), cuts(64));
        assert!(cuts(1).count() > 1);
    }

    #[test]
    fn cuts_products_into_thick_tiles_along_longer_axis() {
        let cut = |dims: &[usize], inner| {
            let cuts = Cuts::new(
                &Shape::new(dims).unwrap(),
                Tiling::Product { inner },
                1000,
                8,
            );
            (cuts.axis, cuts.tiles())
        };
        assert_eq!(cut(&[1920, 1920], 2000), (0, 20));
        assert_eq!(cut(&[100, 1920], 2000), (1, 20));
        assert_eq!(cut(&[90, 90], 100_000), (0, 2));
        assert_eq!(cut(&[150, 150], 100_000), (0, 4));
        assert_eq!(cut(&[31, 31], 100_000), (0, 1));
        // There is too little to multiply for that many tiles.
        assert_eq!(cut(&[1920, 10], 1), (0, 4));
        assert_eq!(cut(&[100_000, 100_000], 1000), (0, MAX_BY_SHAPE));
    }

    #[test]
    fn ranks_get_equal_tile_counts_for_gpus() {
        let shape = Shape::new(&[1000]).unwrap();
        for (gpus, ranks) in [(1, 1), (1, 3), (2, 3), (4, 2)] {
            for smallest in [1, 300, 450] {
                let work = Tiling::Processors { work: 1 };
                let cuts = Cuts::for_gpus(&shape, work, smallest, gpus, ranks);
                let counts = (0..ranks).map(|rank| {
                    let (rank, size) = (rank as u16, ranks as u16);
                    cuts.of_rank(Ranks { rank, size }).count()
                });
                let counts: Vec<usize> = counts.collect();
                let is_one = cuts.tiles() == 1;
                assert!(
                    is_one || counts.iter().all(|count| *count == counts[0]),
                    "{counts:?}"
                );
                assert!(counts.iter().all(|count| *count <= gpus), "{counts:?}");
            }
        }
    }

    #[test]
    fn across_tiling_never_cuts_its_axis() {
        for dims in [vec![1_000_000], vec![100_000, 3], vec![2, 500_000], vec![]] {
            for axis in 0..dims.len().max(1) {
                let shape = Shape::new(&dims).unwrap();
                let cuts = Cuts::new(&shape, Tiling::Across { axis: axis as u8 }, 1000, 4);
                let others: usize = shape.without(axis).len();
                assert_eq!(cuts.count() > 1, others > 1, "{dims:?} across {axis}");
                assert!(cuts.count() == 1 || cuts.get(0).axis() != axis);
            }
        }
    }

    #[test]
    fn cuts_only_named_axes() {
        for by_shape in [false, true] {
            let cut = |axes| {
                let tiling = Tiling::Axes {
                    axes,
                    work: 1,
                    by_shape,
                };
                let shape = Shape::new(&[400, 300, 500]).unwrap();
                let cuts = Cuts::new(&shape, tiling, 1000, 4);
                (cuts.tiles() > 1, cuts.get(0).axis())
            };
            assert_eq!(cut(0b111), (true, 0));
            assert_eq!(cut(0b110), (true, 1));
            assert_eq!(cut(0b100), (true, 2));
            assert!(!cut(0).0);
        }
    }

    #[test]
    fn along_tiling_cuts_axis_if_others_are_short() {
        let count = |dims: &[usize], axis| {
            let shape = Shape::new(dims).unwrap();
            let cuts = |processors| Cuts::new(&shape, Tiling::Along { axis }, 1000, processors);
            assert_eq!(cuts(1), cuts(64), "by shape alone");
            assert_eq!(cuts(1).get(0).axis(), usize::from(axis));
            cuts(1).count()
        };
        assert_eq!(count(&[100_000, 4], 0), 64);
        assert_eq!(count(&[4, 100_000], 1), 64);
        assert_eq!(count(&[8000], 0), 2);
        // There are enough lines.
        assert_eq!(count(&[1000, 400], 1), 1);
        assert_eq!(count(&[400, 2000], 0), 1);
        // With short lines there would be as many results as terms.
        assert_eq!(count(&[40, 100, 100], 0), 1);
        assert_eq!(count(&[3, 3], 0), 1);
    }

    #[test]
    fn team_tasks_cover_all_tiles() {
        let shape = Shape::new(&[100_003]).unwrap();
        for tiling in [Tiling::Processors { work: 1 }, Tiling::Shape { work: 1 }] {
            for (teams, tasks) in [(1, 1), (3, 3), (200, 10)] {
                let cuts = Cuts::new(&shape, tiling, 1000, 6);
                let shared = cuts.for_teams(shape.len(), 10_000, teams);
                assert_eq!((shared.count(), shared.tiles()), (tasks, cuts.count()));
                let mut next = 0;
                for point in 0..shared.count() {
                    let cut = shared.get(point);
                    let (first, end) = cut.tiles();
                    assert_eq!(first, next);
                    assert_eq!(cut.first, cuts.get(first).first);
                    assert_eq!(cut.end, cuts.get(end - 1).end);
                    next = end;
                }
                assert_eq!(next, cuts.count());
                assert_eq!(shared.tile(2), cuts.get(2));
            }
        }
    }

    #[test]
    fn processors_get_equal_tile_counts() {
        for (elements, tiles) in [(15_000, 2), (24_500, 2), (33_000, 4), (1 << 20, 16)] {
            let shape = Shape::new(&[elements]).unwrap();
            let cuts = Cuts::new(&shape, Tiling::Processors { work: 1 }, 1000, 2);
            assert_eq!(cuts.count(), tiles, "{elements} elements");
        }
    }

    #[test]
    fn few_tiling_makes_at_most_one_tile_per_processor() {
        for (elements, processors, tiles) in [(400, 4, 1), (1500, 4, 3), (1 << 20, 4, 4)] {
            let shape = Shape::new(&[elements]).unwrap();
            let cuts = Cuts::new(&shape, Tiling::Few { work: 2 }, 1000, processors);
            assert_eq!(cuts.count(), tiles, "{elements} elements");
        }
    }

    #[test]
    fn small_operations_stay_whole() {
        let shape = Shape::new(&[100]).unwrap();
        assert_eq!(
            Cuts::new(&shape, Tiling::Processors { work: 1 }, 1000, 8).count(),
            1
        );
    }
}
