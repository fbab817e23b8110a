//! Comparison of predicted savings with measured ones.

use super::types::Advice;
use crate::replay::Graph;
use serde::{Deserialize, Serialize};
use weft_model::{Trace, Window};

/// A prediction, and the lengths measured before and after the change. Times are in ns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// The recorded length before.
    pub before_ns: i64,
    /// The recorded length after.
    pub after_ns: i64,
    /// The measured saving: `before_ns` minus `after_ns`.
    pub saved_ns: i64,
    /// The predicted saving of all findings together.
    pub predicted_ns: i64,
    /// The predicted saving of each finding alone, with its rule.
    pub findings: Vec<(String, i64)>,
    /// Findings of the advice that the later run does not have, by rule and file.
    pub gone: Vec<String>,
    /// The replay's error, which is the error of the prediction.
    pub error_ns: i64,
}

impl Grade {
    /// Returns the measured saving divided by the predicted one; `None` if none was predicted.
    pub fn ratio(&self) -> Option<f64> {
        (self.predicted_ns > 0).then(|| self.saved_ns as f64 / self.predicted_ns as f64)
    }
}

/// Compares the recorded lengths of a run before and after changes, or of parts of both, with the
/// advice on the earlier run.
pub fn grade(advice: &Advice, runs: [&Trace; 2], parts: [Option<Window>; 2]) -> Grade {
    let [before, after] = runs;
    let before_ns = Graph::of_part(before, parts[0]).measured;
    let graph = Graph::of_part(after, parts[1]);
    let after_ns = graph.measured;
    let now = super::answer_from(after, &graph, super::TOP);
    let key = |finding: &super::Finding| {
        let file = finding.lines.first().map(|line| line.file.clone());
        (finding.rule.clone(), file)
    };
    let left: Vec<_> = now.findings.iter().map(key).collect();
    let gone = advice
        .findings
        .iter()
        .filter(|finding| !left.contains(&key(finding)));
    Grade {
        before_ns,
        after_ns,
        saved_ns: before_ns - after_ns,
        predicted_ns: advice.joint.saving_ns,
        findings: (advice.findings.iter())
            .map(|finding| (finding.rule.clone(), finding.alone.saving_ns))
            .collect(),
        gone: gone.map(|finding| finding.rule.clone()).collect(),
        error_ns: advice.replay.error_ns,
    }
}
