//! NVTX ranges by thread and domain, and CUDA calls by thread.

use super::{ExportError, Feed, integer, row_number, text};
use crate::timeline::lane::{LaneIndex, LaneKey, LaneKind};
use crate::timeline::slice::{Flags, Slice, What};
use rustc_hash::FxHashMap;

/// Event types of ranges: push/pop and start/end, each as recorded and as imported.
const RANGES: [i64; 4] = [59, 60, 70, 71];

/// The event type of a row that names a domain.
const DOMAIN: i64 = 75;

impl Feed<'_> {
    pub(super) fn ranges(&mut self) -> Result<(), ExportError> {
        if self.are_events_recorded() {
            self.events()?;
        }
        let database = self.database;
        let columns = [
            "id",
            "start",
            "end",
            "closed",
            "globalTid",
            "domain",
            "message",
        ];
        database.each_row("WEFT_RANGE", &columns, |row| {
            let (Some(number), Some(start), Some(end), Some(thread)) = (
                row_number(row),
                integer(row, 1),
                integer(row, 2),
                integer(row, 4),
            ) else {
                return false;
            };
            let domain = text(row, 5).unwrap_or_default();
            let lane = self.thread(thread, &domain, LaneKind::Range);
            let name = self.to.name(&text(row, 6).unwrap_or_default());
            self.to.slice(&Slice {
                lane,
                what: What::OtherRange,
                row: number,
                start,
                end,
                states: None,
                name,
                line: 0,
                flags: Flags::OPEN.only_if(integer(row, 3) == Some(0)),
            });
            true
        })
    }

    /// Whether the ranges are those of a session: Weft makes some of its launches where there was none.
    fn are_events_recorded(&self) -> bool {
        let sql = "SELECT value FROM WEFT_META WHERE key = 'nvtx_events'";
        let said = self
            .database
            .connection()
            .query_row(sql, [], |row| row.get::<_, String>(0));
        said.is_ok_and(|said| said.starts_with("copied"))
    }

    fn events(&mut self) -> Result<(), ExportError> {
        let database = self.database;
        let texts = self.texts()?;
        let mut domains: FxHashMap<(i64, i64), String> = FxHashMap::default();
        let columns = ["eventType", "globalTid", "domainId", "textId", "text"];
        database.each_row("NVTX_EVENTS", &columns, |row| {
            if integer(row, 0) == Some(DOMAIN)
                && let (Some(thread), Some(domain)) = (integer(row, 1), integer(row, 2))
            {
                let by_id = integer(row, 3)
                    .and_then(|id| texts.get(&id))
                    .map(|text| text.1.clone());
                let name = text(row, 4).map(|text| text.into_owned()).or(by_id);
                domains.insert((thread >> 24, domain), name.unwrap_or_default());
            }
            true
        })?;
        let last = self.to.last;
        let columns = [
            "rowid",
            "start",
            "end",
            "eventType",
            "globalTid",
            "domainId",
            "textId",
            "text",
        ];
        database.each_row("NVTX_EVENTS", &columns, |row| {
            if integer(row, 3).is_none_or(|kind| !RANGES.contains(&kind)) {
                return true;
            }
            let (Some(number), Some(start), Some(thread)) =
                (row_number(row), integer(row, 1), integer(row, 4))
            else {
                return false;
            };
            let domain = integer(row, 5).and_then(|domain| domains.get(&(thread >> 24, domain)));
            let domain = domain.map_or("", String::as_str);
            let lane = self.thread(thread, domain, LaneKind::Range);
            let name = match (text(row, 7), integer(row, 6).and_then(|id| texts.get(&id))) {
                (Some(text), _) => self.to.name(&text),
                (None, Some(known)) => known.0,
                (None, None) => 0,
            };
            let end = integer(row, 2);
            self.to.slice(&Slice {
                lane,
                what: What::Range,
                row: number,
                start,
                end: end.unwrap_or(last),
                states: None,
                name,
                line: 0,
                flags: Flags::OPEN.only_if(end.is_none()),
            });
            true
        })
    }

    /// Texts by their id, with their number as names.
    fn texts(&mut self) -> Result<FxHashMap<i64, (u32, String)>, ExportError> {
        let mut texts = FxHashMap::default();
        let database = self.database;
        database.each_row("StringIds", &["id", "value"], |row| {
            let (Some(id), Some(text)) = (integer(row, 0), text(row, 1)) else {
                return false;
            };
            texts.insert(id, (self.to.name(&text), text.into_owned()));
            true
        })?;
        Ok(texts)
    }

    /// The lane of a thread as Nsight Systems numbers them.
    fn thread(&mut self, thread: i64, domain: &str, kind: LaneKind) -> LaneIndex {
        let process = self.places.process_of_thread(self.to, thread);
        let (what, group) = match kind {
            LaneKind::Range => ("NVTX", "Ranges"),
            _ => ("CUDA API", "CUDA calls"),
        };
        self.to.group(process, kind, 0, group);
        let key = LaneKey {
            process,
            kind,
            group: 0,
            ids: [thread, 0, 0],
            text: domain.to_owned(),
        };
        self.to.lane(key, || {
            let thread = thread & 0xff_ffff;
            match domain {
                "" => format!("thread {thread} {what}"),
                domain => format!("thread {thread} {domain}"),
            }
        })
    }

    pub(super) fn api_calls(&mut self) -> Result<(), ExportError> {
        let texts = self.texts()?;
        let database = self.database;
        let columns = [
            "rowid",
            "start",
            "end",
            "globalTid",
            "nameId",
            "returnValue",
        ];
        database.each_row("CUPTI_ACTIVITY_KIND_RUNTIME", &columns, |row| {
            let (Some(number), Some(start), Some(end)) =
                (row_number(row), integer(row, 1), integer(row, 2))
            else {
                return false;
            };
            let lane = self.thread(integer(row, 3).unwrap_or(0), "", LaneKind::Api);
            let name = integer(row, 4).and_then(|id| texts.get(&id));
            self.to.slice(&Slice {
                lane,
                what: What::ApiCall,
                row: number,
                start,
                end,
                states: None,
                name: name.map_or(0, |name| name.0),
                line: 0,
                flags: Flags::FAILED.only_if(integer(row, 5).is_some_and(|value| value != 0)),
            });
            true
        })
    }
}
