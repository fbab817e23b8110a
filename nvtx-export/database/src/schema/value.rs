//! The types of columns: their SQL, their units, and how values are written and read.

use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
use std::borrow::Cow;
use weft_model::{
    BandwidthOrigin, Flaw, KernelKind, Method, NoPageKernel, OverheadKind, PageEventKind,
    PartitioningKind, RangeKind, Reason, RecordKind, Recorder, Severity, SourceIndex, SourceKind,
    StepKind, Urgency, WaitKind,
};
use weft_trace::id::{MemoryId, ProcessorId, Uid};
use weft_trace::record::{CodeOrigin, DependencyKind, MemoryKind, MessageSide, ProcessorKind};
use weft_trace::time::{Nanos, Timestamp};

/// The type of a column.
pub trait Value<'a>: Sized {
    /// The type in SQL.
    const KIND: &'static str;
    /// The SQL that follows the type.
    const CONSTRAINT: &'static str = " NOT NULL";
    /// The unit of its numbers; empty if they have none.
    const UNIT: &'static str = "";

    /// Returns the words that a value can be; empty if values are not words.
    fn words() -> Vec<&'static str> {
        Vec::new()
    }

    /// Returns the value for SQLite.
    fn sql(&self) -> ToSqlOutput<'_>;

    /// Converts a value from SQLite; `None` if it has another type.
    fn decode(value: ValueRef<'a>) -> Option<Self>;
}

/// Values that are unknown or not understood are NULL.
impl<'a, V: Value<'a>> Value<'a> for Option<V> {
    const KIND: &'static str = V::KIND;
    const CONSTRAINT: &'static str = "";
    const UNIT: &'static str = V::UNIT;

    fn words() -> Vec<&'static str> {
        V::words()
    }

    fn sql(&self) -> ToSqlOutput<'_> {
        match self {
            Some(value) => value.sql(),
            None => ToSqlOutput::Borrowed(ValueRef::Null),
        }
    }

    fn decode(value: ValueRef<'a>) -> Option<Self> {
        Some(V::decode(value))
    }
}

/// Bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub u64);

/// Bytes per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BytesPerSecond(pub u64);

/// A count. Numbers above 2^63 are negative in SQL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count(pub u64);

/// The number by which other tables refer to the row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrimaryKey(pub i64);

/// The text by which other tables refer to the row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextKey<'a>(pub Cow<'a, str>);

/// A list of numbers, such as `[2000, 2000]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers<'a>(pub Cow<'a, [u64]>);

/// A list of numbers with signs, such as `[-1, 2000]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignedNumbers<'a>(pub Cow<'a, [i64]>);

fn integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(value) => Some(value),
        _ => None,
    }
}

fn text(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    match value {
        ValueRef::Text(bytes) => Some(crate::readable(bytes)),
        _ => None,
    }
}

fn from_integer(value: i64) -> ToSqlOutput<'static> {
    ToSqlOutput::Owned(Owned::Integer(value))
}

fn from_text(value: &str) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes()))
}

/// Implements types that are integers in SQL.
macro_rules! integers {
    ($($type:ident $(($name:ident $value:literal))? { to: $to:expr, of: $of:expr $(,)? })*) => {$(
        impl Value<'_> for $type {
            const KIND: &'static str = "INTEGER";
            $(const $name: &'static str = $value;)?

            fn sql(&self) -> ToSqlOutput<'_> {
                let to: fn(&$type) -> i64 = $to;
                from_integer(to(self))
            }

            fn decode(value: ValueRef<'_>) -> Option<Self> {
                let of: fn(i64) -> Option<$type> = $of;
                of(integer(value)?)
            }
        }
    )*};
}

integers! {
    i64 { to: |value| *value, of: Some }
    u32 { to: |value| i64::from(*value), of: |value| value.try_into().ok() }
    u16 { to: |value| i64::from(*value), of: |value| value.try_into().ok() }
    bool { to: |value| i64::from(*value), of: |value| Some(value != 0) }
    PrimaryKey (CONSTRAINT " PRIMARY KEY") { to: |key| key.0, of: |key| Some(PrimaryKey(key)) }
    Count { to: |count| count.0.cast_signed(), of: |count| Some(Count(count.cast_unsigned())) }
    Bytes (UNIT "bytes") {
        to: |bytes| bytes.0.cast_signed(), of: |bytes| Some(Bytes(bytes.cast_unsigned())),
    }
    BytesPerSecond (UNIT "bytes/s") {
        to: |rate| rate.0.cast_signed(),
        of: |rate| Some(BytesPerSecond(rate.cast_unsigned())),
    }
    Timestamp (UNIT "ns") {
        to: |time| time.nanos(), of: |time| Some(Timestamp::from_nanos_since_session_start(time)),
    }
    Nanos (UNIT "ns") { to: |time| time.0, of: |time| Some(Nanos(time)) }
    // SQLite has no unsigned numbers: UIDs of 2^63 and above are negative.
    Uid { to: |uid| uid.raw().cast_signed(), of: |uid| Uid::from_raw(uid.cast_unsigned()) }
    SourceIndex {
        to: |source| source.id(),
        of: |id| Some(SourceIndex(u32::try_from(id).ok()?.checked_sub(1)?)),
    }
    ProcessorId {
        to: |processor| i64::from(processor.0), of: |id| id.try_into().ok().map(ProcessorId),
    }
    MemoryId { to: |memory| i64::from(memory.0), of: |id| id.try_into().ok().map(MemoryId) }
}

impl Value<'_> for f64 {
    const KIND: &'static str = "REAL";

    fn sql(&self) -> ToSqlOutput<'_> {
        ToSqlOutput::Owned(Owned::Real(*self))
    }

    fn decode(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Real(value) => Some(value),
            ValueRef::Integer(value) => Some(value as f64),
            _ => None,
        }
    }
}

impl<'a> Value<'a> for Cow<'a, str> {
    const KIND: &'static str = "TEXT";

    fn sql(&self) -> ToSqlOutput<'_> {
        from_text(self)
    }

    fn decode(value: ValueRef<'a>) -> Option<Self> {
        text(value)
    }
}

impl<'a> Value<'a> for TextKey<'a> {
    const KIND: &'static str = "TEXT";
    const CONSTRAINT: &'static str = " PRIMARY KEY";

    fn sql(&self) -> ToSqlOutput<'_> {
        from_text(&self.0)
    }

    fn decode(value: ValueRef<'a>) -> Option<Self> {
        text(value).map(TextKey)
    }
}

/// Implements lists, which are JSON in SQL.
macro_rules! lists {
    ($($type:ident of $number:ty),*) => {$(
        impl<'a> Value<'a> for $type<'a> {
            const KIND: &'static str = "TEXT";

            fn sql(&self) -> ToSqlOutput<'_> {
                let numbers: Vec<String> = self.0.iter().map(|number| number.to_string()).collect();
                ToSqlOutput::Owned(Owned::Text(format!("[{}]", numbers.join(", "))))
            }

            fn decode(value: ValueRef<'a>) -> Option<Self> {
                let numbers: Vec<$number> = serde_json::from_str(&text(value)?).ok()?;
                Some($type(numbers.into()))
            }
        }

        impl FromIterator<$number> for $type<'_> {
            fn from_iter<I: IntoIterator<Item = $number>>(numbers: I) -> Self {
                $type(numbers.into_iter().collect())
            }
        }
    )*};
}

lists!(Numbers of u64, SignedNumbers of i64);

impl<'a> From<&'a [u64]> for Numbers<'a> {
    fn from(numbers: &'a [u64]) -> Self {
        Numbers(Cow::Borrowed(numbers))
    }
}

/// Implements types that are one of a few words in SQL.
macro_rules! words {
    ($($type:ty: $all:expr => $name:expr;)*) => {$(
        impl Value<'_> for $type {
            const KIND: &'static str = "TEXT";

            fn words() -> Vec<&'static str> {
                let name: fn($type) -> &'static str = $name;
                $all.into_iter().map(name).collect()
            }

            fn sql(&self) -> ToSqlOutput<'_> {
                let name: fn($type) -> &'static str = $name;
                ToSqlOutput::Borrowed(ValueRef::Text(name(*self).as_bytes()))
            }

            fn decode(value: ValueRef<'_>) -> Option<Self> {
                let name: fn($type) -> &'static str = $name;
                let word = text(value)?;
                $all.into_iter().find(|value| name(*value) == word)
            }
        }
    )*};
}

/// Returns the values that records encode as one byte.
fn coded<T>(of: fn(u8) -> Option<T>) -> impl Iterator<Item = T> {
    (0..=u8::MAX).filter_map(of)
}

words! {
    Recorder: Recorder::ALL.iter().copied() => Recorder::name;
    RecordKind: RecordKind::ALL.iter().copied() => RecordKind::name;
    Flaw: Flaw::ALL.iter().copied() => Flaw::name;
    KernelKind: KernelKind::ALL.iter().copied() => KernelKind::name;
    Method: Method::ALL.iter().copied() => Method::name;
    PageEventKind: PageEventKind::ALL.iter().copied() => PageEventKind::name;
    OverheadKind: OverheadKind::ALL.iter().copied() => OverheadKind::name;
    NoPageKernel: NoPageKernel::ALL.iter().copied() => NoPageKernel::name;
    Reason: Reason::ALL.iter().copied() => Reason::name;
    StepKind: StepKind::ALL => StepKind::name;
    WaitKind: WaitKind::ALL_KINDS => WaitKind::name;
    Severity: [Severity::Note, Severity::Loss, Severity::Damage] => Severity::name;
    SourceKind: SOURCES => SourceKind::name;
    Urgency: Urgency::ALL => Urgency::name;
    BandwidthOrigin: BandwidthOrigin::ALL => BandwidthOrigin::name;
    PartitioningKind: PartitioningKind::ALL.iter().copied() => PartitioningKind::name;
    RangeKind: [RangeKind::PushPop, RangeKind::StartEnd] => |kind| match kind {
        RangeKind::PushPop => "PushPop",
        RangeKind::StartEnd => "StartEnd",
    };
    ProcessorKind: coded(ProcessorKind::from_code) => ProcessorKind::name;
    MemoryKind: coded(MemoryKind::from_code) => MemoryKind::name;
    DependencyKind: coded(DependencyKind::from_code) => DependencyKind::name;
    CodeOrigin: coded(CodeOrigin::from_code) => CodeOrigin::name;
    MessageSide: coded(MessageSide::from_code) => MessageSide::name;
}

const SOURCES: [SourceKind; 4] = [
    SourceKind::WeftProf,
    SourceKind::LegionProf,
    SourceKind::NsysSqlite,
    SourceKind::NsysReport,
];
