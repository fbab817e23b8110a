//! The `.prof` file: written crash-safe by [`ProfWriter`] and its [`Lane`]s, read with tolerance by [`Prof`].
