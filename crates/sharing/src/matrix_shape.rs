//! Sizes of matrices.

/// Sizes of a matrix product: `rows x inner` times `inner x columns`, row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    /// Rows of the left factor.
    pub rows: usize,
    /// Columns of the left factor, rows of the right one.
    pub inner: usize,
    /// Columns of the right factor.
    pub columns: usize,
}
