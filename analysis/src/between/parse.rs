//! Parts of runs as text.

use crate::between::{Between, Edge};
use std::fmt;
use std::str::FromStr;

const ITERATION: &str = "iteration:";
const STEADY: &str = "steady";

impl FromStr for Between {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = match text.split_once("..") {
            // `iteration:3..10` is short for `iteration:3..iteration:10`.
            Some((from, to)) => match from.trim().strip_prefix(ITERATION) {
                Some(from) if is_number(to) => (iteration(from)?, iteration(to)?),
                _ => (edge(from)?, edge(to)?),
            },
            None => {
                let both = edge(text)?;
                if matches!(both, None | Some(Edge::After(_) | Edge::Share(_))) {
                    return Err(format!(
                        "`{text}` is one moment; give two, such as 10ms..50ms"
                    ));
                }
                (both.clone(), both)
            }
        };
        Ok(Between { from, to })
    }
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit())
}

fn iteration(number: &str) -> Result<Option<Edge>, String> {
    match number.trim().parse() {
        Ok(number) => Ok(Some(Edge::Iteration(number))),
        Err(_) => Err(format!(
            "`{}` is not an iteration; give its number from 0, such as {ITERATION}3..10",
            number.trim()
        )),
    }
}

fn edge(text: &str) -> Result<Option<Edge>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if let Some(name) = text.strip_prefix("scope:") {
        return Ok(Some(Edge::Scope(name.trim().to_owned())));
    }
    if let Some(number) = text.strip_prefix(ITERATION) {
        return iteration(number);
    }
    if text == STEADY {
        return Ok(Some(Edge::Steady));
    }
    let digits = text.trim_end_matches(|letter: char| letter.is_alphabetic() || letter == '%');
    let unit = text.get(digits.len()..).unwrap_or_default();
    let number: Option<f64> = digits.trim().parse().ok();
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    let scale = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "%" => {
            return match number {
                Some(number) if number <= 100.0 => Ok(Some(Edge::Share(number / 100.0))),
                _ => Err(format!("`{text}` is not a part of a run; give 0% to 100%")),
            };
        }
        _ => {
            return Err(format!(
                "`{text}` is not a moment of a run; give a time such as 10ms, a part such as 20%, scope:NAME, iteration:N, or steady"
            ));
        }
    };
    match number {
        Some(number) => Ok(Some(Edge::After((number * scale).round() as i64))),
        None => Err(format!(
            "`{text}` is not a time; give one such as 10ms or 1.5s"
        )),
    }
}

impl fmt::Display for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |edge: &Option<Edge>| match edge {
            None => String::new(),
            Some(Edge::After(ns)) => format!("{}ms", *ns as f64 / 1e6),
            Some(Edge::Share(share)) => format!("{}%", share * 100.0),
            Some(Edge::Scope(name)) => format!("scope:{name}"),
            Some(Edge::Iteration(number)) => format!("{ITERATION}{number}"),
            Some(Edge::Steady) => STEADY.to_owned(),
        };
        match (&self.from, &self.to) {
            // A part that was given as a single word.
            (Some(from), Some(to))
                if from == to && !matches!(from, Edge::After(_) | Edge::Share(_)) =>
            {
                f.write_str(&text(&self.from))
            }
            _ => write!(f, "{}..{}", text(&self.from), text(&self.to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::between::*;

    #[test]
    fn parses_parts_of_a_run() {
        let read = |text: &str| text.parse::<Between>();
        let between = read("10ms..1.5s").unwrap();
        assert_eq!(between.from, Some(Edge::After(10_000_000)));
        assert_eq!(between.to, Some(Edge::After(1_500_000_000)));
        assert_eq!(read("20%..").unwrap().from, Some(Edge::Share(0.2)));
        assert_eq!(read("20%..").unwrap().to, None);
        let scope = Some(Edge::Scope("solve".to_owned()));
        assert_eq!(
            read("scope:solve").unwrap(),
            Between {
                from: scope.clone(),
                to: scope
            }
        );
        let [third, tenth] = [3, 10].map(|number| Some(Edge::Iteration(number)));
        for text in ["iteration:3..10", " iteration:3..iteration:10 "] {
            let between = read(text).unwrap();
            assert_eq!((&between.from, &between.to), (&third, &tenth), "{text}");
        }
        assert_eq!(read("iteration:3").unwrap().to, third);
        assert_eq!(read("iteration:3..").unwrap().to, None);
        assert_eq!(read("..iteration:3").unwrap().from, None);
        assert_eq!(read("iteration:3..50%").unwrap().to, Some(Edge::Share(0.5)));
        assert_eq!(read("steady").unwrap().from, Some(Edge::Steady));
        for wrong in [
            "10ms",
            "a..b",
            "10..20",
            "-5ms..",
            "120%..",
            "nanms..",
            "1e400s..",
            "iteration:",
            "iteration:..4",
            "iteration:-1",
            "iteration:x..5",
            "3..iteration:5",
            "steadily",
            "",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        for text in [
            "10ms..1500ms",
            "20%..",
            "scope:a..scope:b",
            "iteration:3..10",
            "steady",
        ] {
            assert_eq!(
                read(text).unwrap(),
                read(&read(text).unwrap().to_string()).unwrap()
            );
        }
    }
}
