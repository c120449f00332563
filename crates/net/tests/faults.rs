//! Peers that stop, stall, disappear, are not who they say, or send garbage.

mod common;

use common::{NAMES, configs, run, run_each};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tacit_net::{
    AbortKind, Fingerprint, Identity, NetError, PartyId, Phase, Security, Session, SessionConfig,
    SessionId, Stream, connect,
};

const SHORT: Duration = Duration::from_millis(300);

#[test]
fn a_peer_that_disappears_is_named_by_all() {
    for tls in [false, true] {
        let errors = run(&configs(3, tls), |mut session| {
            if session.me() == PartyId(1) {
                return None;
            }
            let mut mesh = session.meshes.remove(0);
            mesh.set_phase(Phase::Online);
            mesh.set_step(3);
            Some(mesh.recv(PartyId(1), Stream::On, &mut [0]).unwrap_err())
        });
        for error in errors.into_iter().flatten() {
            let NetError::PeerAborted { peer, reason, .. } = &error else {
                panic!("{error}");
            };
            assert_eq!((peer.id, peer.name.as_str()), (PartyId(1), "bob"));
            assert!(reason.contains("before finishing"), "{reason}");
        }
    }
}

#[test]
fn a_peer_that_drops_its_mesh_closed_the_stream() {
    let errors = run(&configs(2, true), |mut session| {
        let mut mesh = session.meshes.remove(0);
        if mesh.me() == PartyId(0) {
            mesh.send(PartyId(1), Stream::Def, b"last words").unwrap();
            drop(mesh);
            return session.barrier().err();
        }
        let mut buf = [0; 10];
        mesh.recv(PartyId(0), Stream::Def, &mut buf).unwrap();
        assert_eq!(&buf, b"last words");
        mesh.recv(PartyId(0), Stream::Def, &mut buf).err()
    });
    assert!(matches!(errors[1], Some(NetError::Closed { .. })), "{errors:?}");
    assert!(matches!(errors[0], Some(NetError::PeerAborted { .. })), "{errors:?}");
}

#[test]
fn a_stalled_peer_ends_everybody_within_the_deadline() {
    let mut configs = configs(3, true);
    configs.iter_mut().for_each(|c| c.limits.progress = Duration::from_secs(1));
    configs[0].limits.progress = SHORT;
    let started = Instant::now();
    let errors = run(&configs, |mut session| {
        let mut mesh = session.meshes.remove(0);
        mesh.set_phase(Phase::Open);
        mesh.set_step(9);
        if mesh.me() == PartyId(1) {
            std::thread::sleep(2 * SHORT);
            return mesh.flush().unwrap_err();
        }
        mesh.recv(PartyId(1), Stream::On, &mut [0]).unwrap_err()
    });
    assert!(started.elapsed() < Duration::from_secs(8));
    assert!(
        matches!(&errors[0], NetError::Timeout { peer, stream: Stream::On, place, .. }
            if peer.name == "bob" && place.phase == Phase::Open && place.step == 9),
        "{errors:?}"
    );
    for error in &errors[1..] {
        let text = error.to_string();
        assert!(text.contains("alice") && text.contains("phase open, step 9"), "{text}");
    }
}

#[test]
fn a_receiver_that_takes_nothing_times_out_its_sender() {
    let mut configs = configs(2, false);
    for config in &mut configs {
        config.limits.progress = SHORT;
        config.limits.socket_buffer_bytes = Some(64 << 10);
    }
    let errors = run(&configs, |mut session| {
        let mut mesh = session.meshes.remove(0);
        if mesh.me() == PartyId(1) {
            std::thread::sleep(3 * SHORT);
            return mesh.flush().unwrap_err();
        }
        mesh.send(PartyId(1), Stream::On, &vec![0; 8 << 20]).unwrap_err()
    });
    assert!(matches!(errors[0], NetError::Timeout { .. }), "{errors:?}");
    assert!(matches!(errors[1], NetError::PeerAborted { .. }), "{errors:?}");
}

#[test]
fn an_abort_reaches_other_threads_and_peers() {
    let mut configs = configs(2, true);
    configs.iter_mut().for_each(|c| c.workers = 2);
    let errors = run(&configs, |mut session| {
        let mut meshes = std::mem::take(&mut session.meshes);
        let (mut first, mut second) = (meshes.remove(0), meshes.remove(0));
        let other = PartyId(1 - session.me().0);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(move || first.recv(other, Stream::On, &mut [0]).unwrap_err());
            if session.me() == PartyId(0) {
                second.abort(AbortKind::Input, "check \u{7} failed\nbadly");
            }
            waiting.join().unwrap()
        })
    });
    assert!(matches!(&errors[0], NetError::Stopped { reason, .. } if reason.contains("failed")));
    assert!(
        matches!(&errors[1], NetError::PeerAborted { kind: AbortKind::Input, reason, .. } if reason == "check   failed badly"),
        "{errors:?}"
    );
}

/// Party `liar` has a new key, of which the others do not know.
fn with_a_new_key(liar: usize) -> (Vec<SessionConfig>, Fingerprint) {
    let mut configs = configs(3, true);
    let other = Identity::generate("mallory").unwrap();
    let fingerprint = other.fingerprint();
    configs[liar].parties[liar].fingerprint = Some(fingerprint);
    configs[liar].security = Security::Tls(Box::new(other));
    for config in &mut configs {
        config.limits.connect = Duration::from_secs(60);
        // The sockets of these tests stay open when nobody listens any more.
        config.limits.handshake = Duration::from_secs(1);
    }
    (configs, fingerprint)
}

#[test]
fn a_wrong_key_that_stays_ends_the_set_up_of_all_long_before_the_limit() {
    let started = Instant::now();
    std::thread::scope(|scope| {
        for liar in 0..3 {
            scope.spawn(move || {
                let (configs, key) = with_a_new_key(liar);
                let errors = run_each(&configs, |c| connect(c).err().unwrap());
                // Who did not see the wrong key long enough itself hears of it from others.
                for (i, error) in errors.iter().enumerate() {
                    assert_eq!(AbortKind::of(error), AbortKind::Configuration, "{i}: {error:?}");
                    assert!(error.to_string().contains(&key.to_string()), "{i}: {error}");
                }
                let saw = |error: &&NetError| matches!(error, NetError::Unauthorised { .. });
                assert!(errors.iter().filter(saw).count() >= 2, "{errors:?}");
                let own = errors[liar].to_string();
                assert!(own.contains("does not know this party's key"), "{own}");
            });
        }
    });
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_wrong_key_that_was_shown_once_ends_nothing() {
    let mut configs = configs(2, true);
    let (right, mut wrong) = (configs.remove(0), configs[0].clone());
    let mallory = Identity::generate("mallory").unwrap();
    wrong.me = PartyId(0);
    wrong.parties[0].fingerprint = Some(mallory.fingerprint());
    wrong.security = Security::Tls(Box::new(mallory));
    wrong.listener = right.listener.clone();
    wrong.limits.connect = SHORT;
    std::thread::scope(|scope| {
        let bob = scope.spawn(|| connect(&configs[0]).map(Session::finish));
        // Somebody answers in Alice's place for a moment.
        let mallory = connect(&wrong).err().unwrap();
        assert!(matches!(mallory, NetError::Unauthorised { .. }), "{mallory}");
        connect(&right).unwrap().finish().unwrap();
        bob.join().unwrap().unwrap().unwrap();
    });
}

#[test]
fn a_wrong_key_is_said_at_the_limit_too() {
    let (mut configs, key) = with_a_new_key(0);
    configs.iter_mut().for_each(|c| c.limits.connect = Duration::from_millis(500));
    let errors = run_each(&configs[..2], |c| connect(c).err().unwrap());
    assert!(matches!(&errors[1], NetError::Unauthorised { .. }), "{errors:?}");
    let (text, pinned) = (errors[1].to_string(), configs[1].parties[0].fingerprint.unwrap());
    assert!(text.contains(&key.to_string()) && text.contains(&pinned.to_string()), "{text}");
}

#[test]
fn a_party_cannot_play_another() {
    let mut configs = configs(3, true);
    configs.iter_mut().for_each(|c| c.limits.connect = Duration::from_secs(1));
    // Carol has a certificate of the session, but says that she is Bob.
    configs[2].me = PartyId(1);
    configs[2].parties.swap(1, 2);
    for (party, name) in configs[2].parties.iter_mut().zip(NAMES) {
        party.name = name.into();
    }
    let errors = run_each(&[configs[0].clone(), configs[2].clone()], |c| {
        connect(c).err().unwrap().to_string()
    });
    assert!(errors[0].contains("party 2 claims to be party 1"), "{errors:?}");
    assert!(errors[1].contains("party 2 claims to be party 1"), "{errors:?}");
}

#[test]
fn other_members_or_another_order_are_said_at_both_sides() {
    let mut configs = configs(3, true);
    configs[2].parties.swap(0, 1);
    let errors = run_each(&[configs[1].clone(), configs[2].clone()], |c| connect(c).err().unwrap());
    for error in &errors {
        assert_eq!(AbortKind::of(error), AbortKind::Disagreement, "{error}");
        assert!(error.to_string().contains("who the parties are"), "{error}");
    }
    let text = errors[0].to_string();
    assert!(text.contains("alice, bob, carol"), "{text}");
    let text = errors[1].to_string();
    assert!(text.contains("alice, bob, carol") && text.contains("bob, alice, carol"), "{text}");
}

#[test]
fn garbage_from_strangers_does_not_disturb_a_session() {
    for tls in [false, true] {
        let mut configs = configs(2, tls);
        let notices = Arc::new(Mutex::new(Vec::new()));
        let sink = notices.clone();
        configs[0].notice = Some(Arc::new(move |text: &str| {
            sink.lock().unwrap().push(text.to_owned());
        }));
        configs[0].limits.handshake = SHORT;
        let address = configs[0].parties[0].address.clone();
        run_each(&configs, |config| {
            if config.me == PartyId(1) {
                let mut silent = Vec::new();
                for i in 0..20u8 {
                    let mut stranger = TcpStream::connect(&address).unwrap();
                    // Some say nothing, some leave, some talk nonsense (a huge TLS record too).
                    match i % 3 {
                        0 => silent.push(stranger),
                        1 => drop(stranger),
                        _ => stranger
                            .write_all(&[[22, 3, 3, 255, 255], [i; 5]].concat().repeat(50))
                            .unwrap(),
                    }
                }
                std::thread::sleep(SHORT / 2);
            }
            connect(config).unwrap().finish().unwrap();
        });
        let notices = notices.lock().unwrap();
        assert!(notices.iter().any(|n| n.contains("was dropped")), "{notices:?}");
    }
}

/// A session with a raw peer that says hello properly, then `last_words`, then cuts everything.
fn with_raw_peer(last_words: &[u8]) -> NetError {
    let config = configs(2, false).remove(0);
    let address = config.parties[0].address.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut lines: Vec<TcpStream> = (0..4u8)
                .map(|i| {
                    let mut line = TcpStream::connect(&address).unwrap();
                    let mut hello = b"TACITnet\x02\x00".to_vec();
                    hello.extend(config.session.0);
                    hello.extend(SessionId::named("alice\nbob").0);
                    hello.extend([1, 0, 1, 0, u8::from(i > 0), 0, 0, i.saturating_sub(1)]);
                    line.write_all(&hello).unwrap();
                    let mut answer = [9; 3];
                    line.read_exact(&mut answer).unwrap();
                    assert_eq!(answer, [0, 0, 0]);
                    line
                })
                .collect();
            lines[0].write_all(last_words).unwrap();
        });
        let mut session = connect(&config).unwrap();
        session.meshes[0].set_step(4);
        session.meshes[0].recv(PartyId(1), Stream::Def, &mut [0]).unwrap_err()
    })
}

#[test]
fn bad_control_frames_are_refused() {
    for (words, shown) in
        [(&[0xff; 5][..], "4294967295"), (&[0; 4], "0 bytes"), (&[1, 0, 0, 0, 99], "kind 99")]
    {
        let error = with_raw_peer(words);
        assert!(
            matches!(&error, NetError::Misbehaviour { peer, what } if peer.name == NAMES[1] && what.contains(shown)),
            "{error}"
        );
    }
}

#[test]
fn a_killed_peer_is_named() {
    let error = with_raw_peer(&[]);
    assert!(matches!(&error, NetError::Network { peer, .. } if peer.name == NAMES[1]), "{error}");
}

#[test]
fn a_port_in_use_is_said() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut config = configs(2, true).remove(0);
    config.listener = None;
    config.parties[0].address = taken.local_addr().unwrap().to_string();
    let error = connect(&config).err().unwrap();
    assert!(matches!(&error, NetError::Listen { .. }), "{error}");
    assert!(error.to_string().contains("in use"), "{error}");
}

#[test]
fn plaintext_is_refused_off_loopback() {
    let mut config = configs(2, false).remove(0);
    config.parties[1].address = "192.0.2.1:9000".into();
    let error = connect(&config).err().unwrap();
    assert!(error.to_string().contains("plaintext is refused"), "{error}");
}

#[test]
fn a_peer_that_never_comes_is_named_with_its_address() {
    let mut configs = configs(3, true);
    configs.iter_mut().for_each(|c| c.limits.connect = SHORT);
    let listens = connect(&configs[0]).err().unwrap().to_string();
    assert!(listens.contains("bob") && listens.contains("carol"), "{listens}");
    configs[0].listener = None;
    let dials = connect(&configs[2]).err().unwrap().to_string();
    assert!(dials.contains(&configs[2].parties[0].address), "{dials}");
}
