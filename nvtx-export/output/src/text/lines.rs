//! The lines of the text.

use super::rows::Rows;
use std::borrow::Cow;
use std::io;
use weft_model::printable::printable;
use weft_model::text::place;
use weft_model::{
    Copy, End, Kernel, KernelKind, LaunchIndex, Method, Outcome, Reason, SourceIndex, StringIndex,
    Task, Trace,
};
use weft_trace::id::{MemoryId, Uid};
use weft_trace::time::Timestamp;

/// Writes the lines of a trace.
pub(super) struct Writer<'a> {
    pub(super) trace: &'a Trace,
    zero: i64,
    rows: Rows<'a>,
}

impl<'a> Writer<'a> {
    /// Creates a writer of times since `zero`.
    pub(super) fn new(trace: &'a Trace, zero: i64) -> Writer<'a> {
        Writer {
            trace,
            zero,
            rows: Rows::new(trace),
        }
    }
}

impl Writer<'_> {
    pub(super) fn head(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let trace = self.trace;
        for (index, source) in (0..).map(SourceIndex).zip(&trace.sources) {
            let rank = source.rank.map(|rank| format!(", rank {rank}"));
            let rank = rank.unwrap_or_default();
            writeln!(to, "source {}: {}{rank}", index.id(), source.kind)?;
        }
        let (kernels, linked) = (trace.devices.kernels.len(), trace.linked());
        let unmatched = kernels - linked;
        writeln!(
            to,
            "kernels {kernels} = linked {linked} + unmatched {unmatched}"
        )?;
        for method in Method::ALL {
            let is = |outcome: &&Outcome| matches!(outcome, Outcome::Linked { method: by, .. } if by == method);
            let count = trace.links.outcomes.iter().filter(is).count();
            if count > 0 {
                writeln!(to, "  linked by {method}: {count}")?;
            }
        }
        for reason in Reason::ALL {
            let is = |outcome: &&Outcome| **outcome == Outcome::Unmatched(*reason);
            let count = trace.links.outcomes.iter().filter(is).count();
            if count > 0 {
                writeln!(to, "  unmatched for {reason}: {count}")?;
            }
        }
        Ok(())
    }

    pub(super) fn operations(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let mut rows: Vec<_> = self.trace.program.operations.iter().enumerate().collect();
        rows.sort_by_key(|(_, operation)| (operation.source, operation.uid));
        for (row, operation) in rows {
            let name = self.text(operation.name);
            let line = place(self.trace, operation.provenance);
            let line = printable(line.as_deref().unwrap_or("(no line)"));
            let parent = operation.parent.map(|uid| format!(", part of {uid}"));
            let shape: Vec<String> = operation.shape.iter().map(u64::to_string).collect();
            writeln!(
                to,
                "\noperation {} {name} [{}] at {line}, created {}{}",
                operation.uid,
                shape.join(", "),
                self.time(operation.created),
                parent.unwrap_or_default(),
            )?;
            self.work(to, Some(row))?;
        }
        if self.rows.tasks.contains_key(&None) || self.rows.copies.contains_key(&None) {
            writeln!(to, "\noperation unknown")?;
            self.work(to, None)?;
        }
        Ok(())
    }

    /// Writes the tasks and copies of an operation.
    fn work(&self, to: &mut dyn io::Write, operation: Option<usize>) -> io::Result<()> {
        for task in self.rows.tasks.get(&operation).into_iter().flatten() {
            self.task(to, task)?;
        }
        for copy in self.rows.copies.get(&operation).into_iter().flatten() {
            self.copy(to, copy)?;
        }
        Ok(())
    }

    fn task(&self, to: &mut dyn io::Write, task: &Task) -> io::Result<()> {
        let processor = self.rows.processors.get(&(task.source, task.processor));
        let processor = processor.map(|processor| self.text(processor.name));
        let device = task.device.map(|(start, end)| {
            let (start, end) = (self.time(start), self.time(end));
            format!(", on a device {start} to {end}")
        });
        writeln!(
            to,
            "  task {} point {} on {}: created {}, ready {}, ran {} to {}{}",
            task.uid,
            task.point,
            processor.as_deref().unwrap_or("an unknown processor"),
            self.time(task.created),
            self.time(task.ready),
            self.time(task.start),
            self.time(task.end),
            device.unwrap_or_default(),
        )?;
        self.launches(to, task.source, task.uid)
    }

    fn copy(&self, to: &mut dyn io::Write, copy: &Copy) -> io::Result<()> {
        let name = |end: End| end.name(|source, memory| self.memory(source, memory));
        let (from, end) = self.trace.ends(copy);
        let what = match from {
            Some(from) => format!("copy {} from {} to", copy.uid, name(from)),
            None => format!("fill {} of", copy.uid),
        };
        writeln!(
            to,
            "  {what} {}, {} bytes: created {}, ready {}, ran {} to {}",
            name(end),
            copy.bytes,
            self.time(copy.created),
            self.time(copy.ready),
            self.time(copy.start),
            self.time(copy.end),
        )?;
        self.launches(to, copy.source, copy.uid)
    }

    fn memory(&self, source: SourceIndex, memory: MemoryId) -> String {
        match self.rows.memories.get(&(source, memory)) {
            Some(row) => format!("{} {memory}", row.kind),
            None => format!("memory {memory}"),
        }
    }

    fn launches(&self, to: &mut dyn io::Write, source: SourceIndex, uid: Uid) -> io::Result<()> {
        let key = (self.trace.run_of(source), uid);
        for (launch, share) in self.rows.launches.get(&key).into_iter().flatten() {
            self.launch(to, *launch, &format!(" share {share:.3}"))?;
        }
        Ok(())
    }

    fn launch(&self, to: &mut dyn io::Write, row: LaunchIndex, share: &str) -> io::Result<()> {
        let Some(launch) = self.trace.work.launches.get(row.0 as usize) else {
            return Ok(());
        };
        let (start, end) = (self.time(launch.start), self.time(launch.end));
        writeln!(to, "    launch {}{share}: {start} to {end}", launch.uid)?;
        for (kernel, method) in self.rows.kernels.get(&row).into_iter().flatten() {
            self.kernel(to, "      ", kernel, Some(*method), "")?;
        }
        Ok(())
    }

    /// Writes launches whose kernels appear nowhere else.
    pub(super) fn write_taskless_launches(&self, to: &mut dyn io::Write) -> io::Result<()> {
        if !self.rows.alone.is_empty() {
            writeln!(to, "\nlaunches of no known task")?;
        }
        for launch in &self.rows.alone {
            self.launch(to, *launch, "")?;
        }
        Ok(())
    }

    pub(super) fn kernel(
        &self,
        to: &mut dyn io::Write,
        indent: &str,
        kernel: &Kernel,
        method: Option<Method>,
        why: &str,
    ) -> io::Result<()> {
        let method = method.map(|method| format!(", {method}"));
        let device = kernel.device.map(|device| format!(" on GPU {device}"));
        let stream = kernel.stream.map(|stream| format!(" stream {stream}"));
        let bytes = match (kernel.kind, kernel.traffic.read, kernel.traffic.written) {
            (KernelKind::Kernel, Some(read), Some(written)) => {
                Some(format!(", {read} bytes read, {written} written"))
            }
            (KernelKind::Kernel, None, Some(written)) => Some(format!(", {written} bytes written")),
            (_, _, written) => written.map(|bytes| format!(", {bytes} bytes")),
        };
        writeln!(
            to,
            "{indent}{} {} ({}{}){}{}: {} to {}{}{why}",
            kernel.kind,
            self.text(kernel.name),
            kernel.recorder,
            method.unwrap_or_default(),
            device.unwrap_or_default(),
            stream.unwrap_or_default(),
            self.time(kernel.start),
            self.time(kernel.end),
            bytes.unwrap_or_default(),
        )
    }

    pub(super) fn losses(&self, to: &mut dyn io::Write) -> io::Result<()> {
        let losses = self
            .trace
            .quality
            .losses
            .iter()
            .filter(|loss| loss.value > 0);
        for (row, loss) in losses.enumerate() {
            if row == 0 {
                writeln!(to, "\ncounted")?;
            }
            let source = loss
                .source
                .map(|source| format!("source {}: ", source.id()));
            writeln!(
                to,
                "  {} {}{} = {}",
                loss.severity.name(),
                source.unwrap_or_default(),
                loss.name,
                loss.value
            )?;
        }
        Ok(())
    }

    /// Returns a text of the trace in a form that is safe on a terminal.
    pub(super) fn text(&self, index: StringIndex) -> Cow<'_, str> {
        printable(self.trace.strings.get(index))
    }

    pub(super) fn time(&self, time: Timestamp) -> i64 {
        time.nanos().saturating_sub(self.zero)
    }
}
