//! Counts of the faults and moves of pages that have a kernel, and of those that have none.

use weft_model::{LossRow, NoPageKernel, Recording, Severity, page_kernels};

/// Records the counts, if there are events of pages.
pub(super) fn count(recording: &mut Recording) {
    let kernels = page_kernels(recording);
    if kernels.is_empty() {
        return;
    }
    let linked = kernels.iter().flatten().count() as u64;
    let all = kernels.len() as u64;
    recording.quality.meta.set("page_events", all);
    recording.quality.meta.set("page_events_linked", linked);
    for reason in NoPageKernel::ALL {
        let count = kernels.iter().filter(|kernel| **kernel == Err(*reason));
        let count = count.count() as u64;
        recording
            .quality
            .meta
            .set(format!("page_events_{reason}"), count);
        let meaning = match reason {
            // These need no kernel.
            NoPageKernel::HostAccess | NoPageKernel::Prefetch => continue,
            NoPageKernel::NoKernel => {
                "faults and moves of pages of unified memory while no kernel ran on their GPU"
            }
            NoPageKernel::SeveralKernels => {
                "faults and moves of pages of unified memory while several kernels ran on their GPU"
            }
        };
        if count > 0 {
            recording.quality.losses.push(LossRow {
                source: None,
                name: format!("page_events_{reason}"),
                severity: Severity::Note,
                value: count,
                meaning: meaning.to_owned(),
            });
        }
    }
}
