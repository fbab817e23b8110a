//! The page with embedded answers: one file that opens without a server or a network.
//!
//! Answers and tiles form one bundle: u32 length of JSON, the JSON, the tiles; packed by gzip, in
//! base64. Tiles are added from the whole trace downwards, level by level, each lane down to its
//! slices, while there is room. The details of slices follow, those on the critical path first.

use crate::api::{counter, critical, info, item, memory, source, tiles};
use crate::page;
use crate::site::{self, Site};
use crate::state::{State, ViewError};
use crate::why::Recorded;
use flate2::Compression;
use flate2::write::GzEncoder;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::Write;
use std::panic::resume_unwind;
use std::thread;
use weft_timeline::{Flags, Tile, TileKey, Tiles};

/// The maximum size of a file in bytes, unless a smaller one is requested.
pub const LARGEST: usize = 25 << 20;

/// The initial limit in bytes before packing. It is reduced if the packed file is too large.
const FIRST_TRY: usize = 48 << 20;

/// Bins of a counter over the whole trace.
const COUNTER_BINS: usize = 2048;

/// Bins of the lines that held a memory, over the whole trace.
const MEMORY_BINS: usize = 1024;

/// The number of slices whose details a thread reads between two checks of the remaining room.
const BATCH: usize = 2048;

/// The maximum number of threads that read details.
const THREADS: usize = 8;

/// A page with embedded answers.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// The file.
    pub html: Vec<u8>,
    /// Sentences about the parts of the trace that are not in the file.
    pub left_out: Vec<String>,
}

/// Makes a page of at most `largest` bytes, or the smallest possible page if that is larger.
///
/// # Errors
/// Returns an error if the trace cannot be read.
pub fn embed(site: &Site, largest: usize) -> Result<Embedded, ViewError> {
    let states = site.states();
    for state in &states {
        state.trace.file.load_if_small()?;
    }
    let mut room = FIRST_TRY.min(largest.saturating_mul(4));
    let sides = states.iter().enumerate();
    // The changes between two runs are read from the first run's state.
    let sides =
        sides.map(|(side, state)| Answers::collect(state, site.changes().filter(|_| side == 0)));
    let mut sides = sides.collect::<Result<Vec<_>, _>>()?;
    loop {
        let mut left_out = Vec::new();
        let mut bundles = Vec::new();
        for (side, (state, answers)) in states.iter().zip(&mut sides).enumerate() {
            let (packed, missing) = bundle(state, answers, room / states.len().max(1))?;
            bundles.push(base64(&packed));
            let of = match (states.len(), side) {
                (1, _) => "",
                (_, 0) => "before: ",
                _ => "after: ",
            };
            left_out.extend(missing.into_iter().map(|what| format!("{of}{what}")));
        }
        let html = page::with_data(&site::random()?, &bundles);
        if html.len() <= largest || room < 1 << 16 {
            return Ok(Embedded { html, left_out });
        }
        // The room at the same compression ratio, and a little less.
        let fitting = room as f64 * largest as f64 / html.len() as f64;
        room = (fitting * 0.9) as usize;
    }
}

/// Answers as text, which takes a tenth of the memory of their values. They are kept between tries.
struct Answers {
    /// The answers that every file holds, by request.
    always: Vec<(String, String)>,
    memories: FxHashMap<u32, String>,
    details: FxHashMap<u32, String>,
}

impl Answers {
    fn collect(state: &State, changes: Option<&Value>) -> Result<Self, ViewError> {
        let mut always = vec![("info".to_owned(), info::value(state)?.to_string())];
        if let Some(changes) = changes {
            always.push(("changes".to_owned(), changes.to_string()));
        }
        let files = source::files(state)?;
        let count = files
            .get("files")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        always.push(("sources".to_owned(), files.to_string()));
        for file in 0..count {
            let source = source::value(state, file)?;
            always.push((format!("source?file={file}"), source.to_string()));
        }
        let path = critical::value(state)?;
        always.push(("critical".to_owned(), path.to_string()));
        let file = &state.trace.file;
        for (lane, ..) in file.counters() {
            let levels = counter::value(state, lane, 0, file.end().max(1), COUNTER_BINS)?;
            always.push((format!("counter?lane={lane}"), levels.to_string()));
        }
        Ok(Answers {
            always,
            memories: FxHashMap::default(),
            details: FxHashMap::default(),
        })
    }

    /// The lines that held a memory.
    fn memory(&mut self, state: &State, lane: u32) -> Result<&str, ViewError> {
        use std::collections::hash_map::Entry;

        match self.memories.entry(lane) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let span = (0, state.trace.file.end().max(1));
                let held = memory::value(state, lane, span, MEMORY_BINS, memory::LINES)?;
                Ok(place.insert(held.to_string()))
            }
        }
    }

    /// Reads the details of the first of these slices while there is room, on all processors.
    /// Returns their number.
    fn read_details(
        &mut self,
        state: &State,
        items: &[u32],
        room: usize,
    ) -> Result<usize, ViewError> {
        let threads = thread::available_parallelism().map_or(1, |all| all.get().min(THREADS));
        let mut used = 0;
        let mut count = 0;
        for batch in items.chunks(BATCH * threads) {
            if used >= room {
                break;
            }
            let is_new = |id: &u32| !self.details.contains_key(id);
            let new: Vec<u32> = batch.iter().copied().filter(is_new).collect();
            let each = new.len().div_ceil(threads).max(1);
            let read = thread::scope(|scope| {
                let readers = new
                    .chunks(each)
                    .map(|part| scope.spawn(move || details(state, part)));
                let readers: Vec<_> = readers.collect();
                let read = readers.into_iter().map(|reader| match reader.join() {
                    Ok(read) => read,
                    Err(panic) => resume_unwind(panic),
                });
                read.collect::<Result<Vec<_>, ViewError>>()
            })?;
            self.details.extend(read.into_iter().flatten());
            for id in batch {
                if used >= room {
                    break;
                }
                used += self.details.get(id).map_or(0, String::len);
                count += 1;
            }
        }
        Ok(count)
    }
}

/// The details of slices, as text.
fn details(state: &State, items: &[u32]) -> Result<Vec<(u32, String)>, ViewError> {
    state.with_database(|database| {
        let mut recorded = Recorded::new(state, database);
        let read = items.iter().map(|id| {
            let details = item::details(state, database, &mut recorded, *id)?;
            Ok((*id, details.to_string()))
        });
        read.collect()
    })
}

/// Packs the answers and tiles that have room; returns sentences about the others.
fn bundle(
    state: &State,
    answers: &mut Answers,
    room: usize,
) -> Result<(Vec<u8>, Vec<String>), ViewError> {
    let mut left_out = Vec::new();
    let mut used: usize = answers.always.iter().map(|(_, text)| text.len()).sum();
    let file = &state.trace.file;
    let mut memories = Vec::new();
    let mut memories_left = 0_u64;
    for (lane, ..) in file.counters() {
        // Tiles get at least half of the file.
        if used >= room / 2 {
            memories_left += 1;
            continue;
        }
        used += answers.memory(state, lane)?.len();
        memories.push(lane);
    }
    if memories_left > 0 {
        left_out.push(format!("which lines held {memories_left} of the memories"));
    }
    let drawn = EmbeddedTiles::collect(state, room.saturating_sub(used) * 2 / 3)?;
    used += drawn.bytes.len();
    if drawn.left_out > 0 {
        left_out.push(format!(
            "{} tiles of finer levels: where they would be, the file shows shares of time",
            drawn.left_out
        ));
    }
    if let Some(part) = &state.options.part {
        left_out.push(format!(
            "finer tiles and details outside of {:.3} to {:.3} ms",
            part.start as f64 / 1e6,
            part.end as f64 / 1e6
        ));
    }
    let details = answers.read_details(state, &drawn.items, room.saturating_sub(used))?;
    let items = u64::from(file.items());
    if (details as u64) < items {
        left_out.push(format!(
            "the details, why it waited and dependences, of {} of {items} slices",
            items - details as u64
        ));
    }
    left_out.push("advice, simulated savings and search by SQL, which need `weft view`".to_owned());
    let always = answers.always.iter();
    let mut texts: Vec<(String, &str)> = always
        .map(|(key, text)| (key.clone(), text.as_str()))
        .collect();
    let memories = memories.iter().filter_map(|lane| {
        let text = answers.memories.get(lane)?;
        Some((format!("memory?lane={lane}"), text.as_str()))
    });
    texts.extend(memories);
    let shown = drawn.items.iter().take(details).filter_map(|id| {
        let text = answers.details.get(id)?;
        Some((format!("item?id={id}"), text.as_str()))
    });
    texts.extend(shown);
    let packed = pack(&texts, &left_out, &drawn);
    let packed = packed
        .map_err(|error| ViewError::Unknown(format!("the answers cannot be packed: {error}")))?;
    Ok((packed, left_out))
}

/// Packs a bundle. Its text is written piece by piece, so that it is never in memory as a whole.
fn pack(
    answers: &[(String, &str)],
    left_out: &[String],
    drawn: &EmbeddedTiles,
) -> std::io::Result<Vec<u8>> {
    let mut pieces: Vec<Cow<'_, str>> = vec!["{\"answers\":{".into()];
    for (at, (key, text)) in answers.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        pieces.push(format!("{comma}{}:", json!(key)).into());
        pieces.push((*text).into());
    }
    let rest = format!(
        "}},\"leftOut\":{},\"tiles\":{}}}",
        json!(left_out),
        json!(drawn.table)
    );
    pieces.push(rest.into());
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(&(length as u32).to_le_bytes())?;
    for piece in &pieces {
        packer.write_all(piece.as_bytes())?;
    }
    packer.write_all(&drawn.bytes)?;
    packer.finish()
}

/// Tiles that are in the file.
#[derive(Default)]
struct EmbeddedTiles {
    /// Lane, level, index, offset, length.
    table: Vec<[u64; 5]>,
    bytes: Vec<u8>,
    left_out: u64,
    /// Slices that are drawn individually, those on the critical path first.
    items: Vec<u32>,
}

impl EmbeddedTiles {
    fn collect(state: &State, room: usize) -> Result<Self, ViewError> {
        let file = &state.trace.file;
        let part = state.options.part.clone().unwrap_or(0..u64::MAX);
        let is_within =
            |from: u64, to: u64| from < part.end.max(part.start + 1) && to >= part.start;
        let mut drawn = EmbeddedTiles::default();
        let mut top = 0;
        while 1024_u64 << top < file.end() {
            top += 1;
        }
        let mut keys: Vec<TileKey> = (0..file.lanes().len() as u32)
            .map(|lane| TileKey {
                lane,
                level: top,
                index: 0,
            })
            .collect();
        let mut others = Vec::new();
        while !keys.is_empty() {
            let mut tiles = Tiles::default();
            let mut next = Vec::new();
            for key in keys {
                if drawn.bytes.len() >= room {
                    drawn.left_out += 1;
                    continue;
                }
                let Some(lane) = file.lane(key.lane) else {
                    continue;
                };
                let tile = tiles.tile(file, key, &[])?;
                let before = drawn.bytes.len();
                tiles::append(&mut drawn.bytes, key, lane.rows, &tile);
                let place = [key.lane.into(), key.level.into(), key.index.into()];
                let [lane, level, index] = place;
                let length = (drawn.bytes.len() - before) as u64;
                drawn
                    .table
                    .push([lane, level, index, before as u64, length]);
                match &tile {
                    Tile::Exact(slices) => {
                        let shown = slices.iter();
                        for slice in shown.filter(|slice| is_within(slice.start, slice.end)) {
                            match slice.flags.has(Flags::CRITICAL) {
                                true => drawn.items.push(slice.item),
                                false => others.push(slice.item),
                            }
                        }
                    }
                    Tile::Bins(bins) => {
                        let is_dense = bins
                            .count
                            .iter()
                            .map(|count| u64::from(*count))
                            .sum::<u64>()
                            > 1024;
                        if is_dense && key.level > 0 {
                            let halves = [2 * key.index, 2 * key.index + 1];
                            let halves = halves.map(|index| TileKey {
                                level: key.level - 1,
                                index,
                                ..key
                            });
                            let within = halves.into_iter();
                            next.extend(within.filter(|key| is_within(key.from(), key.to())));
                        }
                    }
                }
            }
            keys = next;
        }
        drawn.items.extend(others);
        let mut seen = rustc_hash::FxHashSet::default();
        drawn.items.retain(|item| seen.insert(*item));
        Ok(drawn)
    }
}

/// Base64 with padding.
///
/// Format: <https://www.rfc-editor.org/rfc/rfc4648#section-4>.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let mut word = [0_u8; 4];
        word.iter_mut()
            .skip(1)
            .zip(part)
            .for_each(|(to, from)| *to = *from);
        let word = u32::from_be_bytes(word);
        for digit in 0..4 {
            let at = word >> (18 - 6 * digit) & 63;
            match DIGITS.get(at as usize).filter(|_| digit <= part.len()) {
                Some(letter) => text.push(char::from(*letter)),
                None => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_matches_the_standard() {
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, text) in pairs {
            assert_eq!(base64(plain.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }
}
