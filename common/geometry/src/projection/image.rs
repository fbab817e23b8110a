//! Images: the indices along one axis that each tile touches, as they were found in the values of another array.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::FxHasher;

/// The first index, and one past the last.
pub type IndexRun = (usize, usize);

/// For each tile the runs of indices that it touches along an axis. Tiles beyond the last one touch nothing.
#[derive(Clone, Debug)]
pub struct Image {
    /// Those of all tiles, one tile after the other: of each tile in order, none of them empty, with gaps between them.
    runs: Vec<IndexRun>,
    /// Where the runs of each tile end.
    ends: Vec<usize>,
    /// Whether a tile has several.
    has_gaps: bool,
    /// Found once, since operations are compared more often than images are found.
    hash: u64,
}

impl PartialEq for Image {
    fn eq(&self, other: &Image) -> bool {
        self.hash == other.hash && self.ends == other.ends && self.runs == other.runs
    }
}

impl Eq for Image {}

impl Hash for Image {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Image {
    /// Tiles that touch these runs, which may lie in any order and meet. Empty ones count for nothing.
    pub fn new<T: IntoIterator<Item = IndexRun>>(tiles: impl IntoIterator<Item = T>) -> Image {
        let (mut runs, mut ends, mut has_gaps) = (Vec::new(), Vec::new(), false);
        for tile in tiles {
            let own = runs.len();
            runs.extend(tile.into_iter().filter(|(first, end)| first < end));
            let count = join(&mut runs[own..]);
            runs.truncate(own + count);
            ends.push(runs.len());
            has_gaps |= count > 1;
        }
        let mut hasher = FxHasher::default();
        (&runs, &ends).hash(&mut hasher);
        Image {
            runs,
            ends,
            has_gaps,
            hash: hasher.finish(),
        }
    }

    /// Tiles of one run each.
    pub fn of_bounds(tiles: impl IntoIterator<Item = IndexRun>) -> Image {
        Image::new(tiles.into_iter().map(|run| [run]))
    }

    /// About how many bytes of memory it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.runs[..]) + size_of_val(&self.ends[..])
    }

    /// How many tiles it tells of.
    pub fn tiles(&self) -> usize {
        self.ends.len()
    }

    /// The runs of a tile, in order and with gaps between them.
    pub fn of_tile(&self, tile: usize) -> &[IndexRun] {
        let Some(end) = self.ends.get(tile) else {
            return &[];
        };
        let first = tile.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.runs[first..*end]
    }

    /// How many indices a tile touches.
    pub fn indices_of(&self, tile: usize) -> usize {
        indices(self.of_tile(tile))
    }

    /// The first index that some tiles touch, and one past the last.
    pub fn bounds(&self, tiles: Range<usize>) -> (usize, usize) {
        let of = tiles.filter_map(|tile| {
            let runs = self.of_tile(tile);
            Some((runs.first()?.0, runs.last()?.1))
        });
        of.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
            .unwrap_or_default()
    }

    /// Whether one of these tiles leaves out indices between those that it touches.
    pub fn has_gaps(&self, tiles: Range<usize>) -> bool {
        let end = tiles.end.min(self.tiles());
        let mut tiles = tiles.start..end;
        self.has_gaps && tiles.any(|tile| self.of_tile(tile).len() > 1)
    }

    /// The image of tiles each of which touches what several of these do.
    pub fn regrouped(&self, groups: impl IntoIterator<Item = Range<usize>>) -> Image {
        let groups = groups.into_iter();
        match self.has_gaps {
            true => Image::new(groups.map(|group| self.runs(group).into_owned())),
            false => Image::of_bounds(groups.map(|group| self.bounds(group))),
        }
    }

    /// The image of so many tiles, each of which has an equal part of all from the first to the last index that some of these touch.
    pub fn evenly(&self, all: Range<usize>, tiles: usize) -> Image {
        let (first, end) = self.bounds(all);
        let place = |tile: usize| first + (end - first) * tile / tiles.max(1);
        Image::of_bounds((0..tiles).map(|tile| (place(tile), place(tile + 1))))
    }

    /// The runs that some tiles touch together.
    pub fn runs(&self, tiles: Range<usize>) -> Cow<'_, [IndexRun]> {
        if tiles.len() == 1 {
            return Cow::Borrowed(self.of_tile(tiles.start));
        }
        let end = tiles.end.min(self.tiles());
        let all = (tiles.start..end).flat_map(|tile| self.of_tile(tile));
        let mut all: Vec<IndexRun> = all.copied().collect();
        let count = join(&mut all);
        all.truncate(count);
        Cow::Owned(all)
    }
}

/// How many indices runs have, which do not meet.
pub(crate) fn indices(runs: &[IndexRun]) -> usize {
    runs.iter().map(|(first, end)| end - first).sum()
}

/// Puts runs in order and joins those that meet; how many there are then.
fn join(runs: &mut [IndexRun]) -> usize {
    if !runs.is_sorted() {
        runs.sort_unstable();
    }
    let mut count = 0_usize;
    for at in 0..runs.len() {
        let (first, end) = runs[at];
        match count.checked_sub(1).map(|last| &mut runs[last]) {
            Some(last) if first <= last.1 => last.1 = last.1.max(end),
            _ => {
                runs[count] = (first, end);
                count += 1;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_in_order_and_apart() {
        let image = Image::new([
            vec![(7, 9), (0, 2), (2, 3), (8, 12), (5, 5)],
            vec![],
            vec![(4, 6)],
        ]);
        assert_eq!(image.of_tile(0), [(0, 3), (7, 12)]);
        assert_eq!(image.of_tile(1), []);
        assert_eq!(image.of_tile(2), [(4, 6)]);
        assert_eq!(image.of_tile(3), []);
        assert_eq!(image.bounds(0..3), (0, 12));
        assert_eq!(image.bounds(1..2), (0, 0));
        assert_eq!(image.bounds(2..9), (4, 6));
        assert_eq!(*image.runs(0..3), [(0, 3), (4, 6), (7, 12)]);
        assert!(image.has_gaps(0..1) && !image.has_gaps(1..3));
    }

    #[test]
    fn tiles_can_be_put_together() {
        let bounds = Image::of_bounds([(0, 4), (9, 12), (2, 3)]);
        assert_eq!(
            bounds.regrouped([0..2, 2..3]),
            Image::of_bounds([(0, 12), (2, 3)])
        );
        let gaps = Image::new([vec![(0, 2), (6, 7)], vec![(1, 4)], vec![(9, 11)]]);
        let two = gaps.regrouped([0..2, 1..3]);
        assert_eq!(two.of_tile(0), [(0, 4), (6, 7)]);
        assert_eq!(two.of_tile(1), [(1, 4), (9, 11)]);
        let shared = Image::of_bounds([(2, 4), (4, 7), (7, 11)]);
        assert_eq!(gaps.evenly(0..2, 2), Image::of_bounds([(0, 3), (3, 7)]));
        assert_eq!(gaps.evenly(2..3, 1), Image::of_bounds([(9, 11)]));
        assert_eq!(
            shared.evenly(0..3, 3),
            Image::of_bounds([(2, 5), (5, 8), (8, 11)])
        );
    }

    #[test]
    fn images_are_equal_by_what_tiles_touch() {
        let one = Image::new([vec![(0, 2), (2, 4)], vec![(9, 9)]]);
        let other = Image::of_bounds([(0, 4), (0, 0)]);
        assert_eq!(one, other);
        assert!(!one.has_gaps(0..2));
        assert_ne!(one, Image::of_bounds([(0, 4)]));
    }
}
