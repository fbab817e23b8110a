//! Limits of connections, heads, bodies and time: one client cannot keep others from being served.

use super::*;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use weft_view::{Limits, serve_within};

/// The longest wait of any test for an expected event.
const PATIENCE: Duration = Duration::from_secs(60);

fn within(limits: Limits) -> Served {
    let served = plain_without_server();
    serve_within(Arc::clone(&served.site), 0, limits).unwrap();
    served
}

impl Served {
    fn connect(&self) -> TcpStream {
        connect(self.port())
    }

    /// A head as the page sends it, up to the last line.
    fn head(&self, line: &str) -> String {
        head(self.port(), self.site.token(), line)
    }
}

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn head(port: u16, token: &str, line: &str) -> String {
    format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Weft-Token: {token}\r\n")
}

/// The status of the answer, which is read to its end; `None` if the connection ends without one.
fn status(stream: &mut TcpStream) -> Option<u16> {
    let mut answer = Vec::new();
    let mut space = [0; 4096];
    // A reset after the answer does not discard it.
    while let Ok(read) = stream.read(&mut space) {
        if read == 0 {
            break;
        }
        answer.extend_from_slice(&space[..read]);
    }
    let text = String::from_utf8_lossy(&answer).into_owned();
    text.split(' ').nth(1)?.parse().ok()
}

#[test]
fn rejects_unfinished_heads_and_serves_others() {
    let served = within(Limits {
        head_time: Duration::from_millis(300),
        ..Limits::default()
    });
    let mut slow: Vec<TcpStream> = (0..20).map(|_| served.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
    }
    served.json("/api/version");
    for stream in &mut slow {
        // One byte now and then does not keep it open.
        let _ = stream.write_all(b"a");
        assert_eq!(status(stream), Some(408));
    }
    served.json("/api/version");
}

#[test]
fn closes_connections_without_requests() {
    let served = within(Limits {
        idle_time: Duration::from_millis(200),
        ..Limits::default()
    });
    let mut idle = served.connect();
    assert_eq!(status(&mut idle), None);
    served.json("/api/version");
}

#[test]
fn evicts_clients_without_token_for_any_request() {
    let requests = [
        "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n",
        "HEAD /nothing HTTP/1.1\r\nHost: x\r\n\r\nHEAD / HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /api/tiles HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
    ];
    for request in requests {
        let served = within(Limits {
            connections: 8,
            ..Limits::default()
        });
        let mut strangers: Vec<TcpStream> = (0..40).map(|_| served.connect()).collect();
        for stranger in &mut strangers {
            // The server may have closed the connection already.
            let _ = stranger.write_all(request.as_bytes());
        }
        for _ in 0..10 {
            served.json("/api/version");
        }
    }
}

#[test]
fn client_without_token_gets_one_answer() {
    let served = within(Limits::default());
    let mut stranger = served.connect();
    let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100);
    // The server may have closed the connection already.
    let _ = stranger.write_all(request.as_bytes());
    let mut text = String::new();
    let _ = stranger.read_to_string(&mut text);
    assert_eq!(text.matches("HTTP/1.1 403").count(), 1, "{text}");
    assert!(text.contains("Connection: close"), "{text}");
}

#[test]
fn rejects_incomplete_bodies() {
    let served = within(Limits {
        body_time: Duration::from_millis(300),
        ..Limits::default()
    });
    let mut partial = served.connect();
    let head = served.head("POST /api/tiles");
    write!(partial, "{head}Content-Length: 1000\r\n\r\n{{\"tiles\"").unwrap();
    served.json("/api/version");
    assert_eq!(status(&mut partial), Some(408));
}

#[test]
fn reads_bodies_within_a_limit_and_only_with_token() {
    let served = plain();
    // It is refused by its length, before it is sent.
    let mut long = served.connect();
    let head = served.head("POST /api/tiles");
    write!(long, "{head}Content-Length: 100000000\r\n\r\n").unwrap();
    assert_eq!(status(&mut long), Some(413));
    // A body without a stated length is rejected when it is too long.
    let mut chunked = served.connect();
    write!(chunked, "{head}Transfer-Encoding: chunked\r\n\r\n").unwrap();
    let chunk = vec![b' '; 1 << 16];
    for _ in 0..200 {
        let sent = write!(chunked, "{:x}\r\n", chunk.len())
            .and_then(|()| chunked.write_all(&chunk))
            .and_then(|()| chunked.write_all(b"\r\n"));
        if sent.is_err() {
            break;
        }
    }
    assert_eq!(status(&mut chunked), Some(413));
    // Without the token none is waited for.
    let mut stranger = served.connect();
    let port = served.port();
    write!(
        stranger,
        "POST /api/tiles HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 1000000\r\n\r\n"
    )
    .unwrap();
    let mut first = [0; 12];
    stranger.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 403");
    // One of several chunks is read.
    let mut whole = served.connect();
    let body = "e\r\n{\"tiles\": []}\n\r\n0\r\n\r\n";
    let closed = "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    write!(whole, "{head}{closed}{}", body.replace("}\n", "}")).unwrap();
    assert!(matches!(status(&mut whole), Some(200 | 400)));
    served.json("/api/version");
}

#[test]
fn answers_all_concurrent_requests() {
    let served = plain();
    std::thread::scope(|scope| {
        for _ in 0..48 {
            scope.spawn(|| {
                for path in ["/api/version", "/api/info", "/api/item?id=3"] {
                    served.json(path);
                }
            });
        }
    });
    // Several on one connection, sent before the first is answered.
    let mut stream = served.connect();
    let head = served.head("GET /api/version");
    let last = format!("{head}Connection: close\r\n\r\n");
    write!(stream, "{head}\r\n{head}\r\n{last}").unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 3);
}

#[test]
fn rejects_excess_connections_while_others_wait() {
    let served = within(Limits {
        connections: 2,
        ..Limits::default()
    });
    // Their heads have the token, so that they are answered when their bodies have come.
    let head = served.head("POST /api/tiles");
    let mut busy: Vec<TcpStream> = (0..2).map(|_| served.connect()).collect();
    for stream in &mut busy {
        write!(
            stream,
            "{head}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 13\r\n\r\n"
        )
        .unwrap();
        let mut line = [0; 25];
        stream.read_exact(&mut line).unwrap();
        assert!(line.starts_with(b"HTTP/1.1 100"));
    }
    let mut refused = served.connect();
    assert_eq!(status(&mut refused), Some(503));
    for stream in &mut busy {
        stream.write_all(b"{\"tiles\": []}").unwrap();
        assert_eq!(status(stream), Some(200));
    }
    served.json("/api/version");
}

/// A server in a process that may open few files.
struct Limited {
    child: Child,
    port: u16,
    token: String,
}

impl Limited {
    fn start(files: u32) -> Limited {
        let own = std::env::current_exe().unwrap();
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!("ulimit -n {files} && exec \"$0\" \"$@\""))
            .arg(own)
            .args([
                "--ignored",
                "--exact",
                "--nocapture",
                "limits::serves_until_its_input_ends",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        let address = said.lines().map(Result::unwrap).find_map(|line| {
            let (_, rest) = line.split_once("http://127.0.0.1:")?;
            let (port, token) = rest.split_once("/?token=")?;
            Some((port.parse().unwrap(), token.to_owned()))
        });
        let (port, token) = address.unwrap();
        Limited { child, port, token }
    }

    fn status(&self, path: &str) -> Option<u16> {
        let mut stream = connect(self.port);
        let head = head(self.port, &self.token, &format!("GET {path}"));
        write!(stream, "{head}Connection: close\r\n\r\n").unwrap();
        status(&mut stream)
    }

    /// The most memory that the process has used, in kB.
    #[cfg(target_os = "linux")]
    fn most_memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.unwrap().split_whitespace().next().unwrap();
        number.parse().unwrap()
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves in the process that [`Limited`] starts.
#[test]
#[ignore = "it serves until its input ends, for other tests"]
fn serves_until_its_input_ends() {
    let served = plain();
    let mut out = std::io::stdout();
    writeln!(out, "{}", served.site.address()).unwrap();
    out.flush().unwrap();
    let mut end = Vec::new();
    std::io::stdin().read_to_end(&mut end).unwrap();
}

/// Raises the limit of this process's open files to the maximum.
#[cfg(unix)]
fn raise_own_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let known = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: known.maximum,
        maximum: known.maximum,
    };
    let _ = setrlimit(Resource::Nofile, raised);
}

#[cfg(unix)]
#[test]
fn idle_connections_do_not_block_others() {
    raise_own_limit();
    let limited = Limited::start(256);
    let mut idle = Vec::new();
    for _ in 0..2000 {
        // As many as this process may open.
        match TcpStream::connect(("127.0.0.1", limited.port)) {
            Ok(stream) => idle.push(stream),
            Err(_) => break,
        }
        if idle.len() % 500 == 0 {
            assert_eq!(limited.status("/api/version"), Some(200));
        }
    }
    assert!(idle.len() > 500, "{} connections", idle.len());
    assert_eq!(limited.status("/api/version"), Some(200));
    assert_eq!(limited.status("/api/info"), Some(200));
    drop(idle);
    assert_eq!(limited.status("/api/info"), Some(200));
}

#[cfg(unix)]
#[test]
fn keeps_serving_after_running_out_of_files() {
    let limited = Limited::start(28);
    let idle: Vec<TcpStream> = (0..60).map(|_| connect(limited.port)).collect();
    // Whether this one is answered depends on the files that are left; the next ones are.
    let _ = limited.status("/api/info");
    drop(idle);
    for _ in 0..100 {
        if limited.status("/api/info") == Some(200) {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("it does not serve any more");
}

#[cfg(target_os = "linux")]
#[test]
fn huge_heads_take_no_memory() {
    let limited = Limited::start(1024);
    assert_eq!(limited.status("/api/info"), Some(200));
    let before = limited.most_memory();
    let mut heads: Vec<TcpStream> = (0..4).map(|_| connect(limited.port)).collect();
    let piece = vec![b'a'; 1 << 20];
    for stream in &mut heads {
        stream.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap();
        for _ in 0..25 {
            if stream.write_all(&piece).is_err() {
                break;
            }
        }
        assert_eq!(status(stream), Some(431));
    }
    // Many short headers have as many bytes.
    let mut many = connect(limited.port);
    many.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let _ = many.write_all("a: b\r\n".repeat(1 << 16).as_bytes());
    assert_eq!(status(&mut many), Some(431));
    assert_eq!(limited.status("/api/info"), Some(200));
    let grown = limited.most_memory() - before;
    assert!(grown < 30_000, "{grown} kB more");
}
