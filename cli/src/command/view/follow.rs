//! `weft view --follow`: a live run.
//!
//! A growing profile is read again from its beginning whenever there are new records, into a new
//! database and timeline, which then replace the old ones. Its progress is read from its first
//! pages. The run is not disturbed: files are read, none is mapped before it is finished, this
//! process has a low priority, and it rests five times as long as the last reading took.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use weft_model::printable::printable;
use weft_nvtx_export::RequiredParts;
use weft_trace::file::{Glance, OpenError, glance};
use weft_view::{Options, Site, State};

use super::pulse::Pulse;
use super::{ViewArgs, open_page, opened};
use crate::command::trace;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;

/// The interval of checks for new records.
const LOOK: Duration = Duration::from_millis(500);

/// The rest before the next reading, as a multiple of the last reading's time.
const REST: u32 = 5;

/// Serves the page as soon as there are records, and refreshes it until the run has ended.
pub(super) fn execute(args: &ViewArgs) -> Result<Outcome, CliError> {
    step_back();
    let mut seen = first(&args.inputs)?;
    let mut is_live = !is_finished(&seen);
    let bar = ProgressDisplay::new();
    let began = Instant::now();
    let (state, mut outcome) = read(args, 0, is_live, &bar)?;
    let mut took = began.elapsed();
    drop(bar);
    let site = Arc::new(Site::new(state)?);
    let server = weft_view::serve(Arc::clone(&site), args.port)?;
    open_page(&site, args.no_open);
    let bar = ProgressDisplay::hidden();
    let (mut generation, mut pulse) = (0, Pulse::default());
    let mut read_at = Instant::now();
    let mut failure: Option<String> = None;
    while is_live {
        sleep(LOOK);
        // A file that cannot be read now may be readable the next time.
        let Ok(now) = look(&args.inputs) else {
            continue;
        };
        let has_ended = pulse.is_gone(&args.inputs, &now);
        let may_read = !same(&now, &seen) && read_at.elapsed() >= took * REST;
        if !may_read && !has_ended {
            continue;
        }
        let began = Instant::now();
        match read(args, generation + 1, !has_ended, &bar) {
            Ok((state, with)) => {
                generation += 1;
                outcome = with;
                failure = None;
                site.replace_first(state);
            }
            Err(error) => {
                let error = error.to_string();
                // The same error may come with each reading.
                if has_ended || failure.as_ref() != Some(&error) {
                    say(&format!(
                        "weft: {error}; the page shows the records read so far"
                    ));
                }
                failure = Some(error);
            }
        }
        took = began.elapsed();
        read_at = Instant::now();
        seen = now;
        is_live = !has_ended;
    }
    if let Some(error) = failure {
        site.end();
        say("weft: the run has ended; the page shows the records read so far");
        server.wait();
        return Err(CliError::failed(
            error,
            "show what there is with `weft view` without --follow",
        ));
    }
    say(match is_finished(&seen) {
        true => "weft: the run has ended; the page shows all of it",
        false => "weft: the program ended unexpectedly; the page shows the records up to then",
    });
    server.wait();
    Ok(outcome)
}

/// Lowers the priority in favour of the run. With the lowest priority this process would hardly run
/// at all while the program uses all cores.
fn step_back() {
    // If this fails, the run is disturbed more, and nothing else.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

fn look(inputs: &[PathBuf]) -> Result<Vec<Glance>, OpenError> {
    inputs.iter().map(|input| glance(input)).collect()
}

/// Waits until all profiles exist.
fn first(inputs: &[PathBuf]) -> Result<Vec<Glance>, CliError> {
    let mut has_told = false;
    loop {
        let error = match look(inputs) {
            Ok(seen) => return Ok(seen),
            Err(error) => error,
        };
        // A new file is empty.
        let missing = inputs.iter().find(|input| match input.metadata() {
            Ok(known) => known.len() == 0,
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        });
        let Some(missing) = missing else {
            return Err(CliError::usage(
                error.to_string(),
                "--follow takes profiles of Weft; show other inputs without it",
            ));
        };
        if !has_told {
            let missing = missing.display().to_string();
            say(&format!(
                "weft: waiting for {}; Ctrl-C ends it",
                printable(&missing)
            ));
            has_told = true;
        }
        sleep(LOOK);
    }
}

/// Returns whether there are no new records. Dropped records do not count: they are not in the
/// file.
fn same(now: &[Glance], seen: &[Glance]) -> bool {
    let key = |file: &Glance| (file.info.run_id, file.records, file.is_finished);
    now.iter().map(key).eq(seen.iter().map(key))
}

fn is_finished(seen: &[Glance]) -> bool {
    seen.iter().all(|file| file.is_finished)
}

/// Reads the current records of the profiles. Losses are reported once the run has ended.
fn read(
    args: &ViewArgs,
    generation: u64,
    is_live: bool,
    bar: &ProgressDisplay,
) -> Result<(State, Outcome), CliError> {
    let source_root = args.source_root.as_deref();
    let source_root = source_root.map(opened::source_root).transpose()?;
    let options = opened::options(args, RequiredParts::Everything, bar);
    let rows = trace::read(&args.inputs, &options)?;
    let written = opened::write(&rows, bar)?;
    let outcome = match is_live {
        true => Outcome::Done,
        false => trace::outcome_with(&rows, &written.losses),
    };
    let options = Options {
        title: opened::title(&args.inputs),
        source_root,
        part: None,
        live: is_live,
        generation,
        folder: Some(written.folder),
    };
    Ok((State::new(written.trace, options), outcome))
}
