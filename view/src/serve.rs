//! The server: a few threads that answer on loopback.

use crate::http::{Method, Request, Response};
use crate::respond::respond;
use crate::site::Site;
use crate::state::ViewError;
use std::io::Read;
use std::sync::Arc;
use std::thread::JoinHandle;
use tiny_http::{Header, Response as Sent};

/// The longest body of a request.
const LONGEST_BODY: u64 = 4 << 20;

/// Threads that answer.
const THREADS: usize = 4;

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Waits until it ends, which it does with the process.
    pub fn wait(self) {
        for thread in self.threads {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

/// Serves a site on a port of loopback; 0 takes a free one.
///
/// # Errors
/// The port is in use, or may not be used.
pub fn serve(site: Arc<Site>, port: u16) -> Result<Server, ViewError> {
    let listen = |why: String| ViewError::Listen { port, why };
    let server = tiny_http::Server::http(("127.0.0.1", port));
    let server = Arc::new(server.map_err(|error| listen(error.to_string()))?);
    let address = server.server_addr().to_ip();
    site.set_port(address.map_or(port, |address| address.port()));
    let mut threads = Vec::new();
    for number in 0..THREADS {
        let (server, site) = (Arc::clone(&server), Arc::clone(&site));
        let answer = move || {
            while let Ok(request) = server.recv() {
                handle(&site, request);
            }
        };
        let thread = std::thread::Builder::new().name(format!("view {number}"));
        threads.push(
            thread
                .spawn(answer)
                .map_err(|error| listen(error.to_string()))?,
        );
    }
    Ok(Server { threads })
}

fn handle(site: &Site, mut request: tiny_http::Request) {
    let header = |name: &'static str| {
        let mut headers = request.headers().iter();
        let found = headers.find(|header| header.field.equiv(name));
        found.map(|header| header.value.as_str().to_owned())
    };
    let (host, token, origin) = (header("Host"), header("X-Weft-Token"), header("Origin"));
    let method = match request.method() {
        tiny_http::Method::Get => Method::Get,
        tiny_http::Method::Post => Method::Post,
        _ => Method::Other,
    };
    let target = request.url().to_owned();
    let mut body = Vec::new();
    let read = request
        .as_reader()
        .take(LONGEST_BODY + 1)
        .read_to_end(&mut body);
    let response = match read {
        Ok(_) if body.len() as u64 > LONGEST_BODY => {
            Response::error(413, "the request is too long")
        }
        Err(_) => Response::error(400, "the request was cut off"),
        Ok(_) => respond(
            site,
            &Request {
                method,
                target,
                host,
                token,
                origin,
                body,
            },
        ),
    };
    // Who asked may have gone.
    let _ = request.respond(sent(response));
}

fn sent(response: Response) -> Sent<std::io::Cursor<Vec<u8>>> {
    let policy = response
        .policy
        .unwrap_or_else(|| "default-src 'none'".to_owned());
    let headers = [
        ("Content-Type", response.content_type),
        ("Cache-Control", "no-store"),
        ("Content-Security-Policy", policy.as_str()),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ];
    let mut sent = Sent::from_data(response.body)
        .with_status_code(response.status)
        .with_chunked_threshold(usize::MAX);
    for (name, value) in headers {
        if let Ok(header) = Header::from_bytes(name.as_bytes(), value.as_bytes()) {
            sent.add_header(header);
        }
    }
    sent
}
