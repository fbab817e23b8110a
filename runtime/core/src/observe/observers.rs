//! Who is told what a run does.

use std::sync::{Arc, OnceLock};

use weft_trace::id::LaunchUid;
use weft_trace::record::ProcessorKind;

use super::nvtx::RangeGuard;
use super::{Cupti, Log, Message, Pushed, Ranges, Recorder};

/// The profile, the log, and tools that listen.
pub(crate) struct Observers {
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) log: Arc<Log>,
    /// NVTX ranges, where a tool listens.
    pub(crate) nvtx: Option<Arc<Ranges>>,
    /// What CUPTI records of the GPUs, where it does.
    pub(crate) cupti: OnceLock<Cupti>,
}

impl Observers {
    pub(crate) fn new(recorder: Arc<Recorder>, log: Arc<Log>) -> Observers {
        Observers {
            recorder,
            log,
            nvtx: Ranges::listening().map(Arc::new),
            cupti: OnceLock::new(),
        }
    }

    /// Those of a level below, which has no GPUs.
    pub(crate) fn within(&self) -> Observers {
        Observers {
            recorder: self.recorder.clone(),
            log: self.log.clone(),
            nvtx: self.nvtx.clone(),
            cupti: OnceLock::new(),
        }
    }

    /// Tells NVTX who the calling thread is, and gives its id.
    pub(crate) fn name_thread(&self, name: &str) -> u32 {
        let thread = os_thread();
        if let Some(nvtx) = &self.nvtx {
            nvtx.name_thread(thread, name);
        }
        thread
    }

    /// Opens the range of a launch, where a tool listens; it closes when what comes back is dropped, on the same thread.
    #[inline]
    pub(crate) fn open_range(
        &self,
        message: Option<&Message>,
        variant: ProcessorKind,
        launch: LaunchUid,
    ) -> Option<RangeGuard<'_>> {
        let nvtx = self.nvtx.as_ref()?;
        Some(nvtx.push(message?, variant, launch.0.raw()))
    }

    /// Tells CUPTI which launch the calling thread's next calls of CUDA are for, until what comes back is dropped.
    #[inline]
    pub(crate) fn external_id(&self, launch: LaunchUid) -> Option<Pushed<'_>> {
        Some(self.cupti.get()?.push(launch))
    }
}

/// The operating system's id of the calling thread.
#[allow(unsafe_code, reason = "a system call without arguments")]
fn os_thread() -> u32 {
    // SAFETY: takes no pointers and cannot fail.
    (unsafe { libc::syscall(libc::SYS_gettid) }) as u32
}
