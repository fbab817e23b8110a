//! Details common to many pieces of work, recorded once.

use rustc_hash::FxHashMap;
use weft_trace::cupti::{Kernel, Memcpy, Memset, PeerCopy};
use weft_trace::record::{CopyRoute, FillValue, KernelShape, NO_DEVICE};

use crate::observe::Recorder;

/// Maximum number of details that are remembered; then they are recorded again, under new ids.
const MAX_KEPT: usize = 1 << 16;

/// Details by their values; their ids begin at 1.
#[derive(Default)]
pub(super) struct Details {
    ids: FxHashMap<[u64; 7], u32>,
    last: u32,
}

impl Details {
    pub(super) fn kernel(&mut self, recorder: &Recorder, kernel: &Kernel) -> u32 {
        let shape = |id| KernelShape {
            id,
            grid_x: kernel.grid_x,
            grid_y: kernel.grid_y,
            grid_z: kernel.grid_z,
            block_x: kernel.block_x,
            block_y: kernel.block_y,
            block_z: kernel.block_z,
            registers: u32::from(kernel.registers),
            static_shared: kernel.static_shared,
            dynamic_shared: kernel.dynamic_shared,
            shared_executed: kernel.shared_executed,
            local_per_thread: kernel.local_per_thread,
            local_total: kernel.local_total,
            launch_type: u32::from(kernel.launch_type),
        };
        let key = [
            pair(kernel.grid_x, kernel.grid_y),
            pair(kernel.grid_z, kernel.block_x),
            pair(kernel.block_y, kernel.block_z),
            pair(kernel.static_shared, kernel.dynamic_shared),
            pair(kernel.shared_executed, kernel.local_per_thread),
            kernel.local_total,
            // The lowest bits distinguish kernels, copies and fills.
            pair(
                u32::from(kernel.registers),
                u32::from(kernel.launch_type) << 2 | 1,
            ),
        ];
        self.id(key, |id| recorder.write(&shape(id)))
    }

    pub(super) fn copy(&mut self, recorder: &Recorder, copy: &Memcpy) -> u32 {
        self.route(
            recorder,
            CopyRoute {
                id: 0,
                copy_kind: u32::from(copy.copy_kind),
                source_kind: u32::from(copy.source_kind),
                destination_kind: u32::from(copy.destination_kind),
                source_device: NO_DEVICE,
                source_context: NO_DEVICE,
                destination_device: NO_DEVICE,
                destination_context: NO_DEVICE,
            },
        )
    }

    pub(super) fn peer_copy(&mut self, recorder: &Recorder, copy: &PeerCopy) -> u32 {
        self.route(
            recorder,
            CopyRoute {
                id: 0,
                copy_kind: u32::from(copy.copy_kind),
                source_kind: u32::from(copy.source_kind),
                destination_kind: u32::from(copy.destination_kind),
                source_device: copy.source_device,
                source_context: copy.source_context,
                destination_device: copy.destination_device,
                destination_context: copy.destination_context,
            },
        )
    }

    fn route(&mut self, recorder: &Recorder, route: CopyRoute) -> u32 {
        let key = [
            pair(route.copy_kind, route.source_kind),
            u64::from(route.destination_kind),
            pair(route.source_device, route.source_context),
            pair(route.destination_device, route.destination_context),
            0,
            0,
            2,
        ];
        self.id(key, |id| recorder.write(&CopyRoute { id, ..route }))
    }

    pub(super) fn fill(&mut self, recorder: &Recorder, fill: &Memset) -> u32 {
        let memory_kind = u32::from(fill.memory_kind);
        let key = [pair(fill.value, memory_kind), 0, 0, 0, 0, 0, 3];
        self.id(key, |id| {
            recorder.write(&FillValue {
                id,
                value: fill.value,
                memory_kind,
            });
        })
    }

    fn id(&mut self, key: [u64; 7], write: impl FnOnce(u32)) -> u32 {
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        if self.ids.len() == MAX_KEPT {
            self.ids.clear();
        }
        self.last = self.last.wrapping_add(1).max(1);
        write(self.last);
        self.ids.insert(key, self.last);
        self.last
    }
}

fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
