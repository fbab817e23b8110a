//! Files that NumPy reads, and files that it has written.

use std::path::Path;
use std::process::Command;

use weft::error::{Error, FileCause};
use weft::{DynArray, load, load_npz, save_npz};

use super::*;

/// Runs a script with NumPy in a folder. Returns `false` after a message if there is no NumPy.
fn numpy(folder: &Path, script: &str) -> bool {
    let python = |code: &str| {
        Command::new("python3")
            .args(["-c", code])
            .current_dir(folder)
            .output()
    };
    let is_here = python("import numpy").is_ok_and(|output| output.status.success());
    if !is_here {
        let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        assert!(
            !required.split(',').any(|name| name.trim() == "numpy"),
            "NumPy is not installed, but WEFT_TEST_REQUIRE names it"
        );
        eprintln!("skipped: python3 with NumPy is not installed");
        return false;
    }
    let output = python(&format!("import numpy as np\n{script}")).unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    true
}

fn cause(result: Result<DynArray, Error>) -> String {
    match result.unwrap_err() {
        Error::File(error) => {
            let said = error.to_string();
            assert!(said.contains(error.path.to_str().unwrap()), "{said}");
            said
        }
        other => panic!("{other}"),
    }
}

#[test]
fn numpy_reads_files_written_by_weft() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    on(2, || {
        let x = weft::arange(6.0f64).reshape(&[2, 3]);
        x.save(path("f8.npy")).unwrap();
        x.t().save(path("turned.npy")).unwrap();
        x.cast::<f32>().save(path("f4.npy")).unwrap();
        x.cast::<i8>().save(path("i1.npy")).unwrap();
        x.cast::<u16>().save(path("u2.npy")).unwrap();
        x.greater(2.5).save(path("b1.npy")).unwrap();
        weft::full(&[], 7i64).save(path("scalar.npy")).unwrap();
        weft::zeros::<i32>(&[3, 0]).save(path("empty.npy")).unwrap();
        let (a, b) = (x.as_dyn(), weft::from_slice(&[1i64, -2]));
        save_npz(path("both.npz"), &[("a", a), ("b c", b.as_dyn())]).unwrap();
    });
    numpy(
        folder.path(),
        r#"
x = np.arange(6.).reshape(2, 3)
def same(name, expected):
    found = np.load(name + '.npy')
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found, expected)
    assert (found == expected).all(), (found, expected)
same('f8', x); same('turned', x.T); same('f4', x.astype('f4')); same('i1', x.astype('i1'))
same('u2', x.astype('u2')); same('b1', x > 2.5); same('scalar', np.array(7))
same('empty', np.zeros((3, 0), 'i4'))
both = np.load('both.npz')
assert both.files == ['a', 'b c'], both.files
assert (both['a'] == x).all() and (both['b c'] == [1, -2]).all()
"#,
    );
}

#[test]
fn weft_reads_files_written_by_numpy() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let script = r#"
x = np.arange(6.).reshape(2, 3)
np.save('f8.npy', x)
np.save('fortran.npy', np.asfortranarray(x))
np.save('swapped.npy', x.astype('>f8'))
np.save('bool.npy', x > 2.5)
np.save('u1.npy', x.astype('u1'))
np.save('object.npy', np.array([None, 1]), allow_pickle=True)
np.save('record.npy', np.zeros(2, dtype=[('a', 'i4')]))
for version in [(1, 0), (2, 0), (3, 0)]:
    with open(f'v{version[0]}.npy', 'wb') as file:
        np.lib.format.write_array(file, x, version=version)
np.savez('plain.npz', x, y=np.arange(3))
np.savez_compressed('small.npz', x=np.zeros(10000, 'i4'))
"#;
    if !numpy(folder.path(), script) {
        return;
    }
    on(2, || {
        let float = |name: &str| Array::<f64>::try_from(load(path(name)).unwrap()).unwrap();
        let values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        for name in ["f8", "fortran", "swapped", "v1", "v2", "v3"] {
            is(&float(&format!("{name}.npy")), &[2, 3], &values);
        }
        let mask = Array::<bool>::try_from(load(path("bool.npy")).unwrap()).unwrap();
        is(&mask, &[2, 3], &[false, false, false, true, true, true]);
        let bytes = Array::<u8>::try_from(load(path("u1.npy")).unwrap()).unwrap();
        is(&bytes, &[2, 3], &[0, 1, 2, 3, 4, 5]);
        assert!(cause(load(path("object.npy"))).contains("'|O' are not supported"));
        assert!(cause(load(path("record.npy"))).contains("[('a', '<i4')]"));
        let arrays = load_npz(path("plain.npz")).unwrap();
        let names: Vec<_> = arrays
            .iter()
            .map(|(name, array)| (name.as_str(), array.len()))
            .collect();
        // NumPy writes named arrays first.
        assert_eq!(names, [("y", 3), ("arr_0", 6)]);
        assert_eq!(load_npz(path("small.npz")).unwrap()[0].1.shape(), [10_000]);
    });
}

#[test]
fn load_errors_name_damaged_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    on(1, || {
        let x = weft::arange(100i64);
        x.save(path("x.npy")).unwrap();
        let whole = std::fs::read(path("x.npy")).unwrap();
        let is_whole = load(path("x.npy"))
            .unwrap()
            .array_equal(x.as_dyn())
            .unwrap();
        assert!(is_whole);
        for length in 0..whole.len() {
            std::fs::write(path("short.npy"), &whole[..length]).unwrap();
            cause(load(path("short.npy")));
        }
        assert!(cause(load(path("short.npy"))).contains("799 of 800 bytes"));
        let mut newer = whole.clone();
        newer[6] = 9;
        std::fs::write(path("newer.npy"), &newer).unwrap();
        assert!(cause(load(path("newer.npy"))).contains("version 9.0"));
        std::fs::write(path("text.npy"), "a, b, c\n1, 2, 3\n").unwrap();
        assert!(cause(load(path("text.npy"))).contains("not an .npy file"));
        save_npz(path("x.npz"), &[("x", x.as_dyn())]).unwrap();
        assert!(cause(load(path("x.npz"))).contains("load_npz"));
        assert!(
            load_npz(path("x.npy"))
                .unwrap_err()
                .to_string()
                .contains("archive")
        );
        let Err(Error::File(error)) = load(path("none.npy")) else {
            panic!("there is no such file");
        };
        assert!(matches!(error.cause, FileCause::Io(_)));
        let twice = [("x", x.as_dyn()), ("x", x.as_dyn())];
        assert!(save_npz(path("twice.npz"), &twice).is_err());
        assert!(x.save(folder.path().join("no").join("folder.npy")).is_err());
        // No incomplete file is left.
        let left = std::fs::read_dir(folder.path()).unwrap();
        let mut names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(!names.any(|name| name.contains("partial")));
    });
}
