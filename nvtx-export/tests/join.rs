//! The join against its definition: random traces, every kernel looked up the slow way.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says where"
)]

mod oracle;
mod world;

use proptest::prelude::*;
use weft_join::identify::Lookup;
use weft_join::join::join;
use weft_model::{Outcome, Trace};
use world::World;

fn joined(world: &World) -> Trace {
    let joined = world.joined();
    let lookup = Lookup::of(&joined);
    join(joined, &lookup)
}

fn fact(joined: &Trace, key: &str) -> usize {
    joined.quality.meta.get(key).unwrap().parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn every_kernel_has_the_launch_or_the_reason_of_the_definition(world in world::any()) {
        let joined = joined(&world);
        let expected = oracle::outcomes(&world);
        prop_assert_eq!(joined.devices.kernels.len(), expected.kept.len());
        prop_assert_eq!(joined.links.outcomes.len(), joined.devices.kernels.len());
        prop_assert_eq!(joined.links.kernel_ranges.len(), joined.devices.kernels.len());
        for (row, wanted) in expected.kept.iter().enumerate() {
            // The start of each kernel is its own, but for that of its twin.
            prop_assert_eq!(joined.devices.kernels[row].start, wanted.start);
            let found = oracle::Found::of(&joined, row);
            prop_assert_eq!(&found, &wanted.found, "kernel {} {:?}", row, &joined.devices.kernels[row]);
        }

        let linked = joined.links.outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Linked { .. })).count();
        prop_assert_eq!(fact(&joined, "kernels_linked"), linked);
        prop_assert_eq!(fact(&joined, "kernels_linked") + fact(&joined, "kernels_unmatched"), joined.devices.kernels.len());
        prop_assert_eq!(fact(&joined, "kernels") + fact(&joined, "kernels_duplicate"), world.kernels.len());
        prop_assert_eq!(fact(&joined, "kernels_read"), world.kernels.len());
        prop_assert_eq!(fact(&joined, "kernels_duplicate"), expected.duplicates);
        let sum = |prefix: &str| -> usize {
            let counts = joined.quality.meta.iter().filter(|(key, _)| key.starts_with(prefix) && !key.starts_with("kernels"));
            counts.map(|(_, value)| value.parse::<usize>().unwrap()).sum()
        };
        prop_assert_eq!(sum("linked_"), linked);
        prop_assert_eq!(sum("unmatched_"), joined.devices.kernels.len() - linked);
        for (key, count) in expected.counts {
            prop_assert_eq!(fact(&joined, key), count, "{}", key);
        }
    }

    #[test]
    fn the_order_of_rows_does_not_matter(world in world::any(), seed in 0_u64..1000) {
        let once = joined(&world);
        let mut other = world.clone();
        world::shuffle(&mut other.calls, seed);
        let again = joined(&other);
        prop_assert_eq!(once.links.outcomes, again.links.outcomes);
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").map_or(1500, |cases| cases.parse().unwrap())
}
