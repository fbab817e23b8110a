//! Tables of what the program asked for.

use crate::schema::{Bytes, Key, Numbers, SignedNumbers, table};
use std::borrow::Cow;
use weft_model::SourceIndex;
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

table! {
    /// Source positions of the user's calls.
    WEFT_PROVENANCE => ProvenanceRow<'a> {
        /// The number by which `provenanceId` names it.
        id: Key as id,
        file: Cow<'a, str> as file,
        line: u32 as line,
        function: Option<Cow<'a, str>> as function,
    }
}

table! {
    /// Parts of the program that it named itself, with `annotate`.
    WEFT_SCOPE => ScopeRow<'a> {
        /// The number by which `scopeId` names it.
        id: Key as id,
        /// The scope around it.
        parent: Option<u32> as parentId,
        name: Cow<'a, str> as name,
        /// The names of the scopes around it and its own, separated by slashes.
        path: Cow<'a, str> as path,
    }
}

table! {
    /// With --provenance-depth: the calls that led to those of the user, a row for each call of a stack.
    WEFT_STACK => StackRow {
        /// The number by which `stackId` names the stack that ends in this call.
        id: Key as id,
        /// The stack without this call.
        parent: Option<u32> as parentId,
        /// Where the call stands.
        provenance: Option<u32> as provenanceId,
    }
}

table! {
    /// The text of the source files that WEFT_PROVENANCE names, where the profile has it.
    WEFT_SOURCE_TEXT => SourceTextRow<'a> {
        source: SourceIndex as sourceId,
        file: Cow<'a, str> as file,
        /// Length of the whole text; `text` is shorter where it was cut.
        bytes: Bytes as bytes,
        /// 1 where the file was changed after the program was built or had begun, so that lines may be others.
        newer: bool as newer,
        text: Cow<'a, str> as text,
    }
}

table! {
    /// What the program asked for; one row a run, under the first source that recorded it.
    WEFT_OPERATION => OperationRow<'a> {
        source: SourceIndex as sourceId,
        uid: Uid as uid,
        /// The operation that it is part of.
        parent: Option<Uid> as parentUid,
        name: Cow<'a, str> as name,
        provenance: Option<u32> as provenanceId,
        /// When the program called.
        created: Timestamp as created,
        /// Number of tasks that it was cut into.
        tasks: u32 as tasks,
        /// The shape that its tasks cover together, in elements.
        shape: Numbers<'a> as shape,
        /// The innermost scope that the call stands in.
        scope: Option<u32> as scopeId,
        /// The calls that led to the user's call.
        stack: Option<u32> as stackId,
        /// Distinguishes the calls of a line: in Rust the column, in Python a number of the call and those that led to it.
        call: Option<u32> as callNumber,
    }
}

table! {
    /// Calls of an operation by the ranks whose row is not in WEFT_OPERATION.
    WEFT_OPERATION_CALL => OperationCallRow {
        source: SourceIndex as sourceId,
        operation: Uid as opUid,
        /// When the program of that rank called.
        created: Timestamp as created,
    }
}

table! {
    /// What each task of an operation covers.
    WEFT_TILE => TileRow<'a> {
        source: SourceIndex as sourceId,
        operation: Uid as opUid,
        /// Which of the operation's tasks.
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
        /// Which of its operands, from 0.
        position: u32 as position,
        store: i64 as storeUid,
        /// read, write or read_write.
        access: Cow<'a, str> as access,
        /// Which part of the view a tile works on: same, whole, or each axis in brackets.
        follow: Cow<'a, str> as follow,
        /// The axis or length that belongs to `follow` in databases of earlier versions; else 0.
        follow_value: u32 as followValue,
        /// The first element of the view in its store.
        offset: i64 as offset,
        /// Elements along each axis.
        extents: Numbers<'a> as extents,
        /// Elements between neighbours along each axis.
        steps: SignedNumbers<'a> as steps,
        /// How the operation is cut, as the profile encodes it.
        cut: Option<i64> as cut,
    }
}
