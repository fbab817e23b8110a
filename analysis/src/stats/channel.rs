//! Statistics by channel: the source and destination of moved bytes.

use super::cost::Cost;
use super::flow::{Span, letters};
use super::groups::{Groups, KernelTime};
use super::machine::{device_name, memories, memory_name, rank};
use weft_model::table::{Cell, Table, Unit};
use weft_model::{End, Index, Kernel, KernelKind, Outcome, Route, Served, Trace};

/// A channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Channel {
    /// Between the memories of a runtime, perhaps of two ranks. A fill has no source.
    Memories(Option<End>, End),
    /// A copy or fill by a device, in the letters of CUDA: (H)ost, (D)evice, (A)rray, (P)eer.
    Device(Option<(char, char)>, KernelKind, Option<i64>),
    /// Between the memories of two GPUs.
    Gpus(Route),
}

impl Channel {
    /// Returns the channel of a copy or fill of a device.
    fn for_kernel(trace: &Trace, kernel: &Kernel) -> Self {
        match kernel.route {
            Some(route) => Channel::Gpus(route),
            None => Channel::Device(
                letters(trace.strings.get(kernel.name)),
                kernel.kind,
                kernel.device,
            ),
        }
    }
}

/// Returns copies and fills of a runtime, and those of devices that do not belong to one of these.
pub(super) fn by_channel(trace: &Trace) -> Table {
    let index = Index::new(trace);
    let cost = Cost::new(trace, &index);
    let mut groups = Groups::new().with_bytes().with_rates();
    for (copy, times) in trace.work.copies.iter().zip(&cost.copies) {
        let (from, to) = trace.ends(copy);
        let sum = groups.entry((copy.source, Channel::Memories(from, to)));
        sum.add_work(times.own, times.kernels);
        sum.bytes = sum.bytes.saturating_add(copy.bytes);
        // If a device did it, the times are those of its work.
        if times.kernels == 0.0 {
            let (start, end) = (copy.start.nanos(), copy.end.nanos());
            sum.flow.add(copy.bytes as f64, span(start, end));
        }
    }
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        let Outcome::Linked { launch, .. } = outcome else {
            continue;
        };
        let launch = trace.work.launches.get(launch.0 as usize);
        let served = launch.and_then(|launch| {
            let (uid, _) = launch.served().next()?;
            index.served(launch.source, uid)
        });
        let Some(Served::Copy(row)) = served else {
            continue;
        };
        if let (Some(copy), Some(written)) =
            (trace.work.copies.get(row as usize), kernel.traffic.written)
        {
            let (from, to) = trace.ends(copy);
            let sum = groups.entry((copy.source, Channel::Memories(from, to)));
            let (start, end) = (kernel.start.nanos(), kernel.end.nanos());
            sum.flow.add(written as f64, span(start, end));
        }
    }
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        let is_moving = matches!(kernel.kind, KernelKind::Memcpy | KernelKind::Memset);
        if !is_moving || is_counted(trace, &index, outcome) {
            continue;
        }
        let channel = Channel::for_kernel(trace, kernel);
        let time = (kernel.end - kernel.start).0;
        let sum = groups.entry((kernel.source, channel));
        sum.add_work(time, time as f64);
        sum.bytes = sum
            .bytes
            .saturating_add(kernel.traffic.written.unwrap_or(0));
        if let Some(written) = kernel.traffic.written {
            let (start, end) = (kernel.start.nanos(), kernel.end.nanos());
            sum.flow.add(written as f64, span(start, end));
        }
    }
    let names = memories(trace);
    groups.table(
        &["rank", "from", "to"],
        Unit::Nanos,
        KernelTime::new(trace),
        |(source, channel)| {
            let name = |end: End| end.name(|source, memory| memory_name(&names, (source, memory)));
            let (from, to) = match channel {
                Channel::Memories(from, to) => (from.map(name), name(to)),
                Channel::Gpus(Route { from, to }) => {
                    (Some(device_name(Some(from))), device_name(Some(to)))
                }
                Channel::Device(_, KernelKind::Memset, device) => (None, device_name(device)),
                Channel::Device(letters, _, device) => {
                    let (from, to) = letters.unwrap_or(('?', '?'));
                    (Some(side(from, device)), side(to, device))
                }
            };
            let from = from.unwrap_or_else(|| "(fill)".to_owned());
            vec![rank(trace, source), Cell::Text(from), Cell::Text(to)]
        },
    )
}

/// Returns the time in which bytes were moved, without regard to the memory.
fn span(start: i64, end: i64) -> Span {
    Span {
        memory: 0,
        start,
        end,
    }
}

/// Returns whether the work belongs to a copy of a runtime, which has its own row.
fn is_counted(trace: &Trace, index: &Index, outcome: &Outcome) -> bool {
    let Outcome::Linked { launch, .. } = outcome else {
        return false;
    };
    let launch = trace.work.launches.get(launch.0 as usize);
    launch.is_some_and(|launch| {
        let mut served = launch.served();
        served.any(|(uid, _)| matches!(index.served(launch.source, uid), Some(Served::Copy(_))))
    })
}

fn side(letter: char, device: Option<i64>) -> String {
    match letter {
        'H' => "host".to_owned(),
        'D' => device_name(device),
        'A' => format!("{} array", device_name(device)),
        'P' => "peer".to_owned(),
        _ => "(unknown)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn derives_channels_from_copy_names() {
        assert_eq!(letters("[CUDA memcpy HtoD]"), Some(('H', 'D')));
        let unified = "[CUDA Unified Memory memcpy DtoH]";
        assert_eq!(letters(unified), Some(('D', 'H')));
        for name in ["[CUDA memcpy]", "tomato", "", "to"] {
            assert_eq!(letters(name), None, "{name}");
        }
    }
}
