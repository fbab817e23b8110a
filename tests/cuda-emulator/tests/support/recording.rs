//! A client of CUPTI.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::path::Path;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use libloading::{Library, Symbol};
use weft_trace::cupti::{Activity, Buffer, Lengths, kind};

/// `CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0`.
const CUSTOM0: u32 = 3;

/// The buffers received so far, without unused bytes.
static BUFFERS: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// Ids of clones by the original node's handle.
static CLONES: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());
static REFUSES: AtomicBool = AtomicBool::new(false);

const BUFFER: usize = 4096;

unsafe extern "C" fn requested(buffer: *mut *mut u8, bytes: *mut usize, most: *mut usize) {
    let words: Box<[u64]> = vec![0; BUFFER / 8].into_boxed_slice();
    let refuses = REFUSES.load(Ordering::Relaxed);
    // SAFETY: CUPTI passes valid pointers to write to.
    unsafe {
        *buffer = if refuses {
            ptr::null_mut()
        } else {
            Box::leak(words).as_mut_ptr().cast()
        };
        *bytes = if refuses { 0 } else { BUFFER };
        *most = 0;
    }
}

unsafe extern "C" fn completed(
    _context: *mut c_void,
    _stream: u32,
    buffer: *mut u8,
    bytes: usize,
    used: usize,
) {
    assert!(bytes == BUFFER && used <= BUFFER);
    // SAFETY: the buffer is one of `requested`, of which `used` bytes are written.
    let filled = unsafe { std::slice::from_raw_parts(buffer, used) };
    BUFFERS.lock().expect("no panic").extend(filled);
    // SAFETY: as above.
    drop(unsafe {
        Box::from_raw(ptr::slice_from_raw_parts_mut(
            buffer.cast::<u64>(),
            BUFFER / 8,
        ))
    });
}

#[repr(C)]
struct GraphData {
    graph: u64,
    original_graph: u64,
    node: u64,
    original: u64,
}

unsafe extern "C" fn called(data: *mut c_void, domain: u32, number: u32, what: *const c_void) {
    assert_eq!((domain, number, data as usize), (3, 20, 0x77));
    // SAFETY: the callback about clones of nodes has this data, and the third word of a resource
    // points to it.
    let graph = unsafe { what.cast::<*const GraphData>().add(2).read().read() };
    let mut id = 0;
    let done = cupti::<unsafe extern "C" fn(u64, *mut u64) -> u32>(b"cuptiGetGraphNodeId");
    // SAFETY: the place is our own.
    assert_eq!(unsafe { done(graph.node, &raw mut id) }, 0);
    assert!(graph.graph != graph.original_graph && graph.node != graph.original);
    CLONES.lock().expect("no panic").insert(graph.original, id);
}

/// A function of the emulated CUPTI.
fn cupti<F: Copy + 'static>(name: &[u8]) -> F {
    // SAFETY: the emulator starts nothing when it is loaded; it stays loaded.
    let library = unsafe { Library::new("libcupti.so.13") }.expect("the emulator");
    let library: &'static Library = Box::leak(Box::new(library));
    // SAFETY: callers give the function's type.
    let function: Symbol<'static, F> = unsafe { library.get(name) }.expect("a function");
    *function
}

fn call<A: 'static>(name: &[u8], a: A) -> u32 {
    let function = cupti::<unsafe extern "C" fn(A) -> u32>(name);
    // SAFETY: callers give the function's arguments.
    unsafe { function(a) }
}

fn call2<A: 'static, B: 'static>(name: &[u8], a: A, b: B) -> u32 {
    let function = cupti::<unsafe extern "C" fn(A, B) -> u32>(name);
    // SAFETY: callers give the function's arguments.
    unsafe { function(a, b) }
}

/// A running recording.
pub(crate) struct Recording {
    lengths: Lengths,
}

impl Recording {
    /// Records all kinds, and watches clones of nodes.
    pub(crate) fn start() -> Recording {
        Recording::of(&[
            kind::CONCURRENT_KERNEL,
            kind::MEMCPY,
            kind::MEMCPY2,
            kind::MEMSET,
            kind::DRIVER,
            kind::RUNTIME,
            kind::EXTERNAL_CORRELATION,
            kind::SYNCHRONIZATION,
            kind::MEMORY2,
            kind::OVERHEAD,
        ])
    }

    /// Records these kinds.
    pub(crate) fn of(kinds: &[u32]) -> Recording {
        let mut version = 0_u32;
        assert_eq!(call(b"cuptiGetVersion", &raw mut version), 0);
        let mut handle = 0_u64;
        let subscribe =
            cupti::<unsafe extern "C" fn(*mut u64, *const (), usize) -> u32>(b"cuptiSubscribe");
        let enable =
            cupti::<unsafe extern "C" fn(u32, u64, u32, u32) -> u32>(b"cuptiEnableCallback");
        // SAFETY: the function has the type that CUPTI calls; the place is our own.
        unsafe {
            assert_eq!(subscribe(&raw mut handle, called as *const (), 0x77), 0);
            assert_eq!(enable(1, handle, 3, 20), 0);
        }
        let register = (requested as *const (), completed as *const ());
        assert_eq!(
            call2(b"cuptiActivityRegisterCallbacks", register.0, register.1),
            0
        );
        for &kind in kinds {
            assert_eq!(call(b"cuptiActivityEnable", kind), 0, "{kind}");
        }
        assert_eq!(call(b"cuptiActivityEnable", 900_u32), 21);
        let lengths = Lengths::of_version(version).expect("a known version");
        Recording { lengths }
    }

    /// Returns the result of subscribing.
    pub(crate) fn try_subscribe() -> u32 {
        let mut handle = 0_u64;
        let subscribe =
            cupti::<unsafe extern "C" fn(*mut u64, *const (), usize) -> u32>(b"cuptiSubscribe");
        // SAFETY: as above.
        unsafe { subscribe(&raw mut handle, called as *const (), 0) }
    }

    pub(crate) fn refuse_buffers(&self) {
        REFUSES.store(true, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> u64 {
        let mut time = 0;
        assert_eq!(call(b"cuptiGetTimestamp", &raw mut time), 0);
        time
    }

    pub(crate) fn push(&self, id: u64) {
        assert_eq!(
            call2(b"cuptiActivityPushExternalCorrelationId", CUSTOM0, id),
            0
        );
    }

    pub(crate) fn pop(&self) -> u64 {
        let mut id = 0_u64;
        assert_eq!(
            call2(
                b"cuptiActivityPopExternalCorrelationId",
                CUSTOM0,
                &raw mut id
            ),
            0
        );
        id
    }

    pub(crate) fn flush(&self, is_forced: bool) {
        assert_eq!(call(b"cuptiActivityFlushAll", u32::from(is_forced)), 0);
    }

    pub(crate) fn dropped(&self) -> usize {
        let count = cupti::<unsafe extern "C" fn(u64, u32, *mut usize) -> u32>(
            b"cuptiActivityGetNumDroppedRecords",
        );
        let mut dropped = 0;
        // SAFETY: the place is our own.
        assert_eq!(unsafe { count(0, 0, &raw mut dropped) }, 0);
        dropped
    }

    pub(crate) fn clones(&self) -> BTreeMap<u64, u64> {
        CLONES.lock().expect("no panic").clone()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        BUFFERS.lock().expect("no panic").clone()
    }

    /// Returns the records, in the order of arrival.
    pub(crate) fn records(&self) -> Vec<Activity> {
        let bytes = self.bytes();
        Buffer::new(&bytes, self.lengths)
            .map(|record| record.expect("a known record"))
            .collect()
    }
}

/// Returns the number of records that NVIDIA's library finds in these bytes, up to their end.
pub(crate) fn library(path: &Path, bytes: &[u8]) -> usize {
    type Next = unsafe extern "C" fn(*mut u8, usize, *mut *mut u8) -> u32;
    // SAFETY: the library starts nothing when it is loaded; it stays loaded.
    let library: &'static Library =
        Box::leak(Box::new(unsafe { Library::new(path) }.expect("a library")));
    // SAFETY: the signature is that of `cupti_activity.h`.
    let next: Symbol<'static, Next> =
        unsafe { library.get(b"cuptiActivityGetNextRecord") }.expect("a function");
    let mut words = vec![0_u64; bytes.len().div_ceil(8)];
    let first = words.as_mut_ptr().cast::<u8>();
    // SAFETY: the words have room for the bytes.
    unsafe { first.copy_from(bytes.as_ptr(), bytes.len()) };
    let (mut record, mut count) = (ptr::null_mut(), 0);
    loop {
        // SAFETY: the buffer has as many bytes, and `record` is null or was set by the library.
        match unsafe { next(first, bytes.len(), &raw mut record) } {
            0 => count += 1,
            12 => return count,
            code => panic!("record {count}: code {code}"),
        }
    }
}
