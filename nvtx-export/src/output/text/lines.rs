//! The lines of the text.

use super::{TextOptions, place};
use crate::joined::{Index, Joined, Kernel, LaunchIndex, Outcome, SourceIndex, Task};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

pub(super) fn render(joined: &Joined, options: &TextOptions) -> String {
    let zero = joined.first_instant().filter(|_| options.relative);
    let writer = Writer {
        joined,
        zero: zero.map_or(0, Timestamp::nanos),
        tasks: tasks(joined),
        launches: launches(joined),
        kernels: kernels(joined),
    };
    let mut text = String::new();
    // A String takes every write.
    let _ = writer.write(&mut text);
    text
}

/// Rows by what they belong to, each list in a fixed order.
struct Writer<'a> {
    joined: &'a Joined,
    zero: i64,
    tasks: FxHashMap<usize, Vec<&'a Task>>,
    launches: FxHashMap<(SourceIndex, Uid), Vec<(LaunchIndex, f64)>>,
    kernels: FxHashMap<LaunchIndex, Vec<&'a Kernel>>,
}

fn tasks(joined: &Joined) -> FxHashMap<usize, Vec<&Task>> {
    let index = Index::of(joined);
    let mut tasks: FxHashMap<usize, Vec<&Task>> = FxHashMap::default();
    for task in &joined.tasks {
        let row = index.operation(task.source, task.operation);
        tasks
            .entry(row.unwrap_or(usize::MAX))
            .or_default()
            .push(task);
    }
    for list in tasks.values_mut() {
        list.sort_by_key(|task| (task.source, task.point, task.uid));
    }
    tasks
}

fn launches(joined: &Joined) -> FxHashMap<(SourceIndex, Uid), Vec<(LaunchIndex, f64)>> {
    let mut launches: FxHashMap<_, Vec<_>> = FxHashMap::default();
    for (index, launch) in (0..).map(LaunchIndex).zip(&joined.launches) {
        for (task, share) in launch.served() {
            launches
                .entry((launch.source, task))
                .or_default()
                .push((index, share));
        }
    }
    let uid = |index: LaunchIndex| {
        joined
            .launches
            .get(index.0 as usize)
            .map(|launch| launch.uid)
    };
    for list in launches.values_mut() {
        list.sort_by_key(|(index, _)| uid(*index));
    }
    launches
}

fn kernels(joined: &Joined) -> FxHashMap<LaunchIndex, Vec<&Kernel>> {
    let mut kernels: FxHashMap<_, Vec<&Kernel>> = FxHashMap::default();
    for (kernel, outcome) in joined.kernels.iter().zip(&joined.outcomes) {
        if let Outcome::Linked { launch, .. } = outcome {
            kernels.entry(*launch).or_default().push(kernel);
        }
    }
    for list in kernels.values_mut() {
        list.sort_by_key(|kernel| (kernel.start, kernel.end, joined.strings.get(kernel.name)));
    }
    kernels
}

impl Writer<'_> {
    fn write(&self, to: &mut String) -> std::fmt::Result {
        let joined = self.joined;
        for (index, source) in (0..).map(SourceIndex).zip(&joined.sources) {
            let rank = source
                .rank
                .map(|rank| format!(", rank {rank}"))
                .unwrap_or_default();
            writeln!(to, "source {}: {}{rank}", index.id(), source.kind)?;
        }
        let (kernels, linked) = (joined.kernels.len(), joined.linked());
        writeln!(
            to,
            "kernels {kernels} = linked {linked} + unmatched {}",
            kernels - linked
        )?;
        let mut operations: Vec<usize> = (0..joined.operations.len()).collect();
        operations.sort_by_key(|row| {
            joined
                .operations
                .get(*row)
                .map(|operation| (operation.source, operation.uid))
        });
        for row in operations {
            self.operation(to, row)?;
        }
        if let Some(tasks) = self.tasks.get(&usize::MAX) {
            writeln!(to, "\noperation unknown")?;
            for task in tasks {
                self.task(to, task)?;
            }
        }
        self.unmatched(to)?;
        self.losses(to)
    }

    fn operation(&self, to: &mut String, row: usize) -> std::fmt::Result {
        let Some(operation) = self.joined.operations.get(row) else {
            return Ok(());
        };
        let name = self.joined.strings.get(operation.name);
        let line = place(self.joined, operation.provenance);
        let line = line.as_deref().unwrap_or("(no line)");
        let parent = operation
            .parent
            .map(|parent| format!(", part of {parent:?}"));
        let shape: Vec<String> = operation.shape.iter().map(u64::to_string).collect();
        writeln!(
            to,
            "\noperation {:?} {name} [{}] at {line}, created {}{}",
            operation.uid,
            shape.join(", "),
            self.time(operation.created),
            parent.unwrap_or_default(),
        )?;
        for task in self.tasks.get(&row).into_iter().flatten() {
            self.task(to, task)?;
        }
        Ok(())
    }

    fn task(&self, to: &mut String, task: &Task) -> std::fmt::Result {
        let variant =
            self.joined.processors.iter().find(|processor| {
                (processor.source, processor.id) == (task.source, task.processor)
            });
        let variant = variant.map_or("processor", |processor| {
            self.joined.strings.get(processor.name)
        });
        writeln!(
            to,
            "  task {:?} point {} on {variant}: created {}, ready {}, ran {} to {}",
            task.uid,
            task.point,
            self.time(task.created),
            self.time(task.ready),
            self.time(task.start),
            self.time(task.end),
        )?;
        for (index, share) in self
            .launches
            .get(&(task.source, task.uid))
            .into_iter()
            .flatten()
        {
            let Some(launch) = self.joined.launches.get(index.0 as usize) else {
                continue;
            };
            let (start, end) = (self.time(launch.start), self.time(launch.end));
            writeln!(
                to,
                "    launch {:?} share {share:.3}: {start} to {end}",
                launch.uid
            )?;
            for kernel in self.kernels.get(index).into_iter().flatten() {
                self.kernel(to, "      ", kernel, "")?;
            }
        }
        Ok(())
    }

    fn kernel(
        &self,
        to: &mut String,
        indent: &str,
        kernel: &Kernel,
        why: &str,
    ) -> std::fmt::Result {
        let bytes = kernel
            .bytes
            .map(|bytes| format!(", {bytes} bytes"))
            .unwrap_or_default();
        writeln!(
            to,
            "{indent}{} {} ({}): {} to {}{bytes}{why}",
            kernel.kind,
            self.joined.strings.get(kernel.name),
            kernel.recorder,
            self.time(kernel.start),
            self.time(kernel.end),
        )
    }

    fn unmatched(&self, to: &mut String) -> std::fmt::Result {
        let rows = self.joined.kernels.iter().zip(&self.joined.outcomes);
        let mut rows: Vec<_> = rows
            .filter_map(|(kernel, outcome)| match outcome {
                Outcome::Unmatched(reason) => Some((kernel, reason)),
                Outcome::Linked { .. } => None,
            })
            .collect();
        rows.sort_by_key(|(kernel, _)| {
            (kernel.source, kernel.start, kernel.end, kernel.correlation)
        });
        if !rows.is_empty() {
            writeln!(to, "\nunmatched")?;
        }
        for (kernel, reason) in rows {
            self.kernel(to, "  ", kernel, &format!(": {reason}"))?;
        }
        Ok(())
    }

    fn losses(&self, to: &mut String) -> std::fmt::Result {
        let losses: Vec<_> = self
            .joined
            .losses
            .iter()
            .filter(|loss| loss.value > 0)
            .collect();
        if !losses.is_empty() {
            writeln!(to, "\ncounted")?;
        }
        for loss in losses {
            let source = loss
                .source
                .map(|source| format!("source {}: ", source.id()));
            let source = source.unwrap_or_default();
            writeln!(
                to,
                "  {} {source}{} = {}",
                loss.severity.name(),
                loss.name,
                loss.value
            )?;
        }
        Ok(())
    }

    fn time(&self, time: Timestamp) -> i64 {
        time.nanos().saturating_sub(self.zero)
    }
}
