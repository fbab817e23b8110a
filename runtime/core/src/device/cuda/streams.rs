//! Which stream work goes into, and what it waits for there. Streams run in order by themselves; events are used only
//! where one must wait for another.

use std::sync::Arc;

use super::api::{Driver, EventId, GpuId, StreamId};
use super::error::DriverError;
use crate::memory::{Point, Uses};

/// Streams for each GPU: enough for work without dependences to run side by side.
const STREAMS: usize = 4;

/// One stream.
struct Lane {
    id: StreamId,
    gpu: GpuId,
    /// How many things are in it or have run.
    issued: u64,
    /// Set behind what other streams wait for.
    event: EventId,
    /// How many things stand before the event, where it was set last.
    recorded: u64,
    /// For each stream: how much of it this one has waited for.
    seen: Vec<u64>,
    /// How many things stood in it at the last look for ends.
    looked: u64,
}

/// The streams of all GPUs of this rank. The dispatcher's own.
pub(super) struct Streams {
    driver: Arc<dyn Driver>,
    lanes: Vec<Lane>,
    /// The stream that the next work without dependences goes to, for each GPU.
    next: Vec<usize>,
}

impl Streams {
    /// Makes the streams.
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
        })
    }

    /// The stream for work that waits for these points: that of the latest of them on this GPU, since waiting there
    /// costs nothing; the GPU's next one where there is none.
    pub(super) fn choose(&mut self, gpu: GpuId, waits: &Uses) -> usize {
        let first = usize::from(gpu.0) * STREAMS;
        let own = |point: &Point| (first..first + STREAMS).contains(&usize::from(point.stream));
        let behind = |point: &Point| {
            let lane = &self.lanes[usize::from(point.stream)];
            // What is held back stands before a point that is not reached yet.
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

    /// Makes what is issued to `lane` next wait for the points.
    pub(super) fn order(&mut self, lane: usize, waits: &Uses) -> Result<(), DriverError> {
        for point in waits.iter() {
            let other = usize::from(point.stream);
            if other == lane || self.lanes[lane].seen[other] >= point.at {
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

    /// The driver's name of a stream.
    pub(super) fn id(&self, lane: usize) -> StreamId {
        self.lanes[lane].id
    }

    /// The point behind what is being issued to a stream, once it is in it.
    pub(super) fn next_point(&self, lane: usize) -> Point {
        Point {
            stream: lane as u16,
            at: self.lanes[lane].issued + 1,
        }
    }

    /// Counts one more thing in a stream.
    pub(super) fn advance(&mut self, lane: usize) -> Point {
        let point = self.next_point(lane);
        self.lanes[lane].issued = point.at;
        point
    }

    /// Sets a mark behind everything that came into the streams since the last call; `event` gives an event of a GPU.
    pub(super) fn mark(
        &mut self,
        mut event: impl FnMut(GpuId) -> Result<EventId, DriverError>,
    ) -> Result<Vec<(GpuId, EventId)>, DriverError> {
        let mut marks = Vec::new();
        for lane in self
            .lanes
            .iter_mut()
            .filter(|lane| lane.issued > lane.looked)
        {
            let event = event(lane.gpu)?;
            self.driver.record(event, lane.id)?;
            lane.looked = lane.issued;
            marks.push((lane.gpu, event));
        }
        Ok(marks)
    }
}
