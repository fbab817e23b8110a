//! Decoding of bytes to records.

use super::buffer::{Buffer, Filled, LONGEST};
use super::container;
use super::layout::{FieldOffset, Layout, Length, Starts};
use super::preamble::Preamble;
use super::record::{MaxDimDesc, NOT_SHOWN, Raw, RecordKind};
use rustc_hash::FxHashMap;
use std::io::{self, Read};

/// The largest plausible number of dimensions. Legion can be built for at most 9.
const MAX_DIMENSIONS: u64 = 64;

/// The size of the id before each record, in bytes.
const ID: usize = size_of::<u32>();

/// The place where a file becomes unreadable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The offset in the uncompressed file of the first record that could not be read.
    pub offset: u64,
    /// The number of bytes from there to the end, at least 1.
    pub bytes: u64,
    /// A description of the damage.
    pub why: String,
}

/// The use of a kind's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// They become rows, or names and facts that rows need.
    Shown,
    /// They are known, but not used.
    NotShown,
    /// The kind is unknown to this version.
    Unknown,
    /// They are not used, because they lack the field with this name.
    Lacking(&'static str),
}

/// The kinds of records of a file.
pub(super) struct Kinds {
    entries: Vec<Entry>,
    /// The index in `entries` for small ids.
    small: Vec<Option<u16>>,
    large: FxHashMap<u32, u16>,
}

pub(super) struct Entry {
    pub(super) layout: Layout,
    pub(super) usage: Use,
    pub(super) records: u64,
    /// The kind that the records are decoded as, with the places of its fields; `None` if they are
    /// skipped.
    taken: Option<(RecordKind, Vec<FieldOffset>)>,
}

impl Kinds {
    /// Returns the kinds of a preamble. Those that are `wanted` are decoded.
    pub(super) fn new(preamble: &Preamble, wanted: impl Fn(RecordKind) -> bool) -> Self {
        let mut kinds = Kinds {
            entries: Vec::with_capacity(preamble.kinds.len()),
            small: vec![None; 256],
            large: FxHashMap::default(),
        };
        for (kind, row) in preamble.kinds.iter().zip(0_u16..) {
            let layout = Layout::new(kind);
            let known = RecordKind::from_name(&kind.name);
            let places = known.map(|known| known.places(&layout));
            let (usage, taken) = match (known, places) {
                (Some(known), Some(Ok(places))) => {
                    let taken = wanted(known) || known == RecordKind::MaxDimDesc;
                    (Use::Shown, taken.then_some((known, places)))
                }
                (_, Some(Err(field))) => (Use::Lacking(field), None),
                _ if NOT_SHOWN.contains(&&*kind.name) => (Use::NotShown, None),
                _ => (Use::Unknown, None),
            };
            kinds.entries.push(Entry {
                layout,
                usage,
                records: 0,
                taken,
            });
            match kinds.small.get_mut(kind.id as usize) {
                Some(slot) => *slot = Some(row),
                None => _ = kinds.large.insert(kind.id, row),
            }
        }
        kinds
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    #[inline]
    fn entry(&mut self, id: u32) -> Option<&mut Entry> {
        let row = match self.small.get(id as usize) {
            Some(row) => *row,
            None => self.large.get(&id).copied(),
        };
        self.entries.get_mut(usize::from(row?))
    }
}

/// Reads the records after a preamble, and passes those that are decoded to `take`. Returns the
/// damage of the file, if any.
///
/// # Errors
/// Returns an error if the system cannot read the file.
pub(super) fn records<R: Read>(
    buffer: &mut Buffer<R>,
    kinds: &mut Kinds,
    mut take: impl FnMut(RecordKind, &Raw<'_>, &[FieldOffset]),
) -> io::Result<Option<Damage>> {
    let mut dimensions = None;
    loop {
        let mut used = 0;
        let wrong = run(
            buffer.window(),
            &mut used,
            kinds,
            &mut dimensions,
            &mut take,
        );
        buffer.consume(used);
        let why = match wrong {
            Some(why) => why,
            None => match buffer.fill() {
                Ok(Filled::Longer) => continue,
                Ok(Filled::Ended) if buffer.window().is_empty() => return Ok(None),
                Ok(Filled::Ended) => "it ends within a record".to_owned(),
                Ok(Filled::Full) => format!("a record is longer than {LONGEST} bytes"),
                Err(error) if container::is_damage(&error) => {
                    format!("it cannot be unpacked ({error})")
                }
                Err(error) => return Err(error),
            },
        };
        let offset = buffer.offset();
        let bytes = buffer.drain().max(1);
        return Ok(Some(Damage { offset, bytes, why }));
    }
}

/// Passes all complete records in `window` to `take`, and adds their size to `used`. Returns a
/// description of the damage after them, unless they end with the window.
fn run(
    window: &[u8],
    used: &mut usize,
    kinds: &mut Kinds,
    dimensions: &mut Option<u32>,
    take: &mut impl FnMut(RecordKind, &Raw<'_>, &[FieldOffset]),
) -> Option<String> {
    let mut starts = Starts::default();
    loop {
        let rest = window.get(*used..)?;
        let (id, bytes) = rest.split_first_chunk::<ID>()?;
        let id = u32::from_le_bytes(*id);
        let Some(entry) = kinds.entry(id) else {
            return Some(format!("no kind of record has the id {id}"));
        };
        let length = match entry.layout.length {
            Some(length) if length <= bytes.len() => length,
            Some(_) => return None,
            None => match entry.layout.measure(bytes, *dimensions, &mut starts) {
                Length::Known(length) => length,
                Length::Longer => return None,
                Length::Untold(why) => return Some(why.to_owned()),
            },
        };
        if let Some((known, places)) = &entry.taken {
            let raw = Raw {
                bytes: bytes.get(..length)?,
                starts: &starts,
            };
            if *known == RecordKind::MaxDimDesc {
                let found = MaxDimDesc::decode(&raw, places).max_dim;
                if found > MAX_DIMENSIONS {
                    return Some(format!("{found} is not a number of dimensions"));
                }
                *dimensions = u32::try_from(found).ok();
            } else {
                take(*known, &raw, places);
            }
        }
        entry.records += 1;
        *used += ID + length;
    }
}
