//! Fewer lanes than a word has: no gaps in messages of ANDs, and nothing of what is in other lanes.

use super::{places, schedule};
use tacit_backend::cost;
use tacit_circuit::{Builder, Circuit, Wire};
use tacit_gmw::{Correlations, Cut, Gmw, Method, Ports, masked_words};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Phase, Session, Stream};
use tacit_ring::entropy::{Rng, test_seed};
use tacit_ring::{Buffer, Entropy, Z2};

const WIDTH: usize = 9;
const CUT: Cut = Cut { block: 1, blocks: 1 };

/// Three levels of 9, 8 and 7 ANDs; where it is `wide`, one more of 4 ANDs of four inputs and 5 of three.
fn circuit(wide: bool) -> Circuit {
    let mut b = Builder::new();
    let (x, y) = (b.input(WIDTH as u32), b.input(WIDTH as u32));
    let mut all: Vec<Wire> = x.iter().zip(&y).map(|(x, y)| b.and2(*x, *y)).collect();
    for _ in 0..2 {
        all = (1..all.len()).map(|i| b.and2(all[i], all[i - 1])).collect();
    }
    if wide {
        let ands = |n: usize, count: usize| (0..count).map(move |i| i..i + n);
        let sets = ands(4, 4).chain(ands(3, 5));
        all = sets.map(|set| b.and(&all[set])).collect();
    }
    b.output(&all);
    b.finish()
}

/// The words that a party gives, with anything in the lanes beyond.
fn given(seed: u64, me: usize) -> Vec<u64> {
    Rng(seed ^ (me as u64 + 1) << 40).words(WIDTH)
}

fn bits_of(word: u64) -> Vec<bool> {
    (0..64).map(|lane| word >> lane & 1 == 1).collect()
}

/// What a party learns, and what it sent each other one for ANDs, ahead and online.
fn play(
    mut session: Session,
    (method, parties): (Method, usize),
    lanes: usize,
    seed: u64,
) -> (Vec<u64>, Vec<[u64; 2]>) {
    let schedule = schedule(&circuit(method == Method::Wide));
    let outputs = [(0..parties).collect()];
    let ports = Ports {
        schedule: &schedule,
        inputs: &[(0, WIDTH), (1, WIDTH)],
        outputs: &outputs,
        cut: CUT,
    };
    let me = session.me().index();
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let places = places(parties);
    let mesh = &mut session.meshes[0];
    let keys = Correlations::for_products(mesh, b"session", &places, method, &mut entropy);
    let mut party = Gmw::new(mesh, &places, keys.unwrap().worker()).unwrap();
    let ready = party.prepare(ports, lanes).unwrap();
    let words: Vec<Z2> = given(seed, me).into_iter().map(Z2).collect();
    let values = [0, 1].map(|owner| (owner == me).then(|| Buffer::from_slice(&words)));
    let learned = ready.run(party.mesh(), &places, (ports, lanes), &values).unwrap();
    let learned = learned[0].as_ref().unwrap().iter().map(|word| word.0).collect();
    party.mesh().flush().unwrap();
    let inputs = if me < 2 { 8 * WIDTH as u64 } else { 0 };
    let sent = |to: usize| {
        let count =
            |stream, phase| session.meter().count(PartyId(to as u8), stream, phase).bytes_sent;
        [count(Stream::Def, Phase::Offline), count(Stream::On, Phase::Online) - inputs]
    };
    let sent = (0..parties).map(|to| if to == me { [0; 2] } else { sent(to) }).collect();
    session.finish().unwrap();
    (learned, sent)
}

#[test]
fn few_lanes_give_right_results_at_the_price_of_those_lanes() {
    let seed = test_seed();
    for method in [Method::Masked, Method::Star, Method::Silent, Method::Wide] {
        for (parties, lanes) in [(2, 1), (3, 7), (2, 33), (3, 63), (2, 64)] {
            let all = memory::run(parties, 1, &MemoryNetwork::default(), |session| {
                play(session, (method, parties), lanes, seed)
            });
            let used = u64::MAX >> (64 - lanes);
            let words = [0, 1].map(|party| given(seed, party));
            let circuit = circuit(method == Method::Wide);
            let schedule = schedule(&circuit);
            let bits = |party: usize| words[party].iter().map(|word| bits_of(word & used));
            let inputs: Vec<Vec<Vec<bool>>> = [0, 1].map(|party| bits(party).collect()).into();
            let mut want = vec![0u64; circuit.output_ports()[0].len()];
            for lane in 0..lanes {
                let port = |port: &Vec<Vec<bool>>| port.iter().map(|bits| bits[lane]).collect();
                let given: Vec<Vec<bool>> = inputs.iter().map(port).collect();
                let learned = circuit.eval(&given);
                let all = want.iter_mut().zip(&learned[0]);
                all.for_each(|(word, bit)| *word |= u64::from(*bit) << lane);
            }
            let protocol = method.protocol().fitting(parties);
            let [results, pairs, larger] = masked_words(&schedule, 0..schedule.depth());
            let each = cost::product(protocol);
            let mut bytes = each.clone() * (8 * (pairs + larger) as u64);
            bytes.on = (each * (8 * results as u64)).on;
            bytes -= cost::gaps(protocol, &schedule, lanes) * 8;
            bytes += cost::transfers(protocol, 0..cost::made_words(protocol, pairs, lanes));
            for (me, (learned, sent)) in all.iter().enumerate() {
                assert_eq!(learned, &want, "{method:?}, {lanes} lanes");
                for (to, sent) in sent.iter().enumerate().filter(|(to, _)| *to != me) {
                    let want = [bytes.def[me][to], bytes.on[me][to]];
                    assert_eq!(*sent, want, "{method:?}, {lanes} lanes, {me} to {to}");
                }
            }
        }
    }
    // The ANDs of one lane fit a word ahead, and one for each level.
    let schedule = schedule(&circuit(false));
    let one = cost::product(Method::Masked.protocol()) * 24;
    let mut packed = one.clone();
    packed -= cost::gaps(Method::Masked.protocol(), &schedule, 1);
    assert_eq!([one.def[0][1], packed.def[0][1]], [24 * 33, 33]);
    assert_eq!([one.on[0][1], packed.on[0][1]], [24, 3]);
}

/// Products of other lanes are not there.
#[test]
fn what_was_prepared_for_some_lanes_is_not_for_others() {
    let schedule = schedule(&circuit(false));
    let outputs = [vec![0, 1]];
    let inputs = [(0, WIDTH), (1, WIDTH)];
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, cut: CUT };
    let seed = test_seed();
    memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let mesh = &mut session.meshes[0];
        let method = Method::Masked;
        let keys = Correlations::for_products(mesh, b"session", &places(2), method, &mut entropy);
        let mut party = Gmw::new(mesh, &places(2), keys.unwrap().worker()).unwrap();
        let ready = party.prepare(ports, 10).unwrap();
        let run = ready.run(party.mesh(), &places(2), (ports, 50), &[None, None]);
        assert!(run.err().unwrap().to_string().contains("prepared for another one"));
        session.finish().unwrap();
    });
}
