//! Losses that the instrumentation reports.

use super::frame::record;

record! {
    /// A loss of the instrumentation, other than the dropped records that the file counts itself.
    /// Several records with one name add up.
    40 => Loss<'a> {
        /// The number.
        value: u64,
    }
    tail
    /// The name, in one word, such as `strings_cut`.
    name: &'a str
}

/// A kind of loss, identified by the name in a [`Loss`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossKind {
    /// The name.
    pub name: &'static str,
    /// Whether it is only a note, and nothing is missing.
    pub is_note: bool,
    /// The meaning of the number, in a sentence.
    pub meaning: &'static str,
}

impl LossKind {
    /// Returns the kind with this name.
    pub fn of(name: &str) -> Option<&'static LossKind> {
        LOSS_KINDS.iter().find(|kind| kind.name == name)
    }
}

macro_rules! losses {
    ($($(#[$doc:meta])* $name:ident = $is_note:literal, $text:literal: $meaning:literal;)*) => {
        /// The names of losses.
        pub mod loss {
            use super::LossKind;
            $($(#[$doc])* pub const $name: LossKind = LossKind {
                name: $text,
                is_note: $is_note,
                meaning: $meaning,
            };)*
        }

        /// All kinds of losses.
        pub const LOSS_KINDS: &[LossKind] = &[$(loss::$name),*];
    };
}

losses! {
    /// Accesses that the analysis forgot.
    ACCESSES_FORGOTTEN = true, "accesses_forgotten":
        "accesses by finished tasks that were forgotten for arrays with thousands of accesses; WEFT_DEPENDENCY lacks their dependences, for which no task would have waited";
    /// Operations that never ran.
    OPERATIONS_DROPPED = true, "operations_dropped":
        "operations that never ran: the program was interrupted, or ended by an error, before they began";
    /// Activities that CUPTI dropped.
    CUPTI_DROPPED = false, "cupti_dropped":
        "GPU activities that CUPTI dropped because its buffers were full";
    /// Activities that arrived faster than they were written.
    CUPTI_OVERRUN = false, "cupti_overrun":
        "GPU activities dropped because they came faster than they could be written";
    /// Activities of unknown kinds.
    CUPTI_UNKNOWN = false, "cupti_unknown":
        "activities that are unknown to this version or too short";
    /// Buffers that could be walked only in part.
    CUPTI_BUFFERS_CUT = false, "cupti_buffers_cut":
        "CUPTI buffers that were read only up to an unknown record";
    /// Work without times.
    CUPTI_UNTIMED = false, "cupti_untimed":
        "kernels, copies and fills without times from CUPTI";
    /// Calls without times.
    CUPTI_CALLS_UNTIMED = false, "cupti_calls_untimed":
        "CUDA calls without times from CUPTI";
    /// Faults and moves of pages without times.
    CUPTI_PAGES_UNTIMED = false, "cupti_pages_untimed":
        "faults and moves of pages of unified memory without times from CUPTI";
    /// Overhead without times.
    CUPTI_OVERHEADS_UNTIMED = false, "cupti_overheads_untimed":
        "records of overhead without times from CUPTI";
    /// UIDs that CUPTI did not accept.
    CUPTI_UNPUSHED = false, "cupti_unpushed":
        "launches whose UID CUPTI did not accept as external correlation id";
    /// Calls of CUPTI that failed.
    CUPTI_FAILED = false, "cupti_failed":
        "failed CUPTI calls; the records they should have produced are missing";
    /// Ids that do not belong to launches.
    CUPTI_FOREIGN_IDS = true, "cupti_foreign_ids":
        "external correlation ids pushed by another library";
    /// Calls that start no work.
    CUPTI_CALLS_LEFT_OUT = true, "cupti_calls_left_out":
        "CUDA calls that neither start work nor wait for it; they are not recorded";
    /// Another tool used CUPTI.
    CUPTI_HELD = true, "cupti_held":
        "1: another tool, such as Nsight Systems, used CUPTI; GPU work is in its recording";
    /// No work on devices was recorded.
    CUPTI_ABSENT = false, "cupti_absent":
        "1: CUPTI was not available, so GPU work was not recorded";
    /// Graphs recorded as a whole.
    CUPTI_GRAPHS = true, "cupti_graphs":
        "CUDA graphs that CUPTI recorded as a whole, without their nodes";
    // Files without records of overhead have these sums.
    /// `CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER`.
    OVERHEAD_COMPILER = true, "cupti_overhead_driver_compiler_ns":
        "time in which the driver compiled kernels";
    /// `CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH`.
    OVERHEAD_FLUSH = true, "cupti_overhead_buffer_flush_ns":
        "time in which CUPTI delivered buffers";
    /// `CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION`.
    OVERHEAD_INSTRUMENTATION = true, "cupti_overhead_instrumentation_ns":
        "time in which CUPTI instrumented calls and kernels";
    /// `CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE`.
    OVERHEAD_RESOURCE = true, "cupti_overhead_resource_ns":
        "time in which CUPTI created and destroyed its own resources";
    /// `CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING`.
    OVERHEAD_MODULE = true, "cupti_overhead_module_loading_ns":
        "time in which the CUDA runtime loaded modules";
    /// `CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING`.
    OVERHEAD_FUNCTION = true, "cupti_overhead_function_loading_ns":
        "time in which kernels were loaded at their first launch";
    /// `CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL`.
    OVERHEAD_COMMANDS = true, "cupti_overhead_command_buffer_full_ns":
        "time in which launches waited for space in the command buffer";
    /// `CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST`.
    OVERHEAD_REQUEST = true, "cupti_overhead_buffer_request_ns":
        "time in which CUPTI asked for buffers";
    /// Any other overhead.
    OVERHEAD_OTHER = true, "cupti_overhead_other_ns":
        "time that CUPTI spent on something other than activities";
}
