//! What the values of a column are.

use std::fmt;
use std::sync::Arc;
use tacit_program::Domain;

/// What values are. Each is held as an integer, its *raw* value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A truth value, 0 or 1.
    Bit,
    /// A decimal number: `raw / 10^scale`, exactly. Integers have the scale 0.
    Decimal {
        /// Digits behind the decimal point.
        scale: u8,
    },
    /// A number in binary fixed point: `raw / 2^fraction`, for what is rounded, as quotients and means are.
    Fixed {
        /// Bits behind the point.
        fraction: u8,
    },
    /// A date: days since 1970-01-01.
    Date,
    /// A text without a list: the number that [`text_code`](tacit_program::domain::text_code) makes of it. It is equal to another or not.
    Text,
    /// A text of a list that is public: its number in the list.
    Category(Arc<Domain>),
}

/// An integer.
pub const INTEGER: Kind = Kind::Decimal { scale: 0 };

impl Kind {
    /// Whether it is a number, which one can calculate with.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self, Kind::Decimal { .. } | Kind::Fixed { .. })
    }
    /// Whether numbers of another kind, or bits, become ones of this kind exactly, by a multiplication.
    #[must_use]
    pub fn is_finer(&self, than: &Kind) -> bool {
        match (self, than) {
            (kind, Kind::Bit) => kind.is_number(),
            (Kind::Decimal { scale }, Kind::Decimal { scale: than }) => scale >= than,
            (Kind::Fixed { fraction }, Kind::Fixed { fraction: than }) => fraction >= than,
            (Kind::Fixed { .. }, Kind::Decimal { scale: 0 }) => true,
            _ => false,
        }
    }
}

/// As SQL calls it.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Bit => f.write_str("BOOLEAN"),
            Kind::Decimal { scale: 0 } => f.write_str("INTEGER"),
            Kind::Decimal { scale } => write!(f, "DECIMAL with {scale} decimals"),
            Kind::Fixed { fraction } => write!(f, "DOUBLE with {fraction} bits behind the point"),
            Kind::Date => f.write_str("DATE"),
            Kind::Text => f.write_str("TEXT"),
            Kind::Category(domain) => write!(f, "ENUM ({domain})"),
        }
    }
}
