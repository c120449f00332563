//! Ports for parties that are started later.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Ports that systems do not give to outgoing connections: one of those, let go, may belong to one before a party listens.
const PORTS: std::ops::Range<usize> = 12_000..32_000;

/// The next address of loopback with a port that is free. Test programs that run at the same time begin at different places.
pub fn free_address() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let start = std::process::id() as usize * 397;
    let addresses = (0..PORTS.len()).map(|_| {
        let port = PORTS.start + (start + NEXT.fetch_add(1, Ordering::Relaxed)) % PORTS.len();
        format!("127.0.0.1:{port}")
    });
    addresses.into_iter().find(|address| TcpListener::bind(address).is_ok()).expect("a free port")
}
