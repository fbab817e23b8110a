//! The place of each value of a block, and the order of work.

use super::ahead::second_cache;
use super::block::copy_block;
use super::function::MAX_INPUTS;
use super::plan::{ChainPlan, LinkCall, LoopCall};
use super::walk::{Lie, Operand, Walk};

/// A piece of work on every block.
#[derive(Clone, Copy)]
pub(super) enum Act {
    /// A loop over values at these places, the result's last, with these steps. `is_one` is whether
    /// one element is computed for all.
    LoopCall {
        call: LoopCall,
        places: [u16; 4],
        steps: [isize; 4],
        is_one: bool,
    },
    /// The loop with this number in the plan, over values at the places starting at `first` in
    /// [`Bound::wide_places`].
    Wide {
        number: u16,
        first: u32,
        operands: u8,
        is_one: bool,
    },
    /// Copies elements of the operand to the place. `is_kept` is whether the next block may need
    /// the same elements.
    Gather {
        operand: u16,
        place: u16,
        is_kept: bool,
    },
    /// Copies elements at the place, `step` bytes apart, to the operand.
    Scatter {
        place: u16,
        step: isize,
        operand: u16,
    },
    /// Passes terms to the fold.
    Fold { place: u16 },
}

/// The result of [`bind`], and its temporary data. It is reused, so that runs do not allocate.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) acts: Vec<Act>,
    /// The two steps of the chain that each act belongs to, which may be equal. A fold has the
    /// number after the last step.
    pub(super) owners: Vec<[u16; 2]>,
    /// The step of each place, in bytes from one element to the next; 0 if one element is used for
    /// all. Places are the memory of operands, followed by slots of scratch memory.
    pub(super) steps: Vec<isize>,
    /// Whether each place holds a value that several blocks need.
    pub(super) is_kept: Vec<bool>,
    /// The places of loops over many operands. Their steps are in `wide_steps`.
    pub(super) wide_places: Vec<u16>,
    pub(super) wide_steps: Vec<isize>,
    /// The operands whose next block is prefetched while one is computed.
    pub(super) ahead: Vec<u16>,
    /// An operand whose address changes from block to block.
    pub(super) reference: Option<usize>,
    /// The place of each value.
    homes: Vec<Option<u16>>,
    /// The time of each value's last use.
    last: Vec<u16>,
    /// Whether each output is written as soon as its value is computed.
    is_early: Vec<bool>,
    /// The free slots.
    free: Vec<u16>,
}

/// Binds a plan to the operands of one run.
pub(super) fn bind(plan: &ChainPlan, walk: &Walk, operands: &[Operand], bound: &mut Bound) {
    bound.acts.clear();
    bound.owners.clear();
    bound.steps.clear();
    bound.homes.clear();
    bound.free.clear();
    bound.last.clear();
    bound.is_early.clear();
    bound.wide_places.clear();
    bound.wide_steps.clear();
    bound.last.extend_from_slice(&plan.last_use);
    bound.homes.resize(plan.dtypes.len(), None);
    for operand in operands {
        let step = match walk.lie(operand) {
            Lie::Scalar => 0,
            Lie::Dense | Lie::Strided => operand.size as isize,
        };
        bound.steps.push(step);
    }
    bound.is_kept.clear();
    bound.is_kept.resize(operands.len(), false);
    bound.reference = bound.steps.iter().rposition(|&step| step != 0);
    let mut binder = Binder {
        plan,
        walk,
        operands,
        bound,
        owner: plan.links.first().map_or([0; 2], |link| link.steps),
    };
    binder.inputs();
    binder.advance(0, None);
    for number in 0..plan.links.len() {
        binder.link(number);
    }
    binder.look_ahead();
    for output in 0..plan.outputs.len() {
        if !binder.bound.is_early[output] {
            binder.write(output);
        }
    }
}

struct Binder<'a> {
    plan: &'a ChainPlan,
    walk: &'a Walk,
    operands: &'a [Operand],
    bound: &'a mut Bound,
    /// The steps that the current acts belong to.
    owner: [u16; 2],
}

impl Binder<'_> {
    fn lie(&self, operand: usize) -> Lie {
        self.walk.lie(&self.operands[operand])
    }

    /// Returns the operand of an output.
    fn target(&self, output: usize) -> usize {
        self.plan.inputs + output
    }

    /// Returns the inputs in the same memory as an output. An operand that shares elements with an
    /// output is exactly its view, and has the same address.
    fn aliases(&self, output: usize) -> impl Iterator<Item = usize> + use<'_> {
        let at = self.operands[self.target(output)].at;
        (0..self.plan.inputs).filter(move |&input| self.operands[input].at == at)
    }

    /// Decides which outputs can be written early, and gives places to inputs that are dense or
    /// must be saved.
    fn inputs(&mut self) {
        let plan = self.plan;
        for output in 0..plan.outputs.len() {
            let value = usize::from(plan.outputs[output]);
            let made = (value + 1).saturating_sub(plan.inputs) as u16;
            // Values that are read later must not be overwritten.
            let is_early = self
                .aliases(output)
                .all(|input| plan.last_use[input] <= made);
            self.bound.is_early.push(is_early);
            if !is_early {
                self.bound.last[value] = plan.end();
            }
        }
        for input in 0..plan.inputs {
            let is_copied = plan
                .outputs
                .iter()
                .any(|&value| usize::from(value) == input);
            let is_overwritten = || {
                let mut outputs = 0..plan.outputs.len();
                outputs.any(|output| self.aliases(output).any(|alias| alias == input))
            };
            if is_copied && is_overwritten() {
                self.gather(input);
            } else if self.lie(input) != Lie::Strided {
                self.bound.homes[input] = Some(input as u16);
            }
        }
    }

    /// Finds the outputs to prefetch. A processor predicts the next reads, but not the next writes.
    /// In long computations its stores wait for memory in the meantime, and prefetching would only
    /// delay reads.
    fn look_ahead(&mut self) {
        self.bound.ahead.clear();
        if self.plan.is_long {
            return;
        }
        let elements: usize = self.walk.counts[..self.walk.depth].iter().product();
        for output in 0..self.plan.outputs.len() {
            let operand = self.target(output);
            let is_large = elements * self.operands[operand].size >= second_cache();
            if is_large && self.lie(operand) == Lie::Dense && self.aliases(output).next().is_none()
            {
                self.bound.ahead.push(operand as u16);
            }
        }
    }

    /// Gathers an input into a slot.
    fn gather(&mut self, input: usize) -> u16 {
        // An input that does not change along the loop that is cut is still there for the next
        // block.
        let is_kept = self.operands[input].steps[self.walk.cut] == 0;
        let size = self.operands[input].size as isize;
        let place = if is_kept {
            // The slot is never freed or shared: an act that is earlier in this block is later than
            // the next block's.
            self.bound.last[input] = u16::MAX;
            let place = self.fresh(size);
            self.bound.is_kept[usize::from(place)] = true;
            place
        } else {
            self.slot(size)
        };
        self.push(Act::Gather {
            operand: input as u16,
            place,
            is_kept,
        });
        self.bound.homes[input] = Some(place);
        place
    }

    fn push(&mut self, act: Act) {
        self.bound.acts.push(act);
        self.bound.owners.push(self.owner);
    }

    /// Returns a slot that was never used.
    fn fresh(&mut self, step: isize) -> u16 {
        self.bound.steps.push(step);
        self.bound.is_kept.push(false);
        self.bound.steps.len() as u16 - 1
    }

    fn slot(&mut self, step: isize) -> u16 {
        let Some(place) = self.bound.free.pop() else {
            return self.fresh(step);
        };
        self.bound.steps[usize::from(place)] = step;
        place
    }

    /// Returns the place of a value, gathering it if necessary.
    fn home(&mut self, value: usize) -> u16 {
        self.bound.homes[value].unwrap_or_else(|| self.gather(value))
    }

    fn step(&self, place: u16) -> isize {
        self.bound.steps[usize::from(place)]
    }

    fn link(&mut self, number: usize) {
        let link = &self.plan.links[number];
        self.owner = link.steps;
        let value = self.plan.inputs + number;
        let mut places = [0; MAX_INPUTS + 1];
        let mut is_one = true;
        for (place, &from) in places.iter_mut().zip(&link.from) {
            *place = self.home(usize::from(from));
            is_one &= self.step(*place) == 0;
        }
        let direct = (0..self.plan.outputs.len()).find(|&output| {
            usize::from(self.plan.outputs[output]) == value
                && self.bound.is_early[output]
                && self.lie(self.target(output)) == Lie::Dense
        });
        let direct = direct.filter(|_| !is_one);
        let place = match direct {
            Some(output) => self.target(output) as u16,
            None => {
                let size = self.plan.dtypes[value].size() as isize;
                self.slot(if is_one { 0 } else { size })
            }
        };
        places[link.from.len()] = place;
        self.bound.homes[value] = Some(place);
        match link.call {
            LinkCall::Loop(call) => {
                let [a, b, c, d, ..] = places;
                self.call(call, [a, b, c, d], is_one);
            }
            LinkCall::Wide(wide) => self.wide(wide, &places[..=link.from.len()], is_one),
        }
        self.advance(number as u16 + 1, direct);
    }

    /// Does the work that the values computed at `time` make possible, and frees the slots of
    /// values that are not needed any more.
    fn advance(&mut self, time: u16, direct: Option<usize>) {
        let is_made = |value: u16| (value + 1).saturating_sub(self.plan.inputs as u16) == time;
        if let Some((_, value)) = &self.plan.fold
            && is_made(*value)
        {
            self.fold(usize::from(*value));
        }
        for output in 0..self.plan.outputs.len() {
            if is_made(self.plan.outputs[output])
                && self.bound.is_early[output]
                && direct != Some(output)
            {
                self.write(output);
            }
        }
        if time > 0 {
            let number = usize::from(time) - 1;
            let link = &self.plan.links[number];
            let made = (self.plan.inputs + number) as u16;
            for &value in &link.from {
                self.release(value, time);
            }
            self.release(made, time);
        }
    }

    /// Frees a value's slot if the value is not needed after `time`.
    fn release(&mut self, value: u16, time: u16) {
        let value = usize::from(value);
        if self.bound.last[value] > time {
            return;
        }
        // The place is removed, so that a slot is freed only once.
        if let Some(place) = self.bound.homes[value].take()
            && usize::from(place) >= self.operands.len()
        {
            self.bound.free.push(place);
        }
    }

    fn fold(&mut self, value: usize) {
        self.owner = [self.plan.steps; 2];
        let mut place = self.home(value);
        if self.step(place) == 0 {
            let dtype = self.plan.dtypes[value];
            let spread = self.slot(dtype.size() as isize);
            self.copy(value, place, spread);
            self.bound.free.push(spread);
            place = spread;
        }
        self.push(Act::Fold { place });
    }

    fn copy(&mut self, value: usize, from: u16, to: u16) {
        let block = copy_block(self.plan.dtypes[value]);
        self.call(LoopCall::Unary(block), [from, to, 0, 0], false);
    }

    fn call(&mut self, call: LoopCall, places: [u16; 4], is_one: bool) {
        self.push(Act::LoopCall {
            call,
            places,
            steps: places.map(|place| self.step(place)),
            is_one,
        });
    }

    fn wide(&mut self, number: u16, places: &[u16], is_one: bool) {
        self.push(Act::Wide {
            number,
            first: self.bound.wide_places.len() as u32,
            operands: places.len() as u8,
            is_one,
        });
        for &place in places {
            let step = self.step(place);
            self.bound.wide_places.push(place);
            self.bound.wide_steps.push(step);
        }
    }

    /// Writes an output from the place of its value.
    fn write(&mut self, output: usize) {
        let value = usize::from(self.plan.outputs[output]);
        let operand = self.target(output);
        if self.aliases(output).any(|input| input == value) {
            return;
        }
        self.owner = [self.plan.output_steps[output]; 2];
        let place = self.home(value);
        // A single element counts as both scalar and dense.
        if self.lie(operand) == Lie::Strided {
            self.push(Act::Scatter {
                place,
                step: self.step(place),
                operand: operand as u16,
            });
        } else {
            self.copy(value, place, operand as u16);
        }
    }
}
