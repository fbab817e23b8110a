//! The interpreter of Python programs, and the required package.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use weft_config::machine::tool;

use crate::error::CliError;

/// The variable that names the interpreter.
const VARIABLE: &str = "WEFT_PYTHON";

/// Prints the folder of the package `weft`, if there is one. The current folder does not count,
/// because programs do not search it either.
const LOCATE: &str = "\
import importlib.util, os, sys
sys.path = [path for path in sys.path if path]
spec = importlib.util.find_spec('weft')
places = spec and spec.submodule_search_locations or ['']
sys.stdout.buffer.write(os.fsencode(list(places)[0]))
";

/// Returns whether a program is a Python script.
pub(crate) fn is_script(program: &OsStr) -> bool {
    Path::new(program).extension() == Some(OsStr::new("py"))
}

/// Returns whether a program is a Python interpreter, by its name.
pub(crate) fn is_interpreter(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| name.starts_with("python"))
}

/// Returns the interpreter: that of `WEFT_PYTHON`, of the active virtual environment, the one in
/// this command's folder, or `python3`.
pub(crate) fn interpreter() -> OsString {
    if let Some(named) = env::var_os(VARIABLE).filter(|name| !name.is_empty()) {
        return named;
    }
    let active = env::var_os("VIRTUAL_ENV").map(|folder| PathBuf::from(folder).join("bin"));
    let own = env::current_exe().ok();
    let beside = own.and_then(|own| own.parent().map(Path::to_owned));
    for folder in [active, beside].into_iter().flatten() {
        for name in ["python", "python3"] {
            let path = folder.join(name);
            if tool::find_program(path.as_os_str()).is_some() {
                return path.into();
            }
        }
    }
    "python3".into()
}

/// Checks that the interpreter exists.
pub(crate) fn check(interpreter: &OsStr) -> Result<(), CliError> {
    if tool::find_program(interpreter).is_some() {
        return Ok(());
    }
    Err(CliError::failed(
        format!(
            "the Python interpreter {} was not found",
            Path::new(interpreter).display()
        ),
        format!("install Python 3.11 or later, or name an interpreter in {VARIABLE}"),
    ))
}

/// Returns the folder of the package `weft` that this interpreter imports.
pub(crate) fn package(interpreter: &OsStr) -> Result<PathBuf, CliError> {
    check(interpreter)?;
    let shown = Path::new(interpreter).display();
    let output = Command::new(interpreter)
        .args(["-c", LOCATE])
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| {
            CliError::failed(
                format!("cannot start {shown}: {cause}"),
                format!("name another interpreter in {VARIABLE}"),
            )
        })?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.trim_end().lines().next_back().unwrap_or("no message");
        return Err(CliError::failed(
            format!("{shown} cannot look for the package weft: {last}"),
            format!("repair it, or name another interpreter in {VARIABLE}"),
        ));
    }
    let folder = PathBuf::from(OsString::from_vec(output.stdout));
    if folder.as_os_str().is_empty() {
        return Err(CliError::failed(
            format!("{shown} has no package weft"),
            format!(
                "install weft-array there, with `{shown} -m pip install .` in a checkout of Weft, or name another interpreter in {VARIABLE}"
            ),
        ));
    }
    if !folder.join("numpy/__init__.py").exists() {
        return Err(CliError::failed(
            format!(
                "{shown} has another package of the name weft, {}",
                folder.display()
            ),
            format!(
                "install weft-array into an environment without it, and name its interpreter in {VARIABLE}"
            ),
        ));
    }
    Ok(folder)
}
