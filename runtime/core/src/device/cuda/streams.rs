//! Choice of the stream for each item of work, and waits between streams. A stream runs its work in
//! order; events are used only if one stream must wait for another.

use std::sync::Arc;

use super::api::{Driver, EventId, GpuId, StreamId};
use crate::error::DriverError;
use crate::memory::{Point, Uses};

/// Number of streams for each GPU: enough to run independent work side by side.
pub(super) const STREAMS: usize = 4;

/// One stream.
struct Lane {
    id: StreamId,
    gpu: GpuId,
    /// Number of items that were put into the stream.
    issued: u64,
    /// Event that other streams wait for.
    event: EventId,
    /// Number of items before the event when it was last set.
    recorded: u64,
    /// For each stream, the number of its items that this stream has waited for.
    seen: Vec<u64>,
    /// Number of items in the stream when a mark was last set.
    looked: u64,
}

/// The streams of all GPUs of this rank, owned by the dispatcher.
pub(super) struct Streams {
    driver: Arc<dyn Driver>,
    lanes: Vec<Lane>,
    /// For each GPU, the stream for the next independent work.
    next: Vec<usize>,
    /// Whether each GPU has stopped, so that nothing waits for its work.
    stopped: Vec<bool>,
}

/// Marks that were set after work in streams.
pub(super) struct Marked {
    pub(super) marks: Vec<(GpuId, EventId)>,
    /// The errors, with their GPUs, of which marks are missing.
    pub(super) failed: Vec<(GpuId, DriverError)>,
}

impl Streams {
    /// Creates the streams.
    pub(super) fn new(driver: Arc<dyn Driver>) -> Result<Streams, DriverError> {
        let gpus = driver.gpus().len();
        let mut lanes = Vec::with_capacity(gpus * STREAMS);
        for gpu in 0..gpus {
            let gpu = GpuId(gpu as u8);
            for _ in 0..STREAMS {
                lanes.push(Lane {
                    id: driver.stream(gpu)?,
                    gpu,
                    issued: 0,
                    event: driver.event(gpu)?,
                    recorded: 0,
                    seen: vec![0; gpus * STREAMS],
                    looked: 0,
                });
            }
        }
        Ok(Streams {
            driver,
            lanes,
            next: vec![0; gpus],
            stopped: vec![false; gpus],
        })
    }

    /// Returns the stream for work that waits for these points. It is the stream of the latest of
    /// them on this GPU, where the wait costs nothing. Without such a point it is the GPU's next
    /// stream.
    pub(super) fn choose(&mut self, gpu: GpuId, waits: &Uses) -> usize {
        let first = usize::from(gpu.0) * STREAMS;
        let own = |point: &Point| (first..first + STREAMS).contains(&usize::from(point.stream));
        let behind = |point: &Point| {
            let lane = &self.lanes[usize::from(point.stream)];
            // Held launches precede a point that is not issued yet.
            lane.issued.saturating_sub(point.at)
        };
        if let Some(point) = waits.iter().filter(own).min_by_key(behind) {
            return usize::from(point.stream);
        }
        let next = &mut self.next[usize::from(gpu.0)];
        let lane = first + *next;
        *next = (*next + 1) % STREAMS;
        lane
    }

    /// Makes the next work in `lane` wait for the points.
    pub(super) fn order(&mut self, lane: usize, waits: &Uses) -> Result<(), DriverError> {
        for point in waits.iter() {
            let other = usize::from(point.stream);
            let is_over = self.stopped[usize::from(self.lanes[other].gpu.0)];
            if other == lane || is_over || self.lanes[lane].seen[other] >= point.at {
                continue;
            }
            if self.lanes[other].recorded < point.at {
                let earlier = &mut self.lanes[other];
                self.driver.record(earlier.event, earlier.id)?;
                earlier.recorded = earlier.issued;
            }
            self.driver
                .wait(self.lanes[lane].id, self.lanes[other].event)?;
            let recorded = self.lanes[other].recorded;
            self.lanes[lane].seen[other] = recorded;
        }
        Ok(())
    }

    /// Notes that a GPU has stopped.
    pub(super) fn leave(&mut self, gpu: GpuId) {
        self.stopped[usize::from(gpu.0)] = true;
    }

    /// Returns the driver's id of a stream.
    pub(super) fn id(&self, lane: usize) -> StreamId {
        self.lanes[lane].id
    }

    /// Returns the point after the item that is being issued to a stream.
    pub(super) fn next_point(&self, lane: usize) -> Point {
        Point {
            stream: lane as u16,
            at: self.lanes[lane].issued + 1,
        }
    }

    /// Returns the point after all items that were issued to a stream.
    pub(super) fn last_point(&self, lane: usize) -> Point {
        Point {
            stream: lane as u16,
            at: self.lanes[lane].issued,
        }
    }

    /// Counts one more item in a stream.
    pub(super) fn advance(&mut self, lane: usize) -> Point {
        let point = self.next_point(lane);
        self.lanes[lane].issued = point.at;
        point
    }

    /// Sets a mark after all work that was put into streams since the last call. `event` returns an
    /// event of a GPU.
    pub(super) fn mark(
        &mut self,
        mut event: impl FnMut(GpuId) -> Result<EventId, DriverError>,
    ) -> Marked {
        let (mut marks, mut failed) = (Vec::new(), Vec::new());
        for lane in self
            .lanes
            .iter_mut()
            .filter(|lane| lane.issued > lane.looked)
        {
            let recorded = event(lane.gpu).and_then(|event| {
                self.driver.record(event, lane.id)?;
                Ok(event)
            });
            match recorded {
                Ok(event) => {
                    lane.looked = lane.issued;
                    marks.push((lane.gpu, event));
                }
                Err(error) => {
                    if self.stopped[usize::from(lane.gpu.0)] {
                        lane.looked = lane.issued;
                    }
                    failed.push((lane.gpu, error));
                }
            }
        }
        Marked { marks, failed }
    }
}
