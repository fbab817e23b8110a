//! The parameters of a body.

use syn::{FnArg, GenericArgument, Ident, Pat, PathArguments, Result, Type};

/// The kind of a body's argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    In,
    Out,
    InOut,
    Reduce,
    Unbound,
    Value,
    /// The communicator of the tiles.
    Communicator,
}

/// A parameter of a body.
pub(crate) struct Parameter {
    pub(crate) name: Ident,
    pub(crate) kind: Kind,
    /// The type of the elements, or of the single value.
    pub(crate) element: Type,
    /// The number of axes, for an array.
    pub(crate) rank: Option<GenericArgument>,
}

impl Parameter {
    pub(crate) fn from_argument(argument: &FnArg) -> Result<Parameter> {
        let FnArg::Typed(typed) = argument else {
            let why = "a task is a function, not a method";
            return Err(syn::Error::new_spanned(argument, why));
        };
        let Pat::Ident(pattern) = &*typed.pat else {
            let why = "a parameter of a task is a name: constraints refer to it";
            return Err(syn::Error::new_spanned(&typed.pat, why));
        };
        let name = pattern.ident.clone();
        let Some((kind, arguments)) = array(&typed.ty) else {
            let kind = match is_communicator(&typed.ty) {
                true => Kind::Communicator,
                false => Kind::Value,
            };
            return Ok(Parameter {
                name,
                kind,
                element: (*typed.ty).clone(),
                rank: None,
            });
        };
        match arguments.as_slice() {
            [GenericArgument::Type(element)] if kind == Kind::Unbound => Ok(Parameter {
                name,
                kind,
                element: element.clone(),
                rank: None,
            }),
            [GenericArgument::Type(element), rank] if kind != Kind::Unbound => Ok(Parameter {
                name,
                kind,
                element: element.clone(),
                rank: Some(rank.clone()),
            }),
            _ => {
                let why = "an array has a type of elements and a number of axes, as In<f32, 1>, and a result of unknown length a type, as Unbound<f32>";
                Err(syn::Error::new_spanned(&typed.ty, why))
            }
        }
    }
}

fn is_communicator(of: &Type) -> bool {
    let Type::Path(path) = of else { return false };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "Communicator")
}

/// Adds the omitted lifetime to the type of an array.
pub(crate) fn with_lifetime(argument: &mut FnArg) {
    let FnArg::Typed(typed) = argument else {
        return;
    };
    if array(&typed.ty).is_none() {
        return;
    }
    let Type::Path(path) = &mut *typed.ty else {
        return;
    };
    let last = path.path.segments.last_mut();
    if let Some(PathArguments::AngleBracketed(arguments)) = last.map(|last| &mut last.arguments) {
        let is_lifetime = |one: &GenericArgument| matches!(one, GenericArgument::Lifetime(_));
        if !arguments.args.iter().any(is_lifetime) {
            arguments.args.insert(0, syn::parse_quote!('_));
        }
    }
}

/// Returns the kind of an array type, and its generic arguments without lifetimes; `None` for a
/// single value.
fn array(of: &Type) -> Option<(Kind, Vec<GenericArgument>)> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last()?;
    let kind = match last.ident.to_string().as_str() {
        "In" => Kind::In,
        "Out" => Kind::Out,
        "InOut" => Kind::InOut,
        "Reduce" => Kind::Reduce,
        "Unbound" => Kind::Unbound,
        _ => return None,
    };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return Some((kind, Vec::new()));
    };
    let arguments = arguments.args.iter();
    let arguments = arguments.filter(|one| !matches!(one, GenericArgument::Lifetime(_)));
    Some((kind, arguments.cloned().collect()))
}
