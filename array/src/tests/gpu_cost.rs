//! What the runtime's own part of a task on a GPU costs: on a driver whose calls return at once.

#![allow(unsafe_code, reason = "hands out addresses that nobody reads")]

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ndarray::s;

use super::api::{Driver, EventId, FunctionId, GpuId, GpuInfo, GraphId, StreamId};
use super::code::Kernel;
use super::error::DriverError;
use super::work::{Address, Issued, Launch, Work};
use crate::Runtime;
use crate::memory::tests::plan;

/// A driver that does nothing.
struct Nothing {
    info: [GpuInfo; 1],
    next: AtomicU64,
}

impl Driver for Nothing {
    fn gpus(&self) -> &[GpuInfo] {
        &self.info
    }
    fn enter_thread(&self) -> Result<(), DriverError> {
        Ok(())
    }
    fn settle(&self, _: GpuId) -> Result<(), DriverError> {
        Ok(())
    }
    fn allocate(&self, _: GpuId, bytes: usize) -> Result<Address, DriverError> {
        Ok(self.next.fetch_add(bytes as u64, Ordering::Relaxed))
    }
    unsafe fn free(&self, _: GpuId, _: Address) {}
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DriverError> {
        let block = vec![0u64; bytes.div_ceil(8)].leak();
        Ok(NonNull::from(block).cast())
    }
    unsafe fn free_pinned(&self, _: NonNull<u8>) {}
    fn stream(&self, _: GpuId) -> Result<StreamId, DriverError> {
        Ok(StreamId(0))
    }
    fn event(&self, _: GpuId) -> Result<EventId, DriverError> {
        Ok(EventId(0))
    }
    fn record(&self, _: EventId, _: StreamId) -> Result<(), DriverError> {
        Ok(())
    }
    fn wait(&self, _: StreamId, _: EventId) -> Result<(), DriverError> {
        Ok(())
    }
    fn has_reached(&self, _: EventId) -> Result<bool, DriverError> {
        Ok(true)
    }
    fn synchronize(&self, _: EventId) -> Result<(), DriverError> {
        Ok(())
    }
    fn function(&self, _: GpuId, _: &Kernel) -> Result<FunctionId, DriverError> {
        Ok(FunctionId(0))
    }
    unsafe fn issue(&self, _: StreamId, _: &Work) -> Result<(), DriverError> {
        Ok(())
    }
    fn graph(&self, _: GpuId, _: &[Launch]) -> Result<GraphId, DriverError> {
        Ok(GraphId(0))
    }
    fn nodes(&self, _: GraphId) -> Vec<u64> {
        Vec::new()
    }
    fn update(&self, _: GraphId, _: usize, _: &Launch) -> Result<(), DriverError> {
        Ok(())
    }
    unsafe fn replay(&self, _: GraphId, _: StreamId) -> Result<(), DriverError> {
        Ok(())
    }
    fn forget(&self, _: GraphId) {}
    fn issued(&self) -> Issued {
        Issued::default()
    }
}

/// Nanoseconds a task of each kind of operation, the least of five rounds.
fn measure(words: &str) {
    const TASKS: usize = 50_000;
    let info = GpuInfo {
        name: "none".to_owned(),
        memory: 1 << 40,
        free: 1 << 40,
        capability: (9, 0),
        multiprocessors: 132,
        bandwidth: None,
    };
    let driver = Nothing {
        info: [info],
        next: AtomicU64::new(1 << 40),
    };
    let plan = plan(&format!("--gpus 0 {words}"));
    let runtime = Runtime::with_driver(plan, Some(Arc::new(driver))).unwrap();
    runtime.enter(|| {
        let x = crate::ones::<f64>(&[100]);
        let m = crate::ones::<f64>(&[10, 10]);
        let least = |name: &str, body: &dyn Fn()| {
            let rounds = (0..5).map(|_| {
                let start = Instant::now();
                (0..TASKS).for_each(|_| body());
                runtime.wait().unwrap();
                start.elapsed().as_nanos() as usize / TASKS
            });
            println!("{words} {name}: {} ns", rounds.min().unwrap_or(0));
        };
        least("elementwise, joined", &|| drop(&x + 1.0));
        least("along an axis", &|| drop(m.sum_axis(0)));
        least("a chain of copies", &|| {
            x.slice(s![1..]).assign(x.slice(s![..-1]));
        });
    });
    runtime.finish().unwrap();
}

#[test]
#[ignore = "measures; run it alone, in release"]
fn cost_of_tasks() {
    let folder = std::env::temp_dir();
    for words in [
        String::new(),
        "--cuda-graphs".to_owned(),
        format!(
            "--profile --profile-name weft-cost --logdir {}",
            folder.display()
        ),
    ] {
        measure(&words);
    }
    drop(std::fs::remove_file(folder.join("weft-cost_0.prof")));
}
