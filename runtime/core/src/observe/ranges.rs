//! Weft's NVTX ranges: one around each launch's body, on the thread that runs it.
//!
//! Domain `weft`; message `<task> <file:line>`, registered once; category the variant; a colour for
//! each task name; payload the launch's UID.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use weft_trace::record::ProcessorKind;

use super::nvtx::{self, Color, Domain, RangeGuard, RegisteredString};
use crate::say::say;
use crate::site::Site;

/// The contents of the ranges of one operation.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    text: RegisteredString,
    color: Color,
}

/// The connection to the listening tool.
pub(crate) struct Ranges {
    tool: &'static nvtx::Tool,
    domain: Domain,
    /// Messages registered so far, by name, address of the call and number of further operations.
    messages: Mutex<HashMap<(&'static str, usize, usize), Message>>,
}

impl Ranges {
    /// Connects to the tool, if one listens in this process.
    pub(crate) fn listening() -> Option<Ranges> {
        if let Some(error) = nvtx::load_error() {
            say(format_args!("weft: {error}"));
        }
        let tool = nvtx::tool()?;
        let domain = Domain::create(tool, "weft");
        for kind in [ProcessorKind::Cpu, ProcessorKind::Omp, ProcessorKind::Gpu] {
            domain.name_category(u32::from(kind.code()), kind.name());
        }
        Some(Ranges {
            tool,
            domain,
            messages: Mutex::default(),
        })
    }

    /// Returns the contents of the ranges of an operation called `name` at this line.
    pub(crate) fn message(&self, name: &'static str, location: Option<Site>) -> Message {
        self.fused(name, location, 0)
    }

    /// Returns the contents of the ranges of such an operation fused with `more` others.
    pub(crate) fn fused(&self, name: &'static str, location: Option<Site>, more: usize) -> Message {
        let key = (name, location.map_or(0, Site::address), more);
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        *messages.entry(key).or_insert_with(|| {
            let mut text = match location {
                Some(location) => format!("{name} {}:{}", location.file(), location.line()),
                None => name.to_owned(),
            };
            if more > 0 {
                text.push_str(&format!(" +{more}"));
            }
            Message {
                text: self.domain.register(&text),
                color: Color(weft_trace::color::of_task(name)),
            }
        })
    }

    /// Opens the range of a launch; it closes when the guard is dropped, on the same thread.
    #[inline]
    pub(crate) fn push(
        &self,
        message: &Message,
        variant: ProcessorKind,
        launch: u64,
    ) -> RangeGuard<'_> {
        self.domain.push(
            &message.text,
            u32::from(variant.code()),
            message.color,
            launch,
        )
    }

    /// Names a thread for the tool.
    pub(crate) fn name_thread(&self, thread: u32, name: &str) {
        nvtx::name_thread(self.tool, thread, name);
    }
}
