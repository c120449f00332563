//! ANDs of three and four inputs in one round.

use super::{HERE, LANES, is_fair, ones, places, schedule, sent_online};
use tacit_circuit::{Builder, Circuit};
use tacit_gmw::{Correlations, Cut, Gmw, Method, Ports};
use tacit_net::Phase;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::entropy::{Rng, test_seed};
use tacit_ring::{Buffer, Entropy, Z2};

/// All that opens of an AND of four inputs: its public values and a party's part of the result's are fair coins, and
/// so is every sum of some of them, whether the inputs are all zero or all one. (The masks of its own inputs, which
/// a party knows, are their public values plus constants.)
#[test]
fn what_opens_of_a_wide_and_is_uniform() {
    for value in [0, u64::MAX] {
        let sent = sent_online(Method::Wide, 2, value);
        let sent: Vec<Vec<u8>> = sent.into_iter().map(|messages| messages.concat()).collect();
        let planes = |party: usize| sent[party].chunks(LANES / 8);
        let (mine, theirs): (Vec<&[u8]>, Vec<&[u8]>) = (planes(0).collect(), planes(1).collect());
        let inputs = [mine[0], mine[1], theirs[0], theirs[1]];
        let result: Vec<u8> = (0..LANES / 8)
            .map(|at| {
                let product = inputs.iter().fold(u8::MAX, |product, plane| product & plane[at]);
                product ^ mine[2][at] ^ theirs[2][at]
            })
            .collect();
        let opened: Vec<&[u8]> = inputs.into_iter().chain([&result[..], mine[2]]).collect();
        for some in 1u32..1 << opened.len() {
            let chosen = (0..opened.len()).filter(|i| some >> i & 1 == 1).map(|i| opened[i]);
            let sum = ones(&chosen.collect::<Vec<_>>());
            assert!(is_fair(sum), "{some:b}: {sum} of {LANES}");
        }
    }
}

/// ANDs of two, three and four inputs of 5 bits of every party, in three levels with some of each.
fn with_wide_ands(parties: usize) -> Circuit {
    let mut b = Builder::new();
    let mut wires: Vec<_> = (0..parties).flat_map(|_| b.input(5)).collect();
    for level in 0..3 {
        let count = wires.len();
        let picks = |width: usize, step: usize| (0..width).map(move |i| count - 1 - i * step);
        let mut next = Vec::new();
        for (width, step) in [(4, 2), (2, 3), (3, 1), (4, 1), (3, 2)] {
            let mut inputs: Vec<_> = picks(width, step).map(|i| wires[i]).collect();
            inputs[0] = b.not(inputs[0]);
            let (and, other) = (b.and(&inputs), wires[level]);
            next.push(b.xor(and, other));
        }
        wires.extend(next);
    }
    b.output(&wires[5 * parties..]);
    b.finish()
}

/// ANDs of several inputs give what they do in the clear, in a round for each level; and take products of masks by
/// fan-in, and a bit online, on every link.
#[test]
fn wide_ands_take_what_the_page_says() {
    let words = 300;
    for parties in [2, 3, 5] {
        let circuit = with_wide_ands(parties);
        let schedule = schedule(&circuit);
        let ands = circuit.stats().ands;
        assert_eq!(ands[2..5], [3, 6, 6]);
        assert_eq!(schedule.depth(), 3);
        let seed = test_seed();
        let given = |party: usize| Rng(seed ^ party as u64).words(5 * words);
        let all_given: Vec<Vec<u64>> = (0..parties).map(given).collect();
        memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
            let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
            let me = session.me().index();
            let (mesh, all) = (&mut session.meshes[0], places(parties));
            let keys =
                Correlations::for_products(mesh, b"session", &all, Method::Wide, &mut entropy);
            let inputs: Vec<(usize, usize)> = (0..parties).map(|party| (party, 5)).collect();
            let outputs = [(0..parties).collect()];
            let cut = Cut { block: words / 3 + 1, blocks: 2 };
            let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, cut };
            let mut party = Gmw::new(mesh, &all, keys.unwrap().worker()).unwrap();
            let ready = party.prepare(ports, 64 * words).unwrap();
            let mut values: Vec<Option<Buffer<Z2>>> = vec![None; parties];
            let mine: Vec<Z2> = given(me).into_iter().map(Z2).collect();
            values[me] = Some(Buffer::from_slice(&mine));
            let learned = ready.run(party.mesh(), &all, (ports, 64 * words), &values).unwrap();
            let learned = learned[0].as_ref().unwrap();
            for word in 0..words {
                let of = |party: &Vec<u64>| (0..5).map(|bit| party[bit * words + word]).collect();
                let bits: Vec<u64> = all_given.iter().flat_map(|p| -> Vec<u64> { of(p) }).collect();
                let got: Vec<u64> = (0..15).map(|bit| learned[bit * words + word].0).collect();
                assert_eq!(got, circuit.eval_lanes(&bits), "word {word}");
            }
            let meter = party.mesh().meter();
            let sent = |phase| meter.total(|_, _, other| other == phase).bytes_sent;
            let each = 8 * words as u64 * (parties as u64 - 1);
            let products = ands[2] + 4 * ands[3] + 11 * ands[4];
            assert_eq!(sent(Phase::Offline), each * (33 * products + 15));
            assert_eq!(sent(Phase::Online), each * (5 + ands[2] + ands[3] + ands[4]));
            assert_eq!(meter.rounds(), 1 + 3);
            session.finish().unwrap();
        });
    }
}

/// A circuit with gates that GMW does not have is refused before anything is sent.
#[test]
fn gates_that_are_too_wide_are_refused() {
    let mut b = Builder::new();
    let (x, y) = (b.input(4), b.input(1));
    let and = b.and(&[&x[..], &y].concat());
    b.output(&[and]);
    let schedule = schedule(&b.finish());
    for method in [Method::Wide, Method::Masked, Method::Triples(HERE)] {
        let errors = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
            let mut entropy = Entropy::insecure_seeded(1, session.me().0);
            let (mesh, all) = (&mut session.meshes[0], places(2));
            let keys = Correlations::for_products(mesh, b"session", &all, method, &mut entropy);
            let (inputs, outputs) = ([(0, 4), (1, 1)], [vec![0]]);
            let cut = Cut { block: 1, blocks: 1 };
            let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, cut };
            let mut party = Gmw::new(mesh, &all, keys.unwrap().worker()).unwrap();
            let error = party.prepare(ports, 64).err().map(|error| error.to_string());
            let sent = party.mesh().meter().total(|_, _, phase| phase == Phase::Offline).bytes_sent;
            session.finish().unwrap();
            (error, sent)
        });
        for (error, sent) in errors {
            assert!(error.is_some_and(|error| error.contains("not supported")), "{method:?}");
            assert_eq!(sent, 0);
        }
    }
}
