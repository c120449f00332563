//! What operations give: values in the clear, or an error.

use tacit_sharing::SharingError;
use zeroize::Zeroizing;

pub(crate) type Result<T> = std::result::Result<T, SharingError>;

/// Values in the clear, raw in fixed point. They are wiped when dropped.
pub type Values = Zeroizing<Vec<i128>>;

pub(crate) fn wrong(what: &str) -> SharingError {
    SharingError::Shape(format!("a program's operation does not fit: {what}"))
}
