//! The function tables that a tool fills, and its access to them.
//!
//! A table is an array of pointers to slots; a slot holds a function pointer or null. The slots
//! stay shared with the tool after it is loaded. A tool may fill or clear them later, so every call
//! reads its slot again.

#![allow(unsafe_code, reason = "writes through the pointers a tool passes in")]

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{from_ref, null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::super::sys;

/// One function pointer, null while no tool implements the call.
pub(super) type Slot = AtomicPtr<c_void>;

/// The slots of one module and the table that points at them: slot 0 is unused and its entry null.
///
/// `ENTRIES` is one more than `SLOTS`: the headers end a table with a null, at which a tool that
/// reads too far stops.
struct Module<const SLOTS: usize, const ENTRIES: usize> {
    slots: &'static [Slot; SLOTS],
    table: [AtomicPtr<Slot>; ENTRIES],
}

impl<const SLOTS: usize, const ENTRIES: usize> Module<SLOTS, ENTRIES> {
    const fn over(slots: &'static [Slot; SLOTS]) -> Self {
        assert!(ENTRIES == SLOTS + 1, "a table ends with one null");
        let mut table = [const { AtomicPtr::new(null_mut()) }; ENTRIES];
        let mut index = 1;
        while index < SLOTS {
            table[index] = AtomicPtr::new(from_ref(&slots[index]).cast_mut());
            index += 1;
        }
        Self { slots, table }
    }

    /// Returns the table and the number of its entries, without the last null.
    fn parts(&'static self) -> (sys::NvtxFunctionTable, c_uint) {
        (self.table.as_ptr().cast_mut().cast(), SLOTS as c_uint)
    }

    fn clear(&self) {
        for slot in self.slots {
            slot.store(null_mut(), Ordering::Release);
        }
    }
}

macro_rules! modules {
    ($($slots:ident, $module:ident: $id:ident, $size:ident;)*) => {
        $(
            pub(super) static $slots: [Slot; sys::$size] =
                [const { AtomicPtr::new(null_mut()) }; sys::$size];
            static $module: Module<{ sys::$size }, { sys::$size + 1 }> = Module::over(&$slots);
        )*

        fn module_parts(module: c_uint) -> Option<(sys::NvtxFunctionTable, c_uint)> {
            match module {
                $(sys::$id => Some($module.parts()),)*
                _ => None,
            }
        }

        /// Clears all functions that a tool has filled in.
        pub(super) fn clear() {
            $($module.clear();)*
        }
    };
}

// All modules are served, as the headers do: a tool may insist on filling those that this client
// never calls.
modules! {
    CORE, CORE_MODULE: NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_SIZE;
    CUDA, CUDA_MODULE: NVTX_CB_MODULE_CUDA, NVTX_CBID_CUDA_SIZE;
    OPENCL, OPENCL_MODULE: NVTX_CB_MODULE_OPENCL, NVTX_CBID_OPENCL_SIZE;
    CUDART, CUDART_MODULE: NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_SIZE;
    CORE2, CORE2_MODULE: NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_SIZE;
    SYNC, SYNC_MODULE: NVTX_CB_MODULE_SYNC, NVTX_CBID_SYNC_SIZE;
}

static CALLBACKS: sys::NvtxExportTableCallbacks = sys::NvtxExportTableCallbacks {
    struct_size: size_of::<sys::NvtxExportTableCallbacks>(),
    GetModuleFunctionTable: get_module_function_table,
};

static VERSION_INFO: sys::NvtxExportTableVersionInfo = sys::NvtxExportTableVersionInfo {
    struct_size: size_of::<sys::NvtxExportTableVersionInfo>(),
    version: sys::NVTX_VERSION,
    reserved0: 0,
    SetInjectionNvtxVersion: set_injection_nvtx_version,
};

/// Called by a tool to find [`CALLBACKS`] and [`VERSION_INFO`].
pub(super) unsafe extern "C" fn get_export_table(id: u32) -> *const c_void {
    match id {
        sys::NVTX_ETID_CALLBACKS => from_ref(&CALLBACKS).cast(),
        sys::NVTX_ETID_VERSIONINFO => from_ref(&VERSION_INFO).cast(),
        _ => null(),
    }
}

unsafe extern "C" fn get_module_function_table(
    module: c_uint,
    out_table: *mut sys::NvtxFunctionTable,
    out_size: *mut c_uint,
) -> c_int {
    let Some((table, size)) = module_parts(module) else {
        return 0;
    };
    if !out_table.is_null() {
        // SAFETY: a tool passes null or a place for one table pointer, as the headers' contract
        // says.
        unsafe { out_table.write(table) };
    }
    if !out_size.is_null() {
        // SAFETY: as above, for the size.
        unsafe { out_size.write(size) };
    }
    1
}

/// The headers ignore a tool's version too.
unsafe extern "C" fn set_injection_nvtx_version(_version: u32) {}
