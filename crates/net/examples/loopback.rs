//! How near a mesh comes to bare sockets, between three processes on this machine.
//!
//! `cargo run --release --example loopback [-- MESSAGE_KB [TOTAL_MB [SOCKET_BUFFER_KB]]]`
//!
//! The pattern is that of a three-party protocol with a dealer: party 0 sends to party 2, parties
//! 1 and 2 send each other, a message at a time. One line per transport, with the payload of all
//! links per second of wall time and per second of CPU time of all processes; then the time of a
//! round of 16 bytes between parties 1 and 2, also over links that are shaped to 100 us or to
//! 10 Mbit/s; then what the shaper makes of 1 Gbit/s links; last the memory transport, with threads for parties.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::probe::{Effort, LinkProbe, probe};
use tacit_net::{
    Identity, LinkProfile, Mesh, NetError, PartyAddress, PartyId, Phase, Security, SessionConfig,
    SessionId, Stream, calibrate, connect,
};

const P: [PartyId; 3] = [PartyId(0), PartyId(1), PartyId(2)];
const LINKS: [(PartyId, PartyId); 3] = [(P[0], P[2]), (P[1], P[2]), (P[2], P[1])];
const ROUNDS: usize = 3000;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.get(1).map(String::as_str) == Some("party") {
        return party(&args[2..]).unwrap();
    }
    let number = |i: usize, default: usize| args.get(i).map_or(default, |a| a.parse().unwrap());
    let (kb, total, buffer) = (number(1, 256), number(2, 2000), number(3, 0));
    if let Some(mode) = args.get(4) {
        return parties(mode, kb, total, buffer);
    }
    for mode in ["bare", "tcp", "tls", "rounds-bare", "rounds-tcp", "rounds-bare-tls", "rounds-tls"]
    {
        parties(mode, kb, total, buffer);
    }
    for mode in ["rounds-100us-tls", "rounds-10mbit-tls"] {
        parties(mode, kb, total, buffer);
    }
    for mode in ["shaped-tcp", "shaped-tls"] {
        parties(mode, 4096, total.min(1000), buffer);
    }
    in_memory(kb << 10, kb << 10, total);
    in_memory(kb << 10, 64, total);
}

/// Messages go in pieces of `piece` bytes, each a `send` and a `recv` of its own.
fn in_memory(message: usize, piece: usize, total_mb: usize) {
    let messages = total_mb * 1_000_000 / message;
    let before = cpu_seconds();
    let start = Instant::now();
    memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        play(&mut session.meshes[0], message, piece, messages).unwrap();
        session.finish().unwrap();
    });
    let (wall, after) = (start.elapsed().as_secs_f64(), cpu_seconds());
    let [user, system] = [after[0] - before[0], after[1] - before[1]];
    report(&format!("memory, {piece} B"), total_mb, wall, user, system);
}

fn parties(mode: &str, kb: usize, total_mb: usize, buffer_kb: usize) {
    let dir = std::env::temp_dir().join(format!("tacit-loopback-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let listeners: Vec<TcpListener> =
        P.iter().map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    for (i, listener) in listeners.iter().enumerate() {
        let identity = Identity::generate(&format!("p{i}")).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        fs::write(dir.join(format!("{i}.addr")), address).unwrap();
        fs::write(dir.join(format!("{i}.crt")), identity.certificate_pem()).unwrap();
        fs::write(dir.join(format!("{i}.key")), identity.key_pem()).unwrap();
    }
    drop(listeners);
    let children: Vec<_> = (0..3)
        .map(|i| {
            Command::new(std::env::current_exe().unwrap())
                .args(["party", mode, &i.to_string(), dir.to_str().unwrap()])
                .args([kb, total_mb, buffer_kb].map(|n| n.to_string()))
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut wall: f64 = 0.0;
    let (mut user, mut system) = (0.0, 0.0);
    for child in children {
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success());
        let text = String::from_utf8(out.stdout).unwrap();
        let n: Vec<f64> = text.split_whitespace().map(|n| n.parse().unwrap()).collect();
        wall = wall.max(n[0]);
        (user, system) = (user + n[1], system + n[2]);
    }
    fs::remove_dir_all(&dir).unwrap();
    if mode.starts_with("rounds") {
        println!("{mode:18} {:8.2} us per round", wall / ROUNDS as f64 * 1e6);
    } else {
        report(mode, total_mb, wall, user, system);
    }
}

fn report(what: &str, total_mb: usize, wall: f64, user: f64, system: f64) {
    let bytes = 3.0 * total_mb as f64 * 1e6;
    println!(
        "{what:18} {:6.3} GB/s   {:6.2} GB per CPU second (user {user:.2} s, system {system:.2} s)",
        bytes / wall / 1e9,
        bytes / (user + system) / 1e9
    );
}

fn party(args: &[String]) -> Result<(), NetError> {
    let mode = args[0].as_str();
    let n = |i: usize| args[i].parse::<usize>().unwrap();
    let (me, dir, message, total) = (n(1), Path::new(&args[2]), n(3) << 10, n(4) * 1_000_000);
    let mut config = config(me, dir, mode.ends_with("tls"));
    config.limits.socket_buffer_bytes = (n(5) > 0).then_some(n(5) << 10);
    let messages = total / message;
    let shape = |link| P.iter().filter(|&&p| p != P[me]).map(|&p| (p, link)).collect();
    let before = cpu_seconds();
    let time = match mode {
        "bare" => calibrate::bare_exchange(&config, &LINKS, message, messages)?,
        "shaped-tcp" | "shaped-tls" => {
            config.shape = shape(LinkProfile::new(Duration::ZERO, 1_000_000_000));
            let mut session = connect(&config)?;
            let probes = probe(&mut session, Effort::Thorough)?;
            session.finish()?;
            let bits = |p: &LinkProbe| p.bits_per_second.unwrap_or(0) as f64 / 1e9;
            if me == 0 {
                eprintln!("probed: {:.3?} Gbit/s", probes.iter().map(bits).collect::<Vec<_>>());
            }
            exchange(&config, message, messages)?
        }
        "tcp" | "tls" => exchange(&config, message, messages)?,
        _ if me == 0 && mode.contains("bare") => Duration::ZERO,
        "rounds-bare" | "rounds-bare-tls" => {
            calibrate::bare_rounds(&config, P[3 - me], 16, ROUNDS)?
        }
        "rounds-100us-tls" => {
            config.shape = shape(LinkProfile::delay(Duration::from_micros(100)));
            rounds(&config)?
        }
        "rounds-10mbit-tls" => {
            config.shape = shape(LinkProfile::new(Duration::ZERO, 10_000_000));
            rounds(&config)?
        }
        _ => rounds(&config)?,
    };
    let after = cpu_seconds();
    println!("{} {} {}", time.as_secs_f64(), after[0] - before[0], after[1] - before[1]);
    Ok(())
}

fn exchange(config: &SessionConfig, message: usize, messages: usize) -> Result<Duration, NetError> {
    let mut session = connect(config)?;
    session.barrier()?;
    let start = Instant::now();
    play(&mut session.meshes[0], message, message, messages)?;
    session.barrier()?;
    let time = start.elapsed();
    session.finish()?;
    Ok(time)
}

fn play(mesh: &mut Mesh, message: usize, piece: usize, messages: usize) -> Result<(), NetError> {
    // Aligned, as a protocol's own buffers should be.
    let mut space = vec![0u8; message + 4096];
    let at = space.as_ptr().align_offset(4096);
    let buf = &mut space[at..at + message];
    mesh.set_phase(Phase::Online);
    for step in 0..messages {
        mesh.set_step(step as u32);
        match mesh.me().0 {
            0 => send(mesh, P[2], Stream::Pre, buf, piece)?,
            1 => {
                send(mesh, P[2], Stream::On, buf, piece)?;
                recv(mesh, P[2], Stream::On, buf, piece)?;
            }
            _ => {
                recv(mesh, P[0], Stream::Pre, buf, piece)?;
                send(mesh, P[1], Stream::On, buf, piece)?;
                recv(mesh, P[1], Stream::On, buf, piece)?;
            }
        }
    }
    Ok(())
}

fn send(mesh: &mut Mesh, to: PartyId, s: Stream, buf: &[u8], piece: usize) -> Result<(), NetError> {
    buf.chunks(piece).try_for_each(|bytes| mesh.send(to, s, bytes))
}

fn recv(
    mesh: &mut Mesh,
    from: PartyId,
    s: Stream,
    buf: &mut [u8],
    piece: usize,
) -> Result<(), NetError> {
    buf.chunks_mut(piece).try_for_each(|bytes| mesh.recv(from, s, bytes))
}

fn rounds(config: &SessionConfig) -> Result<Duration, NetError> {
    let mut session = connect(config)?;
    let mut time = Duration::ZERO;
    if config.me != P[0] {
        let other = P[3 - config.me.index()];
        let mesh = &mut session.meshes[0];
        let mut buf = [0; 16];
        let mut start = Instant::now();
        for round in 0..ROUNDS + 20 {
            if round == 20 {
                start = Instant::now();
            }
            mesh.send(other, Stream::On, &buf)?;
            mesh.recv(other, Stream::On, &mut buf)?;
        }
        time = start.elapsed();
    }
    session.finish()?;
    Ok(time)
}

fn config(me: usize, dir: &Path, tls: bool) -> SessionConfig {
    let read = |i: usize, what: &str| fs::read_to_string(dir.join(format!("{i}.{what}"))).unwrap();
    let identity = |i| Identity::from_pem(&read(i, "crt"), &read(i, "key")).unwrap();
    let parties = (0..3)
        .map(|i| PartyAddress {
            name: format!("p{i}"),
            address: read(i, "addr"),
            fingerprint: tls.then(|| identity(i).fingerprint()),
        })
        .collect();
    let security = match tls {
        true => Security::Tls(Box::new(identity(me))),
        false => Security::InsecurePlaintextOnLoopback,
    };
    SessionConfig::new(P[me], SessionId::named("loopback"), parties, security)
}

/// User and system CPU time of this process.
fn cpu_seconds() -> [f64; 2] {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    [fields[11], fields[12]].map(|ticks| ticks.parse::<f64>().unwrap() / 100.0)
}
