//! The counts of the join, as properties of the trace.

use super::tally::Tally;
use weft_model::{Index, LossRow, Method, Outcome, Reason, Recording, Served, Severity};

/// Records the counts. `duplicates` is the number of removed rows of kernels that two recorders
/// recorded.
pub(super) fn write(
    recording: &mut Recording,
    outcomes: &[Outcome],
    index: &Index,
    tally: Tally,
    duplicates: u64,
) {
    let mut methods = vec![0_u64; Method::ALL.len()];
    let mut reasons = vec![0_u64; Reason::ALL.len()];
    for outcome in outcomes {
        let count = match *outcome {
            Outcome::Linked { method, .. } => methods.get_mut(method as usize),
            Outcome::Unmatched(reason) => reasons.get_mut(reason as usize),
        };
        if let Some(count) = count {
            *count += 1;
        }
    }
    let kernels = recording.devices.kernels.len() as u64;
    let linked: u64 = methods.iter().sum();
    let meta = &mut recording.quality.meta;
    meta.set("kernels_read", kernels + duplicates);
    meta.set("kernels_duplicate", duplicates);
    meta.set("kernels", kernels);
    meta.set("kernels_linked", linked);
    meta.set("kernels_unmatched", kernels - linked);
    for (method, count) in Method::ALL.iter().zip(methods) {
        meta.set(format!("linked_{method}"), count);
    }
    for (reason, count) in Reason::ALL.iter().zip(reasons) {
        meta.set(format!("unmatched_{reason}"), count);
    }
    for (name, count) in tally.counts() {
        meta.set(name, count);
    }
    let lost = [
        (
            "launch_tasks_missing",
            Severity::Loss,
            orphans(recording, index),
            "tasks of a launch whose own record is missing",
        ),
        (
            "kernels_duplicate",
            Severity::Note,
            duplicates,
            "kernels that Nsight Systems recorded too; the record of CUPTI in the process was kept",
        ),
        (
            "helper_thread_ambiguous",
            Severity::Note,
            tally.helper_several,
            "kernels launched by threads without ranges of their own while several start/end ranges were open",
        ),
        (
            "evidence_disagreed",
            Severity::Note,
            tally.range_disagreed + tally.external_disagreed + tally.named_disagreed,
            "kernels for which two methods give different launches; the more reliable method was used",
        ),
    ];
    for (name, severity, value, meaning) in lost {
        if value > 0 {
            recording.quality.losses.push(LossRow {
                source: None,
                name: name.to_owned(),
                severity,
                value,
                meaning: meaning.to_owned(),
            });
        }
    }
}

fn orphans(recording: &Recording, index: &Index) -> u64 {
    let served = recording.work.launches.iter().flat_map(|launch| {
        launch
            .served()
            .map(move |(uid, _)| index.served(launch.source, uid))
    });
    served
        .filter(|found: &Option<Served>| found.is_none())
        .count() as u64
}
