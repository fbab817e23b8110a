//! Places of calls in the source of a program.
//!
//! Calls from Rust get their place through `#[track_caller]`. A front end of another language
//! interns the places of its program, and sets the place of its next calls with [`Site::enter`]. It
//! also provides the text of sources that are not files ([`provide_text`]).

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

pub use weft_trace::id::CallNumber;

/// A place in the source of a program.
#[derive(Clone, Copy)]
pub struct Site(Origin);

#[derive(Clone, Copy)]
enum Origin {
    Rust(&'static Location<'static>),
    Foreign(&'static ForeignPlace),
}

/// A place in a program that the compiler does not know.
#[derive(PartialEq, Eq, Hash)]
struct ForeignPlace {
    file: String,
    line: u32,
    column: u32,
    function: String,
    /// Distinguishes the calls of one place; 0 if unknown.
    call: u32,
    /// The call that led to this one, if the stack of calls is kept.
    caller: Option<&'static ForeignPlace>,
}

/// Texts of sources that are not files, by the name of the file.
static TEXTS: LazyLock<Mutex<HashMap<String, Arc<str>>>> = LazyLock::new(Mutex::default);

/// Provides the text of a source that is not a file, such as a cell of a notebook, so that profiles
/// can keep it. A later text of the same name replaces it.
pub fn provide_text(file: &str, text: &str) {
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    texts.insert(file.to_owned(), text.into());
}

/// Returns the text provided for a file.
pub(crate) fn provided_text(file: &str) -> Option<Arc<str>> {
    let texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    texts.get(file).cloned()
}

/// All interned places: programs have as many as they have calls, and sites refer to them until the
/// process ends.
static PLACES: LazyLock<Mutex<HashSet<&'static ForeignPlace>>> = LazyLock::new(Mutex::default);

/// Places by the address of the place without its caller, and the address of the caller.
static CALLS: LazyLock<Mutex<HashMap<(usize, usize), Site>>> = LazyLock::new(Mutex::default);

/// Names that live as long as the process.
static NAMES: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);

/// Returns a name that lives as long as the process, kept once for each text: programs have as many
/// as they have their own tasks.
pub(crate) fn kept_name(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.into());
    names.insert(kept);
    kept
}

thread_local! {
    /// The place of the calls of this thread, if a front end has set one.
    static CURRENT: Cell<Option<Site>> = const { Cell::new(None) };
}

/// Guard that restores the place from before [`Site::enter`].
pub struct Entered {
    before: Option<Site>,
    /// Bound to one thread.
    _thread: std::marker::PhantomData<*const ()>,
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

impl Site {
    /// Returns the place that a front end has set for this thread, otherwise the caller's.
    #[inline]
    #[track_caller]
    pub fn caller() -> Site {
        match CURRENT.get() {
            Some(site) => site,
            None => Site(Origin::Rust(Location::caller())),
        }
    }

    /// Makes the caller's place that of all calls of this thread until the guard is dropped, unless
    /// a place is set. Functions that a program calls do this first.
    #[inline]
    #[track_caller]
    #[must_use = "the place is that of the calls while the guard lives"]
    pub fn enter_caller() -> Option<Entered> {
        match CURRENT.get() {
            Some(_) => None,
            None => Some(Site(Origin::Rust(Location::caller())).enter()),
        }
    }

    /// Returns a place in a program: lines and columns count from 1, a column of 0 is unknown, and
    /// `function` may be empty. The text is kept until the process ends, once for each place.
    pub fn intern(file: &str, line: u32, column: u32, function: &str) -> Site {
        Site::from_place(ForeignPlace {
            file: file.to_owned(),
            line,
            column,
            function: function.to_owned(),
            call: 0,
            caller: None,
        })
    }

    /// Returns this place as reached through a call at `caller`. Places known to the compiler have
    /// no callers.
    pub fn called_from(self, caller: Site) -> Site {
        let (Origin::Foreign(place), Origin::Foreign(caller)) = (self.0, caller.0) else {
            return self;
        };
        let address = |place: &'static ForeignPlace| std::ptr::from_ref(place).addr();
        let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        *calls
            .entry((address(place), address(caller)))
            .or_insert_with(|| {
                Site::from_place(ForeignPlace {
                    file: place.file.clone(),
                    line: place.line,
                    column: place.column,
                    function: place.function.clone(),
                    call: place.call,
                    caller: Some(caller),
                })
            })
    }

    /// Returns this place with a number that distinguishes its calls. Places known to the compiler
    /// stay unchanged.
    pub fn numbered(self, call: CallNumber) -> Site {
        match self.0 {
            Origin::Rust(_) => self,
            Origin::Foreign(place) => Site::from_place(ForeignPlace {
                file: place.file.clone(),
                line: place.line,
                column: place.column,
                function: place.function.clone(),
                call: call.get(),
                caller: place.caller,
            }),
        }
    }

    /// Returns the number that distinguishes the calls of a line: the column if the compiler knows
    /// it, otherwise the front end's number.
    pub(crate) fn call_number(self) -> u32 {
        match self.0 {
            Origin::Rust(location) => location.column(),
            Origin::Foreign(place) => place.call,
        }
    }

    /// Returns the place of the call that led to this one, if it is kept.
    pub fn called_by(self) -> Option<Site> {
        match self.0 {
            Origin::Rust(_) => None,
            Origin::Foreign(place) => place.caller.map(|caller| Site(Origin::Foreign(caller))),
        }
    }

    fn from_place(place: ForeignPlace) -> Site {
        let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = places.get(&place) {
            return Site(Origin::Foreign(known));
        }
        let kept: &'static ForeignPlace = Box::leak(Box::new(place));
        places.insert(kept);
        Site(Origin::Foreign(kept))
    }

    /// Whether this thread is in a call whose place was [entered](Site::enter).
    pub fn is_entered() -> bool {
        CURRENT.get().is_some()
    }

    /// Makes this the place of all calls of this thread until the guard is dropped.
    #[inline]
    #[must_use = "the place is that of the calls while the guard lives"]
    pub fn enter(self) -> Entered {
        Entered {
            before: CURRENT.replace(Some(self)),
            _thread: std::marker::PhantomData,
        }
    }

    /// Returns the file, as named by the compiler or the front end.
    pub fn file(self) -> &'static str {
        match self.0 {
            Origin::Rust(location) => location.file(),
            Origin::Foreign(place) => &place.file,
        }
    }

    /// Returns the line, from 1.
    pub fn line(self) -> u32 {
        match self.0 {
            Origin::Rust(location) => location.line(),
            Origin::Foreign(place) => place.line,
        }
    }

    /// Returns the column, from 1; 0 if unknown.
    pub fn column(self) -> u32 {
        match self.0 {
            Origin::Rust(location) => location.column(),
            Origin::Foreign(place) => place.column,
        }
    }

    /// Returns the function that contains the call; empty if unknown, as in Rust.
    pub fn function(self) -> &'static str {
        match self.0 {
            Origin::Rust(_) => "",
            Origin::Foreign(place) => &place.function,
        }
    }

    /// Whether the program is interpreted rather than compiled.
    pub(crate) fn is_interpreted(self) -> bool {
        matches!(self.0, Origin::Foreign(_))
    }

    /// Returns an address that distinguishes places within this process. The compiler may give one
    /// place two addresses.
    #[inline]
    pub(crate) fn address(self) -> usize {
        match self.0 {
            Origin::Rust(location) => std::ptr::from_ref(location).addr(),
            Origin::Foreign(place) => std::ptr::from_ref(place).addr(),
        }
    }
}

impl PartialEq for Site {
    fn eq(&self, other: &Site) -> bool {
        (self.file(), self.line(), self.column()) == (other.file(), other.line(), other.column())
            && self.function() == other.function()
    }
}

impl Eq for Site {}

impl Hash for Site {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.file(), self.line(), self.column()).hash(state);
    }
}

/// Formats as `file:line`; with `{:#}` also the column, if known.
impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file(), self.line())?;
        match self.column() {
            column if column > 0 && f.alternate() => write!(f, ":{column}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interns_each_site_once() {
        let site = Site::intern("a.py", 3, 0, "step");
        let again = Site::intern("a.py", 3, 0, "step");
        assert_eq!(site.address(), again.address());
        assert_eq!(site.to_string(), "a.py:3");
        assert_eq!(format!("{site:#}"), "a.py:3");
        assert_eq!(format!("{:#}", Site::intern("a.py", 3, 7, "")), "a.py:3:7");
        assert_ne!(site, Site::intern("a.py", 3, 0, "other"));
    }

    #[test]
    fn distinguishes_sites_by_caller() {
        let (inner, outer) = (
            Site::intern("a.py", 3, 0, "f"),
            Site::intern("a.py", 9, 0, ""),
        );
        let called = inner.called_from(outer);
        assert_eq!(called.called_by().map(Site::line), Some(9));
        assert_eq!(called.address(), inner.called_from(outer).address());
        assert_ne!(called.address(), inner.address());
        assert_eq!(inner.called_by(), None);
    }

    #[test]
    fn caller_is_the_innermost_entered_site() {
        let own = || Site::caller().file();
        assert!(own().ends_with("site.rs"));
        let outer = Site::intern("outer.py", 1, 1, "").enter();
        {
            let _inner = Site::intern("inner.py", 1, 1, "").enter();
            assert_eq!(own(), "inner.py");
        }
        assert_eq!(own(), "outer.py");
        drop(outer);
        assert!(own().ends_with("site.rs"));
    }
}
