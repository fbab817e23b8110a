//! Projections as text, as written to outputs: `same`, `whole`, or the axes in brackets.
//!
//! `*` is a whole axis, and `i0` the indices along axis 0 of the operation. `3*i0/2+5<1>2` is those
//! times 3, divided by 2, starting at 5, with a halo of 1 below and 2 above. `t` is the tile's
//! number, and `t!` the same without the axis. `{0:2,4:5 5:9}` is an image of two tiles, the first
//! with a gap. The end of the list defines the other axes: `..` the same axis, `..-1` the axis
//! before, `..*` whole.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::{Affine, Along, Image, Projection, Rest};
use crate::MAX_DIMS;

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.times != 1 {
            write!(f, "{}*", self.times)?;
        }
        write!(f, "i{}", self.of)?;
        if self.over != 1 {
            write!(f, "/{}", self.over)?;
        }
        if self.offset != 0 {
            write!(f, "{:+}", self.offset)?;
        }
        if (self.low, self.high) != (0, 0) {
            write!(f, "<{}>{}", self.low, self.high)?;
        }
        Ok(())
    }
}

impl fmt::Display for Along {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Along::Whole => f.write_str("*"),
            Along::Affine(affine) => affine.fmt(f),
            Along::Tile { keeps_axis: true } => f.write_str("t"),
            Along::Tile { keeps_axis: false } => f.write_str("t!"),
            Along::Image(image) => {
                f.write_str("{")?;
                for tile in 0..image.tiles() {
                    f.write_str(if tile == 0 { "" } else { " " })?;
                    let runs = match image.of_tile(tile) {
                        [] => &[(0, 0)],
                        runs => runs,
                    };
                    for (at, (first, end)) in runs.iter().enumerate() {
                        let comma = if at == 0 { "" } else { "," };
                        write!(f, "{comma}{first}:{end}")?;
                    }
                }
                f.write_str("}")
            }
        }
    }
}

impl fmt::Display for Projection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = match self {
            Projection::Same => return f.write_str("same"),
            Projection::Whole => return f.write_str("whole"),
            Projection::Axes(axes) => axes,
        };
        f.write_str("[")?;
        for along in &axes.listed {
            write!(f, "{along}, ")?;
        }
        match axes.rest {
            Rest::Whole => f.write_str("..*]"),
            Rest::Same { removed: 0 } => f.write_str("..]"),
            Rest::Same { removed } => write!(f, "..-{removed}]"),
        }
    }
}

/// The error of parsing text that is not a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoProjection;

impl fmt::Display for NoProjection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a projection")
    }
}

impl std::error::Error for NoProjection {}

impl FromStr for Projection {
    type Err = NoProjection;

    fn from_str(text: &str) -> Result<Projection, NoProjection> {
        projection(text).ok_or(NoProjection)
    }
}

fn projection(text: &str) -> Option<Projection> {
    match text {
        "same" => return Some(Projection::Same),
        "whole" => return Some(Projection::Whole),
        _ => {}
    }
    let (listed, rest) = text
        .strip_prefix('[')?
        .strip_suffix(']')?
        .split_once("..")?;
    let rest = match rest {
        "*" => Rest::Whole,
        "" => Rest::Same { removed: 0 },
        removed => Rest::Same {
            removed: axis(removed.strip_prefix('-')?)?,
        },
    };
    let listed: Vec<Along> = listed
        .split_terminator(", ")
        .map(along)
        .collect::<Option<_>>()?;
    (listed.len() <= MAX_DIMS).then(|| Projection::of_axes(listed, rest))
}

fn along(text: &str) -> Option<Along> {
    Some(match text {
        "*" => Along::Whole,
        "t" => Along::Tile { keeps_axis: true },
        "t!" => Along::Tile { keeps_axis: false },
        _ => match text.strip_prefix('{') {
            Some(image) => {
                let tiles = image.strip_suffix('}')?.split_whitespace().map(runs);
                let tiles: Vec<Vec<(usize, usize)>> = tiles.collect::<Option<_>>()?;
                Along::Image(Arc::new(Image::new(tiles)))
            }
            None => Along::Affine(affine(text)?),
        },
    })
}

/// Parses the runs of a tile.
fn runs(text: &str) -> Option<Vec<(usize, usize)>> {
    let runs = text.split(',').map(|run| {
        let (first, end) = run.split_once(':')?;
        Some((first.parse().ok()?, end.parse().ok()?))
    });
    runs.collect()
}

fn affine(text: &str) -> Option<Affine> {
    let (times, text) = text.split_once('*').unwrap_or(("1", text));
    let (text, halo) = text.split_once('<').unwrap_or((text, "0>0"));
    let (low, high) = halo.split_once('>')?;
    let text = text.strip_prefix('i')?;
    let sign = text.find(['+', '-']).unwrap_or(text.len());
    let (text, offset) = text.split_at(sign);
    let (of, over) = text.split_once('/').unwrap_or((text, "1"));
    let affine = Affine {
        of: axis(of)?,
        times: times.parse().ok()?,
        over: over.parse().ok().filter(|over| *over > 0)?,
        offset: match offset {
            "" => 0,
            offset => offset.parse().ok()?,
        },
        low: low.parse().ok()?,
        high: high.parse().ok()?,
    };
    Some(affine)
}

fn axis(text: &str) -> Option<u8> {
    text.parse()
        .ok()
        .filter(|axis| usize::from(*axis) < MAX_DIMS)
}
