//! The entry points by which a client starts the tool.

#![allow(unsafe_code, reason = "the C entry point and the client's tables")]

use std::env;
use std::ffi::{c_int, c_uint, c_void};
use std::fs::OpenOptions;
use std::ptr::null_mut;

use crate::abi::*;
use crate::call::{CORE, CORE2};
use crate::event::Event;
use crate::state;

/// Attaches to the client: returns 1 on success, 0 if there is no output or the client's tables are
/// unusable.
#[unsafe(no_mangle)]
unsafe extern "C" fn InitializeInjectionNvtx2(get_export_table: Option<GetExportTable>) -> c_int {
    let Some(get_export_table) = get_export_table else {
        return 0;
    };
    // SAFETY: the client gives the function the headers describe.
    match unsafe { attach(get_export_table) } {
        Ok(()) => 1,
        Err(what) => {
            eprintln!("nvtx-recorder: {what}");
            0
        }
    }
}

unsafe fn attach(get_export_table: GetExportTable) -> Result<(), String> {
    let path = env::var_os("NVTX_RECORDER_OUT").ok_or("NVTX_RECORDER_OUT names no file")?;
    let output = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .map_err(|error| format!("cannot open {path:?}: {error}"))?;

    // SAFETY: the client returns null or a table of this type, which lives as long as the process.
    let version = unsafe {
        get_export_table(ETID_VERSIONINFO)
            .cast::<ExportTableVersionInfo>()
            .as_ref()
    }
    .ok_or("the client has no version table")?;
    if version.struct_size < size_of::<ExportTableVersionInfo>() || version.reserved0 != 0 {
        return Err(format!(
            "the client's version table has {} bytes",
            version.struct_size
        ));
    }
    // SAFETY: as above.
    let callbacks = unsafe {
        get_export_table(ETID_CALLBACKS)
            .cast::<ExportTableCallbacks>()
            .as_ref()
    }
    .ok_or("the client has no callbacks table")?;
    if callbacks.struct_size < size_of::<ExportTableCallbacks>() {
        return Err(format!(
            "the client's callbacks table has {} bytes",
            callbacks.struct_size
        ));
    }

    if let Some(set_version) = version.set_injection_nvtx_version {
        // SAFETY: the client's function, called as the headers ask.
        unsafe { set_version(u32::from(VERSION)) };
    }
    state::begin(output);
    // SAFETY: the client's table.
    unsafe {
        fill(callbacks, MODULE_CORE, &CORE)?;
        fill(callbacks, MODULE_CORE2, &CORE2)?;
    }
    state::with(|state| {
        state.write(Event::Attached {
            version: version.version,
        })
    });
    Ok(())
}

/// A call recorded by this tool: its slot, its C name, its function.
pub(crate) struct Call {
    pub(crate) slot: usize,
    pub(crate) name: &'static str,
    pub(crate) function: *const c_void,
}

// SAFETY: the pointer is that of a function.
unsafe impl Sync for Call {}

unsafe fn fill(
    callbacks: &ExportTableCallbacks,
    module: c_uint,
    calls: &[Call],
) -> Result<(), String> {
    let get = callbacks
        .get_module_function_table
        .ok_or("the client gives no function tables")?;
    let mut table: FunctionTable = null_mut();
    let mut size: c_uint = 0;
    // SAFETY: both places exist; the client returns 1 for a module that it supports.
    if unsafe { get(module, &mut table, &mut size) } != 1 || table.is_null() {
        return Err(format!("the client has no table for module {module}"));
    }
    let left_out = env::var("NVTX_RECORDER_LEAVE_OUT").unwrap_or_default();
    for call in calls {
        if left_out.split(',').any(|name| name == call.name) {
            continue;
        }
        if call.slot >= size as usize {
            return Err(format!(
                "module {module} has {size} slots, too few for {}",
                call.name
            ));
        }
        // SAFETY: the slot is below the table's size.
        let slot = unsafe { *table.add(call.slot) };
        if slot.is_null() {
            return Err(format!("module {module} has no slot for {}", call.name));
        }
        // SAFETY: a slot that is not null is a place for one function pointer.
        unsafe { slot.write(call.function) };
    }
    Ok(())
}
