//! A still picture of the lanes, for papers: each slice in its place, with a legend by line and an
//! axis of time.
//!
//! [`gather`] reads the slices of the drawn part once. Slices at least a pixel wide are kept
//! individually; narrower ones are added up by column and line. [`layout`] places the lanes,
//! [`compose`] turns them into shapes ([`drawing`]), and [`svg`] writes or [`png`] paints these.

mod compose;
mod cost;
mod drawing;
mod fonts;
mod frame;
mod gather;
mod layout;
mod png;
mod svg;
mod ticks;

use crate::site::Site;
use crate::state::{State, ViewError};
use std::ops::Range;
use weft_model::printable::printable;

/// The maximum number of labels in a message.
const MOST_LABELS: usize = 12;

/// The settings of a picture.
#[derive(Clone, Debug)]
pub struct Look {
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels, to which lanes are scaled. By default it is as high as its lanes need.
    pub height: Option<u32>,
    /// A filter: only lanes with this text in their label, or in that of an enclosing lane.
    pub lanes: String,
}

/// A picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The drawing.
    pub svg: String,
    /// Its width and height in pixels.
    pub size: (u32, u32),
    /// Sentences about the parts that it does not show.
    pub left_out: Vec<String>,
    drawing: drawing::Drawing,
}

/// A run to be drawn.
struct Run {
    /// The title above its lanes, if there are two runs.
    title: Option<&'static str>,
    lanes: Vec<gather::Lane>,
}

/// Draws the lanes of a site. Two runs are drawn one below the other, on one axis from the start of
/// each.
///
/// # Errors
/// Returns an error if the trace cannot be read.
pub fn draw(site: &Site, look: &Look) -> Result<Picture, ViewError> {
    let states = site.states();
    let is_pair = states.len() > 1;
    let whole = states.iter().map(|state| state.trace.file.end()).max();
    let part = states.first().and_then(|state| state.options.part.clone());
    let shown: Range<u64> = part.unwrap_or(0..whole.unwrap_or(0).max(1));
    let frame = frame::Frame::new(look.width, shown);
    let mut lines = gather::Lines::new(states.len());
    let mut runs = Vec::new();
    for (side, state) in states.iter().enumerate() {
        let title = is_pair.then_some(if side == 0 { "before" } else { "after" });
        let lanes = gather::lanes(state, side, &frame, &look.lanes, &mut lines)?;
        runs.push(Run { title, lanes });
    }
    if runs.iter().all(|run| run.lanes.is_empty()) {
        return Err(nothing(&states, &look.lanes));
    }
    Ok(compose::picture(&frame, &runs, &lines, look))
}

/// Returns the error for an empty picture, with labels that could be drawn instead.
fn nothing(states: &[std::sync::Arc<State>], filter: &str) -> ViewError {
    let lanes = states.iter().flat_map(|state| state.trace.file.lanes());
    let mut labels: Vec<String> = lanes
        .filter(|lane| lane.items > 0)
        .map(|lane| format!("`{}`", printable(&lane.label)))
        .collect();
    labels.dedup();
    let more = labels.len().saturating_sub(MOST_LABELS);
    labels.truncate(MOST_LABELS);
    if more > 0 {
        labels.push(format!("{more} more"));
    }
    ViewError::Nothing(match labels.is_empty() {
        true => "the trace has no tasks, kernels or ranges to draw; add the other files of the run"
            .to_owned(),
        false => format!(
            "no lane has `{}` in its label; the labels are {}",
            printable(filter),
            labels.join(", ")
        ),
    })
}

pub use png::paint;
