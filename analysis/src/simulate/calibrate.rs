//! Measurement, on this machine, of the time that a rank spends on finding its messages.

use super::costs::median;
use super::machine::{ExchangeCosts, Machine};
use super::program::Program;
use super::recut::Recut;
use super::traffic::{ExchangeLookup, Traffic};
use std::time::Instant;
use weft_geometry::Processors;

impl ExchangeCosts {
    /// Returns the cost of an operation whose messages are found in this way.
    pub(super) fn get(&self, found: Option<ExchangeLookup>) -> f64 {
        match found {
            Some(ExchangeLookup::Cached) => self.known,
            Some(ExchangeLookup::New) => self.new,
            None => 0.0,
        }
    }
}

/// The measured [`ExchangeCosts`]; `None` for cases that do not occur in the program.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Calibrated {
    /// [`ExchangeCosts::known`].
    pub known: Option<f64>,
    /// [`ExchangeCosts::new`].
    pub new: Option<f64>,
}

/// Measures the time that the first rank of a machine spends on finding the messages of a program's
/// operations: medians, in whole nanoseconds. Each call measures again, with different results.
pub fn calibrate(program: &Program, machine: Machine) -> Calibrated {
    let processors = match program.processors.omps {
        0 => Processors {
            cpus: machine.cores_per_rank.max(1),
            ..program.processors
        },
        _ => program.processors,
    };
    let mut traffic = Traffic::of_first(machine.ranks);
    let mut recut = Recut::new(program);
    let (mut known, mut new) = (Vec::new(), Vec::new());
    for step in &program.steps {
        let cuts = processors.cuts(&step.shape, step.tiling, usize::from(machine.ranks));
        let step = &*recut.cut(step, &cuts);
        let start = Instant::now();
        let needs = traffic.next(step, &program.stores, &cuts);
        let nanos = start.elapsed().as_nanos() as f64;
        match needs.found {
            Some(ExchangeLookup::Cached) => known.push(nanos),
            Some(ExchangeLookup::New) => new.push(nanos),
            None => {}
        }
        for store in &step.last_of {
            traffic.forget(*store);
        }
    }
    let usual = |measured: Vec<f64>| (!measured.is_empty()).then(|| median(measured).round());
    Calibrated {
        known: usual(known),
        new: usual(new),
    }
}
