//! The times of messages.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weft_model::Trace;

/// A link. An empty message takes `latency`, and each byte 1 / `bandwidth` more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Latency in nanoseconds.
    pub latency: f64,
    /// Bandwidth in bytes per nanosecond, which is GB/s; above 0.
    pub bandwidth: f64,
}

/// The network between ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// The link between nodes.
    pub far: Link,
    /// The link between ranks of one node.
    pub near: Link,
    /// Time of a message on the sending thread, and on the receiving one, in nanoseconds.
    pub overhead: f64,
}

impl Default for Network {
    /// A network of 2 µs and 12 GB/s, between and inside nodes, with 1 µs of overhead on either
    /// side.
    fn default() -> Network {
        let link = Link {
            latency: 2_000.0,
            bandwidth: 12.0,
        };
        Network {
            far: link,
            near: link,
            overhead: 1_000.0,
        }
    }
}

impl Link {
    /// Returns the time for which this many bytes occupy the link.
    pub fn occupied(&self, bytes: u64) -> f64 {
        bytes as f64 / self.bandwidth
    }

    /// Fits a line through the times of recorded messages: for each size the fastest quarter, with
    /// the median of the slopes between sizes. Returns `None` if no message was recorded by both
    /// sides. If all have one size, the bandwidth is taken from `otherwise`.
    pub fn fit(trace: &Trace, otherwise: Link) -> Option<Link> {
        let mut times: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for message in &trace.work.messages {
            let (Some(sent), Some(received)) = (message.sent, message.received) else {
                continue;
            };
            if received.bytes > 0 {
                let start = sent.start.max(received.start);
                let time = (received.passed - start).0.max(0) as f64;
                times.entry(received.bytes).or_default().push(time);
            }
        }
        let points: Vec<(f64, f64)> = times
            .into_iter()
            .map(|(bytes, mut times)| {
                times.sort_by(f64::total_cmp);
                (bytes as f64, times[times.len() / 4])
            })
            .collect();
        let mut slopes = Vec::new();
        for (at, a) in points.iter().enumerate() {
            let later = points[at + 1..].iter();
            slopes.extend(later.map(|b| (b.1 - a.1) / (b.0 - a.0)));
        }
        let slope = median(&mut slopes).filter(|slope| *slope > 0.0);
        let bandwidth = slope.map_or(otherwise.bandwidth, |slope| 1.0 / slope);
        let mut rests: Vec<f64> = points
            .iter()
            .map(|(bytes, time)| time - bytes / bandwidth)
            .collect();
        let latency = median(&mut rests)?.max(0.0);
        Some(Link { latency, bandwidth })
    }
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
