//! Faults and moves of pages of unified memory, and the kernels that caused them.
//!
//! CUPTI and Nsight Systems name no kernel. An event of a GPU belongs to the kernel that ran on it
//! when the event began, if exactly one ran. This is a guess only if kernels of several streams
//! follow each other closely: a fault is served while its kernel waits for it.

use crate::kernel::words;
use crate::{KernelIndex, KernelKind, Recorder, Recording, SourceIndex};
use rustc_hash::FxHashMap;
use weft_trace::record::NO_DEVICE;
use weft_trace::time::Timestamp;

words! {
    /// The kind of an event of pages of unified memory.
    PageEventKind {
        /// Bytes moved from main memory to a GPU.
        HostToDevice = "host_to_device",
        /// Bytes moved from a GPU to main memory.
        DeviceToHost = "device_to_host",
        /// The host touched a page that is on a GPU.
        HostFault = "host_fault",
        /// A GPU touched pages that are not on it.
        GpuFault = "gpu_fault",
        /// Processors move a page to and fro.
        Thrashing = "thrashing",
        /// A processor has to wait so that a page stays in its memory.
        Throttling = "throttling",
        /// A GPU uses a page in another memory.
        RemoteMap = "remote_map",
        /// Bytes moved from one GPU to another.
        DeviceToDevice = "device_to_device",
        /// A kind that is unknown to this version.
        Other = "other",
    }
    /// The reason why an event of pages has no kernel.
    NoPageKernel {
        /// The host caused it.
        HostAccess = "host_access",
        /// The program or its runtime asked for the move.
        Prefetch = "prefetch",
        /// No kernel ran on the GPU.
        NoKernel = "no_kernel",
        /// Several kernels ran on the GPU.
        SeveralKernels = "several_kernels",
    }
}

/// A fault or a move of pages of unified memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageEvent {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The recorder: CUPTI in the process, or Nsight Systems.
    pub recorder: Recorder,
    /// The record, with times on the clock of this trace. Devices of a session have numbers that
    /// are unique in it, as those of kernels.
    pub record: weft_trace::record::PageEvent,
}

impl PageEventKind {
    /// Returns the kind with a number of `CUpti_ActivityUnifiedMemoryCounterKind`.
    pub fn of(counter: u32) -> PageEventKind {
        let at = usize::try_from(counter).unwrap_or(0).wrapping_sub(1);
        let known = Self::ALL.get(at).copied();
        known.unwrap_or(PageEventKind::Other)
    }
}

/// `CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_USER`.
const BY_USER: u32 = 1;

impl PageEvent {
    /// Returns its kind.
    pub fn kind(&self) -> PageEventKind {
        PageEventKind::of(self.record.counter)
    }

    /// Returns the GPU whose work it concerns: the one that faults or gets the pages, or else the
    /// one that loses them. `None` for a fault of the host.
    pub fn gpu(&self) -> Option<i64> {
        let record = &self.record;
        let number = match self.kind() {
            PageEventKind::HostFault => return None,
            PageEventKind::GpuFault | PageEventKind::Throttling => record.source,
            PageEventKind::DeviceToHost => record.source,
            _ => record.destination,
        };
        (number != NO_DEVICE).then_some(i64::from(number))
    }

    /// Returns the number of faults of a GPU.
    pub fn gpu_faults(&self) -> u64 {
        match self.kind() {
            PageEventKind::GpuFault => self.record.value,
            _ => 0,
        }
    }

    /// Returns the number of bytes moved.
    pub fn moved(&self) -> u64 {
        match self.kind() {
            PageEventKind::HostToDevice
            | PageEventKind::DeviceToHost
            | PageEventKind::DeviceToDevice => self.record.value,
            _ => 0,
        }
    }
}

/// The kernels of one GPU by their start.
#[derive(Default)]
struct Running {
    kernels: Vec<(Timestamp, Timestamp, KernelIndex)>,
    /// The latest end of the kernels up to each one.
    latest: Vec<Timestamp>,
}

impl Running {
    fn at(&self, time: Timestamp) -> Result<KernelIndex, NoPageKernel> {
        let end = self.kernels.partition_point(|(start, ..)| *start <= time);
        let mut found = None;
        for at in (0..end).rev() {
            if self.latest[at] < time {
                break;
            }
            let (_, end, kernel) = self.kernels[at];
            if end >= time && found.replace(kernel).is_some() {
                return Err(NoPageKernel::SeveralKernels);
            }
        }
        found.ok_or(NoPageKernel::NoKernel)
    }
}

/// Returns the kernel of each event of pages, or the reason why it has none.
pub fn page_kernels(recording: &Recording) -> Vec<Result<KernelIndex, NoPageKernel>> {
    let devices = &recording.devices;
    if devices.page_events.is_empty() {
        return Vec::new();
    }
    let mut gpus: FxHashMap<(SourceIndex, Recorder, i64), Running> = FxHashMap::default();
    for (row, kernel) in (0..).zip(devices.kernels.iter()) {
        let is_kernel = matches!(kernel.kind, KernelKind::Kernel | KernelKind::Graph);
        if let (true, Some(device)) = (is_kernel, kernel.device) {
            let running = gpus
                .entry((kernel.source, kernel.recorder, device))
                .or_default();
            let kernel = (kernel.start, kernel.end, KernelIndex(row));
            running.kernels.push(kernel);
        }
    }
    for running in gpus.values_mut() {
        running.kernels.sort_unstable();
        let ends = running.kernels.iter().map(|(_, end, _)| *end);
        let latest = ends.scan(None, |latest: &mut Option<Timestamp>, end| {
            *latest = (*latest).max(Some(end));
            *latest
        });
        running.latest = latest.collect();
    }
    let kernel_of = |event: &PageEvent| {
        let Some(gpu) = event.gpu() else {
            return Err(NoPageKernel::HostAccess);
        };
        if event.moved() > 0 && event.record.flags == BY_USER {
            return Err(NoPageKernel::Prefetch);
        }
        let running = gpus.get(&(event.source, event.recorder, gpu));
        let found = running.map_or(Err(NoPageKernel::NoKernel), |running| {
            running.at(event.record.start)
        });
        // The host's faults move pages off the GPU while it is idle.
        match (found, event.kind()) {
            (Err(NoPageKernel::NoKernel), PageEventKind::DeviceToHost) => {
                Err(NoPageKernel::HostAccess)
            }
            (found, _) => found,
        }
    };
    devices.page_events.iter().map(kernel_of).collect()
}
