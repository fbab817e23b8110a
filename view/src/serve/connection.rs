//! One connection, from its first byte to its last.

use super::body::{self, Answer};
use super::stream::Stream;
use super::table::{ConnectionState, Entry, Phase};
use super::{LONGEST_HEAD, MOST_HEADERS, Shared};
use crate::http::{Method, Request, Response};
use crate::respond::admit;
use hyper::body::Incoming;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::Poll;
use tokio::net::TcpStream;

/// The answer if all connections wait for theirs.
pub(super) const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\
    Content-Length: 0\r\nRetry-After: 1\r\n\r\n";

/// The answer to a head that takes too long.
const LATE: &str = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// Answers the requests of a connection until it ends, or is to end.
pub(super) async fn run(shared: Rc<Shared>, entry: Entry, socket: TcpStream) {
    let state = Rc::clone(&entry.state);
    let stream = Stream {
        socket,
        state: Rc::clone(&state),
    };
    let service = service_fn(|request| {
        let (shared, state) = (Rc::clone(&shared), Rc::clone(&state));
        async move {
            state.begin(Phase::Working);
            let response = answer(&shared, &state, request).await;
            Ok::<_, Infallible>(as_sent(response, state))
        }
    });
    let mut connection = http1::Builder::new()
        .max_buf_size(LONGEST_HEAD)
        .max_headers(MOST_HEADERS)
        .header_read_timeout(None)
        .auto_date_header(false)
        .title_case_headers(true)
        .serve_connection(stream, service);
    let is_stopped = until_stopped(&state, Pin::new(&mut connection)).await;
    let stream = connection.into_parts().io;
    if is_stopped {
        if state.phase() == Phase::Head {
            // Its own buffer takes so short a text.
            let _ = stream.socket.try_write(LATE.as_bytes());
        }
        return;
    }
    // The system discards unsent data if a connection is closed with something left to
    // read.
    state.begin(Phase::Lingering);
    until_stopped(&state, pin!(discard(&stream.socket))).await;
}

/// Runs to the end, or until the connection is to be closed; returns whether it is.
async fn until_stopped<F: Future>(state: &ConnectionState, mut run: Pin<&mut F>) -> bool {
    let mut stopped = pin!(state.stop.notified());
    poll_fn(|cx| {
        if stopped.as_mut().poll(cx).is_ready() {
            return Poll::Ready(true);
        }
        // No answer reaches the client of a broken connection.
        run.as_mut().poll(cx).map(|_| false)
    })
    .await
}

/// Reads and drops the rest of the client's request, until it ends or takes too long.
async fn discard(socket: &TcpStream) {
    let mut space = [0; 16 << 10];
    while socket.readable().await.is_ok() {
        match socket.try_read(&mut space) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

async fn answer(
    shared: &Shared,
    state: &ConnectionState,
    request: hyper::Request<Incoming>,
) -> Response {
    let (head, body) = request.into_parts();
    let header = |name: HeaderName| {
        let value = head.headers.get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let target = head.uri.path_and_query();
    let mut request = Request {
        method: match head.method {
            hyper::Method::GET => Method::Get,
            hyper::Method::POST => Method::Post,
            _ => Method::Other,
        },
        target: target.map_or_else(String::new, |target| target.as_str().to_owned()),
        host: header(header::HOST),
        token: header(HeaderName::from_static("x-weft-token")),
        origin: header(header::ORIGIN),
        body: Vec::new(),
    };
    if let Err(refusal) = admit(&shared.site, &request) {
        return refusal;
    }
    state.is_trusted.set(true);
    match body::read(shared, body).await {
        Ok((bytes, _reserved)) => {
            request.body = bytes;
            shared.workers.answer(request).await
        }
        Err(refusal) => refusal,
    }
}

fn as_sent(response: Response, state: Rc<ConnectionState>) -> hyper::Response<Answer> {
    let policy = response
        .policy
        .unwrap_or_else(|| "default-src 'none'".to_owned());
    // Policies are ASCII.
    let policy = HeaderValue::try_from(policy)
        .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"));
    let is_trusted = state.is_trusted.get();
    let mut sent = hyper::Response::new(Answer::new(response.body, state));
    *sent.status_mut() = hyper::StatusCode::from_u16(response.status)
        .unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    let fixed = HeaderValue::from_static;
    let headers = [
        (header::CONTENT_TYPE, fixed(response.content_type)),
        (header::CACHE_CONTROL, fixed("no-store")),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
        (header::REFERRER_POLICY, fixed("no-referrer")),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            fixed("same-origin"),
        ),
    ];
    sent.headers_mut().extend(headers);
    if !is_trusted {
        // A client without the token keeps no connection.
        let close = HeaderValue::from_static("close");
        sent.headers_mut().insert(header::CONNECTION, close);
    }
    sent
}
