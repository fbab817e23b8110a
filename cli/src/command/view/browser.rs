//! Opens a browser.
//!
//! The address contains a token, and every user of a machine can read the command lines of its
//! processes. So the browser gets a file that only this user can read, which leads to the address.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use weft_files::Scratch;

/// The lifetime of the file: browsers that have to start first take seconds.
const STAY: Duration = Duration::from_secs(30);

/// Opens the address in the user's browser.
pub(super) fn open(address: &str) -> io::Result<()> {
    let folder = Scratch::new("weft-open-")?;
    let path = folder.path().join("open.html");
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path)?;
    // The address consists of digits, dots and hexadecimal digits.
    write!(
        file,
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={address}\"><title>Weft</title>"
    )?;
    drop(file);
    let (program, arguments) = opener();
    let mut command = Command::new(&program);
    command.args(arguments).arg(&path);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", program.display())))?;
    thread::spawn(move || {
        // The status shows whether a browser was opened; some openers run as long as the browser
        // does.
        let _ = child.wait();
    });
    thread::spawn(move || {
        thread::sleep(STAY);
        drop(folder);
    });
    Ok(())
}

/// Returns the program that opens files: the command in BROWSER, or that of the system.
fn opener() -> (OsString, Vec<OsString>) {
    let chosen = std::env::var("BROWSER").ok();
    let chosen = chosen.and_then(|browser| shell_words::split(browser.split(':').next()?).ok());
    if let Some((program, arguments)) = chosen.as_ref().and_then(|words| words.split_first()) {
        let arguments = arguments.iter().filter(|word| !word.contains("%s"));
        return (program.into(), arguments.map(Into::into).collect());
    }
    let system = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    (system.into(), Vec::new())
}
