//! Detection of loop bodies in the sequence of launches.

use std::collections::VecDeque;

/// Number of launches that a body should have. A shorter loop is repeated to reach it.
const LONG: usize = 16;
/// Length of the longest loop that is recognised, in launches.
const LONGEST: usize = 128;
/// Maximum number of bodies that are remembered.
const BODIES: usize = 16;

/// Hash of a launch without its addresses and values. Launches of equal signature can replace each
/// other in a graph.
pub(super) type Signature = u64;

/// Decision about a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Issue the held launches one by one, and then this one.
    Issue,
    /// Hold it: its body may still become complete.
    Hold,
    /// This launch completes the body of this number: replay the held launches and this one.
    Replay(usize),
}

/// The latest launches, and the bodies that repeat.
#[derive(Default)]
pub(super) struct Repeats {
    /// The latest signatures, oldest first.
    history: VecDeque<Signature>,
    /// Number of latest launches that each equal the one `period` before.
    run: usize,
    period: usize,
    bodies: Vec<Vec<Signature>>,
    following: Option<Following>,
}

/// The body that is expected.
struct Following {
    body: usize,
    /// Number of its launches that have arrived.
    at: usize,
    /// Whether the first part of this round was issued one by one, so that the rest must be, too.
    is_broken: bool,
}

impl Repeats {
    /// Decides about the next launch. `None` stands for work that cannot be part of a body.
    pub(super) fn next(&mut self, launch: Option<Signature>) -> Verdict {
        let Some(launch) = launch else {
            self.forget();
            return Verdict::Issue;
        };
        if let Some(following) = &mut self.following {
            let body = &self.bodies[following.body];
            if body[following.at] == launch {
                following.at += 1;
                let is_complete = following.at == body.len();
                let was_broken = following.is_broken;
                if is_complete {
                    following.at = 0;
                    following.is_broken = false;
                }
                return match (was_broken, is_complete) {
                    (true, _) => Verdict::Issue,
                    (false, true) => Verdict::Replay(following.body),
                    (false, false) => Verdict::Hold,
                };
            }
            // The held launches are not in the history, so it restarts.
            self.forget();
        }
        self.watch(launch);
        Verdict::Issue
    }

    /// Records that the held launches were issued one by one, for example because no more arrived
    /// for a while.
    pub(super) fn interrupt(&mut self) {
        if let Some(following) = &mut self.following
            && following.at > 0
        {
            following.is_broken = true;
        }
    }

    fn forget(&mut self) {
        self.history.clear();
        self.run = 0;
        self.period = 0;
        self.following = None;
    }

    /// Adds a launch to the history, and starts to follow a body once it has repeated.
    fn watch(&mut self, launch: Signature) {
        let known = self.history.len();
        let continues = self.period > 0 && self.history.get(known - self.period) == Some(&launch);
        if continues {
            self.run += 1;
        } else {
            // The latest launch that equals this one determines the period.
            let before = self
                .history
                .iter()
                .rev()
                .position(|earlier| *earlier == launch);
            self.period = before.map_or(0, |distance| distance + 1);
            self.run = usize::from(before.is_some());
        }
        self.history.push_back(launch);
        if self.history.len() > 2 * LONGEST {
            self.history.pop_front();
        }
        if self.period > 0 && self.period <= LONGEST && self.run >= self.period.max(2) {
            let body = self.body();
            self.following = Some(Following {
                body,
                at: 0,
                is_broken: false,
            });
            self.run = 0;
        }
    }

    /// Returns the number of the body that consists of the latest launches, repeated up to the
    /// target length.
    fn body(&mut self) -> usize {
        let first = self.history.len() - self.period;
        let once: Vec<Signature> = self.history.iter().skip(first).copied().collect();
        let body = once.repeat((LONG / self.period).max(1));
        if let Some(known) = self.bodies.iter().position(|known| *known == body) {
            return known;
        }
        if self.bodies.len() < BODIES {
            self.bodies.push(body);
            return self.bodies.len() - 1;
        }
        self.bodies[BODIES - 1] = body;
        BODIES - 1
    }

    /// Returns the launches of a body.
    #[cfg(test)]
    pub(super) fn launches(&self, body: usize) -> &[Signature] {
        &self.bodies[body]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn replays_loop_after_two_iterations() {
        let mut repeats = Repeats::default();
        let body: Vec<Signature> = (1..=20).collect();
        let mut replays = 0;
        for round in 0..10 {
            for launch in &body {
                let verdict = repeats.next(Some(*launch));
                assert_eq!(
                    round < 2,
                    verdict == Verdict::Issue,
                    "round {round}: {verdict:?}"
                );
                replays += usize::from(matches!(verdict, Verdict::Replay(_)));
            }
        }
        assert_eq!(replays, 8);
    }

    #[test]
    fn replays_several_iterations_of_short_loops_at_once() {
        let mut repeats = Repeats::default();
        let replayed = (0..200).filter(|at| {
            let verdict = repeats.next(Some(at % 2));
            matches!(verdict, Verdict::Replay(_))
        });
        let replayed = replayed.count();
        assert_eq!(replayed, (200 - 4) / LONG);
    }

    #[test]
    fn uncapturable_work_ends_the_loop_body() {
        let mut repeats = Repeats::default();
        for at in 0..40 {
            repeats.next(Some(at % 4));
        }
        assert_eq!(repeats.next(None), Verdict::Issue);
        assert_eq!(repeats.next(Some(0)), Verdict::Issue);
    }

    proptest! {
        /// For any sequence, a replay stands for exactly the launches that were held.
        #[test]
        fn replay_covers_exactly_the_held_launches(
            launches in prop::collection::vec((prop::option::weighted(0.97, 0u64..3), prop::bool::weighted(0.05)), 0..600),
        ) {
            let mut repeats = Repeats::default();
            let mut held = Vec::new();
            for (launch, interrupted) in launches {
                if interrupted {
                    repeats.interrupt();
                    held.clear();
                }
                match repeats.next(launch) {
                    Verdict::Issue => held.clear(),
                    Verdict::Hold => held.push(launch.unwrap()),
                    Verdict::Replay(body) => {
                        held.push(launch.unwrap());
                        prop_assert_eq!(repeats.launches(body), held.as_slice());
                        held.clear();
                    }
                }
            }
        }
    }
}
