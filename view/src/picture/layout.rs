//! The places of lanes and labels.

use super::Run;
use super::gather::Lane;

/// Room for the axis.
pub(super) const TOP: f64 = 34.0;
/// The height of a label that stands alone.
pub(super) const HEAD: f64 = 20.0;
/// The height of a row of the legend.
pub(super) const LEGEND: f64 = 22.0;
/// Room between lanes.
const GAP: f64 = 4.0;
/// The default height of a lane, the minimum and the maximum.
const LANE: f64 = 24.0;
const LEAST: f64 = 4.0;
const MOST: f64 = 80.0;

/// A lane with its place.
#[derive(Debug)]
pub(super) struct PlacedLane<'a> {
    pub(super) lane: &'a Lane,
    pub(super) top: f64,
    pub(super) height: f64,
}

/// Lanes with their places.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    pub(super) lanes: Vec<PlacedLane<'a>>,
    /// Headings of runs.
    pub(super) titles: Vec<(f64, &'static str)>,
    /// The bottom edge of the lanes.
    pub(super) bottom: f64,
    /// The height of a row of slices.
    pub(super) row: f64,
    /// Lanes for which there is no room.
    pub(super) without_room: usize,
}

/// Returns the height of a lane, in rows of the usual height.
fn units(lane: &Lane) -> f64 {
    match lane.rows.len() {
        _ if lane.levels.is_some() => 1.4,
        0 | 1 => 1.0,
        rows => 0.6 * rows as f64,
    }
}

fn is_label(lane: &Lane) -> bool {
    lane.rows.is_empty() && lane.levels.is_none()
}

/// Places lanes from top to bottom. `room` limits the total height, including `below`, the height
/// of the part below the lanes.
pub(super) fn place<'a>(runs: &'a [Run], room: Option<f64>, below: f64) -> Layout<'a> {
    let (mut fixed, mut rows) = (TOP + below, 0.0);
    for run in runs {
        fixed += if run.title.is_some() { HEAD } else { 0.0 };
        for lane in &run.lanes {
            match is_label(lane) {
                true => fixed += HEAD,
                false => {
                    fixed += GAP;
                    rows += units(lane);
                }
            }
        }
    }
    let row = room.map_or(LANE, |room| (room - fixed) / f64::max(rows, 1.0));
    let row = row.clamp(LEAST, MOST);
    let end = room.map_or(f64::INFINITY, |room| room - below);
    let mut layout = Layout {
        lanes: Vec::new(),
        titles: Vec::new(),
        bottom: TOP,
        row,
        without_room: 0,
    };
    for run in runs {
        if let Some(title) = run.title {
            layout.titles.push((layout.bottom, title));
            layout.bottom += HEAD;
        }
        for lane in &run.lanes {
            let (height, gap) = match is_label(lane) {
                true => (HEAD, 0.0),
                false => (units(lane) * row, GAP),
            };
            if layout.bottom + height > end + 0.5 {
                layout.without_room += 1;
                continue;
            }
            layout.lanes.push(PlacedLane {
                lane,
                top: layout.bottom,
                height,
            });
            layout.bottom += height + gap;
        }
    }
    layout
}
