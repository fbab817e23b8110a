//! Recording through CUPTI, from start to end.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use weft_trace::cupti::kind;
use weft_trace::id::{LaunchUid, NameId};
use weft_trace::record::{Loss, loss};

use super::buffers;
use super::clones;
use super::collector::{self, Collector, Message};
use super::error::CuptiError;
use super::result::{self, Api, Subscriber};
use super::sys::{
    ALL_DEVICES, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
    CUpti_ActivityUnifiedMemoryCounterConfig, LAST_COUNTER,
};
use super::tally::{FAILED, UNPUSHED, count};
use crate::observe::Recorder;
use crate::say::say;

/// Kinds of activities that are required: without them there is nothing to join.
const NEEDED: [u32; 6] = [
    kind::EXTERNAL_CORRELATION,
    kind::RUNTIME,
    kind::DRIVER,
    kind::CONCURRENT_KERNEL,
    kind::MEMCPY,
    kind::MEMSET,
];

/// Kinds of activities that some machines lack.
const WANTED: [u32; 4] = [
    kind::MEMCPY2,
    kind::SYNCHRONIZATION,
    kind::MEMORY2,
    kind::OVERHEAD,
];

/// Assigns numbers to strings and records new ones.
pub(super) type Names = Box<dyn Fn(&str) -> NameId + Send>;

/// Records the work of this process's GPUs, until [`finish`](Self::finish).
pub(crate) struct Cupti {
    api: &'static Api,
    subscriber: Subscriber,
    recorder: Arc<Recorder>,
    /// Whether faults and moves of pages are recorded.
    records_pages: AtomicBool,
    running: Mutex<Option<(Sender<Message>, JoinHandle<()>)>>,
}

/// Whether this process records.
static ACTIVE: AtomicBool = AtomicBool::new(false);

impl Cupti {
    /// Starts recording: to be called before the first module is loaded. `names` assigns numbers to
    /// strings, on a thread of this recording.
    ///
    /// # Errors
    /// Returns an error if CUPTI or the driver is missing, its version is unknown, another tool
    /// uses it, or it fails.
    pub(crate) fn start(
        recorder: Arc<Recorder>,
        names: impl Fn(&str) -> NameId + Send + 'static,
    ) -> Result<Cupti, CuptiError> {
        let api = result::api()?;
        if ACTIVE.swap(true, Ordering::AcqRel) {
            return Err(CuptiError::Active);
        }
        let started = Self::begin(api, recorder, Box::new(names));
        if started.is_err() {
            ACTIVE.store(false, Ordering::Release);
        }
        started
    }

    fn begin(api: &'static Api, recorder: Arc<Recorder>, names: Names) -> Result<Self, CuptiError> {
        // A process has one subscriber: this call fails if another tool records.
        let subscriber = api.subscribe(clones::on_callback)?;
        let (sender, receiver) = channel();
        let collector = Collector::new(api, recorder.clone(), names, receiver);
        let thread = std::thread::Builder::new()
            .name("weft-cupti".to_owned())
            .spawn(move || collector.run());
        let thread = match thread {
            Ok(thread) => thread,
            Err(error) => {
                let _ = api.unsubscribe(subscriber);
                return Err(CuptiError::Thread(error.to_string()));
            }
        };
        buffers::send_to(Some(sender.clone()));
        collector::sample_clock(api, &recorder);
        let cupti = Cupti {
            api,
            subscriber,
            recorder,
            records_pages: AtomicBool::new(false),
            running: Mutex::new(Some((sender, thread))),
        };
        if let Err(error) = cupti.enable() {
            cupti.stop();
            return Err(error);
        }
        Ok(cupti)
    }

    fn enable(&self) -> Result<(), CuptiError> {
        let api = self.api;
        api.register(buffers::on_request, buffers::on_complete)?;
        let wanted = |done: Result<(), CuptiError>| count(&FAILED, u64::from(done.is_err()));
        wanted(api.number_threads_as_the_system());
        for kind in NEEDED {
            api.enable(kind)?;
        }
        for kind in WANTED {
            wanted(api.enable(kind));
        }
        wanted(api.enable_callback(
            self.subscriber,
            CUPTI_CB_DOMAIN_RESOURCE,
            CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
        ));
        Ok(())
    }

    /// Like [`start`](Self::start), but prints and records the reason if it fails, once.
    pub(crate) fn start_or_say(
        recorder: Arc<Recorder>,
        names: impl Fn(&str) -> NameId + Send + 'static,
    ) -> Option<Cupti> {
        let started = Self::start(recorder.clone(), names);
        started
            .inspect_err(|error| {
                say(format_args!("weft: {error}"));
                let kind = match error {
                    CuptiError::Held => loss::CUPTI_HELD,
                    _ => loss::CUPTI_ABSENT,
                };
                let name = kind.name;
                recorder.write(&Loss { value: 1, name });
            })
            .ok()
    }

    /// Assigns the work that this thread issues to this launch, until the guard is dropped.
    #[inline]
    pub(crate) fn push(&self, launch: LaunchUid) -> Pushed<'_> {
        let is_pushed = self.api.push(launch.raw());
        if !is_pushed {
            count(&UNPUSHED, 1);
        }
        Pushed {
            api: is_pushed.then_some(self.api),
            on_this_thread: PhantomData,
        }
    }

    /// Records faults and moves of pages of unified memory too. Later calls do nothing.
    pub(crate) fn record_pages(&self) {
        if self.records_pages.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut counters: Vec<_> = (1..=LAST_COUNTER)
            .map(|kind| CUpti_ActivityUnifiedMemoryCounterConfig {
                scope: ALL_DEVICES,
                kind,
                deviceId: 0,
                enable: 1,
            })
            .collect();
        let enabled = self
            .api
            .choose_counters(&mut counters)
            .and_then(|()| self.api.enable(kind::UNIFIED_MEMORY_COUNTER));
        count(&FAILED, u64::from(enabled.is_err()));
    }

    /// Ends recording. All contexts must be synchronised: CUPTI reports no end of work that still
    /// runs.
    pub(crate) fn finish(&self) {
        self.stop();
    }

    fn stop(&self) {
        let running = self
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some((sender, thread)) = running else {
            return;
        };
        let pages = self.records_pages.load(Ordering::Acquire);
        let pages = pages.then_some(kind::UNIFIED_MEMORY_COUNTER);
        for kind in NEEDED.into_iter().chain(WANTED).chain(pages) {
            // Kinds that could not be enabled cannot be disabled; they were counted then.
            let _ = self.api.disable(kind);
        }
        let flushed = self.api.flush(true);
        count(&FAILED, u64::from(flushed.is_err()));
        collector::sample_clock(self.api, &self.recorder);
        let ended = self.api.unsubscribe(self.subscriber);
        count(&FAILED, u64::from(ended.is_err()));
        buffers::send_to(None);
        // The thread also ends if all senders are gone.
        drop(sender.send(Message::End));
        drop(thread.join());
        ACTIVE.store(false, Ordering::Release);
    }
}

impl Drop for Cupti {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Guard: work that the thread issues belongs to a launch until this is dropped.
pub(crate) struct Pushed<'a> {
    /// `None` if CUPTI did not take the id.
    api: Option<&'a Api>,
    /// CUPTI keeps a stack for each thread.
    on_this_thread: PhantomData<*const ()>,
}

impl Drop for Pushed<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(api) = self.api {
            api.pop();
        }
    }
}
