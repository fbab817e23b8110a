//! The remaining steps of a group in which some operations have failed.

use smallvec::SmallVec;
use weft_config::Level;

use super::Run;
use super::failures::Failures;
use super::tiles::Tiles;
use crate::observe::Subsystem;
use weft_elements::chain::{ChainPlan, Step, Value};
use weft_elements::{Tile, TileRef};

/// Runs the steps that do not depend on failures. Returns whether any step ran.
pub(super) fn run_rest(of: &Run<'_>, tiles: &mut Tiles, failures: &mut Failures) -> bool {
    let &Run {
        executor, fused, ..
    } = of;
    // The remaining steps keep their order. The earlier steps that they use remain as well.
    let mut numbers: SmallVec<[u16; 8]> = SmallVec::new();
    let mut steps: SmallVec<[Step; 8]> = SmallVec::new();
    for (at, step) in fused.steps.iter().enumerate() {
        numbers.push(steps.len() as u16);
        if failures[at].is_none() {
            let mut step = step.clone();
            for input in &mut step.inputs {
                if let Value::Step(from) = input {
                    *from = numbers[usize::from(*from)];
                }
            }
            steps.push(step);
        }
    }
    let fold = fused
        .folded
        .as_ref()
        .filter(|_| failures.last().is_some_and(Option::is_none));
    let fold = fold.map(|(folded, _)| (folded.reduce.clone(), numbers[usize::from(folded.step)]));
    let is_folded = fold.is_some();
    let mut outputs: SmallVec<[u16; 4]> = SmallVec::new();
    let mut written: SmallVec<[usize; 4]> = SmallVec::new();
    for (at, (step, _)) in fused.outputs.iter().enumerate() {
        if failures[usize::from(*step)].is_none() {
            outputs.push(numbers[usize::from(*step)]);
            written.push(at);
        }
    }
    if outputs.is_empty() && !is_folded {
        return false;
    }
    // Inputs that only failed steps read may have no memory.
    let mut read: SmallVec<[usize; 8]> = SmallVec::new();
    for at in 0..tiles.inputs.len() {
        let number = Value::Input(at as u16);
        let place = Value::Input(read.len() as u16);
        let places = steps.iter_mut().flat_map(|step| &mut step.inputs);
        let mut is_read = false;
        for known in places.filter(|known| **known == number) {
            *known = place;
            is_read = true;
        }
        if is_read {
            read.push(at);
        }
    }
    let dtypes: SmallVec<[_; 8]> = read.iter().map(|at| tiles.inputs[*at].dtype()).collect();
    let Some(plan) = ChainPlan::new(&dtypes, &steps, &outputs, fold) else {
        return false;
    };
    executor.observers.log.say(
        Subsystem::Task,
        Level::Info,
        format_args!("{} of {} steps are done", steps.len(), fused.steps.len()),
    );
    let run = |tiles: &mut Tiles| {
        let inputs = read.iter().map(|at| tiles.inputs[*at].clone());
        let inputs: SmallVec<[TileRef<'_>; 8]> = inputs.collect();
        let outputs = tiles.outputs.iter_mut().enumerate();
        let outputs = outputs.filter(|(at, _)| written.contains(at));
        let mut outputs: SmallVec<[Tile<'_>; 4]> =
            outputs.map(|(_, tile)| tile.reborrow()).collect();
        let folded = tiles.fold.as_mut().filter(|_| is_folded);
        plan.run(&inputs, &mut outputs, folded);
    };
    of.run_tiles(tiles, failures, &run)
}
