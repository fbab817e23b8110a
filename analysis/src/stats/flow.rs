//! Bytes, the times in which they were moved, and their rate as a fraction of a memory's speed.

use rustc_hash::FxHashMap;
use weft_model::{Gpus, Kernel, KernelKind, Launch, Recorder, SourceIndex, Trace, Traffic};
use weft_trace::id::Uid;

/// The memories of the inputs, by number, with their speeds.
pub(super) struct Memories {
    gpus: Gpus,
    numbers: FxHashMap<(SourceIndex, Option<i64>), u32>,
    /// The speeds in bytes per ns; `None` if unknown.
    speeds: Vec<Option<f64>>,
}

impl Memories {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut memories = Memories {
            gpus: Gpus::new(trace),
            numbers: FxHashMap::default(),
            speeds: Vec::new(),
        };
        for known in &trace.machine.bandwidths {
            let number = memories.number(known.source, known.device);
            if let Some(speed) = memories.speeds.get_mut(number as usize) {
                *speed = Some(known.per_second as f64 / 1e9).filter(|speed| *speed > 0.0);
            }
        }
        memories
    }

    pub(super) fn number(&mut self, source: SourceIndex, device: Option<i64>) -> u32 {
        let next = self.speeds.len() as u32;
        let (source, device) = match device.map(|device| self.gpus.device(source, device)) {
            Some((source, device)) => (source, Some(device)),
            None => (source, None),
        };
        let number = *self.numbers.entry((source, device)).or_insert(next);
        if number == next {
            self.speeds.push(None);
        }
        number
    }

    /// Returns the number of the memory that a kernel works on: the memory of its device, or main
    /// memory.
    pub(super) fn of_kernel(&mut self, kernel: &Kernel) -> u32 {
        let device = kernel.device.filter(|_| kernel.recorder != Recorder::Host);
        self.number(kernel.source, device)
    }

    /// Returns the time of a kernel, with the memory that it works on.
    pub(super) fn span(&mut self, kernel: &Kernel) -> Span {
        Span {
            memory: self.of_kernel(kernel),
            start: kernel.start.nanos(),
            end: kernel.end.nanos(),
        }
    }

    /// Returns the speeds in bytes per ns, by the number of the memory.
    pub(super) fn speeds_by_memory(&self) -> &[Option<f64>] {
        &self.speeds
    }

    pub(super) fn speeds(self) -> Vec<Option<f64>> {
        self.speeds
    }
}

/// Returns the bytes that a kernel moves between its memory and a processor. A copy between host
/// and device only reads or only writes the device's memory.
pub(super) fn moved(trace: &Trace, kernel: &Kernel) -> Option<u64> {
    let Traffic { read, written } = kernel.traffic;
    let direction =
        (kernel.kind == KernelKind::Memcpy).then(|| letters(trace.strings.get(kernel.name)));
    match direction.flatten() {
        Some(('H', to)) if to != 'H' => written,
        Some((from, 'H')) if from != 'H' => read,
        _ => kernel.traffic.total(),
    }
}

/// A time in which bytes of one memory were moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) memory: u32,
    pub(super) start: i64,
    pub(super) end: i64,
}

impl Span {
    /// Divides a kernel among the tasks that its launch serves: UIDs with shares and consecutive
    /// parts of the kernel's time.
    pub(super) fn of_served<'a>(
        kernel: &Kernel,
        launch: &'a Launch,
        memory: u32,
    ) -> impl Iterator<Item = (Uid, f64, Span)> + use<'a> {
        let (start, time) = (kernel.start.nanos(), (kernel.end - kernel.start).0 as f64);
        let mut before = 0.0;
        launch.served().map(move |(uid, share)| {
            let at = |part: f64| start.saturating_add((time * part).round() as i64);
            let span = Span {
                memory,
                start: at(before),
                end: at(before + share),
            };
            before += share;
            (uid, share, span)
        })
    }
}

/// Bytes, with the times in which they were moved.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    bytes: f64,
    spans: Vec<Span>,
}

impl Flow {
    pub(super) fn add(&mut self, bytes: f64, span: Span) {
        self.bytes += bytes;
        self.spans.push(span);
    }

    /// Returns GB per second, over the time in which bytes were moved; `None` if none were.
    pub(super) fn rate(&mut self) -> Option<f64> {
        self.spans
            .sort_unstable_by_key(|span| (span.start, span.end));
        let busy = covered(self.spans.iter());
        // A byte per ns is a GB per second.
        (busy > 0).then(|| self.bytes / busy as f64)
    }

    /// Returns the bytes as a fraction of what the memories could have moved in that time; `None`
    /// if a speed is unknown.
    pub(super) fn share(&mut self, speeds: &[Option<f64>]) -> Option<f64> {
        self.spans
            .sort_unstable_by_key(|span| (span.memory, span.start, span.end));
        let mut possible = 0.0;
        for spans in self.spans.chunk_by(|a, b| a.memory == b.memory) {
            let memory = spans.first()?.memory;
            let speed = speeds.get(memory as usize).copied().flatten()?;
            possible += covered(spans.iter()) as f64 * speed;
        }
        (possible > 0.0).then(|| self.bytes / possible)
    }
}

/// Returns the time in ns in which at least one of the spans lasts. Spans are sorted by start.
pub(super) fn covered<'a>(spans: impl Iterator<Item = &'a Span>) -> i64 {
    let mut busy = 0;
    let mut until = i64::MIN;
    for span in spans {
        let start = span.start.max(until);
        if span.end > start {
            busy += span.end - start;
            until = span.end;
        }
    }
    busy
}

/// Returns the letters for source and destination: `H` and `D` for `[CUDA memcpy HtoD]`.
pub(super) fn letters(name: &str) -> Option<(char, char)> {
    let word = name.trim_end_matches(']').rsplit(' ').next()?;
    let (from, to) = word.split_once("to")?;
    match (from.as_bytes(), to.as_bytes()) {
        ([from], [to]) => Some((char::from(*from), char::from(*to))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(spans: &[(f64, u32, i64, i64)]) -> Flow {
        let mut flow = Flow::default();
        for &(bytes, memory, start, end) in spans {
            flow.add(bytes, Span { memory, start, end });
        }
        flow
    }

    #[test]
    fn overlapping_transfer_time_counts_once() {
        // From 0 to 30 and from 50 to 60.
        let spans = [
            (100.0, 0, 10, 30),
            (100.0, 0, 0, 20),
            (100.0, 0, 5, 8),
            (100.0, 0, 50, 60),
        ];
        assert_eq!(flow(&spans).rate(), Some(10.0));
        assert_eq!(flow(&spans).share(&[Some(20.0)]), Some(0.5));
        assert_eq!(flow(&[]).rate(), None);
        assert_eq!(flow(&[(5.0, 0, 7, 7)]).rate(), None);
    }

    #[test]
    fn memories_transfer_concurrently() {
        // Each could have moved 100 bytes.
        let spans = [(60.0, 0, 0, 10), (60.0, 1, 0, 10)];
        assert_eq!(flow(&spans).rate(), Some(12.0));
        assert_eq!(flow(&spans).share(&[Some(10.0), Some(10.0)]), Some(0.6));
        assert_eq!(flow(&spans).share(&[Some(10.0), None]), None);
    }
}
