//! Crate `tacit-net`.
