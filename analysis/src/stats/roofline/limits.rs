//! The speeds of the machines of a run.

use crate::stats::flow::{Memories, Span};
use rustc_hash::FxHashMap;
use weft_model::{Bandwidth, Kernel, SourceIndex, Trace};

/// The speeds of one memory and its processors, if known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Limit {
    /// Bytes per ns.
    pub(super) bytes: Option<f64>,
    /// Operations on 64-bit numbers per ns.
    pub(super) double: Option<f64>,
    /// Operations on 32-bit numbers per ns.
    pub(super) single: Option<f64>,
}

/// Limits, by the number of the memory.
pub(super) struct Limits {
    memories: Memories,
    limits: Vec<Limit>,
}

impl Limits {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut memories = Memories::new(trace);
        let mut limits: FxHashMap<u32, Limit> = FxHashMap::default();
        for known in &trace.machine.float_speeds {
            let number = memories.number(known.source, None);
            let speed = Some(known.per_second as f64 / 1e9).filter(|speed| *speed > 0.0);
            let limit = limits.entry(number).or_default();
            match known.bits {
                64 => limit.double = speed,
                32 => limit.single = speed,
                _ => {}
            }
        }
        for (number, speed) in (0..).zip(memories.speeds_by_memory()) {
            limits.entry(number).or_default().bytes = *speed;
        }
        let last = limits.keys().max().map_or(0, |last| last + 1);
        let limits = (0..last).map(|number| limits.get(&number).copied().unwrap_or_default());
        Limits {
            limits: limits.collect(),
            memories,
        }
    }

    /// Returns the number of the memory that a kernel works on.
    pub(super) fn of_kernel(&mut self, kernel: &Kernel) -> u32 {
        self.memories.of_kernel(kernel)
    }

    /// Returns the time of a kernel.
    pub(super) fn span(&mut self, kernel: &Kernel) -> Span {
        self.memories.span(kernel)
    }

    pub(super) fn get(&self, memory: u32) -> Limit {
        self.limits
            .get(memory as usize)
            .copied()
            .unwrap_or_default()
    }
}

/// Returns the limits in a sentence, or why there are none.
pub(super) fn note(trace: &Trace) -> String {
    let ranks: Vec<SourceIndex> = {
        let mut ranks: Vec<_> = trace
            .machine
            .float_speeds
            .iter()
            .map(|known| known.source)
            .collect();
        ranks.dedup();
        ranks
    };
    if ranks.is_empty() {
        return "the limit is unknown: how fast memory and arithmetic are was not measured at the end of the run (--profile-bandwidth=false, \
                a run that ended early, a busy machine, little memory, or GPUs)"
            .to_owned();
    }
    let is_main = |known: &&Bandwidth| known.device.is_none() && ranks.contains(&known.source);
    let bytes: u64 = (trace.machine.bandwidths.iter().filter(is_main))
        .map(|known| known.per_second)
        .fold(0, u64::saturating_add);
    let of = |bits: u16| -> u64 {
        let known = trace.machine.float_speeds.iter();
        let known = known.filter(|known| known.bits == bits);
        known
            .map(|known| known.per_second)
            .fold(0, u64::saturating_add)
    };
    let giga = |number: u64| number as f64 / 1e9;
    let ridge = |bits: u16| of(bits) as f64 / bytes.max(1) as f64;
    let whose = match ranks.len() {
        1 => String::new(),
        several => format!(" of {several} ranks together"),
    };
    format!(
        "measured limits{whose}: {:.1} GB/s, {:.1} GFLOP/s (f64), {:.1} (f32); memory limits rows of less than {:.1} FLOP/B (f64), {:.1} (f32)",
        giga(bytes),
        giga(of(64)),
        giga(of(32)),
        ridge(64),
        ridge(32),
    )
}
