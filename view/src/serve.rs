//! The server: one thread that holds all connections, and a few that answer.
//!
//! Other users of this machine can connect as well, with or without the token. So all resources of
//! a connection are limited: the number of connections, the length of heads and bodies, and the
//! time that each step may take. If there are too many, the connection that has been without a
//! request for longest is closed, and those that never sent the token go first.
//!
//! | limit | answer |
//! |---|---|
//! | the head of a request is longer than [`LONGEST_HEAD`], or its target than hyper takes | 431, 414 |
//! | the head takes longer than [`Limits::head_time`] | 408 |
//! | the body is longer than [`LONGEST_BODY`] | 413 |
//! | the body takes longer than [`Limits::body_time`] | 408 |
//! | all connections wait for answers, or bodies take more than [`BODIES`] bytes | 503 |
//!
//! A body is read only if its head has the token.

mod body;
mod connection;
mod stream;
mod table;
mod workers;

use crate::site::Site;
use crate::state::ViewError;
use std::cell::Cell;
use std::net::{Ipv4Addr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use table::Table;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;
use workers::Workers;

/// The longest head of a request.
const LONGEST_HEAD: usize = 32 << 10;

/// The most headers of a request.
const MOST_HEADERS: usize = 64;

/// The longest body of a request.
const LONGEST_BODY: usize = 4 << 20;

/// The most bytes of bodies at one time.
const BODIES: usize = 64 << 20;

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of connections.
    pub connections: usize,
    /// The longest time for the head of a request, from its first byte.
    pub head_time: Duration,
    /// The longest time for the body of a request.
    pub body_time: Duration,
    /// The longest time for which a client may read nothing of an answer.
    pub stall_time: Duration,
    /// The longest time between requests. Pages then use a new connection.
    pub idle_time: Duration,
    /// The time for which a rejected client may continue to send, so that it reads the rejection.
    pub linger_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: most_connections(),
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(20),
            stall_time: Duration::from_secs(30),
            idle_time: Duration::from_secs(60),
            linger_time: Duration::from_secs(2),
        }
    }
}

/// The interval of checks for timeouts.
const LOOK: Duration = Duration::from_millis(100);

/// The time to the next try if a connection cannot be accepted.
const RETRY: Duration = Duration::from_millis(20);

/// The most connections, unless the process may open few files.
const MOST_CONNECTIONS: usize = 256;

/// Connections in a process that may open next to no files.
const LEAST_CONNECTIONS: usize = 8;

/// A running server.
#[derive(Debug)]
pub struct Server {
    thread: JoinHandle<()>,
}

impl Server {
    /// Waits until the server ends, which it does with the process.
    pub fn wait(self) {
        // The panic of a thread is printed.
        let _ = self.thread.join();
    }
}

/// State that all connections share.
struct Shared {
    site: Arc<Site>,
    workers: Workers,
    limits: Limits,
    table: Rc<Table>,
    /// The bytes that bodies take at this moment.
    bodies: Cell<usize>,
}

/// Serves a site on a port of loopback; 0 takes a free one.
///
/// # Errors
/// Returns an error if the port is in use, or may not be used.
pub fn serve(site: Arc<Site>, port: u16) -> Result<Server, ViewError> {
    serve_within(site, port, Limits::default())
}

/// Serves a site within other limits.
///
/// # Errors
/// Returns an error if the port is in use, or may not be used.
pub fn serve_within(site: Arc<Site>, port: u16, limits: Limits) -> Result<Server, ViewError> {
    let failed = |error: std::io::Error| ViewError::Listen {
        port,
        why: error.to_string(),
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    site.set_port(address.port());
    // Threads and files that can be unavailable are allocated before the first request.
    let workers = Workers::start(&site).map_err(failed)?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(failed)?;
    let listener = {
        let _entered = runtime.enter();
        tokio::net::TcpListener::from_std(listener).map_err(failed)?
    };
    let run = move || run(&runtime, site, workers, listener, limits);
    let thread = std::thread::Builder::new().name("view server".to_owned());
    let thread = thread.spawn(run).map_err(failed)?;
    Ok(Server { thread })
}

fn run(
    runtime: &Runtime,
    site: Arc<Site>,
    workers: Workers,
    listener: tokio::net::TcpListener,
    limits: Limits,
) {
    let shared = Rc::new(Shared {
        site,
        workers,
        limits,
        table: Rc::new(Table::new(limits)),
        bodies: Cell::new(0),
    });
    let all = LocalSet::new();
    let looking = Rc::clone(&shared);
    all.spawn_local(async move {
        loop {
            tokio::time::sleep(LOOK).await;
            looking.table.stop_late();
        }
    });
    all.block_on(runtime, async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => accept(&shared, stream),
                Err(_) => {
                    // For example, the process may have no file descriptors left. The connection
                    // then stays in the queue of the system.
                    shared.table.stop_one();
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
    });
}

fn accept(shared: &Rc<Shared>, stream: TcpStream) {
    if shared.table.is_full() && !shared.table.stop_one() {
        // Its own buffer takes so short a text; if not, the client sees that the connection is
        // closed.
        let _ = stream.try_write(connection::BUSY.as_bytes());
        return;
    }
    // Answers are written whole, and a page waits for each.
    let _ = stream.set_nodelay(true);
    // The connection is entered into the table before its task runs, so that simultaneous ones
    // cannot exceed the limit.
    let entry = shared.table.add();
    tokio::task::spawn_local(connection::run(Rc::clone(shared), entry, stream));
}

/// The number of connections that leaves most of the process's file descriptors to the threads that
/// answer.
fn most_connections() -> usize {
    let files = files().unwrap_or(u64::MAX);
    let quarter = usize::try_from(files / 4).unwrap_or(usize::MAX);
    quarter.clamp(LEAST_CONNECTIONS, MOST_CONNECTIONS)
}

/// The number of files that the process may open, if that is limited.
#[cfg(unix)]
fn files() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
fn files() -> Option<u64> {
    None
}
