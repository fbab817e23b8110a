//! Extraction of the program from a trace.

use super::costs::{self, Timed};
use super::error::SimulateError;
use super::program::{Program, SimulatedOperation, Stored};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use weft_geometry::words::{self, View};
use weft_geometry::{Image, Shape, Tiling};
use weft_model::{IMAGES_MISSING, LossRow, SourceKind, Trace};
use weft_trace::id::{Rank, Uid};
use weft_trace::record::ProcessorKind;

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

impl Program {
    /// Extracts the program of a trace with a single profile.
    ///
    /// # Errors
    /// Returns an error if there are several profiles, or operands were not recorded.
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
