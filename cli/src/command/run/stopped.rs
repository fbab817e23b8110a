//! Ranks that were stopped during the run.

use weft_model::{Operation, SourceIndex, Trace};
use weft_trace::id::Uid;

/// Maximum number of ranks named individually.
const NAMED: usize = 8;

/// For each rank that did not finish, a sentence with its last operation.
pub(super) fn sentences(data: &Trace) -> Vec<String> {
    let unfinished = data.quality.losses.iter().filter_map(|loss| {
        let is = loss.name == "unfinished" && loss.value > 0;
        loss.source.filter(|_| is)
    });
    let mut sentences = Vec::new();
    for (number, source) in unfinished.enumerate() {
        let rank = data
            .sources
            .get(source.0 as usize)
            .and_then(|source| source.rank);
        let Some(rank) = rank.filter(|_| number < NAMED) else {
            continue;
        };
        sentences.push(match last(data, source) {
            Some(operation) => {
                let name = data.strings.get(operation.name);
                let place = data.program.provenances.get(operation.provenance);
                let file = data.strings.get(place.file);
                format!(
                    "weft: rank {rank} was stopped during the run; the last operation it recorded is {name} at {file}:{}",
                    place.line
                )
            }
            None => format!("weft: rank {rank} was stopped before its first operation"),
        });
    }
    sentences
}

/// The last operation that a rank's program called.
fn last(data: &Trace, source: SourceIndex) -> Option<&Operation> {
    let own = data
        .program
        .operations
        .iter()
        .filter(|operation| operation.source == source);
    let own = own.map(|operation| (operation.created, operation.uid));
    let calls = data
        .program
        .operation_calls
        .iter()
        .filter(|call| call.source == source);
    let calls = calls.map(|call| (call.created, call.operation));
    let (_, uid): (_, Uid) = own.chain(calls).max_by_key(|(created, _)| *created)?;
    let run = data.run_of(source);
    let is_it = |operation: &&Operation| operation.uid == uid && operation.run == run;
    data.program.operations.iter().find(is_it)
}
