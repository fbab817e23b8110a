//! A connection's bytes for hyper, with the progress of the connection.

use super::table::{ConnectionState, Phase};
use hyper::rt::{Read, ReadBufCursor, Write};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The most bytes that are read at once.
const CHUNK: usize = 16 << 10;

/// A connection's bytes.
pub(super) struct Stream {
    pub(super) socket: TcpStream,
    pub(super) state: Rc<ConnectionState>,
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut to: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut space = [0; CHUNK];
        let room = to.remaining().min(CHUNK);
        let mut read = ReadBuf::new(space.get_mut(..room).unwrap_or_default());
        ready!(Pin::new(&mut self.socket).poll_read(cx, &mut read))?;
        if !read.filled().is_empty() && self.state.phase() == Phase::Idle {
            self.state.begin(Phase::Head);
        }
        to.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl Stream {
    /// Notes that the client has taken a part of an answer.
    fn note(&self, written: io::Result<usize>) -> Poll<io::Result<usize>> {
        if self.state.phase() == Phase::Writing {
            self.state.begin(Phase::Writing);
        }
        Poll::Ready(written)
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.socket).poll_write(cx, bytes));
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.socket).poll_write_vectored(cx, parts));
        self.note(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.socket).poll_flush(cx))?;
        // The answer was handed over whole before, so that none of it is left.
        if self.state.phase() == Phase::Writing {
            self.state.begin(Phase::Idle);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}
