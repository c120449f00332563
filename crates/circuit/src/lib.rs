//! Crate `tacit-circuit`.
