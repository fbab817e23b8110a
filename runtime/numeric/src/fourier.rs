//! Plans of Fourier transforms, kept for the next of their length.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use realfft::RealFftPlanner;
pub use realfft::{ComplexToReal, RealToComplex};
pub use rustfft::Fft;
use rustfft::{FftNum, FftPlanner};

/// Most lengths that plans are kept for; a plan has tables as long as its line.
const MAX_PLANS: usize = 256;

/// Plans for numbers of one type.
struct Plans<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    lengths: HashSet<usize>,
}

impl<T: FftNum> Default for Plans<T> {
    fn default() -> Plans<T> {
        Plans {
            complex: FftPlanner::new(),
            real: RealFftPlanner::new(),
            lengths: HashSet::new(),
        }
    }
}

impl<T: FftNum> Plans<T> {
    /// Registers a requested length. If there are too many lengths, all plans are dropped first.
    fn note(&mut self, length: usize) -> &mut Plans<T> {
        if self.lengths.insert(length) && self.lengths.len() > MAX_PLANS {
            *self = Plans::default();
            self.lengths.insert(length);
        }
        self
    }
}

/// Plans shared by all threads.
type Shared<T> = LazyLock<Mutex<Plans<T>>>;

/// A type of signals, and of the parts of their spectra.
///
/// Plans do not scale their results: a transform and its inverse multiply by the length.
pub trait Fourier: FftNum {
    /// Returns the plan for complex lines of a length above 0; the inverse if `inverse` is set.
    fn complex(length: usize, inverse: bool) -> Arc<dyn Fft<Self>>;

    /// Returns the plan from a real line of a length above 0 to the first half of its spectrum.
    fn forward(length: usize) -> Arc<dyn RealToComplex<Self>>;

    /// Returns the plan from the first half of a spectrum to a real line of a length above 0.
    fn inverse(length: usize) -> Arc<dyn ComplexToReal<Self>>;
}

macro_rules! fourier {
    ($($type:ty: $plans:ident),*) => {
        $(static $plans: Shared<$type> = LazyLock::new(Mutex::default);

        impl Fourier for $type {
            fn complex(length: usize, inverse: bool) -> Arc<dyn Fft<Self>> {
                let mut plans = $plans.lock().unwrap_or_else(PoisonError::into_inner);
                let planner = &mut plans.note(length).complex;
                match inverse {
                    true => planner.plan_fft_inverse(length),
                    false => planner.plan_fft_forward(length),
                }
            }

            fn forward(length: usize) -> Arc<dyn RealToComplex<Self>> {
                let mut plans = $plans.lock().unwrap_or_else(PoisonError::into_inner);
                plans.note(length).real.plan_fft_forward(length)
            }

            fn inverse(length: usize) -> Arc<dyn ComplexToReal<Self>> {
                let mut plans = $plans.lock().unwrap_or_else(PoisonError::into_inner);
                plans.note(length).real.plan_fft_inverse(length)
            }
        })*
    };
}

fourier!(f32: OF_F32, f64: OF_F64);
