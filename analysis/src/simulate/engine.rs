//! The simulation of a program's ranks: when each of their resources is free.
//!
//! Operations are simulated in program order. Each takes the resources that it needs on every rank
//! from the time at which they are free: the program's thread for its gap, the analysis for its
//! planning, the network for its messages, the workers for its tiles. Work that a real run could
//! serve in another order by chance is served in this order.

use super::machine::Machine;
use super::network::Network;
use super::program::{Program, SimulatedOperation, Unit};
use super::rank::{RankState, Tiles};
use super::recut::Recut;
use super::traffic::{Needs, ToAll, Traffic};
use super::waiting::Waiting;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use weft_geometry::{Access, Block, Cuts, Layout, Processors, Ranks, Region};
use weft_model::{Progress, ProvenanceIndex};

/// Number of operations between two reports of progress.
const TOLD: usize = 64;

/// Messages and bytes by sender and receiver.
pub type Channels = BTreeMap<(u16, u16), (u64, u64)>;

/// The cost of a line of the program, over all ranks. Times are nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    /// Number of operations.
    pub operations: u64,
    /// Time of its tasks.
    pub tasks: f64,
    /// Time by which its tasks ended later because messages had not arrived.
    pub waited: f64,
    /// Its share of the analysis of one rank.
    pub analysis: f64,
    /// Number of messages before its operations.
    pub messages: u64,
    /// Number of bytes of these messages.
    pub bytes: u64,
}

/// The prediction of a run. Times are nanoseconds.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// The simulated machine.
    pub machine: Machine,
    /// Time from the first call to the end.
    pub time: f64,
    /// Time in which workers ran tasks, over all ranks.
    pub busy: f64,
    /// The share of the workers' time in which they ran no task.
    pub idle: f64,
    /// The share of the time by which messages held up tasks; mean over the ranks.
    pub waited: f64,
    /// Number of messages of all ranks.
    pub messages: u64,
    /// Number of bytes of these messages.
    pub bytes: u64,
    /// Bytes that a rank sends and receives; maximum over the ranks.
    pub most_bytes: u64,
    /// Mean analysis of an operation: planning, and finding the needs of other ranks.
    pub analysis: f64,
    /// The part of `analysis` that finds the needs of other ranks.
    pub exchange: f64,
    /// Costs by line.
    pub lines: FxHashMap<ProvenanceIndex, Line>,
    /// Messages and bytes from one rank to another, if requested.
    pub channels: Channels,
}

/// The times at which the content of a store is available, by rank.
struct StoreTimes {
    written: Vec<f64>,
    read: Vec<f64>,
    /// The arrival of the last message, and the number of tiles that wait for it.
    arrived: Vec<(f64, usize)>,
}

struct Engine<'a> {
    program: &'a Program,
    machine: Machine,
    network: Network,
    processors: Processors,
    slowdown: f64,
    ranks: Vec<RankState>,
    store_times: FxHashMap<u64, StoreTimes>,
    /// For each unit under way, the messages of its steps: by rank, their arrival and the number of
    /// tiles that wait.
    late: Vec<(f64, usize)>,
    ends: Vec<Vec<f64>>,
    sent: Vec<u64>,
    waiting: Waiting,
    lines: FxHashMap<ProvenanceIndex, Line>,
}

/// Predicts the run of a program on a machine; with `keep_channels`, also the traffic between each
/// pair of ranks.
pub fn predict(
    program: &Program,
    machine: Machine,
    network: Network,
    keep_channels: bool,
    progress: &Progress,
) -> Prediction {
    let mut engine = Engine::new(program, machine, network);
    let mut traffic = Traffic::new(machine.ranks);
    let mut recut = Recut::new(program);
    let mut channels = Channels::new();
    let (mut exchange, mut analysis) = (0.0, 0.0);
    let what = format!("simulating {} ranks", machine.ranks);
    progress.begin(&what, program.steps.len() as u64);
    for (at, step) in program.steps.iter().enumerate() {
        if at % TOLD == TOLD - 1 {
            progress.advance(TOLD as u64);
        }
        let ranks = usize::from(machine.ranks);
        let cuts = engine.processors.cuts(&step.shape, step.tiling, ranks);
        let step = &*recut.cut(step, &cuts);
        let needs = traffic.next(step, &program.stores, &cuts);
        let finding = machine.exchange.get(needs.found);
        exchange += finding;
        analysis += finding + step.planning;
        engine.step(at, step, &cuts, &needs);
        for store in &step.last_of {
            traffic.forget(*store);
            engine.store_times.remove(store);
        }
        if keep_channels {
            needs.for_each_message(machine.ranks, |from, to, bytes| {
                let sum = channels.entry((from, to)).or_default();
                *sum = (sum.0 + 1, sum.1 + bytes);
            });
        }
    }
    let steps = program.steps.len().max(1) as f64;
    Prediction {
        analysis: analysis / steps,
        exchange: exchange / steps,
        channels,
        ..engine.finish()
    }
}

impl<'a> Engine<'a> {
    fn new(program: &'a Program, machine: Machine, network: Network) -> Engine<'a> {
        let ranks = usize::from(machine.ranks);
        let cores = machine.cores_per_rank.max(1);
        let processors = match program.processors.omps {
            0 => Processors {
                cpus: cores,
                ..program.processors
            },
            _ => program.processors,
        };
        Engine {
            program,
            machine,
            network,
            processors,
            slowdown: machine.slowdown(),
            ranks: vec![RankState::new(cores); ranks],
            store_times: FxHashMap::default(),
            late: vec![(0.0, 0); ranks],
            ends: vec![Vec::new(); program.steps.len()],
            sent: vec![0; ranks],
            waiting: Waiting::default(),
            lines: FxHashMap::default(),
        }
    }

    fn step(&mut self, at: usize, step: &SimulatedOperation, cuts: &Cuts, needs: &Needs) {
        let line = self.lines.entry(step.provenance).or_default();
        line.operations += 1;
        let finding = self.machine.exchange.get(needs.found);
        line.analysis += finding + step.planning;
        let size = self.ranks.len();
        let (messages, bytes) = needs.sum(size as u64);
        line.messages += messages;
        line.bytes += bytes;
        for view in &step.views {
            let there = self.store_times.entry(view.store);
            there.or_insert_with(|| StoreTimes {
                written: vec![0.0; size],
                read: vec![0.0; size],
                arrived: vec![(0.0, 0); size],
            });
        }
        let unit = &self.program.units[step.unit];
        let is_last = unit.steps.last() == Some(&at);
        let may_inline = needs.is_silent() && !needs.is_shared && unit.steps.len() == 1;
        let mut queued = vec![true; size];
        for (rank, queued) in queued.iter_mut().enumerate() {
            self.ranks[rank].program += step.gap * self.slowdown;
            let now = self.ranks[rank].program;
            let inline = step
                .inline
                .filter(|_| may_inline && self.is_there(step, rank, now));
            if let Some(time) = inline {
                *queued = false;
                self.inline(at, step, rank, (time + finding) * self.slowdown);
                continue;
            }
            let planning = match step.inline {
                Some(_) => self.program.planning,
                None => step.planning,
            };
            let state = &mut self.ranks[rank];
            state.analysis = state.analysis.max(now) + (planning + finding) * self.slowdown;
        }
        self.exchange(step, cuts, needs);
        if is_last {
            self.run(step, unit, cuts, needs.is_shared, &queued);
        }
        for wait in &step.waits {
            for (rank, state) in self.ranks.iter_mut().enumerate() {
                let end = match wait {
                    Some(of) => self.ends[*of].get(rank).copied().unwrap_or(0.0),
                    None => state.end,
                };
                if end > state.program {
                    state.program = end + self.program.wake * self.slowdown;
                }
            }
        }
    }

    /// Whether all operands of a step are available on a rank.
    fn is_there(&self, step: &SimulatedOperation, rank: usize, now: f64) -> bool {
        step.views.iter().all(|view| {
            let there = &self.store_times[&view.store];
            there.written[rank]
                .max(there.read[rank])
                .max(there.arrived[rank].0)
                <= now
        })
    }

    /// Simulates a small operation on the program's own thread.
    fn inline(&mut self, at: usize, step: &SimulatedOperation, rank: usize, time: f64) {
        let state = &mut self.ranks[rank];
        state.program += time;
        let end = state.program;
        state.end = state.end.max(end);
        self.wrote(step, rank, end);
        let ends = &mut self.ends[at];
        ends.resize(self.ranks.len(), 0.0);
        ends[rank] = end;
        self.lines.entry(step.provenance).or_default().tasks += time;
    }

    /// Sets the times at which a step has finished with its inputs and outputs.
    fn wrote(&mut self, step: &SimulatedOperation, rank: usize, end: f64) {
        for view in &step.views {
            if let Some(there) = self.store_times.get_mut(&view.store) {
                match view.access {
                    Access::Read => there.read[rank] = there.read[rank].max(end),
                    Access::Write | Access::ReadWrite => {
                        there.written[rank] = there.written[rank].max(end);
                    }
                }
            }
        }
    }

    /// Simulates sends and receives.
    fn exchange(&mut self, step: &SimulatedOperation, cuts: &Cuts, needs: &Needs) {
        if needs.is_silent() {
            return;
        }
        for gather in &needs.gathers {
            self.gather(step, gather);
        }
        // The times at which the senders have their data: messages of one operation do not wait for
        // each other.
        let ready: Vec<f64> = needs
            .moves
            .iter()
            .map(|one| self.sendable(step, one.what.operand, one.what.from))
            .collect();
        let mut known = std::mem::take(&mut self.waiting);
        let waiting = known.get_or_compute(needs, || self.touching(step, cuts, needs));
        self.waiting = known;
        let overhead = self.network.overhead * self.slowdown;
        for ((one, ready), waiting) in needs.moves.iter().zip(ready).zip(waiting.iter().copied()) {
            let (from, to) = (usize::from(one.what.from), usize::from(one.what.to));
            let link = match self.machine.is_local(one.what.from, one.what.to) {
                true => self.network.near,
                false => self.network.far,
            };
            let occupied = link.occupied(one.bytes);
            let sender = &mut self.ranks[from];
            sender.messages = sender.messages.max(ready) + overhead;
            let start = sender.messages.max(sender.out);
            sender.out = start + occupied;
            let receiver = &mut self.ranks[to];
            let begins = (start + link.latency).max(receiver.inward);
            receiver.inward = begins + occupied;
            let arrived = receiver
                .inward
                .max(receiver.analysis)
                .max(receiver.messages)
                + overhead;
            receiver.messages = receiver.messages.max(arrived - overhead) + overhead;
            self.sent[from] += one.bytes;
            self.sent[to] += one.bytes;
            let store = step.views[one.what.operand].store;
            if let Some(there) = self.store_times.get_mut(&store) {
                let known = &mut there.arrived[to];
                *known = (known.0.max(arrived), known.1.max(waiting));
            }
            let late = &mut self.late[to];
            *late = (late.0.max(arrived), late.1.saturating_add(waiting));
        }
    }

    /// Returns the time at which the sender has the data and its analysis has reached the message.
    fn sendable(&self, step: &SimulatedOperation, view: usize, from: u16) -> f64 {
        let from = usize::from(from);
        let there = self.store_times.get(&step.views[view].store);
        let written = there.map_or(0.0, |there| there.written[from]);
        written.max(self.ranks[from].analysis)
    }

    /// Simulates a gather to every rank, in as many rounds as the ranks can be halved. The gathered
    /// data enters each rank once.
    fn gather(&mut self, step: &SimulatedOperation, gather: &ToAll) {
        let size = self.machine.ranks;
        let overhead = self.network.overhead * self.slowdown;
        let link = match self.machine.is_local(0, size - 1) {
            true => self.network.near,
            false => self.network.far,
        };
        let ready = gather
            .sent
            .iter()
            .map(|(from, _)| self.sendable(step, gather.view, *from));
        let ready = ready.fold(0.0, f64::max) + overhead;
        let rounds = f64::from(16 - (size - 1).leading_zeros());
        let all: u64 = gather.sent.iter().map(|(_, bytes)| bytes).sum();
        let mut own = vec![0; usize::from(size)];
        for (from, bytes) in &gather.sent {
            own[usize::from(*from)] += bytes;
        }
        let store = step.views[gather.view].store;
        for (rank, own) in own.into_iter().enumerate() {
            let state = &mut self.ranks[rank];
            let start = ready
                .max(state.analysis)
                .max(state.messages)
                .max(state.inward);
            let end = start + rounds * link.latency + link.occupied(all - own);
            (state.inward, state.out) = (end, end.max(state.out));
            state.messages = end.max(state.messages) + overhead;
            self.sent[rank] += all - own + own * u64::from(size - 1);
            // A rank that needs all of it needs it in every tile.
            let late = (end + overhead, usize::MAX);
            let there = self.store_times.get_mut(&store);
            for known in there
                .map(|there| &mut there.arrived[rank])
                .into_iter()
                .chain([&mut self.late[rank]])
            {
                *known = (known.0.max(late.0), late.1);
            }
        }
    }

    /// Returns, for each message, the number of the receiver's tiles that need its data.
    fn touching(&self, step: &SimulatedOperation, cuts: &Cuts, needs: &Needs) -> Vec<usize> {
        // Messages are sorted by receiver: the elements that its tiles touch are found once for all
        // of them.
        let mut receiver: Option<(usize, u16, Vec<Vec<Block>>)> = None;
        let of = needs.moves.iter().map(|one| {
            let (operand, to) = (one.what.operand, one.what.to);
            let own = self.own(cuts, needs.is_shared, to);
            let view = &step.views[operand];
            let Some(stored) = self.program.stores.get(&view.store) else {
                return own.count();
            };
            let known = receiver
                .take()
                .filter(|(of, rank, _)| (*of, *rank) == (operand, to));
            let (_, _, tiles) = receiver.insert(known.unwrap_or_else(|| {
                let blocks = |point: usize| {
                    let cut = own.get(point);
                    let pieces = view.projection.pieces(&view.layout, &step.shape, &cut);
                    let regions = pieces
                        .iter()
                        .filter_map(|piece| Region::of(piece, &stored.shape));
                    regions
                        .map(|region| region.block(&stored.shape).0)
                        .collect()
                };
                (operand, to, (0..own.count()).map(blocks).collect())
            }));
            let touches = |blocks: &&Vec<Block>| blocks.iter().any(|block| one.what.meets(block));
            tiles.iter().filter(touches).count()
        });
        of.collect()
    }

    fn own(&self, cuts: &Cuts, is_shared: bool, rank: u16) -> Cuts {
        match is_shared {
            true => cuts.of_rank(Ranks {
                rank,
                size: self.machine.ranks,
            }),
            false => *cuts,
        }
    }

    /// Runs the tiles of a unit on every rank.
    fn run(
        &mut self,
        step: &SimulatedOperation,
        unit: &Unit,
        cuts: &Cuts,
        is_shared: bool,
        queued: &[bool],
    ) {
        let whole = Layout::contiguous(step.shape);
        let elements = step.shape.len().max(1) as f64;
        let program = self.program;
        for rank in (0..queued.len()).filter(|rank| queued[*rank]) {
            let own = self.own(cuts, is_shared, rank as u16);
            let late = std::mem::take(&mut self.late[rank]);
            if own.count() == 0 {
                continue;
            }
            let part = own.all().of(&whole).shape.len() as f64 / elements;
            let count = own.count() as f64;
            let time =
                (unit.kernels * part / count + unit.overhead + unit.local / count) * self.slowdown;
            let steps = || unit.steps.iter().map(|step| &program.steps[*step]);
            let mut ready = self.ranks[rank].analysis;
            let mut arrived = late;
            for view in steps().flat_map(|step| &step.views) {
                let there = &self.store_times[&view.store];
                ready = ready.max(there.written[rank]);
                match view.access {
                    Access::Read => {
                        let known = there.arrived[rank];
                        arrived = (arrived.0.max(known.0), arrived.1.max(known.1));
                    }
                    Access::Write | Access::ReadWrite => ready = ready.max(there.read[rank]),
                }
            }
            ready += self.program.dispatch * self.slowdown;
            let waiting = match self.machine.overlap {
                true => arrived.1.min(own.count()),
                false => own.count(),
            };
            let state = &mut self.ranks[rank];
            let waited = state.waited;
            let end = state.run(Tiles {
                count: own.count(),
                waiting,
                time,
                ready,
                arrived: arrived.0,
            });
            let waited = state.waited - waited;
            for (step, share) in unit.steps.iter().zip(&unit.shares) {
                let step = &program.steps[*step];
                self.wrote(step, rank, end);
                let line = self.lines.entry(step.provenance).or_default();
                line.tasks += time * count * share;
                line.waited += waited / unit.steps.len() as f64;
            }
            for step in &unit.steps {
                let ends = &mut self.ends[*step];
                ends.resize(self.ranks.len(), 0.0);
                ends[rank] = end;
            }
        }
    }

    fn finish(self) -> Prediction {
        let ranks = self.ranks.len() as f64;
        let ends = self.ranks.iter().map(|rank| rank.end.max(rank.program));
        let time = ends.fold(0.0, f64::max);
        let busy: f64 = self.ranks.iter().map(|rank| rank.busy).sum();
        let waited: f64 = self.ranks.iter().map(|rank| rank.waited).sum();
        let workers = ranks * self.machine.cores_per_rank.max(1) as f64;
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        Prediction {
            machine: self.machine,
            time,
            busy,
            idle: (1.0 - share(busy, time * workers)).max(0.0),
            waited: share(waited, time * ranks),
            messages: self.lines.values().map(|line| line.messages).sum(),
            bytes: self.lines.values().map(|line| line.bytes).sum(),
            most_bytes: self.sent.iter().copied().max().unwrap_or(0),
            analysis: 0.0,
            exchange: 0.0,
            lines: self.lines,
            channels: Channels::new(),
        }
    }
}
