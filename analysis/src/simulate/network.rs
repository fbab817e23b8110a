//! How long messages take.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weft_model::Trace;

/// A message of no bytes takes `latency`, and each byte 1 / `bandwidth` more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// In nanoseconds.
    pub latency: f64,
    /// Bytes in a nanosecond, which is GB/s; above 0.
    pub bandwidth: f64,
}

/// The network between ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Between nodes.
    pub far: Link,
    /// Between ranks of one node.
    pub near: Link,
    /// What a message takes of the thread that sends it and of the one that receives it, in nanoseconds.
    pub overhead: f64,
}

impl Default for Network {
    /// One of 2 µs and 12 GB/s, and the same inside of nodes; 1 µs of either side.
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
    /// How long this many bytes occupy it.
    pub fn occupied(&self, bytes: u64) -> f64 {
        bytes as f64 / self.bandwidth
    }

    /// The line through the times of recorded messages: of each size the quarter that took least, by the median of the slopes
    /// between sizes. `None` where no message was recorded by both sides. Where all have one size, the bandwidth is
    /// `otherwise`'s.
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
