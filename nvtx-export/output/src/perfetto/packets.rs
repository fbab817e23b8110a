//! Encoding of packets, one by one, with interned texts.

use super::proto::{
    AnnotationValue, BuiltinClock, Clock, ClockSnapshot, CounterDescriptor, Data, DebugAnnotation,
    EventType, INCREMENTAL_STATE_CLEARED, Interned, InternedData, MERGED_BY_KEY,
    NEEDS_INCREMENTAL_STATE, ORDERED_BY_RANK, ProcessDescriptor, TracePacket, TracePacketDefaults,
    TrackDescriptor, TrackEvent,
};
use rustc_hash::FxHashMap;
use std::io::{self, Write};
use weft_model::text::place;
use weft_model::{ProvenanceIndex, StringIndex, Trace};

/// The sequence of all packets.
const SEQUENCE: u32 = 1;

/// A text that is written once, at its first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Text {
    /// A text of the joined trace.
    String(StringIndex),
    /// `file:line`.
    Place(ProvenanceIndex),
    /// A fixed word.
    Word(&'static str),
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Uint(u64),
    Int(i64),
    Bool(bool),
    Text(Text),
    /// The UIDs that a launch serves, with their shares.
    Served(Vec<(u64, f64)>),
}

/// The beginning of a slice, or an instant.
#[derive(Clone, Debug)]
pub(super) struct Slice {
    pub(super) name: Text,
    pub(super) category: &'static str,
    pub(super) args: Vec<(Text, Value)>,
    /// Arrows that leave here, or whose direction is determined by times.
    pub(super) flows: Vec<u64>,
    /// Arrows that end here, and began earlier.
    pub(super) ending: Vec<u64>,
}

impl Slice {
    pub(super) fn new(name: Text, category: &'static str) -> Self {
        Slice {
            name,
            category,
            args: Vec::with_capacity(12),
            flows: Vec::new(),
            ending: Vec::new(),
        }
    }

    /// Adds an argument.
    pub(super) fn arg(&mut self, name: &'static str, value: Value) {
        self.args.push((Text::Word(name), value));
    }

    /// Adds an argument if there is a value.
    pub(super) fn optional(&mut self, name: &'static str, value: Option<Value>) {
        if let Some(value) = value {
            self.arg(name, value);
        }
    }
}

/// The numbers of written packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) slices: u64,
    pub(super) samples: u64,
}

/// A writer of packets.
pub(super) struct Packets<'a, W> {
    to: W,
    trace: &'a Trace,
    /// The shift that is added to every time, in ns.
    shift: i64,
    buffer: Vec<u8>,
    names: FxHashMap<Text, u64>,
    categories: FxHashMap<Text, u64>,
    arguments: FxHashMap<Text, u64>,
    values: FxHashMap<Text, u64>,
    fresh: InternedData,
    pub(super) counts: Counts,
}

/// The kind of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counter {
    Bytes,
    Percent,
}

/// The description of a track.
#[derive(Clone, Debug)]
pub(super) struct Described<'t> {
    pub(super) uuid: u64,
    pub(super) parent: Option<u64>,
    pub(super) name: &'t str,
    /// A key: tracks with the same parent and key are drawn as one.
    pub(super) key: u64,
    pub(super) rank: i32,
    pub(super) counter: Option<Counter>,
}

impl<'a, W: Write> Packets<'a, W> {
    /// Begins a trace, with its clock, which is the clock of `trace` plus `shift`, and the wall
    /// clock at its zero if known.
    pub(super) fn begin(
        to: W,
        trace: &'a Trace,
        shift: i64,
        wall: Option<u64>,
    ) -> io::Result<Self> {
        let mut packets = Packets {
            to,
            trace,
            shift,
            buffer: Vec::new(),
            names: FxHashMap::default(),
            categories: FxHashMap::default(),
            arguments: FxHashMap::default(),
            values: FxHashMap::default(),
            fresh: InternedData::default(),
            counts: Counts::default(),
        };
        let clock = |clock: BuiltinClock, timestamp| Clock {
            clock_id: Some(clock as u32),
            timestamp: Some(timestamp),
        };
        let wall = wall.map(|wall| clock(BuiltinClock::Realtime, wall));
        packets.packet(TracePacket {
            sequence_flags: Some(INCREMENTAL_STATE_CLEARED),
            first_packet_on_sequence: Some(true),
            trace_packet_defaults: Some(TracePacketDefaults {
                timestamp_clock_id: Some(BuiltinClock::Monotonic as u32),
            }),
            data: Some(Data::ClockSnapshot(ClockSnapshot {
                clocks: std::iter::once(clock(BuiltinClock::Monotonic, 0))
                    .chain(wall)
                    .collect(),
                primary_trace_clock: Some(BuiltinClock::Monotonic as i32),
            })),
            ..TracePacket::default()
        })?;
        Ok(packets)
    }

    /// Writes a process, the parent of tracks.
    pub(super) fn process(&mut self, uuid: u64, pid: i32, name: &str, rank: i32) -> io::Result<()> {
        self.descriptor(TrackDescriptor {
            uuid: Some(uuid),
            process: Some(ProcessDescriptor {
                pid: Some(pid),
                process_name: Some(name.to_owned()),
            }),
            child_ordering: Some(ORDERED_BY_RANK),
            sibling_order_rank: Some(rank),
            ..TrackDescriptor::default()
        })
    }

    /// Writes a track.
    pub(super) fn track(&mut self, track: &Described<'_>) -> io::Result<()> {
        let counter = track.counter.map(|counter| match counter {
            Counter::Bytes => CounterDescriptor {
                unit: Some(super::proto::UNIT_BYTES),
                unit_name: None,
            },
            Counter::Percent => CounterDescriptor {
                unit: None,
                unit_name: Some("%".to_owned()),
            },
        });
        self.descriptor(TrackDescriptor {
            uuid: Some(track.uuid),
            parent_uuid: track.parent,
            name: Some(track.name.to_owned()),
            sibling_order_rank: Some(track.rank),
            sibling_merge_behavior: Some(MERGED_BY_KEY),
            sibling_merge_key_int: Some(track.key),
            counter,
            ..TrackDescriptor::default()
        })
    }

    fn descriptor(&mut self, descriptor: TrackDescriptor) -> io::Result<()> {
        self.packet(TracePacket {
            data: Some(Data::TrackDescriptor(descriptor)),
            sequence_flags: Some(NEEDS_INCREMENTAL_STATE),
            ..TracePacket::default()
        })
    }

    /// Writes the beginning of a slice.
    pub(super) fn open(&mut self, track: u64, time: i64, slice: Slice) -> io::Result<()> {
        self.counts.slices += 1;
        self.slice(EventType::SliceBegin, track, time, slice, Vec::new())
    }

    /// Writes facts as an instant, which counts as a slice. Each name occurs once, so the texts are
    /// not interned.
    pub(super) fn facts(
        &mut self,
        track: u64,
        time: i64,
        facts: impl Iterator<Item = (String, String)>,
    ) -> io::Result<()> {
        self.counts.slices += 1;
        let facts = facts.map(|(name, value)| DebugAnnotation {
            name: Some(name),
            value: Some(AnnotationValue::String(value)),
            ..DebugAnnotation::default()
        });
        let slice = Slice::new(Text::Word("facts"), "facts");
        self.slice(EventType::Instant, track, time, slice, facts.collect())
    }

    fn slice(
        &mut self,
        kind: EventType,
        track: u64,
        time: i64,
        slice: Slice,
        mut annotations: Vec<DebugAnnotation>,
    ) -> io::Result<()> {
        let trace = self.trace;
        let fresh = &mut self.fresh;
        let name_iid = iid(trace, &mut self.names, &mut fresh.event_names, slice.name);
        let category = Text::Word(slice.category);
        let category = iid(
            trace,
            &mut self.categories,
            &mut fresh.event_categories,
            category,
        );
        annotations.reserve_exact(slice.args.len());
        for (name, value) in slice.args {
            annotations.push(self.annotation(name, value));
        }
        let event = TrackEvent {
            category_iids: vec![category],
            name_iid: Some(name_iid),
            debug_annotations: annotations,
            flow_ids: slice.flows,
            terminating_flow_ids: slice.ending,
            ..TrackEvent::default()
        };
        self.event(kind, track, time, event)
    }

    /// Writes the end of the slice on `track` that began last.
    pub(super) fn close(&mut self, track: u64, time: i64) -> io::Result<()> {
        self.event(EventType::SliceEnd, track, time, TrackEvent::default())
    }

    /// Writes a sample of a counter of bytes.
    pub(super) fn bytes(&mut self, track: u64, time: i64, value: i64) -> io::Result<()> {
        self.counts.samples += 1;
        let event = TrackEvent {
            counter_value: Some(value),
            ..TrackEvent::default()
        };
        self.event(EventType::Counter, track, time, event)
    }

    /// Writes a sample of a counter of per cent.
    pub(super) fn percent(&mut self, track: u64, time: i64, value: f64) -> io::Result<()> {
        self.counts.samples += 1;
        let event = TrackEvent {
            double_counter_value: Some(value),
            ..TrackEvent::default()
        };
        self.event(EventType::Counter, track, time, event)
    }

    fn event(
        &mut self,
        kind: EventType,
        track: u64,
        time: i64,
        event: TrackEvent,
    ) -> io::Result<()> {
        let fresh = std::mem::take(&mut self.fresh);
        self.packet(TracePacket {
            timestamp: Some(self.time(time)),
            interned_data: (fresh != InternedData::default()).then_some(fresh),
            sequence_flags: Some(NEEDS_INCREMENTAL_STATE),
            data: Some(Data::TrackEvent(TrackEvent {
                r#type: Some(kind as i32),
                track_uuid: Some(track),
                ..event
            })),
            ..TracePacket::default()
        })
    }

    /// Converts a time of the joined trace to a time of this trace, which is never below 0.
    pub(super) fn time(&self, time: i64) -> u64 {
        let shifted = i128::from(time) + i128::from(self.shift);
        shifted.clamp(0, i128::from(i64::MAX)) as u64
    }

    fn annotation(&mut self, name: Text, value: Value) -> DebugAnnotation {
        let arguments = &mut self.fresh.debug_annotation_names;
        let name_iid = iid(self.trace, &mut self.arguments, arguments, name);
        let mut annotation = DebugAnnotation {
            name_iid: Some(name_iid),
            ..DebugAnnotation::default()
        };
        annotation.value = match value {
            Value::Uint(value) => Some(AnnotationValue::Uint(value)),
            Value::Int(value) => Some(AnnotationValue::Int(value)),
            Value::Bool(value) => Some(AnnotationValue::Bool(value)),
            Value::Text(text) => {
                let values = &mut self.fresh.debug_annotation_string_values;
                let text = iid(self.trace, &mut self.values, values, text);
                Some(AnnotationValue::Text(text))
            }
            Value::Served(served) => {
                let [uid, share] = ["uid", "share"].map(|word| {
                    let arguments = &mut self.fresh.debug_annotation_names;
                    iid(self.trace, &mut self.arguments, arguments, Text::Word(word))
                });
                let entry = |name: u64, value| DebugAnnotation {
                    name_iid: Some(name),
                    value: Some(value),
                    ..DebugAnnotation::default()
                };
                let item = |(task, part): (u64, f64)| DebugAnnotation {
                    dict_entries: vec![
                        entry(uid, AnnotationValue::Uint(task)),
                        entry(share, AnnotationValue::Double(part)),
                    ],
                    ..DebugAnnotation::default()
                };
                annotation.array_values = served.into_iter().map(item).collect();
                None
            }
        };
        annotation
    }

    fn packet(&mut self, mut packet: TracePacket) -> io::Result<()> {
        packet.trusted_packet_sequence_id = Some(SEQUENCE);
        self.buffer.clear();
        // Field 1 of Trace, a message. Writing to a `Vec` never fails.
        prost::encoding::message::encode(1, &packet, &mut self.buffer);
        self.to.write_all(&self.buffer)
    }
}

/// Returns the id of a text, which is defined in `fresh` if it is new.
fn iid(
    trace: &Trace,
    known: &mut FxHashMap<Text, u64>,
    fresh: &mut Vec<Interned>,
    text: Text,
) -> u64 {
    let next = known.len() as u64 + 1;
    *known.entry(text).or_insert_with(|| {
        let words = match text {
            Text::String(index) => trace.strings.get(index).to_owned(),
            Text::Place(index) => place(trace, index).unwrap_or_default(),
            Text::Word(word) => word.to_owned(),
        };
        fresh.push(Interned {
            iid: Some(next),
            text: Some(words),
        });
        next
    })
}
