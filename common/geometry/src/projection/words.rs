//! Projections as words, as written to profiles.

use std::sync::Arc;

use super::{Affine, Along, Image, Projection, Rest};
use crate::MAX_DIMS;

/// The most tiles of an image, and runs of a tile, that are read: no profile has that many.
const MOST: u64 = 1 << 32;

/// The kinds of axes, in the lowest byte of an axis's head.
mod kind {
    pub(super) const WHOLE: u64 = 0;
    pub(super) const AFFINE: u64 = 1;
    pub(super) const TILE: u64 = 2;
    /// An image of one run for each tile.
    pub(super) const BOUNDS: u64 = 3;
    /// An image of any number of runs for each tile.
    pub(super) const RUNS: u64 = 4;
    /// The number of an image whose words are elsewhere.
    pub(super) const NUMBER: u64 = 5;
}

/// A function that returns the image with a number.
pub(crate) type ImageOf<'a> = dyn FnMut(u64) -> Option<Arc<Image>> + 'a;

impl Image {
    /// Calls `put` with each word of the image, in the format that [`from_words`](Self::from_words)
    /// reads.
    pub fn put(&self, mut put: impl FnMut(u64)) {
        let tiles = 0..self.tiles();
        let has_gaps = self.has_gaps(tiles.clone());
        let kind = if has_gaps { kind::RUNS } else { kind::BOUNDS };
        put(kind | (self.tiles() as u64) << 8);
        for tile in tiles {
            let runs = self.of_tile(tile);
            let one = match has_gaps {
                true => {
                    put(runs.len() as u64);
                    None
                }
                false => runs.is_empty().then_some((0, 0)),
            };
            for (first, end) in runs.iter().copied().chain(one) {
                put(first as u64);
                put(end as u64);
            }
        }
    }

    /// Reads an image from its words; `None` if they are malformed.
    pub fn from_words(words: impl IntoIterator<Item = u64>) -> Option<Image> {
        let mut words = words.into_iter();
        let head = words.next()?;
        let image = image(head, &mut words)?;
        words.next().is_none().then_some(image)
    }
}

impl Projection {
    /// Returns the kind and the value of the word before those of [`put`](Self::put).
    pub(crate) fn head(&self) -> (u64, u64) {
        match self {
            Projection::Same => (0, 0),
            Projection::Whole => (1, 0),
            Projection::Axes(axes) => {
                let rest = match axes.rest {
                    Rest::Whole => 0xff,
                    Rest::Same { removed } => u64::from(removed),
                };
                (8, axes.listed.len() as u64 | rest << 8)
            }
        }
    }

    /// Calls `put` with the words of each listed axis. An image is written as the number that
    /// `number` returns for it.
    pub(crate) fn put(&self, mut number: impl FnMut(&Arc<Image>) -> u64, mut put: impl FnMut(u64)) {
        let Projection::Axes(axes) = self else { return };
        for along in &axes.listed {
            match along {
                Along::Whole => put(kind::WHOLE),
                Along::Affine(affine) => {
                    put(kind::AFFINE | u64::from(affine.of) << 8);
                    put(u64::from(affine.times) | u64::from(affine.over) << 32);
                    put(affine.offset.cast_unsigned());
                    put(u64::from(affine.low) | u64::from(affine.high) << 32);
                }
                Along::Tile { keeps_axis } => put(kind::TILE | u64::from(*keeps_axis) << 8),
                Along::Image(image) => put(kind::NUMBER | number(image) << 8),
            }
        }
    }

    /// Reads the words after a head. Returns `None` if they end early or are malformed, or if
    /// `image_of` returns none. Kinds 2 to 7 are those of profiles with one word for each
    /// projection.
    pub(crate) fn get(
        (kind, value): (u64, u64),
        words: &mut impl Iterator<Item = u64>,
        image_of: &mut ImageOf<'_>,
    ) -> Option<Projection> {
        Some(match kind {
            0 => Projection::Same,
            1 => Projection::Whole,
            2 => Projection::except(axis(value)?),
            3 => Projection::only(axis(value)?),
            4 => Projection::beside(axis(value)?),
            5 => Projection::of_tiles(true),
            6 => Projection::of_tiles(false),
            7 => Projection::blocks(u32::try_from(value).ok()?),
            8 => {
                let (count, rest) = (value & 0xff, value >> 8 & 0xff);
                if count > MAX_DIMS as u64 {
                    return None;
                }
                let listed: Vec<Along> = (0..count)
                    .map(|_| along(words, image_of))
                    .collect::<Option<_>>()?;
                let rest = match rest {
                    0xff => Rest::Whole,
                    removed => Rest::Same {
                        removed: axis(removed)?,
                    },
                };
                Projection::of_axes(listed, rest)
            }
            _ => return None,
        })
    }

    /// Returns the projection with this name and value, as in databases with one word and one value
    /// for each; otherwise parses the name as [text](Projection#impl-FromStr-for-Projection).
    pub fn from_name(name: &str, value: u32) -> Option<Self> {
        Some(match name {
            "except" => Projection::except(axis(value.into())?),
            "only" => Projection::only(axis(value.into())?),
            "beside" => Projection::beside(axis(value.into())?),
            "elements" => Projection::of_tiles(true),
            "rows" => Projection::of_tiles(false),
            "blocks" => Projection::blocks(value),
            text => text.parse().ok()?,
        })
    }
}

fn along(words: &mut impl Iterator<Item = u64>, image_of: &mut ImageOf<'_>) -> Option<Along> {
    let head = words.next()?;
    let value = head >> 8;
    Some(match head & 0xff {
        kind::WHOLE => Along::Whole,
        kind::AFFINE => {
            let (rate, offset, halo) = (words.next()?, words.next()?, words.next()?);
            Along::Affine(Affine {
                of: axis(value)?,
                times: rate as u32,
                over: Some((rate >> 32) as u32).filter(|over| *over > 0)?,
                offset: offset.cast_signed(),
                low: halo as u32,
                high: (halo >> 32) as u32,
            })
        }
        kind::TILE => Along::Tile {
            keeps_axis: value != 0,
        },
        kind::NUMBER => Along::Image(image_of(value)?),
        // Profiles of earlier versions repeat the whole image in each view.
        _ => Along::Image(Arc::new(image(head, words)?)),
    })
}

/// Reads the words of an image after their head.
fn image(head: u64, words: &mut impl Iterator<Item = u64>) -> Option<Image> {
    let (kind, count) = (head & 0xff, head >> 8);
    if !matches!(kind, kind::BOUNDS | kind::RUNS) || count > MOST {
        return None;
    }
    // Memory grows with the words that are read, so that a truncated image fails before all of it
    // is allocated.
    let mut tiles: Vec<Vec<(usize, usize)>> = Vec::new();
    for _ in 0..count {
        let count = match kind {
            kind::BOUNDS => 1,
            _ => words.next()?,
        };
        let mut runs = Vec::new();
        for _ in 0..Some(count).filter(|count| *count <= MOST)? {
            runs.push((words.next()? as usize, words.next()? as usize));
        }
        tiles.push(runs);
    }
    Some(Image::new(tiles))
}

fn axis(value: u64) -> Option<u8> {
    u8::try_from(value)
        .ok()
        .filter(|axis| usize::from(*axis) < MAX_DIMS)
}
