//! The thread that turns full buffers into records.

#![allow(unsafe_code, reason = "the library walks the buffers that it filled")]

mod details;
mod names;
mod write;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use weft_trace::cupti::Activity;
use weft_trace::record::{DeviceClock, loss};
use weft_trace::time;

use super::buffers::{self, Full};
use super::result::Api;
use super::safe::Names;
use super::tally::{FAILED, count};
use crate::at_exit;
use crate::observe::Recorder;
use write::Writer;

/// Interval at which CUPTI is flushed. A killed process loses the activities since the last flush.
const PERIOD: Duration = Duration::from_secs(1);

/// A message to the collector.
pub(super) enum Message {
    /// A buffer that CUPTI has filled.
    Full(Full),
    /// The end: no more buffers follow.
    End,
}

/// Records readings of both clocks at the same instant: the narrowest of eight tries.
pub(super) fn sample_clock(api: &Api, recorder: &Recorder) {
    let sample = || {
        let before = time::now();
        let device = api.timestamp()?;
        let after = time::now();
        Some(DeviceClock {
            before,
            device: i64::try_from(device).ok()?,
            after,
        })
    };
    let samples = (0..8).filter_map(|_| sample());
    match samples.min_by_key(|sample| (sample.after - sample.before).0) {
        Some(sample) => recorder.write(&sample),
        None => count(&FAILED, 1),
    }
}

pub(super) struct Collector {
    api: &'static Api,
    recorder: Arc<Recorder>,
    receiver: Receiver<Message>,
    writer: Writer,
}

impl Collector {
    pub(super) fn new(
        api: &'static Api,
        recorder: Arc<Recorder>,
        names: Names,
        receiver: Receiver<Message>,
    ) -> Self {
        let functions = Box::new(|kind, function| api.function_name(kind, function));
        let writer = Writer::new(recorder.clone(), names, functions);
        Collector {
            api,
            recorder,
            receiver,
            writer,
        }
    }

    pub(super) fn run(mut self) {
        self.recorder.attach_thread();
        let mut next = Instant::now() + PERIOD;
        let mut flushes: u64 = 0;
        loop {
            let until = next.saturating_duration_since(Instant::now());
            match self.receiver.recv_timeout(until) {
                Ok(Message::Full(full)) => self.read(full),
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if Instant::now() >= next {
                let flushed = self.api.flush(false);
                count(&FAILED, u64::from(flushed.is_err()));
                flushes += 1;
                if flushes.is_power_of_two() {
                    at_exit::move_to_front();
                }
                sample_clock(self.api, &self.recorder);
                self.writer.write_losses();
                next = Instant::now() + PERIOD;
            }
        }
        self.writer.write_losses();
        self.recorder.detach_thread();
    }

    fn read(&mut self, full: Full) {
        buffers::taken();
        let writer = &mut self.writer;
        // SAFETY: CUPTI filled the bytes and has returned them.
        let walked = unsafe {
            self.api.walk(full.bytes(), |record, is_end_known| {
                let kind = record.first_chunk().map(|kind| u32::from_ne_bytes(*kind));
                let layout = kind.and_then(Activity::layout);
                // Bytes after a record whose end is unknown do not belong to it.
                let record = match layout {
                    Some(layout) if !is_end_known => record.get(..layout.least).unwrap_or(record),
                    _ => record,
                };
                // The addresses in it point to names that CUPTI keeps.
                writer.write(Activity::parse(record));
            })
        };
        writer.count(&loss::CUPTI_BUFFERS_CUT, u64::from(walked.is_cut));
        full.recycle();
    }
}
