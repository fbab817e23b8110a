//! The page.

use crate::http::Response;

/// The page as `view/page` builds it: one file with its style and script.
const PAGE: &[u8] = include_bytes!("../page/dist/page.html");

/// What stands for the nonce in the page.
const NONCE: &[u8] = b"__WEFT_NONCE__";

/// The page for one visit: its script runs because it carries this nonce, and no other script does.
pub(crate) fn page(nonce: &str) -> Response {
    let mut body = Vec::with_capacity(PAGE.len() + 64);
    let mut rest = PAGE;
    while let Some(at) = rest.windows(NONCE.len()).position(|part| part == NONCE) {
        body.extend_from_slice(rest.get(..at).unwrap_or_default());
        body.extend_from_slice(nonce.as_bytes());
        rest = rest.get(at + NONCE.len()..).unwrap_or_default();
    }
    body.extend_from_slice(rest);
    Response {
        status: 200,
        content_type: "text/html; charset=utf-8",
        policy: Some(format!(
            "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src 'self'; \
             img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )),
        body,
    }
}
