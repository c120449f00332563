//! Sessions over TCP and TLS: streams, large messages, throttling, control operations.

mod common;

use common::{configs, run, run_each};
use std::time::Duration;
use tacit_net::{AbortKind, Mesh, NetError, PartyId, Phase, Session, Stream, connect};

fn peers(session: &Session) -> Vec<PartyId> {
    let me = session.me();
    PartyId::all(session.parties()).filter(|&p| p != me).collect()
}

/// All streams between all parties, messages of many sizes, in an order of their own.
fn talk(mut session: Session) {
    let others = peers(&session);
    session.agree(&[("program", "talk".into())]).unwrap();
    let me = session.me().0;
    std::thread::scope(|scope| {
        for (worker, mut mesh) in std::mem::take(&mut session.meshes).into_iter().enumerate() {
            let others = &others;
            scope.spawn(move || {
                mesh.set_phase(Phase::Online);
                let sizes = [1usize, 7, 64, 1000, 70_000, 16_384, 300_000, 3];
                for (step, &size) in sizes.iter().enumerate() {
                    mesh.set_step(step as u32);
                    for stream in [Stream::Def, Stream::Pre, Stream::On] {
                        for &to in others {
                            let byte = me ^ (stream.index() as u8) << 4 ^ worker as u8;
                            mesh.send(to, stream, &vec![byte; size]).unwrap();
                        }
                    }
                    for stream in Stream::ALL {
                        for &from in others {
                            let byte = from.0 ^ (stream.index() as u8) << 4 ^ worker as u8;
                            let mut buf = vec![0; size];
                            let (head, tail) = buf.split_at_mut(size / 3);
                            mesh.recv(from, stream, head).unwrap();
                            mesh.recv(from, stream, tail).unwrap();
                            assert!(buf.iter().all(|&b| b == byte));
                        }
                    }
                }
                let total: usize = sizes.iter().sum();
                let meter = mesh.meter();
                let sent = meter.count(others[0], Stream::Def, Phase::Online);
                assert_eq!(sent.bytes_sent, total as u64);
                assert_eq!(meter.rounds(), sizes.len() as u64);
            });
        }
    });
    session.barrier().unwrap();
    let published = session.publish(&[me; 3]).unwrap();
    assert_eq!(published[1], [1; 3]);
    session.finish().unwrap();
}

#[test]
fn all_streams_over_tcp() {
    run(&configs(3, false), talk);
}

#[test]
fn all_streams_and_workers_over_tls() {
    let mut configs = configs(4, true);
    configs.iter_mut().for_each(|c| c.workers = 2);
    run(&configs, talk);
}

fn cross(mut session: Session) {
    const SIZE: usize = 64 << 20;
    let mut mesh = session.meshes.remove(0);
    let other = PartyId(1 - mesh.me().0);
    let mine = vec![mesh.me().0 + 1; SIZE];
    let mut theirs = vec![0; SIZE];
    // One after the other on one stream, and behind another stream.
    mesh.send(other, Stream::On, &mine).unwrap();
    mesh.recv(other, Stream::On, &mut theirs).unwrap();
    assert!(theirs.iter().all(|&b| b == other.0 + 1));
    mesh.send(other, Stream::Pre, &mine[..SIZE / 4]).unwrap();
    mesh.send(other, Stream::Def, &mine).unwrap();
    mesh.send(other, Stream::On, &[7]).unwrap();
    mesh.recv(other, Stream::On, &mut theirs[..1]).unwrap();
    mesh.recv(other, Stream::Def, &mut theirs).unwrap();
    mesh.recv(other, Stream::Pre, &mut theirs[..SIZE / 4]).unwrap();
    drop(mesh);
    session.finish().unwrap();
}

#[test]
fn huge_messages_cross_on_tcp() {
    run(&configs(2, false), cross);
}

#[test]
fn huge_messages_cross_on_tls() {
    run(&configs(2, true), cross);
}

#[test]
fn huge_messages_go_round_a_triangle() {
    run(&configs(3, false), |mut session| {
        const SIZE: usize = 16 << 20;
        let mut mesh = session.meshes.remove(0);
        let me = mesh.me().0;
        let mine = vec![me; SIZE];
        let mut theirs = vec![9; SIZE];
        let (next, last) = (PartyId((me + 1) % 3), PartyId((me + 2) % 3));
        for stream in Stream::ALL {
            mesh.send(next, stream, &mine).unwrap();
            mesh.recv(last, stream, &mut theirs).unwrap();
            assert!(theirs.iter().all(|&b| b == last.0));
        }
        drop(mesh);
        session.finish().unwrap();
    });
}

/// Party 0 does something with its mesh, and does not flush it before party 1 has what it waits for.
fn arrives_unasked(
    send: impl Fn(&mut Mesh, PartyId) + Sync,
    receive: impl Fn(&mut Mesh, PartyId) + Sync,
) {
    let (tell, told) = std::sync::mpsc::channel();
    let told = std::sync::Mutex::new(told);
    run(&configs(2, true), |mut session| {
        let mut mesh = session.meshes.remove(0);
        let (first, second) = (PartyId(0), PartyId(1));
        if mesh.me() == first {
            send(&mut mesh, second);
            let arrived = told.lock().unwrap().recv_timeout(Duration::from_secs(20));
            arrived.expect("it stays with the sender");
        } else {
            receive(&mut mesh, first);
            tell.send(()).unwrap();
        }
        drop(mesh);
        session.finish().unwrap();
    });
}

/// A party that has waited long sends what a step has when it ends, although it need not wait again.
#[test]
fn a_step_is_sent_when_it_ends_where_waits_are_long() {
    let send = |mesh: &mut Mesh, to| {
        mesh.recv(to, Stream::On, &mut [0]).unwrap();
        for step in 1..=3 {
            mesh.set_step(step);
            mesh.send(to, Stream::On, &[step as u8]).unwrap();
        }
        mesh.set_step(4);
    };
    arrives_unasked(send, |mesh, from| {
        std::thread::sleep(Duration::from_millis(20));
        mesh.send(from, Stream::On, &[0]).unwrap();
        let mut steps = [0; 3];
        mesh.recv(from, Stream::On, &mut steps).unwrap();
        assert_eq!(steps, [1, 2, 3]);
    });
}

/// What is large takes the link that few bytes of another stream, sent before, have to take.
#[test]
fn few_bytes_go_before_many_that_are_sent_later() {
    let many = vec![8; 100_000];
    let send = |mesh: &mut Mesh, to| {
        mesh.send(to, Stream::On, &[7]).unwrap();
        mesh.send(to, Stream::Def, &many).unwrap();
    };
    arrives_unasked(send, |mesh, from| {
        let mut few = [0];
        mesh.recv(from, Stream::On, &mut few).unwrap();
        assert_eq!(few, [7]);
        let mut many = vec![0; 100_000];
        mesh.recv(from, Stream::Def, &mut many).unwrap();
        assert!(many.iter().all(|byte| *byte == 8));
    });
}

#[test]
fn a_dealer_is_throttled_by_its_receiver() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let mut configs = configs(2, true);
    configs.iter_mut().for_each(|c| c.limits.socket_buffer_bytes = Some(128 << 10));
    let (ahead, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    run(&configs, |mut session| {
        let mut mesh = session.meshes.remove(0);
        let mut piece = vec![5; 64 << 10];
        for _ in 0..200 {
            if mesh.me() == PartyId(0) {
                let now = ahead.fetch_add(piece.len(), Ordering::SeqCst) + piece.len();
                most.fetch_max(now, Ordering::SeqCst);
                mesh.send(PartyId(1), Stream::Pre, &piece).unwrap();
            } else {
                std::thread::sleep(Duration::from_micros(500));
                mesh.recv(PartyId(0), Stream::Pre, &mut piece).unwrap();
                ahead.fetch_sub(piece.len(), Ordering::SeqCst);
            }
        }
        drop(mesh);
        session.finish().unwrap();
    });
    let most = most.into_inner();
    assert!(most < 4 << 20, "{most} bytes ahead");
}

/// While both meshes of a party wait for somebody slow, what another one sends is read ahead, up to the budget of the
/// session for both together.
#[test]
fn meshes_of_a_session_keep_what_its_budget_allows_together() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    const BUDGET: usize = 8 << 20;
    const PIECES: usize = 400;
    let mut configs = configs(3, false);
    for config in &mut configs {
        config.workers = 2;
        config.limits.kept_bytes = BUDGET;
        config.limits.socket_buffer_bytes = Some(128 << 10);
    }
    let (sent, seen) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let looked = std::sync::Barrier::new(2);
    run(&configs, |mut session| {
        session.barrier().unwrap();
        let me = session.me();
        std::thread::scope(|scope| {
            for mut mesh in std::mem::take(&mut session.meshes) {
                let (sent, seen, looked) = (&sent, &seen, &looked);
                scope.spawn(move || {
                    let mut piece = vec![7; 64 << 10];
                    match me.0 {
                        0 => {
                            std::thread::sleep(Duration::from_millis(1500));
                            seen.fetch_max(sent.load(Ordering::SeqCst), Ordering::SeqCst);
                            // Nobody reads before both have looked.
                            looked.wait();
                            mesh.send(PartyId(1), Stream::On, &[1]).unwrap();
                        }
                        1 => {
                            mesh.recv(PartyId(0), Stream::On, &mut [0]).unwrap();
                            for _ in 0..PIECES {
                                mesh.recv(PartyId(2), Stream::On, &mut piece).unwrap();
                            }
                        }
                        _ => {
                            for _ in 0..PIECES {
                                mesh.send(PartyId(1), Stream::On, &piece).unwrap();
                                sent.fetch_add(piece.len(), Ordering::SeqCst);
                            }
                        }
                    }
                });
            }
        });
        session.finish().unwrap();
    });
    let seen = seen.into_inner();
    // Buffers of the system, what is read at a time, and what is staged come on top.
    let most = BUDGET + 2 * (4 << 20);
    assert!((BUDGET * 3 / 4..most).contains(&seen), "{seen} bytes ahead");
    assert!(most < 2 * PIECES * (64 << 10));
}

/// A dealer is done long before its receiver reads, and waits for it on the control connection.
#[test]
fn flushed_preprocessing_arrives_while_its_sender_waits_elsewhere() {
    run(&configs(2, false), |mut session| {
        let bytes = 64 << 20;
        let mesh = &mut session.meshes[0];
        if mesh.me() == PartyId(0) {
            mesh.send(PartyId(1), Stream::Pre, &vec![7; bytes]).unwrap();
            mesh.flush().unwrap();
        } else {
            std::thread::sleep(Duration::from_millis(600));
            let mut received = vec![0; bytes];
            mesh.recv(PartyId(0), Stream::Pre, &mut received).unwrap();
            assert!(received.iter().all(|byte| *byte == 7));
        }
        session.barrier().unwrap();
        session.finish().unwrap();
    });
}

#[test]
fn different_facts_are_named_on_all_sides() {
    let errors = run(&configs(3, true), |mut session| {
        let lanes = if session.me().0 == 2 { "64" } else { "128" };
        session.agree(&[("lanes", lanes.into())]).unwrap_err()
    });
    for (i, error) in errors.iter().enumerate() {
        let (here, there) = if i == 2 { ("64", "128") } else { ("128", "64") };
        // Whoever is last may learn of the disagreement from the others' abort.
        let kind = AbortKind::Disagreement;
        let told = matches!(error, NetError::PeerAborted { kind: its, .. } if *its == kind);
        assert!(told || AbortKind::of(error) == kind, "{error:?}");
        let text = error.to_string();
        assert!(text.contains("lanes") && text.contains(here) && text.contains(there), "{text}");
    }
}

#[test]
fn different_sessions_and_workers_are_named_on_both_sides() {
    let mut configs = configs(2, true);
    configs[1].workers = 3;
    for error in run_each(&configs, |c| connect(c).err().unwrap()) {
        let NetError::Disagreement { what, mine, theirs, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(what, "the number of workers");
        assert_eq!([mine.as_str(), theirs.as_str()].iter().max(), Some(&"3"));
    }
}

#[test]
fn parties_may_start_in_any_order() {
    let mut configs = configs(3, true);
    configs.iter_mut().for_each(|c| c.listener = None);
    run_each(&configs, |config| {
        // The highest party dials first, while nobody listens.
        std::thread::sleep(Duration::from_millis(u64::from(2 - config.me.0) * 300));
        connect(config).unwrap().finish().unwrap();
    });
}

#[test]
fn bare_sockets_can_be_measured() {
    use tacit_net::calibrate::{bare_exchange, bare_rounds};
    let (p0, p1, p2) = (PartyId(0), PartyId(1), PartyId(2));
    let three = configs(3, false);
    let links = [(p0, p2), (p1, p2), (p2, p1)];
    let times = run_each(&three, |c| bare_exchange(c, &links, 600_000, 20).unwrap());
    assert!(times.iter().all(|t| !t.is_zero()));
    for tls in [false, true] {
        let two = configs(2, tls);
        let times = run_each(&two, |c| bare_rounds(c, PartyId(1 - c.me.0), 16, 100).unwrap());
        assert!(times.iter().all(|t| !t.is_zero()));
    }
}

/// Who has met everybody listens no more: its next session has the port.
#[test]
fn sessions_follow_each_other_on_the_same_ports_at_once() {
    let mut all = configs(3, true);
    all.iter_mut().for_each(|config| config.listener = None);
    for _ in 0..10 {
        run(&all, |mut session| {
            session.agree(&[("x", "1".into())]).unwrap();
            session.finish().unwrap();
        });
    }
}
