//! Writes the file, lane after lane. Several threads compute lanes, and one writes them, in order.

mod counter;
mod lane;
mod out;
mod turns;

use super::build::{Builder, Process};
use super::format::{Contents, MAGIC, Origin, RunEntry, TimelineError, VERSION};
use super::lane::{Lane, LaneIndex, LaneKey, LaneKind};
use super::record::{self, Numbered, Record};
use super::sorted::Sorter;
use super::spool::{IN_MEMORY, Spool, Spooled};
use lane::{NUMBERS, Work};
use out::{Out, Pipe};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use turns::Turns;
pub(super) use turns::UNDER_WAY;
use weft_files::WholeFile;
use weft_model::cores;

/// The maximum number of pieces of a lane that wait to be written.
const PIECES: usize = 64;

pub(super) fn write(builder: Builder, out: &Path, origin: Origin) -> Result<(), TimelineError> {
    let failed = |error: weft_files::WriteError| TimelineError::Write {
        path: out.to_owned(),
        error,
    };
    let mut file = WholeFile::create(out, true).map_err(failed)?;
    file.write_with(|to| write_timeline(builder, &mut Out::new(to), origin))
        .map_err(|error| match error {
            Failed::Timeline(error) => error,
            Failed::Io(error) => failed(error.into()),
        })?;
    file.finish().map(drop).map_err(failed)
}

enum Failed {
    Timeline(TimelineError),
    Io(io::Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Failed::Io(error)
    }
}

impl From<TimelineError> for Failed {
    fn from(error: TimelineError) -> Self {
        Failed::Timeline(error)
    }
}

/// The minimum number of idle lanes in a group for which a separate group is created.
const MANY_IDLE: usize = 3;

/// ns from the start of the trace.
fn relative(at: i64, zero: i64) -> u64 {
    record::relative(at, zero).cast_unsigned()
}

fn write_timeline<W: Write>(
    builder: Builder,
    out: &mut Out<W>,
    origin: Origin,
) -> Result<(), Failed> {
    let Builder {
        spool,
        lanes,
        labels,
        processes,
        groups,
        names,
        lines,
        counters,
        runs,
        first,
        last,
        count,
        dropped,
        limit,
        ..
    } = builder;
    out.put(&MAGIC)?;
    let zero = first.unwrap_or(0);
    let end = relative(last, zero);
    let mut keys: Vec<(LaneKey, LaneIndex)> = lanes.into_iter().collect();
    keys.sort_unstable();
    let idle = gather_idle(&mut keys, &spool);
    let (mut tree, leaves) = tree((&keys, &idle), &labels, &processes, &groups, &spool);
    let numbers = Mutex::new(Spool::new(
        IN_MEMORY.min(limit.saturating_mul(Numbered::SIZE)),
    ));
    let work = Lanes {
        spool: &spool,
        own: keys
            .iter()
            .zip(&leaves)
            .map(|((_, own), at)| (own.0 as usize, tree.get(*at).cloned()))
            .collect(),
        span: (zero, end),
        limit,
        numbers: &numbers,
    };
    let mut entries = Vec::new();
    work.write(out, |out, place, lane| {
        let Some((at, (_, own))) = leaves.get(place).copied().zip(keys.get(place)) else {
            return Ok(());
        };
        if let Some(to) = tree.get_mut(at) {
            *to = lane;
        }
        let own = (*own, 0)..=(*own, u32::MAX);
        let own = counters.counters.range(own).map(|(_, fed)| fed);
        for fed in own {
            entries.push(counter::counter(&counters, fed, (at as u32, zero), out)?);
        }
        Ok(())
    })?;
    add_up(&mut tree);
    let place = out.at;
    rows(
        out,
        &numbers.into_inner().unwrap_or_else(PoisonError::into_inner),
    )?;
    let contents = Contents {
        version: VERSION,
        origin,
        zero,
        end,
        items: count,
        lanes: tree,
        names: names.into_texts(),
        lines,
        counters: entries,
        runs: runs
            .into_iter()
            .map(|run| RunEntry {
                what: run.what as u8,
                first: run.first,
                count: run.count,
            })
            .collect(),
        numbers: place,
        dropped,
    };
    let text = serde_json::to_vec(&contents).map_err(io::Error::other)?;
    let at = out.at;
    out.put(&text)?;
    out.put(&at.to_le_bytes())?;
    out.put(&(text.len() as u64).to_le_bytes())?;
    out.put(&crc32c::crc32c(&text).to_le_bytes())?;
    out.put(&MAGIC)?;
    Ok(())
}

/// Writes the slice of each row.
fn rows<W: Write>(out: &mut Out<W>, numbers: &Spool<Numbered>) -> Result<(), Failed> {
    let mut items: Vec<u32> = Vec::new();
    for part in 0..numbers.parts() {
        items.clear();
        // Every row has a slice, so a part has no gaps.
        items.resize(numbers.count(part), 0);
        numbers.each(part, |row| {
            if let Some(item) = items.get_mut((row.number % NUMBERS) as usize) {
                *item = row.item;
            }
            Ok::<(), TimelineError>(())
        })?;
        out.numbers(items.iter().copied())?;
    }
    Ok(())
}

/// Moves lanes of idle processors behind the others of their group, and returns them. Does not move
/// a few idle lanes.
fn gather_idle(keys: &mut [(LaneKey, LaneIndex)], spool: &Spool<Record>) -> FxHashSet<LaneIndex> {
    let group = |key: &LaneKey| (key.process, key.kind, key.group);
    let mut groups: BTreeMap<(u32, LaneKind, u32), Vec<LaneIndex>> = BTreeMap::new();
    for (key, lane) in &*keys {
        if key.kind == LaneKind::Processor && spool.count(lane.0 as usize) == 0 {
            groups.entry(group(key)).or_default().push(*lane);
        }
    }
    let many = groups
        .into_values()
        .filter(|lanes| lanes.len() >= MANY_IDLE);
    let idle: FxHashSet<LaneIndex> = many.flatten().collect();
    keys.sort_by_key(|(key, lane)| (group(key), idle.contains(lane)));
    idle
}

/// Returns all lanes with their parents, and the places of those with slices.
fn tree(
    (keys, idle): (&[(LaneKey, LaneIndex)], &FxHashSet<LaneIndex>),
    labels: &[String],
    processes: &[Process],
    groups: &BTreeMap<(u32, LaneKind, u32), String>,
    spool: &Spool<Record>,
) -> (Vec<Lane>, Vec<usize>) {
    let mut tree: Vec<Lane> = Vec::new();
    let mut leaves = Vec::with_capacity(keys.len());
    let mut around: Option<(u32, u32)> = None;
    let mut group: Option<(LaneKind, u32, u32)> = None;
    // The current group of idle lanes: the group, and its place.
    let mut inner: Option<(u32, u32)> = None;
    let mut item = 0;
    for (key, lane) in keys {
        let process = processes
            .get(key.process as usize)
            .cloned()
            .unwrap_or_default();
        let parent = match around {
            Some((known, at)) if known == key.process => at,
            _ => {
                tree.push(Lane::group(
                    None,
                    LaneKind::Process,
                    process.label.clone(),
                    process.rank,
                ));
                group = None;
                let at = tree.len() as u32 - 1;
                around = Some((key.process, at));
                at
            }
        };
        let parent = match group {
            Some((kind, number, at)) if (kind, number) == (key.kind, key.group) => at,
            _ => {
                let label = groups.get(&(key.process, key.kind, key.group)).cloned();
                let label = label.unwrap_or_else(|| format!("{:?}", key.kind).to_lowercase());
                tree.push(Lane::group(Some(parent), key.kind, label, process.rank));
                let at = tree.len() as u32 - 1;
                group = Some((key.kind, key.group, at));
                at
            }
        };
        let parent = match inner {
            _ if !idle.contains(lane) => parent,
            Some((known, at)) if known == parent => at,
            _ => {
                let same = |(other, lane): &&(LaneKey, LaneIndex)| {
                    (other.process, other.kind, other.group) == (key.process, key.kind, key.group)
                        && idle.contains(lane)
                };
                let label = format!("{} without work", keys.iter().filter(same).count());
                tree.push(Lane::group(Some(parent), key.kind, label, process.rank));
                let at = tree.len() as u32 - 1;
                inner = Some((parent, at));
                at
            }
        };
        let label = labels.get(lane.0 as usize).cloned().unwrap_or_default();
        let mut row = Lane::group(Some(parent), key.kind, label, process.rank);
        row.first = item;
        row.items = spool.count(lane.0 as usize) as u32;
        item += row.items;
        leaves.push(tree.len());
        tree.push(row);
    }
    (tree, leaves)
}

/// Adds up the busy time of groups.
fn add_up(tree: &mut [Lane]) {
    for at in (0..tree.len()).rev() {
        let Some(lane) = tree.get(at) else { continue };
        let (busy, parent) = (lane.busy, lane.parent);
        if let Some(parent) = parent.and_then(|parent| tree.get_mut(parent as usize)) {
            parent.busy = parent.busy.saturating_add(busy);
        }
    }
}

/// A message of a thread about its lane.
enum LaneMessage {
    Bytes(Vec<u8>),
    Done(Result<Lane, Failed>),
}

/// The lanes with slices.
struct Lanes<'a> {
    spool: &'a Spool<Record>,
    /// The part of the spool, and the lane as far as it is known.
    own: Vec<(usize, Option<Lane>)>,
    /// The first instant on the clock of the trace, and the ns from there to the last.
    span: (i64, u64),
    /// The maximum number of slices of a lane in memory at the same time.
    limit: usize,
    numbers: &'a Mutex<Spool<Numbered>>,
}

impl Lanes<'_> {
    /// Writes all lanes in order, and calls `each` after each one.
    fn write<W: Write>(
        &self,
        out: &mut Out<W>,
        mut each: impl FnMut(&mut Out<W>, usize, Lane) -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        let weights = self.own.iter();
        let weights = weights.map(|(part, _)| self.spool.count(*part).min(self.limit));
        let turns = Turns::new(weights.collect());
        let (senders, receivers): (Vec<_>, Vec<_>) =
            self.own.iter().map(|_| sync_channel(PIECES)).unzip();
        let senders = senders.into_iter().map(|sender| Mutex::new(Some(sender)));
        // Owned by the threads alone, so that the end of all of them is detected.
        let shared = Arc::new((turns, senders.collect::<Vec<_>>()));
        thread::scope(|scope| {
            let mut threads = 0;
            for _ in 0..cores().min(self.own.len()) {
                let shared = Arc::clone(&shared);
                let work = move || self.work(&shared.0, &shared.1);
                let started = thread::Builder::new().spawn_scoped(scope, work);
                threads += usize::from(started.is_ok());
            }
            drop(shared);
            if threads == 0 {
                return self.write_sequentially(out, &mut each);
            }
            for (place, receiver) in receivers.into_iter().enumerate() {
                let lane = receive(out, &receiver)?;
                each(out, place, lane)?;
            }
            Ok(())
        })
    }

    /// Runs one thread, which computes lanes until none is left.
    fn work(&self, turns: &Turns, senders: &[Mutex<Option<SyncSender<LaneMessage>>>]) {
        let mut work = Work::new(self.limit, self.numbers);
        while let Some(turn) = turns.take() {
            let place = turn.lane;
            let sender = senders.get(place);
            let sender =
                sender.and_then(|to| to.lock().unwrap_or_else(PoisonError::into_inner).take());
            let Some(to) = sender else { return };
            let mut out = Out::new(Pipe::new(to.clone(), LaneMessage::Bytes));
            let done = self.write_lane(&mut work, place, &mut out);
            drop(turn);
            let is_over = done.is_err();
            if to.send(LaneMessage::Done(done)).is_err() || is_over {
                return;
            }
        }
    }

    /// Computes all lanes in this thread, if the system cannot start others.
    fn write_sequentially<W: Write>(
        &self,
        out: &mut Out<W>,
        each: &mut impl FnMut(&mut Out<W>, usize, Lane) -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        let mut work = Work::new(self.limit, self.numbers);
        for place in 0..self.own.len() {
            let offset = out.at;
            let mut own = Vec::new();
            let mut lane = self.write_lane(&mut work, place, &mut Out::new(&mut own))?;
            lane.offset = offset;
            out.put(&own)?;
            each(out, place, lane)?;
        }
        Ok(())
    }

    fn write_lane<W: Write>(
        &self,
        work: &mut Work<'_>,
        place: usize,
        out: &mut Out<W>,
    ) -> Result<Lane, Failed> {
        let Some((part, Some(lane))) = self.own.get(place) else {
            return Ok(Lane::group(None, LaneKind::Process, String::new(), None));
        };
        let mut lane = lane.clone();
        let (zero, end) = self.span;
        let mut records = Sorter::with_room(self.limit, self.spool.count(*part));
        self.spool
            .each(*part, |record| records.push(record.relative_to(zero)))?;
        work.lane(records.finish()?, end, &mut lane, out)?;
        Ok(lane)
    }
}

/// Writes the pieces of a lane as they arrive.
fn receive<W: Write>(out: &mut Out<W>, from: &Receiver<LaneMessage>) -> Result<Lane, Failed> {
    let offset = out.at;
    loop {
        match from.recv() {
            Ok(LaneMessage::Bytes(bytes)) => out.put(&bytes)?,
            Ok(LaneMessage::Done(lane)) => {
                let mut lane = lane?;
                lane.offset = offset;
                return Ok(lane);
            }
            Err(_) => return Err(io::Error::other("a thread ended early").into()),
        }
    }
}
