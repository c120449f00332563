//! Shuffles: what comes out, how orders are distributed, and that nothing opens of one of which a message was changed.

mod changed;
mod harness;
mod orders;
mod rows;
