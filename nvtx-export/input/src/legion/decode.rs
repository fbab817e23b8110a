//! From bytes to records.

use super::buffer::{Buffer, Filled, LONGEST};
use super::container;
use super::layout::{FieldOffset, Layout, Length, Starts};
use super::preamble::Preamble;
use super::record::{Known, MaxDimDesc, NOT_SHOWN, Raw};
use rustc_hash::FxHashMap;
use std::io::{self, Read};

/// Most dimensions that are believed; Legion is built for 9 at most.
const MAX_DIMENSIONS: u64 = 64;

/// The bytes of the id before each record.
const ID: usize = size_of::<u32>();

/// Where a file stops making sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Byte of the (unpacked) file at which the first record stands that could not be read.
    pub offset: u64,
    /// How many bytes were not read from there on; at least 1.
    pub bytes: u64,
    /// What is wrong there.
    pub why: String,
}

/// What becomes of the records of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Rows, or names and facts that rows need.
    Shown,
    /// Nothing: they are known, and nothing here shows them.
    NotShown,
    /// Nothing: this version does not know them.
    Unknown,
    /// Nothing: they have no field of this name.
    Lacking(&'static str),
}

/// The kinds of records of a file.
pub(super) struct Kinds {
    entries: Vec<Entry>,
    /// Row of the entry by id, where that is small.
    small: Vec<Option<u16>>,
    large: FxHashMap<u32, u16>,
}

pub(super) struct Entry {
    pub(super) layout: Layout,
    pub(super) usage: Use,
    pub(super) records: u64,
    /// As what its records are taken, and where the fields are.
    taken: Option<(Known, Vec<FieldOffset>)>,
}

impl Kinds {
    /// Returns the kinds of a preamble, of which those that are `wanted` are taken.
    pub(super) fn of(preamble: &Preamble, wanted: impl Fn(Known) -> bool) -> Self {
        let mut kinds = Kinds {
            entries: Vec::with_capacity(preamble.kinds.len()),
            small: vec![None; 256],
            large: FxHashMap::default(),
        };
        for (kind, row) in preamble.kinds.iter().zip(0_u16..) {
            let layout = Layout::of(kind);
            let known = Known::of(&kind.name);
            let places = known.map(|known| known.places(&layout));
            let (usage, taken) = match (known, places) {
                (Some(known), Some(Ok(places))) => {
                    let taken = wanted(known) || known == Known::MaxDimDesc;
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

/// Reads the records behind a preamble, and gives those that are taken to `take`. Returns where the file is damaged,
/// if it is.
///
/// # Errors
/// The system cannot read the file.
pub(super) fn records<R: Read>(
    buffer: &mut Buffer<R>,
    kinds: &mut Kinds,
    mut take: impl FnMut(Known, &Raw<'_>, &[FieldOffset]),
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

/// Takes all records that stand in `window` in full, whose bytes it adds to `used`. Returns what is wrong behind
/// them, if that is not just the end of the window.
fn run(
    window: &[u8],
    used: &mut usize,
    kinds: &mut Kinds,
    dimensions: &mut Option<u32>,
    take: &mut impl FnMut(Known, &Raw<'_>, &[FieldOffset]),
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
            if *known == Known::MaxDimDesc {
                let found = MaxDimDesc::of(&raw, places).max_dim;
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
