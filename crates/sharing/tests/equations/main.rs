//! The protocols' equations alone, without a network: published vectors, correctness for every
//! mask in tiny rings, and the distribution of every party's view.

mod table;
mod vectors;
mod views;
