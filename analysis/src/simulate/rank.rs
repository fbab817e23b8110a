//! The state of one simulated rank: the times at which its program, analysis, workers and network
//! are free.

/// The times at which a rank's resources are free, in nanoseconds since the first call.
#[derive(Clone, Debug)]
pub(super) struct RankState {
    /// The program's own thread.
    pub(super) program: f64,
    /// The thread that analyses.
    pub(super) analysis: f64,
    workers: Vec<f64>,
    /// The thread that sends and receives.
    pub(super) messages: f64,
    /// Its outgoing and incoming links to the network.
    pub(super) out: f64,
    pub(super) inward: f64,
    /// Total time in which workers worked.
    pub(super) busy: f64,
    /// Time by which work began later because a message had not arrived.
    pub(super) waited: f64,
    /// The last end of a task.
    pub(super) end: f64,
}

/// Tiles of one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    /// Number of tiles.
    pub(super) count: usize,
    /// Number of tiles that need messages.
    pub(super) waiting: usize,
    /// Time of each tile.
    pub(super) time: f64,
    /// Time at which tiles that need no message can begin.
    pub(super) ready: f64,
    /// Time at which the messages have arrived.
    pub(super) arrived: f64,
}

impl RankState {
    pub(super) fn new(workers: usize) -> RankState {
        RankState {
            program: 0.0,
            analysis: 0.0,
            workers: vec![0.0; workers.max(1)],
            messages: 0.0,
            out: 0.0,
            inward: 0.0,
            busy: 0.0,
            waited: 0.0,
            end: 0.0,
        }
    }

    /// Runs tiles, each on the worker that is free first; returns the last end.
    pub(super) fn run(&mut self, tiles: Tiles) -> f64 {
        let late = tiles.ready.max(tiles.arrived);
        let before = self.waits_at(tiles, tiles.ready);
        let mut end = tiles.ready;
        for tile in 0..tiles.count {
            let ready = match tile < tiles.count - tiles.waiting {
                true => tiles.ready,
                false => late,
            };
            let Some(worker) = self.workers.iter_mut().min_by(|a, b| a.total_cmp(b)) else {
                break;
            };
            *worker = worker.max(ready) + tiles.time;
            end = end.max(*worker);
        }
        self.busy += tiles.time * tiles.count as f64;
        self.waited += (end - before).max(0.0);
        self.end = self.end.max(end);
        end
    }

    /// Returns the end of the tiles if all could begin at `ready`.
    fn waits_at(&self, tiles: Tiles, ready: f64) -> f64 {
        let mut workers = self.workers.clone();
        let mut end = ready;
        if tiles.arrived <= ready {
            // No message is late.
            return f64::INFINITY;
        }
        for _ in 0..tiles.count {
            let Some(worker) = workers.iter_mut().min_by(|a, b| a.total_cmp(b)) else {
                break;
            };
            *worker = worker.max(ready) + tiles.time;
            end = end.max(*worker);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(count: usize, waiting: usize, arrived: f64) -> Tiles {
        Tiles {
            count,
            waiting,
            time: 10.0,
            ready: 5.0,
            arrived,
        }
    }

    #[test]
    fn tiles_run_while_others_wait_for_messages() {
        let mut rank = RankState::new(2);
        assert_eq!(rank.run(tiles(4, 0, 0.0)), 25.0);
        assert_eq!((rank.busy, rank.waited), (40.0, 0.0));
        let mut rank = RankState::new(2);
        // Two run from 5 to 15, then those that waited until 12.
        assert_eq!(rank.run(tiles(4, 2, 12.0)), 25.0);
        assert_eq!(rank.waited, 0.0);
        let mut rank = RankState::new(2);
        assert_eq!(rank.run(tiles(4, 2, 18.0)), 28.0);
        assert_eq!(rank.waited, 3.0);
    }
}
