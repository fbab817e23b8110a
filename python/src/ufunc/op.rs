//! Universal functions by name, and the operations that compute them.

use weft::dtype::DType;
use weft::kernel::{BinaryOp, UnaryOp};

/// The operation that computes a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kernel {
    Unary(UnaryOp),
    Binary(BinaryOp),
}

/// A function of NumPy that is another one, for fewer dtypes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Alias {
    Fabs,
    Degrees,
    Radians,
    FloatPower,
}

impl Alias {
    const ALL: [(Alias, &'static str, Kernel); 4] = [
        (Alias::Fabs, "fabs", Kernel::Unary(UnaryOp::Abs)),
        (Alias::Degrees, "degrees", Kernel::Unary(UnaryOp::Rad2deg)),
        (Alias::Radians, "radians", Kernel::Unary(UnaryOp::Deg2rad)),
        (
            Alias::FloatPower,
            "float_power",
            Kernel::Binary(BinaryOp::Pow),
        ),
    ];
}

/// A universal function of Weft.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Op {
    pub(super) kernel: Kernel,
    pub(super) alias: Option<Alias>,
}

impl From<UnaryOp> for Op {
    fn from(op: UnaryOp) -> Op {
        let kernel = Kernel::Unary(op);
        Op {
            kernel,
            alias: None,
        }
    }
}

impl From<BinaryOp> for Op {
    fn from(op: BinaryOp) -> Op {
        let kernel = Kernel::Binary(op);
        Op {
            kernel,
            alias: None,
        }
    }
}

impl Op {
    /// Number of functions.
    pub(super) const COUNT: usize = UnaryOp::ALL.len() + BinaryOp::ALL.len() + Alias::ALL.len();

    /// Returns the number of the function, below [`COUNT`](Self::COUNT).
    pub(super) fn index(self) -> usize {
        match (self.alias, self.kernel) {
            (None, Kernel::Unary(op)) => op as usize,
            (None, Kernel::Binary(op)) => UnaryOp::ALL.len() + op as usize,
            (Some(alias), _) => UnaryOp::ALL.len() + BinaryOp::ALL.len() + alias as usize,
        }
    }

    pub(super) fn name(self) -> &'static str {
        let alias = Alias::ALL.iter().find(|known| self.alias == Some(known.0));
        match (alias, self.kernel) {
            (Some((_, name, _)), _) => name,
            (None, Kernel::Unary(op)) => op.name(),
            (None, Kernel::Binary(op)) => op.name(),
        }
    }

    pub(super) fn inputs(self) -> usize {
        match self.kernel {
            Kernel::Unary(_) => 1,
            Kernel::Binary(_) => 2,
        }
    }

    /// Returns the function with NumPy's name of a universal function.
    pub(super) fn named(name: &str) -> Option<Op> {
        let alias = Alias::ALL.into_iter().find(|known| known.1 == name);
        let unary = UnaryOp::ALL.iter().find(|op| op.name() == name);
        let unary = unary.filter(|op| op.is_universal());
        let binary = BinaryOp::ALL.iter().find(|op| op.name() == name);
        let binary = binary.filter(|op| op.is_universal());
        let alias = alias.map(|(alias, _, kernel)| Op {
            kernel,
            alias: Some(alias),
        });
        alias
            .or(unary.map(|op| Op::from(*op)))
            .or(binary.map(|op| Op::from(*op)))
    }

    /// Lists the names of all functions of Weft.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        let unary = UnaryOp::ALL.iter().map(|op| op.name());
        let binary = BinaryOp::ALL.iter().map(|op| op.name());
        let alias = Alias::ALL.into_iter().map(|(_, name, _)| name);
        unary.chain(binary).chain(alias)
    }

    /// Returns whether this is `ldexp`. NumPy takes its exponents as integers, the kernel in the
    /// dtype of the fractions.
    pub(super) fn has_exponents(self) -> bool {
        self.kernel == Kernel::Binary(BinaryOp::LdExp)
    }

    /// Returns whether Weft computes the function for these dtypes, with this result.
    pub(super) fn is_native(self, inputs: [DType; 2], output: DType) -> bool {
        let made = match self.kernel {
            Kernel::Unary(op) => op
                .input_dtype(inputs[0])
                .and_then(|dtype| op.output_dtype(dtype)),
            Kernel::Binary(op) if inputs[0] != inputs[1] && !self.has_exponents() => {
                return op.is_comparison() && !inputs.iter().any(|dtype| dtype.is_complex());
            }
            Kernel::Binary(op) => op
                .input_dtype(inputs[0])
                .and_then(|dtype| op.output_dtype(dtype)),
        };
        made == Some(output)
    }
}
