//! WEFT_PROVENANCE, WEFT_OPERATION, WEFT_OPERATION_CALL, WEFT_TILE, WEFT_OPERAND, WEFT_STORE.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use weft_database::Database;
use weft_database::schema::{
    OperandRow, OperationCallRow, OperationRow, ProvenanceRow, ScopeRow, SourceTextRow, StackRow,
    StoreRow, TileRow,
};
use weft_geometry::words::View;
use weft_geometry::{Access, Image, Layout, MAX_DIMS, Projection, Shape};
use weft_model as recording;
use weft_model::{
    ExportError, Operands, Operation, OperationCall, ProvenanceIndex, Recording, SourceIndex,
    SourceText, Store, Tile,
};

/// Source positions by their id in the database.
type Places = FxHashMap<i64, ProvenanceIndex>;

/// Returns the value with this id in the database, or the unknown one.
fn look_up<I: Copy + Default>(rows: &FxHashMap<i64, I>, id: Option<u32>) -> I {
    let row = id.and_then(|id| rows.get(&i64::from(id)));
    row.copied().unwrap_or_default()
}

pub(super) fn read(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    let mut places = Places::default();
    ProvenanceRow::read(database, |row| {
        let place = recording::ProvenanceRow {
            file: recording.strings.intern(&row.file),
            line: row.line,
            function: recording
                .strings
                .intern(row.function.as_deref().unwrap_or_default()),
        };
        places.insert(row.id.0, recording.program.provenances.intern(place));
        true
    })?;
    let place = |id: Option<u32>| look_up(&places, id);
    let (mut scopes, mut stacks) = (FxHashMap::default(), FxHashMap::default());
    ScopeRow::read(database, |row| {
        let scope = recording::ScopeRow {
            parent: look_up(&scopes, row.parent),
            name: recording.strings.intern(&row.name),
        };
        scopes.insert(row.id.0, recording.program.scopes.intern(scope));
        true
    })?;
    StackRow::read(database, |row| {
        let stack = recording::StackRow {
            parent: look_up(&stacks, row.parent),
            place: look_up(&places, row.provenance),
        };
        stacks.insert(row.id.0, recording.program.stacks.intern(stack));
        true
    })?;
    SourceTextRow::read(database, |row| {
        recording.program.source_texts.push(SourceText {
            source: row.source,
            file: recording.strings.intern(&row.file),
            text: row.text.into_owned(),
            bytes: row.bytes.0,
            newer: row.newer,
        });
        true
    })?;
    OperationRow::read(database, |row| {
        recording.program.operations.push(Operation {
            source: row.source,
            run: recording.run_of(row.source),
            uid: row.uid,
            parent: row.parent,
            name: recording.strings.intern(&row.name),
            provenance: place(row.provenance),
            created: row.created,
            tasks: row.tasks,
            scope: look_up(&scopes, row.scope),
            stack: look_up(&stacks, row.stack),
            call: row.call.unwrap_or(0),
            shape: row.shape.0.into(),
        });
        true
    })?;
    OperationCallRow::read(database, |row| {
        recording.program.operation_calls.push(OperationCall {
            source: row.source,
            operation: row.operation,
            created: row.created,
        });
        true
    })?;
    TileRow::read(database, |row| {
        let (lo, hi) = (row.lo.0, row.hi.0);
        recording.program.tiles.push(Tile {
            source: row.source,
            operation: row.operation,
            point: row.point,
            bounds: lo.iter().copied().zip(hi.iter().copied()).collect(),
        });
        true
    })?;
    operands(recording, database)?;
    StoreRow::read(database, |row| {
        recording.program.stores.push(Store {
            source: row.source,
            uid: row.uid,
            dtype: recording.strings.intern(&row.dtype),
            provenance: place(row.provenance),
            shape: row.shape.0.into(),
        });
        true
    })
}

/// Reads the views of each operation. Consecutive rows of a database hold one view each.
fn operands(recording: &mut Recording, database: &Database) -> Result<(), ExportError> {
    // Each row of a database that refers to an image holds the whole image.
    let mut numbers: FxHashMap<(SourceIndex, Arc<Image>), u64> = FxHashMap::default();
    OperandRow::read(database, |row| {
        let Some(view) = view(&row) else {
            return false;
        };
        let mut words = Vec::new();
        let number = |image: &Arc<Image>| {
            let next = numbers.len() as u64 + 1;
            let number = *numbers.entry((row.source, image.clone())).or_insert(next);
            if number == next {
                recording
                    .program
                    .images
                    .insert(row.source, number, image.clone());
            }
            number
        };
        view.put(number, |word| words.push(word));
        let last = recording.program.operands.last_mut();
        let same = last.filter(|last| {
            (last.source, last.operation) == (row.source, row.operation) && row.position > 0
        });
        match same {
            Some(same) => same.views = [&*same.views, &*words].concat().into(),
            None => recording.program.operands.push(Operands {
                source: row.source,
                operation: row.operation,
                tiling: row.cut.unwrap_or(0).cast_unsigned(),
                views: words.into(),
            }),
        }
        true
    })
}

fn view(row: &OperandRow<'_>) -> Option<View> {
    let extents = row.extents.0.iter().map(|extent| *extent as usize);
    let shape = Shape::new(&extents.collect::<Vec<_>>())?;
    let mut strides = [0; MAX_DIMS];
    for (stride, step) in strides.iter_mut().zip(row.steps.0.iter()) {
        *stride = *step as isize;
    }
    Some(View {
        store: row.store.cast_unsigned(),
        layout: Layout {
            shape,
            strides,
            offset: row.offset as usize,
        },
        access: Access::from_name(&row.access)?,
        projection: Projection::from_name(&row.follow, row.follow_value)?,
    })
}
