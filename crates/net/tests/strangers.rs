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

/// A connection from an address of this machine that no party has.
#[cfg(target_os = "linux")]
fn from_elsewhere(target: SocketAddr) -> TcpStream {
    use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    let elsewhere: SocketAddr = "127.0.0.2:0".parse().unwrap();
    bind(&socket, &elsewhere).unwrap();
    connect(&socket, &target).unwrap();
    TcpStream::from(socket)
}

/// How long after `since` a connection is dropped, if it is within `most`.
#[cfg(target_os = "linux")]
fn dropped(stream: &mut TcpStream, since: Instant, most: Duration) -> Option<Duration> {
    let left = most.saturating_sub(since.elapsed()).max(Duration::from_millis(1));
    stream.set_read_timeout(Some(left)).unwrap();
    match stream.read(&mut [0]) {
        Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => None,
        _ => Some(since.elapsed()),
    }
}

/// Eight of an address that no party has are kept, and none that says nothing longer than two seconds.
#[cfg(target_os = "linux")]
#[test]
fn silent_strangers_have_eight_places_for_two_seconds() {
    let mut configs = configs(2, true);
    for config in &mut configs {
        config.limits.handshake = Duration::from_secs(20);
        config.limits.connect = Duration::from_secs(20);
    }
    let target = configs[0].parties[0].address.parse().unwrap();
    std::thread::scope(|scope| {
        let alice = scope.spawn(|| connect(&configs[0]).unwrap().finish().unwrap());
        let since = Instant::now();
        let mut strangers: Vec<TcpStream> = (0..9).map(|_| from_elsewhere(target)).collect();
        // Less than the time for a handshake.
        let most = Duration::from_secs(15);
        let first = dropped(&mut strangers[0], since, most).expect("the ninth has its place");
        for stranger in &mut strangers[1..] {
            let after = dropped(stranger, since, most).expect("is dropped");
            let kept = after >= first + Duration::from_secs(1);
            assert!(kept, "{after:?}, {first:?}: the others keep theirs");
        }
        connect(&configs[1]).unwrap().finish().unwrap();
        alice.join().unwrap();
    });
}
