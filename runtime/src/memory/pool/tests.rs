//! Pools on their own: capacity, reuse, joining, and any order of requests.

use std::panic::Location;
use std::sync::Weak;

use proptest::prelude::*;
use weft_trace::id::{OperationUid, Rank, Uid};

use super::*;

#[track_caller]
fn holder() -> Holder {
    let uid = Uid::new(Rank::default(), 1).unwrap();
    Holder {
        store: uid.into(),
        location: Location::caller(),
        owner: Weak::new(),
        maker: Maker {
            name: "test",
            uid: OperationUid(uid),
            location: Location::caller(),
        },
        instance: None,
        elements: None,
    }
}

/// Addresses without memory, in segments of a size: what a device's memory is to the host.
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
        // The next one stands right behind it: blocks of two segments must not join all the same.
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
fn a_block_given_back_is_reused() {
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
fn capacity_counts_what_is_held_and_small_blocks_make_room() {
    let pool = Pool::new(1 << 20);
    let half = pool.take(1 << 19, holder()).unwrap();
    let error = pool.take(3 << 18, holder()).unwrap_err();
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
fn absurd_sizes_are_refused() {
    let pool = Pool::new(u64::MAX);
    assert!(pool.take(usize::MAX - 7, holder()).is_err());
    let block = pool.take(100, holder()).unwrap();
    pool.give_back(block);
}

#[test]
fn blocks_of_two_segments_never_join() {
    let pool = Pool::supplied(4 << 20, Box::new(Segments::new(1 << 20, usize::MAX)));
    let blocks: Vec<Block> = (0..4)
        .map(|_| pool.take(1 << 20, holder()).unwrap())
        .collect();
    let mut blocks = blocks.into_iter();
    let last = blocks.next_back().unwrap();
    blocks.for_each(|block| {
        pool.give_back(block);
    });
    // Three segments are free from end to end; only what is asked for anew lies in one piece.
    let three = pool.take(3 << 20, holder()).unwrap();
    assert_eq!(pool.figures().free(), 0);
    pool.give_back(three);
    pool.give_back(last);
    assert_eq!(pool.reclaim(), 4 << 20);
    assert_eq!(pool.figures().kept, 0);
}

#[test]
fn a_supply_that_has_less_than_the_capacity_refuses() {
    let pool = Pool::supplied(8 << 20, Box::new(Segments::new(4 << 20, 6 << 20)));
    let first = pool.take(3 << 20, holder()).unwrap();
    // A segment of 4 MiB cannot be had any more, one of 2 MiB can.
    let second = pool.take(2 << 20, holder()).unwrap();
    let error = pool.take(2 << 20, holder()).unwrap_err();
    assert_eq!(error.refusal, Some(Refusal::Full));
    pool.give_back(first);
    pool.give_back(second);
}

#[test]
fn a_segment_that_begins_between_huge_pages_is_used_from_end_to_end() {
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
fn what_would_help_is_computed() {
    let pool = Pool::new(4 << 20);
    let blocks: Vec<Block> = (0..4)
        .map(|_| pool.take(1 << 20, holder()).unwrap())
        .collect();
    let at: Vec<(u64, usize)> = blocks
        .iter()
        .map(|block| (block.start(), block.size()))
        .collect();
    assert!(!pool.would_fit(1 << 20, &[]));
    assert!(pool.would_fit(1 << 20, &at[..1]));
    let (low, high) = (at.iter().min().unwrap(), at.iter().max().unwrap());
    assert!(
        !pool.would_fit(2 << 20, &[*low, *high]),
        "they do not touch"
    );
    assert!(pool.would_fit(4 << 20, &at));
    assert_eq!(pool.capacity_for(1 << 20), 5 << 20);
    blocks.into_iter().for_each(|block| {
        pool.give_back(block);
    });
}

#[test]
fn above_the_soft_limit_pages_go_back() {
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
fn a_request_fails_when_it_is_told_to() {
    let pool = Pool::new(1 << 20);
    pool.fail_take(Some(1));
    let block = pool.take(1, holder()).unwrap();
    assert!(pool.take(1, holder()).is_err());
    let other = pool.take(1, holder()).unwrap();
    pool.give_back(block);
    pool.give_back(other);
}

proptest! {
    #[test]
    fn any_order_of_requests_keeps_blocks_apart_and_ends_in_one_range(
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
                // Small blocks are many times more frequent.
                let bytes = if choice < 14 { bytes / 100 + 1 } else { bytes };
                match pool.take(bytes, holder()) {
                    Ok(block) => {
                        prop_assert!(block.size() >= bytes && block.start() % 64 == 0);
                        held.push(block);
                    }
                    Err(full) => prop_assert!(full.figures.largest < rounded(bytes), "{full:?}"),
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
}
