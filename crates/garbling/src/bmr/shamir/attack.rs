//! Without shares of zero, what a party sends of rows is a product of its shares of a bit and of an offset: another,
//! which knows its own, finds the offset.

use super::super::attacks::{RUNS, Sent, blocks, listen, of, places, product};
use super::super::field::inverse;
use super::*;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;

/// For how many instances party 0 finds the offset of party 1, among eight candidates each.
fn offsets_found(rerandomised: bool) -> usize {
    let schedule = product();
    let (inputs, outputs) = ([(0, 1), (1, 1)], [vec![]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let seed = test_seed();
    let parties = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let mesh = &mut session.meshes[0];
        let keys = ShamirKeys::exchange(mesh, b"session", &places(), &mut entropy);
        let mut keys = keys.unwrap().worker();
        if !rerandomised {
            keys.zeros.clear();
        }
        let heard = listen(&mut session);
        let (mesh, opening) = (&mut session.meshes[0], Opening::All);
        mesh.set_phase(Phase::Offline);
        let mut party = BmrShamir::new(mesh, &places(), keys, b"session", opening).unwrap();
        let mut all: Vec<Instance> = (0..RUNS).map(|_| party.begin(ports, &[]).unwrap()).collect();
        all.iter_mut().for_each(|it| party.take_masks(ports, it).unwrap());
        let opened = all.iter_mut().map(|it| party.take_products(ports, it).unwrap()).collect();
        let shares: Vec<[u8; 4]> = all.iter().map(|it| bits_of_rows(ports, it)).collect();
        let (offset, share) = (*party.common.offset, party.keys.offsets[1]);
        let finish = |it: Instance, opened| it.finish(ports, opened);
        open(&mut party.links, &party.common, (all, opened), 1, finish).unwrap();
        session.finish().unwrap();
        (offset, share, shares, heard.try_iter().collect::<Vec<Sent>>())
    });
    let ((_, share, bits, _), (offset, ..), (.., sent)) = (&parties[0], &parties[1], &parties[2]);
    // Of party 2, which has no labels: its part of column 1 of every instance.
    let parts = of(sent, (Stream::Def, Phase::Offline), 64);
    let parts = parts.into_iter().skip(1).step_by(2).map(blocks);
    let weight = inverse(weights(3)[2]);
    let found = |(bits, part): (&[u8; 4], Vec<u128>)| {
        bits.iter().zip(part).any(|(bit, part)| {
            [0, 1].into_iter().any(|value| {
                // The line through the bit, at zero, and party 0's share, at one, at party 2's point, three.
                let factor = value ^ times(3, bit ^ value);
                let theirs = Multiples::new(part).times(times(weight, inverse(factor)));
                // The line through the shares of the offset at one and three, at zero.
                let slope = Multiples::new(share ^ theirs).times(inverse(2));
                share ^ slope == *offset
            })
        })
    };
    bits.iter().zip(parts).map(found).filter(|found| *found).count()
}

/// This party's shares of the bits of four rows.
fn bits_of_rows(ports: Ports<'_>, it: &Instance) -> [u8; 4] {
    let mut bits = [0; 4];
    walk(ports.schedule, 2, &it.sources, |Gate { u, v, .. }| {
        let [u, v, w] = [u.0[1], v.0[1], it.sources[5]].map(|share| share as u8);
        for (row, bit) in (0u8..).zip(&mut bits) {
            let (a, b) = (row >> 1, row & 1);
            *bit = it.products[0] ^ w ^ (a * v) ^ (b * u) ^ (a & b);
        }
    });
    bits
}

#[test]
fn parts_of_rows_show_no_offset() {
    assert_eq!(offsets_found(false), RUNS, "without shares of zero");
    assert_eq!(offsets_found(true), 0);
}
