//! The expansion of `#[weft::elementwise]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, Ident, ItemFn, Pat, Result, ReturnType, Type, parse_quote};

use crate::constraint::{Entry, text};

/// The maximum number of inputs of an elementwise function.
const MOST: usize = 6;

pub(crate) fn expand(entries: Vec<Entry>, function: ItemFn) -> Result<TokenStream> {
    let signature = &function.sig;
    if !signature.generics.params.is_empty() {
        let why = "it has no generics: its elements have types";
        return Err(syn::Error::new_spanned(&signature.generics, why));
    }
    let mut name = text(&signature.ident);
    let mut cuda: Option<TokenStream> = None;
    let mut weft: syn::Path = parse_quote!(::weft);
    for entry in entries {
        match entry {
            Entry::Name(given) => name = given.value(),
            Entry::CudaFile(file) => cuda = Some(quote!(::core::include_str!(#file))),
            Entry::CudaSource(source) => cuda = Some(quote!(#source)),
            Entry::Crate(path) => weft = path,
            _ => {
                let why = "a function of elements needs no constraints; use only cuda, cuda_source, name and crate";
                return Err(syn::Error::new_spanned(&signature.ident, why));
            }
        }
    }
    let inputs: Vec<(Ident, Type)> = signature.inputs.iter().map(input).collect::<Result<_>>()?;
    if inputs.is_empty() || inputs.len() > MOST {
        let why = format!("it takes 1 to {MOST} elements; of more arrays make a task");
        return Err(syn::Error::new_spanned(&signature.inputs, why));
    }
    let ReturnType::Type(_, result) = &signature.output else {
        let why = "it gives an element";
        return Err(syn::Error::new_spanned(&signature.ident, why));
    };
    let mut body = function.clone();
    body.attrs.clear();
    body.attrs.push(parse_quote!(#[inline(always)]));
    body.sig.ident = parse_quote!(__body);
    body.vis = syn::Visibility::Inherited;
    let (visibility, attributes, ident) = (&function.vis, &function.attrs, &signature.ident);
    let parameters = inputs.iter();
    let parameters =
        parameters.map(|(name, element)| quote!(#name: impl #weft::program::IntoValue<#element>));
    let values = inputs.iter();
    let values = values.map(
        |(name, element)| quote!(<_ as #weft::program::IntoValue<#element>>::into_value(#name)),
    );
    let function_in_c = text(ident);
    let made = match cuda {
        Some(cuda) => quote!(with_cuda(#name, __body, #cuda, #function_in_c)),
        None => quote!(new(#name, __body)),
    };
    Ok(quote! {
        #(#attributes)*
        #[track_caller]
        #visibility fn #ident(#(#parameters),*) -> #weft::Array<#result> {
            #body
            static FUNCTION: ::std::sync::LazyLock<#weft::task::Elementwise> =
                ::std::sync::LazyLock::new(|| #weft::task::Elementwise::#made);
            match #weft::Array::map(&FUNCTION, &[#(#values),*]) {
                ::core::result::Result::Ok(array) => array,
                ::core::result::Result::Err(error) => ::core::panic!("{error}"),
            }
        }
    })
}

fn input(argument: &FnArg) -> Result<(Ident, Type)> {
    let FnArg::Typed(typed) = argument else {
        let why = "it is a function, not a method";
        return Err(syn::Error::new_spanned(argument, why));
    };
    match &*typed.pat {
        Pat::Ident(pattern) => Ok((pattern.ident.clone(), (*typed.ty).clone())),
        other => Err(syn::Error::new_spanned(other, "a parameter is a name")),
    }
}
