//! Crate `tacit-engine`.
