//! The times of each kind of record.

use super::{Flaw, LONGEST, RecordKind, Timed, Untimed, check, is_possible};
use crate::{
    ApiCall, Compilation, Copy, DeviceMemory, Instance, Kernel, Launch, MemoryUse, Message,
    Overhead, PageEvent, Partitioning, RangeRow, RuntimeCall, Side, SourceIndex, Synchronization,
    Task, Wait,
};
use weft_trace::time::Timestamp;

/// Replaces impossible times before the start of a record by its start: those beyond the range of
/// clocks, after its end, or before it by more than the length of any recording. Returns their
/// number.
fn mend_before(moments: [&mut Timestamp; 2], start: Timestamp, end: Timestamp) -> u64 {
    let mut mended = 0;
    for moment in moments {
        let is_wrong = !is_possible(*moment) || *moment > end || (start - *moment).0 > LONGEST;
        if is_wrong {
            *moment = start;
            mended += 1;
        }
    }
    mended
}

/// Replaces a time that should lie within a record, but does not, by its end. Returns the number of
/// replaced times.
fn mend_within(moment: &mut Timestamp, start: Timestamp, end: Timestamp) -> u64 {
    let is_wrong = *moment < start || *moment > end;
    if is_wrong {
        *moment = end;
    }
    u64::from(is_wrong)
}

/// Implements [`Timed`] for rows with a start and an end.
macro_rules! timed {
    ($($row:ident: $kind:expr, $this:ident => { $($field:ident: $value:expr),* $(,)? } $(, mend $mend:expr)?;)*) => {$(
        impl Timed for $row {
            fn source(&self) -> SourceIndex {
                self.source
            }

            fn times(&self) -> (Timestamp, Option<Timestamp>) {
                (self.start, Some(self.end))
            }

            $(fn mend(&mut self) -> u64 {
                let mend: fn(&mut $row) -> u64 = $mend;
                mend(self)
            })?

            fn untimed(&self, flaw: Flaw) -> Untimed {
                let $this = self;
                Untimed {
                    $($field: $value,)*
                    ..Untimed::new($kind, flaw, self.source, self.times())
                }
            }
        }
    )*};
}

timed! {
    Task: RecordKind::Task, row => {
        uid: Some(row.uid),
        operation: Some(row.operation),
        processor: Some(row.processor),
    }, mend |row| {
        let lost = row.device.take_if(|(start, end)| check(*start, Some(*end)).is_err());
        let moments = [&mut row.created, &mut row.ready];
        mend_before(moments, row.start, row.end) + u64::from(lost.is_some())
    };
    Launch: RecordKind::Launch, row => {
        uid: Some(row.uid),
        processor: Some(row.processor),
    };
    RuntimeCall: RecordKind::RuntimeCall, row => {
        name: Some(row.kind),
        operation: row.operation,
        processor: Some(row.processor),
    };
    Compilation: RecordKind::Compilation, row => {
        name: Some(row.kernel),
        uid: Some(row.launch),
        operation: Some(row.operation),
        processor: Some(row.processor),
    }, mend |row| mend_within(&mut row.made, row.start, row.end);
    Wait: RecordKind::Wait, row => {
        uid: row.task,
        operation: row.operation,
        processor: row.processor,
    }, mend |row| mend_within(&mut row.ready, row.start, row.end);
    Copy: RecordKind::Copy, row => {
        uid: Some(row.uid),
        operation: Some(row.operation),
    }, mend |row| mend_before([&mut row.created, &mut row.ready], row.start, row.end);
    Partitioning: RecordKind::Partitioning, row => {
        uid: Some(row.uid),
        operation: row.operation,
    }, mend |row| mend_before([&mut row.created, &mut row.ready], row.start, row.end);
    ApiCall: RecordKind::ApiCall, row => {
        name: Some(row.name),
        thread: Some(row.thread),
    };
    Overhead: RecordKind::Overhead, row => {
        name: Some(row.name),
        device: row.device,
        stream: row.stream,
        thread: row.thread,
    };
}

impl Timed for Kernel {
    fn source(&self) -> SourceIndex {
        self.source
    }

    fn times(&self) -> (Timestamp, Option<Timestamp>) {
        (self.start, Some(self.end))
    }

    fn untimed(&self, flaw: Flaw) -> Untimed {
        Untimed {
            name: Some(self.name),
            uid: self.recorded.or(self.external),
            processor: self.processor,
            device: self.device,
            stream: self.stream,
            ..Untimed::new(self.kind.into(), flaw, self.source, self.times())
        }
    }
}

impl Timed for RangeRow {
    fn source(&self) -> SourceIndex {
        self.source
    }

    fn times(&self) -> (Timestamp, Option<Timestamp>) {
        (self.start, Some(self.end).filter(|_| !self.open))
    }

    fn untimed(&self, flaw: Flaw) -> Untimed {
        Untimed {
            name: Some(self.text),
            uid: self.launch,
            thread: Some(self.thread),
            ..Untimed::new(RecordKind::Range, flaw, self.source, self.times())
        }
    }
}

impl Timed for Synchronization {
    fn source(&self) -> SourceIndex {
        self.source
    }

    fn times(&self) -> (Timestamp, Option<Timestamp>) {
        (self.record.start, Some(self.record.end))
    }

    fn untimed(&self, flaw: Flaw) -> Untimed {
        let kind = RecordKind::Synchronization;
        Untimed {
            stream: Some(i64::from(self.record.stream)),
            ..Untimed::new(kind, flaw, self.source, self.times())
        }
    }
}

impl Timed for DeviceMemory {
    fn source(&self) -> SourceIndex {
        self.source
    }

    fn times(&self) -> (Timestamp, Option<Timestamp>) {
        (self.record.at, Some(self.record.at))
    }

    fn untimed(&self, flaw: Flaw) -> Untimed {
        let kind = RecordKind::DeviceMemory;
        Untimed {
            device: Some(i64::from(self.record.device)),
            ..Untimed::new(kind, flaw, self.source, self.times())
        }
    }
}

impl Timed for PageEvent {
    fn source(&self) -> SourceIndex {
        self.source
    }

    fn times(&self) -> (Timestamp, Option<Timestamp>) {
        (self.record.start, Some(self.record.end))
    }

    fn untimed(&self, flaw: Flaw) -> Untimed {
        let kind = RecordKind::PageEvent;
        Untimed {
            device: self.gpu(),
            ..Untimed::new(kind, flaw, self.source, self.times())
        }
    }
}

impl Timed for MemoryUse {
    fn source(&self) -> SourceIndex {
        self.source
    }

    fn times(&self) -> (Timestamp, Option<Timestamp>) {
        (self.at, None)
    }

    fn untimed(&self, flaw: Flaw) -> Untimed {
        Untimed::new(RecordKind::MemoryUse, flaw, self.source, self.times())
    }
}

impl Timed for Instance {
    fn source(&self) -> SourceIndex {
        self.source
    }

    fn times(&self) -> (Timestamp, Option<Timestamp>) {
        (self.created, self.destroyed)
    }

    fn mend(&mut self) -> u64 {
        let is_wrong = !is_possible(self.ready) || self.ready < self.created;
        if is_wrong {
            self.ready = self.created;
        }
        u64::from(is_wrong)
    }

    fn untimed(&self, flaw: Flaw) -> Untimed {
        Untimed {
            uid: Some(self.uid),
            operation: self.operation,
            ..Untimed::new(RecordKind::Instance, flaw, self.source, self.times())
        }
    }
}

impl Message {
    /// Returns the side with impossible times, or else the first.
    fn side_to_check(&self) -> Option<&Side> {
        let sides = || self.sent.iter().chain(&self.received);
        let wrong = sides().find(|side| check(side.start, Some(side.end)).is_err());
        wrong.or_else(|| sides().next())
    }
}

impl Timed for Message {
    fn source(&self) -> SourceIndex {
        self.side_to_check()
            .map(|side| side.source)
            .unwrap_or_default()
    }

    fn times(&self) -> (Timestamp, Option<Timestamp>) {
        let side = self.side_to_check();
        side.map_or((Timestamp::default(), None), |side| {
            (side.start, Some(side.end))
        })
    }

    fn mend(&mut self) -> u64 {
        let sides = self.sent.iter_mut().chain(&mut self.received);
        sides
            .map(|side| {
                let moments = [&mut side.created, &mut side.ready];
                mend_before(moments, side.start, side.end)
                    + mend_within(&mut side.passed, side.start, side.end)
            })
            .sum()
    }

    fn untimed(&self, flaw: Flaw) -> Untimed {
        let side = self.side_to_check();
        Untimed {
            uid: side.map(|side| side.uid),
            operation: side.map(|side| side.operation),
            ..Untimed::new(RecordKind::Message, flaw, self.source(), self.times())
        }
    }
}
