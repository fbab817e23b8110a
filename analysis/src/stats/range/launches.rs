//! The ranges that the runtime would have opened for a session: one per launch.

use super::instances::{Instance, Instances};
use weft_model::{Index, Outcome, Trace, launch_message as message};

/// Adds the launches that have kernels if there is no session. Ranges of launches do not nest.
pub(super) fn add(instances: &mut Instances, trace: &Trace) {
    if !trace.devices.sessions.is_empty() {
        return;
    }
    let index = Index::new(trace);
    let mut work = vec![(0_u32, i64::MAX, i64::MIN); trace.work.launches.len()];
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        let Outcome::Linked { launch, .. } = outcome else {
            continue;
        };
        if let Some((count, first, last)) = work.get_mut(launch.0 as usize) {
            *count += 1;
            *first = kernel.start.nanos().min(*first);
            *last = kernel.end.nanos().max(*last);
        }
    }
    let processors = trace.processors_by_id();
    for (launch, (operations, first, last)) in trace.work.launches.iter().zip(work) {
        let source = trace.sources.get(launch.source.0 as usize);
        let process = source.and_then(|source| source.pid).map_or(0, i64::from);
        let processor = processors.get(&(launch.source, launch.processor));
        let thread = processor.map(|processor| i64::from(processor.thread));
        let text = message::compose(trace, &index, launch).text;
        let name = instances.names.intern(&text);
        if let Some(own) = &mut instances.own {
            let own = own.entry((name, true)).or_default();
            own.add((launch.end - launch.start).0);
            instances.outermost += i128::from((launch.end - launch.start).0);
        }
        if operations == 0 {
            continue;
        }
        instances.rows.push(Instance {
            source: launch.source,
            name,
            first,
            last,
            start: launch.start.nanos(),
            end: launch.end.nanos(),
            pushed: true,
            thread: process << 24 | thread.unwrap_or(0) & 0xff_ffff,
            operations,
            level: 0,
            children: 0,
            id: launch.uid.raw().cast_signed(),
            range: None,
        });
    }
    instances.sort();
}
