//! Suggestions for misspelled names.

/// Returns the nearest of `names`, if it is close enough to be a typing error.
pub(super) fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = |name: &str| name.starts_with(typed) && typed.len() >= 3;
    names
        .map(|name| {
            let distance = distance(typed, name);
            (
                if near(name) {
                    distance.min(1)
                } else {
                    distance
                },
                name,
            )
        })
        .filter(|(distance, name)| *distance <= name.len().div_ceil(3))
        .min()
        .map(|(_, name)| name)
}

/// Returns Levenshtein's distance: the insertions, deletions and replacements that turn `from` into
/// `to`.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_edit_distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("cpus", "cpus"), 0);
    }

    #[test]
    fn suggests_flags_for_typos_only() {
        let names = ["cpus", "utility", "profile", "profile-name"];
        let near = |typed| nearest(typed, names.into_iter());
        assert_eq!(near("cpu"), Some("cpus"));
        assert_eq!(near("utilty"), Some("utility"));
        assert_eq!(near("profil"), Some("profile"));
        assert_eq!(near("profile-nam"), Some("profile-name"));
        assert_eq!(near("window-size"), None);
    }
}
