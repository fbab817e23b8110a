//! Matching of Legate's ranges, which carry no UID, to the tasks of its profile: by name,
//! provenance and time, one to one. It is done like the matching that tied the clocks
//! ([`names`](crate::clock)), but with all times on one clock.

use crate::clock::{Conversion, assign_names, slack_of_names};
use crate::identify::{Case, Lookup};
use weft_model::{LossRow, RangeTask, Recording, Severity, SourceIndex};

/// Matches ranges to tasks, with times on one clock, and records the counts.
pub(super) fn link(recording: &mut Recording, lookup: &Lookup) -> Vec<RangeTask> {
    let files: Vec<SourceIndex> = lookup.bodies.sources().collect();
    if files.is_empty() {
        return Vec::new();
    }
    let mut links = Vec::new();
    let (mut ranges, mut tasks, mut ambiguous, mut rejected) = (0, 0, 0, 0);
    for file in files {
        for &(session, process) in lookup.owners.processes(file) {
            let case = Case::new(recording, &lookup.bodies, file, session, process);
            let error = [file, session].map(|source| recording.clock_error(source).named);
            let error = error[0].saturating_add(error[1]);
            let assignment =
                assign_names(&case, &Conversion::default(), slack_of_names(error), true);
            ranges += case.ranges();
            tasks += case.tasks();
            ambiguous += assignment.ambiguous;
            rejected += assignment.rejected;
            links.extend(assignment.pairs.iter().filter_map(|&(range, task)| {
                let task = recording.work.tasks.get(task as usize)?;
                Some(RangeTask {
                    range: weft_model::RangeIndex(range),
                    source: task.source,
                    task: task.uid,
                })
            }));
        }
    }
    links.sort_unstable_by_key(|link| link.range);
    let matched = links.len();
    let meta = &mut recording.quality.meta;
    meta.set("name_time_ranges", ranges);
    meta.set("name_time_tasks", tasks);
    meta.set("name_time_matched", matched);
    meta.set("name_time_ambiguous", ambiguous);
    meta.set("name_time_rejected", rejected);
    for (name, value, meaning) in [
        (
            "name_time_ranges_unmatched",
            ranges - matched,
            "ranges named like tasks of a profile that lie in none of these tasks, or equally well in several",
        ),
        (
            "name_time_tasks_unmatched",
            tasks.saturating_sub(matched),
            "tasks of a profile without a range, although ranges have their name",
        ),
    ] {
        recording.quality.losses.push(LossRow {
            source: None,
            name: name.to_owned(),
            severity: Severity::Note,
            value: value as u64,
            meaning: meaning.to_owned(),
        });
    }
    links
}
