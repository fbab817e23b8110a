//! Texts of StringIds, read at their first use.

use rusqlite::CachedStatement;
use rustc_hash::FxHashMap;
use weft_database::{Database, text};
use weft_model::{ExportError, StringIndex, Strings};

const LOOKUP: &str = "SELECT value FROM StringIds WHERE id = ?1";

/// Texts of one database, by id.
pub(crate) struct Texts<'d> {
    database: &'d Database,
    lookup: CachedStatement<'d>,
    known: FxHashMap<i64, StringIndex>,
}

impl<'d> Texts<'d> {
    pub(crate) fn open(database: &'d Database) -> Result<Self, ExportError> {
        let lookup = database.connection().prepare_cached(LOOKUP);
        Ok(Texts {
            database,
            lookup: lookup.map_err(|error| ExportError::Database {
                path: database.path().to_owned(),
                what: "StringIds".to_owned(),
                error,
            })?,
            known: FxHashMap::default(),
        })
    }

    /// Returns the text with this id, or the empty text if there is none.
    pub(crate) fn get(&mut self, id: i64, strings: &mut Strings) -> StringIndex {
        let Texts {
            database,
            lookup,
            known,
        } = self;
        *known.entry(id).or_insert_with(|| {
            let text = look_up(database, lookup, id);
            text.map_or_else(StringIndex::default, |text| strings.intern(&text))
        })
    }
}

/// Returns a text of StringIds, if it exists.
pub(super) fn stored(database: &Database, id: i64) -> Option<Box<str>> {
    let mut lookup = database.connection().prepare_cached(LOOKUP).ok()?;
    look_up(database, &mut lookup, id)
}

/// Looks up a text. A text that cannot be read, or that exceeds the size the file has room for,
/// counts as damage.
fn look_up(database: &Database, lookup: &mut CachedStatement<'_>, id: i64) -> Option<Box<str>> {
    let found = lookup.query([id]).and_then(|mut rows| {
        let row = rows.next()?;
        let text = row.and_then(|row| text(row, 0));
        Ok(text.map(Box::<str>::from))
    });
    match found {
        Ok(Some(text)) if database.budget().take(text.len()) => Some(text),
        Ok(None) => None,
        Ok(Some(_)) | Err(_) => {
            database.count_damage("StringIds");
            None
        }
    }
}

/// Ids of texts in a slice of rows, each with an index until it is looked up. 0 means none.
#[derive(Default)]
pub(super) struct TextIds {
    ids: Vec<i64>,
    index: FxHashMap<i64, u32>,
}

impl TextIds {
    /// Returns the index of a text.
    pub(super) fn add(&mut self, id: Option<i64>) -> StringIndex {
        let Some(id) = id else {
            return StringIndex::default();
        };
        StringIndex(*self.index.entry(id).or_insert_with(|| {
            self.ids.push(id);
            self.ids.len() as u32
        }))
    }

    /// Returns the texts by their index.
    pub(super) fn look_up(&self, texts: &mut Texts<'_>, strings: &mut Strings) -> Vec<StringIndex> {
        let none = [StringIndex::default()];
        let known = self.ids.iter().map(|id| texts.get(*id, strings));
        none.into_iter().chain(known).collect()
    }
}

/// Returns the text at an index.
pub(super) fn at(texts: &[StringIndex], index: StringIndex) -> StringIndex {
    texts.get(index.0 as usize).copied().unwrap_or_default()
}
