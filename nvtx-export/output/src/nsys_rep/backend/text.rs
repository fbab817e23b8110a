//! Texts in the form that backends require.

use std::ffi::CString;

/// Returns a C string. A NUL in the text becomes the symbol for NUL, so that nothing is cut.
pub(super) fn c(text: &str) -> CString {
    match CString::new(text) {
        Ok(text) => text,
        Err(_) => CString::new(text.replace('\0', "\u{2400}")).unwrap_or_default(),
    }
}

/// Returns the path of a scope in which names are printable ASCII without `/`, `[` and `]`.
pub(super) fn ascii_path(nodes: &[String]) -> CString {
    let plain = |char: char| match char {
        '/' | '[' | ']' => '_',
        char if char == ' ' || char.is_ascii_graphic() => char,
        _ => '_',
    };
    let nodes = nodes
        .iter()
        .map(|node| node.chars().map(plain).collect::<String>());
    c(&nodes.collect::<Vec<_>>().join("/"))
}

/// Returns the path of a scope in which `\` escapes `/`, `[`, `]` and itself.
pub(super) fn escaped_path(nodes: &[String]) -> CString {
    let mut path = String::new();
    for (at, node) in nodes.iter().enumerate() {
        if at > 0 {
            path.push('/');
        }
        for char in node.chars() {
            if matches!(char, '/' | '[' | ']' | '\\') {
                path.push('\\');
            }
            path.push(char);
        }
    }
    c(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_escape_separators_in_nodes() {
        let nodes = ["rank 0", "GPU", "a/b [1] \\ ü"].map(String::from);
        assert_eq!(ascii_path(&nodes).as_c_str(), c"rank 0/GPU/a_b _1_ \\ _");
        let escaped = r"rank 0/GPU/a\/b \[1\] \\ ü";
        assert_eq!(escaped_path(&nodes).to_str(), Ok(escaped));
    }

    #[test]
    fn nul_does_not_truncate_texts() {
        assert_eq!(c("a\0b").to_str(), Ok("a\u{2400}b"));
    }
}
