//! What a run left, joined.

use std::env;
use std::path::Path;

use weft_nvtx_export::ReadOptions;
use weft_nvtx_export::output::sqlite::{self, WriteOptions};

use super::launch::{Launch, quoted};
use super::outputs::Outputs;
use super::say;
use crate::command::joined;
use crate::error::{CliError, Outcome};
use crate::interrupt;
use crate::progress::Shown;

/// Under nsys: joins profiles and reports into one database. Else: says what can be made of the profiles.
/// One line tells the user what there is.
pub(super) fn join(launch: &Launch, outputs: &Outputs) -> Result<Outcome, CliError> {
    let profiles = outputs.of_ranks("prof")?;
    let reports = outputs.of_ranks("nsys-rep")?;
    // Without a report nsys did not get to running the program, and that is said below.
    let ran = !launch.plan.nsys || !reports.is_empty();
    if launch.plan.profile && profiles.is_empty() && ran {
        say(&format!(
            "weft: {} wrote no profile; a program that uses Weft writes one when its run starts",
            Path::new(&launch.program).display()
        ));
    }
    if !launch.plan.nsys {
        if let Some(first) = profiles.first() {
            let first = shown(first);
            say(&format!(
                "weft: the profile is in {first}: see `weft stats {first}`, or `weft export sqlite {first} -o {}`",
                shown(&outputs.joined)
            ));
        }
        return Ok(Outcome::Done);
    }
    let Some(report) = reports.first() else {
        return Err(CliError::failed(
            format!(
                "nsys wrote no report {}",
                launch.plan.report_path(0).display()
            ),
            "read what it said above, and check the installation with `weft info`",
        ));
    };
    let report = shown(report);
    let inputs = [profiles, reports].concat();
    interrupt::clean_up();
    let bar = Shown::new();
    let options = ReadOptions {
        progress: bar.progress(),
        ..ReadOptions::default()
    };
    let data = joined::read(&inputs, &options)?;
    // An earlier file of that name is gone; one that is there now was made while the program ran.
    let options = WriteOptions {
        force: true,
        progress: bar.progress(),
        ..WriteOptions::default()
    };
    sqlite::write(&data, &outputs.joined, &options).map_err(joined::error)?;
    drop(bar);
    say(&format!(
        "weft: open {report} in nsys-ui, and ask {0}: `weft stats {0}`",
        shown(&outputs.joined)
    ));
    Ok(joined::outcome(&data))
}

/// A path as a user would type it: from the current folder where it lies below.
fn shown(path: &Path) -> String {
    let here = env::current_dir().unwrap_or_default();
    quoted(path.strip_prefix(here).unwrap_or(path))
}
