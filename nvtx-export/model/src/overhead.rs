//! Time that CUPTI, Nsight Systems or the driver took in addition to the work of the program.

use crate::kernel::words;
use crate::{Recorder, SourceIndex, StringIndex};
use weft_trace::cupti::overhead;
use weft_trace::time::Timestamp;

words! {
    /// The cause of an overhead.
    OverheadKind {
        /// The driver compiled a kernel.
        Compiler = "driver_compiler",
        /// CUPTI delivered a buffer.
        Flush = "buffer_flush",
        /// CUPTI instrumented a call or a kernel.
        Instrumentation = "instrumentation",
        /// CUPTI created or destroyed its own resources.
        Resource = "resource",
        /// The CUDA runtime loaded a module.
        ModuleLoading = "module_loading",
        /// A kernel was loaded at its first launch.
        FunctionLoading = "function_loading",
        /// A launch waited for space in the command buffer.
        CommandBuffer = "command_buffer_full",
        /// CUPTI asked for a buffer.
        BufferRequest = "buffer_request",
        /// CUPTI began to record unified memory.
        PagesBegin = "unified_memory_start",
        /// The name says more, or the recorder does not know the cause.
        Other = "other",
    }
}

/// An overhead of the recorder or of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The recorder: CUPTI in the process, or Nsight Systems.
    pub recorder: Recorder,
    /// The cause.
    pub kind: OverheadKind,
    /// Its name, in the words of Nsight Systems.
    pub name: StringIndex,
    /// The thread, as numbered by Nsight Systems; `None` if unknown.
    pub thread: Option<i64>,
    /// The CUDA device; `None` if it concerns none.
    pub device: Option<i64>,
    /// The context; `None` if it concerns none.
    pub context: Option<i64>,
    /// The stream; `None` if it concerns none.
    pub stream: Option<i64>,
    /// CUPTI's correlation id of the call in which it occurred; `None` if unknown.
    pub correlation: Option<i64>,
    /// The start time.
    pub start: Timestamp,
    /// The end time.
    pub end: Timestamp,
}

/// The kinds with CUPTI's number, the number in ENUM_CUPTI_OVERHEAD_TYPE of Nsight Systems, and its
/// name there.
const KNOWN: [(OverheadKind, u32, i64, &str); 9] = [
    (
        OverheadKind::Compiler,
        overhead::DRIVER_COMPILER,
        2,
        "CUPTI: Driver compiler",
    ),
    (
        OverheadKind::Flush,
        overhead::CUPTI_BUFFER_FLUSH,
        3,
        "CUPTI: Buffer flush",
    ),
    (
        OverheadKind::Instrumentation,
        overhead::CUPTI_INSTRUMENTATION,
        4,
        "CUPTI: Instrumentation",
    ),
    (
        OverheadKind::Resource,
        overhead::CUPTI_RESOURCE,
        5,
        "CUPTI: Resource Management",
    ),
    (
        OverheadKind::ModuleLoading,
        overhead::RUNTIME_TRIGGERED_MODULE_LOADING,
        6,
        "Runtime module loading",
    ),
    (
        OverheadKind::FunctionLoading,
        overhead::LAZY_FUNCTION_LOADING,
        7,
        "Lazy function loading",
    ),
    (
        OverheadKind::CommandBuffer,
        overhead::COMMAND_BUFFER_FULL,
        8,
        "Command buffer full",
    ),
    // Nsight Systems has no numbers for these.
    (
        OverheadKind::BufferRequest,
        overhead::ACTIVITY_BUFFER_REQUEST,
        1,
        "CUPTI: Buffer request",
    ),
    (
        OverheadKind::PagesBegin,
        overhead::UVM_ACTIVITY_INIT,
        1,
        "CUPTI: Unified memory initialization",
    ),
];

/// The number and the name of an unknown overhead in Nsight Systems.
const UNKNOWN: (i64, &str) = (1, "Unknown");

impl OverheadKind {
    /// Returns the kind with a number of `CUpti_ActivityOverheadKind`.
    pub fn of_cupti(number: u32) -> OverheadKind {
        let known = KNOWN.iter().find(|(_, known, ..)| *known == number);
        known.map_or(OverheadKind::Other, |(kind, ..)| *kind)
    }

    /// Returns the kind of a row of Nsight Systems: by its number, which later versions write, or
    /// by its name.
    pub fn of_nsys(number: Option<i64>, name: &str) -> OverheadKind {
        let known = KNOWN.iter().find(|(_, _, known, text)| {
            let is_number = number == Some(*known) && *known != UNKNOWN.0;
            is_number || text.eq_ignore_ascii_case(name)
        });
        known.map_or(OverheadKind::Other, |(kind, ..)| *kind)
    }

    /// Returns the number in ENUM_CUPTI_OVERHEAD_TYPE.
    pub fn nsys_number(self) -> i64 {
        let known = KNOWN.iter().find(|(kind, ..)| *kind == self);
        known.map_or(UNKNOWN.0, |(_, _, number, _)| *number)
    }

    /// Returns the name in the words of Nsight Systems.
    pub fn title(self) -> &'static str {
        let known = KNOWN.iter().find(|(kind, ..)| *kind == self);
        known.map_or(UNKNOWN.1, |(.., name)| *name)
    }

    /// Returns whether the driver prepared a kernel.
    pub fn prepares_kernel(self) -> bool {
        matches!(
            self,
            OverheadKind::Compiler | OverheadKind::ModuleLoading | OverheadKind::FunctionLoading
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_keep_their_numbers_and_names() {
        for (kind, cupti, number, name) in KNOWN {
            assert_eq!(OverheadKind::of_cupti(cupti), kind);
            assert_eq!(kind.nsys_number(), number);
            assert_eq!(OverheadKind::of_nsys(None, name), kind, "{name}");
            let is_numbered = number != UNKNOWN.0;
            let by_number = OverheadKind::of_nsys(Some(number), "");
            assert_eq!(by_number == kind, is_numbered, "{name}");
        }
        assert_eq!(OverheadKind::of_cupti(99 << 16), OverheadKind::Other);
        assert_eq!(
            OverheadKind::of_nsys(None, "TLS allocation"),
            OverheadKind::Other
        );
        assert_eq!(OverheadKind::Other.nsys_number(), 1);
    }
}
