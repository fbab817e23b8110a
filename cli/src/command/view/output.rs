//! The page or a picture as a file.

use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use weft_files::{WholeFile, WriteError, is_same};
use weft_model::printable::printable;
use weft_view::{Look, Site};

use super::ViewArgs;
use crate::error::CliError;
use crate::say::say;

/// Rejects outputs that are inputs or equal to each other, before anything is read.
pub(super) fn check(args: &ViewArgs) -> Result<(), CliError> {
    let outputs: Vec<&PathBuf> = [&args.html, &args.svg, &args.png]
        .into_iter()
        .flatten()
        .collect();
    for (at, out) in outputs.iter().enumerate() {
        let mut inputs = args.inputs.iter().chain(&args.after);
        if inputs.any(|input| is_same(input, out)) {
            return Err(CliError::usage(
                format!("{} is one of the inputs", out.display()),
                "name another output",
            ));
        }
        if !args.force && fs::symlink_metadata(out).is_ok_and(|there| there.is_file()) {
            return Err(exists(out));
        }
        let mut others = outputs.iter().take(at);
        if others.any(|other| place(other) == place(out) || is_same(other, out)) {
            return Err(CliError::usage(
                format!("{} is named for two outputs", out.display()),
                "name another for one of them",
            ));
        }
    }
    Ok(())
}

/// Returns the folder and the name of a file, which need not exist.
fn place(out: &Path) -> (PathBuf, Option<&OsStr>) {
    let folder = match out.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // A missing folder causes an error when the file is written.
    let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    (whole, out.file_name())
}

fn exists(out: &Path) -> CliError {
    CliError::failed(
        format!("{} exists", out.display()),
        "name another output, or replace it with --force",
    )
}

/// Writes the requested files.
pub(super) fn write(site: &Site, args: &ViewArgs) -> Result<(), CliError> {
    // Before anything is written, because there may be nothing to draw.
    let is_drawn = args.svg.is_some() || args.png.is_some();
    let look = Look {
        width: args.width,
        height: args.height,
        lanes: args.lanes.clone(),
    };
    let picture = match is_drawn {
        true => Some(weft_view::draw(site, &look)?),
        false => None,
    };
    if let Some(out) = &args.html {
        let page = weft_view::embed(
            site,
            args.html_limit
                .map_or(weft_view::LARGEST, |limit| limit as usize),
        )?;
        write_whole(out, args.force, &page.html, &page.left_out)?;
    }
    let Some(picture) = picture else {
        return Ok(());
    };
    if let Some(out) = &args.svg {
        write_whole(out, args.force, picture.svg.as_bytes(), &picture.left_out)?;
    }
    if let Some(out) = &args.png {
        let pixels = weft_view::paint(&picture)?;
        write_whole(out, args.force, &pixels, &picture.left_out)?;
    }
    Ok(())
}

/// Returns the remedy for a file that cannot be written.
fn remedy(error: &WriteError) -> &'static str {
    match error {
        WriteError::NotAFile(_) => "give the path of a file",
        WriteError::Io(error) if error.kind() == ErrorKind::StorageFull => {
            "free some space, or write elsewhere"
        }
        _ => "check the path and its permissions",
    }
}

fn write_whole(out: &Path, force: bool, bytes: &[u8], left_out: &[String]) -> Result<(), CliError> {
    let shown = out.display();
    let failed = |error: WriteError| match error {
        WriteError::Exists => exists(out),
        error => CliError::failed(format!("cannot write {shown}: {error}"), remedy(&error)),
    };
    let mut file = WholeFile::create(out, force).map_err(failed)?;
    let written = file.write_with::<std::io::Error>(|to| to.write_all(bytes));
    written.map_err(|error| failed(error.into()))?;
    let bytes = file.finish().map_err(failed)?;
    let left_out = match left_out {
        [] => String::new(),
        sentences => format!("; left out: {}", sentences.join("; ")),
    };
    let shown = printable(&shown.to_string()).into_owned();
    say(&format!("weft: {shown} has {bytes} bytes{left_out}"));
    Ok(())
}
