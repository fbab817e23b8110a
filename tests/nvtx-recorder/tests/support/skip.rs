//! Tests that need a tool which may be absent.

/// Says that a test is skipped, which is a failure where `WEFT_TEST_REQUIRE` names what is missing.
pub(crate) fn skip(tool: &str, reason: &str) {
    let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
    assert!(
        !required.split([',', ' ']).any(|name| name == tool),
        "{reason}"
    );
    println!("skipped: {reason}");
}
