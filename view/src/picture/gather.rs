//! The drawn contents of each lane, from its slices.

use super::cost::{Costs, Place};
use super::frame::Frame;
use crate::api::lookup::is_name;
use crate::api::{memory, source};
use crate::database::{get, query_rows};
use crate::state::{State, ViewError};
use rustc_hash::FxHashMap;
use weft_timeline::{File, HeldBy, Holder, Item, LaneKind, SliceKind};

/// The number of slices that are read at once.
const CHUNK: u32 = 1 << 15;

/// The maximum number of rows of nested slices drawn for a lane.
pub(super) const ROWS: u32 = 4;

/// The maximum number of lines whose parts of a memory are drawn individually.
const HOLDERS: usize = 64;

/// A line of the program, by its place in [`Lines`]; 0 stands for no line.
pub(super) type LineIndex = u32;

/// The lines of all runs. Lines with the same file and number are merged.
#[derive(Debug)]
pub(super) struct Lines {
    runs: usize,
    places: FxHashMap<(String, u32, String), LineIndex>,
    pub(super) rows: Vec<Line>,
}

/// A line with its costs in the drawn part.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) file: String,
    pub(super) line: u32,
    /// The text of the line, if known.
    pub(super) text: String,
    /// The name shown in place of a line, in traces without lines.
    pub(super) name: String,
    /// Its cost in each run, in ns: that of the tasks and copies that began in the part that is
    /// drawn.
    pub(super) ns: Vec<f64>,
    /// The time in which the host issued the line's device work, in ns, of all runs.
    pub(super) issue: f64,
    /// The time that its slices cover in the picture, in ns, of all runs.
    pub(super) drawn: f64,
    /// The time that its ranges cover, in ns.
    pub(super) in_ranges: f64,
    /// Whether that includes estimated shares of launches.
    pub(super) is_estimated: bool,
    /// The maximum of the bytes that it holds in a drawn memory.
    pub(super) held: LargestShare,
}

impl Line {
    fn new(runs: usize) -> Self {
        Line {
            file: String::new(),
            line: 0,
            name: String::new(),
            text: String::new(),
            ns: vec![0.0; runs],
            issue: 0.0,
            drawn: 0.0,
            in_ranges: 0.0,
            is_estimated: false,
            held: LargestShare::default(),
        }
    }
}

/// The maximum that a line holds of a memory.
#[derive(Debug, Default)]
pub(super) struct LargestShare {
    pub(super) most: u64,
    pub(super) unit: String,
    /// The level as a share of the maximum in use.
    pub(super) share: f64,
}

impl Lines {
    pub(super) fn new(runs: usize) -> Self {
        Lines {
            runs,
            places: FxHashMap::default(),
            rows: vec![Line::new(runs)],
        }
    }

    /// Returns the row of a line, or of the name in its place.
    fn place(&mut self, file: &str, line: u32, name: &str, text: Option<&str>) -> LineIndex {
        let runs = self.runs;
        let rows = &mut self.rows;
        let key = (file.to_owned(), line, name.to_owned());
        *self.places.entry(key).or_insert_with(|| {
            rows.push(Line {
                file: file.to_owned(),
                line,
                name: name.to_owned(),
                text: text.unwrap_or_default().trim().replace('\t', " "),
                ..Line::new(runs)
            });
            rows.len() as LineIndex - 1
        })
    }

    /// Returns the row of a line, if slices refer to it.
    fn find(&self, (file, line): &Place) -> Option<LineIndex> {
        let key = (file.clone(), *line, String::new());
        self.places.get(&key).copied()
    }

    fn cost(&mut self, line: LineIndex, side: usize, ns: f64) {
        let row = self.rows.get_mut(line as usize);
        if let Some(sum) = row.and_then(|row| row.ns.get_mut(side)) {
            *sum += ns;
        }
    }
}

/// A drawn lane, or the label of a group of lanes.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) label: String,
    pub(super) depth: u32,
    pub(super) kind: LaneKind,
    /// The rows of its slices, from top to bottom; empty for a label.
    pub(super) rows: Vec<Row>,
    /// The levels of its counter.
    pub(super) levels: Option<Levels>,
    /// Rows that are not drawn.
    pub(super) hidden: u32,
}

/// A counter over time.
#[derive(Debug)]
pub(super) struct Levels {
    /// The highest level in each pixel.
    pub(super) most: Vec<u64>,
    /// The highest of all.
    pub(super) max: u64,
    pub(super) unit: String,
    /// The size of the memory, if known.
    pub(super) capacity: Option<u64>,
    /// The bytes held by each line at these moments; negative if more was freed than allocated.
    pub(super) held: Vec<(LineIndex, Vec<i64>)>,
}

/// Slices that are not nested in each other.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// Start and end in pixels, of slices that are at least one pixel wide.
    pub(super) wide: Vec<(f32, f32, LineIndex)>,
    /// The pixels covered by narrower slices, by column and line.
    pub(super) narrow: FxHashMap<(u32, LineIndex), f32>,
}

/// Returns the lanes of a run that are not empty and match the filter.
pub(super) fn lanes(
    state: &State,
    side: usize,
    frame: &Frame,
    filter: &str,
    lines: &mut Lines,
) -> Result<Vec<Lane>, ViewError> {
    let file = &state.trace.file;
    let texts = source::texts(state)?;
    let own = file.lines().iter().enumerate();
    let places: Vec<LineIndex> = own
        .map(|(id, line)| match id {
            0 => 0,
            _ if is_name(&line.file, line.line) => match line.function.as_deref() {
                None | Some("") => 0,
                Some(name) => lines.place("", 0, name, None),
            },
            _ => lines.place(&line.file, line.line, "", texts.line(&line.file, line.line)),
        })
        .collect();
    let shown = shown(file, filter);
    let kinds = file.lanes().iter().zip(&shown);
    let kinds: Vec<LaneKind> = kinds
        .filter(|(lane, shown)| shown.is_some() && lane.items > 0)
        .map(|(lane, _)| lane.kind)
        .collect();
    let mut pen = Pen {
        side,
        frame,
        places: &places,
        shares: shares(state)?,
        costs: Costs::read(state, &kinds)?,
        last: None,
    };
    for place in &pen.costs.estimated {
        let row = lines.find(place);
        let row = row.and_then(|row| lines.rows.get_mut(row as usize));
        if let Some(row) = row {
            row.is_estimated = true;
        }
    }
    let capacities = memory::capacities(state)?;
    let mut drawn = Vec::new();
    for (at, lane) in (0_u32..).zip(file.lanes()) {
        let Some(depth) = shown.get(at as usize).copied().flatten() else {
            continue;
        };
        let mut row = Lane {
            label: lane.label.clone(),
            depth,
            kind: lane.kind,
            rows: Vec::new(),
            levels: levels(file, at, frame, &places, lines)?,
            hidden: 0,
        };
        if let Some(levels) = &mut row.levels {
            levels.capacity = capacities.get(&(lane.label.clone(), lane.rank)).copied();
        }
        // Instances are many rows for one curve.
        if row.levels.is_some() {
            row.hidden = 0;
        } else if lane.items > 0 {
            let count = match lane.kind {
                LaneKind::Processor => 1,
                _ => lane.rows.clamp(1, ROWS),
            };
            row.rows.resize_with(count as usize, Row::default);
            row.hidden = lane.rows.saturating_sub(count);
            pen.last = None;
            each(file, at, frame, |item| pen.add(&mut row, item, lines))?;
        }
        drawn.push(row);
    }
    Ok(drawn)
}

/// Returns the number of rows drawn for each lane; `None` for hidden lanes.
fn shown(file: &File, filter: &str) -> Vec<Option<u32>> {
    let lanes = file.lanes();
    let filter = filter.trim().to_lowercase();
    let counters: Vec<u32> = file.counters().map(|counter| counter.0).collect();
    let parent = |at: usize| {
        lanes
            .get(at)
            .and_then(|lane| lane.parent)
            .map(|at| at as usize)
    };
    let matches = |at: usize| {
        let mut around = std::iter::successors(Some(at), |at| parent(*at));
        let label = |at: usize| lanes.get(at).map_or("", |lane| lane.label.as_str());
        around.any(|at| label(at).to_lowercase().contains(&filter))
    };
    let mut is_shown = vec![false; lanes.len()];
    let mut children = vec![0_u32; lanes.len()];
    for (at, lane) in lanes.iter().enumerate().rev() {
        let is_leaf = lane.items > 0 || counters.contains(&(at as u32));
        let shown = is_shown.get(at).copied().unwrap_or(false) || (is_leaf && matches(at));
        if let Some(place) = is_shown.get_mut(at) {
            *place = shown;
        }
        if let Some(parent) = lane.parent.map(|parent| parent as usize).filter(|_| shown) {
            if let Some(place) = is_shown.get_mut(parent) {
                *place = true;
            }
            if let Some(count) = children.get_mut(parent) {
                *count += 1;
            }
        }
    }
    // The label of a group of one lane repeats that of the lane.
    let is_alone = |at: usize| {
        let lane = lanes.get(at);
        let is_group = lane.is_some_and(|lane| lane.items == 0 && !counters.contains(&(at as u32)));
        is_group && children.get(at).is_some_and(|count| *count == 1)
    };
    let depth = |at: usize| {
        let around = std::iter::successors(parent(at), |at| parent(*at));
        around.filter(|at| !is_alone(*at)).count() as u32
    };
    let lanes = is_shown.iter().enumerate();
    lanes
        .map(|(at, shown)| (*shown && !is_alone(at)).then(|| depth(at)))
        .collect()
}

fn levels(
    file: &File,
    lane: u32,
    frame: &Frame,
    places: &[LineIndex],
    lines: &mut Lines,
) -> Result<Option<Levels>, ViewError> {
    let shown = &frame.shown;
    let columns = frame.columns() as usize;
    let Some(held) = file.memory_holders(lane, shown.start, shown.end, columns, HOLDERS)? else {
        return Ok(None);
    };
    let of_line = |by: HeldBy| match by.holder {
        Some(Holder::Line(line)) => Some((*places.get(line as usize)?, by.bytes)),
        _ => None,
    };
    let of_lines: Vec<_> = held.by.into_iter().filter_map(of_line).collect();
    for (line, bytes) in &of_lines {
        let most = bytes.iter().copied().max().unwrap_or(0).max(0) as u64;
        let row = lines.rows.get_mut(*line as usize);
        if let Some(row) = row.filter(|row| row.held.most < most) {
            row.held = LargestShare {
                most,
                unit: held.unit.clone(),
                share: most as f64 / held.max.max(1) as f64,
            };
        }
    }
    Ok(Some(Levels {
        most: held.most,
        max: held.max,
        unit: held.unit,
        capacity: None,
        held: of_lines,
    }))
}

/// Calls a function with each slice of a lane in the drawn part.
fn each(
    file: &File,
    lane: u32,
    frame: &Frame,
    mut with: impl FnMut(&Item),
) -> Result<(), ViewError> {
    let shown = &frame.shown;
    let earlier = file.between(lane, shown.start, shown.start, 0)?;
    earlier.iter().for_each(&mut with);
    let last = file.before(lane, shown.end)?;
    let mut first = file.before(lane, shown.start)?;
    while first < last {
        let next = last.min(first + CHUNK);
        file.slices(lane, first..next)?.iter().for_each(&mut with);
        first = next;
    }
    Ok(())
}

/// Returns the shares of tasks in launches that served several, by the row of the task.
fn shares(state: &State) -> Result<FxHashMap<u32, f64>, ViewError> {
    let sql = "SELECT t.rowid, l.share FROM WEFT_LAUNCH_TASK l \
               JOIN WEFT_TASK t ON t.uid = l.taskUid AND t.sourceId = l.sourceId WHERE l.share < 1";
    let rows = state.with_database(|database| {
        Ok(query_rows(database, sql, [], |row| {
            Ok(get::<u32>(row, 0).zip(get::<f64>(row, 1)))
        })?)
    })?;
    Ok(rows.into_iter().flatten().collect())
}

/// The state for drawing slices.
struct Pen<'a> {
    side: usize,
    frame: &'a Frame,
    places: &'a [LineIndex],
    shares: FxHashMap<u32, f64>,
    costs: Costs,
    /// The launch whose tasks were drawn last, with the time they took.
    last: Option<(u64, u64, f64)>,
}

impl Pen<'_> {
    fn add(&mut self, lane: &mut Lane, item: &Item, lines: &mut Lines) {
        let is_processor = lane.kind == LaneKind::Processor;
        // A task's kernels and waits are nested in it.
        if is_processor && item.what != SliceKind::Task {
            return;
        }
        let line = self.places.get(item.line as usize).copied().unwrap_or(0);
        let share = match item.what {
            SliceKind::Task => self.shares.get(&item.row).copied(),
            _ => None,
        };
        let (mut start, mut end) = (item.start, item.end);
        if let Some(share) = share.filter(|_| is_processor) {
            // Tasks of one launch have the same times: they are drawn one after the other.
            let before = match self.last {
                Some((from, to, before)) if (from, to) == (start, end) => before,
                _ => 0.0,
            };
            self.last = Some((start, end, before + share));
            let length = (end - start) as f64;
            let at = |part: f64| item.start + (length * part.min(1.0)) as u64;
            (start, end) = (at(before), at(before + share));
        }
        let shown = &self.frame.shown;
        let (start, end) = (
            start.clamp(shown.start, shown.end),
            end.clamp(shown.start, shown.end),
        );
        self.add_cost(lane.kind, item, line, lines);
        if let Some(row) = lines.rows.get_mut(line as usize) {
            let length = (end - start) as f64;
            match item.what {
                SliceKind::Task | SliceKind::Copy | SliceKind::Device | SliceKind::Kernel => {
                    row.drawn += length
                }
                SliceKind::Range | SliceKind::OtherRange => row.in_ranges += length,
                _ => {}
            }
        }
        let depth = if is_processor {
            0
        } else {
            usize::from(item.depth)
        };
        if let Some(row) = lane.rows.get_mut(depth) {
            row.add(self.frame.column(start), self.frame.column(end), line);
        }
    }
}

impl Pen<'_> {
    /// Adds the cost of a slice, if it began in the drawn part, by the rule of `weft stats`.
    fn add_cost(&self, lane: LaneKind, item: &Item, line: LineIndex, lines: &mut Lines) {
        if !self.frame.shown.contains(&item.start) {
            return;
        }
        let Some(cost) = self.costs.cost_of(lane, item) else {
            return;
        };
        let row = lines.rows.get_mut(line as usize);
        if let Some((row, issue)) = row.zip(self.costs.issue(item)) {
            row.issue += issue;
        }
        match self.costs.shares(item) {
            Some(shares) => {
                for (place, share) in shares {
                    let line = lines.find(place).unwrap_or(0);
                    lines.cost(line, self.side, cost * share);
                }
            }
            None => lines.cost(line, self.side, cost),
        }
    }
}

impl Row {
    fn add(&mut self, from: f64, to: f64, line: LineIndex) {
        if to - from >= 1.0 {
            self.wide.push((from as f32, to as f32, line));
            return;
        }
        for column in from as u32..=to as u32 {
            let left = f64::from(column).max(from);
            let right = f64::from(column + 1).min(to);
            *self.narrow.entry((column, line)).or_default() += (right - left).max(0.0) as f32;
        }
    }
}
