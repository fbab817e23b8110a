//! The entries of the attribute.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprArray, Ident, LitInt, LitStr, Path, Result, Token, parenthesized};

/// An entry of the attribute.
pub(crate) enum Entry {
    /// A call of the builder, with the parameters that it names.
    Build(TokenStream, Vec<Ident>),
    /// The parameter, and the operation that combines contributions to it.
    Reduce(Ident, Ident),
    /// The file with code for GPUs.
    CudaFile(LitStr),
    /// The text of code for GPUs.
    CudaSource(LitStr),
    /// The entry `cpu`: there is a body for CPUs.
    Cpu,
    /// The entry `concurrent`: all tiles run at the same time.
    Concurrent,
    /// The name in outputs.
    Name(LitStr),
    /// The path of the crate `weft`.
    Crate(Path),
}

/// Parses the arguments of an entry.
fn arguments(input: ParseStream<'_>) -> Result<Vec<Expr>> {
    let content;
    parenthesized!(content in input);
    let all = Punctuated::<Expr, Token![,]>::parse_terminated(&content)?;
    Ok(all.into_iter().collect())
}

fn name(expression: &Expr) -> Result<Ident> {
    match expression {
        Expr::Path(path) if path.qself.is_none() => path.path.require_ident().cloned(),
        other => Err(syn::Error::new(other.span(), "the name of a parameter")),
    }
}

fn names(arguments: &[Expr]) -> Result<Vec<Ident>> {
    arguments.iter().map(name).collect()
}

/// Returns the text of a name, as used for parameters.
pub(crate) fn text(name: &Ident) -> String {
    name.unraw().to_string()
}

fn two(arguments: &[Expr], span: Span, what: &str) -> Result<[Ident; 2]> {
    match arguments {
        [one, other] => Ok([name(one)?, name(other)?]),
        _ => Err(syn::Error::new(
            span,
            format!("{what} names two parameters"),
        )),
    }
}

/// Returns the widths along the axes: one number for all, or a list.
fn widths(expression: &Expr) -> TokenStream {
    match expression {
        Expr::Array(ExprArray { elems, .. }) => quote!(&[#elems]),
        one => quote!(&[#one]),
    }
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> Result<Entry> {
        let key = Ident::parse_any(input)?;
        let span = key.span();
        Ok(match text(&key).as_str() {
            "align" => {
                let named = names(&arguments(input)?)?;
                let texts = named.iter().map(text);
                Entry::Build(quote!(.align(&[#(#texts),*])), named.clone())
            }
            "broadcast" => {
                let all = arguments(input)?;
                let (first, axes) = all
                    .split_first()
                    .ok_or_else(|| syn::Error::new(span, "broadcast names a parameter"))?;
                let named = name(first)?;
                let text = text(&named);
                Entry::Build(quote!(.broadcast_axes(#text, &[#(#axes),*])), vec![named])
            }
            "halo" => {
                let all = arguments(input)?;
                let (first, low, high) = match all.as_slice() {
                    [first, both] => (first, both, both),
                    [first, low, high] => (first, low, high),
                    _ => {
                        let why = "halo names a parameter and how many neighbours, below and above";
                        return Err(syn::Error::new(span, why));
                    }
                };
                let named = name(first)?;
                let (text, low, high) = (text(&named), widths(low), widths(high));
                Entry::Build(quote!(.halo(#text, #low, #high)), vec![named])
            }
            "scale" => {
                let all = arguments(input)?;
                let [small, large, factors] = all.as_slice() else {
                    let why = "scale names the small parameter, the large one, and the factor";
                    return Err(syn::Error::new(span, why));
                };
                let (small, large, factors) = (name(small)?, name(large)?, widths(factors));
                let texts = [text(&small), text(&large)];
                let [one, other] = &texts;
                Entry::Build(quote!(.scale(#factors, #one, #other)), vec![small, large])
            }
            kind @ ("image" | "offsets" | "coordinates") => {
                let all = arguments(input)?;
                let (named, is_exact) = match all.as_slice() {
                    [named @ .., word]
                        if named.len() == 2 && name(word).is_ok_and(|word| word == "exact") =>
                    {
                        (named, true)
                    }
                    named => (named, false),
                };
                let [through, of] = two(named, span, kind)?;
                let names = match kind {
                    "image" => quote!(Ranges),
                    "offsets" => quote!(Offsets),
                    _ => quote!(Coordinates),
                };
                let image = match is_exact {
                    true => quote!(exact_image),
                    false => quote!(image),
                };
                let (one, other) = (text(&through), text(&of));
                let call = quote!(.#image(#one, #other, __weft::task::Names::#names));
                Entry::Build(call, vec![through, of])
            }
            "project" => {
                let all = arguments(input)?;
                let [of, projection] = all.as_slice() else {
                    let why = "project names a parameter and a projection";
                    return Err(syn::Error::new(span, why));
                };
                let of = name(of)?;
                let text = text(&of);
                let call = quote!(.project_text(#text, #projection));
                Entry::Build(call, vec![of])
            }
            "reduce" => {
                let [of, how] = two(&arguments(input)?, span, "reduce")?;
                Entry::Reduce(of, how)
            }
            "work" => {
                input.parse::<Token![=]>()?;
                let elements: LitInt = input.parse()?;
                Entry::Build(quote!(.work(#elements)), Vec::new())
            }
            "flops" => {
                input.parse::<Token![=]>()?;
                let operations: LitInt = input.parse()?;
                Entry::Build(quote!(.flops(#operations)), Vec::new())
            }
            "unordered" => Entry::Build(quote!(.unordered()), Vec::new()),
            "whole" => Entry::Build(quote!(.whole()), Vec::new()),
            "concurrent" => Entry::Concurrent,
            "nested" => Entry::Build(quote!(.nested()), Vec::new()),
            "cpu" => Entry::Cpu,
            "cuda" => {
                input.parse::<Token![=]>()?;
                Entry::CudaFile(input.parse()?)
            }
            "cuda_source" => {
                input.parse::<Token![=]>()?;
                Entry::CudaSource(input.parse()?)
            }
            "cuda_block" => {
                input.parse::<Token![=]>()?;
                let threads = widths(&input.parse()?);
                Entry::Build(quote!(.cuda_block(#threads)), Vec::new())
            }
            "name" => {
                input.parse::<Token![=]>()?;
                Entry::Name(input.parse()?)
            }
            "crate" => {
                input.parse::<Token![=]>()?;
                Entry::Crate(input.parse()?)
            }
            other => {
                let why = format!(
                    "unknown entry {other:?}; use one of align, broadcast, halo, scale, image, offsets, coordinates, project, reduce, work, flops, unordered, whole, concurrent, nested, cpu, cuda, cuda_source, cuda_block, name or crate"
                );
                return Err(syn::Error::new(span, why));
            }
        })
    }
}
