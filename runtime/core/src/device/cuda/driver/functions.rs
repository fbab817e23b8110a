//! Kernels loaded on each GPU.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::super::api::{FunctionId, Preparation, Ready};
use super::super::code::Kernel;
use super::super::image::Image;
use super::pool::{CompilePool, Job};
use super::safe::{Context, Function};
use super::table::Table;
use crate::error::DriverError;
use weft_trace::record::CodeOrigin;
use weft_trace::time::{self, Timestamp};

/// Compiles kernels and loads them onto GPUs.
pub(super) struct Maker {
    /// Compiles a kernel for a compute capability.
    pub(super) compile: super::Compile,
    /// The kernels of all GPUs.
    pub(super) table: Table<Function>,
    pub(super) pool: CompilePool,
}

/// The kernels of one GPU.
#[derive(Default)]
pub(super) struct Functions {
    known: RwLock<FxHashMap<Kernel, LoadedKernel>>,
    /// Kernels that are being prepared, and failures that were not reported yet.
    pending: Mutex<FxHashMap<Kernel, Pending>>,
    /// Notified when a kernel has left [`pending`](Self::pending), or has failed.
    changed: Condvar,
}

/// A kernel that is loaded.
struct LoadedKernel {
    function: FunctionId,
    /// Whether no launch has used it yet.
    is_new: AtomicBool,
    made: KernelPreparation,
}

/// The preparation of a kernel.
struct KernelPreparation {
    image: Arc<Image>,
    origin: CodeOrigin,
    /// Start of the preparation.
    start: Timestamp,
    /// Time when the code was available.
    compiled: Timestamp,
    /// Time when the code was loaded.
    loaded: Timestamp,
}

enum Pending {
    /// A thread prepares it, or will.
    Making,
    /// The reason for a failure, for the next caller.
    Failed(DriverError),
}

/// Ends the preparation of a kernel when it is dropped, also if that panics or never starts.
struct Making {
    functions: Arc<Functions>,
    kernel: Kernel,
    failure: Option<DriverError>,
}

impl Making {
    fn run(&mut self, maker: &Maker, context: &Arc<Context>, capability: (u32, u32)) {
        let made = self
            .functions
            .make(maker, context, capability, &self.kernel);
        self.failure = made.err();
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        let mut pending = self.functions.pending();
        match self.failure.take() {
            Some(failure) => pending.insert(self.kernel.clone(), Pending::Failed(failure)),
            None => pending.remove(&self.kernel),
        };
        drop(pending);
        self.functions.changed.notify_all();
    }
}

impl Functions {
    /// Returns the number of a kernel, and prepares the kernel if it is not loaded.
    #[inline]
    pub(super) fn find(
        self: &Arc<Self>,
        maker: &Arc<Maker>,
        on: (&Arc<Context>, (u32, u32)),
        kernel: &Kernel,
    ) -> Result<Ready, DriverError> {
        match self.find_loaded(kernel, None) {
            Some(known) => Ok(known),
            None => self.wait_for(maker, on, kernel),
        }
    }

    #[cold]
    fn wait_for(
        self: &Arc<Self>,
        maker: &Arc<Maker>,
        on: (&Arc<Context>, (u32, u32)),
        kernel: &Kernel,
    ) -> Result<Ready, DriverError> {
        let asked = time::now();
        self.begin(maker, on, kernel, true);
        let mut pending = self.pending();
        loop {
            match pending.get(kernel) {
                Some(Pending::Making) => {
                    pending = self
                        .changed
                        .wait(pending)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Some(Pending::Failed(failure)) => {
                    let failure = failure.clone();
                    pending.remove(kernel);
                    return Err(failure);
                }
                None => break,
            }
        }
        drop(pending);
        let known = self.find_loaded(kernel, Some(asked));
        known.ok_or_else(|| super::unknown("kernel"))
    }

    /// Starts to prepare a kernel, unless it is loaded or being prepared. If the caller waits for
    /// it, it comes before all others that have not started.
    pub(super) fn begin(
        self: &Arc<Self>,
        maker: &Arc<Maker>,
        (context, capability): (&Arc<Context>, (u32, u32)),
        kernel: &Kernel,
        is_awaited: bool,
    ) {
        let mut pending = self.pending();
        if pending.contains_key(kernel) || self.has(kernel) {
            return;
        }
        pending.insert(kernel.clone(), Pending::Making);
        drop(pending);
        let mut making = Making {
            functions: self.clone(),
            kernel: kernel.clone(),
            failure: None,
        };
        let (maker_of_job, context) = (maker.clone(), context.clone());
        let job: Job = Box::new(move || making.run(&maker_of_job, &context, capability));
        maker.pool.run(job, is_awaited);
    }

    /// Compiles and loads a kernel.
    fn make(
        &self,
        maker: &Maker,
        context: &Arc<Context>,
        capability: (u32, u32),
        kernel: &Kernel,
    ) -> Result<(), DriverError> {
        let start = time::now();
        let Code { image, origin } = (maker.compile)(kernel, capability)?;
        let compiled = time::now();
        let function = Function::new(context, &image.bytes, &image.name)?;
        let number = maker.table.push(function);
        let number = number.map_err(|_| super::too_many("kernels"))?;
        let known = LoadedKernel {
            function: FunctionId(u32::try_from(number).map_err(|_| super::too_many("kernels"))?),
            is_new: AtomicBool::new(true),
            made: KernelPreparation {
                image,
                origin,
                start,
                compiled,
                loaded: time::now(),
            },
        };
        let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(kernel.clone(), known);
        Ok(())
    }

    fn has(&self, kernel: &Kernel) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.contains_key(kernel)
    }

    fn pending(&self) -> MutexGuard<'_, FxHashMap<Kernel, Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a kernel that is loaded. The lock is held briefly, and by writers only if a kernel
    /// is new. `asked` is the time when the caller began to wait.
    #[inline]
    fn find_loaded(&self, kernel: &Kernel, asked: Option<Timestamp>) -> Option<Ready> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(kernel).map(|known| Ready {
            function: known.function,
            preparation: known
                .is_new
                .load(Ordering::Relaxed)
                .then(|| known.first_use(asked))
                .flatten(),
        })
    }
}

impl LoadedKernel {
    /// Returns the preparation of the kernel to its first caller, who began to wait at `asked`.
    #[cold]
    fn first_use(&self, asked: Option<Timestamp>) -> Option<Box<Preparation>> {
        if !self.is_new.swap(false, Ordering::Relaxed) {
            return None;
        }
        let KernelPreparation {
            image,
            origin,
            start,
            compiled,
            loaded,
        } = &self.made;
        Some(Box::new(Preparation {
            image: image.clone(),
            origin: *origin,
            start: *start,
            made: *compiled,
            end: *loaded,
            waited_from: asked.filter(|asked| asked < loaded),
        }))
    }
}

/// The code of a kernel, and its origin.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) image: Arc<Image>,
    pub(crate) origin: CodeOrigin,
}
