//! Kernels as each GPU has them loaded.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::super::api::{FunctionId, Preparation, Ready};
use super::super::code::Kernel;
use super::super::error::DriverError;
use super::safe::{Context, Function};
use super::table::Table;
use weft_trace::record::CodeOrigin;
use weft_trace::time;

/// The kernels of one GPU.
#[derive(Debug)]
pub(super) struct Functions {
    known: RwLock<FxHashMap<Kernel, FunctionId>>,
    /// Held by who compiles and loads: the same kernel is never compiled twice.
    loading: Mutex<()>,
}

impl Functions {
    pub(super) fn new() -> Self {
        Functions {
            known: RwLock::default(),
            loading: Mutex::new(()),
        }
    }

    /// The number of a kernel in `table`; where it is not known, it is made and loaded.
    pub(super) fn find(
        &self,
        table: &Table<Function>,
        context: &Arc<Context>,
        kernel: &Kernel,
        compile: impl FnOnce() -> Result<Code, DriverError>,
    ) -> Result<Ready, DriverError> {
        if let Some(known) = self.known(kernel) {
            return Ok(known);
        }
        let start = time::now();
        let _loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.known(kernel) {
            return Ok(known);
        }
        let Code { image, origin } = compile()?;
        let made = time::now();
        let function = Function::new(context, &image.bytes, &image.name)?;
        let number = table
            .push(function)
            .map_err(|_| super::too_many("kernels"))?;
        let id = FunctionId(u32::try_from(number).map_err(|_| super::too_many("kernels"))?);
        let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(kernel.clone(), id);
        Ok(Ready {
            function: id,
            preparation: Some(Box::new(Preparation {
                image,
                origin,
                start,
                made,
                end: time::now(),
            })),
        })
    }

    /// Held shortly, and by writers only where a kernel is new.
    #[inline]
    fn known(&self, kernel: &Kernel) -> Option<Ready> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(kernel).map(|function| Ready {
            function: *function,
            preparation: None,
        })
    }
}

/// The code of a kernel, and where it came from.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) image: Arc<Image>,
    pub(crate) origin: CodeOrigin,
}

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Image {
    /// Name of its entry.
    pub(crate) name: String,
    /// The first 8 bytes of the SHA-256 of its source, in big-endian order.
    pub(crate) source: u64,
    /// The architecture: `sm_90`, or `compute_90` for PTX that the driver compiles.
    pub(crate) target: String,
    /// A cubin, or PTX that a zero ends.
    pub(crate) bytes: Vec<u8>,
}
