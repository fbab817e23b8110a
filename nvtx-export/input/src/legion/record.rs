//! The records that become rows, each with the fields that are used.
//!
//! A kind is identified by its name, a field by its name and size. A kind without a required field
//! is left out and counted. Records, fields and their meaning: Legion,
//! `legion_profiling_serializer.cc`.

use super::layout::{FieldOffset, Form, Layout, Starts, number};

/// One record's bytes, without its id.
#[derive(Clone, Copy)]
pub(super) struct Raw<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) starts: &'a Starts,
}

/// A text in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text(usize);

impl<'a> Raw<'a> {
    /// Returns a text without its NUL.
    pub(super) fn text(&self, text: Text) -> std::borrow::Cow<'a, str> {
        let bytes = self.bytes.get(text.0..).unwrap_or_default();
        let end = bytes.iter().position(|byte| *byte == 0);
        String::from_utf8_lossy(bytes.get(..end.unwrap_or(0)).unwrap_or_default())
    }
}

/// A boolean of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flag(pub(super) bool);

/// A type that a field can be decoded as.
pub(super) trait Value: Sized {
    /// Returns whether a field of this form can be decoded as this type.
    fn fits(form: Form) -> bool;
    fn decode(raw: &Raw<'_>, place: FieldOffset) -> Self;
}

impl Value for u64 {
    fn fits(form: Form) -> bool {
        matches!(form, Form::Word | Form::Long)
    }

    #[inline]
    fn decode(raw: &Raw<'_>, place: FieldOffset) -> Self {
        number(raw.bytes, place, raw.starts).unwrap_or(0)
    }
}

impl Value for Flag {
    fn fits(form: Form) -> bool {
        matches!(form, Form::Byte | Form::Word | Form::Long)
    }

    #[inline]
    fn decode(raw: &Raw<'_>, place: FieldOffset) -> Self {
        Flag(number(raw.bytes, place, raw.starts).unwrap_or(0) != 0)
    }
}

impl Value for Text {
    fn fits(form: Form) -> bool {
        form == Form::Text
    }

    fn decode(raw: &Raw<'_>, place: FieldOffset) -> Self {
        Text(place.within(raw.starts))
    }
}

impl<V: Value> Value for Option<V> {
    fn fits(_: Form) -> bool {
        true
    }

    #[inline]
    fn decode(raw: &Raw<'_>, place: FieldOffset) -> Self {
        V::fits(place.form()).then(|| V::decode(raw, place))
    }
}

macro_rules! records {
    ($($(#[$doc:meta])* $kind:ident { $($field:ident $(as $name:literal)?: $type:ty),* $(,)? })*) => {
        /// The kinds of records that become rows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum RecordKind {
            $($(#[$doc])* $kind),*
        }

        impl RecordKind {
            /// Returns the kind with this name.
            pub(super) fn from_name(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($kind) => Some(RecordKind::$kind),)*
                    _ => None,
                }
            }

            /// Returns the places of this kind's fields in a layout, or the name of a required
            /// field that is missing.
            pub(super) fn places(self, layout: &Layout) -> Result<Vec<FieldOffset>, &'static str> {
                match self {
                    $(RecordKind::$kind => vec![
                        $((records!(@name $field $($name)?), <$type as Value>::fits as fn(Form) -> bool)),*
                    ],)*
                }
                .into_iter()
                .map(|(name, fits)| {
                    let place = layout.field(name);
                    if fits(place.form()) { Ok(place) } else { Err(name) }
                })
                .collect()
            }
        }

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub(super) struct $kind {
                $(pub(super) $field: $type),*
            }

            impl $kind {
                /// Decodes a record. `places` comes from [`RecordKind::places`].
                #[inline]
                pub(super) fn decode(raw: &Raw<'_>, places: &[FieldOffset]) -> Self {
                    let mut places = places.iter().copied();
                    $kind {
                        $($field: <$type as Value>::decode(raw, places.next().unwrap_or_default())),*
                    }
                }
            }
        )*
    };
    (@name $field:ident $name:literal) => { $name };
    (@name $field:ident) => { stringify!($field) };
}

records! {
    /// The node that wrote the file.
    MachineDesc {
        node_id: Option<u64>,
        num_nodes: Option<u64>,
        version: Option<u64>,
        hostname: Option<Text>,
        process_id: Option<u64>,
    }
    /// The instant from which times count, in ns since 1970-01-01 UTC.
    ZeroTime { zero_time: u64 }
    /// The error of the node's clock, in ns.
    CalibrationErr { calibration_err: u64 }
    /// The number of dimensions of points.
    MaxDimDesc { max_dim: u64 }
    /// The configuration with which Legion was built and started.
    RuntimeConfig {
        debug: Option<Flag>,
        spy: Option<Flag>,
        gc: Option<Flag>,
        inorder: Option<Flag>,
        safe_mapper: Option<Flag>,
        safe_runtime: Option<Flag>,
        safe_ctrlrepl: Option<Flag>,
        part_checks: Option<Flag>,
        bounds_checks: Option<Flag>,
        resilient: Option<Flag>,
    }
    /// The name of a call to a mapper.
    MapperCallDesc { kind: u64, name: Text }
    /// The name of a call of the runtime.
    RuntimeCallDesc { kind: u64, name: Text }
    /// The name of a task of the runtime itself.
    MetaDesc { kind: u64, name: Text }
    /// The name of a kind of operations.
    OpDesc { kind: u64, name: Text }
    /// A processor.
    ProcDesc { proc_id: u64, kind: u64 }
    /// A memory.
    MemDesc { mem_id: u64, kind: u64, capacity: u64 }
    /// The name of a task.
    TaskKind { task_id: u64, name: Text, overwrite: Option<Flag> }
    /// A source position, or a label.
    Provenance { provenance: u64, prov: Text }
    /// An operation, or one of the slices and points of an index launch.
    OperationInstance {
        op_id: u64,
        parent_id: Option<u64>,
        kind: u64,
        provenance: Option<u64>,
        provenance_text as "provenance": Option<Text>,
    }
    /// An index launch of a task.
    MultiTask { op_id: u64, task_id: u64 }
    /// A slice or point of an index launch or of a slice.
    SliceOwner { parent_id: u64, op_id: u64 }
    /// A wait of a task.
    TaskWaitInfo {
        op_id: u64, wait_start: u64, wait_ready: u64, wait_end: u64, wait_event: Option<u64>,
    }
    /// A wait of a task of the runtime itself.
    MetaWaitInfo {
        op_id: u64, lg_id: u64, wait_start: u64, wait_end: u64, wait_event: u64,
    }
    /// An event that an activity waited for. The activity is identified by the event of its end.
    EventWaitInfo { fevent: u64, wait_event: u64 }
    /// The execution of a task.
    TaskInfo {
        op_id: u64, task_id: u64, proc_id: u64, create: u64, ready: u64, start: u64, stop: u64,
        creator: Option<u64>, critical: Option<u64>, fevent: Option<u64>,
    }
    /// The execution of a task on a thread that does not belong to Legion.
    ImplicitTaskInfo {
        op_id: u64, task_id: u64, proc_id: u64, create: u64, ready: u64, start: u64, stop: u64,
        creator: Option<u64>, critical: Option<u64>, fevent: Option<u64>,
    }
    /// The execution of a task, with its work on a GPU.
    GPUTaskInfo {
        op_id: u64, task_id: u64, proc_id: u64, create: u64, ready: u64, start: u64, stop: u64,
        gpu_start: Option<u64>, gpu_stop: Option<u64>,
        creator: Option<u64>, critical: Option<u64>, fevent: Option<u64>,
    }
    /// The execution of a task of the runtime itself.
    MetaInfo {
        op_id: u64, lg_id: u64, proc_id: u64, create: Option<u64>, start: u64, stop: u64,
        creator: Option<u64>, critical: Option<u64>, fevent: Option<u64>,
    }
    /// The execution of a task of the runtime itself that a message started.
    MessageInfo {
        op_id: u64, lg_id: u64, proc_id: u64, create: Option<u64>, start: u64, stop: u64,
        creator: Option<u64>, critical: Option<u64>, fevent: Option<u64>,
    }
    /// A copy of data.
    CopyInfo {
        op_id: u64, size: u64, create: u64, ready: u64, start: u64, stop: u64, fevent: u64,
        creator: Option<u64>, critical: Option<u64>,
    }
    /// The source and destination of a copy.
    CopyInstInfo { src: u64, dst: u64, fevent: u64, indirect: Option<Flag> }
    /// A fill of data with one value.
    FillInfo {
        op_id: u64, size: u64, create: u64, ready: u64, start: u64, stop: u64, fevent: u64,
        creator: Option<u64>, critical: Option<u64>,
    }
    /// The destination of a fill.
    FillInstInfo { dst: u64, fevent: u64 }
    /// The computation of a partition.
    PartitionInfo {
        op_id: u64, part_op: Option<u64>, create: u64, ready: Option<u64>, start: u64, stop: u64, fevent: u64,
        creator: Option<u64>, critical: Option<u64>,
    }
    /// An event that is triggered by the last of others.
    EventMergerInfo {
        result: u64, fevent: Option<u64>, performed: u64,
        pre0: Option<u64>, pre1: Option<u64>, pre2: Option<u64>, pre3: Option<u64>,
    }
    /// An event of a completion queue that is triggered by the last of others.
    CompletionQueueInfo {
        result: u64, fevent: Option<u64>, performed: u64,
        pre0: Option<u64>, pre1: Option<u64>, pre2: Option<u64>, pre3: Option<u64>,
    }
    /// An event that the program or the runtime triggers.
    EventTriggerInfo { result: u64, fevent: Option<u64>, precondition: Option<u64>, performed: u64 }
    /// An event that is triggered as failed.
    EventPoisonInfo { result: u64, fevent: Option<u64>, performed: u64 }
    /// An arrival at a barrier.
    BarrierArrivalInfo { result: u64, fevent: Option<u64>, precondition: Option<u64>, performed: u64 }
    /// The acquisition of a lock.
    ReservationAcquireInfo {
        result: u64, fevent: Option<u64>, precondition: Option<u64>, performed: u64,
    }
    /// The time from which an instance could be used.
    InstanceReadyInfo { result: u64, precondition: Option<u64>, performed: u64 }
    /// An instance, from its allocation to its end.
    InstTimelineInfo {
        inst_uid: u64, mem_id: u64, size: u64, op_id: Option<u64>,
        create: u64, ready: u64, destroy: Option<u64>,
    }
    /// A call to a mapper.
    MapperCallInfo { kind: u64, op_id: Option<u64>, start: u64, stop: u64, proc_id: u64 }
    /// A call of the runtime.
    RuntimeCallInfo { kind: u64, start: u64, stop: u64, proc_id: u64 }
    /// A range of the program's.
    ApplicationCallInfo {
        provenance: Option<u64>,
        provenance_text as "provenance": Option<Text>,
        start: u64, stop: u64, proc_id: u64,
    }
    /// The processing of a response by the profiler.
    ProfTaskInfo { proc_id: u64, op_id: Option<u64>, start: u64, stop: u64 }
}

/// Kinds that are known but not used: the names of regions, and facts that no row shows.
pub(super) const NOT_SHOWN: &[&str] = &[
    "MapperName",
    "TaskVariant",
    "PartitionInstInfo",
    "ExternalEventInfo",
    "ProcMDesc",
    "IndexSpacePointDesc",
    "IndexSpaceRectDesc",
    "IndexSpaceEmptyDesc",
    "IndexSpaceSizeDesc",
    "IndexSpaceDesc",
    "IndexSubSpaceDesc",
    "IndexPartitionDesc",
    "FieldDesc",
    "FieldSpaceDesc",
    "PartDesc",
    "LogicalRegionDesc",
    "PhysicalInstRegionDesc",
    "PhysicalInstLayoutDesc",
    "PhysicalInstDimOrderDesc",
    "PhysicalInstanceSpaces",
    "PhysicalInstanceUsage",
    "BacktraceDesc",
    "InstanceRedistrictInfo",
    "AsyncEffectInfo",
    "MakeValidInfo",
    "FetchMetadataInfo",
    "SpawnInfo",
];
