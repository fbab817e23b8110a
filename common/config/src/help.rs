//! The help that `WEFT_CONFIG=--help` prints.

use crate::ENVIRONMENT;
use crate::flag::{FLAGS, Spec};
use crate::value::Kind;

/// Describes the flags that a process reads from `WEFT_CONFIG`.
pub fn process_help() -> String {
    let mut text = format!(
        "{ENVIRONMENT} holds flags, quoted as in a shell: {ENVIRONMENT}=\"--cpus 4 --profile\"; of repeated flags the last one counts.\n"
    );
    let shown = |spec: &&Spec| spec.scope.concerns_process() && !spec.hidden;
    let mut group = None;
    for spec in FLAGS.iter().filter(shown) {
        if group != Some(spec.group) {
            group = Some(spec.group);
            text.push_str(&format!("\n{}:\n", spec.group.title()));
        }
        text.push_str(&format!(
            "  {:<22} {} [default: {}]\n",
            usage(spec),
            spec.help,
            spec.default
        ));
    }
    text.push_str("\n  --help                 Print this help and exit\n");
    text
}

fn usage(spec: &Spec) -> String {
    let placeholder = spec.kind.placeholder();
    match spec.kind {
        Kind::Bool => format!("--{}[={placeholder}]", spec.name),
        _ => format!("--{} {placeholder}", spec.name),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn formats_process_help() {
        insta::assert_snapshot!(super::process_help());
    }
}
