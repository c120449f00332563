//! Sessions that do not come about, or end: everybody hears why, also who comes later.

mod common;

use common::{NAMES, configs, run, run_each};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tacit_net::{
    AbortKind, Farewell, NetError, PartyId, Phase, SessionConfig, SessionId, Stopper, Stream, meet,
};

/// Shorter than any deadline that would end a wait otherwise.
const SOON: Duration = Duration::from_secs(5);

fn missed(config: &SessionConfig) -> NetError {
    let (error, untold) = missed_and_untold(config);
    // Others that have heard of another party's end from that party may be gone.
    let known = matches!(error, NetError::PeerAborted { .. });
    assert!(known || untold.is_empty(), "{untold:?}");
    error
}

/// Why there is no session, and whom this party could not tell.
fn missed_and_untold(config: &SessionConfig) -> (NetError, Vec<String>) {
    let mut missed = meet(config).err().expect("there is no session");
    let patience = missed.farewell.patience().min(SOON);
    missed.farewell.tell(patience);
    let untold = missed.farewell.untold();
    (missed.error, untold)
}

#[test]
fn a_party_that_cannot_take_part_tells_those_that_wait_and_those_that_come() {
    for (tls, leaver) in [(true, 0), (true, 1), (false, 2)] {
        let started = Instant::now();
        let errors = run_each(&configs(3, tls), |config| {
            if config.me == PartyId(leaver) {
                let why = "its input does not fit";
                let mut farewell = Farewell::new(config, AbortKind::Input, why);
                assert_eq!(farewell.untold().len(), 2);
                farewell.tell(SOON);
                assert!(farewell.untold().is_empty(), "{:?}", farewell.untold());
                return None;
            }
            if config.me == PartyId((leaver + 1) % 3) {
                std::thread::sleep(Duration::from_millis(300));
            }
            Some(missed(config))
        });
        assert!(started.elapsed() < SOON);
        for error in errors.into_iter().flatten() {
            let NetError::PeerAborted { kind, reason, .. } = &error else { panic!("{error}") };
            assert_eq!(*kind, AbortKind::Input);
            assert!(reason.contains("does not fit"), "{error}");
            assert!(error.to_string().contains("nothing is wrong here"), "{error}");
        }
    }
}

/// It may not even know how many connections there would have been.
#[test]
fn two_parties_that_cannot_take_part_tell_each_other() {
    let mut configs = configs(2, true);
    configs[1].workers = 3;
    run_each(&configs, |config| {
        let mut farewell = Farewell::new(config, AbortKind::System, "its disk is full");
        farewell.tell(SOON);
        assert!(farewell.untold().is_empty());
    });
}

#[test]
fn who_comes_after_others_disagreed_hears_of_it() {
    for other in 0..3 {
        let mut configs = configs(3, true);
        configs[other].session = SessionId::named("another");
        let started = Instant::now();
        let errors = run_each(&configs, |config| {
            // The last comes when the first two have parted.
            if config.me == PartyId(2) {
                std::thread::sleep(Duration::from_millis(500));
            }
            // Who has heard it from one of the others may be gone.
            missed_and_untold(config).0
        });
        assert!(started.elapsed() < SOON);
        for error in errors {
            assert_eq!(AbortKind::of(&error), AbortKind::Disagreement, "{error}");
            assert!(error.to_string().contains("the session"), "{error}");
        }
    }
}

/// Bytes of a hello from party 1 of two, in plaintext, for its connection number `i`.
fn hello(config: &SessionConfig, i: u8) -> Vec<u8> {
    let mut hello = b"TACITnet\x02\x00".to_vec();
    let names: Vec<&str> = config.parties.iter().map(|party| party.name.as_str()).collect();
    hello.extend(config.session.0);
    hello.extend(SessionId::named(&names.join("\n")).0);
    hello.extend([1, 0, 1, 0]);
    hello.extend([u8::from(i > 0), 0, 0, i.saturating_sub(1)]);
    hello
}

fn dial(config: &SessionConfig, i: u8) -> TcpStream {
    let mut line = TcpStream::connect(&config.parties[0].address).unwrap();
    line.write_all(&hello(config, i)).unwrap();
    let mut answer = [9; 3];
    line.read_exact(&mut answer).unwrap();
    assert_eq!(answer, [0, 0, 0]);
    line
}

#[test]
fn a_peer_that_is_lost_while_others_are_missing_is_named() {
    let config = configs(3, false).remove(0);
    let started = Instant::now();
    let error = std::thread::scope(|scope| {
        scope.spawn(|| drop(dial(&config, 0)));
        meet(&config).err().unwrap().error
    });
    assert!(started.elapsed() < SOON);
    assert!(matches!(&error, NetError::Network { peer, .. } if peer.name == NAMES[1]), "{error}");
}

#[test]
fn what_a_peer_sends_before_all_connections_are_up_is_kept() {
    let config = configs(2, false).remove(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut control = dial(&config, 0);
            // A heartbeat, the half of a message, and its other half when the session is up.
            control.write_all(&[1, 0, 0, 0, 6, 4, 0, 0, 0, 3, b'o']).unwrap();
            std::thread::sleep(Duration::from_millis(200));
            let data: Vec<TcpStream> = (1..4).map(|i| dial(&config, i)).collect();
            std::thread::sleep(Duration::from_millis(100));
            control.write_all(b"ne").unwrap();
            // Until the other side has closed.
            let _ = control.read_to_end(&mut Vec::new());
            drop(data);
        });
        let mut session = meet(&config).map_err(|missed| missed.error).unwrap();
        assert_eq!(session.publish(b"mine").unwrap()[1], b"one");
    });
}

#[test]
fn a_stopped_session_ends_everywhere_and_says_how_far_it_was() {
    let configs = configs(3, true);
    let stopper = configs[1].stopper.clone();
    assert_eq!(stopper.phase(), None);
    let errors = run(&configs, |mut session| {
        if session.me() == PartyId(1) {
            let stopper = configs[1].stopper.clone();
            std::thread::spawn(move || {
                while stopper.phase() != Some(Phase::Online) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                stopper.stop(AbortKind::Interrupted, "its user stopped it");
            });
        }
        session.meshes[0].set_phase(Phase::Online);
        let from = PartyId((session.me().0 + 1) % 3);
        session.meshes[0].recv(from, Stream::On, &mut [0]).unwrap_err()
    });
    for (i, error) in errors.iter().enumerate() {
        assert_eq!(AbortKind::of(error), AbortKind::Interrupted, "{error}");
        let own = matches!(error, NetError::Stopped { .. });
        assert_eq!(own, i == 1, "{error}");
    }
}

#[test]
fn a_set_up_can_be_stopped_before_and_while_it_waits() {
    for early in [true, false] {
        let config = configs(2, true).remove(0);
        let stop = |stopper: &Stopper| stopper.stop(AbortKind::Interrupted, "its user stopped it");
        if early {
            stop(&config.stopper);
        }
        let error = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                stop(&config.stopper);
            });
            meet(&config).err().unwrap().error
        });
        let kind = AbortKind::Interrupted;
        assert!(matches!(&error, NetError::Stopped { kind: its, .. } if *its == kind), "{error}");
    }
}
