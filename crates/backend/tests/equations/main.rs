//! The protocols' equations: published vectors, correctness for every mask in tiny rings, and the
//! distribution of every party's view, of the equations alone and of the code that runs them.

mod gates;
mod lanes;
mod table;
mod transfers;
mod vectors;
mod views;
