//! One list of all times of all rows, so that code which converts or measures times cannot miss
//! any.

use super::{Recorder, Recording, Side, SourceIndex};
use weft_trace::time::Timestamp;

/// The table that a time belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// [`Program::operations`](crate::Program::operations), and the calls of other ranks for them.
    Operations,
    /// [`Work::tasks`](crate::Work::tasks).
    Tasks,
    /// Work of tasks on devices of which only the times were recorded.
    TasksOnDevices,
    /// [`Work::launches`](crate::Work::launches).
    Launches,
    /// [`Devices::kernels`](crate::Devices::kernels).
    Kernels,
    /// [`Work::ranges`](crate::Work::ranges).
    Ranges,
    /// [`Devices::calls`](crate::Devices::calls).
    ApiCalls,
    /// CUPTI's records apart from work:
    /// [`Devices::synchronizations`](crate::Devices::synchronizations),
    /// [`Devices::device_memory`](crate::Devices::device_memory) and
    /// [`Devices::page_events`](crate::Devices::page_events).
    Devices,
    /// [`Devices::overheads`](crate::Devices::overheads).
    Overheads,
    /// [`Quality::diagnostics`](crate::Quality::diagnostics).
    Diagnostics,
    /// [`Devices::sessions`](crate::Devices::sessions), without the columns of
    /// [`Spans`](super::Spans).
    Sessions,
    /// [`Work::waits`](crate::Work::waits).
    Waits,
    /// [`Work::runtime_calls`](crate::Work::runtime_calls).
    RuntimeCalls,
    /// [`Work::events`](crate::Work::events).
    Events,
    /// [`Work::instances`](crate::Work::instances).
    Instances,
    /// [`Work::memory_uses`](crate::Work::memory_uses).
    MemoryUses,
    /// [`Work::messages`](crate::Work::messages).
    Messages,
    /// [`Work::copies`](crate::Work::copies).
    Copies,
    /// [`Work::partitionings`](crate::Work::partitionings).
    Partitionings,
}

/// The role of a time in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The row was requested, or was ready to begin.
    Before,
    /// The row began.
    Start,
    /// An event between start and end.
    Within,
    /// The row ended.
    End,
}

/// A time of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOf {
    /// The table of the row.
    pub family: Family,
    /// The role of the time in its row.
    pub moment: Moment,
    /// The file that the row was read from.
    pub source: SourceIndex,
    /// Whether CUPTI in the source's process recorded the row. Its clock differs until it is
    /// converted.
    pub by_cupti: bool,
}

/// Generates both visitors from one list. An entry has the table's family, its rows by reference
/// and by mutable reference, whether CUPTI recorded a row, and the times of a row.
macro_rules! visitors {
    ($this:ident; $($family:ident: $rows:expr, $rows_mut:expr; $row:ident => $cupti:expr;
        $($moment:ident $($field:ident).+),+);+ $(;)?) => {
        impl Recording {
            /// Calls `each` with every time of all rows.
            pub fn times(&self, mut each: impl FnMut(TimeOf, Timestamp)) {
                let $this = self;
                $(for $row in $rows {
                    let (source, by_cupti) = ($row.source, $cupti);
                    $($row.$($field).+.visit(Moment::$moment, &mut |moment, time| {
                        let family = Family::$family;
                        each(TimeOf { family, moment, source, by_cupti }, time);
                    });)+
                })+
            }

            /// Calls `each` with a mutable reference to every time of all rows.
            pub fn times_mut(&mut self, mut each: impl FnMut(TimeOf, &mut Timestamp)) {
                let $this = self;
                $(for $row in $rows_mut {
                    let (source, by_cupti) = ($row.source, $cupti);
                    $($row.$($field).+.visit_mut(Moment::$moment, &mut |moment, time| {
                        let family = Family::$family;
                        each(TimeOf { family, moment, source, by_cupti }, time);
                    });)+
                })+
            }
        }
    };
}

visitors! {
    this;
    Operations: &this.program.operations, &mut this.program.operations; row => false; Before created;
    Operations: &this.program.operation_calls, &mut this.program.operation_calls; row => false; Before created;
    Tasks: &this.work.tasks, &mut this.work.tasks; row => false; Before created, Before ready, Start start, End end;
    TasksOnDevices: &this.work.tasks, &mut this.work.tasks; row => false; Start device;
    Launches: &this.work.launches, &mut this.work.launches; row => false; Start start, End end;
    Kernels: &this.devices.kernels, &mut this.devices.kernels; row => row.recorder == Recorder::Cupti;
        Start start, End end;
    Ranges: &this.work.ranges, &mut this.work.ranges; row => false; Start start, End end;
    ApiCalls: &this.devices.calls, &mut this.devices.calls; row => true; Start start, End end;
    Devices: &this.devices.synchronizations, &mut this.devices.synchronizations; row => true;
        Start record.start, End record.end;
    Devices: &this.devices.device_memory, &mut this.devices.device_memory; row => true; Within record.at;
    Devices: &this.devices.page_events, &mut this.devices.page_events; row => row.recorder == Recorder::Cupti;
        Start record.start, End record.end;
    Overheads: &this.devices.overheads, &mut this.devices.overheads; row => row.recorder == Recorder::Cupti;
        Start start, End end;
    Diagnostics: &this.quality.diagnostics, &mut this.quality.diagnostics; row => false; Within at;
    Sessions: &this.devices.sessions, &mut this.devices.sessions; row => false; End end;
    Waits: &this.work.waits, &mut this.work.waits; row => false; Start start, Within ready, End end;
    RuntimeCalls: &this.work.runtime_calls, &mut this.work.runtime_calls; row => false; Start start, End end;
    RuntimeCalls: &this.work.compilations, &mut this.work.compilations; row => false; Start start, Within made, End end;
    Events: &this.work.events.activities, &mut this.work.events.activities; row => false;
        Before created, Start start, End end;
    Events: &this.work.events.pauses, &mut this.work.events.pauses; row => false; Start start, End end;
    Events: &this.work.events.triggers, &mut this.work.events.triggers; row => false; Within at;
    Instances: &this.work.instances, &mut this.work.instances; row => false;
        Start created, Within ready, End destroyed;
    MemoryUses: &this.work.memory_uses, &mut this.work.memory_uses; row => false; Within at;
    Messages: sides(this), sides_mut(this); row => false;
        Before created, Before ready, Start start, Within passed, End end;
    Copies: &this.work.copies, &mut this.work.copies; row => false;
        Before created, Before ready, Start start, End end;
    Partitionings: &this.work.partitionings, &mut this.work.partitionings; row => false;
        Before created, Before ready, Start start, End end;
}

/// A field that holds times: one, an optional one, or the start and end of an interval.
trait Times {
    fn visit(&self, moment: Moment, each: &mut impl FnMut(Moment, Timestamp));
    fn visit_mut(&mut self, moment: Moment, each: &mut impl FnMut(Moment, &mut Timestamp));
}

impl Times for Timestamp {
    fn visit(&self, moment: Moment, each: &mut impl FnMut(Moment, Timestamp)) {
        each(moment, *self);
    }

    fn visit_mut(&mut self, moment: Moment, each: &mut impl FnMut(Moment, &mut Timestamp)) {
        each(moment, self);
    }
}

impl Times for (Timestamp, Timestamp) {
    fn visit(&self, _: Moment, each: &mut impl FnMut(Moment, Timestamp)) {
        each(Moment::Start, self.0);
        each(Moment::End, self.1);
    }

    fn visit_mut(&mut self, _: Moment, each: &mut impl FnMut(Moment, &mut Timestamp)) {
        each(Moment::Start, &mut self.0);
        each(Moment::End, &mut self.1);
    }
}

impl<T: Times> Times for Option<T> {
    fn visit(&self, moment: Moment, each: &mut impl FnMut(Moment, Timestamp)) {
        if let Some(times) = self {
            times.visit(moment, each);
        }
    }

    fn visit_mut(&mut self, moment: Moment, each: &mut impl FnMut(Moment, &mut Timestamp)) {
        if let Some(times) = self {
            times.visit_mut(moment, each);
        }
    }
}

fn sides(recording: &Recording) -> impl Iterator<Item = &Side> {
    let messages = recording.work.messages.iter();
    messages.flat_map(|message| message.sent.iter().chain(&message.received))
}

fn sides_mut(recording: &mut Recording) -> impl Iterator<Item = &mut Side> {
    let messages = recording.work.messages.iter_mut();
    messages.flat_map(|message| message.sent.iter_mut().chain(&mut message.received))
}
