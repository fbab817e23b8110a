//! Tests that need a tool which may be absent.

/// Prints that a test is skipped, which is a failure if `WEFT_TEST_REQUIRE` names the missing tool.
pub(crate) fn skip(tool: &str, reason: &str) {
    let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
    assert!(
        !required.split([',', ' ']).any(|name| name == tool),
        "{reason}"
    );
    println!("skipped: {reason}");
}
