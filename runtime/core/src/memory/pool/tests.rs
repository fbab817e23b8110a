//! Pools in isolation: capacity, reuse, joining, and any order of requests.

use std::sync::Weak;

use proptest::prelude::*;
use weft_trace::id::{OperationUid, Rank, Uid};

use super::super::spans::Span;
use super::reservations::huge_pages;
use super::*;
use crate::site::Site;

#[track_caller]
fn holder() -> Holder {
    let uid = Uid::new(Rank::default(), 1).unwrap();
    Holder {
        store: uid.into(),
        location: Site::caller(),
        owner: Weak::new(),
        maker: Maker {
            name: "test",
            uid: OperationUid(uid),
            location: Site::caller(),
        },
        instance: None,
        elements: None,
    }
}

/// Addresses without memory, in segments of one size: like a device's memory seen from the host.
#[derive(Debug)]
struct Segments {
    size: usize,
    next: Mutex<u64>,
    released: Mutex<Vec<(u64, usize)>>,
    left: Mutex<usize>,
}

impl Segments {
    fn new(size: usize, left: usize) -> Segments {
        Segments {
            size,
            next: Mutex::new(1 << 20),
            released: Mutex::default(),
            left: Mutex::new(left),
        }
    }
}

impl Supply for Segments {
    fn allocate(&self, size: usize) -> Result<u64, Refusal> {
        let mut left = self.left.lock().unwrap();
        *left = left.checked_sub(size).ok_or(Refusal::Full)?;
        let mut next = self.next.lock().unwrap();
        let start = *next;
        // Segments are adjacent, but blocks of two segments must still not join.
        *next += size as u64;
        Ok(start)
    }

    fn release(&self, start: u64, size: usize) {
        *self.left.lock().unwrap() += size;
        self.released.lock().unwrap().push((start, size));
    }

    fn segment(&self, size: usize, _most: usize) -> usize {
        size.max(self.size)
    }
}

#[test]
fn reuses_returned_blocks() {
    for bytes in [1000, 60_000, 5 << 20] {
        let pool = Pool::new(16 << 20);
        let first = pool.take(bytes, holder()).unwrap();
        let address = first.start();
        pool.give_back(first);
        let second = pool.take(bytes - 10, holder()).unwrap();
        assert_eq!(second.start(), address);
        pool.give_back(second);
    }
}

#[test]
fn capacity_limits_live_bytes_after_trimming_small_blocks() {
    let pool = Pool::new(1 << 20);
    let half = pool.take(1 << 19, holder()).unwrap();
    let (_, error) = pool.take(3 << 18, holder()).unwrap_err();
    let figures = error.figures;
    assert_eq!(
        (error.asked, figures.live, figures.capacity, figures.largest),
        (3 << 18, 1 << 19, 1 << 20, 1 << 19)
    );
    let held: Vec<usize> = error.holdings.iter().map(|holding| holding.size).collect();
    assert_eq!(held, [1 << 19]);
    let small: Vec<Block> = (0..8)
        .map(|_| pool.take(1 << 16, holder()).unwrap())
        .collect();
    assert_eq!(pool.figures().free(), 0);
    small.into_iter().for_each(|block| {
        pool.give_back(block);
    });
    pool.give_back(half);
    let all = pool.take(1 << 20, holder()).unwrap();
    assert_eq!(all.size(), 1 << 20);
    pool.give_back(all);
    assert_eq!(pool.figures().peak, 1 << 20);
}

#[test]
fn rejects_absurd_sizes() {
    let pool = Pool::new(u64::MAX);
    assert!(pool.take(usize::MAX - 7, holder()).is_err());
    let block = pool.take(100, holder()).unwrap();
    pool.give_back(block);
}

#[test]
fn never_merges_blocks_of_two_segments() {
    let pool = Pool::supplied(4 << 20, Box::new(Segments::new(1 << 20, usize::MAX)));
    let blocks: Vec<Block> = (0..4)
        .map(|_| pool.take(1 << 20, holder()).unwrap())
        .collect();
    let mut blocks = blocks.into_iter();
    let last = blocks.next_back().unwrap();
    blocks.for_each(|block| {
        pool.give_back(block);
    });
    // Three segments are free as a whole; only a segment mapped again is contiguous.
    let three = pool.take(3 << 20, holder()).unwrap();
    assert_eq!(pool.figures().free(), 0);
    pool.give_back(three);
    pool.give_back(last);
    assert_eq!(pool.reclaim(), 4 << 20);
    assert_eq!(pool.figures().kept, 0);
}

#[test]
fn refuses_blocks_beyond_the_supply() {
    let pool = Pool::supplied(8 << 20, Box::new(Segments::new(4 << 20, 6 << 20)));
    let first = pool.take(3 << 20, holder()).unwrap();
    // A segment of 4 MiB is no longer available, one of 2 MiB is.
    let second = pool.take(2 << 20, holder()).unwrap();
    let (_, error) = pool.take(2 << 20, holder()).unwrap_err();
    assert_eq!(error.refusal, Some(Refusal::Full));
    pool.give_back(first);
    pool.give_back(second);
}

#[test]
fn uses_segments_unaligned_to_huge_pages_entirely() {
    let pool = Pool::supplied(32 << 20, Box::new(Segments::new(32 << 20, usize::MAX)));
    let blocks: Vec<Block> = (0..4)
        .map(|_| pool.take(8 << 20, holder()).unwrap())
        .collect();
    assert_eq!(pool.figures().free(), 0);
    for block in blocks {
        pool.give_back(block);
    }
}

#[test]
fn predicts_whether_freed_blocks_suffice() {
    let pool = Pool::new(4 << 20);
    let blocks: Vec<Block> = (0..4)
        .map(|_| pool.take(1 << 20, holder()).unwrap())
        .collect();
    let at: Vec<(u64, usize)> = blocks
        .iter()
        .map(|block| (block.start(), block.size()))
        .collect();
    assert!(!pool.would_fit(1 << 20, false, &[]));
    assert!(pool.would_fit(1 << 20, false, &at[..1]));
    let (low, high) = (at.iter().min().unwrap(), at.iter().max().unwrap());
    assert!(
        !pool.would_fit(2 << 20, false, &[*low, *high]),
        "they do not touch"
    );
    assert!(pool.would_fit(4 << 20, false, &at));
    assert_eq!(pool.capacity_for(1 << 20, false), 5 << 20);
    blocks.into_iter().for_each(|block| {
        pool.give_back(block);
    });
}

#[test]
fn releases_pages_above_the_soft_limit() {
    let pool = Pool::new(64 << 20).with_soft_limit(8 << 20);
    let held = pool.take(6 << 20, holder()).unwrap();
    let more = pool.take(16 << 20, holder()).unwrap();
    pool.give_back(more);
    assert_eq!(pool.figures().kept, 0);
    let little = pool.take(1 << 20, holder()).unwrap();
    pool.give_back(little);
    assert_eq!(pool.figures().kept, 1 << 20, "below the limit they stay");
    assert!(pool.has_room(2 << 20) && !pool.has_room(3 << 20));
    assert_eq!(pool.reclaim(), 1 << 20);
    pool.give_back(held);
}

#[test]
fn injected_failure_refuses_the_chosen_request() {
    let pool = Pool::new(1 << 20);
    pool.fail_take(Some(1));
    let block = pool.take(1, holder()).unwrap();
    assert!(pool.take(1, holder()).is_err());
    let other = pool.take(1, holder()).unwrap();
    pool.give_back(block);
    pool.give_back(other);
}

/// Returns the size of this number of pages in bytes.
const fn paged(pages: usize) -> usize {
    pages * PAGE
}

fn span(first: usize, end: usize) -> Span {
    Span { first, end }
}

/// Creates a pool with reservations and room for this number of pages.
fn reserving(pages: usize) -> Pool {
    Pool::new(paged(pages) as u64).with_reservations()
}

fn reserve(pool: &Pool, pages: usize) -> Block {
    pool.reserve(paged(pages), holder()).unwrap()
}

/// Holds pages; each page is an element.
#[allow(clippy::result_large_err, reason = "as for `Pool::take`")]
fn hold(pool: &Pool, block: &mut Block, first: usize, end: usize) -> Result<bool, Shortage> {
    pool.hold(block, &[span(first, end)], span(first, end))
}

/// Writes to the first byte of each of these pages.
#[allow(unsafe_code, reason = "writes to memory that the test reserved")]
fn write(block: &Block, first: usize, end: usize) {
    for page in first..end {
        let at = std::ptr::with_exposed_provenance_mut::<u8>(block.start() as usize + paged(page));
        // SAFETY: the address is in the reservation, which only this test uses.
        unsafe { at.write_volatile(1) };
    }
}

/// Returns the first byte of a page.
#[allow(unsafe_code, reason = "reads memory that the test reserved")]
fn first_byte(block: &Block, page: usize) -> u8 {
    let at = std::ptr::with_exposed_provenance::<u8>(block.start() as usize + paged(page));
    // SAFETY: as above.
    unsafe { at.read_volatile() }
}

#[test]
fn reservation_counts_only_held_pages() {
    let pool = reserving(100);
    assert!(pool.reserves(1 << 20) && !Pool::new(1 << 30).reserves(1 << 20));
    // Together they are larger than the pool.
    let (mut one, mut other) = (reserve(&pool, 80), reserve(&pool, 80));
    assert_eq!(pool.figures().live, 0);
    assert!(hold(&pool, &mut one, 10, 30).unwrap());
    assert!(
        !hold(&pool, &mut one, 12, 30).unwrap(),
        "all of it was held"
    );
    assert!(hold(&pool, &mut one, 20, 40).unwrap());
    assert!(hold(&pool, &mut one, 70, 71).unwrap());
    assert!(hold(&pool, &mut other, 0, 50).unwrap());
    assert_eq!((one.size(), other.size()), (paged(31), paged(50)));
    let figures = pool.figures();
    assert_eq!(
        (figures.live, figures.peak, figures.largest),
        (paged(81), paged(81), paged(19))
    );
    let held: Vec<Span> = pool.held_pages(&one).iter().collect();
    assert_eq!(held, [span(10, 40), span(70, 71)]);
    let of_one = pool.holdings().pop().unwrap();
    assert_eq!((of_one.size, of_one.whole), (paged(31), paged(80)));
    assert_eq!(of_one.holder.elements, Some(span(10, 71)));
    pool.give_back(one);
    pool.give_back(other);
    assert_eq!((pool.figures().live, pool.holdings().len()), (0, 0));
}

#[test]
fn refused_hold_keeps_earlier_pages() {
    let pool = reserving(100);
    let mut one = reserve(&pool, 90);
    let mut block = Some(pool.take(paged(40), holder()).unwrap());
    hold(&pool, &mut one, 0, 50).unwrap();
    let error = hold(&pool, &mut one, 40, 70).unwrap_err();
    assert!(error.is_part);
    assert_eq!((error.asked, error.figures.live), (paged(20), paged(90)));
    assert_eq!(one.size(), paged(50));
    assert_eq!(pool.capacity_for(error.asked, true), paged(110) as u64);
    let at = |block: &Block| (block.start(), block.size());
    assert!(!pool.would_fit(error.asked, true, &[]));
    assert!(pool.would_fit(error.asked, true, &[at(block.as_ref().unwrap())]));
    // A request for a block: a reservation frees room but no addresses.
    assert!(pool.take(paged(20), holder()).is_err());
    assert!(pool.would_fit(paged(20), false, &[at(&one)]));
    assert!(!pool.would_fit(paged(70), false, &[at(&one)]));
    pool.give_back(block.take().unwrap());
    assert!(hold(&pool, &mut one, 40, 70).unwrap());
    assert!(pool.take(paged(31), holder()).is_err());
    pool.give_back(one);
    assert_eq!(pool.figures().live, 0);
}

#[test]
fn next_reservation_of_equal_size_reuses_pages() {
    let pool = reserving(100);
    let mut one = reserve(&pool, 60);
    let address = one.start();
    hold(&pool, &mut one, 0, 30).unwrap();
    write(&one, 0, 30);
    pool.give_back(one);
    let figures = pool.figures();
    assert_eq!((figures.live, figures.kept), (0, paged(30)));
    let other_size = reserve(&pool, 61);
    assert_ne!(other_size.start(), address);
    let mut next = reserve(&pool, 60);
    assert_eq!((next.start(), next.size()), (address, 0));
    hold(&pool, &mut next, 10, 40).unwrap();
    let figures = pool.figures();
    assert_eq!((figures.live, figures.kept), (paged(30), paged(10)));
    assert_eq!([0, 29, 30].map(|page| first_byte(&next, page)), [1, 1, 0]);
    // Pages that are not held are released, though the store is alive; held pages stay.
    assert_eq!(pool.reclaim(), paged(10) as u64);
    assert_eq!([9, 10].map(|page| first_byte(&next, page)), [0, 1]);
    assert_eq!(pool.figures().kept, 0);
    pool.give_back(next);
    assert_eq!(pool.reclaim(), paged(30) as u64);
    assert_eq!(pool.reclaim(), 0);
    pool.give_back(other_size);
}

#[test]
fn live_and_kept_bytes_never_exceed_capacity() {
    let pool = reserving(100);
    let within = |pool: &Pool| {
        let figures = pool.figures();
        assert!(
            figures.live + figures.kept <= figures.capacity,
            "{figures:?}"
        );
        (figures.live / PAGE, figures.kept / PAGE)
    };
    // Blocks leave warm pages in the segments.
    let block = pool.take(paged(70), holder()).unwrap();
    pool.give_back(block);
    let mut one = reserve(&pool, 90);
    hold(&pool, &mut one, 0, 20).unwrap();
    assert_eq!(within(&pool), (20, 70));
    hold(&pool, &mut one, 0, 60).unwrap();
    assert_eq!(within(&pool), (60, 0));
    pool.give_back(one);
    assert_eq!(within(&pool), (0, 60));
    // A reservation of another size evicts the oldest one.
    let mut other = reserve(&pool, 50);
    hold(&pool, &mut other, 0, 50).unwrap();
    assert_eq!(within(&pool), (50, 0));
    let block = pool.take(paged(30), holder()).unwrap();
    pool.give_back(other);
    assert_eq!(within(&pool), (30, 50));
    let more = pool.take(paged(60), holder()).unwrap();
    assert_eq!(within(&pool), (90, 0));
    pool.give_back(block);
    pool.give_back(more);
}

#[test]
fn repeated_use_keeps_memory_once() {
    let pool = Pool::new(1 << 30);
    for size in [160_000, 20_000, 3 << 20] {
        for _ in 0..200 {
            let blocks = [0, 1, 2].map(|_| pool.take(size, holder()).unwrap());
            let [first, second, third] = blocks;
            pool.give_back(second);
            let again = pool.take(size / 2, holder()).unwrap();
            pool.give_back(first);
            pool.give_back(third);
            pool.give_back(again);
        }
    }
    // The three largest blocks at any addresses, and small ones at the other end.
    let kept = pool.figures().kept;
    assert!(kept <= 5 * (3 << 20), "{kept}");
}

#[test]
fn keeps_a_bounded_number_of_reservations() {
    let pool = reserving(1000);
    for pages in 10..210 {
        let mut one = reserve(&pool, pages);
        hold(&pool, &mut one, 0, 1).unwrap();
        pool.give_back(one);
    }
    assert_eq!(pool.figures().kept, paged(64));
    assert_eq!(pool.reclaim(), paged(64) as u64);
}

#[test]
fn maps_byte_ranges_to_pages() {
    assert_eq!(pages(4095, 8193), span(0, 3));
    assert_eq!(pages(8192, 8193), span(2, 3));
    assert_eq!(pages(8192, 12_288), span(2, 3));
}

#[test]
fn holds_all_runs_or_none() {
    let pool = reserving(100);
    let mut one = reserve(&pool, 3000);
    let (near, far) = (span(0, 40), span(2000, 2070));
    let all = span(0, 2070);
    assert_eq!(
        pool.hold(&mut one, &[near, far], all).unwrap_err().asked,
        paged(110)
    );
    assert_eq!((one.size(), pool.figures().live), (0, 0));
    assert!(pool.hold(&mut one, &[near, span(2000, 2060)], all).unwrap());
    assert_eq!(
        pool.held_around(&one, span(2010, 2011)),
        Some(span(2000, 2060))
    );
    assert_eq!(pool.held_around(&one, span(30, 41)), None);
    // A whole huge page in one run.
    pool.give_back(one);
    let pool = reserving(2000);
    let mut large = reserve(&pool, 3000);
    hold(&pool, &mut large, 100, 2000).unwrap();
    write(&large, 100, 2000);
    assert_eq!(pool.figures().live, paged(1900));
    pool.give_back(large);
}

proptest! {
    #[test]
    fn blocks_stay_disjoint_and_merge_for_any_request_order(
        steps in prop::collection::vec((0usize..20, 1usize..300_000), 1..200),
        segment in prop_oneof![Just(0usize), Just(1 << 20)],
    ) {
        const CAPACITY: usize = 2 << 20;
        let pool = match segment {
            0 => Pool::new(CAPACITY as u64),
            size => Pool::supplied(CAPACITY as u64, Box::new(Segments::new(size, usize::MAX))),
        };
        let mut held: Vec<Block> = Vec::new();
        let mut peak = 0;
        for (choice, bytes) in steps {
            if choice < 8 && !held.is_empty() {
                pool.give_back(held.swap_remove(choice % held.len()));
            } else {
                // Small blocks are far more frequent.
                let bytes = if choice < 14 { bytes / 100 + 1 } else { bytes };
                match pool.take(bytes, holder()) {
                    Ok(block) => {
                        prop_assert!(block.size() >= bytes && block.start() % 64 == 0);
                        held.push(block);
                    }
                    Err((_, full)) => prop_assert!(full.figures.largest < rounded(bytes), "{full:?}"),
                }
            }
            let live: usize = held.iter().map(Block::size).sum();
            peak = live.max(peak);
            let mut ranges: Vec<_> = held.iter().map(|block| (block.start(), block.size())).collect();
            ranges.sort_unstable();
            prop_assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 as u64 <= pair[1].0));
            let figures = pool.figures();
            prop_assert_eq!((figures.live, figures.peak), (live, peak));
            prop_assert!(live <= CAPACITY && figures.largest <= figures.free());
            prop_assert_eq!(pool.holdings().len(), held.len());
        }
        for block in held.drain(..) {
            pool.give_back(block);
        }
        let figures = pool.figures();
        prop_assert_eq!((figures.live, figures.largest), (0, CAPACITY));
    }

    #[test]
    fn accounting_is_exact_for_any_reservation_order(
        steps in prop::collection::vec((0usize..4, 0usize..6, 0usize..40, 1usize..40), 1..120),
        soft in prop_oneof![Just(60usize), Just(100)],
    ) {
        let pool = reserving(100).with_soft_limit(paged(soft) as u64);
        // For each reservation: the pages that are held.
        let mut known: Vec<(Block, std::collections::BTreeSet<usize>)> = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        for (what, which, first, length) in steps {
            match what {
                0 => known.push((reserve(&pool, 40 + which), Default::default())),
                1 if !known.is_empty() => {
                    let at = which % known.len();
                    pool.give_back(known.swap_remove(at).0);
                }
                2 if !known.is_empty() => {
                    let at = which % known.len();
                    let (block, held) = &mut known[at];
                    let end = (first + length).min(40);
                    let wanted: Vec<usize> = (first..end).filter(|page| !held.contains(page)).collect();
                    match hold(&pool, block, first, end) {
                        Ok(more) => {
                            prop_assert_eq!(more, !wanted.is_empty());
                            for page in first..end {
                                // Pages held by another reservation are never discarded.
                                write(block, page, page + 1);
                            }
                            held.extend(first..end);
                        }
                        Err(full) => {
                            prop_assert_eq!(full.asked, paged(wanted.len()));
                            prop_assert!(full.figures.free() < full.asked);
                        }
                    }
                }
                3 => match blocks.len() > 3 {
                    true => {
                        pool.give_back(blocks.swap_remove(which % blocks.len()));
                    }
                    false => blocks.extend(pool.take(paged(length), holder()).ok()),
                },
                _ => {}
            }
            let in_parts: usize = known.iter().map(|(_, held)| paged(held.len())).sum();
            let in_blocks: usize = blocks.iter().map(Block::size).sum();
            let figures = pool.figures();
            prop_assert_eq!(figures.live, in_parts + in_blocks);
            prop_assert!(figures.live + figures.kept <= figures.capacity, "{:?}", figures);
            for (block, held) in &known {
                prop_assert_eq!(block.size(), paged(held.len()));
                prop_assert!(held.iter().all(|page| first_byte(block, *page) == 1));
            }
        }
        for block in known.into_iter().map(|(block, _)| block).chain(blocks) {
            pool.give_back(block);
        }
        prop_assert_eq!(pool.figures().live, 0);
        pool.reclaim();
        prop_assert_eq!(pool.figures().kept, 0);
    }
}

#[test]
fn long_runs_cover_whole_huge_pages() {
    let mib = 1 << 20;
    // 512 pages are a huge page.
    assert_eq!(huge_pages(span(600, 1000), 9 * mib), span(512, 1024));
    assert_eq!(huge_pages(span(0, 256), 2 * mib), span(0, 512));
    assert_eq!(huge_pages(span(2000, 2300), 9 * mib), span(1536, 2304));
    // A row between others does not justify one, and a small store has none.
    assert_eq!(huge_pages(span(600, 700), 9 * mib), span(600, 700));
    assert_eq!(huge_pages(span(0, 256), 2 * mib - 1), span(0, 256));
}

#[test]
#[allow(unsafe_code, reason = "frees the blocks that it took")]
fn small_blocks_count_as_held_and_are_limited() {
    let pool = Pool::new(64 << 20);
    let size = SmallSize::new(4000).unwrap();
    let blocks: Vec<_> = std::iter::from_fn(|| pool.take_small(size)).collect();
    assert_eq!(
        (blocks.len() * 4032, pool.figures().live),
        (260 * 4032, 260 * 4032)
    );
    let large = pool.take(62 << 20, holder()).unwrap();
    assert!(pool.take(2 << 20, holder()).is_err());
    pool.give_back(large);
    for block in blocks {
        pool.remove_small(size);
        // SAFETY: taken above, and freed once.
        unsafe { small::free(block, size) };
    }
    assert_eq!(
        (pool.figures().live, pool.figures().peak),
        (0, (62 << 20) + 260 * 4032)
    );
    // Small pools have none.
    assert_eq!(Pool::new(1 << 20).take_small(size), None);
}
