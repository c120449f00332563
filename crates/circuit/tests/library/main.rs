//! The library's circuits against integers, published vectors and other implementations.

mod arithmetic;
mod ciphers;
mod harness;
mod tables;
