//! Tiles, many in one request.

use super::{bad_request, line, search};
use crate::http::Response;
use crate::state::{State, ViewError};
use serde::Deserialize;
use weft_timeline::{Flags, Item, Tile, TileKey, Tiles};

/// The first word of an answer.
const MAGIC: u32 = 0x5745_4654;

/// The most tiles of a request.
const MOST: usize = 256;

#[derive(Debug, Deserialize)]
struct TilesRequest {
    #[serde(default)]
    seq: u32,
    tiles: Vec<TileRequest>,
    #[serde(default)]
    highlight: Option<u32>,
    #[serde(default)]
    search: Option<String>,
}

#[derive(Debug, Deserialize)]
struct TileRequest {
    lane: u32,
    level: u32,
    index: u32,
}

/// Answers `/api/tiles`.
pub(crate) fn tiles(state: &State, body: &[u8]) -> Result<Response, ViewError> {
    let request: TilesRequest = serde_json::from_slice(body)
        .map_err(|error| bad_request(format!("cannot parse the request for tiles: {error}")))?;
    if request.tiles.len() > MOST {
        return Err(bad_request(format!("a request has at most {MOST} tiles")));
    }
    let lit = match request.highlight {
        Some(line) => Some(line::hits(state, line)?),
        None => None,
    };
    let found = match request
        .search
        .as_deref()
        .filter(|text| !text.trim().is_empty())
    {
        Some(text) => search::hits(state, text)?,
        None => None,
    };
    let mut marks = Vec::new();
    marks.extend(lit.as_deref().map(|hits| (hits, Flags::LINE)));
    marks.extend(found.as_deref().map(|hits| (hits, Flags::HIT)));
    let file = &state.trace.file;
    let mut answer = Vec::new();
    let mut count = 0_u32;
    let mut tiles = Tiles::default();
    for key in &request.tiles {
        let rows = match file.lane(key.lane) {
            Some(lane) if key.level <= 43 => lane.rows,
            Some(_) => return Err(bad_request(format!("there is no level {}", key.level))),
            None => return Err(bad_request(format!("there is no lane {}", key.lane))),
        };
        let key = TileKey {
            lane: key.lane,
            level: key.level,
            index: key.index,
        };
        append(&mut answer, key, rows, &tiles.tile(file, key, &marks)?);
        count += 1;
    }
    let mut bytes = Vec::with_capacity(12 + answer.len());
    for word in [MAGIC, request.seq, count] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&answer);
    Ok(Response::bytes(bytes))
}

/// Appends a tile in the format of answers.
pub(crate) fn append(bytes: &mut Vec<u8>, key: TileKey, rows: u32, tile: &Tile) {
    let (kind, n) = match tile {
        Tile::Bins(bins) => (0, bins.busy.len()),
        Tile::Exact(items) => (1, items.len()),
    };
    for word in [key.lane, key.level, key.index, kind, n as u32, rows] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    match tile {
        Tile::Bins(bins) => bins.append_to(bytes),
        Tile::Exact(items) => exact(bytes, key.from(), items),
    }
}

fn exact(bytes: &mut Vec<u8>, from: u64, items: &[Item]) {
    let relative = |at: u64| (at as i64 - from as i64) as f32;
    let state = |at: Option<u64>| at.map_or(f32::NAN, relative);
    let mut reals = |value: &dyn Fn(&Item) -> f32| {
        bytes.extend(items.iter().flat_map(|item| value(item).to_le_bytes()));
    };
    reals(&|item| relative(item.start));
    reals(&|item| (item.end - item.start) as f32);
    reals(&|item| state(item.states.map(|states| states.0)));
    reals(&|item| state(item.states.map(|states| states.1)));
    let mut words = |value: &dyn Fn(&Item) -> u32| {
        bytes.extend(items.iter().flat_map(|item| value(item).to_le_bytes()));
    };
    words(&|item| item.depth.into());
    words(&|item| item.name);
    words(&|item| item.line);
    words(&|item| item.item);
    words(&|item| item.flags.0.into());
}
