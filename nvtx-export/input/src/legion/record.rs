//! The records that become rows, each with the fields that are used of it.
//!
//! A kind is known by its name, a field by its name and size. Where a kind lacks a field that it cannot be understood
//! without, it is left out and counted. Records, fields and their meaning:
//! Legion, `legion_profiling_serializer.cc`.

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
    /// Returns the bytes of a text, without its NUL.
    pub(super) fn text(&self, text: Text) -> std::borrow::Cow<'a, str> {
        let bytes = self.bytes.get(text.0..).unwrap_or_default();
        let end = bytes.iter().position(|byte| *byte == 0);
        String::from_utf8_lossy(bytes.get(..end.unwrap_or(0)).unwrap_or_default())
    }
}

/// True or false, in any number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flag(pub(super) bool);

/// What a field can be read as.
pub(super) trait Value: Sized {
    /// Returns whether a field of this form can be read so.
    fn fits(form: Form) -> bool;
    fn of(raw: &Raw<'_>, place: FieldOffset) -> Self;
}

impl Value for u64 {
    fn fits(form: Form) -> bool {
        matches!(form, Form::Word | Form::Long)
    }

    #[inline]
    fn of(raw: &Raw<'_>, place: FieldOffset) -> Self {
        number(raw.bytes, place, raw.starts).unwrap_or(0)
    }
}

impl Value for Flag {
    fn fits(form: Form) -> bool {
        matches!(form, Form::Byte | Form::Word | Form::Long)
    }

    #[inline]
    fn of(raw: &Raw<'_>, place: FieldOffset) -> Self {
        Flag(number(raw.bytes, place, raw.starts).unwrap_or(0) != 0)
    }
}

impl Value for Text {
    fn fits(form: Form) -> bool {
        form == Form::Text
    }

    fn of(raw: &Raw<'_>, place: FieldOffset) -> Self {
        Text(place.within(raw.starts))
    }
}

impl<V: Value> Value for Option<V> {
    fn fits(_: Form) -> bool {
        true
    }

    #[inline]
    fn of(raw: &Raw<'_>, place: FieldOffset) -> Self {
        V::fits(place.form()).then(|| V::of(raw, place))
    }
}

macro_rules! records {
    ($($(#[$doc:meta])* $kind:ident { $($field:ident $(as $name:literal)?: $type:ty),* $(,)? })*) => {
        /// The kinds of records that become rows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Known {
            $($(#[$doc])* $kind),*
        }

        impl Known {
            /// Returns the kind of this name.
            pub(super) fn of(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($kind) => Some(Known::$kind),)*
                    _ => None,
                }
            }

            /// Where a layout has the fields of this kind. The name of one that is missing, where it cannot do
            /// without.
            pub(super) fn places(self, layout: &Layout) -> Result<Vec<FieldOffset>, &'static str> {
                match self {
                    $(Known::$kind => vec![
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
                /// Reads a record; `places` are those of [`Known::places`].
                #[inline]
                pub(super) fn of(raw: &Raw<'_>, places: &[FieldOffset]) -> Self {
                    let mut places = places.iter().copied();
                    $kind {
                        $($field: <$type as Value>::of(raw, places.next().unwrap_or_default())),*
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
    /// The instant that times are counted from: ns since 1970-01-01 UTC.
    ZeroTime { zero_time: u64 }
    /// The error of the node's clock, ns.
    CalibrationErr { calibration_err: u64 }
    /// The number of dimensions of points.
    MaxDimDesc { max_dim: u64 }
    /// How Legion was built and started.
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
    /// A task could not go on.
    TaskWaitInfo {
        op_id: u64, wait_start: u64, wait_ready: u64, wait_end: u64, wait_event: Option<u64>,
    }
    /// A task of the runtime itself could not go on.
    MetaWaitInfo {
        op_id: u64, lg_id: u64, wait_start: u64, wait_end: u64, wait_event: u64,
    }
    /// Something waited for an event: which, by the event of its end.
    EventWaitInfo { fevent: u64, wait_event: u64 }
    /// A task ran.
    TaskInfo {
        op_id: u64, task_id: u64, proc_id: u64, create: u64, ready: u64, start: u64, stop: u64,
        creator: Option<u64>, critical: Option<u64>, fevent: Option<u64>,
    }
    /// A task ran on a thread that is not Legion's.
    ImplicitTaskInfo {
        op_id: u64, task_id: u64, proc_id: u64, create: u64, ready: u64, start: u64, stop: u64,
        creator: Option<u64>, critical: Option<u64>, fevent: Option<u64>,
    }
    /// A task ran, and its work on a GPU.
    GPUTaskInfo {
        op_id: u64, task_id: u64, proc_id: u64, create: u64, ready: u64, start: u64, stop: u64,
        gpu_start: Option<u64>, gpu_stop: Option<u64>,
        creator: Option<u64>, critical: Option<u64>, fevent: Option<u64>,
    }
    /// A task of the runtime itself ran.
    MetaInfo {
        op_id: u64, lg_id: u64, proc_id: u64, create: Option<u64>, start: u64, stop: u64,
        creator: Option<u64>, critical: Option<u64>, fevent: Option<u64>,
    }
    /// The same, started by a message.
    MessageInfo {
        op_id: u64, lg_id: u64, proc_id: u64, create: Option<u64>, start: u64, stop: u64,
        creator: Option<u64>, critical: Option<u64>, fevent: Option<u64>,
    }
    /// Data were copied.
    CopyInfo {
        op_id: u64, size: u64, create: u64, ready: u64, start: u64, stop: u64, fevent: u64,
        creator: Option<u64>, critical: Option<u64>,
    }
    /// From where to where.
    CopyInstInfo { src: u64, dst: u64, fevent: u64, indirect: Option<Flag> }
    /// Data were filled with one value.
    FillInfo {
        op_id: u64, size: u64, create: u64, ready: u64, start: u64, stop: u64, fevent: u64,
        creator: Option<u64>, critical: Option<u64>,
    }
    /// Where.
    FillInstInfo { dst: u64, fevent: u64 }
    /// A partition was computed.
    PartitionInfo {
        op_id: u64, part_op: Option<u64>, create: u64, ready: Option<u64>, start: u64, stop: u64, fevent: u64,
        creator: Option<u64>, critical: Option<u64>,
    }
    /// An event that is set off by the last of others.
    EventMergerInfo {
        result: u64, fevent: Option<u64>, performed: u64,
        pre0: Option<u64>, pre1: Option<u64>, pre2: Option<u64>, pre3: Option<u64>,
    }
    /// The same, of a queue of completions.
    CompletionQueueInfo {
        result: u64, fevent: Option<u64>, performed: u64,
        pre0: Option<u64>, pre1: Option<u64>, pre2: Option<u64>, pre3: Option<u64>,
    }
    /// An event that the program or the runtime sets off.
    EventTriggerInfo { result: u64, fevent: Option<u64>, precondition: Option<u64>, performed: u64 }
    /// An event that is set off as failed.
    EventPoisonInfo { result: u64, fevent: Option<u64>, performed: u64 }
    /// An arrival at a barrier.
    BarrierArrivalInfo { result: u64, fevent: Option<u64>, precondition: Option<u64>, performed: u64 }
    /// A lock was taken.
    ReservationAcquireInfo {
        result: u64, fevent: Option<u64>, precondition: Option<u64>, performed: u64,
    }
    /// An instance could be used.
    InstanceReadyInfo { result: u64, precondition: Option<u64>, performed: u64 }
    /// An instance, from its allocation to its end.
    InstTimelineInfo {
        inst_uid: u64, mem_id: u64, size: u64, op_id: Option<u64>,
        create: u64, ready: u64, destroy: Option<u64>,
    }
    /// A mapper was called.
    MapperCallInfo { kind: u64, op_id: Option<u64>, start: u64, stop: u64, proc_id: u64 }
    /// The runtime was called.
    RuntimeCallInfo { kind: u64, start: u64, stop: u64, proc_id: u64 }
    /// A range of the program's.
    ApplicationCallInfo {
        provenance: Option<u64>,
        provenance_text as "provenance": Option<Text>,
        start: u64, stop: u64, proc_id: u64,
    }
    /// The profiler took in a response.
    ProfTaskInfo { proc_id: u64, op_id: Option<u64>, start: u64, stop: u64 }
}

/// Kinds that are known and become no rows: the names of regions, and facts that nothing here shows.
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
