//! The kinds of overhead (`CUpti_ActivityOverheadKind`) and the objects that it concerns
//! (`CUpti_ActivityObjectKind`).

/// The driver compiled a kernel.
pub const DRIVER_COMPILER: u32 = 1;
/// CUPTI delivered a buffer.
pub const CUPTI_BUFFER_FLUSH: u32 = 1 << 16;
/// CUPTI instrumented a call or a kernel.
pub const CUPTI_INSTRUMENTATION: u32 = 2 << 16;
/// CUPTI created or destroyed its own resources.
pub const CUPTI_RESOURCE: u32 = 3 << 16;
/// The CUDA runtime loaded a module.
pub const RUNTIME_TRIGGERED_MODULE_LOADING: u32 = 4 << 16;
/// A kernel was loaded at its first launch.
pub const LAZY_FUNCTION_LOADING: u32 = 5 << 16;
/// A launch waited for space in the command buffer.
pub const COMMAND_BUFFER_FULL: u32 = 6 << 16;
/// CUPTI asked for a buffer.
pub const ACTIVITY_BUFFER_REQUEST: u32 = 7 << 16;
/// CUPTI began to record unified memory.
pub const UVM_ACTIVITY_INIT: u32 = 8 << 16;

/// A thread; a process and the thread identify it.
pub const OBJECT_THREAD: u32 = 2;
/// A device.
pub const OBJECT_DEVICE: u32 = 3;
/// A context; a device and the context identify it.
pub const OBJECT_CONTEXT: u32 = 4;
/// A stream; a device, a context and the stream identify it.
pub const OBJECT_STREAM: u32 = 5;
