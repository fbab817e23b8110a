//! A recorded program: operations in order, with their operands and costs.

use super::costs::{self, Timed};
use super::error::SimulateError;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use weft_geometry::words::{self, View};
use weft_geometry::{Image, Processors, Shape, Tiling};
use weft_model::{IMAGES_MISSING, LossRow, ProvenanceIndex, SourceKind, Trace};
use weft_trace::id::{Rank, Uid};
use weft_trace::record::ProcessorKind;

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

/// Images, with equal ones stored once: profiles of earlier versions have one for each view.
#[derive(Default)]
struct ImagePool(FxHashSet<Arc<Image>>);

impl ImagePool {
    fn intern(&mut self, image: &Arc<Image>) -> Arc<Image> {
        if let Some(known) = self.0.get(image) {
            return known.clone();
        }
        self.0.insert(image.clone());
        image.clone()
    }
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

    /// Extracts the program of a trace with a single profile.
    ///
    /// # Errors
    /// There are several profiles, or operands were not recorded.
    pub fn from_trace(trace: &Trace) -> Result<Program, SimulateError> {
        let source = match trace.sources.as_slice() {
            [source] => source,
            several => {
                return Err(SimulateError::NotOneRank {
                    sources: several.len(),
                });
            }
        };
        let other = match source.kind {
            SourceKind::WeftProf => None,
            SourceKind::LegionProf => Some("a Legion Prof file"),
            SourceKind::NsysSqlite | SourceKind::NsysReport => Some("of Nsight Systems"),
        };
        if let Some(what) = other {
            return Err(SimulateError::NotWeft {
                path: source.path.clone(),
                what,
            });
        }
        if let Some(ranks) = source.ranks.filter(|ranks| *ranks > 1) {
            return Err(SimulateError::SeveralRanks {
                path: source.path.clone(),
                ranks,
            });
        }
        if trace
            .machine
            .processors
            .iter()
            .any(|p| p.kind == ProcessorKind::Gpu)
        {
            return Err(SimulateError::Gpus);
        }
        let mut images = ImagePool::default();
        let operands: FxHashMap<Uid, (Tiling, bool, Vec<View>)> = trace
            .program
            .operands
            .iter()
            .filter_map(|row| {
                let (tiling, may_share) = words::to_tiling(row.tiling)?;
                let views = row.views(&trace.program.images).map(|view| {
                    let view = view?;
                    let projection = view.projection.with_images(|image| images.intern(image));
                    Some(View { projection, ..view })
                });
                let views: Option<Vec<View>> = views.collect();
                Some((row.operation, (tiling, may_share, views?)))
            })
            .collect();
        let mut rows: Vec<_> = trace
            .program
            .operations
            .iter()
            .filter(|row| row.uid.rank() == Rank::REPLICATED)
            .collect();
        rows.sort_by_key(|row| row.uid.sequence());
        // Operations added by the analysis have a parent, and no record of operands.
        let all = rows.len();
        let missing = rows
            .iter()
            .filter(|row| row.parent.is_none() && !operands.contains_key(&row.uid))
            .count();
        rows.retain(|row| operands.contains_key(&row.uid));
        let processors = trace.program.cut_for.first().map(|row| row.processors);
        let (Some(processors), 0, false) = (processors, missing, rows.is_empty()) else {
            let lost = |loss: &LossRow| loss.name == IMAGES_MISSING && loss.value > 0;
            let operations = missing;
            return Err(match trace.quality.losses.iter().any(lost) {
                true => SimulateError::NoImages { operations, all },
                false if missing == 0 && !rows.is_empty() => SimulateError::NoProcessors,
                false => SimulateError::NoOperands { operations, all },
            });
        };
        let mut steps = Vec::with_capacity(rows.len());
        for row in rows {
            let dims: Vec<usize> = row.shape.iter().map(|extent| *extent as usize).collect();
            let (tiling, may_share, views) = operands[&row.uid].clone();
            steps.push(SimulatedOperation {
                uid: row.uid,
                name: trace.strings.get(row.name).to_owned(),
                provenance: row.provenance,
                shape: Shape::new(&dims).unwrap_or(Shape::SCALAR),
                tiling,
                may_share,
                views,
                gap: 0.0,
                inline: None,
                planning: 0.0,
                unit: 0,
                waits: Vec::new(),
                last_of: Vec::new(),
            });
        }
        let mut program = Program {
            steps,
            units: Vec::new(),
            stores: stores(trace),
            processors,
            dispatch: 0.0,
            wake: 0.0,
            planning: 0.0,
            span: 0.0,
        };
        let timed = Timed::new(trace);
        costs::units(&mut program, trace, &timed);
        costs::program(&mut program, trace, &timed);
        program.find_last_uses();
        Ok(program)
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

    fn find_last_uses(&mut self) {
        let mut last: FxHashMap<u64, usize> = FxHashMap::default();
        for (at, step) in self.steps.iter().enumerate() {
            last.extend(step.views.iter().map(|view| (view.store, at)));
        }
        for (store, at) in last {
            // A unit ends with its last step.
            let unit = self.steps[at].unit;
            let at = self.units[unit].steps.last().copied().unwrap_or(at).max(at);
            self.steps[at].last_of.push(store);
        }
    }
}

fn stores(trace: &Trace) -> FxHashMap<u64, Stored> {
    let rows = trace.program.stores.iter();
    rows.map(|row| {
        let dims: Vec<usize> = row.shape.iter().map(|extent| *extent as usize).collect();
        let stored = Stored {
            shape: Shape::new(&dims).unwrap_or(Shape::SCALAR),
            element: element(trace.strings.get(row.dtype)),
        };
        (row.uid.raw(), stored)
    })
    .collect()
}

/// Returns the size of a dtype's element in bytes: the number at the end of its name is its size in
/// bits.
fn element(dtype: &str) -> u64 {
    let digits = dtype.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse::<u64>().map_or(1, |bits| bits.div_ceil(8))
}

#[cfg(test)]
mod tests {
    use super::element;

    #[test]
    fn derives_element_sizes_from_names() {
        let known = [
            ("bool", 1),
            ("i8", 1),
            ("f16", 2),
            ("u32", 4),
            ("f64", 8),
            ("complex128", 16),
        ];
        for (name, bytes) in known {
            assert_eq!(element(name), bytes, "{name}");
        }
    }
}
