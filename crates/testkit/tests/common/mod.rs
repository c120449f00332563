use std::path::PathBuf;
use tacit_circuit::{Builder, Circuit};

/// A golden file.
pub fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// Two levels of ANDs, one of four factors, XORs and a NOT; two inputs of three bits, two outputs.
pub fn circuit() -> Circuit {
    let mut builder = Builder::new();
    let [x, y] = [builder.input(3), builder.input(3)];
    let wide = builder.and(&[x[0], x[1], y[0], y[1]]);
    let sum = builder.xor(x[2], y[2]);
    let negated = builder.not(sum);
    let last = builder.and(&[wide, negated]);
    let both = builder.and(&[x[0], y[2]]);
    builder.output(&[last, both]);
    builder.output(&[wide]);
    builder.finish()
}
