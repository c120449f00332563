//! A party that cheats in a program.

use crate::harness::{Class, LONG, cheat_at, checked, flip_first, flip_last};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tacit_engine::circuit::Preprocessing;
use tacit_engine::program::{self, By, Prepared, ProgramJob};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_program::clear::Array;
use tacit_program::text;
use tacit_ring::{Entropy, entropy};
use tacit_sharing::Protocol;
use tacit_sharing::proof::Source;

/// A product, a selection, a shift and a rounded product of numbers of three parties.
const PROGRAM: &str = "program cheat\nparties a, b, c\nrows n <= 100\n\
    input x: u8[n] from a\ninput y: u8[n] from b\ninput z: u8[n] from c\n\
    let p = sum(x * y, axis 0)\nlet q = sum(select(x < z, y, z), axis 0)\n\
    let r = sum(shift_right(x * z, by 3), axis 0)\n\
    let f = sum(to_fixed(y, fraction 8) * to_fixed(z, fraction 8), axis 0)\n\
    reveal p to a, b\nreveal q to c\nreveal r to a\nreveal f to b\n";

/// Under which protocol, by what, and with which preprocessing.
type How = (Protocol, By, Preprocessing);

/// As [`run`], of a program: whether each party has a result.
fn run_program(
    (protocol, by, preprocessing): How,
    cheat: PartyId,
    tamper: impl Fn(usize) -> Tamper + Sync,
) -> Vec<bool> {
    let (program, seed) = (text::parse("cheat", PROGRAM).unwrap(), entropy::test_seed());
    let parties = PartyId::all(3).collect();
    let job = ProgramJob {
        by,
        workers: 2,
        preprocessing,
        ..ProgramJob::new(protocol, parties, vec![70])
    };
    let network = MemoryNetwork { deadline: LONG, ..MemoryNetwork::default() };
    memory::run(protocol.parties(), 2, &network, |mut session| {
        let me = session.me();
        for (worker, mesh) in session.meshes.iter_mut().enumerate().filter(|_| me == cheat) {
            mesh.set_tamper(tamper(worker));
        }
        let own = program.inputs().filter(|(_, _, party)| party.is_some_and(|p| p.0 == me.0));
        let inputs = own.map(|(id, name, _)| {
            let element = program.body.nodes[id as usize].types[0].element;
            let values = (0..70).map(|i| (i * 37 + i128::from(me.0)) % 256);
            (name.to_owned(), Array::from_values(element, vec![70], values).unwrap())
        });
        let prepared = Prepared::new(&program, job.clone()).unwrap();
        let mut entropy = Entropy::insecure_seeded(seed, me.0);
        let inputs = inputs.collect();
        program::run_with(&mut session, &prepared, inputs, &mut entropy, &|_| {}).is_ok()
    })
}

/// Changes the first and the last message of every class of a program's.
fn cheat_in_program(how: How, what: fn(&[u8]) -> Verdict) {
    for party in PartyId::all(how.0.parties()) {
        let classes: Arc<Mutex<BTreeMap<Class, usize>>> = Arc::default();
        let results = run_program(how, party, |worker| {
            let classes = classes.clone();
            Tamper::new(move |m| {
                let class = (worker, m.to, m.stream, m.place.phase);
                *classes.lock().unwrap().entry(class).or_insert(0) += 1;
                Verdict::Keep
            })
        });
        assert!(results.iter().all(|has| *has));
        let classes = classes.lock().unwrap().clone();
        for (class, count) in classes {
            let mut indices = vec![0, count / 3, count / 2, count - 1];
            indices.dedup();
            for index in indices {
                let results =
                    run_program(how, party, |worker| cheat_at(class, index, worker, what));
                let honest = (0..).map(PartyId).zip(results).filter(|(p, _)| *p != party);
                let label = format!("{how:?}, {party} in {class:?} number {index} of {count}");
                honest.for_each(|(p, result)| assert!(!result, "{label}: {p} has a result"));
            }
        }
    }
}

#[test]
fn nor_with_a_statistical_parameter_of_64() {
    for strong in Protocol::STRONG {
        cheat_in_program((strong, By::Rings, Preprocessing::Interleaved), flip_first);
    }
}

#[test]
fn a_cheat_in_a_program_leaves_nobody_honest_a_result() {
    use Preprocessing::Interleaved;
    for protocol in [Protocol::Tagged, Protocol::Galois] {
        cheat_in_program((protocol, By::Rings, Interleaved), flip_first);
    }
    for protocol in checked() {
        cheat_in_program((protocol, By::Circuits, Interleaved), flip_first);
        if protocol.has_rings() {
            cheat_in_program((protocol, By::Rings, Interleaved), flip_first);
            // Of a redundant word the last bit does not count.
            if protocol != Protocol::Post {
                cheat_in_program((protocol, By::Rings, Interleaved), flip_last);
            }
        }
    }
}

#[test]
fn a_cheat_in_a_program_after_its_preprocessing_or_in_it_leaves_nobody_honest_a_result() {
    for (protocol, by) in [
        (Protocol::QuadA, By::Rings),
        (Protocol::Tetrad, By::Rings),
        (Protocol::QuadHet, By::Circuits),
        (Protocol::Brain(Source::Buckets), By::Rings),
    ] {
        cheat_in_program((protocol, by, Preprocessing::Separate), flip_first);
    }
}
