//! The observers of a run.

use std::sync::{Arc, OnceLock};

use weft_trace::id::LaunchUid;
use weft_trace::record::ProcessorKind;

use super::nvtx::RangeGuard;
use super::{Cupti, Log, Message, Pushed, Ranges, Recorder};

/// The profile, the log, and tools that listen.
pub(crate) struct Observers {
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) log: Arc<Log>,
    /// NVTX ranges, if a tool listens.
    pub(crate) nvtx: Option<Arc<Ranges>>,
    /// The recording of GPUs through CUPTI, if active.
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

    /// Returns the observers of a level below, which has no GPUs.
    pub(crate) fn within(&self) -> Observers {
        Observers {
            recorder: self.recorder.clone(),
            log: self.log.clone(),
            nvtx: self.nvtx.clone(),
            cupti: OnceLock::new(),
        }
    }

    /// Names the calling thread for NVTX, and returns its id.
    pub(crate) fn name_thread(&self, name: &str) -> u32 {
        let thread = os_thread();
        if let Some(nvtx) = &self.nvtx {
            nvtx.name_thread(thread, name);
        }
        thread
    }

    /// Opens the range of a launch, if a tool listens; it closes when the returned guard is
    /// dropped, on the same thread.
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

    /// Assigns the calling thread's next CUDA calls to a launch in CUPTI, until the returned guard
    /// is dropped.
    #[inline]
    pub(crate) fn external_id(&self, launch: LaunchUid) -> Option<Pushed<'_>> {
        Some(self.cupti.get()?.push(launch))
    }
}

/// Returns the operating system's id of the calling thread.
#[allow(unsafe_code, reason = "a system call without arguments")]
fn os_thread() -> u32 {
    // SAFETY: takes no pointers and cannot fail.
    (unsafe { libc::syscall(libc::SYS_gettid) }) as u32
}
