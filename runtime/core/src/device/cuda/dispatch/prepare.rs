//! Preparation of kernels and plans before the work that needs them is issued.

use smallvec::SmallVec;
use weft_trace::id::{LaunchUid, OperationUid};
use weft_trace::record;
use weft_trace::time::Timestamp;

use super::super::api::{FunctionId, GpuId, Preparation};
use super::super::work::Work;
use super::Dispatcher;
use crate::error::DriverError;

/// The kernels of works, loaded on their GPU.
#[derive(Default)]
pub(super) struct Prepared {
    /// One function for each work; `None` for work without a generated kernel.
    functions: SmallVec<[Option<FunctionId>; 2]>,
    /// End of the last load that the launch waited for.
    pub(super) end: Option<Timestamp>,
}

impl Prepared {
    /// Returns each work with its kernel.
    pub(super) fn with<'a>(
        &'a self,
        works: &'a [Work],
    ) -> impl Iterator<Item = (&'a Work, Option<FunctionId>)> {
        let functions = self.functions.iter().copied();
        works.iter().zip(functions.chain(std::iter::repeat(None)))
    }
}

impl Dispatcher<'_> {
    /// Prepares the kernels of a launch, and records those that were not ready. If the driver lacks
    /// memory for a kernel's code, returns the pool's free segments to it and tries again.
    pub(super) fn prepare_with_room(
        &mut self,
        gpu: GpuId,
        works: &[Work],
        of: (LaunchUid, Option<OperationUid>),
    ) -> Result<Prepared, DriverError> {
        loop {
            match self.prepare(gpu, works, of) {
                Err(error) if error.lacks_memory() => {
                    if self.gpus.memory(gpu).pool.reclaim() == 0 {
                        return Err(error);
                    }
                }
                prepared => return prepared,
            }
        }
    }

    fn prepare(
        &mut self,
        gpu: GpuId,
        works: &[Work],
        (launch, operation): (LaunchUid, Option<OperationUid>),
    ) -> Result<Prepared, DriverError> {
        let mut prepared = Prepared::default();
        let mut plan;
        for work in works {
            let function = match work {
                Work::Kernel(launch) => Some(self.gpus.driver.prepare(gpu, &launch.kernel)?),
                _ => None,
            };
            let preparation = match (work, &function) {
                (_, Some(ready)) => ready.preparation.as_deref(),
                (Work::Fft(fft), _) => {
                    plan = self.gpus.driver.planned(gpu, &fft.transform);
                    plan.as_deref()
                }
                _ => None,
            };
            if let Some(preparation) = preparation {
                if preparation.waited_from.is_some() {
                    self.gpus.foresight.restart();
                    prepared.end = prepared.end.max(Some(preparation.end));
                }
                if let Some(operation) = operation {
                    self.record_compile(gpu, preparation, (launch, operation));
                }
            }
            prepared
                .functions
                .push(function.map(|ready| ready.function));
        }
        Ok(prepared)
    }

    fn record_compile(
        &mut self,
        gpu: GpuId,
        preparation: &Preparation,
        (launch, operation): (LaunchUid, OperationUid),
    ) {
        let recorder = &self.observers.recorder;
        if !recorder.is_on() {
            return;
        }
        let Preparation {
            image,
            origin,
            start,
            made,
            end,
            waited_from,
        } = preparation;
        let record = record::Compile {
            launch,
            operation,
            processor: self.gpus.processor(gpu),
            kernel: self.names.string(recorder, &image.name),
            target: self.names.string(recorder, &image.target),
            source: image.source,
            origin: *origin,
            start: *start,
            made: *made,
            end: *end,
            waited: Some(waited_from.map_or(0, |from| (*end - from).0.max(0) as u64)),
        };
        recorder.write(&record);
    }
}
