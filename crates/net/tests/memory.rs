//! The memory transport: virtual time to the nanosecond, deadlines, bounded memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tacit_net::memory::{Compute, MemoryNetwork, run};
use tacit_net::{LinkProfile, Mesh, NetError, PartyId, Phase, Stream};

const P0: PartyId = PartyId(0);
const P1: PartyId = PartyId(1);
const MS: Duration = Duration::from_millis(1);

/// Runs `party` on the only mesh of each party, and finishes.
fn on_meshes<R: Send>(
    parties: usize,
    network: &MemoryNetwork,
    party: impl Fn(&mut Mesh) -> R + Sync,
) -> Vec<R> {
    run(parties, 1, network, |mut session| {
        let mut mesh = session.meshes.remove(0);
        let result = party(&mut mesh);
        drop(mesh);
        session.finish().unwrap();
        result
    })
}

fn ns(n: u64) -> Duration {
    Duration::from_nanos(n)
}

#[test]
fn a_message_takes_serialisation_and_delay() {
    // 1 Gbit/s: 8 ns per byte.
    let network = MemoryNetwork::uniform(LinkProfile::new(5 * MS, 1_000_000_000));
    let times = on_meshes(2, &network, |mesh| {
        let other = PartyId(1 - mesh.me().0);
        if mesh.me() == P0 {
            mesh.send(other, Stream::On, &[1; 1000]).unwrap();
            mesh.send(other, Stream::On, &[2; 500]).unwrap();
            mesh.send(other, Stream::Def, &[3; 250]).unwrap();
            assert_eq!(mesh.now(), Duration::ZERO);
            mesh.recv(other, Stream::On, &mut [0; 1]).unwrap();
            vec![mesh.now()]
        } else {
            let mut times = Vec::new();
            let mut buf = [0; 1250];
            mesh.recv(other, Stream::On, &mut buf[..100]).unwrap();
            times.push(mesh.now());
            mesh.recv(other, Stream::On, &mut buf).unwrap();
            times.push(mesh.now());
            mesh.recv(other, Stream::Def, &mut buf[..1]).unwrap();
            times.push(mesh.now());
            mesh.send(other, Stream::On, &[0]).unwrap();
            assert_eq!(mesh.meter().total(|_, _, _| true).waited_ns, mesh.now().as_nanos() as u64);
            times
        }
    });
    // The first 100 bytes, then 1350 of 1500, then byte 1501 on the shared link.
    let at = |bytes: u64| 5 * MS + ns(8 * bytes);
    assert_eq!(times[1], [at(100), at(1350), at(1501)]);
    assert_eq!(times[0], [at(1501) + at(1)]);
}

#[test]
fn rounds_cost_one_delay_each_and_control_operations_too() {
    let network = MemoryNetwork::uniform(LinkProfile::delay(75 * MS)).with_link(
        P0,
        P1,
        LinkProfile::delay(10 * MS),
    );
    let times = run(2, 1, &network, |mut session| {
        let me = session.me();
        let other = PartyId(1 - me.0);
        let mesh = &mut session.meshes[0];
        mesh.set_phase(Phase::Online);
        for step in 0..100 {
            mesh.set_step(step);
            mesh.send(other, Stream::On, &[0; 8]).unwrap();
            mesh.recv(other, Stream::On, &mut [0; 8]).unwrap();
        }
        assert_eq!(mesh.meter().rounds(), 100);
        let after = mesh.now();
        session.barrier().unwrap();
        let met = session.meshes[0].now();
        session.finish().unwrap();
        (after, met)
    });
    // Every second round takes 10 + 75 ms: each waits for the other's answer to its own message.
    let done = 50 * 85 * MS;
    assert_eq!(times, [(done, done + 75 * MS), (done, done + 10 * MS)]);
}

#[test]
fn runs_are_deterministic_to_the_nanosecond() {
    let network = MemoryNetwork::uniform(LinkProfile::new(3 * MS, 235_000_000)).with_link(
        P1,
        P0,
        LinkProfile::new(7 * MS, 75_000_001),
    );
    let once = || {
        on_meshes(3, &network, |mesh| {
            let me = mesh.me().0;
            let (next, last) = (PartyId((me + 1) % 3), PartyId((me + 2) % 3));
            let mut buf = vec![0; 300_000];
            for step in 0..50usize {
                let n = (step * 7919 * (usize::from(me) + 1)) % 300_000;
                let from = (step * 7919 * (usize::from(last.0) + 1)) % 300_000;
                mesh.send(next, Stream::Pre, &buf[..n / 3]).unwrap();
                mesh.send(next, Stream::On, &buf[..n]).unwrap();
                mesh.recv(last, Stream::On, &mut buf[..from]).unwrap();
                mesh.recv(last, Stream::Pre, &mut buf[..from / 3]).unwrap();
            }
            mesh.now()
        })
    };
    let first = once();
    for _ in 0..3 {
        assert_eq!(once(), first);
    }
}

#[test]
fn huge_messages_cross() {
    let network = MemoryNetwork::default();
    on_meshes(2, &network, |mesh| {
        let other = PartyId(1 - mesh.me().0);
        let mine = vec![mesh.me().0; 64 << 20];
        let mut theirs = vec![9; 64 << 20];
        for stream in Stream::ALL {
            mesh.send(other, stream, &mine).unwrap();
        }
        for stream in Stream::ALL {
            mesh.recv(other, stream, &mut theirs).unwrap();
            assert!(theirs.iter().all(|&b| b == other.0));
        }
    });
}

#[test]
fn a_dealer_is_held_back_but_its_clock_is_not() {
    let mut network = MemoryNetwork::uniform(LinkProfile::delay(MS));
    network.pre_window_bytes = 1 << 20;
    let ahead = AtomicUsize::new(0);
    let most = AtomicUsize::new(0);
    let times = on_meshes(2, &network, |mesh| {
        let mut piece = vec![5; 128 << 10];
        if mesh.me() == P0 {
            for _ in 0..200 {
                let now = ahead.fetch_add(piece.len(), Ordering::SeqCst) + piece.len();
                most.fetch_max(now, Ordering::SeqCst);
                mesh.send(P1, Stream::Pre, &piece).unwrap();
            }
        } else {
            for _ in 0..200 {
                std::thread::sleep(MS / 2);
                mesh.recv(P0, Stream::Pre, &mut piece).unwrap();
                ahead.fetch_sub(piece.len(), Ordering::SeqCst);
            }
        }
        mesh.now()
    });
    assert_eq!(times, [Duration::ZERO, MS]);
    // Window, what the receiver took at once, and one piece on each side.
    let most = most.into_inner();
    assert!(most <= (2 << 20) + (512 << 10), "{most}");
}

#[test]
fn thread_cpu_time_moves_the_clock() {
    let network = MemoryNetwork::default().with_compute(Compute::ThreadCpuTime(2.0));
    let times = on_meshes(2, &network, |mesh| {
        mesh.set_phase(Phase::Online);
        if mesh.me() == P0 {
            let mut x = 1u64;
            for i in 0..20_000_000u64 {
                x = std::hint::black_box(x.wrapping_mul(i | 1));
            }
            mesh.send(P1, Stream::On, &x.to_le_bytes()).unwrap();
        } else {
            mesh.recv(P0, Stream::On, &mut [0; 8]).unwrap();
        }
        mesh.now()
    });
    assert!(times[0] > 2 * MS, "{times:?}");
    assert!(times[1] >= times[0]);
}

#[test]
fn work_begins_when_it_is_said_to_and_no_clock_goes_back() {
    let times = on_meshes(2, &MemoryNetwork::default(), |mesh| {
        mesh.begin_work_at(5 * MS);
        let later = mesh.now();
        mesh.begin_work_at(2 * MS);
        [later, mesh.now()]
    });
    assert_eq!(times, [[5 * MS; 2]; 2]);
}

#[test]
fn waits_end_and_say_where() {
    let network =
        MemoryNetwork { deadline: Duration::from_millis(100), ..MemoryNetwork::default() };
    let errors = run(3, 1, &network, |mut session| {
        let mut mesh = session.meshes.remove(0);
        if mesh.me() == P0 {
            mesh.set_phase(Phase::Verify);
            mesh.set_step(17);
            return mesh.recv(P1, Stream::Def, &mut [0]).unwrap_err();
        }
        // The others wait for longer than the deadline, on something that does not come.
        std::thread::sleep(Duration::from_millis(150));
        mesh.recv(P0, Stream::On, &mut [0]).unwrap_err()
    });
    match &errors[0] {
        NetError::Timeout { peer, stream, place, .. } => {
            assert_eq!((peer.id, *stream), (P1, Stream::Def));
            assert_eq!((place.phase, place.step), (Phase::Verify, 17));
        }
        other => panic!("{other}"),
    }
    for error in &errors[1..] {
        assert!(matches!(error, NetError::PeerAborted { peer, .. } if peer.id == P0), "{error}");
        assert!(error.to_string().contains("verify, step 17"), "{error}");
    }
}

#[test]
fn a_dropped_peer_is_noticed_at_once_after_its_bytes() {
    run(2, 1, &MemoryNetwork::default(), |mut session| {
        let mut mesh = session.meshes.remove(0);
        if mesh.me() == P0 {
            mesh.send(P1, Stream::On, &[1, 2, 3]).unwrap();
            drop(mesh);
            session.barrier().unwrap_err();
        } else {
            let mut buf = [0; 3];
            mesh.recv(P0, Stream::On, &mut buf).unwrap();
            assert_eq!(buf, [1, 2, 3]);
            let error = mesh.recv(P0, Stream::On, &mut buf).unwrap_err();
            assert!(matches!(error, NetError::Closed { .. }), "{error}");
        }
    });
}

#[test]
fn different_facts_are_named_on_all_sides() {
    let errors = run(3, 1, &MemoryNetwork::default(), |mut session| {
        let circuit = if session.me() == P1 { "sha256" } else { "aes" };
        session.agree(&[("version", "1".into()), ("circuit", circuit.into())]).unwrap_err()
    });
    for (i, error) in errors.iter().enumerate() {
        let NetError::Disagreement { what, mine, theirs, peer, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(what, "circuit");
        let (here, there) = if i == 1 { ("sha256", "aes") } else { ("aes", "sha256") };
        assert_eq!((mine.as_str(), theirs.as_str()), (here, there));
        assert_eq!(peer.id, if i == 1 { P0 } else { P1 });
    }
}

#[test]
fn control_operations_must_match() {
    let errors = run(2, 1, &MemoryNetwork::default(), |mut session| {
        match session.me() {
            P0 => session.barrier(),
            _ => session.agree(&[]),
        }
        .unwrap_err()
    });
    for error in errors {
        let differs = matches!(error, NetError::Disagreement { .. });
        assert!(differs || matches!(error, NetError::PeerAborted { .. }), "{error}");
    }
}

#[test]
fn a_stopper_ends_the_sessions_of_all_parties() {
    use tacit_net::{AbortKind, Stopper};
    let stopper = Stopper::default();
    let network = MemoryNetwork { stopper: stopper.clone(), ..MemoryNetwork::default() };
    let rounds = AtomicUsize::new(0);
    let ends = run(2, 1, &network, |mut session| {
        let mesh = &mut session.meshes[0];
        let other = PartyId(1 - mesh.me().0);
        loop {
            if rounds.fetch_add(1, Ordering::Relaxed) == 1000 {
                stopper.stop(AbortKind::Interrupted, "enough");
            }
            let mut byte = [0];
            if let Err(error) = mesh
                .send(other, Stream::On, &[7])
                .and_then(|()| mesh.recv(other, Stream::On, &mut byte))
            {
                return error;
            }
        }
    });
    for end in ends {
        let stopped =
            NetError::Stopped { kind: AbortKind::Interrupted, reason: "enough".to_owned() };
        assert_eq!(end, stopped);
    }
    assert!(rounds.load(Ordering::Relaxed) < 1100);
    // Whoever begins after that does not get far.
    let late = run(2, 1, &network, |mut session| session.barrier());
    assert!(late.iter().all(|end| matches!(end, Err(NetError::Stopped { .. }))), "{late:?}");
}
