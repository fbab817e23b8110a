//! Teams that share the tiles of tasks.

use std::sync::Arc;

use loom::thread;

use crate::shared::{Data, check};
use crate::team::Team;

/// Runs a leader with `helpers` helpers, and a round for each number of tiles. Each tile must run
/// once, and be visible to the leader when the round has ended.
fn rounds(helpers: usize, counts: &'static [usize]) {
    check(3, move || {
        let team = Arc::new(Team::new(1 + helpers));
        let threads: Vec<_> = (1..=helpers)
            .map(|member| {
                let team = team.clone();
                thread::spawn(move || team.help(member))
            })
            .collect();
        for count in counts {
            let tiles: Vec<Data> = (0..*count).map(|_| Data::default()).collect();
            team.each(*count, &|number| tiles[number].add(1));
            assert!(tiles.iter().all(|tile| tile.get() == 1));
        }
        team.stop();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn one_helper_joins_the_team() {
    rounds(1, &[2, 3]);
}

#[test]
fn two_helpers_join_the_team() {
    rounds(2, &[3]);
}
