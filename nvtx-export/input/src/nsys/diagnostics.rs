//! DIAGNOSTIC_EVENT: messages of Nsight Systems about its recording.

use weft_database::{Database, integer, text};
use weft_model::{
    Diagnostic, ExportError, LossRow, Recording, Severity, SourceIndex, Urgency, is_possible,
};
use weft_trace::time::Timestamp;

const COLUMNS: [&str; 4] = ["timestamp", "severity", "globalPid", "text"];

/// Reads the messages, and counts those that report missing records.
pub(super) fn read(
    recording: &mut Recording,
    source: SourceIndex,
    database: &Database,
) -> Result<(), ExportError> {
    let before = recording.quality.diagnostics.len();
    database.each_row("DIAGNOSTIC_EVENT", &COLUMNS, |row| {
        let (Some(at), Some(text)) = (integer(row, 0), text(row, 3)) else {
            return false;
        };
        if !database.budget().take(text.len()) {
            return false;
        }
        let at = Timestamp::from_nanos_since_session_start(at);
        recording.quality.diagnostics.push(Diagnostic {
            source,
            // A message with an impossible time is moved to the start of the session.
            at: Some(at).filter(|at| is_possible(*at)).unwrap_or_default(),
            urgency: Urgency::from_number(integer(row, 1).unwrap_or(0)),
            process: integer(row, 2),
            text: recording.strings.intern(&text),
        });
        true
    })?;
    for (urgency, name, severity, what) in [
        (Urgency::Error, "nsys_errors", Severity::Loss, "errors"),
        (
            Urgency::Warning,
            "nsys_warnings",
            Severity::Note,
            "warnings",
        ),
    ] {
        let rows = recording
            .quality
            .diagnostics
            .get(before..)
            .unwrap_or_default();
        let rows: Vec<&Diagnostic> = rows.iter().filter(|row| row.urgency == urgency).collect();
        let Some(first) = rows.first() else { continue };
        recording.quality.losses.push(LossRow {
            source: Some(source),
            name: name.to_owned(),
            severity,
            value: rows.len() as u64,
            meaning: format!(
                "{what} that Nsight Systems reported about its recording, all in WEFT_DIAGNOSTIC; the first: {}",
                recording.strings.get(first.text).trim()
            ),
        });
    }
    Ok(())
}
