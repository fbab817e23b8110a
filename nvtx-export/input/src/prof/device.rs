//! Conversion of records of device work to rows. Their times stay on CUPTI's clock until clocks are
//! aligned.

use super::tables::Tables;
use rustc_hash::FxHashMap;
use weft_model::{
    ApiCall, Bandwidth, BandwidthOrigin, Detail, DeviceMemory, DeviceSample, FailedCall,
    GpuProcessor, GraphNode, Kernel, KernelKind, Overhead, OverheadKind, PageEvent, Recorder,
    Recording, Route, SourceIndex, StringIndex, Synchronization, Traffic, check_times, is_possible,
    thread_of,
};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::{self, DeviceWorkKind, NO_DEVICE, Record};
use weft_trace::time::{Nanos, Timestamp};

/// State of the device work of one file while it is read.
#[derive(Default)]
pub(super) struct Device {
    /// Kernels of this file without a recorded launch: their rows and correlation ids.
    nameless: Vec<(usize, u32)>,
    /// External ids that were recorded separately from the work; `None` if there are several for
    /// one correlation id.
    external: FxHashMap<u32, Option<Uid>>,
    /// Demangled names of kernels, by their mangled names.
    demangled: FxHashMap<StringIndex, StringIndex>,
    /// The first kernel of this file.
    first: Option<usize>,
    /// The processors of this file that are GPUs, by CUDA device.
    gpus: FxHashMap<i64, ProcessorId>,
    /// The number of readings of CUPTI's clock with impossible times.
    pub(super) samples_untimed: u64,
}

impl Device {
    /// Appends the row of a record about devices.
    pub(super) fn read(
        &mut self,
        recording: &mut Recording,
        source: SourceIndex,
        tables: &mut Tables,
        record: Record<'_>,
    ) {
        match record {
            Record::DeviceWork(work) => self.work(recording, source, tables, work),
            Record::ApiCall(call) => {
                if call.result != 0 {
                    recording.devices.failed_calls.push(FailedCall {
                        source,
                        correlation: i64::from(call.correlation),
                        result: call.result,
                    });
                }
                recording.devices.calls.push(ApiCall {
                    source,
                    name: tables.name(call.name),
                    thread: thread_of(pid(recording, source), call.thread),
                    correlation: i64::from(call.correlation),
                    start: call.start,
                    end: call.end,
                });
            }
            Record::ExternalId(id) => {
                let launch = id.launch.0;
                self.external
                    .entry(id.correlation)
                    .and_modify(|known| *known = known.filter(|known| *known == launch))
                    .or_insert(Some(launch));
            }
            Record::GraphReplay(replay) => {
                let nodes = replay.nodes.iter().map(|(node, launch)| GraphNode {
                    source,
                    replay: replay.replay.0,
                    node: node.cast_signed(),
                    launch: launch.0,
                });
                recording.devices.graph_nodes.extend(nodes);
            }
            Record::Synchronization(record) => {
                recording
                    .devices
                    .synchronizations
                    .push(Synchronization { source, record });
            }
            Record::DeviceMemory(record) => recording
                .devices
                .device_memory
                .push(DeviceMemory { source, record }),
            Record::PageEvent(record) => recording.devices.page_events.push(PageEvent {
                source,
                recorder: Recorder::Cupti,
                record,
            }),
            Record::Overhead(spent) => {
                let kind = OverheadKind::of_cupti(spent.kind);
                let pid = pid(recording, source);
                let known = |number: u32| (number != NO_DEVICE).then_some(i64::from(number));
                recording.devices.overheads.push(Overhead {
                    source,
                    recorder: Recorder::Cupti,
                    kind,
                    name: recording.strings.intern(kind.title()),
                    thread: (spent.thread != 0).then(|| thread_of(pid, spent.thread)),
                    device: known(spent.device),
                    context: known(spent.context),
                    stream: known(spent.stream),
                    correlation: (spent.correlation != 0).then_some(i64::from(spent.correlation)),
                    start: spent.start,
                    end: spent.end,
                });
            }
            Record::Gpu(gpu) => {
                self.gpus.insert(i64::from(gpu.device), gpu.processor);
                if let Some(per_second) = gpu.bandwidth {
                    recording.machine.bandwidths.push(Bandwidth {
                        source,
                        device: Some(i64::from(gpu.device)),
                        origin: BandwidthOrigin::Theoretical,
                        per_second,
                    });
                }
                recording.devices.gpus.push(GpuProcessor {
                    source,
                    processor: gpu.processor,
                    device: gpu.device,
                    name: recording.strings.intern(gpu.name),
                    memory: gpu.memory,
                    multiprocessors: gpu.multiprocessors,
                    capability: (gpu.major, gpu.minor),
                    uuid: gpu
                        .uuid
                        .map(|uuid| recording.strings.intern(&uuid.to_string())),
                });
            }
            Record::DeviceClock(sample) => {
                let recorded = &mut recording.devices.cupti_sources;
                if recorded.last() != Some(&source) {
                    recorded.push(source);
                }
                let device = Timestamp::from_nanos_since_boot(sample.device);
                if check_times(sample.before, Some(sample.after)).is_err() || !is_possible(device) {
                    self.samples_untimed += 1;
                    return;
                }
                let width = sample.after - sample.before;
                recording.quality.device_samples.push(DeviceSample {
                    source,
                    device,
                    host: sample.before + Nanos(width.0 / 2),
                    error: width.0.unsigned_abs().div_ceil(2),
                });
            }
            _ => {}
        }
    }

    fn work(
        &mut self,
        recording: &mut Recording,
        source: SourceIndex,
        tables: &mut Tables,
        work: record::DeviceWork,
    ) {
        let row = recording.sources.get(source.0 as usize);
        let rank = row.and_then(|source| source.rank);
        let name = self.demangled(recording, tables.name(work.name));
        let kind = match work.kind {
            DeviceWorkKind::Kernel => KernelKind::Kernel,
            DeviceWorkKind::Memcpy => KernelKind::Memcpy,
            DeviceWorkKind::Memset => KernelKind::Memset,
        };
        let detail = tables.detail(work.detail);
        let row = recording.devices.kernels.len();
        self.first.get_or_insert(row);
        let is_row = recording.devices.kernels.try_push(Kernel {
            source,
            recorder: Recorder::Cupti,
            kind,
            name,
            rank,
            processor: None,
            device: Some(i64::from(work.device)),
            stream: Some(i64::from(work.stream)),
            context: Some(i64::from(work.context)),
            graph: (work.graph != 0).then_some(i64::from(work.graph)),
            graph_node: (work.graph_node != 0).then_some(work.graph_node.cast_signed()),
            correlation: Some(i64::from(work.correlation)),
            start: work.start,
            end: work.end,
            traffic: Traffic::new(kind, (work.bytes != 0).then_some(work.bytes)),
            recorded: None,
            external: work.launch.map(|launch| launch.0),
            process: Some(thread_of(pid(recording, source), 0)),
            detail,
            route: detail
                .and_then(|detail| route(recording.devices.details.get(detail.0 as usize)?)),
        });
        if is_row && work.launch.is_none() {
            self.nameless.push((row, work.correlation));
        }
    }

    /// Returns the demangled name if it is mangled.
    fn demangled(&mut self, recording: &mut Recording, name: StringIndex) -> StringIndex {
        *self.demangled.entry(name).or_insert_with(|| {
            let mangled = recording.strings.get(name);
            if !mangled.starts_with("_Z") {
                return name;
            }
            let symbol = cpp_demangle::Symbol::new(mangled).ok();
            let text = symbol.and_then(|symbol| symbol.demangle().ok());
            text.map_or(name, |text| recording.strings.intern(&text))
        })
    }

    /// Sets the external ids of kernels that were recorded separately, and their processors.
    /// Returns the number of ids that had several launches.
    pub(super) fn finish(&mut self, recording: &mut Recording) -> u64 {
        for (row, correlation) in self.nameless.drain(..) {
            if let Some(kernel) = recording.devices.kernels.get_mut(row) {
                kernel.external = self.external.get(&correlation).copied().flatten();
            }
        }
        let kernels = recording
            .devices
            .kernels
            .get_mut(self.first.unwrap_or(usize::MAX)..);
        for kernel in kernels.unwrap_or_default() {
            if kernel.recorder == Recorder::Cupti {
                kernel.processor = kernel
                    .device
                    .and_then(|device| self.gpus.get(&device).copied());
            }
        }
        let several = self.external.values().filter(|launch| launch.is_none());
        several.count() as u64
    }
}

/// Returns the GPUs of a copy, if CUPTI recorded both and they differ.
fn route(detail: &Detail) -> Option<Route> {
    let Detail::Copy(copy) = detail else {
        return None;
    };
    let (from, to) = (copy.source_device, copy.destination_device);
    let is_known = from != NO_DEVICE && to != NO_DEVICE;
    (is_known && (from != to || copy.copy_kind == PEER)).then_some(Route {
        from: i64::from(from),
        to: i64::from(to),
    })
}

/// CUPTI's kind of a copy between two GPUs.
const PEER: u32 = 10;

fn pid(recording: &Recording, source: SourceIndex) -> u32 {
    let row = recording.sources.get(source.0 as usize);
    row.and_then(|source| source.pid).unwrap_or(0)
}
