//! Methods of typed arrays, derived from those of arrays of any dtype.

/// Methods of typed arrays that forward to [`DynArray`] and turn errors into panics at the caller's
/// line.
macro_rules! typed {
    ($bound:ident: $($(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),*) = $dynamic:ident($($given:expr),*) -> $out:ty;)*) => {
        impl<T: $bound> Array<T> {
            $($(#[$doc])*
            ///
            /// # Panics
            #[doc = concat!(
                "Panics at the caller's line if [`DynArray::", stringify!($dynamic), "`] returns an error."
            )]
            #[track_caller]
            #[must_use]
            pub fn $name(&self $(, $arg: $type)*) -> Array<$out> {
                Array::wrap(at_call(self.as_dyn().$dynamic($($given),*)))
            })*
        }
    };
}

pub(super) use typed;
