//! Kernels as each GPU has them loaded.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::super::api::FunctionId;
use super::super::code::Kernel;
use super::super::error::DriverError;
use super::safe::{Context, Function};
use super::table::Table;

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
        compile: impl FnOnce() -> Result<Arc<Image>, DriverError>,
    ) -> Result<FunctionId, DriverError> {
        if let Some(known) = self.known(kernel) {
            return Ok(known);
        }
        let _loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.known(kernel) {
            return Ok(known);
        }
        let image = compile()?;
        let function = Function::new(context, &image.bytes, &image.name)?;
        let number = table
            .push(function)
            .map_err(|_| super::too_many("kernels"))?;
        let id = FunctionId(u32::try_from(number).map_err(|_| super::too_many("kernels"))?);
        let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(kernel.clone(), id);
        Ok(id)
    }

    /// Held shortly, and by writers only where a kernel is new.
    #[inline]
    fn known(&self, kernel: &Kernel) -> Option<FunctionId> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(kernel).copied()
    }
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    /// Name of its entry.
    pub(crate) name: String,
    /// A cubin, or PTX that a zero ends.
    pub(crate) bytes: Vec<u8>,
}
