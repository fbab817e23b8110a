//! The table of rules. Each rule has its own file.

mod blocking_value;
mod collective;
mod compile;
mod copied_data;
mod element_loop;
mod exposed_copy;
mod gpu_gap;
mod late_sender;
mod little_parallelism;
mod memory_wait;
mod ping_pong;
mod redundant_copy;
mod runtime_bound;
mod skew;
mod slow_host;
mod small_copies;
mod synchronous_copy;
mod tiny_tasks;
mod unfused_chain;

use super::facts::Facts;
use super::types::{Figure, Unit};
use crate::replay::Change;
use weft_model::ProvenanceIndex;

/// Ranks are even if the longest time is less than this many times their mean.
const EVEN: f64 = 1.1;

/// A rule of the table.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its number in the list of what peers find.
    pub(super) number: u32,
    /// Its id in outputs.
    pub(super) id: &'static str,
    /// Its title.
    pub(super) title: &'static str,
    /// The required content of the inputs.
    pub(super) needs: &'static str,
    /// The advised change, if the rule's finding has no more specific one.
    pub(super) change: &'static str,
    /// Finds candidates.
    pub(super) find: fn(&Facts<'_>) -> Vec<Candidate>,
}

/// A candidate of a rule, which becomes a finding if its saving is large enough.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidate {
    /// The line that causes it, followed by related lines.
    pub(super) lines: Vec<ProvenanceIndex>,
    pub(super) evidence: Vec<Figure>,
    /// The advised change, if it differs from the rule's general one.
    pub(super) change: Option<String>,
    /// Assumptions of the changes that the trace does not prove.
    pub(super) assumes: Option<String>,
    pub(super) changes: Vec<Change>,
    /// Whether the saving is an upper limit. Such candidates come after all others.
    pub(super) is_ceiling: bool,
}

macro_rules! rules {
    ($($number:literal $module:ident $id:literal $title:literal needs $needs:literal change $change:literal;)*) => {
        /// All rules.
        pub(super) const RULES: &[Rule] = &[$(Rule {
            number: $number,
            id: $id,
            title: $title,
            needs: $needs,
            change: $change,
            find: $module::find,
        }),*];
    };
}

rules! {
    1 blocking_value "blocking-value" "The program waits for a value again and again"
        needs "waits of the program"
        change "Read the value less often, such as every 10th time, or keep it in an array and decide with `where`";
    2 synchronous_copy "synchronous-copy" "Copies from pageable memory block the program"
        needs "copies that CUPTI or Nsight Systems recorded"
        change "Make the array on the GPU, or bring it there once with `prefetch`, outside of the loop";
    3 gpu_gap "gpu-gap" "The GPU is idle because of this line"
        needs "kernels of a GPU"
        change "Move what this line does on the host out of the loop, or let the GPU do it";
    4 tiny_tasks "tiny-tasks" "Tasks take less time than starting them"
        needs "tasks"
        change "Work on whole arrays, or on larger parts; choose elements with `where` or `putmask`";
    5 unfused_chain "unfused-chain" "A temporary array is written only to be read once"
        needs "tasks with dependences"
        change "Write the operations as one expression over the same elements without reading a value in between, so that they run as one kernel";
    6 element_loop "element-loop" "A loop goes over single elements"
        needs "operations with shapes"
        change "Replace the loop by one operation on the whole array, such as a slice, `where`, `take` or `cumsum`";
    7 little_parallelism "little-parallelism" "Large tasks run alone while other workers are idle"
        needs "tasks on several workers"
        change "Make the array larger or its first axis longer, or lower --min-cpu-chunk, so that it is divided among all workers";
    8 skew "skew" "One task of each operation takes much longer than the others"
        needs "operations with several tasks"
        change "Distribute the work evenly: choose elements with `where` instead of by index, or reorder them";
    9 late_sender "late-sender" "Other ranks wait for what this line makes on one rank"
        needs "messages between ranks"
        change "Give that rank as much work as the others; do what only one rank needs after the messages";
    10 collective "collective-wait" "Ranks arrive late where all ranks wait for each other"
        needs "profiles of several ranks"
        change "Divide the work of this line evenly among ranks, or read values less often";
    11 ping_pong "ping-pong" "Data goes to another memory and back unchanged"
        needs "copies with dependences"
        change "Keep the array in the memory that its operations use; read only the needed value, or use `prefetch` once";
    12 redundant_copy "redundant-copy" "The same data is copied again to where it was"
        needs "copies with dependences"
        change "Keep the array in that memory: give it more room (--fbmem, --sysmem), and move it once with `prefetch`";
    13 exposed_copy "exposed-copy" "Work waits for a copy that could have begun earlier"
        needs "copies"
        change "Call `prefetch` before the preceding work, so that the copy overlaps it";
    14 small_copies "small-copies" "Many small copies follow each other"
        needs "copies or messages"
        change "Copy one larger part instead: join the arrays, or give `stencil_hint` the whole border";
    15 copied_data "copied-data" "Most of this line's time goes into copying"
        needs "tasks with dependences"
        change "Read the array through slices: `concatenate`, `pad`, `copy` and indexing by arrays copy it each time, `roll` copies it once";
    16 memory_wait "memory-wait" "Work waits for memory to be allocated"
        needs "instances"
        change "Raise --fbmem or --sysmem, drop arrays earlier (`del`), or write to existing ones with `out=`";
    18 runtime_bound "runtime-bound" "The runtime's own work sets the length of the run"
        needs "calls of the runtime"
        change "Give each operation more elements, use fewer operations, and let the program run ahead: read values rarely";
    20 slow_host "slow-host" "The program itself is busy before this line's calls"
        needs "calls of the program"
        change "Move what the program computes here out of the loop, or let arrays do it";
    22 compile "compile" "Kernels are compiled during the run"
        needs "kernels that Weft compiled for a GPU"
        change "Run the program again: each kernel is compiled once for a kind of GPU, and kept on the disk in WEFT_CACHE. A loop that keeps compiling changes its shapes or its order";
}

/// The properties of a rule, for documents and front ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RuleInfo {
    /// Its number in the list of what peers find.
    pub number: u32,
    /// Its id in outputs.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The required content of the inputs.
    pub needs: &'static str,
    /// The advised change.
    pub change: &'static str,
}

/// The rule that only applies to inputs without tasks.
pub(super) const LAUNCH_BOUND: RuleInfo = RuleInfo {
    number: 21,
    id: "launch-bound",
    title: "Kernels are shorter than the calls that launch them",
    needs: "kernels of a GPU with their calls, without tasks",
    change: "Launch the kernels together as a CUDA graph, fuse them, or give each more elements",
};

/// Returns the table of rules.
pub fn rules() -> impl Iterator<Item = RuleInfo> {
    let rules = RULES.iter().map(|rule| RuleInfo {
        number: rule.number,
        id: rule.id,
        title: rule.title,
        needs: rule.needs,
        change: rule.change,
    });
    rules.chain([LAUNCH_BOUND])
}

pub(super) fn count(what: &str, number: usize) -> Figure {
    figure(what, number as f64, Unit::Count)
}

pub(super) fn nanos(what: &str, nanos: i64) -> Figure {
    figure(what, nanos as f64, Unit::Ns)
}

pub(super) fn bytes(what: &str, bytes: u64) -> Figure {
    figure(what, bytes as f64, Unit::Bytes)
}

pub(super) fn share(what: &str, share: f64) -> Figure {
    figure(what, share, Unit::Share)
}

fn figure(what: &str, value: f64, unit: Unit) -> Figure {
    Figure {
        what: what.to_owned(),
        value,
        unit,
    }
}
