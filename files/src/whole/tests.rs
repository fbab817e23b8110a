use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::thread;

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn put(out: &Path, replace: bool, text: &str) -> Result<u64, WriteError> {
    let mut file = WholeFile::create(out, replace)?;
    file.write_with(|to| to.write_all(text.as_bytes()))?;
    file.finish()
}

#[test]
fn a_file_appears_when_it_is_complete_and_not_before() {
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
fn a_file_is_replaced_only_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // Another one appears between the beginning and the end.
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
fn a_failed_write_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut file = WholeFile::create(&out, false).unwrap();
    let full = file.write_with(|_| Err::<(), io::Error>(ErrorKind::StorageFull.into()));
    assert_eq!(full.unwrap_err().kind(), ErrorKind::StorageFull);
    drop(file);
    assert_eq!(names(folder.path()), [""; 0]);
    assert!(WholeFile::create(&out.join("x"), true).is_err());
}

#[test]
fn the_target_of_a_link_is_replaced_and_the_link_stays() {
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
fn devices_and_pipes_are_written_through() {
    use std::os::unix::fs::FileTypeExt;

    assert_eq!(put(Path::new("/dev/null"), true, "gone").unwrap(), 4);
    let kind = fs::symlink_metadata("/dev/null").unwrap().file_type();
    assert!(kind.is_char_device());

    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.txt");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let reader = {
        let pipe = pipe.clone();
        thread::spawn(move || {
            let mut text = String::new();
            File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
            text
        })
    };
    let mut file = WholeFile::create(&pipe, false).unwrap();
    file.write_with(|to| to.write_all(b"first, ")).unwrap();
    // What opens its output by name, as SQLite does.
    fs::write(file.path().unwrap(), "then").unwrap();
    assert_eq!(file.finish().unwrap(), 11);
    assert_eq!(reader.join().unwrap(), "first, then");
    assert_eq!(names(folder.path()), ["pipe.txt"]);
}

#[test]
fn an_open_file_is_written_where_it_stands() {
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
fn threads_that_write_one_path_all_succeed() {
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
