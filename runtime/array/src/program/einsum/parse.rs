//! Subscripts: `ij,jk->ik`.

use crate::lower::einsum::Label;

/// The labels of each array's axes, and of the result's.
#[derive(Debug, PartialEq)]
pub(super) struct Subscripts {
    pub(super) inputs: Vec<Vec<Label>>,
    pub(super) output: Vec<Label>,
}

impl Subscripts {
    /// Parses subscripts for arrays with these numbers of axes.
    ///
    /// # Errors
    /// Returns a sentence with the mistake.
    pub(super) fn parse(text: &str, ranks: &[usize]) -> Result<Subscripts, String> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, Some(output)),
            None => (text.as_str(), None),
        };
        let inputs: Vec<&str> = inputs.split(',').collect();
        if inputs.len() != ranks.len() {
            let (named, given) = (inputs.len(), ranks.len());
            return Err(format!(
                "subscripts for {named} arrays, but {given} arrays given"
            ));
        }
        let inputs: Vec<Vec<Label>> = inputs
            .iter()
            .zip(ranks)
            .map(|(part, rank)| labels(part, Some(*rank)))
            .collect::<Result<_, String>>()?;
        // The axes that `...` stands for, in the array with the most of them.
        let mut unnamed: Vec<Label> = inputs
            .iter()
            .flatten()
            .copied()
            .filter(|label| matches!(label, Label::Unnamed(_)))
            .collect();
        unnamed.sort_unstable_by(|a, b| b.cmp(a));
        unnamed.dedup();
        let Some(output) = output else {
            let mut once: Vec<Label> = inputs.iter().flatten().copied().collect();
            once.sort_unstable();
            let mut letters = once.clone();
            letters.dedup();
            letters.retain(|label| {
                let is_once = once.iter().filter(|other| *other == label).count() == 1;
                is_once && matches!(label, Label::Letter(_))
            });
            let output = [unnamed, letters].concat();
            return Ok(Subscripts { inputs, output });
        };
        let Some((before, behind)) = output.split_once("...") else {
            if !unnamed.is_empty() {
                return Err("`...` has axes that the result lacks".to_owned());
            }
            let output = named(output)?;
            return Subscripts { inputs, output }.checked();
        };
        let output = [named(before)?, unnamed, named(behind)?].concat();
        Subscripts { inputs, output }.checked()
    }

    /// Checks that the result names each label once, and only labels of arrays.
    fn checked(self) -> Result<Subscripts, String> {
        for (at, label) in self.output.iter().enumerate() {
            if self.output[..at].contains(label) {
                return Err(format!("the result has {label} twice"));
            }
            if !self.inputs.iter().any(|input| input.contains(label)) {
                return Err(format!("the result has {label}, which no array has"));
            }
        }
        Ok(self)
    }
}

fn named(text: &str) -> Result<Vec<Label>, String> {
    labels(text, None)
}

/// Returns the labels of one array; `...` is allowed if its number of axes is known.
fn labels(text: &str, rank: Option<usize>) -> Result<Vec<Label>, String> {
    let letters = |text: &str| -> Result<Vec<Label>, String> {
        let label = |c: char| match c {
            'a'..='z' | 'A'..='Z' => Ok(Label::Letter(c)),
            other => Err(format!("`{other}` is not a letter")),
        };
        text.chars().map(label).collect()
    };
    let (before, behind, has_unnamed) = match text.split_once("...") {
        Some((before, behind)) if rank.is_some() => (letters(before)?, letters(behind)?, true),
        _ => (letters(text)?, vec![], false),
    };
    let count = before.len() + behind.len();
    let unnamed = match rank {
        Some(rank) if rank < count || (rank != count && !has_unnamed) => {
            return Err(format!(
                "`{text}` names {count} axes of an array that has {rank}"
            ));
        }
        Some(rank) => rank - count,
        None => 0,
    };
    let unnamed = (0..unnamed).rev().map(Label::Unnamed).collect();
    Ok([before, unnamed, behind].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str, ranks: &[usize]) -> String {
        match Subscripts::parse(text, ranks) {
            Ok(subscripts) => {
                let show = |labels: &[Label]| -> String {
                    let one = |label: &Label| match label {
                        Label::Unnamed(back) => back.to_string(),
                        Label::Letter(letter) => letter.to_string(),
                    };
                    labels.iter().map(one).collect()
                };
                let inputs: Vec<String> =
                    subscripts.inputs.iter().map(|input| show(input)).collect();
                format!("{}>{}", inputs.join(","), show(&subscripts.output))
            }
            Err(why) => why,
        }
    }

    #[test]
    fn parses_explicit_and_implicit_results() {
        assert_eq!(parse_text("ij, jk -> ik", &[2, 2]), "ij,jk>ik");
        assert_eq!(parse_text("ba,ac", &[2, 2]), "ba,ac>bc");
        assert_eq!(parse_text("ii", &[2]), "ii>");
        assert_eq!(parse_text("i...j,...j", &[4, 2]), "i10j,0j>10i");
        assert_eq!(parse_text("...ij->...ji", &[3]), "0ij>0ji");
        assert_eq!(parse_text(",i", &[0, 1]), ",i>i");
        assert_eq!(parse_text("...", &[0]), ">");
    }

    #[test]
    fn parse_errors_describe_the_mistake() {
        assert!(parse_text("ij", &[3]).contains("names 2 axes of an array that has 3"));
        assert!(parse_text("ij", &[2, 2]).contains("for 1 arrays"));
        assert!(parse_text("i1->i", &[2]).contains("`1` is not a letter"));
        assert!(parse_text("ij->ik", &[2]).contains("axis `k`, which no array has"));
        assert!(parse_text("ij->ii", &[2]).contains("twice"));
        assert!(parse_text("i...->i", &[2]).contains("that the result lacks"));
    }
}
