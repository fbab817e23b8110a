//! Page events and overheads of CUPTI, with the work that they belong to.

use super::*;

#[test]
fn page_events_have_their_kernels_or_reasons() {
    let trace = trace_of(program().iter().chain(&device()));
    let folder = tempfile::tempdir().unwrap();
    let database = database(&trace, folder.path());
    let events = "SELECT e.kind, e.faults, e.movedBytes, e.fromDeviceId, e.toDeviceId, k.name, reason \
                  FROM WEFT_PAGE_EVENT e LEFT JOIN WEFT_KERNEL k ON k.id = kernelId ORDER BY e.start";
    assert_eq!(
        rows(&database, events),
        [
            "host_to_device|-|4096|-|0|-|prefetch",
            "host_fault|-|-|-|-|-|host_access",
            "device_to_host|-|65536|0|-|-|host_access",
            "gpu_fault|2|-|0|0|-|no_kernel",
            "gpu_fault|3|-|0|0|void weft::add<double>(double*, double*)|-",
            "host_to_device|-|65536|-|0|void weft::add<double>(double*, double*)|-",
            "device_to_host|-|131072|0|-|void weft::add<double>(double*, double*)|-",
        ]
    );
    let faults = "SELECT deviceId, address, numberOfPageFaults, t.label FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS \
                  JOIN ENUM_CUDA_UNIF_MEM_ACCESS_TYPE t ON t.id = faultAccessType ORDER BY start";
    assert_eq!(
        rows(&database, faults),
        ["0|2199023255552|2|Read", "0|2199023255552|3|Write"]
    );
    let host = "SELECT start, address, originalFaultPc FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS";
    assert_eq!(rows(&database, host), ["300000|2199023255552|4660"]);
    let counts = "SELECT key, value FROM WEFT_META WHERE key LIKE 'page_events%' ORDER BY key";
    assert_eq!(
        rows(&database, counts),
        [
            "page_events|7",
            "page_events_host_access|2",
            "page_events_linked|3",
            "page_events_no_kernel|1",
            "page_events_prefetch|1",
            "page_events_several_kernels|0",
        ]
    );
    let told = "SELECT value FROM WEFT_LOSS WHERE name = 'page_events_no_kernel'";
    assert_eq!(rows(&database, told), ["1"]);
}

#[test]
fn overheads_are_placed_and_cost_the_lines_that_waited() {
    let trace = trace_of(program().iter().chain(&device()));
    let folder = tempfile::tempdir().unwrap();
    let database = database(&trace, folder.path());
    let placed = "SELECT kind, name, start, end - start, globalTid & 0xffffff, correlationId, source \
                  FROM WEFT_OVERHEAD ORDER BY start, id";
    let [issuing, other] = [THREADS[0], THREADS[1]];
    assert_eq!(
        rows(&database, placed),
        [
            format!("instrumentation|CUPTI: Instrumentation|100000|50000|{issuing}|-|cupti"),
            format!("buffer_flush|CUPTI: Buffer flush|1000000|50000|{other}|-|cupti"),
            format!("function_loading|Lazy function loading|1010500|1000|{issuing}|110|cupti"),
            format!("resource|CUPTI: Resource Management|1020000|20000|{issuing}|-|cupti"),
            format!("buffer_request|CUPTI: Buffer request|1025000|5000|{issuing}|-|cupti"),
            format!("command_buffer_full|Command buffer full|2045000|15000|{issuing}|120|cupti"),
        ]
    );
    let nsys = "SELECT s.value, t.label, p.end - p.start FROM PROFILER_OVERHEAD p \
                JOIN StringIds s ON s.id = nameId \
                JOIN ENUM_CUPTI_OVERHEAD_TYPE t ON t.id = overheadType \
                WHERE p.start BETWEEN 1010000 AND 1021000 ORDER BY p.start";
    assert_eq!(
        rows(&database, nsys),
        [
            "Lazy function loading|Lazy function loading (CUDA)|1000",
            "CUPTI: Resource Management|Resource creation/destruction (Profiler)|20000",
        ]
    );
    let losses = "SELECT count(*) FROM WEFT_LOSS WHERE name LIKE 'cupti_overhead%'";
    assert_eq!(rows(&database, losses), ["0"]);
    // 1 us and 20 us of the first launch, and the 5 us of the second before it returned.
    let lines = stats::table(&trace, By::Line);
    let column = lines.column("cuda overhead").unwrap();
    let spent: Vec<&Cell> = lines.rows().iter().map(|row| &row[column]).collect();
    assert_eq!(spent, [&Cell::Integer(26_000)]);
    let gaps = stats::table(&trace, By::Gap);
    let [cause, total] = ["cause", "total"].map(|name| gaps.column(name).unwrap());
    let of_overhead = gaps.rows().iter();
    let of_overhead = of_overhead.filter(|row| row[cause] == Cell::Text("overhead".to_owned()));
    let of_overhead: Vec<&Cell> = of_overhead.map(|row| &row[total]).collect();
    // Nothing ran before the first kernel, so that only the gap before the second counts.
    assert_eq!(of_overhead, [&Cell::Integer(5_000)]);
    let kinds = "SELECT count(*) FROM WEFT_UNTIMED";
    assert_eq!(rows(&database, kinds), ["0"]);
}
