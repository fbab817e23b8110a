//! Scopes: parts of a program that the program itself names.

use std::cell::Cell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use weft_trace::id::OperationUid;

use crate::observe::nvtx::{self, Color, Domain, RangeGuard, RegisteredString};

/// A scope, with the scopes around it.
#[derive(Clone, Copy)]
pub(crate) struct Scope(&'static Node);

struct Node {
    name: Box<str>,
    parent: Option<Scope>,
    /// The name as the tool knows it, where one listens.
    text: Option<RegisteredString>,
}

/// Every scope that was opened, by its name and the address of the scope around it: operations refer to them until the process ends.
static SCOPES: LazyLock<Mutex<Scopes>> = LazyLock::new(Mutex::default);

type Scopes = HashMap<(usize, Box<str>), Scope>;

thread_local! {
    /// The innermost open scope of this thread.
    static CURRENT: Cell<Option<Scope>> = const { Cell::new(None) };
    /// The operation that those asked for by this thread are part of.
    static PARENT: Cell<Option<OperationUid>> = const { Cell::new(None) };
}

/// Makes the operations that this thread asks for part of another one, until it is dropped.
pub(crate) struct Within {
    before: Option<OperationUid>,
    /// Of one thread.
    _thread: PhantomData<*const ()>,
}

impl Within {
    pub(crate) fn operation(parent: OperationUid) -> Within {
        Within {
            before: PARENT.replace(Some(parent)),
            _thread: PhantomData,
        }
    }

    /// The operation that those asked for by this thread are part of.
    #[inline]
    pub(crate) fn current() -> Option<OperationUid> {
        PARENT.get()
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        PARENT.set(self.before);
    }
}

impl Scope {
    /// The innermost open scope of this thread.
    #[inline]
    pub(crate) fn current() -> Option<Scope> {
        CURRENT.get()
    }

    fn within(parent: Option<Scope>, name: &str) -> Scope {
        let mut scopes = SCOPES.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (parent.map_or(0, Scope::address), name.into());
        *scopes.entry(key).or_insert_with(|| {
            Scope(Box::leak(Box::new(Node {
                name: name.into(),
                parent,
                text: domain().map(|domain| domain.register(name)),
            })))
        })
    }

    pub(crate) fn name(self) -> &'static str {
        &self.0.name
    }

    pub(crate) fn parent(self) -> Option<Scope> {
        self.0.parent
    }

    /// What tells scopes apart within this process; never 0.
    #[inline]
    pub(crate) fn address(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }
}

/// The way to the tool that listens, if one does.
fn domain() -> Option<&'static Domain> {
    static DOMAIN: OnceLock<Option<Domain>> = OnceLock::new();
    let domain = DOMAIN.get_or_init(|| Some(Domain::create(nvtx::tool()?, "weft scopes")));
    domain.as_ref()
}

/// An open scope; it ends when this is dropped.
#[must_use = "the scope ends when this is dropped"]
pub struct Annotation {
    before: Option<Scope>,
    _range: Option<RangeGuard<'static>>,
}

impl Drop for Annotation {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

/// Names a part of the program: operations that this thread asks for until the returned value is dropped belong to it, in the profile
/// (`weft stats --by scope`, the table `WEFT_SCOPE`) and as a range of NVTX in the domain `weft scopes`. Scopes nest. Each name is kept until the
/// process ends.
///
/// ```
/// let assembly = weft_core::scope::annotate("assembly");
/// // Operations that are asked for here belong to it.
/// drop(assembly);
/// ```
pub fn annotate(name: &str) -> Annotation {
    let before = CURRENT.get();
    let scope = Scope::within(before, name);
    CURRENT.set(Some(scope));
    let range = domain().zip(scope.0.text).map(|(domain, text)| {
        let color = Color(weft_trace::color::of_task(name));
        domain.push(&text, 0, color, 0)
    });
    Annotation {
        before,
        _range: range,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_nest_and_are_kept_once() {
        let path = || {
            let mut scopes: Vec<_> =
                std::iter::successors(Scope::current(), |scope| scope.parent()).collect();
            scopes.reverse();
            scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>()
        };
        assert!(path().is_empty());
        let outer = annotate("solve");
        let first = {
            let _inner = annotate("assembly");
            assert_eq!(path(), ["solve", "assembly"]);
            Scope::current().map(Scope::address)
        };
        assert_eq!(path(), ["solve"]);
        let again = annotate("assembly");
        assert_eq!(Scope::current().map(Scope::address), first);
        drop(again);
        drop(outer);
        assert!(path().is_empty());
    }
}
