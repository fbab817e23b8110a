//! From a request to a response.

use crate::api;
use crate::http::{Method, Request, Response};
use crate::page;
use crate::state::{State, ViewError};

/// Answers a request. Nothing is answered to whoever does not know the token, or takes this server for another.
pub fn respond(state: &State, request: &Request) -> Response {
    if !state.is_host(request.host.as_deref()) {
        return Response::error(403, "this server answers to its own name only");
    }
    if request
        .origin
        .as_deref()
        .is_some_and(|origin| !state.is_origin(origin))
    {
        return Response::error(403, "this server answers to its own page only");
    }
    let token = request.token.as_deref().map(Into::into);
    let token = token.or_else(|| request.parameter("token"));
    if !token.is_some_and(|token| state.is_token(&token)) {
        return Response::error(
            403,
            "the token is missing or wrong; open the address that weft view has printed",
        );
    }
    let answered = match (request.method, request.path()) {
        (Method::Get, "/") => match state.nonce() {
            Ok(nonce) => Ok(page::page(&nonce)),
            Err(error) => Err(error),
        },
        (Method::Get, "/api/info") => api::info::info(state),
        (Method::Post, "/api/tiles") => api::tiles::tiles(state, &request.body),
        (Method::Get, "/api/counter") => api::counter::counter(state, request),
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
            Ok(Response::error(405, "this is asked for in another way"))
        }
        _ => Ok(Response::error(404, "there is nothing here")),
    };
    match answered {
        Ok(response) => response,
        Err(ViewError::Asked(sentence)) => Response::error(400, &sentence),
        Err(ViewError::Unknown(sentence)) => Response::error(404, &sentence),
        Err(error) => Response::error(500, &error.to_string()),
    }
}
