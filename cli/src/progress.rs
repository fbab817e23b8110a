//! Progress bars, shown only on a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use weft_model::printable::printable;
use weft_nvtx_export::{Progress, Watch};

/// A progress bar on standard error, removed when this value is dropped. Without a terminal there
/// is none.
#[derive(Debug)]
pub(crate) struct ProgressDisplay(Option<Arc<Bar>>);

impl ProgressDisplay {
    /// Nothing is shown before the first step begins.
    pub(crate) fn new() -> Self {
        ProgressDisplay(stderr().is_terminal().then(|| Arc::new(Bar::new())))
    }

    /// Nothing is ever shown.
    pub(crate) fn hidden() -> Self {
        ProgressDisplay(None)
    }

    /// The receiver of progress events.
    pub(crate) fn progress(&self) -> Progress {
        match &self.0 {
            Some(bar) => Progress::to(bar.clone()),
            None => Progress::default(),
        }
    }
}

impl ProgressDisplay {
    /// Removes the bar before other output; the next step shows it again.
    pub(crate) fn clear(&self) {
        if let Some(Bar(bar)) = self.0.as_deref() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.clear();
    }
}

#[derive(Debug)]
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(100));
        Bar(bar)
    }
}

impl Watch for Bar {
    fn begin(&self, what: &str, units: u64) {
        let template = match units {
            0 => "{spinner} {msg} {elapsed}",
            _ => "{spinner} {msg} {wide_bar} {percent} % {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style);
        }
        self.0.reset();
        self.0.set_length(units);
        self.0.set_message(printable(what).into_owned());
    }

    fn advance(&self, units: u64) {
        self.0.inc(units);
    }
}
