//! Projections as words, as profiles have them.

use std::sync::Arc;

use super::{Affine, Along, Image, Projection, Rest};
use crate::MAX_DIMS;

/// Most tiles of an image, and most runs of a tile, that are read: no profile has so many.
const MOST: u64 = 1 << 32;

impl Projection {
    /// Its kind and a value, for the word that stands before those of [`put`](Self::put).
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

    /// Calls `put` with the words of each axis that is listed.
    pub(crate) fn put(&self, mut put: impl FnMut(u64)) {
        let Projection::Axes(axes) = self else { return };
        for along in &axes.listed {
            match along {
                Along::Whole => put(0),
                Along::Affine(affine) => {
                    put(1 | u64::from(affine.of) << 8);
                    put(u64::from(affine.times) | u64::from(affine.over) << 32);
                    put(affine.offset.cast_unsigned());
                    put(u64::from(affine.low) | u64::from(affine.high) << 32);
                }
                Along::Tile { keeps_axis } => put(2 | u64::from(*keeps_axis) << 8),
                Along::Image(image) => {
                    let tiles = 0..image.tiles();
                    let has_gaps = image.has_gaps(tiles.clone());
                    let kind = if has_gaps { 4 } else { 3 };
                    put(kind | (image.tiles() as u64) << 8);
                    for tile in tiles {
                        let runs = image.of_tile(tile);
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
            }
        }
    }

    /// Reads the words behind a head; `None` where they end early, or are those of no projection. Kinds 2 to 7 are those of profiles that had
    /// a word for each projection.
    pub(crate) fn get(
        (kind, value): (u64, u64),
        words: &mut impl Iterator<Item = u64>,
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
                let listed: Vec<Along> = (0..count).map(|_| along(words)).collect::<Option<_>>()?;
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

    /// The projection with this word, as in databases that had a word and a value for each; else as [text](Projection#impl-FromStr-for-Projection).
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

fn along(words: &mut impl Iterator<Item = u64>) -> Option<Along> {
    let head = words.next()?;
    let value = head >> 8;
    Some(match head & 0xff {
        0 => Along::Whole,
        1 => {
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
        2 => Along::Tile {
            keeps_axis: value != 0,
        },
        kind @ (3 | 4) if value <= MOST => {
            // What ends early is given up before memory for all of it is asked for.
            let mut tiles: Vec<Vec<(usize, usize)>> = Vec::new();
            for _ in 0..value {
                let count = if kind == 3 { 1 } else { words.next()? };
                let mut runs = Vec::new();
                for _ in 0..Some(count).filter(|count| *count <= MOST)? {
                    runs.push((words.next()? as usize, words.next()? as usize));
                }
                tiles.push(runs);
            }
            Along::Image(Arc::new(Image::new(tiles)))
        }
        _ => return None,
    })
}

fn axis(value: u64) -> Option<u8> {
    u8::try_from(value)
        .ok()
        .filter(|axis| usize::from(*axis) < MAX_DIMS)
}
