//! Ranks without an output file.

use std::path::PathBuf;

use weft_config::list;

use super::ranks::Ranks;

/// Returns a sentence about the ranks that wrote no such file, and those that did; `None` if all
/// did.
pub(super) fn sentence(what: &str, found: &[(u32, PathBuf)], ranks: &Ranks) -> Option<String> {
    let there: Vec<usize> = found
        .iter()
        .filter_map(|(rank, _)| (*rank).try_into().ok())
        .collect();
    let missing: Vec<usize> = (0..usize::from(ranks.all))
        .filter(|rank| !there.contains(rank))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let elsewhere = if ranks.nodes > 1 {
        "; files of other nodes stay there unless --logdir is on a shared file system"
    } else {
        ""
    };
    Some(format!(
        "weft: {} of {} wrote {what}, but {} did not{elsewhere}",
        format_ranks(&there),
        ranks.all,
        format_ranks(&missing),
    ))
}

/// Formats ranks as in `ranks 0-2,4`.
fn format_ranks(ranks: &[usize]) -> String {
    let list = list::show(ranks);
    match ranks {
        [_] => format!("rank {list}"),
        _ => format!("ranks {list}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_missing_ranks() {
        let ranks = |all, nodes| Ranks {
            nodes,
            per_node: all / nodes,
            all,
            start: None,
            joined: None,
        };
        let found = |ranks: &[u32]| {
            let files = ranks.iter().map(|rank| (*rank, PathBuf::new()));
            files.collect::<Vec<_>>()
        };
        assert_eq!(sentence("a profile", &found(&[0, 1]), &ranks(2, 1)), None);
        assert_eq!(
            sentence("a profile", &found(&[0, 2, 3]), &ranks(6, 1)).unwrap(),
            "weft: ranks 0,2-3 of 6 wrote a profile, but ranks 1,4-5 did not"
        );
        let text = sentence("a profile", &found(&[0]), &ranks(2, 2)).unwrap();
        assert!(text.starts_with(
            "weft: rank 0 of 2 wrote a profile, but rank 1 did not; files of other nodes"
        ));
    }
}
