//! `weft view`: live runs, two runs, parts of a run, pictures, and the browser that it opens.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::support;
use support::example::{Run, USUAL};
use support::{Background, program, weft, weft_path};

/// The number of tries to wait for an expected event. The tests do not check how long anything
/// takes.
const PATIENCE: u32 = 1200;
const MOMENT: Duration = Duration::from_millis(100);

/// A serving `weft view`.
struct Server {
    _program: Background,
    port: u16,
    token: String,
    /// The messages so far.
    said: String,
    says: BufReader<std::process::ChildStderr>,
}

impl Server {
    fn start(command: &mut Command) -> Server {
        let mut program = Background::of(command.stdin(Stdio::null()));
        let mut says = BufReader::new(program.0.stderr.take().unwrap());
        let mut said = String::new();
        loop {
            let from = said.len();
            assert!(says.read_line(&mut said).unwrap() > 0, "it ended: {said}");
            if let Some((_, rest)) = said[from..].split_once("http://127.0.0.1:") {
                let (port, token) = rest.trim().split_once("/?token=").unwrap();
                return Server {
                    _program: program,
                    port: port.parse().unwrap(),
                    token: token.to_owned(),
                    said,
                    says,
                };
            }
        }
    }

    fn of(arguments: &[&str], inputs: &[&Path]) -> Server {
        let mut command = view();
        command.arg("--no-open").args(arguments).args(inputs);
        Server::start(&mut command)
    }

    /// Reads messages until this one.
    fn until_said(&mut self, what: &str) {
        while !self.said.contains(what) {
            let read = self.says.read_line(&mut self.said).unwrap();
            assert!(read > 0, "it ended: {}", self.said);
        }
    }

    fn json(&self, path: &str) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let (port, token) = (self.port, &self.token);
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Weft-Token: {token}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        serde_json::from_str(body).unwrap()
    }
}

/// Returns the command `weft view` without a browser from the environment.
fn view() -> Command {
    let mut command = Command::new(weft_path());
    command.arg("view");
    for name in ["WEFT_CONFIG", "BROWSER", "SSH_CONNECTION"] {
        command.env_remove(name);
    }
    command
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..PATIENCE {
        if is_so() {
            return;
        }
        std::thread::sleep(MOMENT);
    }
    panic!("timed out waiting for {what}");
}

fn stencil() -> (Run, PathBuf) {
    let run = Run::of("stencil", USUAL, &["-n", "60", "-i", "6"]);
    let profile = run.prof();
    (run, profile)
}

#[test]
fn shows_finished_runs_completely() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("weft_0.prof");
    let mut running = Background::of(
        Command::new(program("stencil"))
            .args(["-n", "200", "-i", "400"])
            .current_dir(folder.path())
            .env("WEFT_CONFIG", "--profile"),
    );
    wait_for("the profile", || {
        profile.metadata().is_ok_and(|known| known.len() > 4096)
    });
    let mut server = Server::of(&["--follow"], &[&profile]);
    assert!(running.0.wait().unwrap().success());
    server.until_said("the run has ended");
    let info = server.json("/api/info");
    assert_eq!(info["live"], false);
    let alone = Server::of(&[], &[&profile]);
    let whole = alone.json("/api/info");
    for key in ["end", "lanes", "names", "lines", "counters", "critical"] {
        assert_eq!(info[key], whole[key], "{key}");
    }
}

/// Starts a stencil that takes longer than any test, with its profile in a folder.
fn endless(folder: &Path) -> (Background, PathBuf) {
    endless_by(&mut Command::new(program("stencil")), folder)
}

/// Starts a command that runs a stencil longer than any test, with its profile in a folder.
fn endless_by(command: &mut Command, folder: &Path) -> (Background, PathBuf) {
    let profile = folder.join("weft_0.prof");
    let running = Background::of(
        command
            .args(["-n", "1000", "-i", "100000000"])
            .current_dir(folder)
            .env("WEFT_CONFIG", "--profile"),
    );
    wait_for("the profile", || {
        profile.metadata().is_ok_and(|known| known.len() > 4096)
    });
    (running, profile)
}

/// Returns the number of slices that the page has now.
fn slices(info: &Value) -> u64 {
    let lanes = info["lanes"].as_array().unwrap();
    lanes.iter().filter_map(|lane| lane["items"].as_u64()).sum()
}

/// Checks that the page stays available after the program's end, and is marked as complete.
fn has_ended_by_itself(server: &Server) {
    let info = server.json("/api/info");
    assert_eq!(info["live"], false);
    let unknown = info["unknown"].to_string();
    assert!(unknown.contains("killed"), "{unknown}");
    // The present part can be viewed: a task, its line, and the costs of the line.
    let hits = server.json("/api/search?q=stencil&limit=1");
    let id = hits["items"][0]["id"].as_u64().unwrap();
    let item = server.json(&format!("/api/item?id={id}"));
    assert_eq!(item["line"]["id"], hits["items"][0]["line"], "{item}");
    let source = server.json("/api/source?file=0");
    assert!(!source["lines"].as_array().unwrap().is_empty());
    assert_ne!(
        source["unsaved"],
        "savings of lines are simulated when the run has ended"
    );
}

#[test]
fn shows_killed_runs_up_to_their_last_records() {
    let folder = tempfile::tempdir().unwrap();
    let (mut running, profile) = endless(folder.path());
    let mut server = Server::of(&["--follow"], &[&profile]);
    let first = server.json("/api/info");
    assert_eq!(first["live"], true);
    wait_for("the page to be renewed", || {
        let now = server.json("/api/info");
        assert_eq!(now["live"], true);
        slices(&now) > slices(&first)
    });
    running.signal("KILL");
    assert_eq!(running.0.wait().unwrap().signal(), Some(9));
    server.until_said("the program ended unexpectedly; the page shows the records up to then");
    has_ended_by_itself(&server);
    let info = server.json("/api/info");
    assert!(slices(&info) > slices(&first));
}

/// Returns a command that runs in a PID namespace of its own, as in a container. Prints a message
/// and returns `None` if that is not allowed.
fn in_another_pid_namespace() -> Option<Command> {
    let command = || {
        let mut command = Command::new("unshare");
        command.args(["-r", "-p", "-f", "--mount-proc", "--kill-child"]);
        command
    };
    let can = command().arg("true").output();
    if !can.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: unshare cannot make a PID namespace here");
        return None;
    }
    Some(command())
}

#[test]
fn follows_programs_in_other_pid_namespaces() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut command) = in_another_pid_namespace() else {
        return;
    };
    let (running, profile) = endless_by(command.arg(program("stencil")), folder.path());
    let mut server = Server::of(&["--follow"], &[&profile]);
    assert_eq!(server.json("/api/info")["live"], true);
    // The first process of the namespace has another number there. A stopped process does not write
    // its file.
    let parent = running.0.id();
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap();
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, children.trim()]).status();
        assert!(sent.unwrap().success(), "kill {name} {children}");
    };
    signal("-STOP");
    // Longer than the time without growth after which a program counts as ended.
    std::thread::sleep(Duration::from_secs(13));
    assert_eq!(server.json("/api/info")["live"], true);
    signal("-KILL");
    server.until_said("the program ended unexpectedly; the page shows the records up to then");
    has_ended_by_itself(&server);
}

#[test]
fn follows_only_weft_profiles() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("report.sqlite");
    fs::write(&other, "SQLite format 3\0 and what follows").unwrap();
    let mut command = weft();
    command.args(["view", "--no-open", "--follow"]).arg(&other);
    let assert = command.assert().code(2);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("--follow takes profiles of Weft"), "{said}");
}

#[test]
fn shows_two_runs_with_the_diff_table() {
    let (_one, before) = stencil();
    let (_other, after) = stencil();
    let mut command = view();
    command
        .arg("--no-open")
        .args([before.as_path(), Path::new("--"), &after]);
    let server = Server::start(&mut command);
    let infos = ["/api/info", "/api/info?side=1"].map(|path| server.json(path));
    assert_ne!(infos[0]["end"], infos[1]["end"]);
    assert_eq!(server.json("/api/version")["runs"], 2);
    let mut diff = weft();
    diff.args(["diff", "--format", "json"]);
    diff.args([before.as_path(), Path::new("--"), &after]);
    let output = diff.assert().success().get_output().stdout.clone();
    let rows: Value = serde_json::from_slice(&output).unwrap();
    assert!(rows.as_array().unwrap().len() > 4);
    assert_eq!(server.json("/api/changes"), rows);
}

#[test]
fn opens_at_the_requested_part() {
    let (_run, profile) = stencil();
    let server = Server::of(&["--between", "25%..75%"], &[&profile]);
    let info = server.json("/api/info");
    let [from, to] = [0, 1].map(|at| info["part"][at].as_f64().unwrap());
    let end = info["end"].as_f64().unwrap();
    assert!(0.0 < from && from < to && to < end, "{info}");
    // A picture shows only that part.
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("part.svg");
    let mut command = weft();
    command
        .args(["view", "--between", "25%..75%", "--svg"])
        .arg(&out);
    command.arg(&profile).assert().success();
    let part = fs::read_to_string(&out).unwrap();
    command = weft();
    command.args(["view", "--force", "--svg"]).arg(&out);
    command.arg(&profile).assert().success();
    assert_ne!(part, fs::read_to_string(&out).unwrap());
    // A page in a file shows that it has details of that part only.
    command = weft();
    let page = folder.path().join("part.html");
    command
        .args(["view", "--between", "25%..75%", "--html"])
        .arg(&page);
    let assert = command.arg(&profile).assert().success();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("details outside of"), "{said}");
}

#[test]
fn pictures_have_the_requested_size_and_replace_no_files() {
    let (_run, profile) = stencil();
    let folder = tempfile::tempdir().unwrap();
    let [svg, png] = ["out.svg", "out.png"].map(|name| folder.path().join(name));
    let mut command = weft();
    command.args([
        "view", "--width", "640", "--height", "400", "--lanes", "Program",
    ]);
    command
        .arg("--svg")
        .arg(&svg)
        .arg("--png")
        .arg(&png)
        .arg(&profile);
    command.assert().success();
    let text = fs::read_to_string(&svg).unwrap();
    assert!(text.contains("width=\"640\" height=\"400\""), "{text}");
    assert!(
        text.contains("main.rs:") && text.contains("Program"),
        "{text}"
    );
    let bytes = fs::read(&png).unwrap();
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(
        (&bytes[1..4], word(16), word(20)),
        (b"PNG".as_slice(), 640, 400)
    );
    let mut again = weft();
    again.args(["view", "--png"]).arg(&png).arg(&profile);
    again.assert().code(1);
    assert_eq!(fs::read(&png).unwrap(), bytes);
    let mut input = weft();
    input
        .args(["view", "--force", "--svg"])
        .arg(&profile)
        .arg(&profile);
    input.assert().code(2);
}

/// A program in place of a browser that records its arguments.
struct Stub {
    folder: TempDir,
}

impl Stub {
    fn new() -> Stub {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("xdg-open");
        let script = "#!/bin/sh\ncp \"$1\" \"$STUB/opened.html\"\nstat -c %a \"$1\" > \"$STUB/mode\"\n\
                      tr '\\0' ' ' < /proc/$$/cmdline > \"$STUB/called.part\"\nmv \"$STUB/called.part\" \"$STUB/called\"\n";
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Stub { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Checks the recorded arguments, once there are any: they contain no token, but a file that
    /// only this user can read, which leads to the page.
    fn check(&self, server: &Server) {
        wait_for("a browser", || self.file("called").exists());
        let called = fs::read_to_string(self.file("called")).unwrap();
        assert!(called.contains("open.html"), "{called}");
        assert!(!called.contains(&server.token), "{called}");
        assert_eq!(fs::read_to_string(self.file("mode")).unwrap().trim(), "600");
        let opened = fs::read_to_string(self.file("opened.html")).unwrap();
        let address = format!("http://127.0.0.1:{}/?token={}", server.port, server.token);
        assert!(opened.contains(&address), "{opened}");
    }
}

#[test]
fn opens_the_browser_without_exposing_the_token() {
    let (_run, profile) = stencil();
    // The chosen browser; then that of the system.
    let stub = Stub::new();
    let mut command = view();
    command.env("BROWSER", stub.file("xdg-open"));
    command.env("STUB", stub.folder.path()).arg(&profile);
    stub.check(&Server::start(&mut command));
    let stub = Stub::new();
    let mut paths = std::ffi::OsString::from(stub.folder.path());
    paths.push(":");
    paths.push(std::env::var_os("PATH").unwrap());
    let mut command = view();
    command.env("PATH", paths).env("STUB", stub.folder.path());
    stub.check(&Server::start(command.arg(&profile)));
}

#[test]
fn prints_instructions_instead_of_a_browser_over_ssh() {
    let (_run, profile) = stencil();
    let stub = Stub::new();
    let mut command = view();
    command
        .env("BROWSER", stub.file("xdg-open"))
        .env("STUB", stub.folder.path());
    command.env("SSH_CONNECTION", "10.0.0.1 50000 10.0.0.2 22");
    let mut server = Server::start(command.arg(&profile));
    let port = server.port;
    server.until_said(&format!("ssh -N -L {port}:127.0.0.1:{port} HOST"));
    let hint = server.said.lines().last().unwrap();
    assert!(!hint.contains(&server.token), "{hint}");
    server.json("/api/info");
    assert!(!stub.file("called").exists());
}

#[test]
fn missing_browser_gives_one_sentence() {
    let (_run, profile) = stencil();
    let mut command = view();
    command.env("BROWSER", "/nowhere/browser").arg(&profile);
    let mut server = Server::start(&mut command);
    server.until_said("no browser could be opened (/nowhere/browser");
    server.json("/api/info");
}
