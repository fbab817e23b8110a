//! Advice as text for people.

use super::types::{Advice, Figure, Finding, Unit};
use std::fmt::Write;
use weft_model::printable::printable;
use weft_model::table::{Cell, Unit as TableUnit, human};

/// The width of the text in columns.
const WIDTH: usize = 80;

/// Returns the advice as paragraphs of at most 80 columns.
pub fn render(advice: &Advice) -> String {
    let mut text = String::new();
    let replay = &advice.replay;
    let what = advice
        .part
        .as_ref()
        .map(|part| format!("The part {}", printable(part)));
    let summary = match advice.estimated {
        true => format!(
            "{} took {} from the first to the last work of a GPU. The inputs have no tasks, so that nothing is replayed: savings are estimates from the times of GPU work and of calls. Savings below {} are not shown.",
            what.as_deref().unwrap_or("The run"),
            time(replay.measured_ns),
            time(replay.least_ns),
        ),
        false => format!(
            "{} took {}. Replayed unchanged it takes {}, an error of {}; the causes of {} of its time are known. Savings below {} are not shown.",
            what.as_deref().unwrap_or("The run"),
            time(replay.measured_ns),
            time(replay.replayed_ns),
            percent(replay.error),
            percent(replay.explained),
            time(replay.least_ns),
        ),
    };
    paragraph(&mut text, "", &summary);
    for note in &advice.notes {
        paragraph(&mut text, "Note: ", note);
    }
    if advice.findings.is_empty() {
        let nothing = match advice.below_error {
            0 => "Nothing was found to improve.".to_owned(),
            1 => "Nothing was found to improve: one candidate saves less than that.".to_owned(),
            some => format!("Nothing was found to improve: {some} candidates save less than that."),
        };
        text.push('\n');
        paragraph(&mut text, "", &nothing);
        return text;
    }
    for (number, finding) in (1..).zip(&advice.findings) {
        text.push('\n');
        write_finding(&mut text, number, finding);
    }
    text.push('\n');
    let is_bound = advice.findings.iter().any(|finding| finding.at_most);
    let joint = format!(
        "All together: {}{} instead of {}, {} less.",
        if is_bound { "no shorter than " } else { "" },
        time(advice.joint.length_ns),
        time(replay.replayed_ns),
        percent(advice.joint.saving),
    );
    paragraph(&mut text, "", &joint);
    text
}

fn write_finding(text: &mut String, number: usize, finding: &Finding) {
    let title = format!(
        "{} ({}): saves {}{} ({})",
        finding.title,
        finding.rule,
        if finding.at_most { "at most " } else { "" },
        time(finding.alone.saving_ns),
        percent(finding.alone.saving),
    );
    paragraph(text, &format!("{number}. "), &title);
    for line in &finding.lines {
        let place = format!("{}:{}", line.file, line.line);
        // Paths are not broken, so that they can be copied.
        let _ = writeln!(text, "   {}", printable(&place));
        if let Some(source) = &line.text {
            let source = printable(source);
            let short: String = source.chars().take(WIDTH - 8).collect();
            let _ = writeln!(text, "       {short}");
        }
    }
    let evidence: Vec<String> = finding.evidence.iter().map(figure).collect();
    paragraph(text, "   why:     ", &evidence.join("; "));
    paragraph(text, "   change:  ", &finding.change);
    if let Some(assumes) = &finding.assumes {
        paragraph(text, "   assumes: ", assumes);
    }
    let after = format!(
        "{}{} with all changes so far",
        if finding.at_most {
            "no shorter than "
        } else {
            ""
        },
        time(finding.with_previous.length_ns)
    );
    paragraph(text, "   then:    ", &after);
}

/// Returns a figure in words.
fn figure(figure: &Figure) -> String {
    let what = printable(&figure.what);
    match figure.unit {
        Unit::Count => format!("{} {what}", figure.value.round()),
        Unit::Ns => format!("{what} {}", time(figure.value as i64)),
        Unit::Bytes => format!(
            "{what} {}",
            human(&Cell::Real(figure.value), TableUnit::Bytes)
        ),
        Unit::Share => format!("{} {what}", percent(figure.value)),
    }
}

fn time(nanos: i64) -> String {
    human(&Cell::Real(nanos as f64), TableUnit::Nanos)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Adds words as lines. Lines after the first are indented to the first word.
fn paragraph(text: &mut String, start: &str, words: &str) {
    let indent = start.chars().count();
    let mut line = start.to_owned();
    let mut length = indent;
    for word in unbroken(words) {
        let own = word.chars().count();
        if length > indent && length + 1 + own > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line = " ".repeat(indent);
            length = indent;
        }
        if length > indent {
            line.push(' ');
            length += 1;
        }
        line.push_str(&word);
        length += own;
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// Returns the words of a text, with each number joined to its unit.
fn unbroken(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let plain =
            word.trim_end_matches(|letter: char| letter.is_ascii_punctuation() && letter != '%');
        let is_unit = matches!(plain.trim_end_matches(')'), "%" | "ns" | "us" | "ms" | "s");
        match words.last_mut() {
            Some(last) if is_unit && last.ends_with(|letter: char| letter.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_units_stay_on_one_line() {
        let words = unbroken("an error of 0.4 %; saves 1.5 ms (2 %) of 3 s. in all");
        assert_eq!(
            words,
            [
                "an", "error", "of", "0.4 %;", "saves", "1.5 ms", "(2 %)", "of", "3 s.", "in",
                "all"
            ]
        );
    }
}
