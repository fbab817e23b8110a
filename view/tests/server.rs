//! The server over real sockets: access and answers.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "server/limits.rs"]
mod limits;
#[path = "../../nvtx-export/tests/made.rs"]
mod made;
#[path = "support/recording.rs"]
mod recording;
#[path = "server/saves.rs"]
mod saves;

use made::{Shape, trace as made_trace};
use recording::recording;
use rusqlite::Connection;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use weft_analysis::advise;
use weft_model::{
    Dependency, Launch, ProvenanceRow, RunIndex, ShareOrigin, SourceIndex, SourceKind, SourceText,
    Trace,
};
use weft_nvtx_export::{Progress, ReadOptions, RequiredParts};
use weft_output::sqlite::{self, WriteOptions};
use weft_timeline::Timeline;
use weft_trace::id::{ProcessorId, Rank, Uid};
use weft_trace::record::DependencyKind;
use weft_trace::time::Timestamp;
use weft_view::{LARGEST, Options, Site, SourceRoot, State, embed, serve};

struct Served {
    folder: TempDir,
    site: Arc<Site>,
}

/// Names with a meaning in HTML, URLs or SQL.
const HOSTILE: [&str; 4] = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "a\nb\r\nSet-Cookie: x=1\0",
    "'); DROP TABLE WEFT_TASK; --",
];

fn serve_trace(
    change: impl FnOnce(&mut Trace, &Path),
    options: impl FnOnce(&Path) -> Options,
) -> Served {
    let served = without_server(change, options);
    serve(Arc::clone(&served.site), 0).unwrap();
    served
}

fn without_server(
    change: impl FnOnce(&mut Trace, &Path),
    options: impl FnOnce(&Path) -> Options,
) -> Served {
    let folder = tempfile::tempdir().unwrap();
    let mut trace = made_trace(Shape {
        seed: 3,
        ranks: 2,
        tasks: 400,
        zero: 5_000,
        broken: false,
    });
    change(&mut trace, folder.path());
    let path = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &path, &WriteOptions::default()).unwrap();
    let trace = Timeline::open(&path, &Progress::default()).unwrap();
    let state = State::new(trace, options(folder.path()));
    let site = Arc::new(Site::new(state).unwrap());
    Served { folder, site }
}

fn plain_without_server() -> Served {
    without_server(|_, _| {}, |_| Options::default())
}

fn plain() -> Served {
    serve_trace(|_, _| {}, |_| Options::default())
}

impl Served {
    fn port(&self) -> u16 {
        self.site.port().unwrap()
    }

    /// Sends bytes and returns the status, the headers and the body.
    fn send(&self, request: &[u8]) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        stream.write_all(request).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let split = answer
            .windows(4)
            .position(|part| part == b"\r\n\r\n")
            .unwrap();
        let head = String::from_utf8(answer[..split].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head, answer[split + 4..].to_vec())
    }

    fn ask(&self, line: &str, headers: &[(&str, &str)], body: &str) -> (u16, String, Vec<u8>) {
        let mut request = format!(
            "{line} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n").unwrap();
        }
        self.send(format!("{request}\r\n{body}").as_bytes())
    }

    /// Sends a request as the page does.
    fn page(&self, line: &str, body: &str) -> (u16, String, Vec<u8>) {
        let host = format!("127.0.0.1:{}", self.port());
        self.ask(
            line,
            &[("Host", &host), ("X-Weft-Token", self.site.token())],
            body,
        )
    }

    fn json(&self, path: &str) -> Value {
        let (status, _, body) = self.page(&format!("GET {path}"), "");
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }
}

#[test]
fn answers_no_request_without_the_token() {
    let served = plain();
    let host = format!("127.0.0.1:{}", served.port());
    let token = served.site.token().to_owned();
    let paths = [
        "/",
        "/api/info",
        "/api/item?id=0",
        "/nothing",
        "/api/source?file=0",
        "/favicon.ico",
    ];
    for path in paths {
        for wrong in [
            "",
            "0",
            &token[1..],
            &format!("{token}0"),
            &token.to_uppercase().replace('A', "B"),
        ] {
            let headers = [("Host", host.as_str()), ("X-Weft-Token", wrong)];
            let (status, _, body) = served.ask(&format!("GET {path}"), &headers, "");
            let known = wrong == token;
            assert_eq!(status == 403, !known, "{path} {wrong}");
            assert!(!String::from_utf8_lossy(&body).contains(&token));
        }
        let (status, _, _) = served.ask(&format!("GET {path}"), &[("Host", &host)], "");
        assert_eq!(status, 403);
    }
    let (status, head, _) = served.ask(&format!("GET /?token={token}"), &[("Host", &host)], "");
    assert_eq!(status, 200);
    for header in [
        "Content-Security-Policy: default-src 'none'; script-src 'nonce-",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
    ] {
        assert!(head.contains(header), "{head}");
    }
}

#[test]
fn rejects_requests_of_foreign_pages() {
    let served = plain();
    let token = served.site.token().to_owned();
    let port = served.port();
    for (host, status) in [
        (format!("127.0.0.1:{port}"), 200),
        (format!("localhost:{port}"), 200),
        ("localhost:9999".to_owned(), 200),
        ("evil.example".to_owned(), 403),
        (format!("evil.example:{port}"), 403),
        (format!("127.0.0.1.evil.example:{port}"), 403),
        ("localhost".to_owned(), 403),
        (String::new(), 403),
    ] {
        let headers = [("Host", host.as_str()), ("X-Weft-Token", token.as_str())];
        assert_eq!(
            served.ask("GET /api/info", &headers, "").0,
            status,
            "{host}"
        );
    }
    let host = format!("127.0.0.1:{port}");
    for (origin, status) in [
        ("http://evil.example", 403),
        ("null", 403),
        ("http://127.0.0.1:1", 200),
    ] {
        let headers = [
            ("Host", host.as_str()),
            ("X-Weft-Token", token.as_str()),
            ("Origin", origin),
        ];
        assert_eq!(
            served.ask("GET /api/info", &headers, "").0,
            status,
            "{origin}"
        );
    }
    assert_eq!(served.page("GET /../../etc/passwd", "").0, 404);
    assert_eq!(served.page("GET /api/", "").0, 404);
    assert_eq!(served.page("DELETE /api/info", "").0, 405);
    assert_eq!(served.page("GET /api/graph?kind=circle", "").0, 400);
    assert_eq!(served.page("GET /api/graph?expand=99", "").0, 400);
}

#[test]
fn explains_invalid_requests() {
    let served = plain();
    for (line, body, status) in [
        ("POST /api/tiles", "", 400),
        (
            "POST /api/tiles",
            "{\"tiles\": [{\"lane\": 999999, \"level\": 3, \"index\": 0}]}",
            400,
        ),
        (
            "POST /api/tiles",
            "{\"tiles\": [{\"lane\": 0, \"level\": 99, \"index\": 0}]}",
            400,
        ),
        (
            "POST /api/tiles",
            "{\"tiles\": [{\"lane\": 0, \"level\": 43, \"index\": 4294967295}]}",
            200,
        ),
        ("POST /api/cancel", "[]", 404),
        ("GET /api/item", "", 400),
        ("GET /api/item?id=4000000000", "", 404),
        ("GET /api/item?id=-1", "", 400),
        ("GET /api/counter?lane=0", "", 404),
        ("GET /api/counter?lane=x", "", 400),
        ("GET /api/source?file=99", "", 404),
        ("GET /api/line?id=99999", "", 400),
    ] {
        let (found, _, answer) = served.page(line, body);
        assert_eq!(
            found,
            status,
            "{line} {body}: {}",
            String::from_utf8_lossy(&answer)
        );
        if status >= 400 {
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            assert!(answer["error"].as_str().unwrap().len() > 10);
        }
    }
    // A client that does not send HTTP gets no answer, and others do.
    let mut stream = TcpStream::connect(("127.0.0.1", served.port())).unwrap();
    stream.write_all(&[0, 0xff, 13, 10, 13, 10]).unwrap();
    served.json("/api/info");
}

#[test]
fn escapes_hostile_names() {
    let long = "x".repeat(10_000);
    let served = serve_trace(
        |trace, _| {
            let trace = &mut trace.recording;
            let names = HOSTILE.iter().copied().chain([long.as_str()]);
            for (operation, name) in trace.program.operations.iter_mut().zip(names) {
                operation.name = trace.strings.intern(name);
            }
        },
        |_| Options {
            title: "<script>".to_owned(),
            ..Options::default()
        },
    );
    let (_, head, page) = served.page("GET /", "");
    assert!(head.contains("text/html"));
    let page = String::from_utf8(page).unwrap();
    assert!(!page.contains("alert(1)"));
    let info = served.json("/api/info");
    let names: Vec<&str> = info["names"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    for name in HOSTILE {
        assert!(names.contains(&name), "{name:?}");
        let word = name.split_whitespace().next().unwrap();
        let escaped: String = word.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let found = served.json(&format!("/api/search?q={escaped}"));
        assert!(found["total"].as_u64().unwrap() > 0, "{name:?}: {found}");
    }
    assert!(names.iter().all(|name| name.len() < 1000));
    let found = served.json("/api/search?q=xxxxxxxxxx");
    assert!(found["total"].as_u64().unwrap() > 0);
    let item = served.json(&format!("/api/item?id={}", found["items"][0]["id"]));
    assert!(item["name"].as_str().unwrap().starts_with("xxxx"));
    assert_eq!(item["operation"]["name"].as_str().unwrap().len(), 10_000);
}

#[test]
fn conditions_can_only_read() {
    let served = plain();
    let ask = |condition: &str| {
        let escaped: String = condition
            .bytes()
            .map(|byte| format!("%{byte:02x}"))
            .collect();
        served.json(&format!("/api/search?q={escaped}&limit=5"))
    };
    let all = ask("sql: 1")["total"].as_u64().unwrap();
    let info = served.json("/api/info");
    let items: u64 = info["lanes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lane| lane["items"].as_u64().unwrap())
        .sum();
    // Work on devices has the rows of its tasks.
    assert!(all > items / 2 && all <= items, "{all} of {items}");
    let tasks = ask("sql: end - start > 50 AND opUid IS NOT NULL")["total"]
        .as_u64()
        .unwrap();
    assert!(tasks > 0 && tasks < all);
    for wrong in [
        "sql:",
        "sql: nothing = 1",
        "sql: 1) ; DELETE FROM WEFT_TASK; --",
        "sql: (SELECT load_extension('x'))",
        "sql: writefile('/tmp/x', 'y')",
        "sql: ?1 = 1",
        "sql: zeroblob(1000000000) IS NOT NULL",
    ] {
        let answer = ask(wrong);
        let is_refused = answer["error"]
            .as_str()
            .is_some_and(|error| !error.is_empty());
        assert!(
            is_refused || answer["total"].as_u64() == Some(all),
            "{wrong}: {answer}"
        );
    }
    assert_eq!(ask("sql: 1")["total"].as_u64().unwrap(), all);
}

#[test]
fn wait_parts_sum_to_the_wait_and_link() {
    let served = plain();
    let found = served.json(
        "/api/search?q=sql:%20created%20%3C%20start%20AND%20opUid%20IS%20NOT%20NULL&limit=3000",
    );
    let items = found["items"].as_array().unwrap();
    let mut waits = 0;
    for item in items.iter().step_by(7) {
        let detail = served.json(&format!("/api/item?id={}", item["id"]));
        let Some(why) = detail["why"].as_object() else {
            continue;
        };
        let states = &detail["states"];
        let number = |value: &Value| value.as_i64().unwrap();
        let parts = why["parts"].as_array().unwrap();
        let sum: i64 = parts.iter().map(|part| number(&part["ns"])).sum();
        assert_eq!(sum, number(&why["total"]));
        if !states.is_null() && detail["what"] != "kernel" {
            assert_eq!(
                number(&why["total"]),
                number(&detail["start"]) - number(&states["created"])
            );
            waits += 1;
        }
        for part in parts.iter().filter(|part| part["item"].is_u64()).take(2) {
            served.json(&format!("/api/item?id={}", part["item"]));
        }
        for before in detail["before"].as_array().unwrap() {
            let other = served.json(&format!("/api/item?id={}", before["id"]));
            let back = other["after"].as_array().unwrap();
            assert!(back.iter().any(|after| after["id"] == detail["id"]));
        }
    }
    assert!(waits > 20, "{waits}");
}

#[test]
fn advice_and_what_if_use_the_replay() {
    let served = plain();
    let advice = served.json("/api/advise");
    let measured = advice["replay"]["measured_ns"].as_i64().unwrap();
    assert!(measured > 0);
    let ask = |line: u32, factor: f64| {
        let body = format!("{{\"line\": {line}, \"factor\": {factor}}}");
        let (status, _, answer) = served.page("POST /api/whatif", &body);
        (status, serde_json::from_slice::<Value>(&answer).unwrap())
    };
    let lines = served.json("/api/info")["lines"].as_array().unwrap().len() as u32;
    let mut shorter = 0;
    for line in 1..lines {
        let (status, same) = ask(line, 1.0);
        assert_eq!(status, 200, "{same}");
        assert_eq!(same["measuredNs"].as_i64(), Some(measured));
        assert_eq!(same["lengthNs"], same["replayedNs"]);
        let (_, none) = ask(line, 0.0);
        shorter += u32::from(none["lengthNs"].as_i64() < same["lengthNs"].as_i64());
    }
    assert!(shorter > 0);
    assert_eq!(ask(0, 0.5).0, 400);
    assert_eq!(ask(1, -1.0).0, 400);
    assert_eq!(ask(99_999, 0.5).0, 400);
}

#[test]
fn gpu_only_trace_has_the_advice_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let Some(recording) = recording("nsys/nsys-ai_fsdp_2gpu.sqlite.zst", folder.path()) else {
        return;
    };
    let options = ReadOptions {
        keep: RequiredParts::Everything,
        ..ReadOptions::default()
    };
    let served = serve_trace(
        |trace, _| *trace = weft_nvtx_export::read(&[recording], &options).unwrap(),
        |_| Options::default(),
    );
    let database = served.folder.path().join("weft.sqlite");
    let trace = weft_nvtx_export::read(&[database], &options).unwrap();
    let expected = serde_json::to_value(advise::answer(&trace)).unwrap();
    assert_eq!(expected["estimated"], true);
    assert_ne!(expected["findings"], serde_json::json!([]));
    assert_eq!(served.json("/api/advise"), expected);
    let (status, _, answer) = served.page("POST /api/whatif", "{\"line\": 0, \"factor\": 1}");
    assert_ne!(status, 200, "{answer:?}");
}

#[test]
fn shows_only_source_of_the_profile_and_its_folder() {
    let served = serve_trace(
        |trace, folder| {
            std::fs::create_dir_all(folder.join("project/src")).unwrap();
            std::fs::write(folder.join("project/src/main.rs"), "from the disk\n").unwrap();
            std::fs::write(folder.join("secret"), "a secret").unwrap();
            let trace = &mut trace.recording;
            let names = ["../secret", "/etc/passwd", "kept.py"];
            let files = names.map(|name| trace.strings.intern(name));
            let rows: Vec<_> = files
                .into_iter()
                .map(|file| weft_model::ProvenanceRow {
                    file,
                    line: 1,
                    ..Default::default()
                })
                .collect();
            for (operation, row) in trace.program.operations.iter_mut().zip(rows) {
                operation.provenance = trace.program.provenances.intern(row);
            }
            trace.program.source_texts.push(SourceText {
                source: SourceIndex(0),
                file: files[2],
                bytes: 14,
                newer: false,
                text: "from the trace".into(),
            });
        },
        |folder| Options {
            source_root: Some(SourceRoot::open(&folder.join("project")).unwrap()),
            ..Options::default()
        },
    );
    let files = served.json("/api/sources");
    let files = files["files"].as_array().unwrap();
    let mut seen = Vec::new();
    for file in files {
        let source = served.json(&format!("/api/source?file={}", file["id"]));
        let text = source["text"].as_str().unwrap_or("");
        assert!(
            !text.contains("secret") && !text.contains("root:"),
            "{file}"
        );
        seen.push((
            file["path"].as_str().unwrap().to_owned(),
            text.trim().to_owned(),
        ));
    }
    let text = |path: &str| {
        seen.iter()
            .find(|seen| seen.0 == path)
            .map(|seen| seen.1.as_str())
    };
    assert_eq!(text("src/main.rs"), Some("from the disk"));
    assert_eq!(text("kept.py"), Some("from the trace"));
    assert_eq!(text("../secret"), Some(""));
    assert_eq!(text("/etc/passwd"), Some(""));
}

#[test]
fn tiles_follow_the_protocol() {
    let served = plain();
    let info = served.json("/api/info");
    let lanes = info["lanes"].as_array().unwrap();
    let (mut exact, mut bins) = (0, 0);
    let tiles: Vec<String> = (0..lanes.len())
        .map(|lane| format!("{{\"lane\": {lane}, \"level\": 9, \"index\": 0}}"))
        .collect();
    let (status, head, body) = served.page(
        "POST /api/tiles",
        &format!("{{\"seq\": 7, \"tiles\": [{}]}}", tiles.join(", ")),
    );
    assert_eq!(status, 200);
    assert!(head.contains("application/octet-stream"));
    let mut words = body
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    let mut next = || words.next().unwrap();
    assert_eq!(
        [next(), next(), next()],
        [0x5745_4654, 7, lanes.len() as u32]
    );
    for (lane, row) in lanes.iter().enumerate() {
        let head = [next(), next(), next()];
        assert_eq!(head, [lane as u32, 9, 0]);
        let (kind, n, rows) = (next(), next(), next());
        assert_eq!(u64::from(rows), row["rows"].as_u64().unwrap());
        let columns = if kind == 0 { 8 } else { 9 };
        match kind {
            0 => bins += 1,
            _ => exact += 1,
        }
        for _ in 0..columns * n {
            next();
        }
    }
    assert!(words.next().is_none());
    assert!(exact > 3 && bins > 3);
}

/// Returns the contents of a file: answers, and tiles by lane, level and index.
fn embedded(html: &str) -> (Value, Vec<u8>) {
    let from = html.find("id=\"weft-data\">").unwrap() + "id=\"weft-data\">".len();
    let text = &html[from..from + html[from..].find('<').unwrap()];
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut packed = Vec::new();
    for part in text.trim_end_matches('=').as_bytes().chunks(4) {
        let digit = |byte: &u8| digits.iter().position(|digit| digit == byte).unwrap() as u32;
        let word =
            part.iter().fold(0, |word, byte| word << 6 | digit(byte)) << (6 * (4 - part.len()));
        packed.extend_from_slice(&word.to_be_bytes()[1..part.len()]);
    }
    let mut bundle = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice())
        .read_to_end(&mut bundle)
        .unwrap();
    let length = u32::from_le_bytes(bundle[..4].try_into().unwrap()) as usize;
    (
        serde_json::from_slice(&bundle[4..4 + length]).unwrap(),
        bundle[4 + length..].to_vec(),
    )
}

#[test]
fn embedded_file_has_the_server_answers() {
    let served = plain();
    let page = embed(&served.site, LARGEST).unwrap();
    assert!(page.html.len() < LARGEST);
    let html = String::from_utf8(page.html).unwrap();
    assert!(!html.contains("__WEFT_NONCE__") && !html.contains(served.site.token()));
    assert!(!html.contains("connect-src"));
    let (directory, bytes) = embedded(&html);
    let answers = &directory["answers"];
    for (key, path) in [
        ("info", "/api/info"),
        ("sources", "/api/sources"),
        ("critical", "/api/critical"),
        ("item?id=5", "/api/item?id=5"),
    ] {
        assert_eq!(answers[key], served.json(path), "{key}");
    }
    // Details read together equal those read one by one.
    let details = answers.as_object().unwrap().keys();
    let details: Vec<&String> = details.filter(|key| key.starts_with("item?")).collect();
    assert!(details.len() > 400);
    for key in details.iter().step_by(17) {
        assert_eq!(answers[*key], served.json(&format!("/api/{key}")), "{key}");
    }
    let counters = answers["info"]["counters"].as_array().unwrap();
    assert!(!counters.is_empty());
    for counter in counters {
        let asked = format!("memory?lane={}", counter["lane"]);
        assert_eq!(answers[&asked], served.json(&format!("/api/{asked}")));
    }
    let tiles = directory["tiles"].as_array().unwrap();
    let mut slices = 0;
    for tile in tiles {
        let [lane, level, index, offset, length] =
            [0, 1, 2, 3, 4].map(|at| tile[at].as_u64().unwrap());
        let body = format!(
            "{{\"tiles\": [{{\"lane\": {lane}, \"level\": {level}, \"index\": {index}}}]}}"
        );
        let (_, _, answer) = served.page("POST /api/tiles", &body);
        let part = &bytes[offset as usize..(offset + length) as usize];
        assert_eq!(part, &answer[12..]);
        let word = |at: usize| u32::from_le_bytes(part[at * 4..at * 4 + 4].try_into().unwrap());
        slices += if word(3) == 1 { word(4) } else { 0 };
    }
    // In a trace this small every slice is in the file.
    assert!(
        slices
            >= served.json("/api/info")["lanes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|lane| lane["items"].as_u64().unwrap() as u32)
                .sum()
    );
}

#[test]
fn graphs_contain_both_ends_of_their_edges() {
    let served = plain();
    let mut drawn = 0;
    for kind in ["dataflow", "events"] {
        let graph = served.json(&format!("/api/graph?kind={kind}"));
        let nodes = graph["nodes"].as_array().unwrap();
        let known: Vec<&Value> = nodes.iter().map(|node| &node["id"]).collect();
        for edge in graph["edges"].as_array().unwrap() {
            assert!(
                known.contains(&&edge["from"]) && known.contains(&&edge["to"]),
                "{edge}"
            );
        }
        drawn += nodes.len();
        // A repeated request gets the same answer.
        assert_eq!(served.json(&format!("/api/graph?kind={kind}")), graph);
    }
    assert!(drawn > 0);
}

#[test]
fn partitioning_lane_links_to_its_operation() {
    let served = plain();
    let info = served.json("/api/info");
    let lanes = info["lanes"].as_array().unwrap();
    let of_partitioning = |lane: &&Value| lane["label"] == "dependent partitioning";
    let found: Vec<&Value> = lanes.iter().filter(of_partitioning).collect();
    // A lane for each rank, among its channels.
    assert_eq!(found.len(), 2);
    for lane in found {
        assert_eq!(
            (&lane["shows"], &lane["items"]),
            (&"channel".into(), &100.into())
        );
        let parent = lane["parent"].as_u64().unwrap() as usize;
        assert_eq!(lanes[parent]["label"], "Channels");
    }
    let database = Connection::open(served.folder.path().join("weft.sqlite")).unwrap();
    let sql = "SELECT uid, kind, opUid, end - start FROM WEFT_PARTITIONING WHERE opUid IS NOT NULL AND kind IS NOT NULL \
               ORDER BY start LIMIT 1";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let (uid, kind, operation, time): (i64, String, i64, i64) =
        database.query_row(sql, [], row).unwrap();
    let hits = served.json(&format!("/api/search?q={uid}"));
    assert_eq!(hits["total"], 1, "{hits}");
    let id = hits["items"][0]["id"].as_u64().unwrap();
    let item = served.json(&format!("/api/item?id={id}"));
    assert_eq!(item["what"], "partitioning");
    assert_eq!(item["name"], kind);
    assert_eq!(item["uid"], uid.to_string());
    assert_eq!(item["operation"]["uid"], operation.to_string());
    assert!(item["line"]["line"].as_u64().unwrap() > 0, "{item}");
    let [start, end] = ["start", "end"].map(|key| item[key].as_i64().unwrap());
    assert_eq!(end - start, time);
    assert_eq!(item["states"]["running"], time);
}

#[test]
fn line_holdings_sum_to_the_memory_counter() {
    let served = plain();
    let info = served.json("/api/info");
    let end = info["end"].as_u64().unwrap();
    let lines = info["lines"].as_array().unwrap().len() as u64;
    let (mut reasons, mut others) = (0, 0);
    for counter in info["counters"].as_array().unwrap() {
        let lane = &counter["lane"];
        let path = format!("lane={lane}&from=0&to={end}");
        let memory = served.json(&format!("/api/memory?{path}&width=50&lines=1"));
        let levels = served.json(&format!("/api/counter?{path}&bins=50"));
        for same in ["label", "unit", "max", "times", "most"] {
            assert_eq!(memory[same], levels[same], "{same}");
        }
        let series = memory["series"].as_array().unwrap();
        for (bin, most) in memory["most"].as_array().unwrap().iter().enumerate() {
            let bytes = series.iter().map(|by| by["bytes"][bin].as_i64().unwrap());
            assert_eq!(bytes.sum::<i64>(), most.as_i64().unwrap(), "bin {bin}");
        }
        let peak = memory["peak"]["held"].as_array().unwrap();
        let bytes = peak.iter().map(|by| by["bytes"].as_i64().unwrap());
        assert_eq!(bytes.sum::<i64>(), counter["max"].as_i64().unwrap());
        for by in series.iter().chain(peak) {
            let line = by["line"].as_u64().unwrap();
            assert!(
                line < lines && (line == 0) == by["reason"].is_string(),
                "{by}"
            );
            let reason = by["reason"].as_str().unwrap_or_default();
            reasons += u32::from(reason == "instances without a named operation");
            others += u32::from(reason.ends_with("other lines") && by["lines"].as_u64() > Some(1));
        }
        // One line, the others together, and at most one entry for each reason.
        assert!(series.len() <= 6, "{}", series.len());
        let wide = served.json(&format!("/api/memory?{path}&width=99999999&lines=99999999"));
        assert!(wide["times"].as_array().unwrap().len() <= 4096);
        assert!(wide["series"].as_array().unwrap().len() <= 64 + 5);
    }
    assert!(reasons > 0 && others > 0, "{reasons} {others}");
    for (path, status) in [
        ("", 400),
        ("?lane=x", 400),
        ("?lane=0", 404),
        ("?lane=999999", 404),
        ("?lane=0&from=5&to=5", 400),
    ] {
        let (found, _, _) = served.page(&format!("GET /api/memory{path}"), "");
        assert_eq!(found, status, "{path}");
    }
}
