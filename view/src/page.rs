//! The page.

use crate::http::Response;

/// The page as `view/page` builds it: one file with its style and script.
const PAGE: &str = include_str!("../page/dist/page.html");

/// The placeholder of the nonce in the page.
const NONCE: &str = "__WEFT_NONCE__";

/// The placeholder of the policy, for pages without a server.
const HEAD: &str = "<!--WEFT_HEAD-->";

/// The placeholder of the answers, for pages without a server.
const DATA: &str = "<!--WEFT_DATA-->";

/// Returns the page for one visit. Only its own script, which carries this nonce, can run.
pub(crate) fn page(nonce: &str) -> Response {
    Response {
        status: 200,
        content_type: "text/html; charset=utf-8",
        policy: Some(format!(
            "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src 'self'; \
             img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )),
        body: PAGE.replace(NONCE, nonce).into_bytes(),
    }
}

/// Returns the page with the answers of each run embedded in base64. It makes no requests.
pub(crate) fn with_data(nonce: &str, data: &[String]) -> Vec<u8> {
    let policy = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-{nonce}'; \
         style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">"
    );
    let ids = ["weft-data", "weft-data-after"];
    let data = ids.iter().zip(data);
    let data: String = data
        .map(|(id, data)| {
            format!("<script type=\"application/octet-stream\" id=\"{id}\">{data}</script>")
        })
        .collect();
    let page = PAGE.replace(NONCE, nonce);
    let page = page.replacen(HEAD, &policy, 1);
    page.replacen(DATA, &data, 1).into_bytes()
}
