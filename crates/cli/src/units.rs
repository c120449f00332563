//! Times and sizes as people read them.

/// A time with a fitting unit.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.1} us", s * 1e6),
    }
}

/// A number of bytes with a fitting unit.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        b if b >= 10_000_000_000 => format!("{:.1} GB", b as f64 * 1e-9),
        b if b >= 10_000_000 => format!("{:.1} MB", b as f64 * 1e-6),
        b if b >= 10_000 => format!("{:.1} kB", b as f64 * 1e-3),
        b => format!("{b} bytes"),
    }
}
