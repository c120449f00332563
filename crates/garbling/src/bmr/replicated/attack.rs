//! Without shares of zero, what a party sends of a row that decrypts is a component of an offset or nothing: another,
//! which has the other component, finds the offset.

use super::super::attacks::{RUNS, Sent, bit, blocks, listen, of, places, product};
use super::*;
use crate::Evaluate;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::entropy::test_seed;

/// For how many instances party 0 finds the offset of party 1, among four candidates each.
fn offsets_found(rerandomised: bool) -> usize {
    let schedule = product();
    let (inputs, outputs) = ([(0, 1), (1, 1)], [vec![]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let seed = test_seed();
    let parties = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        let mut entropy = Entropy::insecure_seeded(seed, me.0);
        let mesh = &mut session.meshes[0];
        let keys = ReplicatedKeys::exchange(mesh, b"session", &places(), &mut entropy);
        let mut keys = keys.unwrap().worker();
        if !rerandomised {
            keys.zeros.clear();
        }
        let component = keys.offsets[1][1];
        let heard = listen(&mut session);
        let (mesh, opening) = (&mut session.meshes[0], Opening::All);
        let mut party = BmrReplicated::new(mesh, &places(), keys, b"session", opening).unwrap();
        let (ready, _) = party.garble_on(ports, &vec![Blocks::default(); RUNS]).unwrap();
        let common = ready.common(3, me.index());
        let first = ready.circuits[0].first_gate;
        let values: Vec<Bits> = (0..RUNS)
            .map(|i| if me.index() < 2 { bit(i >> me.index() & 1 == 1) } else { Bits::zeros(0) })
            .collect();
        ready.run(&mut session.meshes[0], &places(), ports, &values).unwrap();
        session.finish().unwrap();
        (common, first, component, heard.try_iter().collect::<Vec<Sent>>())
    });
    let (common, first, component, ..) = &parties[0];
    let sent = &parties[2].3;
    let parts = of(sent, (Stream::Def, Phase::Offline), 64);
    let labels = of(sent, (Stream::On, Phase::Online), 32);
    let offset = *parties[1].0.offset;
    assert_eq!([parts.len(), labels.len()], [3 * RUNS, RUNS]);
    let found = |i: &usize| {
        let (labels, mut hidden) = (blocks(labels[*i]), [0; 3]);
        common.prf.hide_pair(first + *i as u64, [labels[0], labels[1]], &mut hidden);
        // Its part of column 1.
        let part = blocks(parts[3 * i + 1]);
        part.iter().any(|row| component ^ row ^ hidden[1] == offset)
    };
    (0..RUNS).filter(found).count()
}

#[test]
fn parts_of_rows_show_no_offset() {
    // Half of the bits that decide are one: five standard deviations are 20.
    let found = offsets_found(false);
    assert!(found.abs_diff(RUNS / 2) < 20, "without shares of zero: {found} of {RUNS}");
    assert_eq!(offsets_found(true), 0);
}
