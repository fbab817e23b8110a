//! Advice on inputs without tasks, such as databases of Nsight Systems, from the times of GPU work
//! and of the calls that started it.
//!
//! Without tasks, dependences of work are unknown, so nothing can be replayed. Each saving is an
//! upper limit, estimated by the rule in the comment of its function.

use super::rank::LEAST;
use super::rules::{LAUNCH_BOUND, RULES, bytes, count, nanos, share};
use super::types::{Advice, Figure, Finding, ReplayFigures, Saving};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use weft_model::{ApiCall, Detail, Gpus, Kernel, KernelKind, SourceIndex, Trace, process_of};

/// The least duration of gaps in ns. Shorter ones are the cost of starting a kernel.
const GAP: i64 = 10_000;
/// The least number of kernels that are shorter than their launch.
const MANY_KERNELS: usize = 100;
/// The maximum size of a small copy, in bytes.
const SMALL: u64 = 64 << 10;
/// The least number of small copies.
const MANY_COPIES: usize = 50;
/// The number of copies that the estimate combines.
const JOINED: i64 = 16;
/// The name for calls of an unknown process.
const UNKNOWN: &str = "?";
/// `CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE`.
const PAGEABLE: u32 = 1;
/// `CUPTI_ACTIVITY_MEMORY_KIND_PINNED`.
const PINNED: u32 = 2;

/// A GPU, as identified by [`Gpus`]: a source and a number in it.
type Gpu = (SourceIndex, Option<i64>);

/// A trace without tasks.
struct Facts<'a> {
    trace: &'a Trace,
    /// The work of each GPU, by start.
    gpus: BTreeMap<Gpu, Vec<&'a Kernel>>,
    /// Calls by process and correlation id. Of several, the longest: a call of the runtime encloses
    /// that of the driver.
    calls: FxHashMap<(i64, i64), &'a ApiCall>,
    /// The calls of each process, by start.
    of_process: FxHashMap<(SourceIndex, i64), Vec<&'a ApiCall>>,
}

/// The time that a change saves on each GPU. GPUs work in parallel: a run is shortened at most by
/// the largest saving of a single GPU.
#[derive(Clone, Default)]
struct Savings(BTreeMap<Gpu, i64>);

impl Savings {
    fn add(&mut self, gpu: Gpu, saving: i64) {
        let sum = self.0.entry(gpu).or_default();
        *sum = sum.saturating_add(saving);
    }

    fn extend(&mut self, other: &Savings) {
        for (gpu, saving) in &other.0 {
            self.add(*gpu, *saving);
        }
    }

    fn of_run(&self) -> i64 {
        self.0.values().copied().max().unwrap_or(0)
    }

    /// Returns the length of a run after the change, in ns.
    fn left_of(&self, length: i64) -> i64 {
        length.saturating_sub(self.of_run()).max(0)
    }
}

/// A finding, with upper limits of its savings.
struct Estimate {
    rule: &'static str,
    savings: Savings,
    evidence: Vec<Figure>,
    change: Option<String>,
    assumes: String,
}

/// Returns the advice; `None` without GPU work.
pub(super) fn advice(trace: &Trace, top: usize) -> Option<Advice> {
    let facts = Facts::new(trace)?;
    let works = || facts.gpus.values().flatten();
    let first = works().map(|work| work.start.nanos()).min()?;
    let last = works().map(|work| work.end.nanos()).max()?;
    let length = last.saturating_sub(first);
    let least = (length as f64 * LEAST) as i64;
    let mut found = Vec::from_iter(facts.launch_bound());
    found.extend(facts.gaps(!found.is_empty()));
    found.extend(facts.small_copies());
    found.extend(facts.pageable());
    let below = found.iter().filter(|one| one.savings.of_run() <= least);
    let below = below.count();
    found.retain(|one| one.savings.of_run() > least);
    found.sort_by_key(|one| std::cmp::Reverse(one.savings.of_run()));
    found.truncate(top);
    let mut all = Savings::default();
    let findings = found.into_iter().map(|one| {
        all.extend(&one.savings);
        one.finding(length, all.left_of(length))
    });
    let findings: Vec<Finding> = findings.collect();
    Some(Advice {
        format: 1,
        part: None,
        estimated: true,
        replay: ReplayFigures {
            measured_ns: length,
            replayed_ns: length,
            error_ns: 0,
            error: 0.0,
            explained: 0.0,
            least_ns: least,
        },
        joint: Saving::new(length, all.left_of(length)),
        findings,
        below_error: below as u64,
        notes: facts.notes(),
    })
}

impl Estimate {
    fn finding(self, whole: i64, left: i64) -> Finding {
        let known = RULES.iter().find(|rule| rule.id == self.rule);
        let (title, change) = known.map_or((LAUNCH_BOUND.title, LAUNCH_BOUND.change), |rule| {
            (rule.title, rule.change)
        });
        let is_line = title.contains("this line");
        Finding {
            rule: self.rule.to_owned(),
            title: match is_line {
                true => "The GPU is idle".to_owned(),
                false => title.to_owned(),
            },
            lines: Vec::new(),
            evidence: self.evidence,
            change: self.change.unwrap_or_else(|| change.to_owned()),
            assumes: Some(self.assumes),
            at_most: true,
            alone: Saving::new(whole, self.savings.left_of(whole)),
            with_previous: Saving::new(whole, left),
        }
    }
}

impl<'a> Facts<'a> {
    fn new(trace: &'a Trace) -> Option<Facts<'a>> {
        let mut gpus: BTreeMap<Gpu, Vec<&Kernel>> = BTreeMap::new();
        let identity = Gpus::new(trace);
        for kernel in trace
            .devices
            .kernels
            .iter()
            .filter(|work| work.start <= work.end)
        {
            let device = kernel
                .device
                .map(|device| identity.device(kernel.source, device));
            let gpu = device.map_or((kernel.source, None), |(source, device)| {
                (source, Some(device))
            });
            gpus.entry(gpu).or_default().push(kernel);
        }
        if gpus.is_empty() {
            return None;
        }
        for works in gpus.values_mut() {
            works.sort_by_key(|work| (work.start, work.end));
        }
        let mut calls: FxHashMap<(i64, i64), &ApiCall> = FxHashMap::default();
        let mut of_process: FxHashMap<_, Vec<&ApiCall>> = FxHashMap::default();
        for call in &trace.devices.calls {
            let process = process_of(call.thread);
            of_process
                .entry((call.source, process))
                .or_default()
                .push(call);
            let known = calls.entry((process, call.correlation)).or_insert(call);
            if (known.end - known.start).0 < (call.end - call.start).0 {
                *known = call;
            }
        }
        for calls in of_process.values_mut() {
            calls.sort_by_key(|call| call.start);
        }
        Some(Facts {
            trace,
            gpus,
            calls,
            of_process,
        })
    }

    fn call(&self, work: &Kernel) -> Option<&'a ApiCall> {
        self.calls.get(&(work.process?, work.correlation?)).copied()
    }

    /// Returns the idle time before each piece of work of a GPU: its beginning, its length, and the
    /// work.
    fn idle(works: &[&'a Kernel]) -> Vec<(i64, i64, &'a Kernel)> {
        let mut until: Option<i64> = None;
        let mut found = Vec::new();
        for work in works {
            let (start, end) = (work.start.nanos(), work.end.nanos());
            if let Some(until) = until.filter(|until| *until < start) {
                found.push((until, start.saturating_sub(until), *work));
            }
            until = Some(until.map_or(end, |until| until.max(end)));
        }
        found
    }

    /// Returns the idle time of the GPU during the launch of a kernel, if the kernel is shorter
    /// than its launch.
    fn waited_for_launch(&self, work: &Kernel, idle: i64) -> Option<i64> {
        let call = self
            .call(work)
            .filter(|_| work.kind == KernelKind::Kernel)?;
        let (launch, took) = ((call.end - call.start).0, (work.end - work.start).0);
        (took < launch).then(|| idle.min((work.start - call.start).0.max(0)))
    }

    /// Finds kernels that are shorter than the calls that launch them. A graph launches them at
    /// once. The estimate is the GPU's idle time from the beginning of each such call to the
    /// beginning of its kernel.
    fn launch_bound(&self) -> Option<Estimate> {
        let mut savings = Savings::default();
        let (mut short, mut all, mut kernels, mut launches) = (0, 0, 0_i64, 0_i64);
        for (gpu, works) in &self.gpus {
            let own = works.iter().filter(|work| work.kind == KernelKind::Kernel);
            let own: Vec<&&Kernel> = own.collect();
            let is_short = |work: &&&&Kernel| self.waited_for_launch(work, 0).is_some();
            let of_short: Vec<&&Kernel> = own.iter().filter(is_short).copied().collect();
            if of_short.len() < MANY_KERNELS || 2 * of_short.len() < own.len() {
                continue;
            }
            for (_, idle, work) in Facts::idle(works) {
                savings.add(*gpu, self.waited_for_launch(work, idle).unwrap_or(0));
            }
            (short, all) = (short + of_short.len(), all + own.len());
            for work in of_short {
                kernels = kernels.saturating_add((work.end - work.start).0);
                let launch = self.call(work).map_or(0, |call| (call.end - call.start).0);
                launches = launches.saturating_add(launch);
            }
        }
        let gpus = savings.0.len();
        let idle = savings.0.values().sum();
        (gpus > 0).then(|| Estimate {
            rule: LAUNCH_BOUND.id,
            savings,
            evidence: vec![
                count("kernels that are shorter than their launch", short),
                share("of all kernels", short as f64 / all.max(1) as f64),
                count("GPUs", gpus),
                nanos("a kernel takes", kernels / short.max(1) as i64),
                nanos("to launch one", launches / short.max(1) as i64),
                nanos("GPU idle in launches", idle),
            ],
            change: None,
            assumes: "launches take no time of the GPU".to_owned(),
        })
    }

    /// Finds gaps between the work of a GPU, by the host's call during most of a gap. The estimate
    /// is all of their time.
    fn gaps(&self, without_launches: bool) -> Vec<Estimate> {
        let mut by_activity: BTreeMap<&str, BTreeMap<Gpu, Vec<i64>>> = BTreeMap::new();
        let mut all = 0;
        for (gpu, works) in &self.gpus {
            for (from, idle, work) in Facts::idle(works) {
                // The GPU waited for the process of its next work.
                let process = work.process.map(|process| (work.source, process));
                let calls = process.and_then(|process| self.of_process.get(&process));
                let calls = calls.map_or(&[][..], Vec::as_slice);
                let waited = self
                    .waited_for_launch(work, idle)
                    .filter(|_| without_launches);
                let idle = idle.saturating_sub(waited.unwrap_or(0));
                if idle < GAP {
                    continue;
                }
                all += idle;
                let activity = match process {
                    None => UNKNOWN,
                    Some(_) => {
                        let to = from.saturating_add(idle);
                        self.activity(calls, from, to).unwrap_or_default()
                    }
                };
                by_activity
                    .entry(activity)
                    .or_default()
                    .entry(*gpu)
                    .or_default()
                    .push(idle);
            }
        }
        let estimate = |(activity, gaps): (&str, BTreeMap<Gpu, Vec<i64>>)| {
            let mut savings = Savings::default();
            for (gpu, gaps) in &gaps {
                savings.add(*gpu, gaps.iter().sum());
            }
            let gpus = gaps.len();
            let gaps: Vec<i64> = gaps.into_values().flatten().collect();
            let time: i64 = gaps.iter().sum();
            let inside = match activity {
                "" => "idle while the host was in no CUDA call,".to_owned(),
                UNKNOWN => "idle before work of an unknown process,".to_owned(),
                name => format!("idle while the host was in {name},"),
            };
            Estimate {
                rule: "gpu-gap",
                savings,
                evidence: vec![
                    nanos(&inside, time),
                    count("gaps", gaps.len()),
                    count("GPUs", gpus),
                    nanos("the longest", gaps.iter().copied().max().unwrap_or(0)),
                    share("of all idle time", time as f64 / all.max(1) as f64),
                ],
                change: Some(change_of(activity).to_owned()),
                assumes: "the GPU works on without these gaps".to_owned(),
            }
        };
        by_activity.into_iter().map(estimate).collect()
    }

    /// Returns the call that covers most of a time, if calls cover half of it.
    fn activity(&self, calls: &[&'a ApiCall], from: i64, to: i64) -> Option<&'a str> {
        // Calls of a thread may be nested, so a call that began long before the gap is searched
        // among the last ones.
        const BACK: usize = 64;
        let after = calls.partition_point(|call| call.start.nanos() < to);
        let mut first = calls.partition_point(|call| call.start.nanos() < from);
        first = first.saturating_sub(BACK);
        let mut times: BTreeMap<&str, i64> = BTreeMap::new();
        for call in calls.get(first..after).unwrap_or_default() {
            let part = call
                .end
                .nanos()
                .min(to)
                .saturating_sub(call.start.nanos().max(from));
            if part > 0 {
                *times.entry(self.trace.strings.get(call.name)).or_default() += part;
            }
        }
        let most = times
            .into_iter()
            .max_by_key(|(name, time)| (*time, std::cmp::Reverse(*name)));
        most.filter(|(_, time)| 2 * time >= to.saturating_sub(from))
            .map(|(name, _)| name)
    }

    /// Finds many small copies of one kind. Every copy costs at least the time of the shortest. The
    /// estimate saves this time for all except each 16th.
    fn small_copies(&self) -> Vec<Estimate> {
        let mut kinds: BTreeMap<&str, BTreeMap<Gpu, Vec<&Kernel>>> = BTreeMap::new();
        for (gpu, works) in &self.gpus {
            for work in works.iter().filter(|work| work.kind == KernelKind::Memcpy) {
                let is_small = work.traffic.written.is_some_and(|bytes| bytes <= SMALL);
                if is_small && (work.end - work.start).0 > 0 {
                    let of_kind = kinds.entry(self.trace.strings.get(work.name)).or_default();
                    of_kind.entry(*gpu).or_default().push(work);
                }
            }
        }
        let time = |work: &&Kernel| (work.end - work.start).0;
        let estimate = |(name, mut gpus): (&str, BTreeMap<Gpu, Vec<&Kernel>>)| {
            gpus.retain(|_, copies| copies.len() >= MANY_COPIES);
            let mut savings = Savings::default();
            for (gpu, copies) in &gpus {
                let shortest = copies.iter().map(time).min().unwrap_or(0);
                let all = copies.len() as i64;
                savings.add(*gpu, shortest.saturating_mul(all - all / JOINED));
            }
            let copies: Vec<&Kernel> = gpus.values().flatten().copied().collect();
            let each = |work: &&Kernel| work.traffic.written.unwrap_or(0);
            let mean = copies.iter().map(each).sum::<u64>() / copies.len().max(1) as u64;
            (!copies.is_empty()).then(|| Estimate {
                rule: "small-copies",
                savings,
                evidence: vec![
                    count(&format!("small copies, {name}"), copies.len()),
                    count("GPUs", gpus.len()),
                    bytes("each, the mean", mean),
                    nanos("in all", copies.iter().map(time).sum()),
                ],
                change: Some(
                    "Copy one larger part instead: join the arrays, or keep them on the GPU"
                        .to_owned(),
                ),
                assumes: format!(
                    "{JOINED} copies become one, and each copy costs at least the time of the shortest one"
                ),
            })
        };
        kinds.into_iter().filter_map(estimate).collect()
    }

    /// Finds copies from or to pageable memory, which the driver copies through a pinned buffer.
    /// The estimate assumes the rate of the trace's pinned copies in the same direction, or twice
    /// their own rate if there are none.
    fn pageable(&self) -> Vec<Estimate> {
        #[derive(Default)]
        struct Sums {
            copies: usize,
            bytes: u64,
            time: i64,
            calls: i64,
            pinned: (u64, i64),
            of_gpus: Savings,
        }
        let mut kinds: BTreeMap<&str, Sums> = BTreeMap::new();
        let works = self.gpus.iter();
        let works = works.flat_map(|(gpu, works)| works.iter().map(move |work| (*gpu, work)));
        for (gpu, work) in works {
            let detail = work
                .detail
                .and_then(|row| self.trace.devices.details.get(row.0 as usize));
            let (KernelKind::Memcpy, Some(Detail::Copy(route))) = (work.kind, detail) else {
                continue;
            };
            let sums = kinds.entry(self.trace.strings.get(work.name)).or_default();
            let (bytes, time) = (work.traffic.written.unwrap_or(0), (work.end - work.start).0);
            let ends = [route.source_kind, route.destination_kind];
            if ends.contains(&PAGEABLE) {
                sums.copies += 1;
                sums.bytes = sums.bytes.saturating_add(bytes);
                sums.time = sums.time.saturating_add(time);
                sums.of_gpus.add(gpu, time);
                let call = self.call(work).map_or(0, |call| (call.end - call.start).0);
                sums.calls = sums.calls.saturating_add(call);
            } else if ends.contains(&PINNED) {
                sums.pinned.0 = sums.pinned.0.saturating_add(bytes);
                sums.pinned.1 = sums.pinned.1.saturating_add(time);
            }
        }
        kinds.retain(|_, sums| sums.copies > 0);
        let estimate = |(name, sums): (&str, Sums)| {
            let own = sums.bytes as f64 / sums.time.max(1) as f64;
            let measured = (sums.pinned.1 > 0 && sums.pinned.0 > sums.bytes / 16)
                .then(|| sums.pinned.0 as f64 / sums.pinned.1 as f64);
            let pinned = measured.unwrap_or(2.0 * own);
            let share = 1.0 - own / pinned.max(own);
            let mut savings = sums.of_gpus;
            for time in savings.0.values_mut() {
                *time = (*time as f64 * share) as i64;
            }
            Estimate {
                rule: "synchronous-copy",
                savings,
                evidence: vec![
                    count(&format!("copies of pageable memory, {name}"), sums.copies),
                    bytes("moved", sums.bytes),
                    nanos("on the GPU", sums.time),
                    nanos("the host in their calls", sums.calls),
                ],
                change: Some("Allocate the memory on the host as pinned (cudaHostAlloc, pin_memory), and copy asynchronously".to_owned()),
                assumes: match measured {
                    Some(_) => "pageable memory is copied as fast as pinned memory in this trace".to_owned(),
                    None => "pinned memory is copied twice as fast; the trace has no such copy".to_owned(),
                },
            }
        };
        kinds.into_iter().map(estimate).collect()
    }

    fn notes(&self) -> Vec<String> {
        let is_without_calls = self.trace.devices.calls.is_empty();
        let note = "the inputs hold no calls of CUDA, so that it is not known what the host did while GPUs were idle";
        Vec::from_iter(is_without_calls.then(|| note.to_owned()))
    }
}

/// Returns the remedy for a call of the host while a GPU was idle; empty if there is none.
fn change_of(call: &str) -> &'static str {
    let is = |parts: &[&str]| parts.iter().any(|part| call.contains(part));
    match call {
        "" | UNKNOWN => {
            "Find what the host does between the calls (file input, Python code, other libraries): do it before, in another thread, or on the GPU"
        }
        _ if is(&["Synchronize", "Query"]) => {
            "Start the next work before waiting for a result, and wait for events or streams instead of the whole device"
        }
        _ if is(&["Memcpy", "Memset"]) => {
            "Copy asynchronously from pinned memory, in a separate stream, to overlap the kernels"
        }
        _ if is(&[
            "Malloc",
            "Free",
            "HostAlloc",
            "HostRegister",
            "HostUnregister",
            "MemAlloc",
        ]) =>
        {
            "Allocate memory once before the loop, or from a pool (cudaMallocAsync)"
        }
        _ if is(&["Launch"]) => {
            "Launch the work as a CUDA graph, or several kernels as one; a first launch also loads the kernel's code"
        }
        _ if is(&["Module", "Library", "LinkComplete"]) => {
            "Load kernels before the part that matters (CUDA_MODULE_LOADING=EAGER)"
        }
        _ => "Make this call less often, or before the part that matters",
    }
}
