//! The statements of README: lines, commands, views, flags, statuses, links.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a failed helper fails its test"
)]

use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use support::{program, repository, weft};

fn readme() -> String {
    fs::read_to_string(repository().join("README.md")).expect("README.md")
}

/// Returns the standard output of `weft ARGUMENTS`.
fn printed(arguments: &[&str]) -> String {
    let output = weft().args(arguments).output().expect("weft starts");
    assert!(output.status.success(), "weft {arguments:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns the names of all commands, from `weft --help`.
fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let names: Vec<String> = names
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase()) && *name != "help")
        .map(Into::into)
        .collect();
    assert!(names.len() > 5, "{help}");
    names
}

/// Returns the possible values of a command's flag, or of its first argument, from `weft COMMAND
/// --help`.
fn values(command: &str, of: &str) -> Vec<String> {
    let help = printed(&[command, "--help"]);
    let lines = help
        .lines()
        .skip_while(|line| !line.trim_start().starts_with(of));
    let values = lines
        .skip_while(|line| line.trim() != "Possible values:")
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .filter_map(|line| line.trim().strip_prefix("- ")?.split_once(':'));
    let values: Vec<String> = values.map(|(value, _)| value.into()).collect();
    assert!(values.len() > 2, "{help}");
    values
}

/// Returns the words that begin with `--` and a letter, without their values.
fn flags(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.match_indices("--")
        .filter(|(at, _)| !text[..*at].ends_with(['-', '|']))
        .map(|(at, _)| {
            let rest = &text[at..];
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            rest[..end].to_owned()
        })
        .filter(|flag| flag.len() > 3)
        .collect()
}

#[test]
fn rust_code_matches_the_example_lines() {
    let file = fs::read_to_string(repository().join("examples/stencil/src/main.rs")).unwrap();
    let file: Vec<&str> = file.lines().collect();
    let readme = readme();
    let mut shown = 0;
    for line in readme.lines() {
        let Some((code, number)) = line.split_once("// line ") else {
            continue;
        };
        let number: usize = number.parse().expect("a number");
        assert_eq!(file[number - 1].trim(), code.trim(), "line {number}");
        shown += 1;
    }
    assert!(shown >= 3);
}

#[test]
fn python_code_matches_the_example_lines() {
    let file = fs::read_to_string(repository().join("examples/python/stencil.py")).unwrap();
    let file: Vec<&str> = file.lines().collect();
    let readme = readme();
    let mut shown = 0;
    for line in readme.lines() {
        let Some((code, number)) = line.split_once("  # line ") else {
            continue;
        };
        let number: usize = number.parse().expect("a number");
        assert_eq!(file[number - 1].trim(), code.trim(), "line {number}");
        assert!(
            readme.contains(&format!("/examples/python/stencil.py:{number} ")),
            "the table has line {number}"
        );
        shown += 1;
    }
    assert!(shown >= 3);
}

#[test]
fn tables_and_queries_match_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = weft()
        .args(["run", "--cpus", "2", "--gpus", "0", "--profile", "--logdir"])
        .arg(folder.path())
        .arg("--")
        .arg(program("stencil"))
        .args(["-n", "2000", "-i", "2"])
        .output()
        .expect("weft starts");
    assert!(run.status.success());
    let profile = folder.path().join("weft_0.prof");
    let profile = profile.to_str().unwrap();
    let costs = printed(&["stats", profile, "--by", "line", "--format", "csv"]);
    let readme = readme();
    let rows = readme
        .lines()
        .filter(|line| line.starts_with("| examples/stencil/src/main.rs:"));
    let mut seen = 0;
    for row in rows {
        let mut cells = row.split('|').map(str::trim).skip(1);
        let (line, operations) = (cells.next().unwrap(), cells.next().unwrap());
        let row = format!("{line},{operations},");
        let recorded = costs
            .lines()
            .any(|cost| cost.replace('"', "").starts_with(&row));
        assert!(recorded, "{line} {operations}\n{costs}");
        seen += 1;
    }
    assert!(seen >= 3);
    let queries: Vec<&str> = readme.split("weft query \"").skip(1).collect();
    for query in &queries {
        let sql = query.split('"').next().unwrap();
        if sql != "SELECT ..." {
            assert!(
                printed(&["query", sql, profile]).lines().count() > 1,
                "{sql}"
            );
        }
    }
    assert!(queries.len() >= 2);
}

#[test]
fn legate_table_matches_stats_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = support::shared("legate/stencil.prof.zst", folder.path()).expect("test data");
    let columns = "line,operations,count,total,copy time,mean,share";
    let options = ["--by", "line", "--format", "table", "--limit", "3"];
    let profile = profile.to_str().expect("UTF-8");
    let arguments = [&["stats", profile, "--columns", columns], &options[..]].concat();
    let table = printed(&arguments);
    assert!(
        table.lines().count() == 6 && readme().contains(&table),
        "{table}"
    );
}

#[test]
fn referenced_source_lines_contain_code() {
    let readme = readme();
    for (at, _) in readme.match_indices(".rs:") {
        let start = readme[..at].rfind(|c: char| !(c.is_ascii_alphanumeric() || "/_-".contains(c)));
        let path = &readme[start.map_or(0, |before| before + 1)..at + 3];
        let digits = readme[at + 4..].split(|c: char| !c.is_ascii_digit());
        let number: usize = digits.clone().next().unwrap().parse().expect("a number");
        let text = fs::read_to_string(repository().join(path)).expect(path);
        let line = text.lines().nth(number - 1).expect("a line").trim();
        assert!(
            !line.is_empty() && !line.starts_with("//") && line != "}",
            "{path}:{number} is `{line}`"
        );
    }
}

#[test]
fn lists_commands_views_formats_and_statuses() {
    let readme = readme();
    for command in commands() {
        assert!(
            readme.contains(&format!("| `weft {command} ")) || command == "info",
            "weft {command}"
        );
    }
    assert!(readme.contains("| `weft info`"));
    for view in values("stats", "--by") {
        assert!(readme.contains(&format!("| `--by {view}` |")), "{view}");
    }
    for format in values("export", "<FORMAT>") {
        assert!(readme.contains(&format!("`{format}`")), "{format}");
    }
    let help = printed(&["--help"]);
    let statuses = help
        .lines()
        .skip_while(|line| *line != "Exit status:")
        .skip(1)
        .filter_map(|line| line.strip_prefix("  ")?.chars().next())
        .filter(char::is_ascii_digit);
    let mut seen = 0;
    for status in statuses {
        assert!(
            readme.contains(&format!("| {status} |")),
            "exit status {status}"
        );
        seen += 1;
    }
    assert_eq!(seen, 5);
}

#[test]
fn mentioned_flags_exist() {
    // Flags of Cargo and nsys.
    let others = [
        "--bin",
        "--path",
        "--release",
        "--features",
        "--workspace",
        "--open",
        "--type",
    ];
    let mut known: BTreeSet<String> = others.map(Into::into).into();
    for command in commands() {
        known.extend(flags(&printed(&[&command, "--help"])));
    }
    known.extend(flags(&printed(&["--help"])));
    for flag in flags(&readme()) {
        assert!(known.contains(&flag), "{flag}");
    }
}

#[test]
fn links_point_to_existing_targets() {
    let readme = readme();
    let headings: BTreeSet<String> = readme
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            let text = line.trim_start_matches('#').trim().to_lowercase();
            let kept = text
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.collect::<String>().replace(' ', "-")
        })
        .collect();
    let mut seen = 0;
    for (at, _) in readme.match_indices("](") {
        let link = readme[at + 2..].split(')').next().unwrap();
        if link.starts_with("https://") {
            continue;
        }
        match link.strip_prefix('#') {
            Some(heading) => assert!(headings.contains(heading), "#{heading}"),
            None => assert!(repository().join(Path::new(link)).exists(), "{link}"),
        }
        seen += 1;
    }
    assert!(seen > 10);
}
