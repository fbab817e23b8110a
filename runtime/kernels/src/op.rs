//! Reductions and scans as plain data, for all devices.

mod reduce;
mod scan;

pub use reduce::ReduceOp;
pub use scan::ScanOp;

/// Declares an operation enum with its names and the list of all operations.
macro_rules! operations {
    ($(#[$doc:meta])* $Op:ident { $($(#[$variant_doc:meta])* $variant:ident = $name:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $Op {
            $($(#[$variant_doc])* $variant),*
        }

        impl $Op {
            /// All operations.
            pub const ALL: &'static [$Op] = &[$($Op::$variant),*];

            /// Returns NumPy's name of the function.
            pub const fn name(self) -> &'static str {
                match self {
                    $($Op::$variant => $name),*
                }
            }
        }

        impl std::fmt::Display for $Op {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

use operations;
