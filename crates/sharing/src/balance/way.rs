//! In which way a product is made.

use tacit_protocol::Protocol;

/// A way to make a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Way {
    /// As this protocol does.
    pub protocol: Protocol,
    /// Roles 1 and 2 exchange their jobs.
    pub crossed: bool,
}
