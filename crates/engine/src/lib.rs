//! Sessions that compute: circuits over private inputs, evaluated in blocks of lanes by any
//! protocol of the registry, with a report of what it cost.

pub mod bench;
pub mod circuit;
pub mod program;
mod setup;
pub mod store;
pub mod values;
mod workers;
