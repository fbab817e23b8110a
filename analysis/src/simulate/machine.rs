//! The simulated machine.

/// Nodes, ranks and cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Ranks of the run, at least 1.
    pub ranks: u16,
    /// Ranks on one node, at least 1.
    pub ranks_per_node: u16,
    /// CPU workers of each rank, at least 1.
    pub cores_per_rank: usize,
    /// Cores of a node; `None` for as many as its ranks have workers.
    pub cores_per_node: Option<usize>,
    /// Whether tiles that need no message run while others wait for theirs.
    pub overlap: bool,
    /// The costs of finding a rank's messages.
    pub exchange: ExchangeCosts,
}

/// The time that a rank's analysis spends on finding the messages of an operation, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExchangeCosts {
    /// If an equal operation came before: its messages are looked up.
    pub known: f64,
    /// If none did: its messages are computed.
    pub new: f64,
}

impl Default for ExchangeCosts {
    /// Approximate costs on a core of a current server. [`calibrate`](super::calibrate) measures
    /// this machine's.
    fn default() -> ExchangeCosts {
        ExchangeCosts {
            known: 150.0,
            new: 5_000.0,
        }
    }
}

impl Machine {
    /// Returns the factor by which work is slower because the ranks of a node have more workers
    /// than it has cores.
    pub fn slowdown(&self) -> f64 {
        let ranks = usize::from(self.ranks.min(self.ranks_per_node));
        let workers = ranks * self.cores_per_rank;
        let cores = self.cores_per_node.unwrap_or(workers).max(1);
        (workers as f64 / cores as f64).max(1.0)
    }

    /// Whether two ranks are on one node.
    pub fn is_local(&self, a: u16, b: u16) -> bool {
        a / self.ranks_per_node == b / self.ranks_per_node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_share_the_cores_of_their_node() {
        let machine = |ranks, ranks_per_node, cores| Machine {
            ranks,
            ranks_per_node,
            cores_per_rank: 2,
            cores_per_node: cores,
            overlap: true,
            exchange: ExchangeCosts::default(),
        };
        assert_eq!(machine(1, 4, Some(4)).slowdown(), 1.0);
        assert_eq!(machine(4, 4, Some(4)).slowdown(), 2.0);
        assert_eq!(machine(64, 4, Some(4)).slowdown(), 2.0);
        assert_eq!(machine(64, 4, None).slowdown(), 1.0);
        assert!(machine(8, 4, None).is_local(4, 7));
        assert!(!machine(8, 4, None).is_local(3, 4));
    }
}
