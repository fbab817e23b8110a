//! A driver of this machine's GPUs, and memory with contents to check, for tests.

use std::mem::size_of;

use smallvec::smallvec;

use super::super::super::code::{self, Chain, DeviceOperand, DeviceTile, Step, Value};
use super::super::super::work::{Address, Launch, Work};
use super::super::*;
use super::means;
use crate::dtype::{DType, Element, Scalar};
use crate::shape::{Layout, Shape};
use crate::testing::functions::SUM;

/// The first GPU, with one stream and one event.
pub(super) struct Machine {
    pub(super) driver: CudaDriver,
    pub(super) gpu: GpuId,
    pub(super) stream: StreamId,
    pub(super) event: EventId,
}

impl Machine {
    pub(super) fn new() -> Self {
        Machine::with(1)
    }

    /// # Panics
    /// Panics if there are fewer than `gpus` GPUs.
    pub(super) fn with(gpus: usize) -> Self {
        let driver = CudaDriver::open(0, gpus, means()).unwrap();
        driver.enter_thread().unwrap();
        let gpu = GpuId(0);
        Machine {
            stream: driver.stream(gpu).unwrap(),
            event: driver.event(gpu).unwrap(),
            driver,
            gpu,
        }
    }

    /// Allocates host memory with these values.
    pub(super) fn pinned<T: Element>(&self, values: &[T]) -> Pinned<T> {
        let start = self.driver.allocate_pinned(size_of_val(values)).unwrap();
        let start = start.cast::<T>();
        // SAFETY: the allocation has this size, and no other user.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), start.as_ptr(), values.len()) };
        Pinned {
            start,
            count: values.len(),
        }
    }

    /// Puts work into the stream. Tests pass addresses of memory that lives until the driver is
    /// dropped.
    pub(super) fn issue(&self, work: &Work) {
        // SAFETY: see above.
        unsafe { self.driver.issue(self.stream, work, None) }.unwrap();
    }

    pub(super) fn copy(&self, from: Address, to: Address, bytes: usize) {
        self.issue(&Work::Copy { from, to, bytes });
    }

    /// Waits for all work in the stream.
    pub(super) fn wait(&self) {
        self.driver.record(self.event, self.stream).unwrap();
        self.driver.synchronize(self.event).unwrap();
        assert_eq!(self.driver.has_reached(self.event), Ok(true));
    }

    /// Allocates device memory with these values.
    pub(super) fn device<T: Element>(&self, values: &[T]) -> Address {
        let pinned = self.pinned(values);
        let bytes = size_of_val(values);
        let address = self.driver.allocate(self.gpu, bytes).unwrap();
        self.copy(pinned.address(), address, bytes);
        address
    }

    /// Returns the contents of device memory after all work in the stream has run.
    pub(super) fn read<T: Element>(&self, address: Address, count: usize) -> Vec<T> {
        let pinned = self.pinned(&vec![T::ZERO; count]);
        self.copy(address, pinned.address(), count * size_of::<T>());
        self.wait();
        pinned.values().to_vec()
    }
}

/// Values in pinned memory, which lives as long as the driver.
pub(super) struct Pinned<T> {
    start: NonNull<T>,
    count: usize,
}

impl<T> Pinned<T> {
    pub(super) fn address(&self) -> Address {
        self.start.as_ptr().expose_provenance() as Address
    }

    /// Returns the values. No work in a stream may be writing them.
    pub(super) fn values(&self) -> &[T] {
        // SAFETY: the values were written when the memory was allocated, and the driver of the test
        // is alive.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

/// Returns a launch of `x[i] = x[i] + value` for `count` elements of `f64`.
pub(super) fn add(x: Address, value: f64, count: usize) -> Launch {
    let tile = DeviceTile {
        start: x,
        dtype: DType::F64,
        layout: Layout::contiguous(Shape::new(&[count]).unwrap()),
    };
    let chain = Chain {
        shape: tile.layout.shape,
        inputs: smallvec![
            DeviceOperand::Tile(tile),
            DeviceOperand::Scalar(Scalar::F64(value))
        ],
        steps: smallvec![Step {
            kind: SUM,
            inputs: smallvec![Value::Input(0), Value::Input(1)],
        }],
        outputs: smallvec![(0, tile)],
    };
    match code::chain(&chain) {
        Some(Work::Kernel(launch)) => launch,
        other => panic!("{other:?}"),
    }
}
