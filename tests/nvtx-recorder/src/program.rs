//! A program of NVTX calls, as data: different clients play the same one.

use std::io;

use serde::{Deserialize, Serialize};

/// The attributes of an event of a program. Domains and categories are given by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The domain.
    pub domain: String,
    /// The message, registered at its first use.
    pub text: String,
    /// The category, numbered from 1 in the order of first use in its domain, and named then.
    pub category: String,
    /// 0xAARRGGBB.
    pub color: u32,
    /// The payload.
    pub payload: u64,
}

/// One step.
///
/// A client creates the [`domains`] first and destroys them, in the same order, at the end. Each
/// step with a label names its category, if that is new, then registers its text, if that is new,
/// then makes its call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A push, the steps inside, a pop.
    Range(Label, Vec<Step>),
    /// A mark.
    Mark(Label),
    /// Starts a process range, kept under a number.
    Start(u32, Label),
    /// Ends the process range of that number.
    End(u32),
    /// Names a thread, which need not exist.
    NameThread(u32, String),
    /// Plays the steps on a new thread and waits for it.
    Thread(Vec<Step>),
}

/// A program as JSON.
pub fn to_json(program: &[Step]) -> String {
    // Steps are names and numbers, which JSON can always hold.
    serde_json::to_string(program).unwrap_or_default()
}

/// A program from JSON.
///
/// # Errors
/// Returns an error if the text is not a program.
pub fn from_json(text: &str) -> io::Result<Vec<Step>> {
    serde_json::from_str(text).map_err(io::Error::from)
}

/// Names of the domains of a program, in the order of their first use.
pub fn domains(steps: &[Step]) -> Vec<String> {
    fn visit(steps: &[Step], names: &mut Vec<String>) {
        for step in steps {
            match step {
                Step::Range(label, _) | Step::Mark(label) | Step::Start(_, label) => {
                    if !names.contains(&label.domain) {
                        names.push(label.domain.clone());
                    }
                }
                Step::End(_) | Step::NameThread(..) | Step::Thread(_) => {}
            }
            if let Step::Range(_, inside) | Step::Thread(inside) = step {
                visit(inside, names);
            }
        }
    }
    let mut names = Vec::new();
    visit(steps, &mut names);
    names
}

/// A program with every call in it: nested ranges, two domains, two threads, extreme payloads, text
/// beyond ASCII.
pub fn sample() -> Vec<Step> {
    let label = |domain: &str, text: &str, category: &str, color: u32, payload: u64| Label {
        domain: domain.to_owned(),
        text: text.to_owned(),
        category: category.to_owned(),
        color,
        payload,
    };
    let add = label("weft", "ADD stencil.rs:12", "CPU", 0xff4e79a7, 1);
    vec![
        Step::NameThread(77, "weft utility".to_owned()),
        Step::Range(
            add.clone(),
            vec![
                Step::Range(
                    label("weft", "DOT größe.rs:7", "OMP", 0xfff28e2b, (1 << 63) - 1),
                    vec![],
                ),
                Step::Range(
                    label("other", "ADD stencil.rs:12", "GPU", 0x00000000, 0),
                    vec![],
                ),
            ],
        ),
        Step::Start(1, label("weft", "start", "CPU", 0xffe15759, 2)),
        Step::Thread(vec![
            Step::Range(
                add,
                vec![Step::Mark(label("weft", "", "CPU", 0x80ffffff, u64::MAX))],
            ),
            Step::End(1),
        ]),
    ]
}
