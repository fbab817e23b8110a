//! WEFT_PROVENANCE, WEFT_OPERATION, WEFT_OPERATION_CALL, WEFT_TILE, WEFT_OPERAND.

use super::provenance;
use rusqlite::Connection;
use weft_database::schema::{
    Bytes, Numbers, OperandRow, OperationCallRow, OperationRow, PrimaryKey, ProvenanceRow,
    ScopeRow, SignedNumbers, SourceTextRow, StackRow, TileRow, write_rows,
};
use weft_geometry::words::View;
use weft_model::text::scope_path;
use weft_model::{Progress, Trace};

pub(super) fn write(
    trace: &Trace,
    connection: &Connection,
    progress: &Progress,
) -> rusqlite::Result<()> {
    let text = |index| trace.strings.get(index);
    let rows = trace.program.provenances.iter().map(|(index, place)| {
        let function = text(place.function);
        ProvenanceRow {
            id: PrimaryKey(index.0.into()),
            file: text(place.file).into(),
            line: place.line,
            function: (!function.is_empty()).then(|| function.into()),
        }
    });
    write_rows(connection, rows)?;
    let some = |index: u32| Some(index).filter(|index| *index != 0);
    let scopes = trace.program.scopes.iter().map(|(index, scope)| ScopeRow {
        id: PrimaryKey(index.0.into()),
        parent: some(scope.parent.0),
        name: text(scope.name).into(),
        path: scope_path(trace, index).into(),
    });
    write_rows(connection, scopes)?;
    let stacks = trace.program.stacks.iter().map(|(index, stack)| StackRow {
        id: PrimaryKey(index.0.into()),
        parent: some(stack.parent.0),
        provenance: provenance(stack.place),
    });
    write_rows(connection, stacks)?;
    let texts = trace.program.source_texts.iter().map(|kept| SourceTextRow {
        source: kept.source,
        file: text(kept.file).into(),
        bytes: Bytes(kept.bytes),
        newer: kept.newer,
        text: kept.text.as_str().into(),
    });
    write_rows(connection, texts)?;
    let operations = progress.over("writing operations", trace.program.operations.iter());
    let rows = operations.map(|operation| OperationRow {
        source: operation.source,
        uid: operation.uid,
        parent: operation.parent,
        name: text(operation.name).into(),
        provenance: provenance(operation.provenance),
        created: operation.created,
        tasks: operation.tasks,
        shape: Numbers::from(&*operation.shape),
        scope: some(operation.scope.0),
        stack: some(operation.stack.0),
        call: some(operation.call),
    });
    write_rows(connection, rows)?;
    let calls = trace
        .program
        .operation_calls
        .iter()
        .map(|call| OperationCallRow {
            source: call.source,
            operation: call.operation,
            created: call.created,
        });
    write_rows(connection, calls)?;
    let tiles = progress.over("writing tiles", trace.program.tiles.iter());
    let rows = tiles.map(|tile| TileRow {
        source: tile.source,
        operation: tile.operation,
        point: tile.point,
        lo: tile.bounds.iter().map(|bound| bound.0).collect(),
        hi: tile.bounds.iter().map(|bound| bound.1).collect(),
    });
    write_rows(connection, rows)?;
    let operands = progress.over("writing operands", trace.program.operands.iter());
    let rows = operands.flat_map(|operands| {
        // Without the missing ones, an operation's other views would look complete.
        let views: Option<Vec<View>> = operands.views(&trace.program.images).collect();
        let views = (0..).zip(views.unwrap_or_default());
        views.map(|(position, view)| {
            let layout = view.layout;
            let extents = layout.shape.dims().iter();
            let steps = layout.strides().iter();
            OperandRow {
                source: operands.source,
                operation: operands.operation,
                position,
                store: view.store.cast_signed(),
                access: view.access.name().into(),
                follow: view.projection.to_string().into(),
                follow_value: 0,
                offset: layout.offset as i64,
                extents: extents
                    .map(|extent| *extent as u64)
                    .collect::<Numbers<'_>>(),
                steps: steps
                    .map(|step| *step as i64)
                    .collect::<SignedNumbers<'_>>(),
                cut: Some(operands.tiling.cast_signed()),
            }
        })
    });
    write_rows(connection, rows)
}
