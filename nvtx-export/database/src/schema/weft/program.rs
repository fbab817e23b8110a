//! Tables of the program: its operations and source lines.

use crate::schema::{Bytes, Numbers, PrimaryKey, SignedNumbers, table};
use std::borrow::Cow;
use weft_model::SourceIndex;
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

table! {
    /// Source positions of the user's calls.
    WEFT_PROVENANCE => ProvenanceRow<'a> {
        /// The number by which `provenanceId` refers to it.
        id: PrimaryKey as id,
        file: Cow<'a, str> as file,
        line: u32 as line,
        function: Option<Cow<'a, str>> as function,
    }
}

table! {
    /// Parts of the program that it named with `annotate`.
    WEFT_SCOPE => ScopeRow<'a> {
        /// The number by which `scopeId` refers to it.
        id: PrimaryKey as id,
        /// The scope around it.
        parent: Option<u32> as parentId,
        name: Cow<'a, str> as name,
        /// The names of the scopes around it and its own, separated by slashes.
        path: Cow<'a, str> as path,
    }
}

table! {
    /// With --provenance-depth: the calls that led to the user's calls, one row for each call of a
    /// stack.
    WEFT_STACK => StackRow {
        /// The number by which `stackId` refers to the stack that ends in this call.
        id: PrimaryKey as id,
        /// The stack without this call.
        parent: Option<u32> as parentId,
        /// The source position of the call.
        provenance: Option<u32> as provenanceId,
    }
}

table! {
    /// The text of the source files in WEFT_PROVENANCE, if the profile has it.
    WEFT_SOURCE_TEXT => SourceTextRow<'a> {
        source: SourceIndex as sourceId,
        file: Cow<'a, str> as file,
        /// The length of the whole text. `text` is shorter if it was cut.
        bytes: Bytes as bytes,
        /// 1: the file changed after the program was built or had begun. Its lines may then differ.
        newer: bool as newer,
        text: Cow<'a, str> as text,
    }
}

table! {
    /// The operations of the program, one row per run, under the first source that recorded it.
    WEFT_OPERATION => OperationRow<'a> {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        /// The operation that it is part of.
        parent: Option<Uid> as parentUid,
        name: Cow<'a, str> as name,
        provenance: Option<u32> as provenanceId,
        /// The time of the program's call.
        created: Timestamp as created,
        /// The number of its tasks.
        tasks: u32 as tasks,
        /// The shape that its tasks cover together, in elements.
        shape: Numbers<'a> as shape,
        /// The innermost scope around the call.
        scope: Option<u32> as scopeId,
        /// The calls that led to the user's call.
        stack: Option<u32> as stackId,
        /// Distinguishes the calls of a line: in Rust by the column, in Python by a number of the
        /// call and those that led to it.
        call: Option<u32> as callNumber,
    }
}

table! {
    /// Calls of an operation by ranks whose row is not in WEFT_OPERATION.
    WEFT_OPERATION_CALL => OperationCallRow {
        source: SourceIndex as sourceId,
        operation: Uid as opUid,
        /// The time of the call by the program of that rank.
        created: Timestamp as created,
    }
}

table! {
    /// The part of an operation's shape that each of its tasks covers.
    WEFT_TILE => TileRow<'a> {
        source: SourceIndex as sourceId,
        operation: Uid as opUid,
        /// The index of the task in its operation.
        point: u32 as point,
        /// The first index in each dimension.
        lo: Numbers<'a> as lo,
        /// One past the last index in each dimension.
        hi: Numbers<'a> as hi,
    }
}

table! {
    /// With --profile-operands: the views of stores that each operation works on.
    WEFT_OPERAND => OperandRow<'a> {
        source: SourceIndex as sourceId,
        operation: Uid as opUid,
        /// The index of the operand, from 0.
        position: u32 as position,
        store: i64 as storeUid,
        /// read, write or read_write.
        access: Cow<'a, str> as access,
        /// The part of the view that a tile works on: same, whole, or each axis in brackets.
        follow: Cow<'a, str> as follow,
        /// In databases of earlier versions, the axis or length that belongs to `follow`. Otherwise
        /// 0.
        follow_value: u32 as followValue,
        /// The first element of the view in its store.
        offset: i64 as offset,
        /// Elements along each axis.
        extents: Numbers<'a> as extents,
        /// Elements between neighbours along each axis.
        steps: SignedNumbers<'a> as steps,
        /// The division of the operation into tiles, as encoded in the profile.
        cut: Option<i64> as cut,
    }
}
