//! The drawing as shapes, from which SVG and pixels are made.

use weft_model::printable::printable;

/// A colour as `#rrggbb` or `#rgb`.
pub(super) type Colour = &'static str;

/// Shapes in the order in which they are painted, in pixels from the upper left corner.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    /// The axis and the lanes.
    pub(super) lanes: Vec<Shape>,
    pub(super) legend: Vec<Shape>,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Box(Bar, Colour),
    /// Rectangles of one colour, from 0 (transparent) to 1 (opaque).
    Bars {
        colour: Colour,
        opacity: f64,
        bars: Vec<Bar>,
    },
    /// The area between a horizontal line and a curve of steps above it, each a width and the
    /// height of its upper edge in the picture.
    Steps {
        colour: Colour,
        x: f64,
        low: f64,
        steps: Vec<(f64, f64)>,
    },
    /// A vertical line of one pixel.
    Tick {
        colour: Colour,
        x: f64,
        top: f64,
        bottom: f64,
    },
    Text(Text),
}

/// A rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bar {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A line of text: `x` is its start, middle or end, `y` its baseline.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) text: String,
    pub(super) size: f64,
    pub(super) colour: Colour,
    pub(super) anchor: Anchor,
    pub(super) is_bold: bool,
    pub(super) is_mono: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Text {
    /// The size of a text that has no other, in pixels.
    pub(super) const SIZE: f64 = 13.0;
    /// The colour of a text that has no other.
    pub(super) const COLOUR: Colour = "#1d2733";

    /// A text without control characters.
    pub(super) fn new(x: f64, y: f64, text: &str) -> Self {
        Text {
            x,
            y,
            text: printable(text).into(),
            size: Self::SIZE,
            colour: Self::COLOUR,
            anchor: Anchor::Start,
            is_bold: false,
            is_mono: false,
        }
    }

    pub(super) fn sized(self, size: f64) -> Self {
        Text { size, ..self }
    }

    pub(super) fn coloured(self, colour: Colour) -> Self {
        Text { colour, ..self }
    }

    pub(super) fn anchored(self, anchor: Anchor) -> Self {
        Text { anchor, ..self }
    }
}
