//! The `tacit` program.
fn main() {}
