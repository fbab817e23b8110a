//! Recognises that a program repeats itself: loop bodies in the sequence of launches.

use std::collections::VecDeque;

/// Launches that a body aims at: a shorter loop is taken several times at once.
const LONG: usize = 16;
/// The longest loop that is recognised, in launches.
const LONGEST: usize = 128;
/// Bodies that are remembered.
const BODIES: usize = 16;

/// What a launch is, whatever its addresses and values are; equal ones can stand for each other in a graph.
pub(super) type Signature = u64;

/// What to do with a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Issue what is held, one by one, and then this.
    Issue,
    /// Hold it: the body it may be part of is not complete.
    Hold,
    /// This completes the body with this number: replay all that is held, and this.
    Replay(usize),
}

/// What was launched lately, and the bodies seen to repeat.
#[derive(Default)]
pub(super) struct Repeats {
    /// The latest signatures, oldest first.
    history: VecDeque<Signature>,
    /// How many of the latest launches equal the one `period` before each.
    run: usize,
    period: usize,
    bodies: Vec<Vec<Signature>>,
    following: Option<Following>,
}

/// The body that is expected.
struct Following {
    body: usize,
    /// How much of it has come.
    at: usize,
    /// Whether the first part of this round was issued one by one, so that the rest must be, too.
    is_broken: bool,
}

impl Repeats {
    /// Tells what to do with the next launch; `None` is work that cannot be part of a body.
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
            // What was held is not in the history: it starts anew.
            self.forget();
        }
        self.watch(launch);
        Verdict::Issue
    }

    /// Notes that what is held was issued one by one, as when nothing more comes for a while.
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

    /// Adds a launch to the history, and begins to follow a body once it has come twice.
    fn watch(&mut self, launch: Signature) {
        let known = self.history.len();
        let continues = self.period > 0 && self.history.get(known - self.period) == Some(&launch);
        if continues {
            self.run += 1;
        } else {
            // The nearest earlier launch like this one tells the period, if there is one.
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

    /// The number of the body that the latest launches are, as often as fits.
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

    /// The launches of a body.
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
    fn a_loop_is_replayed_after_two_rounds() {
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
    fn a_short_loop_is_taken_several_times_at_once() {
        let mut repeats = Repeats::default();
        let replayed = (0..200).filter(|at| {
            let verdict = repeats.next(Some(at % 2));
            matches!(verdict, Verdict::Replay(_))
        });
        let replayed = replayed.count();
        assert_eq!(replayed, (200 - 4) / LONG);
    }

    #[test]
    fn what_cannot_be_in_a_graph_ends_the_body() {
        let mut repeats = Repeats::default();
        for at in 0..40 {
            repeats.next(Some(at % 4));
        }
        assert_eq!(repeats.next(None), Verdict::Issue);
        assert_eq!(repeats.next(Some(0)), Verdict::Issue);
    }

    proptest! {
        /// Whatever comes, a replay stands for the very launches that were held.
        #[test]
        fn a_replay_is_what_was_held(
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
