//! Views for the most common questions. Times are in ns.

use rusqlite::Connection;

const VIEWS: &str = "
-- The time of a task, less what belongs to others that its launch served, and whether that is estimated. For a task of a GPU it is the
-- time of its kernels, copies and fills there, and issueTime what the host took to issue them. It is NULL if its source has records of work
-- on GPUs, but none for the task.
CREATE VIEW weft_task_time AS
WITH others AS (
    SELECT s.sourceId AS sourceId, s.taskUid AS uid, sum((l.end - l.start) * (1 - s.share)) AS time,
           max(s.estimated) AS estimated
    FROM WEFT_LAUNCH_TASK s JOIN WEFT_LAUNCH l ON l.uid = s.launchUid AND l.sourceId = s.sourceId
    WHERE s.share < 1 GROUP BY 1, 2),
device AS (
    SELECT l.sourceId AS sourceId, l.taskUid AS uid, sum((k.end - k.start) * l.share) AS time,
           max(k.source <> 'host') AS isDevice
    FROM WEFT_KERNEL_TASK l JOIN WEFT_KERNEL k ON k.id = l.kernelId GROUP BY 1, 2),
known AS (
    SELECT sourceId FROM device WHERE isDevice UNION SELECT sourceId FROM WEFT_TASK WHERE deviceStart IS NOT NULL),
spent AS (
    SELECT t.rowid AS row, max(0, t.end - t.start - CAST(round(ifnull(o.time, 0)) AS INTEGER)) AS time,
           ifnull(o.estimated, 0) AS estimated,
           CASE WHEN d.isDevice OR t.deviceStart IS NOT NULL OR (d.time > 0 AND n.sourceId IS NOT NULL)
                THEN CAST(round(coalesce(nullif(d.time, 0), t.deviceEnd - t.deviceStart, 0)) AS INTEGER) END AS device,
           n.sourceId IS NOT NULL AS isOnDevice
    FROM WEFT_TASK t LEFT JOIN known n ON n.sourceId = t.sourceId AND t.variant = 'GPU'
    LEFT JOIN others o ON o.uid = t.uid AND o.sourceId = t.sourceId
    LEFT JOIN device d ON d.uid = t.uid AND d.sourceId = t.sourceId)
SELECT t.*, iif(s.device IS NULL AND s.isOnDevice, NULL, ifnull(s.device, s.time)) AS time, s.estimated AS estimated,
       iif(s.device IS NULL AND NOT s.isOnDevice, NULL, s.time) AS issueTime
FROM WEFT_TASK t JOIN spent s ON s.row = t.rowid;

-- Launches whose time was divided among tasks by estimate: for each task its share in ns, its name and its line.
CREATE VIEW weft_estimated_time AS
SELECT s.sourceId AS sourceId, s.launchUid AS launchUid, s.taskUid AS taskUid, v.name AS name, v.variant AS variant,
       -- What has no row is of no line, not even of that of work without one.
       CASE WHEN v.uid IS NOT NULL THEN v.provenanceId WHEN c.uid IS NOT NULL THEN o.provenanceId ELSE -1 END AS provenanceId,
       s.estimatedTime AS time
FROM WEFT_LAUNCH_TASK s
LEFT JOIN WEFT_TASK v ON v.uid = s.taskUid AND v.sourceId = s.sourceId
LEFT JOIN WEFT_COPY c ON c.uid = s.taskUid AND c.sourceId = s.sourceId
LEFT JOIN WEFT_OPERATION o ON o.uid = c.opUid AND o.sourceId = c.sourceId
WHERE s.estimated;

CREATE VIEW weft_by_line AS
WITH copied AS (
    -- An operation stands once a run, under the first source that recorded it.
    SELECT c.sourceId AS sourceId, c.uid AS uid, o.provenanceId AS provenanceId, c.end - c.start AS time FROM WEFT_COPY c
    JOIN WEFT_SOURCE s ON s.id = c.sourceId
    LEFT JOIN WEFT_OPERATION o ON o.uid = c.opUid AND (o.sourceId = c.sourceId OR EXISTS (
        SELECT 1 FROM WEFT_SOURCE r WHERE r.id = o.sourceId AND r.run = s.run))),
served AS (
    SELECT sourceId, uid, provenanceId FROM WEFT_TASK
    UNION ALL
    SELECT sourceId, uid, provenanceId FROM copied),
others AS (
    SELECT s.sourceId AS sourceId, s.taskUid AS uid, sum((l.end - l.start) * (1 - s.share)) AS time
    FROM WEFT_LAUNCH_TASK s JOIN WEFT_LAUNCH l ON l.uid = s.launchUid AND l.sourceId = s.sourceId
    WHERE s.share < 1 GROUP BY 1, 2),
known AS (
    SELECT EXISTS (SELECT 1 FROM WEFT_KERNEL) OR EXISTS (SELECT 1 FROM WEFT_TASK WHERE deviceStart IS NOT NULL) AS kernels),
work AS (
    SELECT l.sourceId AS sourceId, l.taskUid AS uid, sum((k.end - k.start) * l.share) AS time,
           iif(max(k.source <> 'host'), sum((k.end - k.start) * l.share), NULL) AS device
    FROM WEFT_KERNEL_TASK l JOIN WEFT_KERNEL k ON k.id = l.kernelId
    GROUP BY 1, 2),
operations AS (
    SELECT ifnull(provenanceId, 0) AS place, count(*) AS operations, group_concat(DISTINCT name) AS names
    FROM WEFT_OPERATION GROUP BY 1),
spent AS (
    SELECT ifnull(t.provenanceId, 0) AS place, 1 AS isTask, t.time AS time,
           iif(t.issueTime IS NULL, ifnull(t.nested, 0), 0) AS nested, t.issueTime AS issueTime, nullif(w.time, 0) AS kernelTime,
           ifnull(t.deviceEnd - t.deviceStart, 0) AS deviceTime
    FROM weft_task_time t LEFT JOIN work w ON w.uid = t.uid AND w.sourceId = t.sourceId
    UNION ALL
    SELECT ifnull(c.provenanceId, 0), 0,
           ifnull(CAST(round(w.device) AS INTEGER), max(0, c.time - CAST(round(ifnull(o.time, 0)) AS INTEGER))), 0,
           iif(w.device IS NULL, NULL, max(0, c.time - CAST(round(ifnull(o.time, 0)) AS INTEGER))), w.time, 0
    FROM copied c LEFT JOIN work w ON w.uid = c.uid AND w.sourceId = c.sourceId
    LEFT JOIN others o ON o.uid = c.uid AND o.sourceId = c.sourceId),
tasks AS (
    -- The work of a GPU may outlast the task that launched it, so that overhead is counted task by task.
    SELECT place, sum(isTask) AS tasks, count(*) - sum(isTask) AS copies, sum(iif(isTask, time, NULL)) AS taskTime,
           sum(iif(isTask, 0, time)) AS copyTime, sum(nested) AS nested, sum(issueTime) AS issueTime,
           sum(iif(kernelTime IS NULL, deviceTime, 0)) AS deviceTime,
           sum(max(0, time - ifnull(kernelTime, deviceTime))) AS overhead
    FROM spent GROUP BY 1),
kernels AS (
    SELECT ifnull(s.provenanceId, 0) AS place, count(DISTINCT k.id) AS kernels,
           sum((k.end - k.start) * ifnull(l.share, 1.0)) AS kernelTime
    FROM WEFT_KERNEL k
    LEFT JOIN WEFT_KERNEL_TASK l ON l.kernelId = k.id
    LEFT JOIN served s ON s.uid = l.taskUid AND s.sourceId = l.sourceId
    GROUP BY 1),
mixed AS (
    SELECT sourceId, launchUid FROM weft_estimated_time GROUP BY 1, 2
    HAVING count(DISTINCT ifnull(provenanceId, 0)) > 1),
estimated AS (
    SELECT ifnull(e.provenanceId, 0) AS place, sum(iif(m.launchUid IS NULL, 0, e.time)) AS estimated
    FROM weft_estimated_time e LEFT JOIN mixed m ON m.launchUid = e.launchUid AND m.sourceId = e.sourceId
    GROUP BY 1),
compiled AS (
    SELECT ifnull(o.provenanceId, 0) AS place, sum(c.end - c.start) AS compileTime FROM WEFT_COMPILE c
    JOIN WEFT_SOURCE s ON s.id = c.sourceId
    LEFT JOIN WEFT_OPERATION o ON o.uid = c.opUid AND (o.sourceId = c.sourceId OR EXISTS (
        SELECT 1 FROM WEFT_SOURCE r WHERE r.id = o.sourceId AND r.run = s.run))
    GROUP BY 1),
places AS (
    SELECT place FROM operations UNION SELECT place FROM tasks UNION SELECT place FROM kernels)
SELECT p.file AS file, p.line AS line, p.function AS function, o.names AS operationNames,
       ifnull(o.operations, 0) AS operations, ifnull(t.tasks, 0) AS tasks, ifnull(k.kernels, 0) AS kernels,
       iif(t.tasks > 0, t.taskTime, 0) AS taskTime,
       iif(known.kernels, CAST(round(ifnull(k.kernelTime, 0) + ifnull(t.deviceTime, 0)) AS INTEGER), NULL) AS kernelTime,
       iif(known.kernels, CAST(round(ifnull(t.overhead, 0)) AS INTEGER), NULL) AS overhead, e.estimated AS estimated,
       ifnull(t.copies, 0) AS copies, ifnull(t.copyTime, 0) AS copyTime, iif(t.tasks > 0 AND t.taskTime IS NULL AND t.copies = 0, NULL, ifnull(t.taskTime, 0) + ifnull(t.copyTime, 0)) AS total,
       ifnull(t.nested, 0) AS nested, t.issueTime AS issueTime, c.compileTime AS compileTime
FROM places, known
LEFT JOIN WEFT_PROVENANCE p ON p.id = places.place
LEFT JOIN operations o ON o.place = places.place
LEFT JOIN tasks t ON t.place = places.place
LEFT JOIN kernels k ON k.place = places.place
LEFT JOIN estimated e ON e.place = places.place
LEFT JOIN compiled c ON c.place = places.place
ORDER BY kernelTime DESC, total DESC;

CREATE VIEW weft_by_task AS
WITH kernels AS (
    SELECT t.name AS name, t.variant AS variant, count(DISTINCT k.id) AS kernels,
           sum((k.end - k.start) * l.share) AS kernelTime
    FROM WEFT_TASK t
    JOIN WEFT_KERNEL_TASK l ON l.taskUid = t.uid AND l.sourceId = t.sourceId
    JOIN WEFT_KERNEL k ON k.id = l.kernelId
    GROUP BY 1, 2),
mixed AS (
    SELECT sourceId, launchUid FROM weft_estimated_time GROUP BY 1, 2
    HAVING count(DISTINCT ifnull(name || ' ' || ifnull(variant, ''), '')) > 1),
estimated AS (
    SELECT e.name AS name, e.variant AS variant, sum(iif(m.launchUid IS NULL, 0, e.time)) AS estimated
    FROM weft_estimated_time e LEFT JOIN mixed m ON m.launchUid = e.launchUid AND m.sourceId = e.sourceId
    GROUP BY 1, 2)
SELECT t.name AS name, t.variant AS variant, count(*) AS tasks, sum(t.time) AS total,
       avg(t.time) AS mean, min(t.time) AS min, max(t.time) AS max,
       ifnull(k.kernels, 0) AS kernels,
       CASE WHEN EXISTS (SELECT 1 FROM WEFT_KERNEL) THEN CAST(round(ifnull(k.kernelTime, 0)) AS INTEGER) END AS kernelTime,
       e.estimated AS estimated, ifnull(sum(iif(t.issueTime IS NULL, t.nested, 0)), 0) AS nested,
       sum(t.issueTime) AS issueTime
FROM weft_task_time t
LEFT JOIN kernels k ON k.name = t.name AND k.variant IS t.variant
LEFT JOIN estimated e ON e.name = t.name AND e.variant IS t.variant
GROUP BY t.name, t.variant
ORDER BY total DESC;

CREATE VIEW weft_by_kernel AS
SELECT k.name AS name, k.kind AS kind, k.source AS source, count(*) AS kernels, sum(k.end - k.start) AS total,
       avg(k.end - k.start) AS mean, min(k.end - k.start) AS min, max(k.end - k.start) AS max,
       sum(k.bytesRead) AS bytesRead, sum(k.bytesWritten) AS bytesWritten, count(*) - count(u.kernelId) AS linked
FROM WEFT_KERNEL k LEFT JOIN WEFT_UNMATCHED u ON u.kernelId = k.id
GROUP BY k.name, k.kind, k.source
ORDER BY total DESC;

-- When processors and devices worked. A GPU works while it runs kernels, copies and fills; its tasks are those that hand it work.
-- Of a GPU that is not a processor of a runtime, as in a session of Nsight Systems alone, processorId is NULL and deviceId is set.
-- Processors of several sources that are one GPU stand under the first of them.
CREATE VIEW weft_busy AS
WITH first AS (SELECT gpuUuid, min(rowid) AS row FROM WEFT_PROCESSOR WHERE gpuUuid IS NOT NULL GROUP BY gpuUuid),
gpus AS (
    SELECT p.sourceId AS sourceId, p.id AS processorId, o.sourceId AS ofSource, o.id AS ofProcessor
    FROM WEFT_PROCESSOR p JOIN first f ON f.gpuUuid = p.gpuUuid JOIN WEFT_PROCESSOR o ON o.rowid = f.row
    WHERE p.rowid <> o.rowid),
busy AS (
    SELECT t.sourceId AS sourceId, t.processorId AS processorId, NULL AS deviceId, t.uid AS taskUid, NULL AS kernelId,
           iif(p.kind IS 'GPU', t.deviceStart, t.start) AS start, iif(p.kind IS 'GPU', t.deviceEnd, t.end) AS end
    FROM WEFT_TASK t LEFT JOIN WEFT_PROCESSOR p ON p.sourceId = t.sourceId AND p.id = t.processorId
    WHERE p.kind IS NOT 'GPU' OR t.deviceStart IS NOT NULL
    UNION ALL
    SELECT sourceId, processorId, iif(processorId IS NULL, deviceId, NULL), NULL, id, start, end
    FROM WEFT_KERNEL WHERE deviceId IS NOT NULL)
SELECT ifnull(g.ofSource, b.sourceId) AS sourceId, ifnull(g.ofProcessor, b.processorId) AS processorId,
       b.deviceId AS deviceId, b.taskUid AS taskUid, b.kernelId AS kernelId, b.start AS start, b.end AS end
FROM busy b LEFT JOIN gpus g ON g.sourceId = b.sourceId AND g.processorId = b.processorId;

-- Idle times of what worked at least once, from the first to the last work of anything of its source; position says whether such a
-- time lies before its first work, between two, or after its last. The program's own thread runs the program meanwhile, and has none.
CREATE VIEW weft_gaps AS
WITH ordered AS (
    SELECT b.sourceId AS sourceId, b.processorId AS processorId, b.deviceId AS deviceId, b.start AS start, b.end AS end,
           max(b.end) OVER (PARTITION BY b.sourceId, b.processorId, b.deviceId ORDER BY b.start, b.end
                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
    FROM weft_busy b LEFT JOIN WEFT_PROCESSOR p ON p.sourceId = b.sourceId AND p.id = b.processorId
    WHERE p.kind IS NOT 'Program'),
span AS (SELECT sourceId, min(start) AS earliest, max(end) AS latest FROM weft_busy GROUP BY sourceId),
gaps AS (
    SELECT o.sourceId AS sourceId, o.processorId AS processorId, ifnull(o.earlier, s.earliest) AS start, o.start AS end,
           o.deviceId AS deviceId, iif(o.earlier IS NULL, 'first', 'between') AS position
    FROM ordered o JOIN span s ON s.sourceId = o.sourceId
    UNION ALL
    SELECT o.sourceId, o.processorId, max(o.end), s.latest, o.deviceId, 'last'
    FROM ordered o JOIN span s ON s.sourceId = o.sourceId
    GROUP BY o.sourceId, o.processorId, o.deviceId)
SELECT sourceId, processorId, start, end, end - start AS duration, deviceId, position
FROM gaps WHERE end > start;

-- How much of the time from the first to the last work of its source each processor and device worked. busy and share are NULL for
-- a GPU of which no work was recorded here, as where Nsight Systems alone saw it.
CREATE VIEW weft_utilisation AS
WITH span AS (
    SELECT sourceId, max(end) - min(start) AS elapsed FROM weft_busy GROUP BY sourceId),
ordered AS (
    SELECT *, max(end) OVER (PARTITION BY sourceId, processorId, deviceId ORDER BY start, end
                             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
    FROM weft_busy),
busy AS (
    SELECT sourceId, processorId, deviceId, count(taskUid) AS tasks, count(kernelId) AS kernels,
           sum(max(0, end - max(start, ifnull(earlier, start)))) AS busy
    FROM ordered GROUP BY sourceId, processorId, deviceId),
workers AS (
    SELECT p.sourceId AS sourceId, p.id AS processorId, NULL AS deviceId, p.kind AS kind, p.name AS name,
           ifnull(b.tasks, 0) AS tasks, ifnull(b.kernels, 0) AS kernels,
           iif(p.kind = 'GPU', b.busy, ifnull(b.busy, 0)) AS busy
    FROM WEFT_PROCESSOR p LEFT JOIN busy b ON b.sourceId = p.sourceId AND b.processorId = p.id
    WHERE NOT EXISTS (SELECT 1 FROM WEFT_PROCESSOR o WHERE o.gpuUuid = p.gpuUuid AND o.rowid < p.rowid)
    UNION ALL
    SELECT sourceId, NULL, deviceId, 'GPU', 'GPU ' || deviceId, tasks, kernels, busy FROM busy WHERE processorId IS NULL)
SELECT w.sourceId AS sourceId, w.processorId AS processorId, w.kind AS kind, w.name AS name, w.tasks AS tasks,
       w.busy AS busy, s.elapsed AS elapsed, w.busy * 1.0 / nullif(s.elapsed, 0) AS share, w.deviceId AS deviceId,
       w.kernels AS kernels
FROM workers w JOIN span s ON s.sourceId = w.sourceId;

CREATE VIEW weft_critical_by_line AS
SELECT p.file AS file, p.line AS line, p.function AS function, c.kind AS kind, count(*) AS steps,
       sum(c.part) AS part, sum(c.part) * 1.0 / (SELECT nullif(sum(part), 0) FROM WEFT_CRITICAL_PATH) AS share
FROM WEFT_CRITICAL_PATH c LEFT JOIN WEFT_PROVENANCE p ON p.id = c.provenanceId
GROUP BY c.provenanceId, c.kind
ORDER BY part DESC;

CREATE VIEW weft_memory_over_time AS
WITH changes AS (
    SELECT sourceId, memoryId, created AS time, bytes FROM WEFT_INSTANCE
    UNION ALL
    SELECT sourceId, memoryId, destroyed, -bytes FROM WEFT_INSTANCE WHERE destroyed IS NOT NULL)
SELECT sourceId, memoryId, time, bytes AS change,
       sum(bytes) OVER (PARTITION BY sourceId, memoryId ORDER BY time, bytes
                        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS used
FROM changes;

CREATE VIEW weft_memory_fragmentation AS
SELECT u.sourceId AS sourceId, u.memoryId AS memoryId, m.kind AS kind, u.time AS time, m.capacity AS capacity,
       u.live AS live, m.capacity - u.live AS free, u.peak AS peak, u.largestFree AS largestFree, u.kept AS kept,
       iif(m.capacity > u.live, 1.0 - u.largestFree * 1.0 / (m.capacity - u.live), 0.0) AS fragmentation
FROM WEFT_MEMORY_USE u JOIN WEFT_MEMORY m ON m.sourceId = u.sourceId AND m.id = u.memoryId
ORDER BY u.sourceId, u.memoryId, u.time;
";

/// NVTX_EVENTS as a part of weft_by_range. A missing end is unknown.
const EVENTS: &str = "
    SELECT e.rowid AS id, coalesce(s.value, e.text, '') AS message, e.end - e.start AS duration
    FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId
    WHERE e.eventType IN (59, 60, 70, 71)
    UNION ALL";

/// Returns the view of ranges. `events` is `EVENTS`, or empty if the session has no NVTX_EVENTS.
fn by_range(events: &str) -> String {
    format!(
        "CREATE VIEW weft_by_range AS
WITH ranges AS ({events}
    SELECT id, message, end - start FROM WEFT_RANGE),
work AS (
    SELECT r.nvtxRowId AS id, count(*) AS kernels, sum(k.end - k.start) AS kernelTime
    FROM WEFT_KERNEL_RANGE r JOIN WEFT_KERNEL k ON k.id = r.kernelId GROUP BY 1),
outside AS (
    SELECT count(*) AS kernels, sum(end - start) AS kernelTime FROM WEFT_KERNEL
    WHERE id NOT IN (SELECT kernelId FROM WEFT_KERNEL_RANGE))
SELECT message, count(*) AS ranges, sum(duration) AS total, avg(duration) AS mean, min(duration) AS min,
       max(duration) AS max, ifnull(sum(kernels), 0) AS kernels, ifnull(sum(kernelTime), 0) AS kernelTime
FROM ranges LEFT JOIN work USING (id) GROUP BY message
UNION ALL
SELECT NULL, 0, 0, NULL, NULL, NULL, kernels, kernelTime FROM outside WHERE kernels > 0
ORDER BY kernelTime DESC, total DESC;"
    )
}

/// Creates the views.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(VIEWS)?;
    // Nsight Systems leaves out tables without rows.
    let has_events = connection
        .prepare(&format!("{EVENTS} SELECT 0, 0, 0"))
        .is_ok();
    let events = if has_events {
        EVENTS
    } else {
        "SELECT 0 AS id, '' AS message, 0 AS duration WHERE 0 UNION ALL"
    };
    connection.execute_batch(&by_range(events))
}
