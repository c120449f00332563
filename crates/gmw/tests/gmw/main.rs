//! GMW: what one party sees, what set-up costs, and peers that send garbage.

mod lanes;
mod wide;

use tacit_backend::cost;
use tacit_backend::protocols::{GMW, GMW_OT, GMW_SILENT, GMW_STAR, GMW_TRIPLES, GMW_WIDE};
use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Builder, Circuit, passes};
use tacit_gmw::{Correlations, Cut, Delta, Gmw, Method, Ports, silent_bytes_by};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Outgoing, Tamper, Verdict};
use tacit_net::{NetError, PartyId, Phase, Session, Stream};
use tacit_ot::silent::{Chain, Set, Setting};
use tacit_protocol::Baseline;
use tacit_ring::entropy::{Rng, test_seed};
use tacit_ring::{Buffer, Entropy, Z2, word};
use tacit_sharing::SharingError;
use tacit_sharing::multi_fan_in::plan::{Form, PolyPlan};

const HERE: Baseline = Baseline::HERE.unwrap();
const LANES: usize = 64 * 64;
const WORDS: usize = LANES / 64;

fn places(parties: usize) -> Vec<PartyId> {
    PartyId::all(parties).collect()
}

fn correlations(
    session: &mut Session,
    parties: usize,
    seed: u64,
) -> Result<Correlations, SharingError> {
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let mesh = &mut session.meshes[0];
    Correlations::exchange(mesh, b"session", &places(parties), Delta::Each, &mut entropy)
}

fn schedule(circuit: &Circuit) -> Schedule {
    Schedule::new(&passes::fold(circuit))
}

fn random(seed: u64) -> Buffer<Z2> {
    let words: Vec<Z2> = Rng(seed).words(WORDS).into_iter().map(Z2).collect();
    Buffer::from_slice(&words)
}

/// How many lanes of two planes are alike.
fn alike(a: &[Z2], b: &[Z2]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (!(a.0 ^ b.0)).count_ones()).sum()
}

/// Five standard deviations of fair coins, one per lane.
fn is_fair(count: u32) -> bool {
    count.abs_diff(LANES as u32 / 2) < 160
}

/// Parties 0 and 1 give a bit each, party 2 learns their sum: what it gets of either must not tell
/// that party's bit, which is the public value plus the mask.
#[test]
fn a_receiver_learns_the_sum_of_two_inputs_and_neither_of_them() {
    let mut builder = Builder::new();
    let (x, y) = (builder.input(1), builder.input(1));
    let sum = builder.xor(x[0], y[0]);
    builder.output(&[sum]);
    let schedule = schedule(&builder.finish());
    let (seed, values) = (test_seed(), [random(1), random(2)]);
    let seen = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let mut keys = correlations(&mut session, 3, seed).unwrap().worker();
        let me = session.me().index();
        let mesh = &mut session.meshes[0];
        let mut seen = Vec::new();
        if me == 2 {
            // A receiver that looks at everything it gets.
            for (from, stream) in
                [(0, Stream::Pre), (1, Stream::Pre), (0, Stream::On), (1, Stream::On)]
            {
                let mut words = Buffer::zeros(WORDS);
                mesh.recv(PartyId(from), stream, word::bytes_mut(&mut words)).unwrap();
                seen.push(words);
            }
            // It knows its own share of zero, too.
            let number = keys.zero_ids.step().unwrap().single().number();
            for prg in &keys.zeros {
                let mut words = Buffer::zeros(WORDS);
                prg.fill(number, 0, word::bytes_mut(&mut words));
                seen.push(words);
            }
        } else {
            let inputs = [(0, 1), (1, 1)];
            let outputs = [vec![2]];
            let cut = Cut { block: WORDS, blocks: 1 };
            let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, cut };
            let mut party = Gmw::new(mesh, &places(3), keys).unwrap();
            let ready = party.prepare(ports, LANES).unwrap();
            let mut given = [None, None];
            given[me] = Some(Buffer::from_slice(&values[me]));
            assert!(
                ready.run(party.mesh(), &places(3), (ports, LANES), &given).unwrap()[0].is_none()
            );
        }
        session.finish().unwrap();
        seen
    });
    let [first, second, x_public, y_public, zero, other] = &seen[2][..] else {
        panic!("four messages and two streams")
    };
    let add =
        |a: &[Z2], b: &[Z2]| -> Vec<Z2> { a.iter().zip(b).map(|(a, b)| Z2(a.0 ^ b.0)).collect() };
    let (guess_x, guess_y) = (add(x_public, first), add(y_public, second));
    for own in [vec![Z2(0); WORDS], zero.to_vec(), other.to_vec(), add(zero, other)] {
        let shown = |guess: &[Z2], value: &[Z2]| !is_fair(alike(&add(guess, &own), value));
        assert!(!shown(&guess_x, &values[0]), "the first party's input shows");
        assert!(!shown(&guess_y, &values[1]), "the second party's input shows");
    }
    // All together give what it is to learn.
    let sum = add(&add(&guess_x, &guess_y), &add(zero, other));
    assert!(sum == add(&values[0], &values[1]));
}

/// Blocks whose masks open to one party alone, between more and more tiles under way: all parties send and
/// take them in the same order all the same.
#[test]
fn masks_that_only_one_party_waits_for_do_not_disturb_the_order_of_tiles() {
    let mut builder = Builder::new();
    let (x, y) = (builder.input(8), builder.input(8));
    let products: Vec<_> = x.iter().zip(&y).map(|(x, y)| builder.and2(*x, *y)).collect();
    builder.output(&products);
    let schedule = schedule(&builder.finish());
    const BLOCK: usize = 100;
    const BLOCKS: usize = 60;
    let seed = test_seed();
    let words = |party: usize| Rng(seed ^ party as u64).words(8 * BLOCK * BLOCKS);
    let results = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let keys = correlations(&mut session, 3, seed).unwrap().worker();
        let me = session.me().index();
        let (inputs, outputs) = ([(0, 8), (1, 8)], [vec![2]]);
        let cut = Cut { block: BLOCK, blocks: 1 };
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, cut };
        let mut party = Gmw::new(&mut session.meshes[0], &places(3), keys).unwrap();
        let ready = party.prepare(ports, 64 * BLOCK * BLOCKS).unwrap();
        let mut given = [None, None];
        if me < 2 {
            let words: Vec<Z2> = words(me).into_iter().map(Z2).collect();
            given[me] = Some(Buffer::from_slice(&words));
        }
        let mut learned =
            ready.run(party.mesh(), &places(3), (ports, 64 * BLOCK * BLOCKS), &given).unwrap();
        session.finish().unwrap();
        learned.swap_remove(0)
    });
    let got = results[2].as_ref().expect("the third party learns it");
    let want = words(0).into_iter().zip(words(1)).map(|(x, y)| Z2(x & y));
    assert!(got.iter().copied().eq(want));
}

/// What two parties with the same input, as often as `width` says, send online for the product of all, which both
/// learn.
fn sent_online(method: Method, width: usize, value: u64) -> Vec<Vec<Vec<u8>>> {
    let mut builder = Builder::new();
    let (x, y) = (builder.input(width as u32), builder.input(width as u32));
    let and = builder.and(&[x, y].concat());
    builder.output(&[and]);
    let schedule = schedule(&builder.finish());
    let seed = test_seed();
    memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let (me, all) = (session.me().index(), places(2));
        let mesh = &mut session.meshes[0];
        let keys = Correlations::for_products(mesh, b"session", &all, method, &mut entropy);
        let keys = keys.unwrap().worker();
        let (sink, sent) = std::sync::mpsc::channel();
        mesh.set_tamper(Tamper::new(move |message| {
            if message.stream == Stream::On {
                let _ = sink.send(message.bytes.to_vec());
            }
            Verdict::Keep
        }));
        let inputs = [(0, width), (1, width)];
        let outputs = [vec![0, 1]];
        let cut = Cut { block: WORDS, blocks: 1 };
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, cut };
        let mut party = Gmw::new(mesh, &all, keys).unwrap();
        let ready = party.prepare(ports, LANES).unwrap();
        let mut given = [None, None];
        given[me] = Some(Buffer::from_slice(&vec![Z2(value); width * WORDS]));
        let learned = ready.run(party.mesh(), &all, (ports, LANES), &given).unwrap();
        assert!(learned[0].as_ref().unwrap().iter().all(|word| word.0 == value));
        session.finish().unwrap();
        sent.try_iter().collect()
    })
}

/// Ones of the sum of some planes.
fn ones(planes: &[&[u8]]) -> u32 {
    let sum = |at: usize| planes.iter().fold(0, |sum, plane| sum ^ plane[at]);
    (0..LANES / 8).map(|at| sum(at).count_ones()).sum()
}

/// What every party sends online is fair coins, whatever the inputs, and so are the sums of any two.
#[test]
fn online_messages_are_uniform() {
    for (method, width, planes) in [
        // An input and a product; two factors and a result; a choice, two pads and a result.
        (Method::Masked, 1, 2),
        (Method::Silent, 1, 2),
        (Method::Star, 1, 2),
        (Method::Wide, 1, 2),
        (Method::Triples(HERE), 1, 3),
        (Method::Transfers(HERE), 1, 4),
        // Two inputs, and a product of four.
        (Method::Wide, 2, 3),
    ] {
        for value in [0, u64::MAX] {
            for messages in sent_online(method, width, value) {
                let messages = messages.concat();
                let all: Vec<&[u8]> = messages.chunks(LANES / 8).collect();
                assert_eq!(all.len(), planes, "{method:?}");
                for (i, j) in (0..planes).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                    let sum = if i == j { ones(&[all[i]]) } else { ones(&[all[i], all[j]]) };
                    assert!(is_fair(sum), "{method:?}: {sum} of {LANES}");
                }
            }
        }
    }
}

#[test]
fn costs_are_those_of_the_table() {
    for parties in [2, 3, 5, 13, 33] {
        let product = cost::product(GMW.fitting(parties));
        for (from, to) in cost::links().filter(|(a, b)| a.max(b) < &parties && a != b) {
            assert_eq!(product.def[from][to], 32 + 1);
            assert_eq!(product.on[from][to], 1);
        }
        let links = parties * (parties - 1);
        assert_eq!(product.total(), 34 * links as u64);
        let each = |protocol| cost::product(protocol).total() / links as u64;
        let n = parties;
        assert_eq!(each(GMW_SILENT.fitting(n)), 3);
        assert_eq!(each(GMW_OT.fitting(n)), 32 + 3);
        let star = cost::product(GMW_STAR.fitting(n));
        assert_eq!(star.total(), 33 * links as u64 + 2 * (parties as u64 - 1));
        assert!((1..parties).all(|i| star.on[0][i] == 1 && star.on[i][0] == 1));
        assert_eq!(each(GMW_TRIPLES.fitting(n)), 33 + 2);
        assert_eq!(each(GMW_WIDE.fitting(n)), 33 + 1);
        for (inputs, products) in [(3, 4), (4, 11)] {
            let plan = PolyPlan::product(inputs, Form::Quadratic);
            let wide = cost::polynomial(GMW_WIDE.fitting(n), &plan);
            assert_eq!(wide.total(), (33 * products + 1) * links as u64);
        }
    }
}

#[test]
fn set_up_takes_what_the_page_says() {
    let seed = test_seed();
    memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let _ = correlations(&mut session, 3, seed).unwrap();
        let sent = session.meter().total(|_, _, phase| phase == Phase::Setup).bytes_sent;
        // A seed, a group element, 128 pairs of them, and 128 levels of two nodes, to either peer.
        assert_eq!(sent, 2 * (32 + 32 + 128 * 64 + 128 * 32));
        session.finish().unwrap();
    });
}

/// The result of products of random bits of parties 0 and 1, block after block, and of what every party sent
/// in each phase.
fn products(method: Method, parties: usize, words: usize, seed: u64) -> Vec<[u64; 2]> {
    products_by((method, Method::SILENT), parties, words, seed)
}

fn products_by(
    (method, chain): (Method, Chain),
    parties: usize,
    words: usize,
    seed: u64,
) -> Vec<[u64; 2]> {
    let mut builder = Builder::new();
    let (x, y) = (builder.input(2), builder.input(2));
    // A chain, with a negation, and of one party's bits alone.
    let first = builder.and2(x[0], y[0]);
    let not = builder.not(first);
    let second = builder.and2(not, y[1]);
    let own = builder.and2(x[0], x[1]);
    let sum = builder.xor(second, own);
    builder.output(&[sum, first]);
    let schedule = schedule(&builder.finish());
    let given = |party: usize| Rng(seed ^ party as u64).words(2 * words);
    let sent = memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let me = session.me().index();
        let (mesh, all) = (&mut session.meshes[0], places(parties));
        let keys = Correlations::for_products(mesh, b"session", &all, method, &mut entropy);
        let keys = match method {
            Method::Silent => keys.unwrap().silent_by(Setting::new(chain, b"session")).worker(),
            _ => keys.unwrap().worker(),
        };
        let (inputs, outputs) = ([(0, 2), (1, 2)], [vec![0, parties - 1]]);
        let cut = Cut { block: words / 3 + 1, blocks: 2 };
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, cut };
        let mut party = Gmw::new(mesh, &all, keys).unwrap();
        let ready = party.prepare(ports, 64 * words).unwrap();
        let mut values = [None, None];
        if me < 2 {
            let words: Vec<Z2> = given(me).into_iter().map(Z2).collect();
            values[me] = Some(Buffer::from_slice(&words));
        }
        let learned = ready.run(party.mesh(), &all, (ports, 64 * words), &values).unwrap();
        let (x, y) = (given(0), given(1));
        for bits in &learned {
            assert_eq!(bits.is_some(), me == 0 || me == parties - 1);
            for (i, bits) in bits.iter().flat_map(|bits| bits.iter().take(words)).enumerate() {
                let first = x[i] & y[i];
                assert_eq!(bits.0, !first & y[words + i] ^ x[i] & x[words + i], "{method:?}, {i}");
            }
        }
        let mesh = party.mesh();
        let meter = mesh.meter();
        let sent = [Phase::Offline, Phase::Online]
            .map(|wanted| meter.total(|_, _, phase| phase == wanted).bytes_sent);
        session.finish().unwrap();
        (sent, meter.rounds())
    });
    let rounds = match method {
        // Inputs, and two levels; or levels and outputs.
        Method::Transfers(_) => 5,
        _ => 3,
    };
    assert!(sent[0].1 == rounds, "{method:?}: {} rounds", sent[0].1);
    sent.into_iter().map(|(sent, _)| sent).collect()
}

/// Every way gives the right products, and takes what the page says of bits, to the byte.
#[test]
fn every_way_to_make_products_takes_what_the_page_says() {
    let words = 700;
    for parties in [2, 3, 5] {
        for method in Method::all() {
            let sent = products(method, parties, words, test_seed());
            let (peers, word) = (parties as u64 - 1, 8 * words as u64);
            let (per_product, online) = match method {
                Method::Masked | Method::Star | Method::Wide => (33, 1),
                Method::Silent => (2, 1),
                Method::Transfers(_) => (32, 3),
                Method::Triples(_) => (33, 2),
            };
            for (party, [ahead, on]) in sent.into_iter().enumerate() {
                let party = party as u64;
                // Two output bits to role 0 and the last one, ahead only where values are masked.
                let receivers = if party == 0 || party == peers { 1 } else { 2 };
                let outputs = 2 * word * receivers;
                let inputs = if party < 2 { 2 * word * peers } else { 0 };
                let products = 3 * word * peers;
                let start = method.start_bytes(3 * words) * peers;
                let masked = method.is_masked();
                let [early, late] = if masked { [outputs, inputs] } else { [0, outputs] };
                assert_eq!(ahead, per_product * products + early + start, "{method:?}");
                // Around role 0 the others send to it alone.
                let alone = method == Method::Star && party > 0;
                let products = if alone { 3 * word } else { products };
                assert_eq!(on, online * products + late, "{method:?}");
            }
        }
    }
}

/// More products than a round of silent transfers has, in more than one piece.
#[test]
fn silent_transfers_go_on_round_after_round() {
    let words = 28_000;
    let transfers = 3 * 64 * words;
    let set = Method::SILENT.set;
    assert!(transfers > 2 * set.given() * set.leaves());
    let sent = products(Method::Silent, 2, words, test_seed());
    let products = 3 * 8 * words as u64;
    let start = Method::Silent.start_bytes(3 * words);
    // Choices to start from, 32 bits each, trees to start from, and others: below a bit for each product.
    let first = (4 * 64 * set.start_words() + 16 * set.start_blocks()) as u64;
    assert_eq!(first, 304_000);
    assert!(start > first && start - first < products, "{start}");
    assert_eq!(sent[0][0], 2 * products + start + 2 * 8 * words as u64);
}

/// Chains of rounds end, and others start anew from ordinary transfers: in the midst of a batch, too.
#[test]
fn silent_transfers_start_anew_when_a_chain_ends() {
    let (words, parties) = (3000, 3);
    let chain = Chain { set: Set::S16, rounds: 1 };
    let transfers = 3 * 64 * words;
    assert!(transfers > 2 * chain.transfers() && transfers < 3 * chain.transfers());
    let sent = products_by((Method::Silent, chain), parties, words, test_seed());
    let products = 3 * 8 * words as u64;
    let more: u64 = silent_bytes_by(chain, transfers).iter().sum();
    assert!(more > 3 * 4 * 64 * Set::S16.start_words() as u64);
    // Of party 1, in each direction of two; and output bits to two parties.
    assert_eq!(sent[1][0], 2 * (2 * products + more) + 2 * 2 * 8 * words as u64);
}

/// A party that sends no group elements in set-up is found out, and everybody stops.
#[test]
fn a_peer_that_sends_garbage_ends_the_session() {
    let seed = test_seed();
    let results = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        if session.me() == PartyId(0) {
            let ones = |message: Outgoing<'_>| Verdict::Replace(vec![0xff; message.bytes.len()]);
            session.meshes[0].set_tamper(Tamper::new(ones));
        }
        correlations(&mut session, 2, seed).err()
    });
    let found = |error: &Option<SharingError>| matches!(error, Some(SharingError::Net(NetError::Check(what))) if what.contains("party 0"));
    assert!(found(&results[1]), "{:?}", results[1]);
    assert!(results[0].is_some(), "the other party goes on");
}
