//! Requests and responses, independent of the transport.

use serde_json::Value;
use std::borrow::Cow;

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// GET.
    Get,
    /// POST.
    Post,
    /// Anything else.
    Other,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path with the query, as in the request line.
    pub target: String,
    /// The header `Host`.
    pub host: Option<String>,
    /// The header `X-Weft-Token`.
    pub token: Option<String>,
    /// The header `Origin`.
    pub origin: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the path without the query.
    pub fn path(&self) -> &str {
        let path = self.target.split_once('?');
        path.map_or(self.target.as_str(), |(path, _)| path)
    }

    /// Returns a parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<Cow<'_, str>> {
        let (_, query) = self.target.split_once('?')?;
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let mut values = pairs.filter(|(key, _)| *key == name);
        values.next().map(|(_, value)| decoded(value))
    }

    /// Returns a parameter of the query as a number.
    pub fn number<N: std::str::FromStr>(&self, name: &str) -> Option<N> {
        self.parameter(name)?.parse().ok()
    }
}

/// Decodes the escapes of a query value. Invalid escapes are kept unchanged.
fn decoded(value: &str) -> Cow<'_, str> {
    if !value.contains(['%', '+']) {
        return Cow::Borrowed(value);
    }
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let escape = behind.get(..2).and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 16).ok()
        });
        match (first, escape) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(*other),
        }
        rest = behind;
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The header `Content-Type`.
    pub content_type: &'static str,
    /// The header `Content-Security-Policy`, for pages.
    pub policy: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Creates a response of JSON.
    pub fn json(value: &Value) -> Self {
        Response {
            status: 200,
            content_type: "application/json",
            policy: None,
            body: value.to_string().into_bytes(),
        }
    }

    /// Creates a response of bytes.
    pub fn bytes(body: Vec<u8>) -> Self {
        Response {
            status: 200,
            content_type: "application/octet-stream",
            policy: None,
            body,
        }
    }

    /// Creates a response with one sentence about the error.
    pub fn error(status: u16, sentence: &str) -> Self {
        let error = serde_json::json!({ "error": sentence });
        Response {
            status,
            ..Response::json(&error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_escaped_parameters() {
        let request = |target: &str| Request {
            method: Method::Get,
            target: target.to_owned(),
            host: None,
            token: None,
            origin: None,
            body: Vec::new(),
        };
        let asked = request("/api/search?q=a+b%20%C3%A4%zz%4&limit=7&q=other&x");
        assert_eq!(asked.path(), "/api/search");
        assert_eq!(asked.parameter("q").as_deref(), Some("a b ä%zz%4"));
        assert_eq!(asked.number::<u32>("limit"), Some(7));
        assert_eq!(asked.parameter("x"), None);
        assert_eq!(request("/").parameter("q"), None);
        assert_eq!(
            request("/?q=%ff").parameter("q").as_deref(),
            Some("\u{fffd}")
        );
    }
}
