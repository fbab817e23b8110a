//! The bins of a tile.
//!
//! A tile of level l covers `TILE_BINS` bins of 2^l ns. Bins of one level nest in those of the
//! next, so that a viewer zooms by halves. Each figure is exact: it is computed from the slices at
//! every level, and not from the level below.

use super::format::TILE_BINS;
use super::slice::Flags;
use super::states::Waited;

/// A slice, reduced to the values that bins need. Times are ns from the start of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub item: u32,
    /// The start time.
    pub start: u64,
    /// The end time.
    pub end: u64,
    /// Its line.
    pub line: u32,
    /// The flags of the slice.
    pub flags: Flags,
}

/// The bins of a tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    /// The first slice that begins in the bin or later.
    pub first: Vec<u32>,
    /// The time in which something ran, as a share of the bin.
    pub busy: Vec<f32>,
    /// The number of slices that begin.
    pub count: Vec<u32>,
    /// The line with the most time.
    pub line: Vec<u32>,
    /// The total time that slices waited, as a share of the bin.
    pub waiting: Vec<f32>,
    /// The total time that slices were ready and had not begun, as a share of the bin.
    pub ready: Vec<f32>,
    /// The duration of the longest slice, ns.
    pub longest: Vec<f32>,
    /// The longest slice.
    pub item: Vec<u32>,
    /// The flags of its slices.
    pub flags: Vec<u32>,
}

impl Default for Bins {
    fn default() -> Self {
        let (zero, none) = (vec![0.0; TILE_BINS], vec![0; TILE_BINS]);
        Bins {
            first: none.clone(),
            busy: zero.clone(),
            count: none.clone(),
            line: none.clone(),
            waiting: zero.clone(),
            ready: zero.clone(),
            longest: zero,
            item: vec![u32::MAX; TILE_BINS],
            flags: none,
        }
    }
}

/// Time by line, cleared for each bin without visiting all lines.
#[derive(Debug, Default)]
pub(super) struct LineTimes {
    /// The time of each line, and whether it is among `touched`.
    times: Vec<(u64, bool)>,
    touched: Vec<u32>,
}

impl LineTimes {
    fn add(&mut self, line: u32, time: u64) {
        let at = line as usize;
        if at >= self.times.len() {
            self.times.resize(at + 1, (0, false));
        }
        if let Some((sum, is_touched)) = self.times.get_mut(at) {
            *sum += time;
            if !std::mem::replace(is_touched, true) {
                self.touched.push(line);
            }
        }
    }

    /// Returns the line with the most time, of several the first.
    fn take(&mut self) -> u32 {
        let mut most: Option<(u64, u32)> = None;
        for line in self.touched.drain(..) {
            let Some(slot) = self.times.get_mut(line as usize) else {
                continue;
            };
            let (time, _) = std::mem::take(slot);
            if most.is_none_or(|most| time > most.0) {
                most = Some((time, line));
            }
        }
        most.map_or(0, |most| most.1)
    }
}

/// Computes bins.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    lines: LineTimes,
    /// Slices that extend into the next bin.
    open: Vec<Entry>,
}

impl Sweep {
    /// Computes the bins starting at `from`, each of `width` ns. `entries`: the slices that overlap
    /// the tile, in the order of their starts; `next`: the number of the slice after them.
    /// `waited`: time in states within each bin.
    pub(super) fn bins(
        &mut self,
        entries: &[Entry],
        from: u64,
        width: u64,
        next: u32,
        waited: &Waited,
    ) -> Bins {
        let mut filling = self.begin(from, width);
        for entry in entries {
            filling.push(entry);
        }
        filling.finish(next, waited)
    }

    /// Starts computing bins from slices that are pushed one by one.
    pub(super) fn begin(&mut self, from: u64, width: u64) -> Filling<'_> {
        self.open.clear();
        Filling {
            sweep: self,
            bins: Bins::default(),
            from,
            width,
            bin: 0,
            hi: from.saturating_add(width),
            lo: from,
            covered: from,
            within: BinSums::default(),
            numbered: 0,
        }
    }
}

/// The figures of one bin.
#[derive(Default)]
struct BinSums {
    slices: usize,
    busy: u64,
    longest: Option<Entry>,
    flags: Flags,
    /// The time of the first line; it is added to `LineTimes` only if there are several lines.
    first: (u32, u64),
}

/// The bins under construction. Slices are pushed in the order of their starts.
pub(super) struct Filling<'s> {
    sweep: &'s mut Sweep,
    bins: Bins,
    from: u64,
    width: u64,
    /// The current bin, and when it begins and ends.
    bin: usize,
    lo: u64,
    hi: u64,
    /// The end of the time in which something ran.
    covered: u64,
    within: BinSums,
    /// The number of bins whose first slice is known.
    numbered: usize,
}

impl Filling<'_> {
    /// Adds a slice that overlaps the tile.
    pub(super) fn push(&mut self, entry: &Entry) {
        while entry.start >= self.hi && self.bin < TILE_BINS {
            self.close();
        }
        if self.bin >= TILE_BINS {
            return;
        }
        if entry.start >= self.from {
            for bin in self.numbered..=self.bin {
                set(&mut self.bins.first, bin, entry.item);
            }
            self.numbered = self.bin + 1;
            if let Some(count) = self.bins.count.get_mut(self.bin) {
                *count += 1;
            }
        }
        self.add(entry);
        if entry.end > self.hi {
            self.sweep.open.push(*entry);
        }
    }

    /// Adds the part of a slice that is within the bin.
    fn add(&mut self, entry: &Entry) {
        let within = &mut self.within;
        let (start, end) = (entry.start.max(self.lo), entry.end.min(self.hi));
        let from = start.max(self.covered);
        if end > from {
            within.busy += end - from;
            self.covered = end;
        }
        let time = end.saturating_sub(start);
        match within.slices {
            0 => within.first = (entry.line, time),
            slices => {
                if slices == 1 {
                    self.sweep.lines.add(within.first.0, within.first.1);
                }
                self.sweep.lines.add(entry.line, time);
            }
        }
        within.slices += 1;
        within.flags |= entry.flags;
        let length = entry.end - entry.start;
        let longest = within.longest;
        if longest.is_none_or(|known| length > known.end - known.start) {
            within.longest = Some(*entry);
        }
    }

    /// Ends a bin, and begins the next with the slices that extend into it.
    fn close(&mut self) {
        let within = std::mem::take(&mut self.within);
        if let Some(longest) = within.longest {
            let line = match within.slices {
                1 => longest.line,
                _ => self.sweep.lines.take(),
            };
            let busy = (within.busy as f64 / self.width as f64) as f32;
            set(&mut self.bins.busy, self.bin, busy);
            set(&mut self.bins.line, self.bin, line);
            set(&mut self.bins.flags, self.bin, within.flags.0.into());
            let length = (longest.end - longest.start) as f32;
            set(&mut self.bins.longest, self.bin, length);
            set(&mut self.bins.item, self.bin, longest.item);
        }
        self.bin += 1;
        let hi = self.hi;
        self.lo = hi;
        self.hi = hi.saturating_add(self.width);
        if self.bin < TILE_BINS && !self.sweep.open.is_empty() {
            let mut open = std::mem::take(&mut self.sweep.open);
            open.retain(|entry| entry.end > hi);
            for entry in &open {
                self.add(entry);
            }
            self.sweep.open = open;
        }
    }

    /// Returns the bins, once all slices are added.
    pub(super) fn finish(mut self, next: u32, waited: &Waited) -> Bins {
        while self.bin < TILE_BINS {
            self.close();
        }
        for bin in self.numbered..TILE_BINS {
            set(&mut self.bins.first, bin, next);
        }
        let share = |time: &u64| (*time as f64 / self.width as f64) as f32;
        let states = [
            (&mut self.bins.waiting, &waited.waiting),
            (&mut self.bins.ready, &waited.ready),
        ];
        for (bins, times) in states {
            for (bin, time) in bins.iter_mut().zip(times) {
                *bin = share(time);
            }
        }
        self.bins
    }
}

fn set<T>(column: &mut [T], bin: usize, value: T) {
    if let Some(to) = column.get_mut(bin) {
        *to = value;
    }
}

/// Runs `$do` with each column of `$bins` in the order of answers.
macro_rules! sent_columns {
    ($bins:expr, $column:ident => $do:expr) => {{
        let bins = $bins;
        {
            let $column = &bins.busy;
            $do
        }
        {
            let $column = &bins.count;
            $do
        }
        {
            let $column = &bins.line;
            $do
        }
        {
            let $column = &bins.waiting;
            $do
        }
        {
            let $column = &bins.ready;
            $do
        }
        {
            let $column = &bins.longest;
            $do
        }
        {
            let $column = &bins.item;
            $do
        }
        {
            let $column = &bins.flags;
            $do
        }
    }};
}

/// Runs `$do` with each column of `$bins` in the order of the file, which begins with one more
/// column.
macro_rules! columns {
    ($bins:expr, $column:ident => $do:expr) => {{
        let bins = $bins;
        {
            let $column = &bins.first;
            $do
        }
        sent_columns!(bins, $column => $do);
    }};
}

impl Bins {
    /// Returns the bins in the format of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(super::format::TILE_BYTES);
        columns!(self, column => {
            bytes.extend(column.iter().flat_map(|value| value.to_le_bytes()));
        });
        bytes
    }

    /// Appends the bins in the format of answers.
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        sent_columns!(self, column => {
            bytes.extend(column.iter().flat_map(|value| value.to_le_bytes()));
        });
    }

    /// Parses the output of [`bytes`](Self::bytes).
    pub(super) fn decode(bytes: &[u8]) -> Option<Bins> {
        let mut columns = bytes.chunks_exact(4 * TILE_BINS);
        let numbers = |column: &[u8]| -> Vec<u32> {
            let values = column.chunks_exact(4);
            let values = values.map(|value| value.try_into().map_or(0, u32::from_le_bytes));
            values.collect()
        };
        let mut next = || columns.next().map(numbers);
        let real =
            |column: Vec<u32>| -> Vec<f32> { column.into_iter().map(f32::from_bits).collect() };
        Some(Bins {
            first: next()?,
            busy: real(next()?),
            count: next()?,
            line: next()?,
            waiting: real(next()?),
            ready: real(next()?),
            longest: real(next()?),
            item: next()?,
            flags: next()?,
        })
    }
}
