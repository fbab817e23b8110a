//! Conversion of rows on the clocks of their sources to one trace: identities ([`identify`]), one
//! clock ([`clock`]), and the launch of every kernel ([`join`]).

pub mod clock;
pub mod identify;
pub mod join;
