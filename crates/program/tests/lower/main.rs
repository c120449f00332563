//! A lowered program computes what the program says, and no value leaves its interval.

mod circuits;
mod exact;
mod harness;
mod real;
