//! The drawing as SVG.

use super::drawing::{Anchor, Bar, Drawing, Shape, Text};
use std::fmt::{self, Display, Formatter, Write};

const MONO: &str = "Hack, Menlo, Consolas, monospace";
const SANS: &str = "Ubuntu, Helvetica, Arial, sans-serif";

/// A length with at most one decimal.
struct Tenths(f64);

impl Display for Tenths {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round();
        // Negative zero has a sign.
        (if tenths == 0.0 { 0.0 } else { tenths / 10.0 }).fmt(f)
    }
}

pub(super) fn write(drawing: &Drawing) -> String {
    let (width, height) = (Tenths(drawing.width), Tenths(drawing.height));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{SANS}\" font-size=\"{}\" fill=\"{}\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        Text::SIZE,
        Text::COLOUR
    );
    for shape in &drawing.lanes {
        write_shape(&mut svg, shape);
    }
    svg.push_str("<g class=\"legend\">\n");
    for shape in &drawing.legend {
        write_shape(&mut svg, shape);
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn write_shape(svg: &mut String, shape: &Shape) {
    let written = match shape {
        Shape::Box(bar, colour) => writeln!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{colour}\"/>",
            Tenths(bar.x),
            Tenths(bar.y),
            Tenths(bar.width),
            Tenths(bar.height)
        ),
        Shape::Bars {
            colour,
            opacity,
            bars,
        } => put_bars(svg, colour, *opacity, bars),
        Shape::Steps {
            colour,
            x,
            low,
            steps,
        } => put_steps(svg, colour, *x, *low, steps),
        Shape::Tick {
            colour,
            x,
            top,
            bottom,
        } => writeln!(
            svg,
            "<path d=\"M{} {}V{}\" stroke=\"{colour}\"/>",
            Tenths(*x),
            Tenths(*top),
            Tenths(*bottom)
        ),
        Shape::Text(text) => put_text(svg, text),
    };
    // Writing into a text cannot fail.
    let _ = written;
}

fn put_bars(svg: &mut String, colour: &str, opacity: f64, bars: &[Bar]) -> fmt::Result {
    write!(svg, "<path fill=\"{colour}\"")?;
    if opacity < 1.0 {
        write!(svg, " fill-opacity=\"{opacity:.3}\"")?;
    }
    svg.push_str(" d=\"");
    for bar in bars {
        let (width, height) = (Tenths(bar.width), Tenths(bar.height));
        let (x, y) = (Tenths(bar.x), Tenths(bar.y));
        write!(svg, "M{x} {y}h{width}v{height}h-{width}z")?;
    }
    svg.push_str("\"/>\n");
    Ok(())
}

fn put_steps(
    svg: &mut String,
    colour: &str,
    x: f64,
    low: f64,
    steps: &[(f64, f64)],
) -> fmt::Result {
    let (mut x, low) = (x, Tenths(low));
    write!(svg, "<path fill=\"{colour}\" d=\"M{} {low}", Tenths(x))?;
    for (width, y) in steps {
        x += width;
        write!(svg, "V{}H{}", Tenths(*y), Tenths(x))?;
    }
    writeln!(svg, "V{low}z\"/>")
}

fn put_text(svg: &mut String, text: &Text) -> fmt::Result {
    if text.text.is_empty() {
        return Ok(());
    }
    let (x, y) = (Tenths(text.x), Tenths(text.y));
    write!(svg, "<text x=\"{x}\" y=\"{y}\" xml:space=\"preserve\"")?;
    if text.is_mono {
        write!(svg, " font-family=\"{MONO}\"")?;
    }
    if text.size != Text::SIZE {
        write!(svg, " font-size=\"{}\"", Tenths(text.size))?;
    }
    if text.is_bold {
        svg.push_str(" font-weight=\"bold\"");
    }
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => svg.push_str(" text-anchor=\"middle\""),
        Anchor::End => svg.push_str(" text-anchor=\"end\""),
    }
    if text.colour != Text::COLOUR {
        write!(svg, " fill=\"{}\"", text.colour)?;
    }
    writeln!(svg, ">{}</text>", escaped(&text.text))
}

/// A text without control characters as XML.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}
