//! What curious parties could learn if shares of zero were left out, and what rows of labels give to who has others. The attacks succeed on
//! parties whose streams of zeros are taken away, which only this crate's tests can do, and fail on what is shipped.

use super::evaluate::evaluate;
use super::online::Part;
use super::party::Role;
use super::{EVALUATOR, HalfGates, Ready};
use crate::ports::KEPT;
use crate::tweak::{Hash, Use};
use crate::{Bits, Evaluate, Garbling, Ports};
use std::collections::HashSet;
use tacit_circuit::Builder;
use tacit_circuit::schedule::Schedule;
use tacit_gmw::{Correlations, Delta};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Phase, Stream};
use tacit_ring::Entropy;
use tacit_ring::entropy::{Rng, test_seed};
use tacit_sharing::RoleId;

const RUNS: usize = 400;

/// Which shares of zero there are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Zeros {
    /// As they should be.
    All,
    /// Among the garblers alone, also for what a garbler learns.
    Garblers,
    None,
}

/// A message that a party got in the online phase, or of the stream `Pre`: from whom.
type Heard = (usize, Stream, Vec<u8>);

/// Three parties evaluate the sum of an input of each of two of them, to one who is given; gives what they have prepared, what
/// that one got, by instance the values, and its results.
fn sum_of(
    owners: [RoleId; 2],
    receiver: RoleId,
    zeros: Zeros,
) -> (Vec<[bool; 2]>, Vec<Bits>, Vec<Heard>) {
    let mut b = Builder::new();
    let (x, y) = (b.input(1)[0], b.input(1)[0]);
    let sum = b.xor(x, y);
    b.output(&[sum]);
    let schedule = Schedule::new(&b.finish());
    let (inputs, outputs) = (owners.map(|owner| (owner, 1)), [vec![receiver]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let seed = test_seed();
    let mut rng = Rng(seed);
    let secrets: Vec<[bool; 2]> = (0..RUNS).map(|_| [(); 2].map(|()| rng.below(2) == 1)).collect();
    let places: Vec<PartyId> = PartyId::all(3).collect();
    let mut parties = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        let (sink, heard) = std::sync::mpsc::channel();
        session.meshes[0].set_tamper(Tamper::new(move |message| {
            let shown = message.stream == Stream::Pre || message.place.phase == Phase::Online;
            if message.to == PartyId(receiver as u8) && shown {
                let _ = sink.send((me, message.stream, message.bytes.to_vec()));
            }
            Verdict::Keep
        }));
        let mut entropy = Entropy::insecure_seeded(seed, me as u8);
        let mesh = &mut session.meshes[0];
        let all = Correlations::exchange(mesh, b"test", &places, Delta::Common, &mut entropy);
        let keys = all.unwrap().worker();
        let mut party = HalfGates::new(mesh, &places, keys, b"test").unwrap();
        match &mut party.role {
            Role::Evaluator(it) if zeros != Zeros::All => it.keys.zeros.clear(),
            Role::Garbler(it) if zeros != Zeros::All => {
                it.first.zeros.clear();
                if zeros == Zeros::None {
                    it.seat.keys.zeros.clear();
                }
            }
            _ => (),
        }
        let ready = party.prepare(ports, RUNS).unwrap();
        drop(party);
        let masks = match &ready.0 {
            Part::Garbler { circuits, .. } => circuits.iter().map(|it| copy(&it.masks)).collect(),
            Part::Evaluator { .. } => Vec::new(),
        };
        let value = |secrets: &[bool; 2]| {
            let mine: Vec<bool> = (0..2).filter(|i| owners[*i] == me).map(|i| secrets[i]).collect();
            let mut bits = Bits::zeros(mine.len());
            mine.iter().enumerate().for_each(|(i, bit)| bits.flip_if(i, *bit));
            bits
        };
        let values: Vec<Bits> = secrets.iter().map(value).collect();
        let learned = ready.run(&mut session.meshes[0], &places, ports, &values).unwrap();
        session.finish().unwrap();
        (learned, masks, heard.try_iter().collect::<Vec<Heard>>())
    });
    let heard = parties.iter_mut().flat_map(|(.., heard)| std::mem::take(heard)).collect();
    let (learned, masks, _) = parties.swap_remove(receiver);
    for (learned, [x, y]) in learned.iter().zip(&secrets) {
        assert_eq!(learned.get(0), x ^ y);
    }
    (secrets, masks, heard)
}

fn copy(bits: &Bits) -> Bits {
    let mut copy = Bits::zeros(bits.len);
    copy.add(&bits.words);
    copy
}

/// The messages from a party of a stream, in order.
fn from(heard: &[Heard], role: RoleId, stream: Stream) -> Vec<&[u8]> {
    let these = heard.iter().filter(|(from, on, _)| (*from, *on) == (role, stream));
    these.map(|(.., bytes)| &bytes[..]).collect()
}

/// That an attack which tells an input always succeeds on what is not shipped, and on what is as often as a coin does.
fn decides(found: impl Fn(Zeros) -> usize, without: Zeros) {
    assert_eq!(found(without), RUNS, "{without:?}");
    // Six standard deviations.
    let found = found(Zeros::All);
    assert!(found.abs_diff(RUNS / 2) < 60, "{found} of {RUNS}");
}

/// The evaluator, who learns the sum of inputs of garblers 1 and 2, takes garbler 1's share of its mask for the mask of the one's
/// input, whose public value it sees in labels.
#[test]
fn a_sum_does_not_tell_the_evaluator_its_summands() {
    let found = |zeros| {
        let (secrets, _, heard) = sum_of([1, 2], EVALUATOR, zeros);
        let shares = from(&heard, 1, Stream::Pre);
        let labels = from(&heard, 1, Stream::On);
        let right = secrets.iter().zip(shares.iter().zip(labels));
        right.filter(|([x, _], (share, label))| (share[0] ^ label[0]) & 1 == u8::from(*x)).count()
    };
    decides(found, Zeros::None);
}

/// Garbler 2, who learns the sum of inputs of the evaluator, which has no mask, and of garbler 1, takes the sum's mask for that of garbler
/// 1's input, whose public value it hears.
#[test]
fn a_sum_does_not_tell_a_garbler_its_summands() {
    let found = |zeros| {
        let (secrets, masks, heard) = sum_of([0, 1], 2, zeros);
        let public = from(&heard, 1, Stream::On);
        let right = secrets.iter().zip(masks.iter().zip(public));
        right.filter(|([_, y], (mask, public))| mask.get(0) ^ (public[0] & 1 == 1) == *y).count()
    };
    decides(found, Zeros::Garblers);
}

/// Of every AND with its inputs: what columns give for the public values that inputs do not have is no label of any garbler. What they
/// give for those that they have is one.
#[test]
fn columns_open_for_the_public_values_of_inputs_alone() {
    let mut b = Builder::new();
    let (x, y) = (b.input(1)[0], b.input(1)[0]);
    let and = b.and2(x, y);
    b.output(&[and]);
    b.output(&[x]);
    b.output(&[y]);
    let schedule = Schedule::new(&b.finish());
    let (inputs, outputs) = ([(0, 1), (1, 1)], [vec![], vec![], vec![]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let seed = test_seed();
    for parties in [2, 3, 4] {
        let places: Vec<PartyId> = PartyId::all(parties).collect();
        let mut all: Vec<Ready> =
            memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
                let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
                let mesh = &mut session.meshes[0];
                let all =
                    Correlations::exchange(mesh, b"test", &places, Delta::Common, &mut entropy);
                let keys = all.unwrap().worker();
                let mut party = HalfGates::new(mesh, &places, keys, b"test").unwrap();
                let ready = party.prepare(ports, 64).unwrap();
                drop(party);
                session.finish().unwrap();
                ready
            });
        let Part::Evaluator { hash, circuits } = all.remove(0).0 else { unreachable!("role 0") };
        let garblers: Vec<_> = all
            .into_iter()
            .map(|ready| match ready.0 {
                Part::Garbler { offset, circuits } => (offset, circuits),
                Part::Evaluator { .. } => unreachable!("role 0 alone evaluates"),
            })
            .collect();
        let mut blocks = HashSet::new();
        for (instance, garbled) in circuits.iter().enumerate() {
            let labels: Vec<_> = garblers
                .iter()
                .zip(garbled.blocks.iter())
                .map(|((_, circuits), chosen)| {
                    let mut labels = circuits[instance].labels.clone();
                    labels[0] ^= chosen;
                    labels
                })
                .collect();
            let ends = evaluate(hash, ports, garbled, (&labels, &[]));
            let n = garblers.len();
            let (out, a, b) = (&ends.kept[..n], &ends.kept[n..2 * n], &ends.kept[2 * n..3 * n]);
            let sum = sums_of_hashes(hash, garbled.first_gate, [a, b]);
            let [u, v] = [a[0] & 1, b[0] & 1];
            for (j, (offset, _)) in garblers.iter().enumerate() {
                let column = &garbled.columns[j];
                let third = column.get(2).copied().unwrap_or(0);
                for (row_u, row_v) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let [first, second] = [row_u * column[0], row_v * (column[1] ^ a[j])];
                    let row = sum[j] ^ first ^ second ^ third;
                    let is_label = row == out[j] || row == out[j] ^ **offset;
                    assert_eq!(is_label, (row_u, row_v) == (u, v), "{parties} parties, column {j}");
                }
                blocks.extend(column.iter().copied());
            }
            assert_eq!(blocks.len(), (instance + 1) * n * garbled.columns[0].len());
        }
    }
    assert_eq!(ports.given_by(KEPT), 0);
}

/// For every target, what all owners' labels of an AND's inputs hash to, added up.
fn sums_of_hashes(hash: Hash, gate: u64, inputs: [&[u128]; 2]) -> Vec<u128> {
    let garblers = inputs[0].len();
    let of = |target: usize| {
        let pairs = (0..garblers).flat_map(|owner| [(owner, 0), (owner, 1)]);
        pairs.fold(0, |sum, (owner, side)| {
            let key = hash.key(Use::Summed(side), [1 + owner, 1 + target], gate);
            let mut block = [inputs[usize::from(side)][owner]];
            Hash::hash(&[key], [&mut block]);
            sum ^ block[0]
        })
    };
    (0..garblers).map(of).collect()
}
