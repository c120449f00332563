//! Crate `tacit-sharing`.
