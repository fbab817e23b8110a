use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::thread;

use super::*;
use crate::test_helpers::{make_pipe, names, reader};

fn put(out: &Path, replace: bool, text: &str) -> Result<u64, WriteError> {
    let mut file = WholeFile::create(out, replace)?;
    file.write_with(|to| to.write_all(text.as_bytes()))?;
    file.finish()
}

#[test]
fn file_appears_only_once_complete() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.txt");
    let mut file = WholeFile::create(&out, false).unwrap();
    file.write_with(|to| to.write_all(b"half")).unwrap();
    assert!(!out.exists());
    assert_eq!(file.path().unwrap().extension().unwrap(), "txt");
    drop(file);
    assert_eq!(names(folder.path()), [""; 0]);

    assert_eq!(put(&out, false, "whole").unwrap(), 5);
    assert_eq!(fs::read(&out).unwrap(), b"whole");
    assert_eq!(names(folder.path()), ["out.txt"]);
}

#[test]
fn replaces_files_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // Another file appears between the creation and the end.
    let file = WholeFile::create(&out, false).unwrap();
    fs::write(&out, "theirs").unwrap();
    fs::set_permissions(&out, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(matches!(file.finish(), Err(WriteError::Exists)));
    assert!(matches!(put(&out, false, "ours"), Err(WriteError::Exists)));
    assert_eq!(fs::read(&out).unwrap(), b"theirs");
    put(&out, true, "ours").unwrap();
    assert_eq!(fs::read(&out).unwrap(), b"ours");
    assert_eq!(out.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn failed_write_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut file = WholeFile::create(&out, false).unwrap();
    let full = file.write_with(|_| Err::<(), io::Error>(ErrorKind::StorageFull.into()));
    assert_eq!(full.unwrap_err().kind(), ErrorKind::StorageFull);
    drop(file);
    assert_eq!(names(folder.path()), [""; 0]);
    assert!(WholeFile::create(&out.join("x"), true).is_err());
    // The error names the folder, not a temporary file in it.
    let missing = folder.path().join("missing");
    let error = WholeFile::create(&missing.join("x"), true).unwrap_err();
    let said = error.to_string();
    assert!(
        said.ends_with(&format!(" in the folder {}", missing.display()))
            && !said.contains(".weft-"),
        "{said}"
    );
}

#[test]
fn replaces_symlink_target_and_keeps_the_link() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("far")).unwrap();
    fs::write(at("far/file"), "old").unwrap();
    symlink("far/file", at("link")).unwrap();
    symlink("far/new", at("dangling")).unwrap();
    assert!(matches!(
        put(&at("link"), false, "new"),
        Err(WriteError::Exists)
    ));
    put(&at("link"), true, "new").unwrap();
    put(&at("dangling"), false, "made").unwrap();
    assert!(at("link").is_symlink() && at("dangling").is_symlink());
    assert_eq!(fs::read(at("far/file")).unwrap(), b"new");
    assert_eq!(fs::read(at("far/new")).unwrap(), b"made");
    assert_eq!(names(&at("far")), ["file", "new"]);
}

#[test]
fn writes_through_devices_and_pipes() {
    use std::os::unix::fs::FileTypeExt;

    assert_eq!(put(Path::new("/dev/null"), true, "gone").unwrap(), 4);
    let kind = fs::symlink_metadata("/dev/null").unwrap().file_type();
    assert!(kind.is_char_device());

    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.txt");
    make_pipe(&pipe);
    let reader = reader(&pipe);
    let mut file = WholeFile::create(&pipe, false).unwrap();
    file.write_with(|to| to.write_all(b"first, ")).unwrap();
    // A writer that opens its output by name, such as SQLite.
    fs::write(file.path().unwrap(), "then").unwrap();
    assert_eq!(file.finish().unwrap(), 11);
    assert_eq!(reader.join().unwrap(), b"first, then");
    assert_eq!(names(folder.path()), ["pipe.txt"]);
}

#[test]
fn writes_open_files_at_their_current_position() {
    use std::os::fd::AsRawFd;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("redirected");
    let mut open = File::create(&path).unwrap();
    open.write_all(b"before, ").unwrap();
    let name = format!("/dev/fd/{}", open.as_raw_fd());
    put(Path::new(&name), false, "ours").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"before, ours");
    assert_eq!(names(folder.path()), ["redirected"]);
}

#[test]
fn concurrent_writers_of_one_path_all_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    thread::scope(|scope| {
        for text in ["aaaa", "bbbb", "cccc", "dddd"] {
            let out = &out;
            scope.spawn(move || {
                for _ in 0..20 {
                    put(out, true, text).unwrap();
                }
            });
        }
    });
    let text = fs::read_to_string(&out).unwrap();
    assert!(["aaaa", "bbbb", "cccc", "dddd"].contains(&text.as_str()));
    assert_eq!(names(folder.path()), ["out"]);
}

#[test]
fn keeps_write_protected_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::write(&out, "theirs").unwrap();
    symlink("out", folder.path().join("link")).unwrap();
    fs::set_permissions(&out, fs::Permissions::from_mode(0o444)).unwrap();
    for name in ["out", "link"] {
        let out = folder.path().join(name);
        assert!(matches!(
            put(&out, true, "ours"),
            Err(WriteError::Protected)
        ));
        let checked = crate::check(&out, true);
        assert!(matches!(checked, Err(WriteError::Protected)));
    }
    assert_eq!(fs::read(&out).unwrap(), b"theirs");
    assert_eq!(names(folder.path()), ["link", "out"]);
    fs::set_permissions(&out, fs::Permissions::from_mode(0o200)).unwrap();
    put(&out, true, "ours").unwrap();
    assert_eq!(out.metadata().unwrap().permissions().mode() & 0o777, 0o200);
}

/// The output of this test when `syncs_output_before_renaming_it` runs it, in a process
/// whose calls of fsync are logged.
const NOTED: &str = "WEFT_TEST_NOTED_OUTPUT";

#[test]
fn writes_an_output_for_another_test() {
    if let Some(out) = std::env::var_os(NOTED) {
        put(Path::new(&out), true, "all of it").unwrap();
    }
}

/// Logs for each call of fsync whether it is of a folder, and the state of the output.
const NOTE_SYNC: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
int fsync(int fd) {
    struct stat of, out;
    fstat(fd, &of);
    const char *path = getenv("WEFT_TEST_NOTED_OUTPUT");
    int is_there = path && stat(path, &out) == 0;
    FILE *notes = fopen(getenv("WEFT_TEST_NOTES"), "a");
    fprintf(notes, "%s %lld %lld\n", S_ISDIR(of.st_mode) ? "folder" : "file",
            S_ISDIR(of.st_mode) ? -1LL : (long long)of.st_size, is_there ? (long long)out.st_size : -1LL);
    fclose(notes);
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return real(fd);
}
"#;

#[cfg(target_os = "linux")]
#[test]
fn syncs_output_before_renaming_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("note.c"), NOTE_SYNC).unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([at("note.so"), at("note.c")])
        .arg("-ldl")
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        let is_required = required.split(',').any(|name| name.trim() == "cc");
        assert!(
            !is_required,
            "there is no C compiler, but WEFT_TEST_REQUIRE names it"
        );
        eprintln!("skipped: there is no C compiler");
        return;
    }
    let out = at("out");
    for before in [None, Some("old")] {
        let _ = fs::remove_file(at("notes"));
        if let Some(before) = before {
            fs::write(&out, before).unwrap();
        }
        let run = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "whole::tests::writes_an_output_for_another_test"])
            .env(NOTED, &out)
            .env("WEFT_TEST_NOTES", at("notes"))
            .env("LD_PRELOAD", at("note.so"))
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        // First all of the new file is synced, before the output is replaced; then the folder,
        // afterwards.
        let earlier = before.map_or(-1, |text| text.len() as i64);
        assert_eq!(
            fs::read_to_string(at("notes")).unwrap(),
            format!("file 9 {earlier}\nfolder -1 9\n")
        );
    }
}
