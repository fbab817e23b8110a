"""An independent reader of Legion Prof files, for comparison: `python3 legion.py FILE` prints JSON.

It is written from the description of the format, in the simplest way: every field of every record is decoded by the
type in the preamble. It prints the count of each kind of record, and the sums that Weft shows.
"""

import collections
import json
import re
import struct
import sys

PLAIN = {
    "bool": "<B", "timestamp_t": "<Q", "long long": "<q", "unsigned": "<I", "unsigned long long": "<Q",
    "UniqueID": "<Q", "ProcID": "<Q", "MemID": "<Q", "InstID": "<Q", "MapperID": "<I", "TaskID": "<I",
    "VariantID": "<I", "ProcKind": "<i", "MemKind": "<i", "DepPartOpKind": "<i", "maxdim": "<i", "uuid_size": "<I",
    "MappingCallKind": "<I", "RuntimeCallKind": "<I", "mode": "<I",
}
CALLS = ["MapperCallInfo", "RuntimeCallInfo", "ApplicationCallInfo", "MetaInfo", "MessageInfo", "ProfTaskInfo"]
# Operations of dependent partitioning, by number.
PARTITIONING = [
    "union", "unions", "union reduction", "intersection", "intersections", "intersection reduction", "difference",
    "differences", "equal partition", "partition by field", "partition by image", "partition by image range",
    "partition by preimage", "partition by preimage range", "create association", "partition by weights",
]


def records(data):
    """Yields every record as (name, fields)."""
    end = data.index(b"\n\n")
    kinds = {}
    for line in data[:end].decode().split("\n")[2:]:
        name, fields = re.fullmatch(r"(\w+) \{(.*)\}", line).groups()
        (_, number), *fields = [field.split(":") for field in fields.split(", ")]
        kinds[int(number)] = name, [(field, kind) for field, kind, _ in fields]
    at, dims = end + 2, 0
    while at < len(data):
        name, layout = kinds[struct.unpack_from("<I", data, at)[0]]
        at += 4
        row = {}
        for field, kind in layout:
            if name == "PhysicalInstanceUsage" and field == "redop" and row["mode"] != 4:
                continue
            if kind == "string":
                stop = data.index(b"\0", at)
                row[field], at = data[at:stop].decode(), stop + 1
            elif kind in ("point", "array", "uuid"):
                size = {"point": 8 * dims, "array": 16 * dims, "uuid": row.get("uuid_size", 0)}[kind]
                row[field], at = data[at:at + size], at + size
            else:
                (row[field],) = struct.unpack_from(PLAIN[kind], data, at)
                at += struct.calcsize(PLAIN[kind])
        if name == "MaxDimDesc":
            dims = row["max_dim"]
        yield name, row


def line_of(text):
    """Returns a provenance in Weft's form, `file:line`."""
    try:
        human, machine = json.loads(text)
        return f"{machine['file']}:{machine['line']}" if "line" in machine else machine["file"]
    except (ValueError, TypeError, KeyError):
        return text


def main():
    with open(sys.argv[1], "rb") as file:
        rows = list(records(file.read()))
    of = collections.defaultdict(list)
    for name, row in rows:
        of[name].append(row)
    texts = {row["provenance"]: row["prov"] for row in of["Provenance"]}
    operations = {row["op_id"]: row for row in of["OperationInstance"]}
    task_names = {}
    for row in of["TaskKind"]:
        if row["overwrite"] or row["task_id"] not in task_names:
            task_names[row["task_id"]] = row["name"]
    owners = {row["op_id"]: row["parent_id"] for row in of["SliceOwner"]}
    tasks = collections.Counter()
    lines = collections.Counter()
    launched = set()
    done = of["TaskInfo"] + of["GPUTaskInfo"] + of["ImplicitTaskInfo"]
    for row in done:
        time = row["stop"] - row["start"]
        tasks[task_names[row["task_id"]]] += time
        provenance = operations.get(row["op_id"], {}).get("provenance", 0)
        lines[line_of(texts[provenance]) if provenance in texts else "(no line)"] += time
        operation = row["op_id"]
        while operation in owners:
            operation = owners[operation]
        launched.add(operation)
    for row in of["CopyInfo"] + of["FillInfo"]:
        operation = row["op_id"]
        while operation in owners:
            operation = owners[operation]
        provenance = operations.get(operation, {}).get("provenance", 0)
        lines[line_of(texts[provenance]) if provenance in texts else "(no line)"] += row["stop"] - row["start"]
    partitioned = collections.Counter()
    for row in of["PartitionInfo"]:
        operation = row["op_id"]
        while operation in owners:
            operation = owners[operation]
        provenance = operations.get(operation, {}).get("provenance", 0)
        line = line_of(texts[provenance]) if provenance in texts else "(no line)"
        partitioned[f"{PARTITIONING[row['part_op']]} of {line}"] += row["stop"] - row["start"]
    calls = [row for kind in CALLS for row in of[kind]]
    print(json.dumps({
        "records": collections.Counter(name for name, _ in rows),
        "tasks": len(done),
        "operations_with_tasks": len(launched),
        "time_by_task": tasks,
        "time_by_line": lines,
        "time_by_partitioning": partitioned,
        "copy_bytes": sum(row["size"] for row in of["CopyInfo"]),
        "fill_bytes": sum(row["size"] for row in of["FillInfo"]),
        "instance_bytes": sum(row["size"] for row in of["InstTimelineInfo"]),
        "call_time": sum(row["stop"] - row["start"] for row in calls),
        "wait_time": sum(row["wait_end"] - row["wait_start"] for row in of["TaskWaitInfo"]),
    }, indent=1))


main()
