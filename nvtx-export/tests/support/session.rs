//! Handmade databases of Nsight Systems.

use super::{PID, THREADS, uid};
use rusqlite::{Connection, params};
use std::path::PathBuf;

/// A session of the process of [`small`](super::small). Its clock reads `zero` when that of the run
/// reads 0.
pub(crate) struct Session {
    _folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
    pub(crate) database: Connection,
    zero: i64,
}

pub(crate) const PROCESS: i64 = (1 << 48) | ((PID as i64) << 24);

impl Session {
    pub(crate) fn new(zero: i64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.sqlite");
        let database = Connection::open(&path).unwrap();
        database
            .execute_batch(
                "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
                 CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
                   text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER,
                   uint64Value INTEGER);
                 CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
                   globalTid INTEGER, correlationId INTEGER);
                 CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
                   deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
                   demangledName INTEGER);
                 INSERT INTO StringIds VALUES (1, 'gpu_kernel');",
            )
            .unwrap();
        let session = Session {
            _folder: folder,
            path,
            database,
            zero,
        };
        session.domain(1, "weft");
        session.domain(2, "other");
        session
    }

    pub(crate) fn domain(&self, id: i64, name: &str) {
        let sql = "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (0, 75, ?1, ?2, ?3)";
        self.database
            .execute(sql, params![name, PROCESS, id])
            .unwrap();
    }

    pub(crate) fn range(
        &self,
        thread: u32,
        domain: i64,
        payload: Option<u64>,
        start: i64,
        end: Option<i64>,
    ) {
        let sql = "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, uint64Value) \
                   VALUES (?1, ?2, 59, 'range', ?3, ?4, ?5)";
        let thread = PROCESS | i64::from(thread);
        let end = end.map(|end| end + self.zero);
        let payload = payload.map(u64::cast_signed);
        self.database
            .execute(
                sql,
                params![start + self.zero, end, thread, domain, payload],
            )
            .unwrap();
    }

    /// Adds a kernel and the call that starts it.
    pub(crate) fn launch(&self, thread: u32, correlation: i64, start: i64, end: i64) {
        let call = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, ?3, ?4)";
        let thread = PROCESS | i64::from(thread);
        self.database
            .execute(
                call,
                params![start + self.zero, end + self.zero, thread, correlation],
            )
            .unwrap();
        self.kernel(PROCESS, correlation, end);
    }

    pub(crate) fn kernel(&self, process: i64, correlation: i64, start: i64) {
        let kernel = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?1, ?2, 0, 7, ?3, ?4, 1)";
        let (start, end) = (start + self.zero + 50, start + self.zero + 90);
        self.database
            .execute(kernel, params![start, end, correlation, process])
            .unwrap();
    }

    /// Adds the ranges around the launches of [`small`](super::small), each 5 ns wider on both
    /// sides.
    pub(crate) fn watch_small(&self) {
        for (launch, thread, start, end) in [
            (11, THREADS[0], 95, 205),
            (12, THREADS[1], 95, 305),
            (15, THREADS[0], 395, 605),
        ] {
            self.range(thread, 1, Some(uid(launch).raw()), start, Some(end));
        }
    }
}
