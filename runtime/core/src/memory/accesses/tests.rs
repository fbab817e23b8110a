//! Compares the index with a list that is searched linearly.

use proptest::prelude::*;
use weft_trace::id::{Rank, Uid};

use super::*;
use crate::shape::{Layout, Shape};

const LENGTH: usize = 64;

/// A set of predecessors, and the direct ones among them.
struct Predecessors<F>(F, Vec<TaskUid>);

impl<F: Fn(&Accessor) -> bool> Follows for Predecessors<F> {
    fn has(&self, by: &Accessor) -> bool {
        (self.0)(by)
    }

    fn at_once(&self) -> impl ExactSizeIterator<Item = TaskUid> {
        self.1.iter().copied()
    }
}

fn nobody() -> impl Follows {
    Predecessors(|_: &Accessor| false, Vec::new())
}

fn uid(number: u64) -> Uid {
    Uid::new(Rank::default(), number).unwrap()
}

fn accessor(number: u64) -> Accessor {
    Accessor {
        uid: TaskUid(uid(number)),
        whole: OperationUid(uid(number)),
        task: None,
    }
}

/// Returns the region of the elements `first`, `first + step`, ... of a vector.
fn region(first: usize, count: usize, step: usize) -> Region {
    region_of(LENGTH, first, count, step)
}

fn region_of(length: usize, first: usize, count: usize, step: usize) -> Region {
    let mut layout = Layout::contiguous(Shape::new(&[count]).unwrap());
    layout.offset = first;
    layout.strides[0] = step as isize;
    Region::of(&layout, &Shape::new(&[length]).unwrap()).unwrap()
}

fn regions() -> impl Strategy<Value = (usize, usize, usize)> {
    (0..LENGTH, 1_usize..4, 1..LENGTH).prop_map(|(first, step, count)| {
        let most = (LENGTH - 1 - first) / step + 1;
        (first, count.min(most), step)
    })
}

proptest! {
    /// An access to an element must follow the last write of it, and a write all reads since:
    /// directly or through other predecessors.
    #[test]
    fn orders_all_overlapping_accesses(
        accesses in prop::collection::vec((regions(), prop::bool::ANY), 1..40)
    ) {
        let mut log = Accesses::default();
        let mut follows: Vec<Vec<bool>> = Vec::new();
        let mut writers = vec![None; LENGTH];
        let mut readers = vec![Vec::new(); LENGTH];
        for (at, ((first, count, step), writes)) in accesses.into_iter().enumerate() {
            let mut before = vec![false; at];
            let access = if writes { Access::Write } else { Access::Read };
            let (region, by) = (region(first, count, step), accessor(at as u64 + 1));
            log.find(&region, &by, access, false, |earlier, _, _| {
                let earlier = (0..at).find(|known| TaskUid(uid(*known as u64 + 1)) == earlier.uid).unwrap();
                before[earlier] = true;
                for (known, follows) in follows[earlier].iter().enumerate() {
                    before[known] |= follows;
                }
            });
            let is_followed = |earlier: &Accessor| {
                (0..at).any(|known| before[known] && TaskUid(uid(known as u64 + 1)) == earlier.uid)
            };
            log.put(region, by, access, Retention::Many, &Predecessors(is_followed, Vec::new()));
            for element in (0..count).map(|index| first + index * step) {
                if let Some(writer) = writers[element] {
                    let writer: usize = writer;
                    prop_assert!(before[writer], "{at} passes over the write {writer}");
                }
                if writes {
                    for reader in readers[element].drain(..) {
                        let reader: usize = reader;
                        prop_assert!(before[reader], "{at} passes over the read {reader}");
                    }
                    writers[element] = Some(at);
                } else {
                    readers[element].push(at);
                }
            }
            follows.push(before);
        }
    }
}

const DIMS: [usize; 3] = [4, 5, 7];

/// A strided box of a store of three axes: first index, step and count along each, and whether the
/// axes are transposed.
fn boxes() -> impl Strategy<Value = Layout> {
    let axis = |extent: usize| (0..extent, 1_usize..4, 1..=extent, any::<bool>());
    let axes = (axis(DIMS[0]), axis(DIMS[1]), axis(DIMS[2]));
    (axes, any::<bool>()).prop_map(|((a, b, c), is_turned)| {
        let mut view = Layout::contiguous(Shape::new(&DIMS).unwrap());
        for (axis, (first, step, count, is_backward)) in [a, b, c].into_iter().enumerate() {
            let end = (first + (count - 1) * step + 1).min(DIMS[axis]);
            let (first, end, step) = (first as isize, end as isize, step as isize);
            view = view.slice(axis, Some(first), Some(end), step).unwrap();
            if is_backward {
                view = view.slice(axis, None, None, -1).unwrap();
            }
        }
        if is_turned { view.transpose() } else { view }
    })
}

/// Returns the numbers of a view's elements.
fn elements(view: &Layout) -> impl Iterator<Item = usize> {
    let at = move |flat| view.offset_of(&view.shape.unravel(flat)[..view.rank()]);
    (0..view.shape.len()).map(at)
}

proptest! {
    /// Tasks over boxes of several axes follow the tasks whose elements they access, directly or
    /// indirectly; and no other task directly.
    #[test]
    fn orders_overlapping_multi_axis_boxes_only(
        accesses in prop::collection::vec((boxes(), prop::bool::weighted(0.4)), 1..40)
    ) {
        let store = Shape::new(&DIMS).unwrap();
        let mut log = Accesses::default();
        let mut follows: Vec<Vec<bool>> = Vec::new();
        let mut touched: Vec<Vec<usize>> = Vec::new();
        let mut writers: Vec<Option<usize>> = vec![None; store.len()];
        let mut readers = vec![Vec::<usize>::new(); store.len()];
        for (at, (view, writes)) in accesses.iter().enumerate() {
            let mut at_once = vec![false; at];
            let access = if *writes { Access::Write } else { Access::Read };
            let (region, by) = (Region::of(view, &store).unwrap(), accessor(at as u64 + 1));
            let number = |earlier: &Accessor| {
                (0..at).find(|known| TaskUid(uid(*known as u64 + 1)) == earlier.uid).unwrap()
            };
            log.find(&region, &by, access, false, |earlier, _, _| at_once[number(earlier)] = true);
            let own: Vec<usize> = elements(view).collect();
            let mut before = at_once.clone();
            for earlier in (0..at).filter(|earlier| at_once[*earlier]) {
                let meets = touched[earlier].iter().any(|element| own.contains(element));
                prop_assert!(meets, "{at} follows {earlier}, and touches none of its elements");
                for (known, follows) in follows[earlier].iter().enumerate() {
                    before[known] |= follows;
                }
            }
            let known = Predecessors(|earlier: &Accessor| before[number(earlier)], Vec::new());
            log.put(region, by, access, Retention::Many, &known);
            for element in &own {
                if let Some(writer) = writers[*element] {
                    prop_assert!(before[writer], "{at} passes over the write {writer}");
                }
                if *writes {
                    for reader in readers[*element].drain(..) {
                        prop_assert!(before[reader], "{at} passes over the read {reader}");
                    }
                    writers[*element] = Some(at);
                } else {
                    readers[*element].push(at);
                }
            }
            follows.push(before);
            touched.push(own);
        }
    }
}

#[test]
fn loop_keeps_one_read_per_region() {
    let mut log = Accesses::default();
    for at in 1..100 {
        // Each round reads what it does not write, and follows the round before.
        for first in [0, 1, 2] {
            let follows = Predecessors(
                |earlier: &Accessor| earlier.uid.0.sequence() + 1 == at,
                Vec::new(),
            );
            let by = accessor(at);
            log.put(
                region(first, 8, 1),
                by,
                Access::Read,
                Retention::Few,
                &follows,
            );
        }
        assert_eq!(log.reads.len(), 3);
    }
}

/// In each round thousands of tasks read the same elements. Each follows the task of the same
/// number in the round before, and its neighbours in the same group.
#[test]
fn repeated_reads_keep_one_per_task() {
    const READS: u64 = 1500;
    for members in [1, 3] {
        let mut log = Accesses::default();
        for round in 0..4 {
            for read in 0..READS {
                let number = round * READS + read + 1;
                // In a group, the first member is followed.
                let first = |number: u64| (number - 1) / members * members + 1;
                let before = number.checked_sub(READS).filter(|before| *before > 0);
                let followed = before.map(first);
                let is_followed = |by: &Accessor| {
                    followed.is_some_and(|first| {
                        (first..first + members).contains(&by.uid.0.sequence())
                    })
                };
                let at_once = followed.map(|first| TaskUid(uid(first)));
                let follows = Predecessors(is_followed, at_once.into_iter().collect());
                let by = accessor(number);
                assert_eq!(
                    log.put(
                        region(5, 20, 1),
                        by,
                        Access::Read,
                        Retention::Many,
                        &follows
                    ),
                    0
                );
            }
            assert_eq!(log.reads.len() as u64, READS, "after round {round}");
        }
    }
}

/// A read without predecessors searches few of thousands of reads.
#[test]
fn read_among_thousands_searches_few() {
    let looked = std::cell::Cell::new(0);
    let follows = |_: &Accessor| {
        looked.set(looked.get() + 1);
        false
    };
    let follows = Predecessors(follows, Vec::new());
    let mut log = Accesses::default();
    for at in 0..3000 {
        looked.set(0);
        // The regions: part of the most common one, all of it, and more than it.
        let (first, count) = [(8, 4), (0, 60), (4, 16), (4, 16), (4, 16)][at % 5];
        let by = accessor(at as u64 + 1);
        log.put(
            region(first, count, 1),
            by,
            Access::Read,
            Retention::Many,
            &follows,
        );
        // The regions belong to three classes.
        assert!(
            looked.get() <= 3 * 2 * LAST + MAX_LINEAR,
            "{} of {at}",
            looked.get()
        );
    }
}

#[test]
fn skips_disjoint_slices() {
    let mut places = Places::default();
    for first in 0..LENGTH {
        let by = accessor(first as u64 + 1);
        places.insert(Entry {
            region: region(first, 1, 1),
            by,
        });
    }
    places.insert(Entry {
        region: region(0, LENGTH, 1),
        by: accessor(1000),
    });
    assert!(places.near(&region(10, 1, 1)).count() <= 4 + MAX_LINEAR);
}

/// A loop that writes after its reads leaves them at the element before its writes.
#[test]
fn skips_reads_that_end_before_a_region() {
    for length in [1, 2, 4, 8] {
        let mut places = Places::default();
        // Full lists, so that none is searched linearly.
        for number in 0..11 * (MAX_LINEAR as u64 + 1) {
            places.insert(Entry {
                region: region(8 - length, length, 1),
                by: accessor(number + 1),
            });
        }
        assert_eq!(places.near(&region(8, 8, 1)).count(), 0);
        assert_eq!(places.near(&region(7, 8, 1)).count(), 99);
    }
}

#[test]
fn bounds_ended_accesses_and_counts_forgotten_ones() {
    const ACCESSES: usize = 50_000;
    for (kept, access) in [
        (Retention::Few, Access::Read),
        (Retention::Few, Access::Write),
        (Retention::Many, Access::Read),
        (Retention::Many, Access::Write),
    ] {
        let mut log = Accesses::default();
        let mut forgotten = 0;
        for at in 0..ACCESSES {
            let (region, by) = (region_of(ACCESSES, at, 1, 1), accessor(at as u64 + 1));
            forgotten += log.put(region, by, access, kept, &nobody());
            let places = [&log.reads, &log.writes].map(Places::len);
            let all: usize = places.iter().sum();
            assert!(all <= kept.count(), "{places:?} after {at} {access:?}");
            assert_eq!(all + forgotten, at + 1);
        }
        // Up to the limit, all accesses are reported.
        let mut log = Accesses::default();
        for at in 0..kept.count() {
            let (region, by) = (region_of(ACCESSES, at, 1, 1), accessor(at as u64 + 1));
            assert_eq!(log.put(region, by, access, kept, &nobody()), 0);
        }
        let mut named = 0;
        let (whole, by) = (region_of(ACCESSES, 0, ACCESSES, 1), accessor(1 << 20));
        log.find(&whole, &by, Access::Write, false, |_, _, _| named += 1);
        assert_eq!(named, kept.count());
    }
}
