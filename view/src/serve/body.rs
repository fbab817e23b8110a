//! Bodies: of requests, within limits, and of answers.

use super::table::{ConnectionState, Phase};
use super::{BODIES, LONGEST_BODY, Shared};
use crate::http::Response;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use std::cell::Cell;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// Bytes of the budget for bodies, which are returned on drop.
pub(super) struct Reserved<'a> {
    taken: &'a Cell<usize>,
    bytes: usize,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.taken.set(self.taken.get().saturating_sub(self.bytes));
    }
}

impl Reserved<'_> {
    /// Takes more bytes; returns whether there are enough.
    fn grow(&mut self, bytes: usize) -> bool {
        let taken = self.taken.get().saturating_add(bytes);
        if taken > BODIES {
            return false;
        }
        self.taken.set(taken);
        self.bytes += bytes;
        true
    }
}

/// Reads the body of a request.
pub(super) async fn read(
    shared: &Shared,
    body: Incoming,
) -> Result<(Vec<u8>, Reserved<'_>), Response> {
    let all = tokio::time::timeout(shared.limits.body_time, read_all(shared, body));
    let late = || Response::error(408, "the body of the request took too long");
    all.await.unwrap_or_else(|_| Err(late()))
}

async fn read_all(
    shared: &Shared,
    mut body: Incoming,
) -> Result<(Vec<u8>, Reserved<'_>), Response> {
    let too_long = || Response::error(413, "the request is too long");
    if body.size_hint().lower() > LONGEST_BODY as u64 {
        return Err(too_long());
    }
    let mut reserved = Reserved {
        taken: &shared.bodies,
        bytes: 0,
    };
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|_| Response::error(400, "the request was cut off"))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > LONGEST_BODY {
            return Err(too_long());
        }
        if !reserved.grow(data.len()) {
            return Err(Response::error(
                503,
                "too many long requests are in progress; try again later",
            ));
        }
        bytes.extend_from_slice(&data);
    }
    Ok((bytes, reserved))
}

/// The body of an answer, which notifies the table when it is sent.
pub(super) struct Answer {
    bytes: Option<Bytes>,
    state: Rc<ConnectionState>,
}

impl Answer {
    pub(super) fn new(bytes: Vec<u8>, state: Rc<ConnectionState>) -> Self {
        let bytes = Some(Bytes::from(bytes)).filter(|bytes| !bytes.is_empty());
        // hyper never polls the body of an answer to HEAD.
        state.begin(Phase::Writing);
        Answer { bytes, state }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let answer = self.get_mut();
        let bytes = answer.bytes.take();
        if bytes.is_some() {
            answer.state.begin(Phase::Writing);
        }
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, Bytes::len) as u64)
    }
}
