//! Names of files and tables in the syntax of SQLite, and texts with arbitrary bytes.

use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Quotes a name for SQL, so that any text is safe.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns a file as a URI of SQLite, with parameters such as `mode=ro`. Every byte of the path is
/// preserved.
///
/// Format: <https://www.sqlite.org/uri.html>.
pub fn uri(path: &Path, parameters: &str) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                uri.push(char::from(*byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    if !parameters.is_empty() {
        uri.push('?');
        uri.push_str(parameters);
    }
    uri
}

/// Converts bytes to text. If they are not UTF-8, invalid bytes become `\xNN` and backslashes `\\`,
/// so that different bytes stay different.
pub fn readable(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn encodes_any_path_as_uri() {
        let path = Path::new(OsStr::from_bytes(b"/tmp/a b/\xff?x#%.sqlite"));
        let expected = "file:///tmp/a%20b/%FF%3Fx%23%25.sqlite?mode=ro";
        assert_eq!(uri(path, "mode=ro"), expected);
        assert!(uri(Path::new("x.sqlite"), "").starts_with("file:///"));
    }

    #[test]
    fn different_bytes_give_different_texts() {
        let texts: [&[u8]; 6] = [b"a\xff", b"a\xfe", b"a\\xff\xff", b"a\xff\xff", b"a", b""];
        let read: Vec<_> = texts.iter().map(|bytes| readable(bytes)).collect();
        assert_eq!(
            read,
            ["a\\xff", "a\\xfe", "a\\\\xff\\xff", "a\\xff\\xff", "a", ""]
        );
        assert_eq!(readable("größe\\x".as_bytes()), "größe\\x");
    }
}
