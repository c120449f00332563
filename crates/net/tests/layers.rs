//! Shaper, tamperer, probe and configuration files.

mod common;

use common::{configs, run};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};
use tacit_net::config::{PartyConfig, generate, init};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::probe::{Effort, LinkProbe, probe};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, LinkProfile, Mesh, NetError, PartyId, SessionId, Stream, connect};

const P0: PartyId = PartyId(0);
const P1: PartyId = PartyId(1);

#[test]
fn shaped_links_take_at_least_their_delay_and_serialisation() {
    for tls in [false, true] {
        let mut configs = configs(2, tls);
        let profile = LinkProfile::new(Duration::from_millis(20), 100_000_000);
        configs[0].shape.insert(P1, profile);
        configs.iter_mut().for_each(|c| c.workers = 2);
        let start = Instant::now();
        run(&configs, |mut session| {
            // The link is shared by streams and workers: 4 times 500 kB.
            let other = PartyId(1 - session.me().0);
            let mut buf = vec![1; 500_000];
            let me = session.me();
            for stream in [Stream::On, Stream::Pre] {
                for mesh in &mut session.meshes {
                    match me {
                        P0 => mesh.send(other, stream, &buf).unwrap(),
                        _ => mesh.recv(other, stream, &mut buf).unwrap(),
                    }
                }
            }
            // Who waits is woken a little sooner.
            let nearly = |ms| Duration::from_millis(ms) - Duration::from_micros(100);
            if me == P1 {
                assert!(start.elapsed() >= nearly(20 + 160));
            }
            // A round takes the delay once.
            let before = Instant::now();
            session.meshes[0].send(other, Stream::On, &[1]).unwrap();
            session.meshes[0].recv(other, Stream::On, &mut [0]).unwrap();
            session.meshes[0].send(other, Stream::On, &[1]).unwrap();
            session.meshes[0].recv(other, Stream::On, &mut [0]).unwrap();
            assert!(before.elapsed() >= nearly(20));
            session.finish().unwrap();
        });
    }
}

#[test]
fn a_worker_that_is_not_read_does_not_hold_up_the_others_of_a_shaped_link() {
    let mut configs = configs(2, false);
    configs[0].shape.insert(P1, LinkProfile::new(Duration::ZERO, 8_000_000_000));
    for config in &mut configs {
        config.workers = 2;
        config.limits.progress = Duration::from_secs(10);
    }
    run(&configs, |mut session| {
        let other = PartyId(1 - session.me().0);
        // More than the link and all buffers on the way hold.
        let (mut many, mut few) = (vec![1; 64 << 20], vec![2; 1 << 20]);
        let [unread, read] = &mut session.meshes[..] else { panic!("two workers") };
        if other == P1 {
            std::thread::scope(|scope| {
                scope.spawn(|| unread.send(other, Stream::On, &many).unwrap());
                std::thread::sleep(Duration::from_millis(200));
                read.send(other, Stream::On, &few).unwrap();
                read.flush().unwrap();
            });
        } else {
            read.recv(other, Stream::On, &mut few).unwrap();
            unread.recv(other, Stream::On, &mut many).unwrap();
        }
        session.finish().unwrap();
    });
}

#[test]
fn the_tamperer_changes_drops_repeats_and_cuts() {
    let received = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        let mut mesh = session.meshes.remove(0);
        let mut got = [0; 11];
        if mesh.me() == P0 {
            mesh.set_tamper(Tamper::new(|m| match m.index {
                1 => Verdict::Drop,
                2 => Verdict::Repeat,
                3 => Verdict::Truncate(1),
                4 => Verdict::Replace(vec![9, 9]),
                _ => Verdict::Keep,
            }));
            for i in 0..5 {
                mesh.send(P1, Stream::On, &[i; 3]).unwrap();
            }
            mesh.set_tamper(Tamper::flip(0, 9));
            mesh.send(P1, Stream::Def, &[0, 0]).unwrap();
            assert_eq!(mesh.meter().total(|_, s, _| s == Stream::On).bytes_sent, 12);
        } else {
            mesh.recv(P0, Stream::On, &mut got).unwrap();
            mesh.recv(P0, Stream::On, &mut [0]).unwrap();
            let mut flipped = [0; 2];
            mesh.recv(P0, Stream::Def, &mut flipped).unwrap();
            assert_eq!(flipped, [0, 2]);
        }
        drop(mesh);
        session.finish().unwrap();
        got
    });
    assert_eq!(received[1], [0, 0, 0, 2, 2, 2, 2, 2, 2, 3, 9]);
}

#[test]
fn a_probe_measures_virtual_links_exactly() {
    let network =
        MemoryNetwork::uniform(LinkProfile::new(Duration::from_millis(10), 1_000_000_000))
            .with_link(P0, P1, LinkProfile::new(Duration::from_millis(30), 200_000_000));
    let results = memory::run(3, 1, &network, |mut session| {
        let result = probe(&mut session, Effort::Thorough).unwrap();
        assert_eq!(session.meter().total(|_, _, _| true), Default::default());
        session.finish().unwrap();
        result
    });
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    assert_eq!(results[0].len(), 6);
    // One byte each way: 30 ms + 40 ns there, 10 ms + 8 ns back.
    let expected =
        LinkProbe { from: P0, to: P1, rtt_ns: 40_000_048, bits_per_second: Some(200_000_000) };
    assert_eq!(results[0][0], expected);
}

/// A brief measurement of links across the world, at most of 100 Mbit/s, takes less than a second of their time.
#[test]
fn a_brief_probe_measures_virtual_links_in_a_second() {
    let link = |ms, bits| LinkProfile::new(Duration::from_millis(ms), bits);
    let network = MemoryNetwork::uniform(link(75, 20_000_000))
        .with_link(P0, P1, link(25, 100_000_000))
        .with_link(P1, P0, link(25, 300_000));
    for parties in [2, 3, 4] {
        let results = memory::run(parties, 1, &network, |mut session| {
            let start = session.meshes[0].now();
            let result = probe(&mut session, Effort::Brief).unwrap();
            assert_eq!(session.meter().total(|_, _, _| true), Default::default());
            let took = session.meshes[0].now() - start;
            session.finish().unwrap();
            (result, took)
        });
        let pairs = parties * (parties - 1);
        assert!(results.iter().all(|(links, _)| *links == results[0].0 && links.len() == pairs));
        for link in &results[0].0 {
            let (rtt_ms, bits) = match (link.from, link.to) {
                (P0, P1) => (50, 100_000_000),
                (P1, P0) => (50, 300_000),
                _ => (150, 20_000_000),
            };
            assert_eq!(link.rtt_ns / 1_000_000, rtt_ms, "{link:?}");
            let found = link.bits_per_second.unwrap();
            assert!(found.abs_diff(bits) <= bits / 50, "{link:?}");
        }
        // The slow link carries 32 kB in 0.9 s.
        let slow = Duration::from_millis(900);
        let took = results.iter().map(|(_, took)| *took).max().unwrap();
        assert!(took - slow < Duration::from_millis(1000), "{took:?}");
    }
}

#[test]
fn a_probe_measures_real_links() {
    let mut configs = configs(2, true);
    let profile = LinkProfile::new(Duration::from_millis(5), 50_000_000);
    configs[0].shape.insert(P1, profile);
    let results = run(&configs, |mut session| {
        let result = probe(&mut session, Effort::Thorough).unwrap();
        session.finish().unwrap();
        result
    });
    assert_eq!(results[0], results[1]);
    assert!(results[0].iter().all(|link| link.rtt_ns >= 5_000_000));
    let bits = results[0][0].bits_per_second.unwrap();
    assert!((1_000_000..55_000_000).contains(&bits), "{bits}");
}

fn two_parties() -> Vec<(String, String)> {
    let free = || {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    vec![("alice".into(), free()), ("bob".into(), free())]
}

#[test]
fn written_configurations_connect() {
    let dir = tempfile::tempdir().unwrap();
    let paths = init(&two_parties(), dir.path()).unwrap();
    let sessions: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = paths
            .iter()
            .map(|path| {
                scope.spawn(move || {
                    let mode = fs::metadata(path).unwrap().permissions().mode();
                    assert_eq!(mode & 0o777, 0o600);
                    let config = PartyConfig::load(path).unwrap();
                    let mut session = connect(&config.session(SessionId::named("s"))).unwrap();
                    session.agree(&[("x", "1".into())]).unwrap();
                    session.finish().unwrap();
                    config
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(sessions[0].parties, sessions[1].parties);
    assert_eq!((sessions[1].name.as_str(), sessions[1].id), ("bob", P1));
    let again = init(&two_parties(), dir.path()).unwrap_err().to_string();
    assert!(again.contains("exists already"), "{again}");
    assert!(!format!("{:?}", sessions[0]).contains("PRIVATE"));
}

#[test]
fn a_party_may_keep_the_text_of_its_programs_to_itself() {
    let shows = generate(&two_parties()).unwrap().remove(0);
    let session = |config: &PartyConfig| config.session(SessionId::named("x")).share_program;
    assert!(session(&shows) && !shows.to_toml().contains("share_program"));
    let text = shows.to_toml().replacen("[[peers]]", "share_program = false\n\n[[peers]]", 1);
    let hides = PartyConfig::parse(&text, "a.toml").unwrap();
    let again = PartyConfig::parse(&hides.to_toml(), "a.toml").unwrap();
    assert!(!session(&hides) && !session(&again));
}

#[test]
fn malformed_configurations_say_where() {
    let good = generate(&two_parties()).unwrap()[0].to_toml().to_string();
    let line = |needle: &str| 1 + good.lines().position(|l| l.contains(needle)).unwrap();
    let parse = |text: String| match PartyConfig::parse(&text, "a.toml") {
        Err(NetError::Configuration(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(PartyConfig::parse(&good, "a.toml").is_ok());

    let unknown = parse(good.replace("listen =", "liste ="));
    assert!(unknown.starts_with(&format!("a.toml:{}:1:", line("listen"))), "{unknown}");
    assert!(unknown.contains("unknown field `liste`"), "{unknown}");
    let extra = parse(good.clone() + "port = 5\n");
    assert!(extra.starts_with(&format!("a.toml:{}:1:", good.lines().count() + 1)), "{extra}");
    let fingerprint = parse(good.replace("fingerprint = \"sha256:", "fingerprint = \"sha1:"));
    assert!(
        fingerprint.starts_with(&format!("a.toml:{}:", line("fingerprint ="))),
        "{fingerprint}"
    );
    let syntax = parse(good.replace("id = 0", "id = = 0"));
    assert!(syntax.starts_with(&format!("a.toml:{}:", line("id = 0"))), "{syntax}");
    let big = parse(good.replace("id = 0", "id = 300"));
    assert!(big.starts_with(&format!("a.toml:{}:", line("id = 0"))), "{big}");

    let twice = parse(good.replace("id = 0", "id = 1"));
    assert!(twice.contains("without gaps"), "{twice}");
    let name = parse(good.replace("\"alice\"", "\"al ice\""));
    assert!(name.contains("no name"), "{name}");
    let address = parse(good.replace("address = \"127.0.0.1:", "address = \"127.0.0.1-"));
    assert!(address.contains("host:port"), "{address}");
    let key = parse(good.replace("BEGIN PRIVATE KEY", "BEGIN PUBLIC KEY"));
    assert!(key.contains("private key") && !key.contains("BEGIN"), "{key}");
    assert!(parse(String::new()).starts_with("a.toml:1:1:"));
}

#[test]
fn a_configuration_that_others_may_read_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = init(&two_parties(), dir.path()).unwrap().remove(0);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let error = PartyConfig::load(&path).unwrap_err().to_string();
    assert!(error.contains("chmod 600"), "{error}");
    let missing = PartyConfig::load(&dir.path().join("none.toml")).unwrap_err();
    assert!(missing.to_string().contains("none.toml"), "{missing}");
}

/// Which check it was would tell whoever cheats more.
#[test]
fn peers_hear_that_a_check_failed_and_not_which() {
    let heard = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        let mesh = &mut session.meshes[0];
        match mesh.me() {
            P0 => mesh.check_failed("triples are not products".into()),
            _ => mesh.recv(P0, Stream::On, &mut [0]).unwrap_err(),
        }
    });
    assert_eq!(heard[0], NetError::Check("triples are not products".into()));
    let NetError::PeerAborted { kind: AbortKind::Misbehaviour, reason, .. } = &heard[1] else {
        panic!("{}", heard[1]);
    };
    assert_eq!(reason, "a check of the protocol failed");
}

#[test]
fn meshes_and_sessions_can_move_between_threads() {
    fn is_send<T: Send>() {}
    is_send::<Mesh>();
    is_send::<tacit_net::Session>();
}
