//! Texts of StringIds, read when they are first named.

use super::database::Database;
use crate::error::ExportError;
use crate::joined::{StringIndex, Strings};
use rusqlite::{CachedStatement, OptionalExtension};
use rustc_hash::FxHashMap;

/// Texts of one database by their id.
pub(super) struct Texts<'d> {
    lookup: CachedStatement<'d>,
    known: FxHashMap<i64, StringIndex>,
}

impl<'d> Texts<'d> {
    pub(super) fn of(database: &'d Database) -> Result<Self, ExportError> {
        let sql = "SELECT value FROM StringIds WHERE id = ?1";
        let lookup = database.connection().prepare_cached(sql);
        Ok(Texts {
            lookup: lookup.map_err(|error| ExportError::Database {
                path: database.path().to_owned(),
                what: "StringIds".to_owned(),
                error,
            })?,
            known: FxHashMap::default(),
        })
    }

    /// The text with this id; the empty one where there is none.
    pub(super) fn get(&mut self, id: i64, strings: &mut Strings) -> StringIndex {
        *self.known.entry(id).or_insert_with(|| {
            let text = self.lookup.query_row([id], |row| row.get::<_, String>(0));
            match text.optional() {
                Ok(Some(text)) => strings.intern(&text),
                _ => StringIndex::default(),
            }
        })
    }
}

/// Ids of texts that a slice of rows names, each with an index until it is looked up: 0 for none.
#[derive(Default)]
pub(super) struct TextIds {
    ids: Vec<i64>,
    index: FxHashMap<i64, u32>,
}

impl TextIds {
    /// The index of a text.
    pub(super) fn add(&mut self, id: Option<i64>) -> StringIndex {
        let Some(id) = id else {
            return StringIndex::default();
        };
        StringIndex(*self.index.entry(id).or_insert_with(|| {
            self.ids.push(id);
            self.ids.len() as u32
        }))
    }

    /// The texts by their index.
    pub(super) fn look_up(&self, texts: &mut Texts<'_>, strings: &mut Strings) -> Vec<StringIndex> {
        let none = [StringIndex::default()];
        let known = self.ids.iter().map(|id| texts.get(*id, strings));
        none.into_iter().chain(known).collect()
    }
}

/// The text at an index.
pub(super) fn at(texts: &[StringIndex], index: StringIndex) -> StringIndex {
    texts.get(index.0 as usize).copied().unwrap_or_default()
}
