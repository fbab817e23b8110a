//! Restrictions of connections.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;

/// Pragmas that only report properties of the database.
const READING_PRAGMAS: [&str; 17] = [
    "collation_list",
    "compile_options",
    "database_list",
    "encoding",
    "foreign_key_list",
    "freelist_count",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "page_count",
    "page_size",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// Disables the features that a hostile schema could use against its reader. Source:
/// <https://www.sqlite.org/security.html>.
pub fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;")
}

/// Rejects every statement that does more than read this database. Transactions are allowed if
/// `may_begin` is set: they let many statements share one lock and one check of the schema.
pub fn forbid_writing(connection: &mut Connection, may_begin: bool) -> rusqlite::Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    // A misspelt name in double quotes is an error rather than a text.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        let begins = matches!(context.action, AuthAction::Transaction { .. });
        if is_reading(context.action) || (begins && may_begin) {
            Authorization::Allow
        } else {
            Authorization::Deny
        }
    }))
}

fn is_reading(action: AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => {
            !function_name.eq_ignore_ascii_case("load_extension")
        }
        AuthAction::Pragma { pragma_name, .. } => READING_PRAGMAS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(pragma_name)),
        _ => false,
    }
}
