//! Moves of pages of unified memory to a GPU before the launch that uses them.
//!
//! If the arrays exceed a GPU's memory, the driver moves pages as kernels touch them: kernels stop
//! at each fault. One move of all of a launch's pages is far faster. The driver does not tell where
//! pages are. So the dispatcher notes the pages of the latest launches, as many as the GPU has room
//! for, and moves only others. A launch whose pages do not all fit moves none: the last ones would
//! displace the first.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use weft_trace::record::MemoryKind;

use super::super::api::GpuId;
use super::super::gpus::room_for_pages;
use super::Dispatcher;
use super::place::Places;
use crate::error::DriverError;

/// The bytes of a unit of moves, as in the page tables of drivers.
const CHUNK: u64 = 2 << 20;

/// The pages that are probably on a GPU.
#[derive(Debug, Default)]
pub(super) struct Present {
    /// The last use of each chunk of addresses.
    used: FxHashMap<u64, u64>,
    /// The last uses with their chunks, by time.
    oldest: BTreeSet<(u64, u64)>,
    now: u64,
}

impl Present {
    /// Notes a launch that uses these ranges of addresses, on a GPU with `room` bytes. Returns the
    /// parts to move; none if the ranges do not fit.
    fn launch(&mut self, ranges: &[Range<u64>], room: u64) -> SmallVec<[Range<u64>; 4]> {
        let most = room / CHUNK;
        let mut moves: SmallVec<[Range<u64>; 4]> = SmallVec::new();
        let needed: u64 = ranges
            .iter()
            .map(|range| chunks(range).count() as u64)
            .sum();
        if needed > most {
            return moves;
        }
        self.now += 1;
        for range in ranges {
            for chunk in chunks(range) {
                if let Some(used) = self.used.insert(chunk, self.now) {
                    self.oldest.remove(&(used, chunk));
                } else {
                    let start = range.start.max(chunk * CHUNK);
                    let end = range.end.min((chunk + 1) * CHUNK);
                    match moves.last_mut() {
                        Some(last) if last.end == start => last.end = end,
                        _ => moves.push(start..end),
                    }
                }
                self.oldest.insert((self.now, chunk));
            }
        }
        while self.used.len() as u64 > most
            && let Some((_, chunk)) = self.oldest.pop_first()
        {
            self.used.remove(&chunk);
        }
        moves
    }
}

/// Returns the numbers of the chunks that a range overlaps.
fn chunks(range: &Range<u64>) -> Range<u64> {
    range.start / CHUNK..range.end.div_ceil(CHUNK)
}

impl Dispatcher<'_> {
    /// Puts moves of the pages that a launch needs into its stream, if its arrays are in unified
    /// memory.
    pub(super) fn move_ahead(
        &mut self,
        (gpu, lane): (GpuId, usize),
        places: &Places,
    ) -> Result<(), DriverError> {
        let gpus = self.gpus;
        let ranges = places.ranges(|store| {
            let memory = gpus.memory_for(gpu, store);
            memory.kind == MemoryKind::Managed
        });
        if ranges.is_empty() {
            return Ok(());
        }
        let info = &gpus.driver.gpus()[usize::from(gpu.0)];
        let mut room = room_for_pages(self.plan, info);
        let own = gpus.memory(gpu);
        if own.kind == MemoryKind::Framebuffer {
            let figures = own.pool.figures();
            room = room.saturating_sub((figures.live + figures.kept) as u64);
        }
        let stream = self.streams.id(lane);
        let present = &mut self.present[usize::from(gpu.0)];
        for range in present.launch(&ranges, room) {
            gpus.driver.move_ahead(stream, range)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(
    clippy::single_range_in_vec_init,
    reason = "a launch may use one range of addresses"
)]
mod tests {
    use super::*;

    fn moves(present: &mut Present, ranges: &[Range<u64>], room: u64) -> Vec<Range<u64>> {
        let units = |range: &Range<u64>| range.start * CHUNK..range.end * CHUNK;
        let ranges: Vec<_> = ranges.iter().map(units).collect();
        let found = present.launch(&ranges, room * CHUNK).into_iter();
        found
            .map(|range| range.start / CHUNK..range.end / CHUNK)
            .collect()
    }

    #[test]
    fn moves_what_the_latest_launches_did_not_use() {
        let mut present = Present::default();
        assert_eq!(moves(&mut present, &[0..2, 5..6], 6), [0..2, 5..6]);
        assert_eq!(moves(&mut present, &[0..3], 6), [2..3]);
        assert_eq!(moves(&mut present, &[0..2, 5..6], 6), [] as [Range<u64>; 0]);
        // Two more chunks fit; the third displaces chunk 2, which was used longest ago.
        assert_eq!(moves(&mut present, &[7..10], 6), [7..10]);
        assert_eq!(moves(&mut present, &[0..2], 6), [] as [Range<u64>; 0]);
        assert_eq!(moves(&mut present, &[2..3], 6), [2..3]);
        assert_eq!(moves(&mut present, &[5..6], 6), [5..6]);
    }

    #[test]
    fn launches_that_do_not_fit_move_nothing() {
        let mut present = Present::default();
        assert_eq!(
            moves(&mut present, &[0..4, 8..11], 6),
            [] as [Range<u64>; 0]
        );
        assert_eq!(moves(&mut present, &[0..6], 6), [0..6]);
        assert_eq!(moves(&mut present, &[0..6], 6), [] as [Range<u64>; 0]);
    }

    #[test]
    fn moves_stay_within_the_ranges() {
        let mut present = Present::default();
        let range = CHUNK + 512..3 * CHUNK + 64;
        assert_eq!(
            present
                .launch(std::slice::from_ref(&range), 8 * CHUNK)
                .to_vec(),
            [range]
        );
    }
}
