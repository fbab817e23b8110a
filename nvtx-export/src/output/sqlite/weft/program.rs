//! WEFT_PROVENANCE, WEFT_OPERATION, WEFT_TILE, WEFT_OPERAND.

use super::{integer, list, provenance};
use crate::joined::Joined;
use crate::progress::Progress;
use rusqlite::{Connection, params};

pub(super) fn write(
    joined: &Joined,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<()> {
    let text = |index| joined.strings.get(index);
    let mut insert = connection.prepare("INSERT INTO WEFT_PROVENANCE VALUES (?, ?, ?, ?)")?;
    for (index, place) in joined.provenances.iter() {
        let function = text(place.function);
        insert.execute(params![
            index.0,
            text(place.file),
            place.line,
            (!function.is_empty()).then_some(function),
        ])?;
    }
    let mut insert =
        connection.prepare("INSERT INTO WEFT_OPERATION VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?;
    for operation in progress.over("writing operations", joined.operations.iter()) {
        insert.execute(params![
            operation.source.id(),
            integer(operation.uid.raw()),
            operation.parent.map(|uid| integer(uid.raw())),
            text(operation.name),
            provenance(operation.provenance),
            operation.created.nanos(),
            operation.tasks,
            list(operation.shape.iter().copied()),
        ])?;
    }
    let mut insert = connection.prepare("INSERT INTO WEFT_TILE VALUES (?, ?, ?, ?, ?)")?;
    for tile in progress.over("writing tiles", joined.tiles.iter()) {
        insert.execute(params![
            tile.source.id(),
            integer(tile.operation.raw()),
            tile.point,
            list(tile.bounds.iter().map(|bound| bound.0)),
            list(tile.bounds.iter().map(|bound| bound.1)),
        ])?;
    }
    let mut insert =
        connection.prepare("INSERT INTO WEFT_OPERAND VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for operands in progress.over("writing operands", joined.operands.iter()) {
        for (position, view) in operands.views().flatten().enumerate() {
            let (follow, value) = view.follow.name();
            let extents = view.layout.shape.dims().iter();
            insert.execute(params![
                operands.source.id(),
                integer(operands.operation.raw()),
                position as i64,
                integer(view.store),
                view.access.name(),
                follow,
                value,
                integer(view.layout.offset as u64),
                list(extents.map(|extent| *extent as u64)),
                format!("{:?}", view.layout.strides()),
            ])?;
        }
    }
    Ok(())
}
