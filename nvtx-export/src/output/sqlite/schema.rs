//! Weft's own tables and their indexes.

use rusqlite::Connection;

/// The version of the tables of Weft: the first number changes when a column goes or changes its meaning.
pub(super) const VERSION: &str = "1.1";

const TABLES: &str = "
CREATE TABLE WEFT_SOURCE (
    -- The inputs. Times of all of them are on one clock, see WEFT_META.
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL,
    run TEXT,                    -- run id; UIDs are unique within a run
    rank INTEGER, host TEXT);
CREATE TABLE WEFT_RANK (
    sourceId INTEGER NOT NULL, rank INTEGER NOT NULL, ranks INTEGER, host TEXT, bootId TEXT, pid INTEGER, program TEXT);
CREATE TABLE WEFT_PROVENANCE (
    -- Source positions of the user's calls.
    id INTEGER PRIMARY KEY, file TEXT NOT NULL, line INTEGER NOT NULL, function TEXT);
CREATE TABLE WEFT_OPERATION (
    -- What the program asked for; once a run, under the first source that recorded it.
    sourceId INTEGER NOT NULL, uid INTEGER NOT NULL, parentUid INTEGER, name TEXT NOT NULL, provenanceId INTEGER,
    created INTEGER NOT NULL, tasks INTEGER NOT NULL, shape TEXT NOT NULL);
CREATE TABLE WEFT_TILE (
    -- What each task of a cut operation covers: first index and one past the last, per dimension.
    sourceId INTEGER NOT NULL, opUid INTEGER NOT NULL, point INTEGER NOT NULL, lo TEXT NOT NULL, hi TEXT NOT NULL);
CREATE TABLE WEFT_OPERAND (
    -- With --profile-operands: the views that each operation works on. offset is the first element, extents and steps are those of
    -- its axes, in elements; follow says which part a tile works on, with an axis or a length for some.
    sourceId INTEGER NOT NULL, opUid INTEGER NOT NULL, position INTEGER NOT NULL, storeUid INTEGER NOT NULL,
    access TEXT NOT NULL, follow TEXT NOT NULL, followValue INTEGER NOT NULL, offset INTEGER NOT NULL,
    extents TEXT NOT NULL, steps TEXT NOT NULL);
CREATE TABLE WEFT_TASK (
    sourceId INTEGER NOT NULL, uid INTEGER NOT NULL, opUid INTEGER NOT NULL, point INTEGER NOT NULL, rank INTEGER,
    name TEXT NOT NULL, variant TEXT, color INTEGER, processorId INTEGER NOT NULL, created INTEGER NOT NULL,
    ready INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, provenanceId INTEGER,
    -- From the first to the last of its work on a device, where only that was recorded.
    deviceStart INTEGER, deviceEnd INTEGER);
CREATE TABLE WEFT_LAUNCH (
    sourceId INTEGER NOT NULL, uid INTEGER NOT NULL, processorId INTEGER NOT NULL, start INTEGER NOT NULL,
    end INTEGER NOT NULL);
CREATE TABLE WEFT_LAUNCH_TASK (
    -- What a launch serves; shares of one launch add up to 1.
    sourceId INTEGER NOT NULL, launchUid INTEGER NOT NULL, taskUid INTEGER NOT NULL, share REAL NOT NULL);
CREATE TABLE WEFT_KERNEL (
    -- Physical work: each row is in WEFT_KERNEL_TASK or in WEFT_UNMATCHED.
    id INTEGER PRIMARY KEY, sourceId INTEGER NOT NULL, source TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    rank INTEGER, processorId INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, graphId INTEGER, graphNodeId INTEGER, start INTEGER NOT NULL, end INTEGER NOT NULL, bytes INTEGER);
CREATE TABLE WEFT_KERNEL_TASK (
    -- sourceId is that of the task.
    kernelId INTEGER NOT NULL, sourceId INTEGER NOT NULL, launchUid INTEGER NOT NULL, taskUid INTEGER NOT NULL,
    method TEXT NOT NULL, share REAL NOT NULL);
CREATE TABLE WEFT_UNMATCHED (kernelId INTEGER PRIMARY KEY, reason TEXT NOT NULL);
CREATE TABLE WEFT_RANGE_TASK (
    -- Ranges without a UID (as in WEFT_KERNEL_RANGE) and the tasks whose bodies they are; one to one.
    nvtxRowId INTEGER PRIMARY KEY, sourceId INTEGER NOT NULL, taskUid INTEGER NOT NULL, method TEXT NOT NULL);
CREATE TABLE WEFT_KERNEL_RANGE (
    -- The innermost NVTX range around the kernel's launch: a row of NVTX_EVENTS, or else of WEFT_RANGE.
    kernelId INTEGER PRIMARY KEY, nvtxRowId INTEGER NOT NULL);
CREATE TABLE WEFT_RANGE (
    -- Ranges of sessions whose own tables are not copied. Ids are above those of NVTX_EVENTS; nvtxRowId is the row there.
    id INTEGER PRIMARY KEY, sourceId INTEGER NOT NULL, nvtxRowId INTEGER NOT NULL, style TEXT NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL, closed INTEGER NOT NULL, globalTid INTEGER NOT NULL,
    endGlobalTid INTEGER, domain TEXT NOT NULL, message TEXT NOT NULL, color INTEGER, launchUid INTEGER);
CREATE TABLE WEFT_DEPENDENCY (
    sourceId INTEGER NOT NULL, fromUid INTEGER NOT NULL, toUid INTEGER NOT NULL, kind TEXT NOT NULL);
CREATE TABLE WEFT_WAIT (
    sourceId INTEGER NOT NULL, taskUid INTEGER NOT NULL, start INTEGER NOT NULL, ready INTEGER NOT NULL,
    end INTEGER NOT NULL);
CREATE TABLE WEFT_RUNTIME_CALL (
    id INTEGER PRIMARY KEY, sourceId INTEGER NOT NULL, kind TEXT NOT NULL, opUid INTEGER,
    processorId INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL);
CREATE TABLE WEFT_STORE (
    sourceId INTEGER NOT NULL, uid INTEGER NOT NULL, shape TEXT NOT NULL, dtype TEXT NOT NULL, provenanceId INTEGER);
CREATE TABLE WEFT_INSTANCE (
    sourceId INTEGER NOT NULL, uid INTEGER NOT NULL, storeUid INTEGER, memoryId INTEGER NOT NULL,
    bytes INTEGER NOT NULL, created INTEGER NOT NULL, ready INTEGER NOT NULL,
    destroyed INTEGER,           -- NULL: still there at the end of the trace
    opUid INTEGER);
CREATE TABLE WEFT_MEMORY_USE (
    -- Bytes held, the most held so far, the largest block that could be given out, and what is kept though nobody holds it.
    sourceId INTEGER NOT NULL, memoryId INTEGER NOT NULL, time INTEGER NOT NULL, live INTEGER NOT NULL,
    peak INTEGER NOT NULL, largestFree INTEGER NOT NULL, kept INTEGER NOT NULL);
CREATE TABLE WEFT_COPY (
    -- srcMemoryId is NULL for a fill.
    sourceId INTEGER NOT NULL, uid INTEGER NOT NULL, opUid INTEGER NOT NULL, srcMemoryId INTEGER,
    dstMemoryId INTEGER NOT NULL, bytes INTEGER NOT NULL, created INTEGER NOT NULL, ready INTEGER NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL,
    -- Of a message between ranks: srcMemoryId is then one of srcRank.
    srcRank INTEGER, dstRank INTEGER);
CREATE TABLE WEFT_MESSAGE (
    -- What each side of a message between ranks recorded. Both are one row of WEFT_COPY, whose uid is copyUid. Messages
    -- from one rank to another are numbered from 1.
    sourceId INTEGER NOT NULL, uid INTEGER NOT NULL, copyUid INTEGER NOT NULL, side TEXT NOT NULL, opUid INTEGER NOT NULL,
    srcRank INTEGER NOT NULL, dstRank INTEGER NOT NULL, number INTEGER NOT NULL, memoryId INTEGER NOT NULL,
    bytes INTEGER NOT NULL, created INTEGER NOT NULL, ready INTEGER NOT NULL, start INTEGER NOT NULL,
    passed INTEGER NOT NULL,     -- the network was given what is sent, or had delivered what is received
    end INTEGER NOT NULL);
CREATE TABLE WEFT_CRITICAL_PATH (
    -- The chain that set the run's length, over all ranks, earliest first. Each instant belongs to one step; the parts add up to the
    -- run's length. kind: task, copy, message, issue (handed to a GPU), analysis, program (its own time before the call of opUid),
    -- wait (the program's, until it went on), queue (could begin, and had not begun).
    step INTEGER PRIMARY KEY, sourceId INTEGER NOT NULL, rank INTEGER, kind TEXT NOT NULL,
    uid INTEGER,                 -- a task or copy; NULL for the program and the analysis
    opUid INTEGER, processorId INTEGER, start INTEGER NOT NULL, end INTEGER NOT NULL,
    part INTEGER NOT NULL,       -- end - start; of a launch that served several tasks each one's share of it
    provenanceId INTEGER);
CREATE TABLE WEFT_PROCESSOR (
    sourceId INTEGER NOT NULL, id INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, thread INTEGER);
CREATE TABLE WEFT_MEMORY (
    sourceId INTEGER NOT NULL, id INTEGER NOT NULL, kind TEXT NOT NULL, capacity INTEGER NOT NULL);
CREATE TABLE WEFT_LOSS (
    -- What is known to be missing. severity: note, loss, or damage (an input was read only up to it).
    sourceId INTEGER, name TEXT NOT NULL, severity TEXT NOT NULL, value INTEGER NOT NULL, meaning TEXT NOT NULL);
CREATE TABLE WEFT_META (key TEXT PRIMARY KEY, value TEXT NOT NULL);
";

const INDEXES: &str = "
CREATE INDEX weft_operation_uid ON WEFT_OPERATION (uid);
CREATE INDEX weft_task_uid ON WEFT_TASK (uid, sourceId);
CREATE INDEX weft_task_operation ON WEFT_TASK (opUid);
CREATE INDEX weft_launch_uid ON WEFT_LAUNCH (uid, sourceId);
CREATE INDEX weft_launch_task_launch ON WEFT_LAUNCH_TASK (launchUid);
CREATE INDEX weft_kernel_task_kernel ON WEFT_KERNEL_TASK (kernelId);
CREATE INDEX weft_kernel_task_task ON WEFT_KERNEL_TASK (taskUid, sourceId);
CREATE INDEX weft_copy_uid ON WEFT_COPY (uid, sourceId);
CREATE INDEX weft_message_uid ON WEFT_MESSAGE (uid, sourceId);
CREATE INDEX weft_dependency_to ON WEFT_DEPENDENCY (toUid);
";

/// Creates the empty tables.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)
}

/// Creates the indexes, after loading.
pub(super) fn index(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(INDEXES)
}
