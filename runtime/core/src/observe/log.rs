//! Messages of the runtime on standard error, as set by `--logging`: one line for each event, by
//! subsystem.
//!
//! Subsystems: `runtime` (start and end), `analysis` (operations and their tasks), `task` (each
//! task as it starts), `memory` (instances). `--logging info` sets the level of all of them,
//! `--logging warn,task=debug` overrides it for one.

use std::fmt;
use std::time::Instant;

use weft_config::{Level, LogSpec};

use crate::say::say;

/// A part of the runtime that logs messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subsystem {
    Runtime,
    Analysis,
    Task,
    Memory,
}

impl Subsystem {
    const ALL: [Subsystem; 4] = [
        Subsystem::Runtime,
        Subsystem::Analysis,
        Subsystem::Task,
        Subsystem::Memory,
    ];

    const fn name(self) -> &'static str {
        match self {
            Subsystem::Runtime => "runtime",
            Subsystem::Analysis => "analysis",
            Subsystem::Task => "task",
            Subsystem::Memory => "memory",
        }
    }
}

/// The log: prints messages of the configured levels.
pub(crate) struct Log {
    start: Instant,
    levels: [Level; Subsystem::ALL.len()],
    rank: u16,
}

impl Log {
    pub(crate) fn new(spec: &LogSpec, rank: u16) -> Log {
        let levels = Subsystem::ALL.map(|subsystem| spec.level(subsystem.name()));
        Log {
            start: Instant::now(),
            levels,
            rank,
        }
    }

    /// Whether messages of this level are printed.
    #[inline]
    pub(crate) fn says(&self, subsystem: Subsystem, level: Level) -> bool {
        level <= self.levels[subsystem as usize]
    }

    /// Prints a message, if its level is enabled: `[rank] seconds subsystem level: text`.
    #[inline]
    pub(crate) fn say(&self, subsystem: Subsystem, level: Level, text: impl fmt::Display) {
        if self.says(subsystem, level) {
            let seconds = self.start.elapsed().as_secs_f64();
            let (rank, subsystem) = (self.rank, subsystem.name());
            say(format_args!(
                "[{rank}] {seconds:.6} {subsystem} {level}: {text}"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_log_level_per_subsystem() {
        let log = Log::new(&"warn,task=debug".parse().unwrap(), 0);
        assert_eq!(log.levels[Subsystem::Task as usize], Level::Debug);
        assert_eq!(log.levels[Subsystem::Memory as usize], Level::Warn);
        assert_eq!(
            Subsystem::ALL.map(|subsystem| subsystem as usize),
            [0, 1, 2, 3]
        );
    }
}
