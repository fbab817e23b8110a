//! WEFT_PROVENANCE, WEFT_OPERATION, WEFT_TILE, WEFT_STORE.

use super::{integer, list, small, source, text, time, uid};
use crate::error::ExportError;
use crate::input::nsys::Database;
use crate::joined::{Joined, Operation, ProvenanceIndex, ProvenanceRow, Store, Tile};
use rustc_hash::FxHashMap;

/// Source positions by their id in the database.
type Places = FxHashMap<i64, ProvenanceIndex>;

pub(super) fn read(joined: &mut Joined, database: &Database) -> Result<(), ExportError> {
    let mut places = Places::default();
    let columns = ["id", "file", "line", "function"];
    database.each_row("WEFT_PROVENANCE", &columns, |row| {
        let (Some(id), Some(file)) = (integer(row, 0), text(row, 1)) else {
            return false;
        };
        let place = ProvenanceRow {
            file: joined.strings.intern(file),
            line: small(row, 2).unwrap_or(0),
            function: joined.strings.intern(text(row, 3).unwrap_or_default()),
        };
        places.insert(id, joined.provenances.intern(place));
        true
    })?;
    let place = |id: Option<i64>| {
        let place = id.and_then(|id| places.get(&id));
        place.copied().unwrap_or_default()
    };
    let columns = [
        "sourceId",
        "uid",
        "parentUid",
        "name",
        "provenanceId",
        "created",
        "tasks",
        "shape",
    ];
    database.each_row("WEFT_OPERATION", &columns, |row| {
        let (Some(source), Some(key), Some(created)) = (source(row, 0), uid(row, 1), time(row, 5))
        else {
            return false;
        };
        joined.operations.push(Operation {
            source,
            run: joined.run_of(source),
            uid: key,
            parent: uid(row, 2),
            name: joined.strings.intern(text(row, 3).unwrap_or_default()),
            provenance: place(integer(row, 4)),
            created,
            tasks: small(row, 6).unwrap_or(0),
            shape: list(row, 7).unwrap_or_default(),
        });
        true
    })?;
    database.each_row(
        "WEFT_TILE",
        &["sourceId", "opUid", "point", "lo", "hi"],
        |row| {
            let (Some(source), Some(operation), Some(point), Some(lo), Some(hi)) = (
                source(row, 0),
                uid(row, 1),
                small(row, 2),
                list(row, 3),
                list(row, 4),
            ) else {
                return false;
            };
            let bounds = lo.iter().copied().zip(hi.iter().copied()).collect();
            joined.tiles.push(Tile {
                source,
                operation,
                point,
                bounds,
            });
            true
        },
    )?;
    let columns = ["sourceId", "uid", "shape", "dtype", "provenanceId"];
    database.each_row("WEFT_STORE", &columns, |row| {
        let (Some(source), Some(uid)) = (source(row, 0), uid(row, 1)) else {
            return false;
        };
        joined.stores.push(Store {
            source,
            uid,
            dtype: joined.strings.intern(text(row, 3).unwrap_or_default()),
            provenance: place(integer(row, 4)),
            shape: list(row, 2).unwrap_or_default(),
        });
        true
    })
}
