//! Strangers on the port: idle connections in numbers, opened again whenever they are dropped.

mod common;

use common::{configs, run_each};
use rustix::process::{Resource, getrlimit, setrlimit};
use std::io::{ErrorKind, Read};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tacit_net::{SessionConfig, connect};

const FLOOD: usize = 700;

fn allow_many_descriptors() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
}

/// Keeps `FLOOD` idle connections to `target` until told to stop; counts those opened again.
fn flood(target: SocketAddr, stop: &AtomicBool, full: &AtomicBool, again: &AtomicUsize) {
    let open = || {
        let stream = TcpStream::connect_timeout(&target, Duration::from_secs(1)).ok()?;
        stream.set_nonblocking(true).ok()?;
        Some(stream)
    };
    let mut streams: Vec<Option<TcpStream>> = (0..FLOOD).map(|_| open()).collect();
    full.store(true, Ordering::Release);
    while !stop.load(Ordering::Acquire) {
        for stream in &mut streams {
            let lives = match stream.as_mut().map(|s| s.read(&mut [0])) {
                Some(Err(e)) => e.kind() == ErrorKind::WouldBlock,
                _ => false,
            };
            if !lives {
                *stream = open();
                again.fetch_add(1, Ordering::Relaxed);
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn meet(configs: &[SessionConfig]) -> Duration {
    let started = Instant::now();
    run_each(configs, |c| connect(c).unwrap().finish().unwrap());
    started.elapsed()
}

/// Both strangers and parties come from the loopback address here, the worst case for the parties.
#[test]
fn seven_hundred_idle_connections_delay_a_session_by_less_than_two_seconds() {
    allow_many_descriptors();
    let quiet = meet(&configs(3, true));
    let configs = configs(3, true);
    let target = configs[0].parties[0].address.parse().unwrap();
    let (stop, full, again) = Default::default();
    std::thread::scope(|scope| {
        scope.spawn(|| flood(target, &stop, &full, &again));
        let alice = scope.spawn(|| connect(&configs[0]).unwrap().finish().unwrap());
        while !full.load(Ordering::Acquire) || again.load(Ordering::Relaxed) == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let busy = meet(&configs[1..]);
        alice.join().unwrap();
        stop.store(true, Ordering::Release);
        assert!(busy < quiet + Duration::from_secs(2), "{busy:?} after {quiet:?}");
    });
}
