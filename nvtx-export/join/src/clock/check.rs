//! Contradictions to the ties of clocks: looks of ranks at each other's clocks, and messages
//! received before they were sent.

use super::alignment::Alignment;
use super::looks::{by_pair, sources};
use weft_model::{LossRow, RankLook, Recording, Severity, SourceIndex};

/// Records how looks agree with the clocks on one base, and counts contradicting ones. `alignments`
/// is indexed by source.
pub(super) fn looks(recording: &mut Recording, alignments: &[Alignment]) {
    let sources = sources(recording);
    let of = |source: SourceIndex| alignments.get(source.0 as usize);
    let mut facts = Vec::new();
    let mut contradicting = 0;
    for ((source, peer), looks) in by_pair(recording) {
        let best = looks.iter().map(|look| look.error).min().unwrap_or(0);
        let key = format!("source_{}_rank_{peer}_looks", source.id());
        facts.push((key.clone(), looks.len().to_string()));
        facts.push((format!("{key}_error_ns"), best.to_string()));
        let other = sources.get(&(recording.run_of(source), peer));
        let (Some(own), Some(other)) = (of(source), other.and_then(|other| of(*other))) else {
            continue;
        };
        let rest = |look: &RankLook| {
            let own = own.conversion.nanos(look.at.nanos());
            i128::from(other.conversion.nanos(look.theirs.nanos())) - i128::from(own)
        };
        if let Some(look) = looks.iter().min_by_key(|look| look.error) {
            facts.push((format!("{key}_offset_ns"), rest(look).to_string()));
        }
        let bound = own.error.saturating_add(other.error).saturating_add(2);
        contradicting += looks
            .iter()
            .filter(|look| rest(look).unsigned_abs() > u128::from(look.error.saturating_add(bound)))
            .count();
    }
    for (key, value) in facts {
        recording.quality.meta.set(key, value);
    }
    count(
        recording,
        "clock_looks_contradict",
        contradicting,
        "readings of another rank's clock that differ from the aligned clocks by more than the error",
    );
}

/// Counts messages that were received before they were sent, by more than the errors of their
/// clocks.
pub(super) fn messages(recording: &mut Recording) {
    let early = recording.work.messages.iter().filter(|message| {
        let (Some(sent), Some(received)) = (&message.sent, &message.received) else {
            return false;
        };
        let [from, to] = [sent, received].map(|side| recording.clock_error(side.source).rows);
        let early = i128::from(sent.passed.nanos()) - i128::from(received.passed.nanos());
        early > i128::from(from) + i128::from(to)
    });
    let early = early.count();
    count(
        recording,
        "messages_before_sent",
        early,
        "messages received before they were sent by more than the error of the ranks' clocks",
    );
}

fn count(recording: &mut Recording, name: &str, value: usize, meaning: &str) {
    if value > 0 {
        recording.quality.losses.push(LossRow {
            source: None,
            name: name.to_owned(),
            severity: Severity::Loss,
            value: value as u64,
            meaning: meaning.to_owned(),
        });
    }
}
