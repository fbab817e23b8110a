//! The costs of each line in both runs.

use crate::http::Response;
use crate::site::Site;
use crate::state::ViewError;

/// Answers `/api/changes`. 404 if only one run is shown.
pub(crate) fn changes(site: &Site) -> Result<Response, ViewError> {
    let alone = || ViewError::Unknown("one run is shown, with none to compare it with".to_owned());
    site.changes().map(Response::json).ok_or_else(alone)
}
