//! A logical array's data.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use weft_trace::id::{OperationUid, StoreUid};
use weft_trace::time::Timestamp;

use super::instance::{Instance, Memory};
use super::pool::{Holder, OutOfMemory};
use super::residence::Residence;
use crate::dtype::DType;
use crate::error::Failure;
use crate::shape::Shape;
use crate::task::Accesses;

/// A logical array's data: row-major, of one dtype.
///
/// It has no instance until the first task that writes it runs.
pub(crate) struct Store {
    pub(crate) uid: StoreUid,
    pub(crate) dtype: DType,
    pub(crate) shape: Shape,
    /// The call that made it.
    pub(crate) location: &'static Location<'static>,
    memory: Arc<Memory>,
    instance: OnceLock<Instance>,
    /// Held while an instance is made, so that the tiles of one operation make one.
    making: Mutex<()>,
    residence: Mutex<Residence>,
    accesses: Mutex<Accesses>,
    failure: OnceLock<Arc<Failure>>,
    recorded: AtomicBool,
}

impl Store {
    /// A store without data.
    pub(crate) fn new(
        uid: StoreUid,
        dtype: DType,
        shape: Shape,
        location: &'static Location<'static>,
        memory: Arc<Memory>,
    ) -> Store {
        Store {
            uid,
            dtype,
            shape,
            location,
            memory,
            instance: OnceLock::new(),
            making: Mutex::new(()),
            residence: Mutex::default(),
            accesses: Mutex::default(),
            failure: OnceLock::new(),
            recorded: AtomicBool::new(false),
        }
    }

    /// Bytes of all elements.
    pub(crate) fn bytes(&self) -> usize {
        self.shape.len() * self.dtype.size()
    }

    /// The data's address; `None` before the first write.
    pub(crate) fn data(&self) -> Option<*mut u8> {
        self.instance.get().map(Instance::start)
    }

    /// The data's address, with an instance made for `operation` at the time `at` where there is none.
    pub(crate) fn data_for(
        &self,
        operation: OperationUid,
        at: Timestamp,
    ) -> Result<*mut u8, OutOfMemory> {
        self.data_in(&self.memory, operation, at)
    }

    /// Like [`data_for`](Self::data_for), in another memory that the process can address.
    pub(crate) fn data_in(
        &self,
        memory: &Arc<Memory>,
        operation: OperationUid,
        at: Timestamp,
    ) -> Result<*mut u8, OutOfMemory> {
        if let Some(data) = self.data() {
            return Ok(data);
        }
        let _one = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(data) = self.data() {
            return Ok(data);
        }
        let instance = memory.instance(self.holder(), self.bytes(), operation, at)?;
        Ok(self.instance.get_or_init(|| instance).start())
    }

    /// This store as one that holds memory.
    pub(crate) fn holder(&self) -> Holder {
        Holder {
            store: self.uid,
            location: self.location,
            bytes: 0,
        }
    }

    /// The instance in main memory, if there is one.
    pub(crate) fn instance(&self) -> Option<&Instance> {
        self.instance.get()
    }

    /// Where the data is in a run with GPUs.
    pub(crate) fn residence(&self) -> MutexGuard<'_, Residence> {
        self.residence
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Who accessed what, for the analysis alone.
    pub(crate) fn accesses(&self) -> MutexGuard<'_, Accesses> {
        self.accesses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The failure of an operation that should have written here.
    pub(crate) fn failure(&self) -> Option<&Arc<Failure>> {
        self.failure.get()
    }

    /// Marks the content as never to come. The first failure stays.
    pub(crate) fn fail(&self, failure: &Arc<Failure>) {
        self.failure.get_or_init(|| failure.clone());
    }

    /// Whether this is the first call: the store's record is to be written.
    pub(crate) fn first_seen(&self) -> bool {
        !self.recorded.swap(true, Ordering::Relaxed)
    }
}
