//! The expansion of `#[weft::task]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, ItemFn, Result, ReturnType, parse_quote};

use crate::constraint::{Entry, text};
use crate::parameter::{Kind, Parameter, with_lifetime};

pub(crate) fn expand(entries: Vec<Entry>, function: ItemFn) -> Result<TokenStream> {
    let signature = &function.sig;
    if !signature.generics.params.is_empty() {
        let why = "a task has no generics: its arrays have dtypes and numbers of axes";
        return Err(syn::Error::new_spanned(&signature.generics, why));
    }
    if let Some(word) = &signature.asyncness {
        return Err(syn::Error::new_spanned(
            word,
            "a task is not async: its calls return at once",
        ));
    }
    let parameters: Vec<Parameter> = signature
        .inputs
        .iter()
        .map(Parameter::from_argument)
        .collect::<Result<_>>()?;
    let mut build = TokenStream::new();
    let mut reductions: Vec<(Ident, Ident)> = Vec::new();
    let mut name = text(&signature.ident);
    let mut weft: syn::Path = parse_quote!(::weft);
    let mut is_concurrent = false;
    for entry in entries {
        match entry {
            Entry::Concurrent => {
                is_concurrent = true;
                build.extend(quote!(.concurrent()));
            }
            Entry::Build(call, named) => {
                for one in &named {
                    find_parameter(&parameters, one)?;
                }
                build.extend(call);
            }
            Entry::Reduce(of, how) => {
                if find_parameter(&parameters, &of)?.kind != Kind::Reduce {
                    let why = format!("{of} is not a Reduce<T, D>");
                    return Err(syn::Error::new(of.span(), why));
                }
                reductions.push((of, how));
            }
            Entry::Cpu => {}
            Entry::CudaFile(file) => {
                build.extend(quote!(.cuda_file(#file, ::core::include_str!(#file))));
            }
            Entry::CudaSource(source) => build.extend(quote!(.cuda(#source))),
            Entry::Name(given) => name = given.value(),
            Entry::Crate(path) => weft = path,
        }
    }
    if let Some(one) = parameters.iter().find(|one| one.kind == Kind::Communicator)
        && !is_concurrent
    {
        let why =
            "tiles exchange values where they run at the same time: the task needs `concurrent`";
        return Err(syn::Error::new(one.name.span(), why));
    }
    let is_given_by_call = |parameter: &&Parameter| parameter.kind != Kind::Communicator;
    let declared = parameters
        .iter()
        .filter(is_given_by_call)
        .map(|parameter| declare(parameter, &reductions))
        .collect::<Result<Vec<_>>>()?;
    let of_calls = parameters.iter().filter(is_given_by_call);
    let names: Vec<&Ident> = of_calls.map(|parameter| &parameter.name).collect();
    let count = names.len();
    let taken = parameters.iter().map(
        |Parameter {
             name,
             kind,
             element,
             ..
         }| match kind {
            Kind::In => quote!(#name.into_in()?),
            Kind::Out => quote!(#name.into_out()?),
            Kind::InOut => quote!(#name.into_inout()?),
            Kind::Reduce => quote!(#name.into_reduce()?),
            Kind::Unbound => quote!(#name.into_unbound()?),
            Kind::Value => quote!(#name.value::<#element>()?),
            Kind::Communicator => quote!(context.communicator()),
        },
    );
    let call = quote!(__body(#(#taken),*));
    let call = match &signature.output {
        ReturnType::Default => quote!(#call;),
        ReturnType::Type(..) => quote!(#call?;),
    };
    let given = || {
        let parameters = parameters.iter().filter(is_given_by_call);
        parameters.filter(|one| one.kind != Kind::Unbound)
    };
    let outer = given().map(
        |Parameter {
             name,
             kind,
             element,
             ..
         }| match kind {
            Kind::Value => quote!(#name: #element),
            _ => quote!(#name: &__weft::Array<#element>),
        },
    );
    let arguments = given().map(|Parameter { name, kind, .. }| match kind {
        Kind::Value => {
            quote!(__weft::task::Argument::from(__weft::dtype::Element::to_scalar(#name)))
        }
        _ => quote!(__weft::task::Argument::from(#name)),
    });
    let found: Vec<&syn::Type> = parameters
        .iter()
        .filter(|one| one.kind == Kind::Unbound)
        .map(|one| &one.element)
        .collect();
    let result = match found.as_slice() {
        [] => quote!(()),
        [one] => quote!(#weft::Array<#one>),
        all => quote!((#(#weft::Array<#all>),*)),
    };
    let launch = match found.is_empty() {
        true => quote!(DEFINITION.launch(&[#(#arguments),*])),
        false => {
            let arrays = found.iter().map(|element| {
                quote! {
                    __weft::Array::<#element>::try_from(__weft::DynArray::from(
                        __results.next().ok_or(__weft::Error::Interrupted)?,
                    ))?
                }
            });
            quote! {
                let mut __results = DEFINITION.results(&[#(#arguments),*])?.into_iter();
                ::core::result::Result::Ok((#(#arrays),*))
            }
        }
    };
    // The path of the crate gets one name, which the types of the signature can also use.
    let outer: Vec<TokenStream> = outer.map(|one| replace(one, &weft)).collect();
    let mut body = function.clone();
    body.attrs.retain(|attribute| {
        attribute.path().is_ident("allow") || attribute.path().is_ident("expect")
    });
    body.sig.ident = parse_quote!(__body);
    body.vis = syn::Visibility::Inherited;
    body.sig.inputs.iter_mut().for_each(with_lifetime);
    let (visibility, attributes, ident) = (&function.vis, &function.attrs, &signature.ident);
    Ok(quote! {
        #(#attributes)*
        #[track_caller]
        #visibility fn #ident(#(#outer),*) -> ::core::result::Result<#result, #weft::Error> {
            use #weft as __weft;
            #body
            static DEFINITION: ::std::sync::LazyLock<__weft::task::Definition> =
                ::std::sync::LazyLock::new(|| {
                    let built = __weft::task::Definition::builder(#name)
                        #(#declared)*
                        #build
                        .cpu(|context: &mut __weft::task::Context<'_, '_>| {
                            let [#(#names),*] = context.take_all::<#count>()?;
                            #call
                            ::core::result::Result::Ok(())
                        })
                        .finish();
                    match built {
                        ::core::result::Result::Ok(definition) => definition,
                        ::core::result::Result::Err(error) => ::core::panic!("{error}"),
                    }
                });
            #launch
        }
    })
}

/// Replaces the crate's path by its name within the function.
fn replace(tokens: TokenStream, weft: &syn::Path) -> TokenStream {
    use proc_macro2::{Group, TokenTree};
    let mut out = TokenStream::new();
    for tree in tokens {
        match tree {
            TokenTree::Ident(ident) if ident == "__weft" => out.extend(quote!(#weft)),
            TokenTree::Group(group) => {
                let inner = replace(group.stream(), weft);
                out.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// Returns the parameter with this name.
fn find_parameter<'a>(parameters: &'a [Parameter], name: &Ident) -> Result<&'a Parameter> {
    let mut all = parameters.iter();
    all.find(|parameter| parameter.name == *name)
        .ok_or_else(|| {
            let names: Vec<String> = parameters.iter().map(|one| text(&one.name)).collect();
            let why = format!(
                "unknown parameter `{name}`; use one of {}",
                names.join(", ")
            );
            syn::Error::new(name.span(), why)
        })
}

/// Returns the builder's call that adds a parameter.
fn declare(parameter: &Parameter, reductions: &[(Ident, Ident)]) -> Result<TokenStream> {
    let Parameter {
        name,
        kind,
        element,
        rank,
    } = parameter;
    let text = text(name);
    let dtype = quote!(<#element as __weft::dtype::Element>::DTYPE);
    Ok(match kind {
        Kind::In => quote!(.input(#text, #dtype, #rank)),
        Kind::Out => quote!(.output(#text, #dtype, #rank)),
        Kind::InOut => quote!(.inout(#text, #dtype, #rank)),
        Kind::Value => quote!(.scalar(#text, #dtype)),
        Kind::Unbound => quote!(.unbound(#text, #dtype)),
        Kind::Communicator => TokenStream::new(),
        Kind::Reduce => {
            let mut all = reductions.iter();
            let Some((_, how)) = all.find(|(of, _)| of == name) else {
                let why =
                    format!("state how contributions to {name} are combined: reduce({name}, Add)");
                return Err(syn::Error::new(name.span(), why));
            };
            quote!(.reduce(#text, __weft::task::Reduction::#how, #dtype, #rank))
        }
    })
}
