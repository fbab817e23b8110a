//! A recorded program: operations in order, with their operands and costs.

use rustc_hash::FxHashMap;
use weft_geometry::words::View;
use weft_geometry::{Processors, Shape, Tiling};
use weft_model::ProvenanceIndex;
use weft_trace::id::Uid;

/// A store of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored {
    /// Its shape.
    pub shape: Shape,
    /// Size of an element in bytes.
    pub element: u64,
}

/// An operation. Times are nanoseconds.
#[derive(Clone, Debug)]
pub struct SimulatedOperation {
    /// Its UID in the profile.
    pub uid: Uid,
    /// Its name.
    pub name: String,
    /// The user's call.
    pub provenance: ProvenanceIndex,
    /// The shape that its tasks cover together.
    pub shape: Shape,
    /// The rule by which it is cut.
    pub tiling: Tiling,
    /// Whether ranks can share its tiles.
    pub may_share: bool,
    /// Its operands.
    pub views: Vec<View>,
    /// The program's own time before it.
    pub gap: f64,
    /// Its time on the program's own thread, if it ran there.
    pub inline: Option<f64>,
    /// Its planning time, without the additional work of ranks.
    pub planning: f64,
    /// The unit that contains it.
    pub unit: usize,
    /// Steps that the program waits for after it; `None` stands for all before.
    pub waits: Vec<Option<usize>>,
    /// Stores that are not used after it.
    pub last_of: Vec<u64>,
}

impl SimulatedOperation {
    /// Whether its tiles access elements through the values of another array.
    pub(super) fn has_image(&self) -> bool {
        self.views.iter().any(|view| view.projection.has_image())
    }
}

/// Steps that run as one kernel.
#[derive(Clone, Debug, Default)]
pub(super) struct Unit {
    /// Numbers of the steps, in order.
    pub(super) steps: Vec<usize>,
    /// The share of each step in the unit's time.
    pub(super) shares: Vec<f64>,
    /// Total kernel time of all tiles.
    pub(super) kernels: f64,
    /// Overhead of each task.
    pub(super) overhead: f64,
    /// Time of additional work that every rank does for itself, such as copying the kept part of a
    /// store.
    pub(super) local: f64,
}

/// A recorded program.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) steps: Vec<SimulatedOperation>,
    pub(super) units: Vec<Unit>,
    pub(super) stores: FxHashMap<u64, Stored>,
    /// The processors for which the recorded operations were cut.
    pub(super) processors: Processors,
    /// Time from a task's readiness to its start, if a worker was free.
    pub(super) dispatch: f64,
    /// Time from the end of an awaited operation to the program's continuation.
    pub(super) wake: f64,
    /// Planning time of an operation that the recorded run did inline.
    pub(super) planning: f64,
    /// Time from the first call to the last end of a task.
    pub(super) span: f64,
}

impl Program {
    /// Returns the numbers of its steps, by the UIDs of their operations.
    pub(super) fn numbers(&self) -> FxHashMap<Uid, usize> {
        let steps = self.steps.iter().enumerate();
        steps.map(|(at, step)| (step.uid, at)).collect()
    }

    /// Returns the number of operations whose tiles access elements through the values of other
    /// arrays. Their accesses in other tiles are estimated.
    pub fn through_values(&self) -> usize {
        self.steps.iter().filter(|step| step.has_image()).count()
    }

    /// Returns the operations, in order.
    pub fn steps(&self) -> &[SimulatedOperation] {
        &self.steps
    }

    /// Returns the recorded time from the first call to the last end of a task, in nanoseconds.
    pub fn recorded(&self) -> f64 {
        self.span
    }

    /// Returns the number of CPU workers of the recorded run.
    pub fn workers(&self) -> usize {
        match self.processors.omps {
            0 => self.processors.cpus,
            omps => omps * self.processors.omp_threads,
        }
    }
}
