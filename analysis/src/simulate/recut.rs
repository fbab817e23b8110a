//! The accesses through the values of other arrays, for tiles cut differently from the recorded
//! ones.

use super::program::{Program, SimulatedOperation};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;
use std::sync::Arc;
use weft_geometry::{Access, Cuts, Image, Shape};

/// Maximum size in bytes of the images that are cached; beyond it, all are dropped.
const KEPT_BYTES: usize = 256 << 20;

/// The operations of a program in other tiles. Results common to many operations, such as in a
/// loop, are computed once.
pub(super) struct Recut<'p> {
    program: &'p Program,
    /// By the address of the recorded image, which the program keeps alive, and whether tiles
    /// divide its elements.
    cache: FxHashMap<(usize, bool), Vec<CachedImage>>,
    bytes: usize,
}

/// The tiles, and their image.
type CachedImage = (Tiles, Arc<Image>);

/// The tiles of an operation: as recorded, and as cut now.
#[derive(Clone, Copy, PartialEq)]
struct Tiles {
    shape: Shape,
    recorded: Cuts,
    now: Cuts,
}

impl<'p> Recut<'p> {
    pub(super) fn new(program: &'p Program) -> Recut<'p> {
        Recut {
            program,
            cache: FxHashMap::default(),
            bytes: 0,
        }
    }

    /// Returns a step as it is cut here. Its tiles access, through the values of other arrays, the
    /// elements accessed by the recorded tiles that cover the same indices, which can be more.
    pub(super) fn cut(
        &mut self,
        step: &'p SimulatedOperation,
        cuts: &Cuts,
    ) -> Cow<'p, SimulatedOperation> {
        if !step.has_image() {
            return Cow::Borrowed(step);
        }
        let tiles = Tiles {
            shape: step.shape,
            recorded: self.program.processors.cuts(&step.shape, step.tiling, 1),
            now: *cuts,
        };
        if tiles.recorded == tiles.now {
            return Cow::Borrowed(step);
        }
        let groups = LazyCell::new(|| tiles.groups());
        let mut step = step.clone();
        for view in &mut step.views {
            // No two tiles write the same elements: each gets an equal part.
            let is_shared_out = view.access != Access::Read;
            view.projection = view.projection.with_images(|image| {
                let key = (Arc::as_ptr(image).addr(), is_shared_out);
                let mut known = self.cache.get(&key).into_iter().flatten();
                if let Some((_, image)) = known.find(|(of, _)| *of == tiles) {
                    return image.clone();
                }
                let recut = Arc::new(match is_shared_out {
                    true => image.evenly(0..tiles.recorded.tiles(), groups.len()),
                    false => image.regrouped(groups.iter().cloned()),
                });
                if self.bytes > KEPT_BYTES {
                    self.cache.clear();
                    self.bytes = 0;
                }
                self.bytes += recut.bytes();
                let known = self.cache.entry(key).or_default();
                known.push((tiles, recut.clone()));
                recut
            });
        }
        Cow::Owned(step)
    }
}

impl Tiles {
    /// Returns, for each tile, the recorded tiles that cover the same indices.
    fn groups(&self) -> Vec<Range<usize>> {
        let bounds = |cuts: &Cuts, tile: usize| {
            let cut = cuts.tile(tile);
            let extent = self.shape.dims().get(cut.axis()).copied();
            cut.bounds(cut.axis(), extent.unwrap_or(1))
        };
        let is_same_axis = self.recorded.all().axis() == self.now.all().axis();
        let all = 0..self.recorded.tiles();
        let covering = |tile: usize| {
            let (first, end) = bounds(&self.now, tile);
            let meets = |other: &usize| {
                let (from, to) = bounds(&self.recorded, *other);
                from < end && first < to
            };
            let met = all.clone().filter(|other| is_same_axis && meets(other));
            let met: Vec<usize> = met.collect();
            match (met.first(), met.last()) {
                (Some(first), Some(last)) => *first..last + 1,
                _ => all.clone(),
            }
        };
        (0..self.now.tiles()).map(covering).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_geometry::words::View;
    use weft_geometry::{Along, Layout, Processors, Projection, Rest, Tiling};
    use weft_model::ProvenanceIndex;
    use weft_trace::id::Uid;

    /// Makes a step of 8 indices whose tiles access two stores through these images.
    fn step(raw: u64, read: &Arc<Image>, written: &Arc<Image>) -> SimulatedOperation {
        let view = |store, image: &Arc<Image>, access| View {
            store,
            layout: Layout::contiguous(Shape::new(&[40]).unwrap()),
            access,
            projection: Projection::of_axes([Along::Image(image.clone())], Rest::Whole),
        };
        SimulatedOperation {
            uid: Uid::from_raw(raw).unwrap(),
            name: "gather".to_owned(),
            provenance: ProvenanceIndex::default(),
            shape: Shape::new(&[8]).unwrap(),
            tiling: Tiling::Processors { work: 1 },
            may_share: true,
            views: vec![
                view(1, read, Access::Read),
                view(2, written, Access::ReadWrite),
            ],
            gap: 0.0,
            inline: None,
            planning: 0.0,
            unit: 0,
            waits: Vec::new(),
            last_of: Vec::new(),
        }
    }

    fn images(step: &SimulatedOperation) -> Vec<Arc<Image>> {
        let along = step.views.iter().map(|view| view.projection.along(0));
        let image = |along| match along {
            Along::Image(image) => Some(image),
            _ => None,
        };
        along.filter_map(image).collect()
    }

    #[test]
    fn computes_followed_elements_once_per_cut() {
        let processors = |cpus| Processors {
            cpus,
            omps: 0,
            omp_threads: 0,
            smallest: 1,
            smallest_omp: 1,
        };
        let read = Arc::new(Image::new([vec![(0, 2), (5, 6)], vec![(1, 9)]]));
        let written = Arc::new(Image::of_bounds([(0, 10), (10, 20)]));
        let program = Program {
            steps: vec![step(1, &read, &written), step(2, &read, &written)],
            units: Vec::new(),
            stores: FxHashMap::default(),
            processors: processors(2),
            dispatch: 0.0,
            wake: 0.0,
            planning: 0.0,
            span: 0.0,
        };
        let mut recut = Recut::new(&program);
        let cuts =
            |cpus| processors(cpus).cuts(&program.steps[0].shape, program.steps[0].tiling, 1);
        let mut cut = |step: usize, cpus| images(&recut.cut(&program.steps[step], &cuts(cpus)));
        // With the recorded cuts, the images are the recorded ones.
        assert!(Arc::ptr_eq(&cut(0, 2)[0], &read));
        let four = cut(0, 4);
        let touched = [(0, 2), (5, 6)];
        assert_eq!(four[0].of_tile(0), touched);
        assert_eq!(four[0].of_tile(1), touched);
        assert_eq!(four[0].of_tile(3), [(1, 9)]);
        assert_eq!(
            *four[1],
            Image::of_bounds([(0, 5), (5, 10), (10, 15), (15, 20)])
        );
        assert_eq!(*cut(0, 1)[0], Image::of_bounds([(0, 9)]));
        let again = cut(1, 4);
        assert!(
            four.iter()
                .zip(&again)
                .all(|(one, other)| Arc::ptr_eq(one, other))
        );
    }
}
