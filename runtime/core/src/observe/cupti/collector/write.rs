//! Conversion of activities to records.

use std::ffi::CStr;
use std::sync::Arc;

use weft_trace::cupti::{
    Activity, Api, ApiKind, ExternalCorrelation, Kernel, Overhead, Unread, memcpy_name, overhead,
};
use weft_trace::id::{LaunchUid, NameId, Uid};
use weft_trace::record::{
    self, ApiCall, DeviceMemory, DeviceWork, DeviceWorkKind, ExternalId, LossKind, NO_DEVICE,
    PageEvent, Synchronization, loss,
};
use weft_trace::time::Timestamp;

use super::super::safe::Names;
use super::super::sys::CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
use super::super::tally::Tally;
use super::details::Details;
use super::names::{Functions, NameCache};
use crate::observe::Recorder;

#[cfg(test)]
mod tests;

/// Writes a record for each activity, or counts it.
pub(super) struct Writer {
    recorder: Arc<Recorder>,
    names: NameCache,
    details: Details,
    tally: Tally,
}

/// The common properties of kernels, copies and fills.
struct Work {
    kind: DeviceWorkKind,
    name: NameId,
    device: u32,
    context: u32,
    stream: u32,
    correlation: u32,
    graph: u32,
    graph_node: u64,
    bytes: u64,
    detail: u32,
}

impl Writer {
    pub(super) fn new(recorder: Arc<Recorder>, names: Names, functions: Functions) -> Self {
        Writer {
            recorder,
            names: NameCache::new(names, functions),
            details: Details::default(),
            tally: Tally::default(),
        }
    }

    pub(super) fn count(&mut self, kind: &LossKind, count: u64) {
        self.tally.add(kind, count);
    }

    /// Records the losses counted so far.
    pub(super) fn write_losses(&mut self) {
        self.tally.write(&self.recorder);
    }

    /// Records one activity.
    ///
    /// # Safety
    /// The addresses of names in it point to C strings, or are 0.
    pub(super) unsafe fn write(&mut self, activity: Result<Activity, Unread>) {
        let activity = match activity {
            Ok(activity) => activity,
            Err(_) => return self.count(&loss::CUPTI_UNKNOWN, 1),
        };
        match activity {
            // SAFETY: the caller's promise.
            Activity::Kernel(kernel) => unsafe { self.kernel(&kernel) },
            Activity::Memcpy(copy) => {
                let work = Work {
                    kind: DeviceWorkKind::Memcpy,
                    name: self.names.text(memcpy_name(u32::from(copy.copy_kind))),
                    device: copy.device,
                    context: copy.context,
                    stream: copy.stream,
                    correlation: copy.correlation,
                    graph: copy.graph,
                    graph_node: copy.graph_node,
                    bytes: copy.bytes,
                    detail: self.details.copy(&self.recorder, &copy),
                };
                self.work(work, copy.start, copy.end);
            }
            Activity::PeerCopy(copy) => {
                let work = Work {
                    kind: DeviceWorkKind::Memcpy,
                    name: self.names.text(memcpy_name(u32::from(copy.copy_kind))),
                    device: copy.device,
                    context: copy.context,
                    stream: copy.stream,
                    correlation: copy.correlation,
                    graph: copy.graph,
                    graph_node: copy.graph_node,
                    bytes: copy.bytes,
                    detail: self.details.peer_copy(&self.recorder, &copy),
                };
                self.work(work, copy.start, copy.end);
            }
            Activity::Memset(fill) => {
                let work = Work {
                    kind: DeviceWorkKind::Memset,
                    name: self.names.text("[CUDA memset]"),
                    device: fill.device,
                    context: fill.context,
                    stream: fill.stream,
                    correlation: fill.correlation,
                    graph: fill.graph,
                    graph_node: fill.graph_node,
                    bytes: fill.bytes,
                    detail: self.details.fill(&self.recorder, &fill),
                };
                self.work(work, fill.start, fill.end);
            }
            Activity::Api(kind, api) => self.call(kind, &api),
            Activity::ExternalCorrelation(id) => self.external(&id),
            Activity::Synchronization(wait) => match times(wait.start, wait.end) {
                Some((start, end)) => self.recorder.write(&Synchronization {
                    kind: wait.synchronization_type,
                    context: wait.context,
                    stream: wait.stream,
                    event: wait.event,
                    correlation: wait.correlation,
                    start,
                    end,
                }),
                None => self.count(&loss::CUPTI_CALLS_UNTIMED, 1),
            },
            Activity::MemoryOperation(memory) => match times(memory.at, memory.at) {
                Some((at, _)) => self.recorder.write(&DeviceMemory {
                    operation: memory.operation,
                    memory_kind: memory.memory_kind,
                    device: memory.device,
                    context: memory.context,
                    correlation: memory.correlation,
                    address: memory.address,
                    bytes: memory.bytes,
                    at,
                }),
                None => self.count(&loss::CUPTI_CALLS_UNTIMED, 1),
            },
            Activity::UnifiedMemory(pages) => {
                // Some kinds have no end.
                let end = pages.end.max(pages.start);
                match times(pages.start, end) {
                    Some((start, end)) => self.recorder.write(&PageEvent {
                        counter: pages.counter,
                        value: pages.value,
                        address: pages.address,
                        source: pages.source,
                        destination: pages.destination,
                        flags: pages.flags,
                        start,
                        end,
                    }),
                    None => self.count(&loss::CUPTI_PAGES_UNTIMED, 1),
                }
            }
            Activity::Overhead(overhead) => self.overhead(&overhead),
            Activity::GraphTrace(_) => self.count(&loss::CUPTI_GRAPHS, 1),
        }
    }

    /// # Safety
    /// The address of its name points to a C string, or is 0.
    unsafe fn kernel(&mut self, kernel: &Kernel) {
        let name = std::ptr::with_exposed_provenance(kernel.name as usize);
        let name: &[u8] = if kernel.name == 0 {
            &[]
        } else {
            // SAFETY: the caller's promise.
            unsafe { CStr::from_ptr(name) }.to_bytes()
        };
        let work = Work {
            kind: DeviceWorkKind::Kernel,
            name: self.names.kernel(name),
            device: kernel.device,
            context: kernel.context,
            stream: kernel.stream,
            correlation: kernel.correlation,
            graph: kernel.graph,
            graph_node: kernel.graph_node,
            bytes: 0,
            detail: self.details.kernel(&self.recorder, kernel),
        };
        self.work(work, kernel.start, kernel.end);
    }

    fn work(&mut self, work: Work, start: u64, end: u64) {
        let Some((start, end)) = times(start, end) else {
            return self.count(&loss::CUPTI_UNTIMED, 1);
        };
        self.recorder.write(&DeviceWork {
            kind: work.kind,
            name: work.name,
            device: work.device,
            context: work.context,
            stream: work.stream,
            correlation: work.correlation,
            graph: work.graph,
            graph_node: work.graph_node,
            start,
            end,
            bytes: work.bytes,
            // Determined by another record, which may come later.
            launch: None,
            detail: work.detail,
        });
    }

    fn call(&mut self, kind: ApiKind, api: &Api) {
        let Some(name) = self.names.call(kind, api.function) else {
            return self.count(&loss::CUPTI_CALLS_LEFT_OUT, 1);
        };
        match times(api.start, api.end) {
            Some((start, end)) => self.recorder.write(&ApiCall {
                name,
                thread: api.thread,
                correlation: api.correlation,
                start,
                end,
                result: api.result,
            }),
            None => self.count(&loss::CUPTI_CALLS_UNTIMED, 1),
        }
    }

    fn external(&mut self, id: &ExternalCorrelation) {
        let is_ours = id.external_kind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
        match Uid::from_raw(id.id).filter(|_| is_ours) {
            Some(uid) => self.recorder.write(&ExternalId {
                correlation: id.correlation,
                launch: LaunchUid(uid),
            }),
            None => self.count(&loss::CUPTI_FOREIGN_IDS, 1),
        }
    }

    fn overhead(&mut self, spent: &Overhead) {
        let Some((start, end)) = times(spent.start, spent.end) else {
            return self.count(&loss::CUPTI_OVERHEADS_UNTIMED, 1);
        };
        let is_thread = spent.object_kind == overhead::OBJECT_THREAD;
        // A stream has a context and a device, a context a device.
        let known = |least: u32, number: u32| match spent.object_kind {
            overhead::OBJECT_DEVICE | overhead::OBJECT_CONTEXT | overhead::OBJECT_STREAM
                if spent.object_kind >= least =>
            {
                number
            }
            _ => NO_DEVICE,
        };
        self.recorder.write(&record::Overhead {
            kind: spent.overhead_kind,
            thread: if is_thread {
                spent.thread_or_context
            } else {
                0
            },
            device: known(overhead::OBJECT_DEVICE, spent.process_or_device),
            context: known(overhead::OBJECT_CONTEXT, spent.thread_or_context),
            stream: known(overhead::OBJECT_STREAM, spent.stream),
            correlation: spent.correlation.unwrap_or(0),
            start,
            end,
        });
    }
}

/// Returns both instants; `None` if CUPTI did not take them, or they are impossible.
fn times(start: u64, end: u64) -> Option<(Timestamp, Timestamp)> {
    if start == 0 || end < start {
        return None;
    }
    let at = |nanos| {
        i64::try_from(nanos)
            .ok()
            .map(Timestamp::from_nanos_since_boot)
    };
    at(start).zip(at(end))
}
