//! Streams and events.

use super::Machine;
use super::code::Code;
use super::context;
use super::handle::{Id, Kind, id};
use super::work::{Body, Origin};

/// A stream. Its id is its queue's.
pub(crate) struct Stream {
    pub(crate) gpu: usize,
    /// Whether it synchronizes with the stream with handle 0.
    pub(crate) is_blocking: bool,
    /// CUPTI's number.
    pub(crate) number: u32,
    pub(crate) priority: i32,
}

/// An event.
pub(crate) struct Event {
    pub(crate) gpu: usize,
    /// The piece of work that records the event, if any.
    pub(crate) record: Option<u64>,
    /// The time at which it was reached, in ns of the emulated GPUs' clock.
    pub(crate) reached: Option<u64>,
    pub(crate) has_time: bool,
}

/// CUPTI's number of the stream with handle 0.
const NULL_STREAM: u32 = 7;

impl Machine {
    /// Makes a stream.
    pub(crate) fn make_stream(&mut self, gpu: usize, is_blocking: bool, priority: i32) -> Id {
        let id = self.number();
        let number = NULL_STREAM + 1 + self.streams.len() as u32 * 2;
        self.streams.insert(
            id,
            Stream {
                gpu,
                is_blocking,
                number,
                priority,
            },
        );
        id
    }

    /// The stream of a handle; of 0 and 1 that of the current context.
    pub(crate) fn stream_of(&mut self, handle: u64) -> Result<Id, Code> {
        if handle > 1 {
            let id = id(Kind::Stream, handle)?;
            let stream = self.streams.get(&id).ok_or(Code::INVALID_HANDLE)?;
            self.healthy(stream.gpu)?;
            return Ok(id);
        }
        let gpu = self.gpu_of(context::current())?;
        self.healthy(gpu)?;
        if let Some(id) = self.gpus[gpu].null_stream {
            return Ok(id);
        }
        let id = self.make_stream(gpu, true, 0);
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.number = NULL_STREAM;
        }
        self.gpus[gpu].null_stream = Some(id);
        Ok(id)
    }

    /// The event of a handle.
    pub(crate) fn event_of(&mut self, handle: u64) -> Result<Id, Code> {
        let id = id(Kind::Event, handle)?;
        let event = self.events.get(&id).ok_or(Code::INVALID_HANDLE)?;
        self.healthy(event.gpu)?;
        Ok(id)
    }

    /// Puts work into a stream; it waits for `after` too. Returns its number.
    pub(crate) fn issue(
        &mut self,
        stream: Id,
        mut after: Vec<u64>,
        body: Body,
        mut origin: Origin,
    ) -> u64 {
        let (gpu, is_blocking) = match self.streams.get(&stream) {
            Some(stream) => {
                origin.stream = stream.number;
                (stream.gpu, stream.is_blocking)
            }
            None => (0, false),
        };
        let null = self.gpus[gpu].null_stream;
        if null == Some(stream) {
            let others: Vec<Id> = self
                .streams
                .iter()
                .filter(|&(&id, other)| id != stream && other.gpu == gpu && other.is_blocking)
                .map(|(&id, _)| id)
                .collect();
            after.extend(
                others
                    .iter()
                    .filter_map(|&other| self.queues.last_of(other)),
            );
        } else if is_blocking {
            after.extend(null.and_then(|null| self.queues.last_of(null)));
        }
        self.enqueue(stream, gpu, after, body, origin)
    }
}
