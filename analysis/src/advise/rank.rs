//! Ranking of candidates: the sequence of findings.

use super::facts::Facts;
use super::rules::{Candidate, RULES, Rule};
use super::types::{Advice, Finding, FindingLine, ReplayFigures, Saving};
use crate::replay::{Change, replay};
use weft_model::{ProvenanceIndex, Trace, incomplete};

/// The least saving that is shown, relative to the run. Runs vary by as much without any change.
pub(super) const LEAST: f64 = 0.05;
/// The least saving of a candidate whose saving is an upper limit, relative to the run.
const LEAST_CEILING: f64 = 0.2;
/// The number of candidates that are combined: those with the greatest savings alone.
const CANDIDATES: usize = 24;

/// A candidate with its saving alone.
struct Tried {
    rule: &'static Rule,
    candidate: Candidate,
    alone: i64,
}

pub(super) fn advice(facts: &Facts<'_>, top: usize) -> Advice {
    let base = facts.baseline;
    let error = base.error();
    let least = error.max((base.replayed as f64 * LEAST) as i64);
    let mut tried = Vec::new();
    let mut below = 0;
    for rule in RULES {
        for candidate in (rule.find)(facts) {
            let alone = replay(facts.graph, &candidate.changes).makespan;
            let is_ceiling = candidate.is_ceiling;
            let ceiling = (base.replayed as f64 * LEAST_CEILING) as i64;
            if base.replayed - alone
                > if is_ceiling {
                    least.max(ceiling)
                } else {
                    least
                }
            {
                tried.push(Tried {
                    rule,
                    candidate,
                    alone,
                });
            } else {
                below += 1;
            }
        }
    }
    tried.sort_by_key(|one| one.alone);
    tried.truncate(CANDIDATES);
    let mut findings = Vec::new();
    let mut changes: Vec<Change> = Vec::new();
    let mut length = base.replayed;
    while findings.len() < top && !tried.is_empty() {
        let with = |one: &Tried| {
            let all: Vec<Change> = changes
                .iter()
                .chain(&one.candidate.changes)
                .cloned()
                .collect();
            replay(facts.graph, &all).makespan
        };
        // Savings of the findings before it are not shown again.
        let lengths: Vec<i64> = tried.iter().map(with).collect();
        let mut worth = lengths.into_iter().map(|next| length - next > least);
        tried.retain(|_| worth.next().unwrap_or(false));
        let best = tried
            .iter()
            .map(|one| (one.candidate.is_ceiling, with(one)));
        let best = best.enumerate().min_by_key(|(at, key)| (*key, *at));
        let Some((best, (_, next))) = best else {
            break;
        };
        let one = tried.remove(best);
        changes.extend(one.candidate.changes.iter().cloned());
        length = next;
        findings.push(finding(facts.trace, base.replayed, one, length));
    }
    Advice {
        format: 1,
        part: None,
        estimated: false,
        replay: ReplayFigures {
            measured_ns: base.measured,
            replayed_ns: base.replayed,
            error_ns: error,
            error: base.share(),
            explained: base.explained,
            least_ns: least,
        },
        findings,
        joint: Saving::new(base.replayed, length),
        below_error: below,
        notes: notes(facts),
    }
}

fn finding(trace: &Trace, replayed: i64, one: Tried, length: i64) -> Finding {
    let lines = one.candidate.lines.iter();
    Finding {
        rule: one.rule.id.to_owned(),
        title: one.rule.title.to_owned(),
        lines: lines.filter_map(|line| line_of(trace, *line)).collect(),
        evidence: one.candidate.evidence,
        change: one
            .candidate
            .change
            .unwrap_or_else(|| one.rule.change.to_owned()),
        assumes: one.candidate.assumes,
        at_most: one.candidate.is_ceiling,
        alone: Saving::new(replayed, one.alone),
        with_previous: Saving::new(replayed, length),
    }
}

/// Returns a line with its text, if the profile has it.
fn line_of(trace: &Trace, line: ProvenanceIndex) -> Option<FindingLine> {
    let place = trace.program.provenances.get(line);
    if place.line == 0 {
        return None;
    }
    let texts = trace.program.source_texts.iter();
    let text = texts.filter(|text| text.file == place.file && !text.newer);
    let text = text
        .filter_map(|text| text.text.lines().nth(place.line as usize - 1))
        .next();
    Some(FindingLine {
        file: trace.strings.get(place.file).to_owned(),
        line: place.line,
        text: text.map(|text| text.trim().to_owned()),
    })
}

fn notes(facts: &Facts<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(why) = crate::replay::missing(facts.trace) {
        notes.push(why);
    } else if facts.graph.nodes.is_empty() {
        notes.push(
            "the inputs have no tasks of Weft or Legate, so there is nothing to replay; give a .prof file"
                .to_owned(),
        );
    }
    if facts.baseline.share() > 0.1 {
        let lacks = incomplete(&facts.trace.sources, facts.trace.quality.losses.iter());
        let why = match lacks.is_empty() {
            true => {
                "as when other processes used the cores; record again on a quiet machine for smaller savings"
            }
            false => "of which a part is missing: causes and savings are those of the rest",
        };
        notes.push(format!("the replay differs much from the recording, {why}"));
    }
    if facts.graph.dropped > 0 {
        notes.push(format!(
            "{} dependences contradict each other and were left out",
            facts.graph.dropped
        ));
    }
    notes
}
