//! NVTX ranges by thread and domain, and CUDA calls and overheads by thread.

use super::{ExportError, Feed, rows};
use crate::lane::{LaneIndex, LaneKey, LaneKind};
use crate::slice::{Flags, Slice, SliceKind};
use rustc_hash::FxHashMap;
use weft_database::columns;
use weft_database::schema::{CuptiCallRow, NvtxRow, OverheadRow, RangeRow, StringRow};
use weft_model::rows::overhead_name;

/// Event types of ranges: push/pop and start/end, each as recorded and as imported.
const RANGES: [i64; 4] = [59, 60, 70, 71];

/// The group of lanes of CUDA calls and of overheads.
const CALLS: &str = "CUDA calls";

/// The event type of a row that names a domain.
const DOMAIN: i64 = 75;

impl Feed<'_> {
    pub(super) fn ranges(&mut self) -> Result<(), ExportError> {
        if self.are_events_recorded() {
            self.events()?;
        }
        let columns = columns!(
            RangeRow: ["id", "start", "end", "globalTid"],
            ["closed", "domain", "message"]
        );
        self.each(columns, |feed, needed, row| {
            let [number, start, end, thread] = needed;
            let domain = row.text(1).unwrap_or_default();
            let lane = feed.thread(thread, &domain, LaneKind::Range);
            let text = row.text(2).unwrap_or_default();
            let name = feed.to.name(&text);
            let line = feed.names.of_range(feed.to, &text);
            feed.to.row(number, |row_number| Slice {
                lane,
                what: SliceKind::OtherRange,
                row: row_number,
                start,
                end,
                states: None,
                name,
                line,
                flags: Flags::OPEN.only_if(row.integer(0) == Some(0)),
            })
        })
    }

    /// Returns whether the ranges are those of a session: without one Weft makes some from its
    /// launches.
    fn are_events_recorded(&self) -> bool {
        let sql = "SELECT value FROM WEFT_META WHERE key = 'nvtx_events'";
        let said = self
            .database
            .connection()
            .query_row(sql, [], |row| row.get::<_, String>(0));
        said.is_ok_and(|said| said.starts_with("copied"))
    }

    fn events(&mut self) -> Result<(), ExportError> {
        let texts = self.texts()?;
        let mut domains: FxHashMap<(i64, i64), String> = FxHashMap::default();
        let columns = columns!(
            NvtxRow: [],
            ["eventType", "globalTid", "domainId", "textId", "text"]
        );
        rows(self.database, columns, |[], row| {
            if row.integer(0) == Some(DOMAIN)
                && let (Some(thread), Some(domain)) = (row.integer(1), row.integer(2))
            {
                let by_id = row.integer(3).and_then(|id| texts.get(&id));
                let by_id = by_id.map(|text| text.1.clone());
                let name = row.text(4).map(|text| text.into_owned()).or(by_id);
                domains.insert((thread >> 24, domain), name.unwrap_or_default());
            }
            true
        })?;
        let last = self.to.last;
        let columns = columns!(
            NvtxRow: ["rowid"],
            ["eventType", "globalTid", "domainId", "textId", "text"]
        );
        self.each(columns, |feed, [number], row| {
            if row.integer(0).is_none_or(|kind| !RANGES.contains(&kind)) {
                return true;
            }
            let (Some(start), Some(thread)) = (row.integer(1), row.integer(2)) else {
                return false;
            };
            let domain = row.integer(4);
            let domain = domain.and_then(|domain| domains.get(&(thread >> 24, domain)));
            let domain = domain.map_or("", String::as_str);
            let lane = feed.thread(thread, domain, LaneKind::Range);
            let (name, line) = match (row.text(6), row.integer(5).and_then(|id| texts.get(&id))) {
                (Some(text), _) => (feed.to.name(&text), feed.names.of_range(feed.to, &text)),
                (None, Some(known)) => (known.0, feed.names.of_range(feed.to, &known.1)),
                (None, None) => (0, 0),
            };
            let end = row.integer(3);
            feed.to.row(number, |row| Slice {
                lane,
                what: SliceKind::Range,
                row,
                start,
                end: end.unwrap_or(last),
                states: None,
                name,
                line,
                flags: Flags::OPEN.only_if(end.is_none()),
            })
        })
    }

    /// Texts by their id, with their number as names.
    fn texts(&mut self) -> Result<FxHashMap<i64, (u32, String)>, ExportError> {
        let mut texts = FxHashMap::default();
        let columns = columns!(StringRow: ["id"], ["value"]);
        self.each(columns, |feed, [id], row| {
            let Some(text) = row.text(0) else {
                return false;
            };
            texts.insert(id, (feed.to.name(&text), text.into_owned()));
            true
        })?;
        Ok(texts)
    }

    /// The lane of a thread as Nsight Systems numbers them.
    fn thread(&mut self, thread: i64, domain: &str, kind: LaneKind) -> LaneIndex {
        let process = self.places.process_of_thread(self.to, thread);
        let (what, group) = match kind {
            LaneKind::Range => ("NVTX", "Ranges"),
            _ => ("CUDA API", CALLS),
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
        let columns = columns!(
            CuptiCallRow: ["rowid", "start", "end"],
            ["globalTid", "nameId", "returnValue"]
        );
        self.each(columns, |feed, [number, start, end], row| {
            let lane = feed.thread(row.integer(0).unwrap_or(0), "", LaneKind::Api);
            let name = row.integer(1).and_then(|id| texts.get(&id));
            feed.to.row(number, |row_number| Slice {
                lane,
                what: SliceKind::ApiCall,
                row: row_number,
                start,
                end,
                states: None,
                name: name.map_or(0, |name| name.0),
                line: 0,
                flags: Flags::FAILED.only_if(row.integer(2).is_some_and(|value| value != 0)),
            })
        })
    }

    pub(super) fn overheads(&mut self) -> Result<(), ExportError> {
        let columns = columns!(
            OverheadRow: ["id", "sourceId", "start", "end"],
            ["globalTid", "name"]
        );
        self.each(columns, |feed, [number, source, start, end], row| {
            let thread = row.integer(0);
            let process = match thread {
                Some(thread) => feed.places.process_of_thread(feed.to, thread),
                None => feed.places.process(feed.to, source, None),
            };
            let kind = LaneKind::Api;
            feed.to.group(process, kind, 0, CALLS);
            let key = LaneKey {
                process,
                kind,
                group: 0,
                ids: [thread.unwrap_or(-1), 0, 0],
                text: "overhead".to_owned(),
            };
            let lane = feed.to.lane(key, || overhead_name(thread));
            let name = feed.to.name(&row.text(1).unwrap_or_default());
            feed.to.row(number, |row| Slice {
                lane,
                what: SliceKind::Overhead,
                row,
                start,
                end,
                states: None,
                name,
                line: 0,
                flags: Flags::default(),
            })
        })
    }
}
