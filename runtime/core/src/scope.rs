//! Scopes: parts of a program that the program names, with the placement and the priority of their
//! tasks.

use std::cell::Cell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use weft_trace::id::OperationUid;

use crate::observe::nvtx::{self, Color, Domain, RangeGuard, RegisteredString};

/// A scope, with the scopes around it.
#[derive(Clone, Copy)]
pub(crate) struct Scope(&'static Node);

struct Node {
    name: Box<str>,
    parent: Option<Scope>,
    placement: Placement,
    /// The name as registered with the tool, if one listens.
    text: Option<RegisteredString>,
}

/// All scopes ever opened, by name and the address of the scope around it: operations refer to them
/// until the process ends.
static SCOPES: LazyLock<Mutex<Scopes>> = LazyLock::new(Mutex::default);

type Scopes = HashMap<(usize, Placement, Box<str>), Scope>;

/// The placement and the priority of a scope's tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Placement {
    /// Whether they run on CPUs, in a run with GPUs.
    on_cpus: bool,
    /// The GPUs that they are spread over; `None` for all.
    gpus: Option<Range<usize>>,
    /// Priority: ready tasks of the highest priority run first.
    priority: i8,
}

thread_local! {
    /// The innermost open scope of this thread.
    static CURRENT: Cell<Option<Scope>> = const { Cell::new(None) };
    /// The parent of the operations that this thread submits.
    static PARENT: Cell<Option<OperationUid>> = const { Cell::new(None) };
}

/// Makes operations that this thread submits part of another one, until this is dropped.
pub(crate) struct Within {
    before: Option<OperationUid>,
    scope: Option<Scope>,
    /// Bound to one thread.
    _thread: PhantomData<*const ()>,
}

impl Within {
    pub(crate) fn operation(parent: OperationUid) -> Within {
        Within::operation_in(parent, CURRENT.get())
    }

    /// Like `operation`, and puts the operations into this scope.
    pub(crate) fn operation_in(parent: OperationUid, scope: Option<Scope>) -> Within {
        Within {
            before: PARENT.replace(Some(parent)),
            scope: CURRENT.replace(scope),
            _thread: PhantomData,
        }
    }

    /// Returns the parent of the operations that this thread submits.
    #[inline]
    pub(crate) fn current() -> Option<OperationUid> {
        PARENT.get()
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        PARENT.set(self.before);
        CURRENT.set(self.scope);
    }
}

impl Scope {
    /// Returns the innermost open scope of this thread.
    #[inline]
    pub(crate) fn current() -> Option<Scope> {
        CURRENT.get()
    }

    fn within(parent: Option<Scope>, name: &str, placement: Placement) -> Scope {
        let mut scopes = SCOPES.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (
            parent.map_or(0, Scope::address),
            placement.clone(),
            name.into(),
        );
        *scopes.entry(key).or_insert_with(|| {
            Scope(Box::leak(Box::new(Node {
                name: name.into(),
                parent,
                placement,
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

    fn placement(scope: Option<Scope>) -> Placement {
        scope.map_or_else(Placement::default, |scope| scope.0.placement.clone())
    }

    /// Whether its tasks run on CPUs, in a run with GPUs.
    pub(crate) fn is_on_cpus(self) -> bool {
        self.0.placement.on_cpus
    }

    /// Returns the GPUs that its tasks are spread over, out of `count`.
    pub(crate) fn gpus(self, count: usize) -> Range<usize> {
        match &self.0.placement.gpus {
            Some(gpus) if gpus.start < count => gpus.start..gpus.end.min(count),
            _ => 0..count,
        }
    }

    /// Priority: ready tasks of the highest priority run first.
    pub(crate) fn priority(self) -> i8 {
        self.0.placement.priority
    }

    /// Returns an address that distinguishes scopes within this process; never 0.
    #[inline]
    pub(crate) fn address(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }
}

/// Returns the NVTX domain of scopes, if a tool listens.
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

/// Names a part of the program: operations that this thread submits until the returned value is
/// dropped belong to it. The profile shows it (`weft stats --by scope`, the table `WEFT_SCOPE`),
/// and so does NVTX, as a range in the domain `weft scopes`. Scopes nest. Each name is kept until
/// the process ends.
///
/// ```
/// let assembly = weft_core::scope::annotate("assembly");
/// // Operations submitted here belong to it.
/// drop(assembly);
/// ```
pub fn annotate(name: &str) -> Annotation {
    enter(name, Scope::placement(CURRENT.get()))
}

/// Builds a scope with a placement and a priority; [`enter`](ScopeBuilder::enter) opens it.
///
/// ```
/// let urgent = weft_core::scope::scope().gpus(0..2).priority(1).enter();
/// // Tasks of operations submitted here run on the first two GPUs, before other ready tasks.
/// drop(urgent);
/// ```
pub fn scope() -> ScopeBuilder {
    ScopeBuilder {
        name: None,
        placement: Scope::placement(CURRENT.get()),
    }
}

/// Properties of a scope to be opened. Unset properties are inherited from the enclosing scope.
#[must_use = "it has no effect before `enter`"]
#[derive(Clone, Debug)]
pub struct ScopeBuilder {
    name: Option<String>,
    placement: Placement,
}

impl ScopeBuilder {
    /// Sets its name in profiles; by default it is named after its other properties.
    pub fn name(mut self, name: &str) -> ScopeBuilder {
        self.name = Some(name.to_owned());
        self
    }

    /// Spreads tasks over these GPUs of the rank only. Numbers beyond the run's GPUs are ignored.
    /// If none is left, and in runs without GPUs, it has no effect.
    pub fn gpus(mut self, gpus: Range<usize>) -> ScopeBuilder {
        self.placement.on_cpus = false;
        self.placement.gpus = (!gpus.is_empty()).then_some(gpus);
        self
    }

    /// Runs tasks on CPUs, also in runs with GPUs.
    pub fn cpus(mut self) -> ScopeBuilder {
        self.placement.on_cpus = true;
        self
    }

    /// Sets the priority; the default is 0. CPUs take ready tasks of the highest priority first.
    /// Tasks on a GPU keep the program's order.
    pub fn priority(mut self, priority: i8) -> ScopeBuilder {
        self.placement.priority = priority;
        self
    }

    /// Opens the scope: operations that this thread submits belong to it until the returned value
    /// is dropped.
    pub fn enter(self) -> Annotation {
        let name = self.name.unwrap_or_else(|| self.placement.described());
        enter(&name, self.placement)
    }
}

impl Placement {
    fn described(&self) -> String {
        let place = match &self.gpus {
            _ if self.on_cpus => "cpus".to_owned(),
            Some(gpus) => format!("gpus {}..{}", gpus.start, gpus.end),
            None => "anywhere".to_owned(),
        };
        match self.priority {
            0 => place,
            priority => format!("{place}, priority {priority}"),
        }
    }
}

fn enter(name: &str, placement: Placement) -> Annotation {
    let before = CURRENT.get();
    let scope = Scope::within(before, name, placement);
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
    fn scopes_nest_and_are_interned() {
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

    #[test]
    fn scopes_inherit_unset_options() {
        let current = || Scope::current().unwrap();
        let urgent = scope().priority(2).gpus(1..3).enter();
        assert_eq!(current().name(), "gpus 1..3, priority 2");
        let inner = annotate("assembly");
        assert_eq!((current().gpus(4), current().priority()), (1..3, 2));
        // Limited to the GPUs that exist.
        assert_eq!(current().gpus(2), 1..2);
        assert_eq!(current().gpus(1), 0..1);
        let host = scope().name("host").cpus().enter();
        assert!(current().is_on_cpus());
        assert_eq!((current().name(), current().priority()), ("host", 2));
        drop((host, inner));
        assert!(!current().is_on_cpus());
        drop(urgent);
        assert!(Scope::current().is_none());
    }
}
