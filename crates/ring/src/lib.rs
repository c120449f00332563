//! Crate `tacit-ring`.
