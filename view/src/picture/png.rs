//! The drawing as pixels.

use super::Picture;
use super::drawing::{Anchor, Bar, Drawing, Shape, Text};
use super::fonts::Fonts;
use crate::state::ViewError;
use std::ops::Range;

/// Paints a picture, as PNG. Texts use the fonts that come with this command, so that a picture has
/// the same pixels on every machine. Letters that these lack use the system's fonts, and letters
/// that no font has are boxes.
///
/// # Errors
/// Returns an error if the memory does not suffice for this number of pixels.
pub fn paint(picture: &Picture) -> Result<Vec<u8>, ViewError> {
    let failed =
        |why: String| ViewError::BadRequest(format!("the picture cannot be painted: {why}"));
    let (width, height) = picture.size;
    let canvas = Canvas::new(width, height);
    let mut canvas =
        canvas.ok_or_else(|| failed(format!("{width} by {height} pixels are too many")))?;
    canvas.draw(&picture.drawing);
    canvas.encode().map_err(|error| failed(error.to_string()))
}

/// Red, green and blue.
type Rgb = [u8; 3];

/// Pixels, row by row from the top.
struct Canvas {
    width: u32,
    height: u32,
    pixels: Vec<Rgb>,
    fonts: Fonts,
}

impl Canvas {
    /// A white canvas. `None` if there is not enough memory.
    fn new(width: u32, height: u32) -> Option<Self> {
        let size = (width as usize).checked_mul(height as usize)?;
        let mut pixels = Vec::new();
        pixels.try_reserve_exact(size).ok()?;
        pixels.resize(size, [255; 3]);
        Some(Canvas {
            width,
            height,
            pixels,
            fonts: Fonts::default(),
        })
    }

    fn encode(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(bytes)
    }

    fn draw(&mut self, drawing: &Drawing) {
        for shape in drawing.lanes.iter().chain(&drawing.legend) {
            match shape {
                Shape::Box(bar, colour) => self.fill(*bar, rgb(colour), 1.0),
                Shape::Bars {
                    colour,
                    opacity,
                    bars,
                } => {
                    for bar in bars {
                        self.fill(*bar, rgb(colour), *opacity);
                    }
                }
                Shape::Steps {
                    colour,
                    x,
                    low,
                    steps,
                } => {
                    let mut x = *x;
                    for (width, y) in steps {
                        let bar = Bar {
                            x,
                            y: *y,
                            width: *width,
                            height: low - y,
                        };
                        self.fill(bar, rgb(colour), 1.0);
                        x += width;
                    }
                }
                Shape::Tick {
                    colour,
                    x,
                    top,
                    bottom,
                } => {
                    let line = Bar {
                        x: x - 0.5,
                        y: *top,
                        width: 1.0,
                        height: bottom - top,
                    };
                    self.fill(line, rgb(colour), 1.0);
                }
                Shape::Text(text) => self.write(text),
            }
        }
    }

    /// Fills a rectangle. Pixels on its edges are mixed in proportion to the part that is covered.
    fn fill(&mut self, bar: Bar, colour: Rgb, opacity: f64) {
        let columns = covered(bar.x, bar.x + bar.width, self.width);
        let rows = covered(bar.y, bar.y + bar.height, self.height);
        for y in rows {
            let tall = part(y, bar.y, bar.y + bar.height);
            for x in columns.clone() {
                let wide = part(x, bar.x, bar.x + bar.width);
                self.mix(x, y, colour, tall * wide * opacity);
            }
        }
    }

    fn mix(&mut self, x: u32, y: u32, colour: Rgb, opacity: f64) {
        let at = y as usize * self.width as usize + x as usize;
        if let Some(pixel) = self.pixels.get_mut(at).filter(|_| x < self.width) {
            for (below, above) in pixel.iter_mut().zip(colour) {
                let (from, to) = (f64::from(*below), f64::from(above));
                *below = (from + (to - from) * opacity).round() as u8;
            }
        }
    }

    fn write(&mut self, text: &Text) {
        let colour = rgb(text.colour);
        let line = self.fonts.line(&text.text, text.size, text.is_mono);
        let start = match text.anchor {
            Anchor::Start => text.x,
            Anchor::Middle => text.x - line.width / 2.0,
            Anchor::End => text.x - line.width,
        };
        for glyph in line.placed(start, text.y) {
            let bounds = glyph.px_bounds();
            let (left, top) = (bounds.min.x as i64, bounds.min.y as i64);
            glyph.draw(|x, y, opacity| {
                let at = (
                    u32::try_from(left + i64::from(x)),
                    u32::try_from(top + i64::from(y)),
                );
                if let (Ok(x), Ok(y)) = at {
                    self.mix(x, y, colour, f64::from(opacity).min(1.0));
                }
            });
        }
    }
}

/// Returns the pixels that lie between two edges at least in part.
fn covered(from: f64, to: f64, size: u32) -> Range<u32> {
    from.max(0.0).floor() as u32..(to.ceil().max(0.0) as u32).min(size)
}

/// Returns the part of a pixel that lies between two edges.
fn part(pixel: u32, from: f64, to: f64) -> f64 {
    let pixel = f64::from(pixel);
    (to.min(pixel + 1.0) - from.max(pixel)).clamp(0.0, 1.0)
}

/// Parses `#rrggbb` or `#rgb`.
fn rgb(colour: &str) -> Rgb {
    let digits = colour.trim_start_matches('#');
    let value = u32::from_str_radix(digits, 16).unwrap_or(0);
    match digits.len() {
        3 => [8, 4, 0].map(|shift| ((value >> shift & 0xf) * 0x11) as u8),
        _ => [16, 8, 0].map(|shift| (value >> shift & 0xff) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_hexadecimal_colors() {
        assert_eq!(rgb("#77aadd"), [0x77, 0xaa, 0xdd]);
        assert_eq!(rgb("#fff"), [255; 3]);
    }

    #[test]
    fn rectangles_cover_pixels_partially() {
        let mut canvas = Canvas::new(4, 3).unwrap();
        let bar = Bar {
            x: 0.5,
            y: 1.0,
            width: 2.0,
            height: 10.0,
        };
        canvas.fill(bar, [0; 3], 1.0);
        let row = |y: usize| canvas.pixels[4 * y..4 * y + 4].iter().map(|pixel| pixel[0]);
        assert!(row(0).eq([255, 255, 255, 255]));
        assert!(row(1).eq([128, 0, 128, 255]));
        assert!(row(2).eq([128, 0, 128, 255]));
    }
}
