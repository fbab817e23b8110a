//! The list of all kinds of records.

use super::frame::{Encode, KindInfo};
use super::{
    ApiCall, Bandwidth, Caller, ClockSample, Compile, Copy, CopyRoute, Dependencies, DeviceClock,
    DeviceMemory, DeviceWork, ExternalId, FillValue, FloatSpeed, Gpu, GraphReplay, Image,
    Immediate, Instance, InstanceEnd, InternalLaunch, Kernel, KernelShape, Launch, LaunchBytes,
    LaunchWork, Loss, Memory, MemoryUse, Message, Name, Operands, Operation, Overhead, PageEvent,
    Planning, Processor, Processors, Provenance, RankClock, RuntimeCall, Scope, SourceText, Store,
    Synchronization, Task, Tile, Wait,
};

macro_rules! catalogue {
    ($($name:ident $(<$lt:lifetime>)?),* $(,)?) => {
        /// All kinds of records, as listed in files.
        pub const KINDS: &[KindInfo] = &[$($name::INFO),*];

        /// A record of any kind.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs, reason = "each variant is documented at its struct")]
        #[non_exhaustive]
        pub enum Record<'a> {
            $($name($name $(<$lt>)?)),*
        }

        impl<'a> Record<'a> {
            /// Returns the name of the kind.
            pub const fn kind_name(&self) -> &'static str {
                match self {
                    $(Record::$name(_) => $name::INFO.name),*
                }
            }

            /// Decodes the body of a frame (without its head) of this kind, whose fields take
            /// `fixed` bytes in the file. Returns `None` if the kind is unknown or the bytes are
            /// malformed.
            pub fn decode(code: u8, body: &'a [u8], fixed: usize) -> Option<Self> {
                $(
                    if code == const { $name::INFO.code } {
                        return $name::decode(body, fixed).map(Record::$name);
                    }
                )*
                None
            }

            /// Returns the size of the whole frame in bytes.
            pub fn frame_size(&self) -> usize {
                match self {
                    $(Record::$name(record) => record.frame_size()),*
                }
            }

            /// Encodes the whole frame into `to`, which has [`Self::frame_size`] bytes.
            pub fn put_frame(&self, to: &mut [u8]) {
                match self {
                    $(Record::$name(record) => record.put_frame(to)),*
                }
            }
        }

        $(impl<'a> From<$name $(<$lt>)?> for Record<'a> {
            fn from(record: $name $(<$lt>)?) -> Self {
                Record::$name(record)
            }
        })*
    };
}

catalogue! {
    Name<'a>, Provenance, Scope<'a>, Caller, SourceText<'a>, Processor, Memory, ClockSample, RankClock, Bandwidth, FloatSpeed,
    Operation<'a>, Tile<'a>, Operands<'a>, Image<'a>, Processors,
    Task, Launch<'a>, Kernel, Dependencies<'a>, Wait, RuntimeCall, Planning, InternalLaunch,
    Immediate<'a>, LaunchBytes, LaunchWork, Compile,
    Store<'a>, Instance, InstanceEnd, MemoryUse, Copy, Message,
    DeviceWork, ApiCall, ExternalId, GraphReplay<'a>, DeviceClock,
    KernelShape, CopyRoute, FillValue, Synchronization, DeviceMemory, PageEvent, Overhead, Gpu<'a>,
    Loss<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{LaunchUid, TaskUid, Uid};
    use crate::record::{Arithmetic, Shares};
    use crate::time::Timestamp;

    fn uid(raw: u64) -> Uid {
        Uid::from_raw(raw).unwrap()
    }

    fn shares() -> [(TaskUid, f64); 2] {
        [(TaskUid(uid(7)), 0.25), (TaskUid(uid(9)), 0.75)]
    }

    fn launch(shares: &[(TaskUid, f64)]) -> Launch<'_> {
        Launch {
            uid: LaunchUid(uid(5)),
            processor: crate::id::ProcessorId(3),
            start: Timestamp::from_nanos_since_boot(-4),
            end: Timestamp::from_nanos_since_boot(11),
            measured: true,
            shares: Shares::Items(shares),
        }
    }

    #[test]
    fn codes_are_unique() {
        let mut codes: Vec<_> = KINDS.iter().map(|kind| kind.code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), KINDS.len());
    }

    #[test]
    fn frames_decode_to_written_records() {
        let shares = shares();
        let launch = launch(&shares);
        let mut frame = vec![0; launch.frame_size()];
        launch.put_frame(&mut frame);
        assert_eq!(
            usize::from(u16::from_le_bytes([frame[0], frame[1]])),
            frame.len()
        );
        let Some(Record::Launch(back)) =
            Record::decode(frame[2], &frame[4..], Launch::INFO.fixed_size())
        else {
            panic!("not a launch");
        };
        assert_eq!(
            (back.uid, back.start, back.end, back.measured),
            (launch.uid, launch.start, launch.end, true)
        );
        assert_eq!(back.shares.iter().collect::<Vec<_>>(), shares);
    }

    #[test]
    fn decodes_shares_of_earlier_versions_as_unmeasured() {
        let shares = shares();
        let launch = launch(&shares);
        let mut frame = vec![0; launch.frame_size()];
        launch.put_frame(&mut frame);
        let fixed = Launch::INFO.fixed_size();
        // In this version the fields of a launch end with the time.
        let mut body = frame[4..].to_vec();
        body.remove(fixed - 1);
        let Some(Record::Launch(back)) = Record::decode(frame[2], &body, fixed - 1) else {
            panic!("not a launch");
        };
        assert!(!back.measured);
        assert_eq!(back.shares.iter().collect::<Vec<_>>(), shares);
    }

    #[test]
    fn decodes_arithmetic_of_earlier_versions_as_unknown() {
        let at = Timestamp::from_nanos_since_boot(7);
        let task = Task {
            uid: TaskUid(uid(5)),
            operation: crate::id::OperationUid(uid(6)),
            point: 0,
            processor: crate::id::ProcessorId(3),
            created: at,
            ready: at,
            start: at,
            end: at,
            arithmetic: Some(Arithmetic {
                operations: 8,
                single: false,
            }),
        };
        let mut frame = vec![0; task.frame_size()];
        task.put_frame(&mut frame);
        let fixed = Task::INFO.fixed_size();
        assert_eq!(
            Record::decode(frame[2], &frame[4..], fixed),
            Some(Record::Task(task))
        );
        let earlier = Task {
            arithmetic: None,
            ..task
        };
        let found = Record::decode(frame[2], &frame[4..frame.len() - 8], fixed - 8);
        assert_eq!(found, Some(Record::Task(earlier)));
    }

    #[test]
    fn decodes_waits_of_earlier_versions_without_task() {
        let at = Timestamp::from_nanos_since_boot(7);
        let call = RuntimeCall {
            kind: crate::record::RuntimeCallKind::Wait,
            operation: None,
            processor: crate::id::ProcessorId(3),
            start: at,
            end: at,
            task: Some(TaskUid(uid(5))),
        };
        let mut frame = vec![0; call.frame_size()];
        call.put_frame(&mut frame);
        let fixed = RuntimeCall::INFO.fixed_size();
        assert_eq!(
            Record::decode(frame[2], &frame[4..], fixed),
            Some(Record::RuntimeCall(call))
        );
        let earlier = RuntimeCall { task: None, ..call };
        let found = Record::decode(frame[2], &frame[4..frame.len() - 8], fixed - 8);
        assert_eq!(found, Some(Record::RuntimeCall(earlier)));
    }

    #[test]
    fn full_task_record_takes_at_most_150_bytes() {
        let sizes = [Task::INFO, Launch::INFO, Kernel::INFO].map(|kind| kind.fixed_size() + 4);
        assert!(sizes.iter().sum::<usize>() <= 150, "{sizes:?}");
    }
}
