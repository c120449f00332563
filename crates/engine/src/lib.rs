//! Sessions that compute: circuits over private inputs, evaluated in blocks of lanes by any
//! protocol of the [list](protocols), with a report of what it cost.

pub mod bench;
pub mod circuit;
pub mod program;
pub mod protocols;
mod setup;
pub mod store;
pub mod values;
mod workers;
