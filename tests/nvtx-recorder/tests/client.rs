//! Weft's NVTX client against the recorder: the calls that a tool receives, and programs without a
//! tool.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a failed setup fails the test, and skipped tests are reported"
)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nvtx_recorder::{
    Attributes, Event, Message, Payload, Record, Step, library, read, sample, to_json,
};
use tempfile::TempDir;

#[path = "support/skip.rs"]
mod skip;

use skip::skip;

/// One run of a program in a separate process.
struct Run {
    folder: TempDir,
    command: Command,
}

impl Run {
    fn of(program: &[Step]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("program.json");
        fs::write(&path, to_json(program)).expect("a written program");
        let mut command = Command::new(env!("CARGO_BIN_EXE_ranges"));
        command
            .arg(path)
            .env_remove("NVTX_INJECTION64_PATH")
            .env_remove("NVTX_RECORDER_LEAVE_OUT");
        Self { folder, command }
    }

    fn recorded(program: &[Step]) -> Self {
        let mut run = Self::of(program);
        let out = run.out();
        run.command
            .env("NVTX_INJECTION64_PATH", recorder())
            .env("NVTX_RECORDER_OUT", out);
        run
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out.jsonl")
    }

    /// Returns the output of the program.
    fn said(&mut self) -> String {
        let output = self.command.output().expect("a started program");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout)
            .expect("text")
            .trim_end()
            .to_owned()
    }

    fn records(mut self) -> Vec<Record> {
        assert_eq!(self.said(), "attached");
        read(&self.out()).expect("records")
    }
}

fn recorder() -> PathBuf {
    library().expect("the recorder's library, which Cargo builds with this test")
}

fn attributes(category: u32, color: u32, payload: u64, text: &str) -> Attributes {
    Attributes {
        version: 3,
        size: 48,
        category,
        color: Some(color),
        payload: Payload::U64(payload),
        message: Message::Registered(text.to_owned()),
    }
}

#[test]
fn records_every_field_of_every_call() {
    let weft = || Some("weft".to_owned());
    let other = || Some("other".to_owned());
    let register = |domain, text: &str| Event::StringRegister {
        domain,
        text: text.to_owned(),
    };
    let category = |domain, category, name: &str| Event::CategoryName {
        domain,
        category,
        name: name.to_owned(),
    };
    let add = || attributes(1, 0xff4e79a7, 1, "ADD stencil.rs:12");
    let dot = attributes(2, 0xfff28e2b, i64::MAX as u64, "DOT größe.rs:7");
    let expected = vec![
        Event::Attached { version: 3 },
        Event::DomainCreate {
            name: "weft".to_owned(),
        },
        Event::DomainCreate {
            name: "other".to_owned(),
        },
        Event::ThreadName {
            named: 77,
            name: "weft utility".to_owned(),
        },
        category(weft(), 1, "CPU"),
        register(weft(), "ADD stencil.rs:12"),
        Event::Push {
            domain: weft(),
            level: 0,
            attributes: add(),
        },
        category(weft(), 2, "OMP"),
        register(weft(), "DOT größe.rs:7"),
        Event::Push {
            domain: weft(),
            level: 1,
            attributes: dot,
        },
        Event::Pop {
            domain: weft(),
            level: 1,
        },
        category(other(), 1, "GPU"),
        register(other(), "ADD stencil.rs:12"),
        Event::Push {
            domain: other(),
            level: 0,
            attributes: attributes(1, 0, 0, "ADD stencil.rs:12"),
        },
        Event::Pop {
            domain: other(),
            level: 0,
        },
        Event::Pop {
            domain: weft(),
            level: 0,
        },
        register(weft(), "start"),
        Event::Start {
            domain: weft(),
            range: 1,
            attributes: attributes(1, 0xffe15759, 2, "start"),
        },
        Event::Push {
            domain: weft(),
            level: 0,
            attributes: add(),
        },
        register(weft(), ""),
        Event::Mark {
            domain: weft(),
            attributes: attributes(1, 0x80ffffff, u64::MAX, ""),
        },
        Event::Pop {
            domain: weft(),
            level: 0,
        },
        Event::End {
            domain: weft(),
            range: 1,
        },
        Event::DomainDestroy { domain: weft() },
        Event::DomainDestroy { domain: other() },
    ];

    let records = Run::recorded(&sample()).records();
    let events: Vec<Event> = records.iter().map(|record| record.event.clone()).collect();
    assert_eq!(events, expected);

    let main = records[0].thread;
    let second = records[18].thread;
    assert_ne!(main, second);
    let threads: Vec<u32> = records.iter().map(|record| record.thread).collect();
    assert!(
        threads[..18]
            .iter()
            .chain(&threads[23..])
            .all(|thread| *thread == main)
    );
    assert!(threads[18..23].iter().all(|thread| *thread == second));
    assert!(records.is_sorted_by_key(|record| record.time));
}

#[test]
fn replaces_nul_in_names() {
    let mut program = sample();
    program.truncate(1);
    program[0] = Step::NameThread(1, "a\0b\0".to_owned());
    let records = Run::recorded(&program).records();
    assert_eq!(
        records[1].event,
        Event::ThreadName {
            named: 1,
            name: "a\u{fffd}b\u{fffd}".to_owned()
        }
    );
}

#[test]
fn skips_calls_absent_from_the_tool() {
    let everything = Run::recorded(&sample()).records();
    for (call, missing) in [
        ("nvtxDomainRangePushEx", &["push", "pop"][..]),
        ("nvtxDomainRangePop", &["pop"]),
        ("nvtxDomainRangeStartEx", &["start", "end"]),
        ("nvtxDomainRangeEnd", &["end"]),
        ("nvtxDomainMarkEx", &["mark"]),
        ("nvtxDomainNameCategoryA", &["category_name"]),
        ("nvtxNameOsThreadA", &["thread_name"]),
        ("nvtxDomainRegisterStringA", &["string_register"]),
    ] {
        let mut run = Run::recorded(&sample());
        run.command.env("NVTX_RECORDER_LEAVE_OUT", call);
        let records = run.records();
        let mut expected = count(&everything);
        for kind in missing {
            expected.remove(*kind);
        }
        let mut counts = count(&records);
        // Without the pop, ranges stay open, which is not a fault of the client.
        if call == "nvtxDomainRangePop" {
            counts.remove("fault");
        }
        assert_eq!(counts, expected, "without {call}");
    }
}

#[test]
fn omits_messages_without_registered_strings() {
    let mut run = Run::recorded(&sample());
    run.command
        .env("NVTX_RECORDER_LEAVE_OUT", "nvtxDomainRegisterStringA");
    let messages: Vec<Message> = run
        .records()
        .into_iter()
        .filter_map(|record| match record.event {
            Event::Push { attributes, .. } => Some(attributes.message),
            _ => None,
        })
        .collect();
    assert_eq!(messages, vec![Message::None; 4]);
}

#[test]
fn tool_without_calls_changes_nothing() {
    let mut run = Run::recorded(&sample());
    run.command.env(
        "NVTX_RECORDER_LEAVE_OUT",
        "nvtxDomainCreateA,nvtxDomainDestroy,nvtxDomainRegisterStringA,nvtxDomainNameCategoryA,\
         nvtxDomainMarkEx,nvtxDomainRangePushEx,nvtxDomainRangePop,nvtxDomainRangeStartEx,\
         nvtxDomainRangeEnd,nvtxNameOsThreadA",
    );
    let records = run.records();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].event, Event::Attached { version: 3 });
}

#[test]
fn loads_no_tool_without_the_variable() {
    assert_eq!(Run::of(&sample()).said(), "no tool");
}

#[test]
fn dot_path_disables_tools_without_error() {
    let mut run = Run::of(&sample());
    run.command.env("NVTX_INJECTION64_PATH", "./.");
    assert_eq!(run.said(), "no tool");
}

#[test]
fn reports_missing_tool_path() {
    let mut run = Run::of(&sample());
    run.command.env("NVTX_INJECTION64_PATH", "/nowhere/tool.so");
    let said = run.said();
    assert!(said.contains("\"/nowhere/tool.so\""), "{said}");
    assert!(said.contains("No such file"), "{said}");
    assert!(said.contains("NVTX_INJECTION64_PATH"), "{said}");
}

#[test]
fn reports_libraries_that_are_not_tools() {
    let Some(path) = c_library() else {
        skip("libc", "the C library's file is not known here");
        return;
    };
    let mut run = Run::of(&sample());
    run.command.env("NVTX_INJECTION64_PATH", &path);
    let said = run.said();
    assert!(
        said.contains(&format!("{path:?} is not an NVTX tool")),
        "{said}"
    );
}

#[test]
fn reports_tools_that_refuse_to_start() {
    let mut run = Run::of(&sample());
    run.command
        .env("NVTX_INJECTION64_PATH", recorder())
        .env_remove("NVTX_RECORDER_OUT");
    let said = run.said();
    assert!(said.contains("refused to start"), "{said}");
    assert!(!run.out().exists());
}

/// A tool that is part of the program: a preloaded library exports the variable that such a tool
/// defines.
#[test]
fn finds_tools_linked_into_the_program() {
    let mut run = Run::of(&sample());
    let source = run.folder.path().join("linked.c");
    let library = run.folder.path().join("linked.so");
    let text = "int InitializeInjectionNvtx2(void*);\n\
                int (*InitializeInjectionNvtx2_fnptr)(void*) = InitializeInjectionNvtx2;\n";
    fs::write(&source, text).expect("a written source");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source, &recorder()])
        .output();
    let Ok(compiled) = compiled else {
        skip("cc", "no C compiler is here");
        return;
    };
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    run.command
        .env(
            "LD_PRELOAD",
            std::env::join_paths([recorder(), library]).expect("paths"),
        )
        .env("NVTX_RECORDER_OUT", run.folder.path().join("out.jsonl"));
    let linked = run.records();
    assert_eq!(count(&linked), count(&Run::recorded(&sample()).records()));
}

fn count(records: &[Record]) -> HashMap<&'static str, usize> {
    let mut counts = HashMap::new();
    for record in records {
        *counts.entry(record.event.kind()).or_insert(0) += 1;
    }
    counts
}

/// The file of the C library that this process runs on.
fn c_library() -> Option<PathBuf> {
    fs::read_to_string("/proc/self/maps")
        .ok()?
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5))
        .map(Path::new)
        .find(|path| path.file_name().is_some_and(|name| name == "libc.so.6"))
        .map(Path::to_owned)
}
