//! The composition of a drawing from lanes, axis and legend.

use super::drawing::{Anchor, Bar, Colour, Drawing, Shape, Text};
use super::frame::{Frame, LEFT, RIGHT};
use super::gather::{Levels, Line, LineIndex, Lines, Row};
use super::layout::{self, LEGEND, Layout, PlacedLane, TOP};
use super::{Look, Picture, Run, svg, ticks};
use rustc_hash::FxHashMap;

/// Paul Tol's scheme "light", as on the page: distinguishable with every kind of colour vision.
const COLOURS: [Colour; 8] = [
    "#77aadd", "#ee8866", "#44bb99", "#ffaabb", "#aaaa00", "#99ddff", "#eedd88", "#bbcc33",
];
/// Other lines, and no line.
const OTHER: &str = "#a9b0b8";
const CURVE: &str = "#8fa9c6";
const TRACK: &str = "#f4f6f8";
const TICK: &str = "#dfe4ea";
/// Secondary texts.
const QUIET: &str = "#66717f";

/// The smallest share of the time, or of the picture, with which a line gets a name: tables show it
/// as 0.1 %.
const LEAST_SHARE: f64 = 0.0005;

/// The smallest share of a memory's maximum in use with which a line gets a name.
const LEAST_HELD: f64 = 0.05;

/// Pixels of the axis for each tick with its time.
const TICK_ROOM: u64 = 70;

/// Narrower pictures have the legend at the left edge.
const NARROW: f64 = 500.0;

/// The number of shades for the covered part of a column.
const SHADES: u32 = 8;

/// The lines with their own colours, in the order of the program.
struct Legend {
    shown: Vec<LineIndex>,
    colours: FxHashMap<LineIndex, Colour>,
    /// Other lines, which share a colour.
    others: Vec<LineIndex>,
}

/// The minimum number of the legend's entries for names of ranges, if there are ranges and no
/// lines.
const FOR_RANGES: usize = 3;

impl Legend {
    fn new(lines: &Lines) -> Self {
        let row = |line: LineIndex| lines.rows.get(line as usize);
        let sum = |of: fn(&Line) -> f64| lines.rows.iter().map(of).sum::<f64>().max(1.0);
        let cost = |row: &Line| row.ns.iter().sum::<f64>();
        let (costs, drawn) = (sum(|row| row.ns.iter().sum()), sum(|row| row.drawn));
        // By the cost of a line, or by its part of the picture: wide lines there have a name.
        let size = |line: LineIndex| {
            row(line).map_or(0.0, |row| f64::max(cost(row) / costs, row.drawn / drawn))
        };
        let of_ranges = |line: LineIndex| row(line).map_or(0.0, |row| row.in_ranges);
        let held = |line: LineIndex| row(line).map_or(0.0, |row| row.held.share);
        let ranked = |size: &dyn Fn(LineIndex) -> f64, least: f64| {
            let all = 1..lines.rows.len() as LineIndex;
            let mut all: Vec<LineIndex> = all.filter(|line| size(*line) > least).collect();
            all.sort_by(|one, next| size(*next).total_cmp(&size(*one)).then(one.cmp(next)));
            all
        };
        let ranges = ranked(&of_ranges, 0.0);
        let for_ranges = FOR_RANGES.min(ranges.len());
        let work = ranked(&size, 0.0);
        let large = work
            .iter()
            .copied()
            .filter(|line| size(*line) >= LEAST_SHARE);
        let mut shown: Vec<LineIndex> = large.take(COLOURS.len() - for_ranges).collect();
        // The remaining colours are for ranges, and for lines that hold much of a memory.
        for line in ranges.iter().chain(&ranked(&held, LEAST_HELD)) {
            if shown.len() < COLOURS.len() && !shown.contains(line) {
                shown.push(*line);
            }
        }
        let is_other = |line: &LineIndex| !shown.contains(line);
        let others = work.into_iter().filter(is_other).collect();
        shown.sort_by_key(|line| row(*line).map(|row| (&row.file, row.line, &row.name)));
        let colours = shown.iter().copied().zip(COLOURS).collect();
        Legend {
            shown,
            colours,
            others,
        }
    }

    fn colour(&self, line: LineIndex) -> Colour {
        self.colours.get(&line).copied().unwrap_or(OTHER)
    }

    fn height(&self) -> f64 {
        let rows = self.shown.len() + usize::from(!self.others.is_empty());
        16.0 + LEGEND * rows as f64
    }
}

/// Lays out and colours the picture.
pub(super) fn picture(frame: &Frame, runs: &[Run], lines: &Lines, look: &Look) -> Picture {
    let legend = Legend::new(lines);
    let room = look.height.map(f64::from);
    let layout = layout::place(runs, room, legend.height());
    let natural = layout.bottom + legend.height();
    let height = room.map_or(natural, |room| room.max(natural)).ceil();
    let mut lanes = axis(frame, layout.bottom);
    for (top, title) in &layout.titles {
        let title = Text::new(8.0, top + 15.0, title);
        lanes.push(Shape::Text(Text {
            is_bold: true,
            ..title
        }));
    }
    for placed in &layout.lanes {
        lane(&mut lanes, placed, layout.row, frame, &legend);
    }
    let drawing = Drawing {
        width: frame.width,
        height,
        lanes,
        legend: entries(frame, lines, &legend, layout.bottom + 12.0),
    };
    Picture {
        svg: svg::write(&drawing),
        size: (drawing.width as u32, drawing.height as u32),
        left_out: left_out(&layout),
        drawing,
    }
}

fn left_out(layout: &Layout<'_>) -> Vec<String> {
    let mut left_out = Vec::new();
    if layout.without_room > 0 {
        left_out.push(format!(
            "{} lanes for which the height has no room",
            layout.without_room
        ));
    }
    let hidden: u32 = layout.lanes.iter().map(|placed| placed.lane.hidden).sum();
    if hidden > 0 {
        left_out.push(format!("{hidden} rows of what lies within tasks and calls"));
    }
    left_out
}

fn axis(frame: &Frame, bottom: f64) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let count = (u64::from(frame.columns()) / TICK_ROOM).clamp(1, 8);
    let step = ticks::step(frame.shown.end - frame.shown.start, count);
    let first = frame.shown.start.div_ceil(step).saturating_mul(step);
    let ticks = (0..).map(|at| first.saturating_add(step.saturating_mul(at)));
    for at in ticks.take_while(|at| *at <= frame.shown.end).take(20) {
        let x = LEFT + frame.column(at);
        shapes.push(Shape::Tick {
            colour: TICK,
            x,
            top: TOP - 6.0,
            bottom,
        });
        let anchor = match x > frame.width - 40.0 {
            true => Anchor::End,
            false => Anchor::Middle,
        };
        let moment = Text::new(x, TOP - 12.0, &ticks::moment(at, step));
        shapes.push(Shape::Text(moment.anchored(anchor).coloured(QUIET)));
    }
    shapes
}

fn lane(
    shapes: &mut Vec<Shape>,
    placed: &PlacedLane<'_>,
    row: f64,
    frame: &Frame,
    legend: &Legend,
) {
    let PlacedLane { lane, top, height } = placed;
    let indent = 8.0 + 10.0 * f64::from(lane.depth.min(4));
    let letters = ((LEFT - indent - 6.0) / 6.3) as usize;
    let label = short(&lane.label, letters);
    if lane.rows.is_empty() && lane.levels.is_none() {
        let label = Text::new(indent, top + 14.0, &label);
        shapes.push(Shape::Text(label.sized(12.0).coloured(QUIET)));
        return;
    }
    let size = (height * 0.8).clamp(4.0, 12.0);
    let label = Text::new(indent, top + height / 2.0 + size * 0.35, &label);
    shapes.push(Shape::Text(label.sized(size)));
    let track = Bar {
        x: LEFT,
        y: *top,
        width: f64::from(frame.columns()),
        height: *height,
    };
    shapes.push(Shape::Box(track, TRACK));
    if let Some(levels) = &lane.levels {
        shapes.push(curve(*top, *height, levels));
        areas(shapes, *top, *height, levels, legend);
        if *height >= 12.0 {
            peak(shapes, *top, levels, frame);
        }
        return;
    }
    let each = height / lane.rows.len().max(1) as f64;
    for (at, slices) in lane.rows.iter().enumerate() {
        let y = top + each * at as f64;
        bars(
            shapes,
            slices,
            y,
            each.min(row.max(each)) - if lane.rows.len() > 1 { 0.5 } else { 0.0 },
            legend,
        );
    }
}

/// The highest level of a counter, as far as it fits, on a light ground: the curve may be of any
/// colour.
fn peak(shapes: &mut Vec<Shape>, top: f64, levels: &Levels, frame: &Frame) {
    let width = |text: &str| 5.8 * text.chars().count() as f64 + 6.0;
    let room = f64::from(frame.columns());
    let mut texts = [full(levels), most(levels)].into_iter();
    let Some(text) = texts.find(|text| width(text) <= room) else {
        return;
    };
    let ground = Bar {
        x: LEFT,
        y: top,
        width: width(&text),
        height: 14.0,
    };
    shapes.push(Shape::Bars {
        colour: TRACK,
        opacity: 0.8,
        bars: vec![ground],
    });
    shapes.push(Shape::Text(
        Text::new(LEFT + 3.0, top + 11.0, &text).sized(10.0),
    ));
}

/// The slices of a row: those of a colour are one shape.
fn bars(shapes: &mut Vec<Shape>, row: &Row, y: f64, height: f64, legend: &Legend) {
    let mut paths: FxHashMap<(Colour, u32), Vec<(f64, f64)>> = FxHashMap::default();
    let mut columns: FxHashMap<u32, (f32, f32, Colour)> = FxHashMap::default();
    let mut narrow: Vec<_> = row.narrow.iter().collect();
    narrow.sort_by_key(|((column, line), _)| (*column, *line));
    for ((column, line), taken) in narrow {
        let (sum, most, colour) = columns.entry(*column).or_insert((0.0, 0.0, OTHER));
        *sum += taken;
        if *taken > *most {
            (*most, *colour) = (*taken, legend.colour(*line));
        }
    }
    for (column, (sum, _, colour)) in columns {
        let shade = (sum.clamp(0.0, 1.0) * SHADES as f32).ceil() as u32;
        if shade > 0 {
            let from = f64::from(column);
            paths
                .entry((colour, shade))
                .or_default()
                .push((from, from + 1.0));
        }
    }
    for (from, to, line) in &row.wide {
        let path = paths.entry((legend.colour(*line), SHADES)).or_default();
        path.push((f64::from(*from), f64::from(*to)));
    }
    let mut paths: Vec<_> = paths.into_iter().collect();
    paths.sort_by_key(|((colour, shade), _)| (*shade, *colour));
    for ((colour, shade), mut bars) in paths {
        bars.sort_by(|one, other| one.0.total_cmp(&other.0));
        // Adjacent parts are merged to one bar.
        bars.dedup_by(|next, last| {
            let joins = shade < SHADES && next.0 - last.1 < 0.01;
            if joins {
                last.1 = last.1.max(next.1);
            }
            joins
        });
        let bars = bars.into_iter().map(|(from, to)| {
            // A hairline separates adjacent slices.
            let gap = if shade == SHADES && to - from > 3.0 {
                0.4
            } else {
                0.0
            };
            Bar {
                x: LEFT + from,
                y,
                width: to - from - gap,
                height,
            }
        });
        shapes.push(Shape::Bars {
            colour,
            opacity: f64::from(shade) / f64::from(SHADES),
            bars: bars.collect(),
        });
    }
}

/// A counter: its highest level in each column.
fn curve(top: f64, height: f64, levels: &Levels) -> Shape {
    let low = top + height;
    let steps = levels.most.chunk_by(|one, next| one == next).map(|run| {
        let level = run.first().copied().unwrap_or(0);
        let y = low - height * level as f64 / levels.max.max(1) as f64;
        (run.len() as f64, y)
    });
    Shape::Steps {
        // Bytes without a line in the legend stay in this colour.
        colour: if levels.held.is_empty() { CURVE } else { OTHER },
        x: LEFT,
        low,
        steps: steps.collect(),
    }
}

/// The parts of a counter that the lines of the legend hold, stacked.
fn areas(shapes: &mut Vec<Shape>, top: f64, height: f64, levels: &Levels, legend: &Legend) {
    let mut below = vec![0_u64; levels.most.len()];
    let scale = height / levels.max.max(1) as f64;
    for line in &legend.shown {
        let mut above = below.clone();
        for (_, bytes) in levels.held.iter().filter(|held| held.0 == *line) {
            for (above, bytes) in above.iter_mut().zip(bytes) {
                *above = above.saturating_add_signed((*bytes).max(0));
            }
        }
        // The memory's own figure can be less than what lines hold.
        for (above, most) in above.iter_mut().zip(&levels.most) {
            *above = (*above).min(*most);
        }
        let columns: Vec<(u64, u64)> = below.iter().copied().zip(above.iter().copied()).collect();
        let mut bars = Vec::new();
        let mut x = LEFT;
        for run in columns.chunk_by(|one, next| one == next) {
            let width = run.len() as f64;
            if let Some((from, to)) = run.first().filter(|(from, to)| from < to) {
                bars.push(Bar {
                    x,
                    y: top + height - scale * *to as f64,
                    width,
                    height: scale * (to - from) as f64,
                });
            }
            x += width;
        }
        if !bars.is_empty() {
            shapes.push(Shape::Bars {
                colour: legend.colour(*line),
                opacity: 1.0,
                bars,
            });
        }
        below = above;
    }
}

/// Draws the legend, with the cost of each line.
fn entries(frame: &Frame, lines: &Lines, legend: &Legend, top: f64) -> Vec<Shape> {
    let figures = Figures::new(lines);
    let right = frame.width - RIGHT;
    let left = legend_left(frame);
    let mut shapes = Vec::new();
    for (at, line) in legend.shown.iter().enumerate() {
        let y = top + LEGEND * at as f64;
        let Some(row) = lines.rows.get(*line as usize) else {
            continue;
        };
        shapes.push(swatch(left, y, legend.colour(*line)));
        let mut write = |text: Text| shapes.push(Shape::Text(text));
        let figure = figures.text(row);
        // The width of a figure's character, and space between.
        let end = right - 7.2 * figure.chars().count() as f64 - 12.0;
        if !row.name.is_empty() {
            let letters = ((end - left - 22.0) / 7.2).max(0.0) as usize;
            write(Text::new(left + 22.0, y + 12.0, &short(&row.name, letters)));
        } else {
            let name = row.file.rsplit(['/', '\\']).next().unwrap_or_default();
            let letters = ((end - left - 22.0) / 7.2).clamp(0.0, 22.0) as usize;
            let place = short(&format!("{name}:{}", row.line), letters);
            write(Text::new(left + 22.0, y + 12.0, &place));
            let letters = ((end - left - 180.0) / 7.4).max(0.0) as usize;
            let source = match letters {
                0..4 => String::new(),
                letters => short(&row.text, letters),
            };
            let source = Text::new(left + 180.0, y + 12.0, &source).sized(12.0);
            write(Text {
                is_mono: true,
                ..source
            });
        }
        write(Text::new(right, y + 12.0, &figure).anchored(Anchor::End));
    }
    if !legend.others.is_empty() {
        let y = top + LEGEND * legend.shown.len() as f64;
        shapes.push(swatch(left, y, OTHER));
        let what = match lines.rows.get(1).is_some_and(|row| !row.name.is_empty()) {
            true => "names",
            false if legend.others.len() == 1 => "line",
            false => "lines",
        };
        let label = format!("{} other {what}", legend.others.len());
        shapes.push(Shape::Text(Text::new(left + 22.0, y + 12.0, &label)));
        let figure = figures.cost(&figures.sum(lines, &legend.others));
        let figure = Text::new(right, y + 12.0, &figure);
        shapes.push(Shape::Text(figure.anchored(Anchor::End)));
    }
    shapes
}

/// The figures at the right of the legend.
struct Figures {
    /// The cost of all lines in each run.
    totals: Vec<f64>,
}

impl Figures {
    fn new(lines: &Lines) -> Self {
        let all: Vec<LineIndex> = (0..lines.rows.len() as LineIndex).collect();
        let mut figures = Figures {
            totals: vec![0.0; lines.rows.first().map_or(1, |row| row.ns.len())],
        };
        figures.totals = figures.sum(lines, &all);
        figures
    }

    fn sum(&self, lines: &Lines, of: &[LineIndex]) -> Vec<f64> {
        let mut sums = vec![0.0; self.totals.len()];
        for row in of.iter().filter_map(|line| lines.rows.get(*line as usize)) {
            for (sum, ns) in sums.iter_mut().zip(&row.ns) {
                *sum += ns;
            }
        }
        sums
    }

    /// A cost with its share of the total, or the costs of two runs.
    fn cost(&self, ns: &[f64]) -> String {
        match (ns, self.totals.as_slice()) {
            ([ns], [total]) => {
                let share = 100.0 * ns / f64::max(*total, 1.0);
                format!("{}, {}", ticks::duration(*ns), ticks::percent(share))
            }
            ([before, after, ..], _) => {
                format!("{} → {}", ticks::duration(*before), ticks::duration(*after))
            }
            _ => String::new(),
        }
    }

    /// The part of the total that a line cost, in all runs together.
    fn share(&self, row: &Line) -> f64 {
        let total: f64 = self.totals.iter().sum();
        row.ns.iter().sum::<f64>() / total.max(1.0)
    }

    /// The figure of a line.
    fn text(&self, row: &Line) -> String {
        let mark = if row.is_estimated { "~" } else { "" };
        // Lanes of GPUs show when the host issued the work, which can be much longer than the work.
        let issue = match row.issue > 0.0 && self.totals.len() == 1 {
            true => format!("; issued in {}", ticks::duration(row.issue)),
            false => String::new(),
        };
        let is_small = self.share(row) < LEAST_SHARE;
        let held = match row.held.most > 0 && is_small {
            true => format!("; at most {}", amount(row.held.most, &row.held.unit)),
            false => String::new(),
        };
        let cost = || format!("{mark}{}{issue}{held}", self.cost(&row.ns));
        match row.ns.iter().any(|ns| *ns > 0.0) {
            true => cost(),
            false if row.in_ranges > 0.0 => {
                format!("{} in ranges", ticks::duration(row.in_ranges))
            }
            false if row.held.most > 0 && row.drawn == 0.0 => {
                format!("at most {}", amount(row.held.most, &row.held.unit))
            }
            // Its slices began before the part, or their time is that of others.
            false => cost(),
        }
    }
}

/// Returns the left edge of the legend: below the lanes, or at the edge of a narrow picture.
fn legend_left(frame: &Frame) -> f64 {
    match frame.width < NARROW {
        true => 8.0,
        false => LEFT,
    }
}

fn swatch(left: f64, y: f64, colour: Colour) -> Shape {
    let square = Bar {
        x: left,
        y,
        width: 14.0,
        height: 14.0,
    };
    Shape::Box(square, colour)
}

/// A text cut to at most `letters` letters.
fn short(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some(_) => {
            let kept = text.chars().take(letters.saturating_sub(1));
            kept.chain(['…']).collect()
        }
        None => text.to_owned(),
    }
}

/// The most that was in use of a memory: the highest point of its lane.
fn most(levels: &Levels) -> String {
    format!("at most {}", amount(levels.max, &levels.unit))
}

/// The most that was in use of a memory, with its share of the capacity.
fn full(levels: &Levels) -> String {
    let most = most(levels);
    match levels.capacity {
        Some(capacity) if capacity > 0 => {
            let share = 100.0 * levels.max as f64 / capacity as f64;
            let of = amount(capacity, &levels.unit);
            format!("{most}, {} of {of}", ticks::percent(share))
        }
        _ => most,
    }
}

/// Bytes and other amounts.
fn amount(value: u64, unit: &str) -> String {
    if !matches!(unit, "B" | "bytes" | "byte") {
        return format!("{value} {unit}");
    }
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let found = units.into_iter().find(|(size, _)| value as f64 >= *size);
    found.map_or(format!("{value} B"), |(size, unit)| {
        format!("{:.1} {unit}", value as f64 / size)
    })
}
