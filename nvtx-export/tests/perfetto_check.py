"""Decodes a Perfetto trace with Perfetto's own definitions, and checks that it has every row of the joined database.

    python perfetto_check.py TRACE DATABASE [--dependencies] [--trace-processor SHELL]

Prints the numbers of slices, flows and samples. If anything differs, prints the differences and exits with status 1.
"""

import argparse
import json
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
MONOTONIC = 3

failures = []


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: found {found!r}, wanted {wanted!r}")


def same(what, found, wanted):
    """Checks that two collections hold the same items, in any order."""
    found, wanted = Counter(found), Counter(wanted)
    for item in list((found - wanted).keys())[:3]:
        failures.append(f"{what}: not in the database: {item}")
    for item in list((wanted - found).keys())[:3]:
        failures.append(f"{what}: not in the trace: {item}")
    print(f"{what}: {sum(wanted.values())}", file=sys.stderr)


class Trace:
    def __init__(self, path):
        with open(path, "rb") as file:
            packets = proto.Trace.FromString(file.read()).packet
        self.names, self.categories, self.arguments, self.texts = {}, {}, {}, {}
        self.tracks, self.slices, self.samples = {}, [], []
        self.flows = defaultdict(list)
        self.open = defaultdict(list)
        self.last = {}
        first = packets[0]
        expect("flags of the first packet", first.sequence_flags, 1)
        expect("clock", first.trace_packet_defaults.timestamp_clock_id, MONOTONIC)
        expect("primary clock", first.clock_snapshot.primary_trace_clock, MONOTONIC)
        for packet in packets:
            self.packet(packet)
        for track, open_slices in self.open.items():
            expect(f"slices left open on {self.tracks[track].name}", len(open_slices), 0)

    def packet(self, packet):
        expect("sequence", packet.trusted_packet_sequence_id, 1)
        interned = packet.interned_data
        for known, fresh in [
            (self.names, interned.event_names),
            (self.categories, interned.event_categories),
            (self.arguments, interned.debug_annotation_names),
        ]:
            known.update((item.iid, item.name) for item in fresh)
        self.texts.update((item.iid, item.str.decode()) for item in interned.debug_annotation_string_values)
        data = packet.WhichOneof("data")
        if data == "track_descriptor":
            descriptor = packet.track_descriptor
            if descriptor.uuid in self.tracks:
                failures.append(f"track {descriptor.uuid} is described twice")
            if descriptor.parent_uuid and descriptor.parent_uuid not in self.tracks:
                failures.append(f"track {descriptor.uuid} has no parent")
            self.tracks[descriptor.uuid] = descriptor
        elif data == "track_event":
            self.event(packet.timestamp, packet.track_event)

    def event(self, time, event):
        track = event.track_uuid
        descriptor = self.tracks.get(track)
        if descriptor is None:
            failures.append(f"an event on track {track}, which is not described")
            return
        if self.last.get(track, 0) > time:
            failures.append(f"track {descriptor.name}: {time} after {self.last[track]}")
        self.last[track] = time
        if event.type == COUNTER:
            value = event.WhichOneof("counter_value_field")
            process = self.tracks[descriptor.parent_uuid].process.process_name
            self.samples.append((process, descriptor.name, time, getattr(event, value)))
        elif event.type == END:
            if not self.open[track]:
                failures.append(f"track {descriptor.name}: an end at {time} of nothing")
                return
            slice = self.open[track].pop()
            slice["duration"] = time - slice["time"]
        elif event.type in (BEGIN, INSTANT):
            slice = {
                "name": self.names[event.name_iid],
                "category": self.categories[event.category_iids[0]],
                "track": track,
                "time": time,
                "duration": 0,
                "depth": len(self.open[track]),
                "args": {self.argument(item): self.value(item) for item in event.debug_annotations},
            }
            self.slices.append(slice)
            for flow in event.flow_ids:
                self.flows[flow].append((slice, False))
            for flow in event.terminating_flow_ids:
                self.flows[flow].append((slice, True))
            if event.type == BEGIN:
                self.open[track].append(slice)
        else:
            failures.append(f"an event of type {event.type}")

    def argument(self, item):
        return self.arguments[item.name_iid] if item.name_iid else item.name

    def value(self, item):
        if item.array_values:
            return tuple(
                tuple(self.value(entry) for entry in element.dict_entries) for element in item.array_values
            )
        kind = item.WhichOneof("value")
        return self.texts[item.string_value_iid] if kind == "string_value_iid" else getattr(item, kind)

    def of(self, *categories):
        return [slice for slice in self.slices if slice["category"] in categories]


def times(start, end, shift):
    return start + shift, max(end, start) - start


def rows(database, sql):
    return database.execute(sql).fetchall()


def named(name):
    return name or "(unknown)"


def compare(trace, database, dependencies):
    facts = trace.of("facts")
    expect("instants with facts", len(facts), 1)
    shift = int(facts[0]["args"]["shift_ns"])
    expect("the least time is not negative", all(slice["time"] >= 0 for slice in trace.slices), True)
    for key, value in rows(database, "SELECT key, value FROM WEFT_META WHERE key NOT IN ('weft_schema', 'nvtx_events')"):
        expect(f"fact {key}", facts[0]["args"].get(key), value)

    def found(categories, *args):
        return [
            (slice["name"], slice["time"], slice["duration"], *(slice["args"].get(name) for name in args))
            for slice in trace.of(*categories)
        ]

    places = {id: f"{file}:{line}" for id, file, line in rows(database, "SELECT id, file, line FROM WEFT_PROVENANCE")}
    place = places.get
    operations = {
        (run, uid): (name, place(line))
        for run, uid, name, line in rows(
            database,
            "SELECT ifnull(s.run, s.id), uid, name, provenanceId FROM WEFT_OPERATION o JOIN WEFT_SOURCE s ON s.id = o.sourceId",
        )
    }
    runs = dict(rows(database, "SELECT id, ifnull(run, id) FROM WEFT_SOURCE"))
    kinds = {
        (source, id): kind for source, id, kind in rows(database, "SELECT sourceId, id, kind FROM WEFT_PROCESSOR")
    }

    def operation(source, uid):
        return operations.get((runs.get(source), uid), ("", None))

    tasks = rows(
        database,
        "SELECT sourceId, uid, opUid, point, name, variant, created, ready, start, end, provenanceId, deviceStart, deviceEnd "
        "FROM WEFT_TASK",
    )
    same(
        "tasks",
        found(["task"], "uid", "operation", "point", "variant", "line", "created", "ready"),
        [
            (named(t[4]), *times(t[8], t[9], shift), t[1], t[2], t[3], t[5], place(t[10]), t[6] + shift, t[7] + shift)
            for t in tasks
        ],
    )
    same(
        "device times",
        found(["device"], "uid"),
        [(named(t[4]), *times(t[11], t[12], shift), t[1]) for t in tasks if t[11] is not None],
    )

    served = defaultdict(list)
    for source, launch, task, share in rows(
        database, "SELECT sourceId, launchUid, taskUid, share FROM WEFT_LAUNCH_TASK ORDER BY rowid"
    ):
        served[source, launch].append((task, share))
    copies = rows(
        database,
        "SELECT sourceId, uid, opUid, srcMemoryId, bytes, created, ready, start, end FROM WEFT_COPY",
    )
    owners = {(t[0], t[1]): (t[2], named(t[4]), place(t[10])) for t in tasks}
    for c in copies:
        name, line = operation(c[0], c[2])
        owners[c[0], c[1]] = (c[2], named(name), line)

    links = {}
    for kernel, source, launch, task, method, share in rows(
        database,
        "SELECT kernelId, sourceId, launchUid, taskUid, method, share FROM WEFT_KERNEL_TASK ORDER BY rowid",
    ):
        links.setdefault(kernel, (method, source, launch, []))[3].append((task, share))
    reasons = dict(rows(database, "SELECT kernelId, reason FROM WEFT_UNMATCHED"))
    launches = {
        (source, uid): processor
        for source, uid, processor in rows(database, "SELECT sourceId, uid, processorId FROM WEFT_LAUNCH")
    }
    wanted = []
    for id, source, seen, kind, name, correlation, graph, node, start, end, read, written in rows(
        database,
        "SELECT id, sourceId, source, kind, name, correlationId, graphId, graphNodeId, start, end, bytesRead, bytesWritten FROM WEFT_KERNEL",
    ):
        method, of, launch, tasks_of = links.get(id, (None, None, None, None))
        first = owners.get((of, tasks_of[0][0])) if tasks_of else None
        if first and (runs.get(of), first[0]) not in operations:
            first = None
        op, task, line = first or (None, None, None)
        variant = kinds.get((of, launches.get((of, launch))))
        wanted.append(
            (named(name), *times(start, end, shift), id, seen, kind, method, reasons.get(id), launch,
             tuple(tasks_of) if tasks_of else None, op, task, line, variant, read, written, correlation, graph, node)
        )  # fmt: skip
    kernels = trace.of("kernel", "memcpy", "memset")
    names = ["method", "reason", "launch", "tasks", "operation", "task", "line", "variant", "bytes_read", "bytes_written", "correlation",
             "graph", "graph_node"]  # fmt: skip
    same(
        "kernels",
        [
            (k["name"], k["time"], k["duration"], k["args"]["kernel"], k["args"]["seen_by"], k["category"],
             *(k["args"].get(name) for name in names))
            for k in kernels
        ],  # fmt: skip
        wanted,
    )

    drawn = []
    at = {(t[0], t[1]): (t[8], t[9]) for t in tasks}
    for source, uid, processor, start, end in rows(
        database, "SELECT sourceId, uid, processorId, start, end FROM WEFT_LAUNCH"
    ):
        serves = served[source, uid]
        first = next((at[source, task] for task, _ in serves if (source, task) in at), None)
        if len(serves) != 1 or first != (start, end):
            drawn.append((*times(start, end, shift), uid, tuple(serves)))
    same("launches", [slice[1:] for slice in found(["launch"], "launch", "tasks")], drawn)

    same(
        "copies and fills",
        [(slice["category"], *slice_of) for slice, slice_of in zip(
            trace.of("copy", "fill"),
            found(["copy", "fill"], "uid", "operation", "line", "bytes", "created", "ready"),
        )],
        [
            ("fill" if c[3] is None else "copy", named(operation(c[0], c[2])[0]), *times(c[7], c[8], shift), c[1], c[2],
             operation(c[0], c[2])[1], c[4], c[5] + shift, c[6] + shift)
            for c in copies
        ],  # fmt: skip
    )
    same(
        "dependent partitioning",
        found(["partitioning"], "uid", "operation", "line", "created", "ready"),
        [
            (kind or "partitioning", *times(start, end, shift), uid, op, operation(source, op)[1], created + shift, ready + shift)
            for source, uid, kind, op, created, ready, start, end in rows(
                database, "SELECT sourceId, uid, kind, opUid, created, ready, start, end FROM WEFT_PARTITIONING"
            )
        ],
    )
    same(
        "waits",
        [slice[1:] for slice in found(["wait"], "uid", "ready")],
        [
            (*times(start, end, shift), uid, ready + shift)
            for source, uid, start, ready, end in rows(
                database, "SELECT sourceId, taskUid, start, ready, end FROM WEFT_WAIT"
            )
            if (source, uid) in at
        ],
    )
    same(
        "runtime calls",
        found(["runtime"], "operation", "line"),
        [
            (named(kind), *times(start, end, shift), op, operation(source, op)[1])
            for source, kind, op, start, end in rows(
                database, "SELECT sourceId, kind, opUid, start, end FROM WEFT_RUNTIME_CALL UNION ALL "
                "SELECT sourceId, 'wait', opUid, start, end FROM WEFT_WAIT WHERE taskUid IS NULL"
            )
        ],
    )

    instances = rows(
        database,
        "SELECT sourceId, uid, storeUid, memoryId, bytes, created, ready, destroyed, opUid FROM WEFT_INSTANCE",
    )
    last = max((slice["time"] + slice["duration"] for slice in trace.slices), default=0)
    same(
        "instances",
        found(["instance"], "uid", "store", "operation", "line", "bytes", "ready", "open"),
        [
            (named(operation(i[0], i[8])[0]), *times(i[5], last - shift if i[7] is None else i[7], shift), i[1], i[2],
             i[8], operation(i[0], i[8])[1], i[4], i[6] + shift, None if i[7] is not None else True)
            for i in instances
        ],  # fmt: skip
    )
    compare_counters(trace, database, tasks, instances, kinds, shift)
    compare_flows(trace, database, links, owners, set(at), dependencies)
    compare_session(trace, database, shift)


def compare_counters(trace, database, tasks, instances, kinds, shift):
    process = {
        id: (f"rank {rank}" + (f" on {host}" if host else "")) if rank is not None else path
        for id, rank, host, path in rows(database, "SELECT id, rank, host, path FROM WEFT_SOURCE")
    }
    memories = {
        (source, id): kind for source, id, kind in rows(database, "SELECT sourceId, id, kind FROM WEFT_MEMORY")
    }
    wanted = []
    changes = defaultdict(lambda: defaultdict(int))
    for source, _, _, memory, size, created, _, destroyed, _ in instances:
        changes[source, memory][created] += size
        if destroyed is not None:
            changes[source, memory][max(destroyed, created)] -= size
    for (source, memory), steps in changes.items():
        used = 0
        name = f"{memories[source, memory]} {memory} bytes" if (source, memory) in memories else f"memory {memory} bytes"
        for time in sorted(steps):
            if steps[time]:
                used += steps[time]
                wanted.append((process[source], name, time + shift, used))
    uses = rows(database, "SELECT sourceId, memoryId, time, largestFree FROM WEFT_MEMORY_USE")
    for source, memory, time, largest in uses:
        kind = memories.get((source, memory), "memory")
        wanted.append((process[source], f"{kind} {memory} largest free block", time + shift, largest))
    # The number of tasks that run on each processor, by a sweep over their starts and ends.
    where = {}
    for source, uid, processor in rows(database, "SELECT sourceId, uid, processorId FROM WEFT_TASK"):
        where[source, uid] = processor
    ends = defaultdict(list)
    for t in tasks:
        key = (t[0], where[t[0], t[1]])
        if key in kinds:
            ends[t[0], kinds[key]].append((t[8], 1, key))
            ends[t[0], kinds[key]].append((max(t[8], t[9]), -1, key))
    for (source, kind), steps in ends.items():
        whole = sum(1 for (s, _), k in kinds.items() if (s, k) == (source, kind))
        running, before = Counter(), 0
        steps.sort(key=lambda step: step[0])
        for n, (time, change, processor) in enumerate(steps):
            running[processor] += change
            if n + 1 == len(steps) or steps[n + 1][0] != time:
                busy = sum(1 for count in running.values() if count > 0)
                if busy != before:
                    wanted.append((process[source], f"{kind} busy", time + shift, 100.0 * busy / whole))
                    before = busy
    same("samples", trace.samples, wanted)


def compare_flows(trace, database, links, owners, tasks, dependencies):
    found = []
    for flow, ends in trace.flows.items():
        if len(ends) != 2:
            failures.append(f"flow {flow} has {len(ends)} ends")
            continue
        kernel = [slice for slice, _ in ends if "kernel" in slice["args"]]
        others = [slice for slice, _ in ends if "kernel" not in slice["args"]]
        for slice, ending in ends:
            other = [other for other, _ in ends if other is not slice]
            if ending and not other[0]["time"] < slice["time"]:
                failures.append(f"flow {flow} ends before it begins")
        if kernel:
            found.append(("kernel", kernel[0]["args"]["kernel"], others[0]["args"]["uid"]))
        else:
            found.append(("task", *sorted(slice["args"]["uid"] for slice in others)))
    wanted = [
        ("kernel", kernel, task)
        for kernel, (_, source, _, served) in links.items()
        for task, _ in served
        if (source, task) in owners
    ]
    if dependencies:
        wanted += [
            ("task", *sorted(ends))
            for source, *ends in rows(database, "SELECT sourceId, fromUid, toUid FROM WEFT_DEPENDENCY")
            if all((source, end) in tasks for end in ends)
        ]
    same("flows", found, wanted)


def compare_session(trace, database, shift):
    events = rows(database, "SELECT value FROM WEFT_META WHERE key = 'nvtx_events'")
    ranges, calls = trace.of("range"), trace.of("api")
    if not events or not events[0][0].startswith("copied"):
        expect("ranges", len(ranges), 0)
        return
    tables = {name for (name,) in rows(database, "SELECT name FROM sqlite_master")}
    wanted = {}
    if "NVTX_EVENTS" in tables:
        sql = "SELECT rowid, start, end FROM NVTX_EVENTS WHERE eventType IN (59, 60, 70, 71)"
        wanted = {row: (start, end) for row, start, end in rows(database, sql)}
    same("rows of ranges", [slice["args"]["row"] for slice in ranges], wanted.keys())
    for slice in ranges:
        start, end = wanted.get(slice["args"]["row"], (None, None))
        expect("start of a range", slice["time"], start + shift)
        expect("a range never closed", slice["args"].get("open", False), end is None)
        if end is not None:
            expect("length of a range", slice["duration"], end - start)
    wanted = []
    if "CUPTI_ACTIVITY_KIND_RUNTIME" in tables:
        sql = "SELECT correlationId, start, end FROM CUPTI_ACTIVITY_KIND_RUNTIME"
        wanted = [(id, *times(start, end, shift)) for id, start, end in rows(database, sql)]
    same("API calls", [(slice["args"]["correlation"], slice["time"], slice["duration"]) for slice in calls], wanted)


def compare_processor(shell, path, counts):
    """Checks that Perfetto's trace processor has the same counts and reports no errors."""
    sql = (
        "SELECT (SELECT count(*) FROM slice), (SELECT count(*) FROM flow), (SELECT count(*) FROM counter), "
        "(SELECT ifnull(sum(value), 0) FROM stats WHERE severity IN ('error', 'data_loss'))"
    )
    output = subprocess.run([shell, "-Q", sql, path], check=True, capture_output=True, text=True).stdout
    numbers = [int(number) for number in output.strip().splitlines()[-1].replace('"', "").split(",")]
    expect("trace processor: slices, flows, samples, errors", numbers, [*counts, 0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("database")
    parser.add_argument("--dependencies", action="store_true")
    parser.add_argument("--trace-processor")
    args = parser.parse_args()
    trace = Trace(args.trace)
    compare(trace, sqlite3.connect(args.database), args.dependencies)
    counts = [len(trace.slices), len(trace.flows), len(trace.samples)]
    if args.trace_processor:
        compare_processor(args.trace_processor, args.trace, counts)
    for failure in failures[:20]:
        print(failure, file=sys.stderr)
    if failures:
        sys.exit(1)
    lanes = Counter((t.parent_uuid, t.sibling_merge_key_int) for t in trace.tracks.values() if t.parent_uuid)
    print(json.dumps({"counts": counts, "lanes": max(lanes.values(), default=0)}))


main()
