//! Tests that what honest parties open of rows is uniform but for its sum, for a party that knows all labels and its
//! own shares of zero. Otherwise it would show products of shares.

use super::attacks::{RUNS, Sent, blocks, listen, of, places, product};
use super::chain::{Blocks, Worker};
use super::common::Ready;
use super::shamir::{BmrShamir, ShamirKeys};
use crate::Ports;
use crate::bmr::Opening;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{Phase, Session, Stream};
use tacit_ring::entropy::test_seed;
use tacit_ring::{Entropy, Prg};

/// Which shares of zero parties add.
#[derive(Clone, Copy)]
pub enum Zeros {
    /// Parties add the shares of parties 1 and 2, of which party 0 knows nothing.
    Unknown,
    /// None.
    None,
}

impl Zeros {
    /// Takes away the others, of which that with party 0 is number `first`.
    pub fn keep(self, zeros: &mut Vec<Prg>, me: usize, first: usize) {
        match self {
            Zeros::Unknown if me != 0 => drop(zeros.remove(first)),
            _ => zeros.clear(),
        }
    }
}

/// The rank of blocks over the field of two elements: of how many bits they are independent.
fn rank(blocks: impl IntoIterator<Item = u128>) -> usize {
    let mut basis: Vec<u128> = Vec::new();
    for block in blocks {
        let rest = basis.iter().fold(block, |rest, it| rest.min(rest ^ it));
        if rest != 0 {
            basis.push(rest);
        }
    }
    basis.len()
}

/// The ranks of what parties 1 and 2 send party 0 of columns that are not their own, for many instances of an AND,
/// once their labels are taken off.
pub fn ranks(prepare: impl Fn(&mut Session, u64, Ports<'_>) -> Ready + Sync) -> Vec<usize> {
    let schedule = product();
    let (inputs, outputs) = ([(0, 1), (1, 1)], [vec![]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let seed = test_seed();
    let parties = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let heard = listen(&mut session);
        let ready = prepare(&mut session, seed, ports);
        session.finish().unwrap();
        (ready, heard.try_iter().collect::<Vec<Sent>>())
    });
    let mut ranks = Vec::new();
    for (me, (ready, sent)) in parties.iter().enumerate().skip(1) {
        let (common, columns) = (ready.common(3, me), ready.columns);
        let parts = of(sent, (Stream::Def, Phase::Offline), 64);
        assert_eq!(parts.len(), RUNS * columns);
        for j in (0..columns).filter(|j| *j != me) {
            let parts = parts.iter().skip(j).step_by(columns);
            let bare = ready.circuits.iter().zip(parts).flat_map(|(garbled, part)| {
                let mut hidden = vec![0; 4 * columns];
                if common.is_keeper() {
                    let labels = [garbled.labels[0], garbled.labels[1]];
                    common.hider().hide(garbled.first_gate, labels, &mut hidden);
                }
                let rows =
                    blocks(part).into_iter().zip(hidden.into_iter().skip(j).step_by(columns));
                rows.map(|(block, hidden)| block ^ hidden).collect::<Vec<u128>>()
            });
            ranks.push(rank(bare));
        }
    }
    ranks
}

/// Over Shamir's sharing.
fn of_bytes(zeros: Zeros) -> Vec<usize> {
    ranks(|session, seed, ports| {
        let me = session.me().index();
        let mut entropy = Entropy::insecure_seeded(seed, me as u8);
        let mesh = &mut session.meshes[0];
        let keys = ShamirKeys::exchange(mesh, b"session", &places(), &mut entropy);
        let mut keys = keys.unwrap().worker();
        zeros.keep(&mut keys.zeros, me, 0);
        let party = BmrShamir::new(mesh, &places(), keys, b"session", Opening::All);
        party.unwrap().garble_on(ports, &vec![Blocks::default(); RUNS]).unwrap().0
    })
}

#[test]
fn parts_from_shares_of_bytes_are_anything() {
    assert!(of_bytes(Zeros::None).into_iter().all(|rank| rank <= 8), "multiples of a share");
    // Of party 1 of column 0, and of party 2 of both.
    assert_eq!(of_bytes(Zeros::Unknown), [128; 3]);
}
