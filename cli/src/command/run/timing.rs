//! Start and end times of a run.

use std::time::{Instant, SystemTime};

use crate::say::say;

/// The start of a run.
#[derive(Debug)]
pub(super) struct Timing(Instant);

impl Timing {
    /// The run starts.
    pub(super) fn start() -> Timing {
        say(&format!("weft: start {}", at_this_time()));
        Timing(Instant::now())
    }

    /// It has ended.
    pub(super) fn end(&self) {
        let seconds = self.0.elapsed().as_secs_f64();
        say(&format!(
            "weft: end {} after {seconds:.3} s",
            at_this_time()
        ));
    }
}

/// Formats a time as in `2026-11-21T16:37:51.123Z`.
fn at_this_time() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}
