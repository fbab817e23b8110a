//! The destinations of `save` and `save_npz`, and the cost of files that declare more than they
//! contain.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::Command;
use std::thread;

use weft::error::{Error, FileCause};
use weft::{load, load_npz, save_npz};
use zip::write::SimpleFileOptions;

use super::*;
use helpers::{make_pipe, names, reader};

#[path = "../../../../common/files/src/test_helpers.rs"]
mod helpers;

/// Whether other ranks run this test too. Their threads run in another order, and their memories
/// count.
fn is_rank() -> bool {
    std::env::var_os("WEFT_TEST_RANKS").is_some()
}

#[test]
fn replaces_symlink_targets_and_keeps_links() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("far")).unwrap();
    fs::write(path("far/x.npy"), "old").unwrap();
    fs::write(path("precious"), "precious").unwrap();
    symlink("far/x.npy", path("x.npy")).unwrap();
    symlink("far/new.npz", path("new.npz")).unwrap();
    // A predictable name, created by an attacker.
    let guess = format!("y.npy.{}.partial", std::process::id());
    symlink("precious", path(&guess)).unwrap();
    on(1, || {
        let x = weft::arange(5i64);
        x.save(path("x.npy")).unwrap();
        save_npz(path("new.npz"), &[("x", x.as_dyn())]).unwrap();
        x.save(path("y.npy")).unwrap();
        assert_eq!(load(path("x.npy")).unwrap().shape(), [5]);
        assert_eq!(load_npz(path("new.npz")).unwrap()[0].1.shape(), [5]);
    });
    assert!(path("x.npy").is_symlink() && path("new.npz").is_symlink());
    assert_eq!(names(&path("far")), ["new.npz", "x.npy"]);
    assert_eq!(fs::read(path("precious")).unwrap(), b"precious");
    assert_eq!(names(folder.path()).len(), 6);
}

#[test]
fn keeps_write_protected_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    fs::write(&path, "precious").unwrap();
    let mut rights = path.metadata().unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(&path, rights).unwrap();
    on(1, || {
        let x = weft::arange(5i64);
        for refused in [x.save(&path), save_npz(&path, &[("x", x.as_dyn())])] {
            let said = refused.unwrap_err().to_string();
            assert!(said.contains("write-protected"), "{said}");
        }
    });
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    assert_eq!(names(folder.path()), ["x.npy"]);
}

#[test]
fn writes_through_devices_and_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    on(1, || {
        let x = weft::arange(1000f64);
        x.save("/dev/null").unwrap();
        save_npz("/dev/null", &[("x", x.as_dyn())]).unwrap();
        let null = fs::symlink_metadata("/dev/null").unwrap();
        assert!(null.file_type().is_char_device());

        x.save(path("x.npy")).unwrap();
        save_npz(path("x.npz"), &[("x", x.as_dyn())]).unwrap();
        let pipe = path("pipe");
        make_pipe(&pipe);
        for name in ["x.npy", "x.npz"] {
            let reader = reader(&pipe);
            match name {
                "x.npy" => x.save(&pipe).unwrap(),
                _ => save_npz(&pipe, &[("x", x.as_dyn())]).unwrap(),
            }
            let whole = fs::read(path(name)).unwrap();
            // The time of an archive's members is part of it.
            let length = if name == "x.npy" { whole.len() } else { 4 };
            let read = reader.join().unwrap();
            assert_eq!(read.len(), whole.len(), "{name}");
            assert!(read[..length] == whole[..length], "{name}");
        }
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    });
    assert_eq!(names(folder.path()), ["pipe", "x.npy", "x.npz"]);
}

#[test]
fn concurrent_saves_to_one_path_all_succeed() {
    if is_rank() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let runtime = support::runtime(&support::small_tiles(2));
    runtime.enter(|| {
        thread::scope(|scope| {
            for value in 0..4i64 {
                let (path, runtime) = (&path, runtime.clone());
                scope.spawn(move || {
                    runtime.enter(|| {
                        let x = weft::full(&[500], value);
                        (0..20).for_each(|_| x.save(path).unwrap());
                    });
                });
            }
        });
        let found = Array::<i64>::try_from(load(&path).unwrap()).unwrap();
        let values = vec(&found);
        assert!(values.len() == 500 && values.iter().all(|value| *value == values[0]));
    });
    assert_eq!(names(folder.path()), ["x.npy"]);
}

/// Writes an `.npz` of zeros, compressed to roughly a thousandth of its size in memory.
fn bomb(path: &Path, arrays: usize, mib: usize) {
    let mut archive = zip::ZipWriter::new(File::create(path).unwrap());
    for number in 0..arrays {
        archive
            .start_file(format!("x{number}.npy"), SimpleFileOptions::default())
            .unwrap();
        let text = format!(
            "{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}",
            mib << 17
        );
        let mut head = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        head.extend(format!("{text:<117}\n").bytes());
        archive.write_all(&head).unwrap();
        let zeros = vec![0; 1 << 20];
        (0..mib).for_each(|_| archive.write_all(&zeros).unwrap());
    }
    archive.finish().unwrap();
}

#[test]
fn memory_size_bounds_declared_file_size() {
    if is_rank() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    bomb(&path("one.npz"), 1, 96);
    bomb(&path("many.npz"), 6, 16);
    bomb(&path("fits.npz"), 2, 16);
    // The header declares 64 GiB of elements.
    let mut head = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (8589934592,), }";
    head.extend(format!("{text:<117}\n").bytes());
    fs::write(path("empty.npy"), &head).unwrap();
    support::on("--cpus 1 --sysmem 64", || {
        for (name, bytes) in [("one.npz", 96 << 20), ("many.npz", 96 << 20)] {
            let Err(Error::File(error)) = load_npz(path(name)) else {
                panic!("{name} was read")
            };
            let FileCause::TooLarge { needed, capacity } = error.cause else {
                panic!("{error}")
            };
            assert_eq!((needed, capacity), (bytes, 64 << 20), "{name}");
            let said = error.to_string();
            assert!(said.contains("--sysmem"), "{said}");
        }
        let Err(Error::File(error)) = load(path("empty.npy")) else {
            panic!("it was read")
        };
        assert!(
            error
                .to_string()
                .contains("ends after 0 of 68719476736 bytes"),
            "{error}"
        );
        let arrays = load_npz(path("fits.npz")).unwrap();
        assert_eq!(arrays.len(), 2);
        let sum = Array::<f64>::try_from(arrays[1].1.clone())
            .unwrap()
            .sum()
            .item();
        assert_eq!(sum, 0.0);
    });
}

const LIMITED: &str = "WEFT_TEST_LIMITED_FOLDER";

/// The part of `file_size_limit_fails_saves_and_leaves_no_file` that runs under `ulimit -f`.
#[test]
fn victim_saves_under_file_size_limit() {
    let Some(folder) = std::env::var_os(LIMITED) else {
        return;
    };
    let folder = Path::new(&folder);
    on(1, || {
        let x = weft::arange(100_000f64);
        for refused in [
            x.save(folder.join("x.npy")),
            save_npz(folder.join("x.npz"), &[("x", x.as_dyn())]),
        ] {
            let said = refused.unwrap_err().to_string();
            assert!(said.contains("File too large"), "{said}");
        }
        weft::arange(10f64).save(folder.join("small.npy")).unwrap();
    });
}

#[test]
fn file_size_limit_fails_saves_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args([
            "-c",
            "ulimit -f 16; exec \"$0\" --exact places::victim_saves_under_file_size_limit",
        ])
        .arg(std::env::current_exe().unwrap())
        // The process must not be another rank of a launch.
        .env_clear()
        .env(LIMITED, folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(names(folder.path()), ["small.npy"]);
}
