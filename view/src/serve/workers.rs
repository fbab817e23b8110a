//! The threads that answer requests.

use crate::http::{Request, Response};
use crate::respond::answer_admitted;
use crate::site::Site;
use crate::state::lock;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

/// The number of threads that answer. More of them would only wait for the disk and for locks.
const THREADS: usize = 4;

/// A request, and the receiver of its answer.
struct Job {
    request: Request,
    answer: oneshot::Sender<Response>,
}

/// The threads that answer.
#[derive(Debug)]
pub(super) struct Workers(Sender<Job>);

impl Workers {
    /// Starts all threads. None is started later, when the system may have too many.
    pub(super) fn start(site: &Arc<Site>) -> std::io::Result<Self> {
        let (to, jobs) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..THREADS {
            let (site, jobs) = (Arc::clone(site), Arc::clone(&jobs));
            let thread = std::thread::Builder::new().name(format!("view {number}"));
            thread.spawn(move || work(&site, &jobs))?;
        }
        Ok(Workers(to))
    }

    /// The answer to a request that may be answered.
    pub(super) async fn answer(&self, request: Request) -> Response {
        let (answer, answered) = oneshot::channel();
        let failed = || Response::error(500, "the request could not be answered");
        match self.0.send(Job { request, answer }) {
            Ok(()) => answered.await.unwrap_or_else(|_| failed()),
            Err(_) => failed(),
        }
    }
}

fn work(site: &Site, jobs: &Mutex<Receiver<Job>>) {
    loop {
        let next = lock(jobs).recv();
        let Ok(Job { request, answer }) = next else {
            return;
        };
        // The client may be gone.
        if answer.is_closed() {
            continue;
        }
        // A panic is printed on standard error; the thread continues with other requests.
        let answered = catch_unwind(AssertUnwindSafe(|| answer_admitted(site, &request)));
        let response =
            answered.unwrap_or_else(|_| Response::error(500, "the request could not be answered"));
        let _ = answer.send(response);
    }
}
