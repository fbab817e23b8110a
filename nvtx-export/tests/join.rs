//! The join compared with its definition: in random traces, every kernel is looked up the slow way.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod oracle;
mod world;

use proptest::prelude::*;
use weft_join::identify::Lookup;
use weft_join::join::join;
use weft_model::{Outcome, Trace};
use world::World;

fn trace(world: &World) -> Trace {
    let recording = world.recording();
    let lookup = Lookup::new(&recording);
    join(recording, &lookup)
}

fn fact(trace: &Trace, key: &str) -> usize {
    trace.quality.meta.get(key).unwrap().parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn kernel_outcomes_match_the_oracle(world in world::any()) {
        let trace = trace(&world);
        let expected = oracle::outcomes(&world);
        prop_assert_eq!(trace.devices.kernels.len(), expected.kept.len());
        prop_assert_eq!(trace.links.outcomes.len(), trace.devices.kernels.len());
        prop_assert_eq!(trace.links.kernel_ranges.len(), trace.devices.kernels.len());
        for (row, wanted) in expected.kept.iter().enumerate() {
            // The start of each kernel is its own, except for twins.
            prop_assert_eq!(trace.devices.kernels[row].start, wanted.start);
            let found = oracle::LinkResult::from_outcome(&trace, row);
            prop_assert_eq!(&found, &wanted.found, "kernel {} {:?}", row, &trace.devices.kernels[row]);
        }

        let linked = trace.links.outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Linked { .. })).count();
        prop_assert_eq!(fact(&trace, "kernels_linked"), linked);
        prop_assert_eq!(fact(&trace, "kernels_linked") + fact(&trace, "kernels_unmatched"), trace.devices.kernels.len());
        prop_assert_eq!(fact(&trace, "kernels") + fact(&trace, "kernels_duplicate"), world.kernels.len());
        prop_assert_eq!(fact(&trace, "kernels_read"), world.kernels.len());
        prop_assert_eq!(fact(&trace, "kernels_duplicate"), expected.duplicates);
        let sum = |prefix: &str| -> usize {
            let counts = trace.quality.meta.iter().filter(|(key, _)| key.starts_with(prefix) && !key.starts_with("kernels"));
            counts.map(|(_, value)| value.parse::<usize>().unwrap()).sum()
        };
        prop_assert_eq!(sum("linked_"), linked);
        prop_assert_eq!(sum("unmatched_"), trace.devices.kernels.len() - linked);
        for (key, count) in expected.counts {
            prop_assert_eq!(fact(&trace, key), count, "{}", key);
        }
    }

    #[test]
    fn join_does_not_depend_on_row_order(world in world::any(), seed in 0_u64..1000) {
        let once = trace(&world);
        let mut other = world.clone();
        world::shuffle(&mut other.calls, seed);
        let again = trace(&other);
        prop_assert_eq!(once.links.outcomes, again.links.outcomes);
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").map_or(1500, |cases| cases.parse().unwrap())
}
