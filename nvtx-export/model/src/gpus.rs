//! The identity of GPUs across all sources.
//!
//! Each process numbers the GPUs that it sees. Processors of several processes with one UUID are
//! one GPU, which has the name of the first.

use super::{Recording, SourceIndex};
use rustc_hash::FxHashMap;
use weft_trace::id::ProcessorId;

/// A processor of a source.
pub type ProcessorKey = (SourceIndex, ProcessorId);

/// The first processor of each GPU with several processors.
#[derive(Clone, Debug, Default)]
pub struct Gpus {
    processors: FxHashMap<ProcessorKey, ProcessorKey>,
    devices: FxHashMap<(SourceIndex, i64), (SourceIndex, i64)>,
}

impl Gpus {
    /// Finds the GPUs of a trace.
    pub fn new(recording: &Recording) -> Self {
        let mut first = FxHashMap::default();
        let mut gpus = Gpus::default();
        for row in &recording.devices.gpus {
            let Some(uuid) = row.uuid else {
                continue;
            };
            let (processor, device) = (
                (row.source, row.processor),
                (row.source, i64::from(row.device)),
            );
            let (first, number) = *first.entry(uuid).or_insert((processor, device));
            if first != processor {
                gpus.processors.insert(processor, first);
                gpus.devices.insert(device, number);
            }
        }
        let mut first = FxHashMap::default();
        let sessions = recording.devices.sessions.iter();
        let rows =
            sessions.flat_map(|session| session.gpus.iter().map(|gpu| (session.source, gpu)));
        for (source, gpu) in rows {
            let uuid = digits(recording.strings.get(gpu.uuid));
            if uuid.is_empty() {
                continue;
            }
            let own = (source, gpu.id);
            let first = *first.entry(uuid).or_insert(own);
            if first != own {
                gpus.devices.insert(own, first);
            }
        }
        gpus
    }

    /// Returns the first processor of a GPU. Any other processor is returned unchanged.
    pub fn processor(&self, processor: ProcessorKey) -> ProcessorKey {
        self.processors
            .get(&processor)
            .copied()
            .unwrap_or(processor)
    }

    /// Returns the first source and number of the GPU with this CUDA device.
    pub fn device(&self, source: SourceIndex, device: i64) -> (SourceIndex, i64) {
        let own = (source, device);
        self.devices.get(&own).copied().unwrap_or(own)
    }
}

/// Returns the digits of a UUID without prefixes and dashes; empty if unknown.
fn digits(uuid: &str) -> String {
    let digits = uuid.to_lowercase().replace('-', "");
    let digits = digits.trim_start_matches("gpu").trim_start_matches("mig");
    match digits.bytes().any(|digit| digit != b'0') {
        true => digits.to_owned(),
        false => String::new(),
    }
}
