//! The mapping of requests to responses.

use crate::api;
use crate::http::{Method, Request, Response};
use crate::page;
use crate::site::{self, Site};
use crate::state::ViewError;

/// Answers a request. Requests without the token, or under another host name, are refused.
pub fn respond(site: &Site, request: &Request) -> Response {
    match admit(site, request) {
        Ok(()) => answer_admitted(site, request),
        Err(refusal) => refusal,
    }
}

/// Checks by its head whether a request may be answered.
pub(crate) fn admit(site: &Site, request: &Request) -> Result<(), Response> {
    let refusal = |sentence: &str| Err(Response::error(403, sentence));
    if !site.is_host(request.host.as_deref()) {
        return refusal("this server answers to its own name only");
    }
    if request
        .origin
        .as_deref()
        .is_some_and(|origin| !site.is_origin(origin))
    {
        return refusal("this server answers to its own page only");
    }
    let token = request.token.as_deref().map(Into::into);
    let token = token.or_else(|| request.parameter("token"));
    if !token.is_some_and(|token| site.is_token(&token)) {
        return refusal(
            "the token is missing or wrong; open the address that weft view has printed",
        );
    }
    Ok(())
}

/// Answers a request that [`admit`] has accepted.
pub(crate) fn answer_admitted(site: &Site, request: &Request) -> Response {
    match answer(site, request) {
        Ok(response) => response,
        Err(ViewError::BadRequest(sentence)) => Response::error(400, &sentence),
        Err(ViewError::Unknown(sentence)) => Response::error(404, &sentence),
        Err(ViewError::Gone) => Response::error(410, &ViewError::Gone.to_string()),
        Err(error) => Response::error(500, &error.to_string()),
    }
}

/// Returns the answer, or an error.
fn answer(site: &Site, request: &Request) -> Result<Response, ViewError> {
    match (request.method, request.path()) {
        (Method::Get, "/") => return Ok(page::page(&site::random()?)),
        (Method::Get, "/api/changes") => return api::changes::changes(site),
        _ => {}
    }
    let side = request.number("side").unwrap_or(0);
    let state = &*site.state(side, request.number("generation"))?;
    match (request.method, request.path()) {
        (Method::Get, "/api/version") => Ok(api::info::version(state, site.states().len())),
        (Method::Get, "/api/info") => api::info::info(state),
        (Method::Post, "/api/tiles") => api::tiles::tiles(state, &request.body),
        (Method::Get, "/api/counter") => api::counter::counter(state, request),
        (Method::Get, "/api/memory") => api::memory::memory(state, request),
        (Method::Get, "/api/item") => api::item::item(state, request),
        (Method::Get, "/api/search") => api::search::search(state, request),
        (Method::Get, "/api/sources") => api::source::sources(state),
        (Method::Get, "/api/source") => api::source::source(state, request),
        (Method::Get, "/api/critical") => api::critical::critical(state),
        (Method::Get, "/api/line") => api::line::line(state, request),
        (Method::Get, "/api/advise") => api::advise::advise(state),
        (Method::Post, "/api/whatif") => api::advise::what_if(state, &request.body),
        (Method::Get, "/api/graph") => api::graph::graph(state, request),
        (_, "/api/info" | "/api/tiles" | "/") => {
            Ok(Response::error(405, "this path does not allow this method"))
        }
        _ => Ok(Response::error(404, "there is nothing here")),
    }
}
