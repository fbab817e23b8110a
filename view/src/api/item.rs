//! The details of a slice.

use super::bad_request;
use super::lookup::{is_name, reference};
use crate::database::{get, query_row, query_rows, text, uid};
use crate::http::{Request, Response};
use crate::state::{State, ViewError};
use crate::why::Recorded;
use rusqlite::Connection;
use serde_json::{Value, json};
use weft_timeline::{Item, SliceKind};

/// The maximum number of neighbours of each kind, kernels and operands.
const MOST: i64 = 200;

/// The maximum length of a field.
const LONGEST: usize = 4096;

/// Columns that are shown elsewhere.
const SHOWN: [&str; 12] = [
    "name",
    "uid",
    "start",
    "end",
    "created",
    "ready",
    "sourceId",
    "provenanceId",
    "opUid",
    "textId",
    "nameId",
    "color",
];

/// The rows that a slice belongs to.
#[derive(Clone, Copy, Debug, Default)]
struct Subject {
    source: Option<i64>,
    uid: Option<i64>,
    operation: Option<i64>,
    /// The task or copy whose wait is explained.
    waited: Option<(i64, i64)>,
}

/// Answers `/api/item`.
pub(crate) fn item(state: &State, request: &Request) -> Result<Response, ViewError> {
    let id = request
        .number("id")
        .ok_or_else(|| bad_request("missing or invalid parameter `id`"))?;
    Ok(Response::json(&value(state, id)?))
}

/// Returns the details of a slice.
pub(crate) fn value(state: &State, id: u32) -> Result<Value, ViewError> {
    state.with_database(|database| {
        let mut recorded = Recorded::new(state, database);
        details(state, database, &mut recorded, id)
    })
}

/// Returns the details of one of many slices, which share a transaction and a record of causes.
pub(crate) fn details(
    state: &State,
    database: &Connection,
    recorded: &mut Recorded<'_>,
    id: u32,
) -> Result<Value, ViewError> {
    let file = &state.trace.file;
    let slice = file.item(id)?;
    let slice = slice.ok_or_else(|| ViewError::Unknown(format!("there is no slice {id}")))?;
    let slice = &slice;
    let subject = subject(database, slice)?;
    let line = file
        .lines()
        .get(slice.line as usize)
        .filter(|line| slice.line > 0 && !is_name(&line.file, line.line));
    let texts = super::source::texts(state)?;
    let line = line.map(|line| {
        json!({
            "id": slice.line, "file": line.file, "line": line.line, "function": line.function.as_deref().unwrap_or(""),
            "text": texts.line(&line.file, line.line),
        })
    });
    let states = slice.states.map(|(created, ready)| {
        json!({
            "created": created, "ready": ready, "waiting": ready - created, "queued": slice.start - ready,
            "running": slice.end - slice.start,
        })
    });
    let kernels = kernels(state, database, &subject)?;
    let why = match subject.waited {
        Some((source, uid)) => recorded.why(source, uid)?,
        None => None,
    };
    let (before, after) = match subject.waited {
        Some((source, uid)) => neighbours(state, database, recorded, source, uid)?,
        None => (Vec::new(), Vec::new()),
    };
    let name = file.names().get(slice.name as usize);
    Ok(json!({
        "id": slice.item, "lane": slice.lane, "what": slice.what.name(), "name": name,
        "uid": subject.uid.map(uid), "start": slice.start, "end": slice.end, "states": states, "line": line,
        "flags": slice.flags.0,
        "operation": operation(database, &subject)?,
        "operands": operands(state, database, &subject)?,
        "bytes": bytes(database, slice, &subject)?,
        "launch": launch(database, slice, &subject)?,
        "kernels": kernels,
        "ranges": ranges(state, database, slice)?,
        "fields": fields(database, slice)?,
        "why": why.map(|why| why.json()),
        "before": before, "after": after,
    }))
}

fn subject(database: &Connection, slice: &Item) -> rusqlite::Result<Subject> {
    let row = [i64::from(slice.row)];
    let read = |sql: &str| {
        query_row(database, sql, row, |row| {
            Ok([0, 1, 2].map(|column| get::<i64>(row, column)))
        })
    };
    let found = match slice.what {
        SliceKind::Task | SliceKind::Device => {
            read("SELECT sourceId, uid, opUid FROM WEFT_TASK WHERE rowid = ?1")?
        }
        SliceKind::Copy => read("SELECT sourceId, uid, opUid FROM WEFT_COPY WHERE rowid = ?1")?,
        SliceKind::Partitioning => {
            read("SELECT sourceId, uid, opUid FROM WEFT_PARTITIONING WHERE rowid = ?1")?
        }
        SliceKind::Instance => {
            read("SELECT sourceId, uid, opUid FROM WEFT_INSTANCE WHERE rowid = ?1")?
        }
        SliceKind::Wait => read("SELECT sourceId, taskUid, opUid FROM WEFT_WAIT WHERE rowid = ?1")?,
        SliceKind::RuntimeCall => {
            read("SELECT sourceId, NULL, opUid FROM WEFT_RUNTIME_CALL WHERE id = ?1")?
        }
        SliceKind::Kernel => read(
            "SELECT sourceId, taskUid, NULL FROM WEFT_KERNEL_TASK WHERE kernelId = ?1 ORDER BY share DESC LIMIT 1",
        )?,
        SliceKind::Range | SliceKind::OtherRange | SliceKind::ApiCall | SliceKind::Overhead => None,
    };
    let [source, uid, mut operation] = found.unwrap_or_default();
    if slice.what == SliceKind::Kernel
        && let (Some(source), Some(uid)) = (source, uid)
    {
        let sql = "SELECT opUid FROM WEFT_TASK WHERE uid = ?1 AND sourceId = ?2 \
                   UNION ALL SELECT opUid FROM WEFT_COPY WHERE uid = ?1 AND sourceId = ?2";
        operation = query_row(database, sql, [uid, source], |row| Ok(get(row, 0)))?.flatten();
    }
    let waits = matches!(
        slice.what,
        SliceKind::Task | SliceKind::Copy | SliceKind::Kernel | SliceKind::Device
    );
    Ok(Subject {
        source,
        uid,
        operation,
        waited: source.zip(uid).filter(|_| waits),
    })
}

fn operation(database: &Connection, subject: &Subject) -> rusqlite::Result<Option<Value>> {
    let Some(operation) = subject.operation else {
        return Ok(None);
    };
    let sql = "SELECT o.name, o.shape, o.tasks, s.path FROM WEFT_OPERATION o \
               LEFT JOIN WEFT_SCOPE s ON s.id = o.scopeId WHERE o.uid = ?1 ORDER BY o.sourceId = ?2 DESC LIMIT 1";
    query_row(database, sql, (operation, subject.source), |row| {
        Ok(json!({
            "uid": uid(operation), "name": text(row, 0), "shape": text(row, 1), "tasks": get::<i64>(row, 2),
            "scope": text(row, 3),
        }))
    })
}

fn operands(
    state: &State,
    database: &Connection,
    subject: &Subject,
) -> rusqlite::Result<Vec<Value>> {
    let Some((operation, source)) = subject.operation.zip(subject.source) else {
        return Ok(Vec::new());
    };
    let operands = &state.columns.operands;
    let rows = operands.rows(database, source, operation, MOST as usize, true)?;
    let mut found = Vec::new();
    for row in rows {
        let sql = "SELECT a.storeUid, a.access, a.extents, s.dtype, a.position FROM WEFT_OPERAND a \
                   LEFT JOIN WEFT_STORE s ON s.uid = a.storeUid AND s.sourceId = a.sourceId WHERE a.rowid = ?1";
        let operand = query_row(database, sql, [row], |row| {
            let (shape, dtype) = (text(row, 2), text(row, 3));
            let operand = json!({
                "store": get::<i64>(row, 0).map(uid).unwrap_or_default(), "access": text(row, 1).unwrap_or_default(),
                "bytes": bytes_of(shape.as_deref(), dtype.as_deref()), "shape": shape, "dtype": dtype,
            });
            Ok((get::<i64>(row, 4), operand))
        })?;
        found.extend(operand);
    }
    found.sort_by_key(|(position, _)| *position);
    Ok(found.into_iter().map(|(_, operand)| operand).collect())
}

/// Returns the bytes of a view, if the name of its dtype implies a size.
fn bytes_of(shape: Option<&str>, dtype: Option<&str>) -> Option<u64> {
    let shape: Vec<u64> = serde_json::from_str(shape?).ok()?;
    let dtype = dtype?;
    let bits: u64 = match dtype {
        "bool" => 8,
        dtype => dtype
            .trim_start_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .ok()?,
    };
    let mut sizes = shape.iter();
    sizes.try_fold(bits / 8, |bytes, size| bytes.checked_mul(*size))
}

fn bytes(
    database: &Connection,
    slice: &Item,
    subject: &Subject,
) -> rusqlite::Result<Option<Value>> {
    let moved = match slice.what {
        SliceKind::Kernel => query_row(
            database,
            "SELECT bytesRead, bytesWritten, deviceId FROM WEFT_KERNEL WHERE id = ?1",
            [i64::from(slice.row)],
            |row| Ok([0, 1, 2].map(|column| get::<f64>(row, column))),
        )?,
        SliceKind::Copy => query_row(
            database,
            "SELECT bytes, bytes, NULL FROM WEFT_COPY WHERE rowid = ?1",
            [i64::from(slice.row)],
            |row| Ok([0, 1, 2].map(|column| get::<f64>(row, column))),
        )?,
        SliceKind::Task | SliceKind::Device => query_row(
            database,
            "SELECT sum(k.bytesRead * t.share), sum(k.bytesWritten * t.share), max(k.deviceId) FROM WEFT_KERNEL_TASK t \
             JOIN WEFT_KERNEL k ON k.id = t.kernelId WHERE t.taskUid = ?1 AND t.sourceId = ?2",
            (subject.uid, subject.source),
            |row| Ok([0, 1, 2].map(|column| get::<f64>(row, column))),
        )?,
        SliceKind::Instance => {
            let sql = "SELECT bytes FROM WEFT_INSTANCE WHERE rowid = ?1";
            return query_row(database, sql, [i64::from(slice.row)], |row| {
                Ok(
                    json!({ "allocated": get::<i64>(row, 0), "read": null, "written": null, "perSecond": null, "partOfMemory": null }),
                )
            });
        }
        _ => None,
    };
    let Some([read, written, device]) = moved else {
        return Ok(None);
    };
    if read.is_none() && written.is_none() {
        return Ok(None);
    }
    let both = read.unwrap_or(0.0) + written.unwrap_or(0.0);
    let seconds = (slice.end - slice.start) as f64 * 1e-9;
    let rate = (seconds > 0.0 && slice.what != SliceKind::Copy).then(|| both / seconds);
    let rate = rate.or((seconds > 0.0).then(|| read.unwrap_or(0.0) / seconds));
    let sql = "SELECT bytesPerSecond FROM WEFT_BANDWIDTH WHERE sourceId = ?1 AND deviceId IS ?2";
    let device = device.map(|device| device as i64);
    let speed = query_row(database, sql, (subject.source, device), |row| {
        Ok(get::<f64>(row, 0))
    })?
    .flatten();
    let part = rate
        .zip(speed.filter(|speed| *speed > 0.0))
        .map(|(rate, speed)| rate / speed);
    let part = part.filter(|_| slice.what != SliceKind::Copy);
    Ok(Some(json!({
        "read": read.map(f64::round), "written": written.map(f64::round), "perSecond": rate.map(f64::round), "partOfMemory": part,
    })))
}

fn launch(
    database: &Connection,
    slice: &Item,
    subject: &Subject,
) -> rusqlite::Result<Option<Value>> {
    let as_json = |row: &rusqlite::Row<'_>| {
        Ok(json!({
            "uid": get::<i64>(row, 0).map(uid), "share": get::<f64>(row, 1), "estimated": get::<i64>(row, 2) == Some(1),
            "method": text(row, 3),
        }))
    };
    match slice.what {
        SliceKind::Kernel => query_row(
            database,
            "SELECT launchUid, share, estimated, method FROM WEFT_KERNEL_TASK WHERE kernelId = ?1 ORDER BY share DESC LIMIT 1",
            [i64::from(slice.row)],
            as_json,
        ),
        SliceKind::Task | SliceKind::Copy => query_row(
            database,
            "SELECT launchUid, share, estimated, method FROM WEFT_KERNEL_TASK WHERE taskUid = ?1 AND sourceId = ?2 LIMIT 1",
            (subject.uid, subject.source),
            as_json,
        ),
        _ => Ok(None),
    }
}

fn kernels(
    state: &State,
    database: &Connection,
    subject: &Subject,
) -> Result<Vec<Value>, ViewError> {
    let file = &state.trace.file;
    let sql = "SELECT k.id, k.name, k.start, k.end FROM WEFT_KERNEL_TASK t JOIN WEFT_KERNEL k ON k.id = t.kernelId \
               WHERE t.taskUid = ?1 AND t.sourceId = ?2 ORDER BY k.start LIMIT ?3";
    let rows = query_rows(database, sql, (subject.uid, subject.source, MOST), |row| {
        let numbers = [0, 2, 3].map(|column| get::<i64>(row, column).unwrap_or(0));
        Ok((numbers, text(row, 1)))
    })?;
    let mut kernels = Vec::new();
    for ([id, start, end], name) in rows {
        let item = match u32::try_from(id) {
            Ok(row) => file.of_row(SliceKind::Kernel, row)?,
            Err(_) => None,
        };
        let at = |time: i64| time.saturating_sub(file.zero()).max(0);
        kernels.push(json!({ "id": item, "name": name, "start": at(start), "end": at(end) }));
    }
    Ok(kernels)
}

/// The NVTX ranges around the call that started a kernel, the innermost first.
fn ranges(state: &State, database: &Connection, slice: &Item) -> Result<Vec<Value>, ViewError> {
    if slice.what != SliceKind::Kernel {
        return Ok(Vec::new());
    }
    let file = &state.trace.file;
    let sql = "SELECT nvtxRowId FROM WEFT_KERNEL_RANGE WHERE kernelId = ?1";
    let row = query_row(database, sql, [i64::from(slice.row)], |row| {
        Ok(get::<u32>(row, 0))
    })?;
    let Some(row) = row.flatten() else {
        return Ok(Vec::new());
    };
    let item = match file.of_row(SliceKind::Range, row)? {
        Some(item) => Some(item),
        None => file.of_row(SliceKind::OtherRange, row)?,
    };
    let Some(innermost) = item.map(|item| file.item(item)).transpose()?.flatten() else {
        return Ok(Vec::new());
    };
    // Ranges of its thread that were open when it began; of those that enclose each other, the
    // innermost began last.
    let began = innermost.start;
    let around = file.between(innermost.lane, began, began.saturating_add(1), 0)?;
    let around = around.into_iter().filter(|range| {
        range.depth < innermost.depth && range.start <= began && range.end >= innermost.end
    });
    let mut around: Vec<Item> = around.collect();
    around.sort_by_key(|range| std::cmp::Reverse(range.depth));
    around.insert(0, innermost);
    around.truncate(MOST as usize);
    Ok(around.iter().map(|range| reference(state, range)).collect())
}

/// The columns of the row that are not shown elsewhere.
fn fields(database: &Connection, slice: &Item) -> rusqlite::Result<Vec<Value>> {
    let sql = format!("SELECT * FROM {} WHERE rowid = ?1", slice.what.table());
    let mut statement = database.prepare_cached(&sql)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([i64::from(slice.row)])?;
    let mut fields = Vec::new();
    if let Some(row) = rows.next()? {
        for (column, name) in names.iter().enumerate() {
            let Some(mut value) = text(row, column) else {
                continue;
            };
            if SHOWN.contains(&name.as_str()) {
                continue;
            }
            if value.len() > LONGEST {
                let end = (0..=LONGEST).rev().find(|end| value.is_char_boundary(*end));
                value.truncate(end.unwrap_or(0));
                value.push('…');
            }
            fields.push(json!([name, value]));
        }
    }
    Ok(fields)
}

/// Returns the predecessors and successors of a task or copy.
fn neighbours(
    state: &State,
    database: &Connection,
    recorded: &mut Recorded<'_>,
    source: i64,
    of: i64,
) -> Result<(Vec<Value>, Vec<Value>), ViewError> {
    let mut neighbour = |other: i64, kind: Option<&str>| -> Result<Option<Value>, ViewError> {
        let slice = recorded.slice(source, other)?;
        Ok(slice.map(|slice| {
            let mut value = reference(state, &slice);
            if let Some(map) = value.as_object_mut() {
                map.insert("store".to_owned(), Value::Null);
                map.insert("bytes".to_owned(), Value::Null);
                map.insert("kind".to_owned(), json!(kind));
            }
            value
        }))
    };
    let sql =
        "SELECT fromUid, kind FROM WEFT_DEPENDENCY WHERE toUid = ?1 AND sourceId = ?2 LIMIT ?3";
    let rows = query_rows(database, sql, (of, source, MOST), |row| {
        Ok((get::<i64>(row, 0), text(row, 1)))
    })?;
    let mut before = Vec::new();
    for (other, kind) in rows {
        if let Some(other) = other {
            before.extend(neighbour(other, kind.as_deref())?);
        }
    }
    // If the table has too many rows, successors are not searched: that would take longer than a
    // click may.
    let successors = &state.columns.successors;
    let rows = successors.rows(database, source, of, MOST as usize, false)?;
    let mut after = Vec::new();
    for row in rows {
        let sql = "SELECT toUid, kind FROM WEFT_DEPENDENCY WHERE rowid = ?1";
        let found = query_row(database, sql, [row], |row| {
            Ok((get::<i64>(row, 0), text(row, 1)))
        })?;
        if let Some((Some(other), kind)) = found {
            after.extend(neighbour(other, kind.as_deref())?);
        }
    }
    Ok((before, after))
}
