//! The counts of the join, as facts of the trace.

use super::host::Check;
use crate::joined::{Index, LossRow, Severity};
use crate::joined::{Joined, Method, Outcome, Reason, Served};

pub(super) fn write(joined: &mut Joined, check: Check) {
    let count = |matches: &dyn Fn(&Outcome) -> bool| {
        joined
            .outcomes
            .iter()
            .filter(|outcome| matches(outcome))
            .count()
    };
    let methods: Vec<_> = Method::ALL
        .iter()
        .map(|wanted| {
            let linked =
                |outcome: &Outcome| matches!(outcome, Outcome::Linked { method, .. } if method == wanted);
            (format!("linked_{wanted}"), count(&linked))
        })
        .collect();
    let reasons: Vec<_> = Reason::ALL
        .iter()
        .map(|wanted| {
            let unmatched = |outcome: &Outcome| *outcome == Outcome::Unmatched(*wanted);
            (format!("unmatched_{wanted}"), count(&unmatched))
        })
        .collect();
    let linked = joined.linked();
    let meta = &mut joined.meta;
    meta.set("kernels", joined.kernels.len());
    meta.set("kernels_linked", linked);
    meta.set("kernels_unmatched", joined.kernels.len() - linked);
    for (key, value) in methods.into_iter().chain(reasons) {
        meta.set(key, value);
    }
    meta.set("range_agreed", check.agreed);
    meta.set("range_disagreed", check.disagreed);
    meta.set("range_absent", check.absent);
    let orphans = orphans(joined);
    if orphans > 0 {
        joined.losses.push(LossRow {
            source: None,
            name: "launch_tasks_missing".to_owned(),
            severity: Severity::Loss,
            value: orphans,
            meaning: "tasks that a launch serves and whose own record is missing".to_owned(),
        });
    }
}

fn orphans(joined: &Joined) -> u64 {
    let index = Index::of(joined);
    let served = joined.launches.iter().flat_map(|launch| {
        let index = &index;
        launch
            .served()
            .map(move |(uid, _)| index.served(launch.source, uid))
    });
    served
        .filter(|found: &Option<Served>| found.is_none())
        .count() as u64
}
