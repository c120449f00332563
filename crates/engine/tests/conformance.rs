//! Random circuits under every protocol against the clear, and cost functions against the meter.
//!
//! Circuits, values and keys of a run are a function of one seed, which every test prints;
//! `TACIT_TEST_SEED` repeats it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tacit_backend::cost;
use tacit_circuit::{Builder, Circuit, Poly, Wire};
use tacit_engine::circuit::{
    Assignment, Blocking, Compiled, Consent, EvaluateError, Evaluation, FormChoice, Garbling, Job,
    Preprocessing, agree_instances, evaluate, evaluate_with, predict,
};
use tacit_engine::protocols::{
    self, ASTRA, AUTHENTICATED, BMR, BMR_REPLICATED, BMR_SHAMIR, BMR_SILENT, BRAIN_BUCKETS, GMW,
    GMW_OT, GMW_SILENT, GMW_STAR, GMW_TRIPLES, GMW_WIDE, HALF_GATES, INTEGERS, LIFT, MULTI_FAN_IN,
    PLAIN, POST, QUAD, QUAD_A, QUAD_HET, REPLICATED, TETRAD, TRIO, WIDE_LIFT, WRK17, YAO,
    YAO_SILENT,
};
use tacit_engine::values::Lanes;
use tacit_garbling::bmr::{LabelFunction, Opening, Products, Rounds};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{LinkProfile, PartyId, Phase, Session, Stream};
use tacit_proof::Strength;
use tacit_ring::{Entropy, entropy};
use tacit_sharing::Protocol;
use tacit_sharing::balance::{Balance, Way};

/// A small generator.
struct Random(u64);

impl Random {
    /// From the test run's seed; zero would give zeros only.
    fn new() -> Self {
        Random(entropy::test_seed().max(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

fn random_circuit(random: &mut Random, gates: usize) -> Circuit {
    let mut builder = Builder::new();
    let mut wires: Vec<Wire> = [7, 5, 3].iter().flat_map(|w| builder.input(*w)).collect();
    for _ in 0..gates {
        let fan_in = 2 + random.below(7);
        let picks: Vec<Wire> = (0..fan_in).map(|_| wires[random.below(wires.len())]).collect();
        match random.below(8) {
            0 | 1 => wires.push(builder.and(&picks[..2])),
            2 => wires.push(builder.and(&picks)),
            3 => wires.push(builder.not(picks[0])),
            4 => {
                let outputs = (0..1 + random.below(3))
                    .map(|_| {
                        (0..1 + random.below(5)).map(|_| random.below(1 << fan_in) as u16).collect()
                    })
                    .collect();
                wires.extend(builder.poly(&picks, Poly::new(fan_in as u8, outputs)));
            }
            _ => wires.push(builder.xor(picks[0], picks[1])),
        }
    }
    let last = wires.len();
    builder.output(&wires[last - 9..last - 4]);
    builder.output(&wires[last - 4..]);
    let constant = builder.constant(true);
    builder.output(&[constant, wires[0], wires[8]]);
    builder.finish()
}

fn random_lanes(random: &mut Random, width: u32, instances: usize) -> Lanes {
    let words = instances.div_ceil(64);
    let bits = (0..width).map(|_| (0..words).map(|_| random.next()).collect()).collect();
    Lanes::from_bits(bits, instances)
}

fn in_the_clear(circuit: &Circuit, inputs: &[Lanes], instances: usize) -> Vec<Lanes> {
    let widths: Vec<usize> = circuit.output_ports().iter().map(Vec::len).collect();
    let mut ports: Vec<Vec<Vec<u64>>> = widths.iter().map(|w| vec![Vec::new(); *w]).collect();
    for word in 0..instances.div_ceil(64) {
        let bits: Vec<u64> = inputs.iter().flat_map(|l| l.bits().iter().map(|b| b[word])).collect();
        let mut out = circuit.eval_lanes(&bits).into_iter();
        for port in &mut ports {
            for bit in port.iter_mut() {
                bit.push(out.next().unwrap());
            }
        }
    }
    ports.into_iter().map(|bits| Lanes::from_bits(bits, instances)).collect()
}

fn run(
    circuit: &Circuit,
    job: &Job,
    inputs: &[Lanes],
    network: &MemoryNetwork,
    seed: u64,
) -> Vec<Result<Evaluation, EvaluateError>> {
    watched_run(circuit, job, inputs, network, seed, |_| {})
}

/// As [`run`]; first every party's session goes through `watch`.
fn watched_run(
    circuit: &Circuit,
    job: &Job,
    inputs: &[Lanes],
    network: &MemoryNetwork,
    seed: u64,
    watch: impl Fn(&mut Session) + Sync,
) -> Vec<Result<Evaluation, EvaluateError>> {
    memory::run(job.protocol().parties(), job.threads(), network, |mut session| {
        watch(&mut session);
        let compiled = Compiled::new(circuit, job.clone())?;
        let mine = job.owners.iter().zip(inputs);
        let values =
            mine.map(|(owner, lanes)| (*owner == session.me()).then(|| lanes.clone())).collect();
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let result = evaluate_with(&mut session, &compiled, values, &mut entropy, &|_| {})?;
        session.finish()?;
        Ok(result)
    })
}

fn check(circuit: &Circuit, job: &Job, inputs: &[Lanes], seed: u64, label: &str) {
    let expected = in_the_clear(circuit, inputs, job.instances);
    let prediction = predict(&Compiled::new(circuit, job.clone()).unwrap());
    for (party, result) in
        run(circuit, job, inputs, &MemoryNetwork::default(), seed).into_iter().enumerate()
    {
        let evaluation = result.unwrap_or_else(|e| panic!("{label}: party {party}: {e}"));
        for (port, lanes) in evaluation.outputs.iter().enumerate() {
            let learns = job.receivers[port].contains(&PartyId(party as u8));
            assert_eq!(lanes.is_some(), learns, "{label}: port {port} at party {party}");
            if let Some(lanes) = lanes {
                assert!(*lanes == expected[port], "{label}: port {port} at party {party} is wrong");
            }
        }
        let report = evaluation.report;
        for link in &report.cost.links {
            assert_eq!(link.bytes, link.predicted_bytes, "{label}: {link:?}");
        }
        assert_eq!(report.cost.total_bytes(), prediction.bytes.total(), "{label}: all bytes");
        assert_eq!(
            report.cost.rounds, report.cost.predicted_rounds,
            "{label}: rounds of party {party}"
        );
    }
}

/// Random circuits of gates of all sizes, under the protocol that proves what it sends for them.
#[test]
fn random_circuits_under_wide_lift() {
    sweep(&[WIDE_LIFT], 0..9);
}

/// For each of `n` outputs some of the parties.
fn party_lists(random: &mut Random, n: usize, parties: usize) -> Vec<Vec<PartyId>> {
    let mut some = || PartyId::all(parties).filter(|_| random.below(3) > 0).collect();
    (0..n).map(|_| some()).collect()
}

/// A random order of the parties.
fn places(random: &mut Random, parties: usize) -> Vec<PartyId> {
    let mut places: Vec<PartyId> = PartyId::all(parties).collect();
    for i in (1..parties).rev() {
        places.swap(i, random.below(i + 1));
    }
    places
}

/// A way to open garbled tables, of protocols that do.
fn opening(random: &mut Random, protocol: Protocol) -> Option<Opening> {
    let ways = Opening::ALL.map(Some);
    let way = random.below(4);
    ways.get(way).copied().flatten().filter(|_| protocol.opens_tables())
}

/// In turn whole and streamed, of protocols that do.
fn garbling(round: usize, job: &Job) -> Garbling {
    let streams =
        job.protocol().one_garbles() && job.options.preprocessing == Preprocessing::Interleaved;
    if streams && round.is_multiple_of(2) { Garbling::Streamed } else { Garbling::Whole }
}

/// Weights of ways to make products; often none.
fn balance(random: &mut Random, protocol: Protocol) -> Balance {
    let ways = Way::all(protocol).into_iter();
    let weights = ways.map(|way| (way, random.below(4) as u32)).collect();
    Balance::new(weights).ok().filter(|_| random.below(2) > 0).unwrap_or_default()
}

/// Most often one assignment of roles, else several side by side, also of like protocols.
fn assignments(random: &mut Random, protocol: Protocol) -> Vec<Assignment> {
    let like = |other: &Protocol| {
        let class =
            |p: Protocol| (p.parties(), p.security(), p.fan_in(), p.has_roles(), p.strength());
        class(*other) == class(protocol)
    };
    let all = protocols::on_bits().chain(protocols::strong());
    let alike: Vec<Protocol> = all.filter(like).collect();
    // Where all do the same there are no roles to split.
    let count = if protocol.has_roles() { [1, 1, 2, 3][random.below(4)] } else { 1 };
    let assignment = |index: usize| {
        let protocol = if index == 0 { protocol } else { alike[random.below(alike.len())] };
        let weight = 1 + random.below(3) as u32;
        let assignment = Assignment::new(protocol, places(random, protocol.parties()));
        Assignment { weight, ..assignment.balanced(balance(random, protocol)) }
    };
    (0..count).map(assignment).collect()
}

/// Products of one circuit made in several ways: results, bytes per link and rounds.
#[test]
fn circuits_with_products_made_in_several_ways() {
    const THREE: [&str; 3] = ["straight=1,crossed=1", "straight=1,crossed=4", "crossed=1"];
    const FOUR: [&str; 7] = [
        "a=2,het=1",
        "b=1,het=3",
        "a=1,b=1",
        "b=2,b-crossed=1",
        "het=1,het-crossed=1",
        "a-crossed=1,b=2,het-crossed=3",
        "a=5,a-crossed=1,b=3,b-crossed=1,het=2,het-crossed=1",
    ];
    let mut random = Random::new();
    for (protocol, mixes) in [(TRIO, &THREE[..]), (ASTRA, &THREE), (QUAD, &FOUR), (QUAD_HET, &FOUR)]
    {
        for (index, text) in mixes.iter().enumerate() {
            let circuit = random_circuit(&mut random, [20, 150, 60][index % 3]);
            let instances = [65, 1000, 64][index % 3];
            let widths = circuit.input_widths().to_vec();
            let inputs: Vec<Lanes> =
                widths.iter().map(|w| random_lanes(&mut random, *w, instances)).collect();
            let weights = text.split(',').map(|one| {
                let (name, weight) = one.split_once('=').unwrap();
                (name, weight.parse().unwrap())
            });
            let balance = Balance::of(protocol, weights).unwrap();
            for preprocessing in [Preprocessing::Interleaved, Preprocessing::Separate] {
                let parties = protocol.parties();
                let owners = (0..3).map(|_| PartyId(random.below(parties) as u8)).collect();
                let mut job = Job::new(protocol, owners, party_lists(&mut random, 3, parties));
                let assignment = Assignment::new(protocol, places(&mut random, parties));
                job.options.assignments = vec![assignment.balanced(balance.clone())];
                job.instances = instances;
                job.options.workers = 1 + random.below(3);
                job.options.preprocessing = preprocessing;
                let (block_words, blocks) = (random.below(6), random.below(4));
                job.blocking = Blocking { block_words, blocks, window_bytes: 0 };
                let (keys, label) = (random.next(), format!("{text} {job:?}"));
                check(&circuit, &job, &inputs, keys, &label);
            }
        }
    }
}

/// Parties that give out products by other weights stop before any share is sent.
#[test]
fn weights_that_differ_stop_everybody_before_any_share() {
    let circuit = chain(5);
    let inputs = [1, 2].map(|salt| Lanes::from_bits(vec![vec![salt]], 64));
    for theirs in [Some(("het", 2)), Some(("b", 1)), None] {
        let results = memory::run(4, 1, &MemoryNetwork::default(), |mut session| {
            let mut job = Job::new(QUAD_A, vec![PartyId(0); 2], vec![vec![PartyId(0)]]);
            job.instances = 64;
            let mut weights = vec![("a", 1)];
            match theirs {
                Some(theirs) if session.me() == PartyId(2) => weights.push(theirs),
                None if session.me() == PartyId(2) => weights.clear(),
                _ => weights.push(("het", 1)),
            }
            if !weights.is_empty() {
                let balance = Balance::of(QUAD_A, weights).unwrap();
                job.options.assignments =
                    vec![job.options.assignments[0].clone().balanced(balance)];
            }
            let compiled = Compiled::new(&circuit, job).unwrap();
            let values = inputs.iter().cloned().map(Some).collect();
            let error = evaluate(&mut session, &compiled, values, &|_| {}).err().unwrap();
            let sent: u64 = session.meter().entries().map(|(_, _, _, c)| c.bytes_sent).sum();
            (error.to_string(), sent)
        });
        for (error, sent) in results {
            assert!(error.contains("roles") && error.contains("by a=1,het=1"), "{error}");
            assert_eq!(sent, 0);
        }
    }
}

/// Protocols that differ on circuits, without those that are there to be compared with. `make test` runs one round of
/// these in [`random_circuits_under_every_protocol`]; long tests run them as often as the others.
fn usual() -> impl Iterator<Item = Protocol> {
    protocols::on_bits().filter(|protocol| !protocol.for_comparison())
}

/// Protocols that differ on circuits and are there to be compared with.
fn baselines() -> impl Iterator<Item = Protocol> {
    protocols::on_bits().filter(|protocol| protocol.for_comparison())
}

/// Random circuits under some protocols, a circuit in each round: the second of three has 20 gates, the third 150.
fn sweep(protocols: &[Protocol], rounds: Range<usize>) {
    let mut random = Random::new();
    for round in rounds {
        let gates = [1, 20, 150][round % 3];
        let circuit = random_circuit(&mut random, gates);
        let instances = [1, 63, 64, 65, 1000][random.below(5)];
        let inputs: Vec<Lanes> = circuit
            .input_widths()
            .to_vec()
            .iter()
            .map(|w| random_lanes(&mut random, *w, instances))
            .collect();
        for &protocol in protocols {
            for form in [
                FormChoice::Dealer,
                FormChoice::Symmetric,
                FormChoice::Cheaper { ratio_percent: 70 },
            ] {
                if protocol != MULTI_FAN_IN && form != FormChoice::Dealer {
                    continue;
                }
                for preprocessing in [Preprocessing::Interleaved, Preprocessing::Separate] {
                    let parties = protocol.parties();
                    let owners = (0..3).map(|_| PartyId(random.below(parties) as u8)).collect();
                    let receivers = party_lists(&mut random, 3, parties);
                    let mut job = Job::new(protocol, owners, receivers);
                    job.instances = instances;
                    job.options.assignments = assignments(&mut random, protocol);
                    job.options.workers = 1 + random.below(3);
                    job.options.preprocessing = preprocessing;
                    job.form = form;
                    job.options.opening = opening(&mut random, protocol);
                    let function = LabelFunction::ALL[random.below(3)];
                    job.options.label_function = Some(function).filter(|_| protocol.opens_tables());
                    job.options.garbling = garbling(round, &job);
                    job.blocking = Blocking {
                        block_words: random.below(6),
                        blocks: random.below(4),
                        window_bytes: 0,
                    };
                    let (keys, label) = (random.next(), format!("round {round} {job:?}"));
                    check(&circuit, &job, &inputs, keys, &label);
                }
            }
        }
    }
}

/// More rounds are in [`many_random_circuits_under_every_protocol`].
#[test]
fn random_circuits_under_every_protocol() {
    sweep(&usual().collect::<Vec<_>>(), 1..3);
    sweep(&baselines().collect::<Vec<_>>(), 1..2);
}

#[test]
#[ignore = "minutes: twelve times as many circuits"]
fn many_random_circuits_under_every_protocol() {
    sweep(&protocols::on_bits().collect::<Vec<_>>(), 0..24);
}

fn strong(protocol: Protocol) -> Protocol {
    protocol.with_strength(Strength::Strong).unwrap()
}

/// Of those that make triples of bits, all do in the same way; they are in [`many_random_circuits_with_other_parameters`].
#[test]
fn random_circuits_with_a_statistical_parameter_of_64() {
    sweep(&[LIFT, POST, WIDE_LIFT].map(strong), 1..3);
}

/// Other protocols are in [`many_random_circuits_with_other_parameters`].
#[test]
fn random_circuits_with_batches_of_another_size() {
    let names = ["lift/128", "wide-lift/128", "post/100", "post@64/128"];
    sweep(&names.map(|name| protocols::named(name).unwrap()), 1..3);
}

#[test]
#[ignore = "many circuits, also under protocols that are there to be compared with"]
fn many_random_circuits_with_other_parameters() {
    sweep(&[LIFT, INTEGERS, POST, BRAIN_BUCKETS].map(strong), 0..6);
    let names = ["lift/128", "integers/1000", "post/100", "brain-buckets/64", "post@64/128"];
    sweep(&names.map(|name| protocols::named(name).unwrap()), 0..3);
}

/// More circuits and protocols are in [`many_random_circuits_with_two_and_with_more_parties`].
#[test]
fn random_circuits_with_two_and_with_more_parties() {
    sweep(&[GMW.fitting(2), GMW.fitting(5), BMR.fitting(2), BMR.fitting(4)], 1..2);
    sweep(&[BMR_SILENT.fitting(2), BMR_SHAMIR.fitting(5)], 1..2);
    sweep(&[HALF_GATES.fitting(2), HALF_GATES.fitting(4)], 1..2);
    sweep(&[YAO, YAO_SILENT], 2..3);
    sweep(&[AUTHENTICATED.fitting(2), AUTHENTICATED.fitting(4)], 1..2);
}

#[test]
#[ignore = "minutes: many circuits, also under protocols that are there to be compared with"]
fn many_random_circuits_with_two_and_with_more_parties() {
    sweep(&[GMW.fitting(2), GMW.fitting(5), BMR.fitting(2), BMR.fitting(4)], 0..3);
    sweep(&[BMR_SILENT.fitting(2), BMR_SILENT.fitting(4)], 0..1);
    sweep(&[4, 5].map(|n| BMR_SHAMIR.fitting(n)), 0..3);
    sweep(&[2, 4, 5].map(|n| HALF_GATES.fitting(n)), 0..3);
    sweep(&[YAO, YAO_SILENT], 0..4);
    sweep(&Products::ALL.map(|products| products.protocol().fitting(2)), 0..2);
    sweep(&Rounds::ALL.map(|rounds| rounds.protocol().fitting(5)), 0..2);
    sweep(&[AUTHENTICATED.fitting(2), AUTHENTICATED.fitting(4)], 0..3);
    sweep(&[WRK17.fitting(2), WRK17.fitting(4)], 0..3);
}

/// So many random circuits, each on inputs of its own, as one.
fn side_by_side(random: &mut Random, circuits: usize) -> Circuit {
    let mut builder = Builder::new();
    let inputs: Vec<Vec<Wire>> =
        [7, 5, 3].iter().map(|width| builder.input(width * circuits as u32)).collect();
    let mut outputs = vec![Vec::new(); 3];
    for part in 0..circuits {
        let one = random_circuit(random, 40);
        let bits = inputs.iter().zip([7, 5, 3]);
        let given: Vec<Vec<Wire>> =
            bits.map(|(port, width)| port[part * width..][..width].to_vec()).collect();
        let learned = builder.append(&one, &given);
        outputs.iter_mut().zip(learned).for_each(|(all, port)| all.extend(port));
    }
    outputs.iter().for_each(|port| builder.output(port));
    builder.finish()
}

/// The random circuits of `docs/spec/bmr-and-gmw.md` section 14, item 6, at once: from all owners to some receivers.
#[test]
#[ignore = "minutes: all protocols without an honest majority, and garbled ones, with two to seven parties"]
fn two_hundred_random_circuits_with_two_to_seven_parties() {
    let mut random = Random::new();
    let circuit = side_by_side(&mut random, 200);
    let inputs: Vec<Lanes> =
        circuit.input_widths().to_vec().iter().map(|w| random_lanes(&mut random, *w, 2)).collect();
    for parties in 2..=7 {
        for protocol in with_any_number().map(|protocol| protocol.fitting(parties)) {
            if protocol.parties() != parties {
                continue;
            }
            let owners = (0..3).map(|_| PartyId(random.below(parties) as u8)).collect();
            let mut job = Job::new(protocol, owners, party_lists(&mut random, 3, parties));
            job.instances = 2;
            job.options.opening = opening(&mut random, protocol);
            check(&circuit, &job, &inputs, random.next(), &format!("{job:?}"));
        }
    }
}

/// Protocols of any number of parties, and Yao's.
fn with_any_number() -> impl Iterator<Item = Protocol> {
    let alike = |protocol: &Protocol| protocol.takes_any_number() || protocol.one_garbles();
    let some = protocols::all().filter(alike).chain([BMR_REPLICATED]);
    // Those of whole blocks with one party more than they need.
    some.map(|protocol| if Rounds::of(protocol).is_some() { protocol.fitting(4) } else { protocol })
}

/// All forms give the results of the clear, on the same circuits as one another. Other forms and numbers of parties
/// are in [`many_random_circuits_under_all_forms_of_gmw`].
#[test]
fn random_circuits_under_forms_of_gmw() {
    for n in [2, 4] {
        sweep(&[GMW_STAR.fitting(n), GMW_WIDE.fitting(n), GMW.fitting(n)], 1..3);
    }
    sweep(&[GMW_SILENT.fitting(2)], 1..2);
}

#[test]
#[ignore = "many circuits, also under protocols that are there to be compared with"]
fn many_random_circuits_under_all_forms_of_gmw() {
    for n in [2, 3, 5] {
        let all = [GMW_OT, GMW_TRIPLES, GMW_STAR, GMW_WIDE, GMW];
        sweep(&all.map(|protocol| protocol.fitting(n)), 0..4);
        sweep(&[GMW_SILENT.fitting(n)], 0..1);
    }
}

#[test]
#[ignore = "minutes: base OTs between every two of up to 33 parties"]
fn random_circuits_with_many_parties() {
    sweep(&[4, 7, 13].map(|n| GMW.fitting(n)), 0..6);
    sweep(&[5, 7, 13].map(|n| BMR.fitting(n)), 0..6);
    sweep(&[6, 7, 13].map(|n| BMR_SHAMIR.fitting(n)), 0..6);
    sweep(&[6, 7, 13].map(|n| HALF_GATES.fitting(n)), 0..6);
    sweep(&[5, 8].map(|n| AUTHENTICATED.fitting(n)), 0..3);
    sweep(&[33].map(|n| BMR_SHAMIR.fitting(n)), 0..1);
    sweep(&[GMW.fitting(33), BMR.fitting(33), AUTHENTICATED.fitting(33)], 0..1);
}

/// The sets of assignments of `docs/spec/honest-majority-rings.md` section 6.2 put the same load on every directed
/// link.
#[test]
fn balanced_assignments_use_all_links_alike() {
    let circuit = chain(20);
    let (mut even, parties) = (Vec::new(), [0, 1, 2, 3].map(PartyId));
    for [a, b, c, d] in [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]] {
        for [a, b, c, d] in [[a, b, c, d], [b, a, d, c], [c, d, a, b], [d, c, b, a]] {
            even.push([a, b, c, d].map(|p: usize| parties[p]).to_vec());
        }
    }
    let three = |order: [u8; 3]| order.map(PartyId).to_vec();
    for (protocol, orders) in [
        (TRIO, vec![three([0, 1, 2]), three([2, 1, 0])]),
        (REPLICATED, vec![three([0, 1, 2]), three([0, 2, 1])]),
        (LIFT, vec![three([0, 1, 2]), three([0, 2, 1])]),
        (QUAD, even),
    ] {
        let owners = vec![PartyId(0); 2];
        let mut job = Job::new(protocol, owners, vec![Vec::new()]);
        job.instances = 64 * 12 * 10;
        job.blocking.block_words = 1;
        job.options.assignments =
            orders.into_iter().map(|o| Assignment::new(protocol, o)).collect();
        let words = (job.instances / 64) as u64;
        let inputs =
            [1, 2].map(|salt| Lanes::from_bits(vec![vec![salt; words as usize]], job.instances));
        let seed = entropy::test_seed();
        let label = format!("{protocol} with split roles");
        check(&circuit, &job, &inputs, seed, &label);
        // Products alone: those of two circuits of different depth, less the same inputs.
        let bytes =
            |circuit: &Circuit| predict(&Compiled::new(circuit, job.clone()).unwrap()).words;
        let (deep, shallow) = (bytes(&circuit), bytes(&chain(10)));
        let all = protocol.parties();
        let links = cost::links().filter(|(a, b)| a != b && *a < all && *b < all);
        let total = cost::product(protocol).total();
        for (from, to) in links {
            let load = deep.link(from, to) - shallow.link(from, to);
            assert_eq!(load, 10 * words * total / (all * (all - 1)) as u64, "{label}");
        }
    }
}

#[test]
fn facts_that_differ_stop_everybody_before_any_share() {
    let mut random = Random::new();
    let circuit = random_circuit(&mut random, 30);
    let inputs: Vec<Lanes> =
        circuit.input_widths().to_vec().iter().map(|w| random_lanes(&mut random, *w, 5)).collect();
    let results = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let owners = vec![PartyId(0); 3];
        let mut job = Job::new(TRIO, owners, vec![vec![PartyId(0)]; 3]);
        job.instances = 5;
        if session.me() == PartyId(1) {
            job.options.assignments = vec![Assignment::in_order(ASTRA)];
        }
        let compiled = Compiled::new(&circuit, job).unwrap();
        let values = inputs.iter().cloned().map(Some).collect();
        let error = evaluate(&mut session, &compiled, values, &|_| {}).err().unwrap().to_string();
        let sent: u64 = session.meter().entries().map(|(_, _, _, c)| c.bytes_sent).sum();
        (error, sent)
    });
    for (error, sent) in results {
        assert!(error.contains("protocol"), "{error}");
        assert!(error.contains("trio") && error.contains("astra"), "{error}");
        assert_eq!(sent, 0);
    }
}

/// A party with other parameters of silent transfers, as an earlier release has, is told so before it sends anything.
#[test]
fn other_parameters_of_silent_transfers_stop_everybody() {
    const NAME: &str = "parameters of silent transfers";
    let circuit = chain(3);
    for protocol in [GMW_SILENT.fitting(2), BMR_SILENT.fitting(2), YAO_SILENT] {
        let owners = vec![PartyId(0), PartyId(1)];
        let job = Job::new(protocol, owners, vec![vec![PartyId(0)]]);
        let results = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
            let mut facts = job.facts(&circuit);
            if session.me() == PartyId(1) {
                facts.retain(|(name, _)| *name != NAME);
                facts.push((NAME, "B11".into()));
            }
            session.agree(&facts).err().unwrap().to_string()
        });
        for error in results {
            assert!(error.contains(NAME) && error.contains("B11"), "{error}");
            assert!(error.contains("S16 then L21, 12 names, 1024 rounds"), "{error}");
        }
    }
    let job = Job::new(GMW.fitting(2), vec![PartyId(0); 2], vec![vec![PartyId(0)]]);
    assert!(job.facts(&circuit).iter().all(|(name, _)| *name != NAME));
}

/// A chain of `depth` ANDs.
fn chain(depth: usize) -> Circuit {
    let mut builder = Builder::new();
    let (x, y) = (builder.input(1), builder.input(1));
    let mut wire = x[0];
    for _ in 0..depth {
        let product = builder.and(&[wire, y[0]]);
        wire = builder.xor(product, x[0]);
    }
    builder.output(&[wire]);
    builder.finish()
}

#[test]
fn only_the_online_link_is_waited_for_per_level() {
    let depth = 100;
    let circuit = chain(depth);
    assert_eq!(circuit.stats().and_depth as usize, depth);
    let [fast, slow] = [10, 200].map(Duration::from_millis);
    for (protocol, pair) in [
        (TRIO, (1, 2)),
        (ASTRA, (1, 2)),
        (MULTI_FAN_IN, (0, 1)),
        (QUAD, (1, 2)),
        (QUAD_A, (1, 2)),
        (QUAD_HET, (1, 2)),
        (TETRAD, (1, 2)),
        (WIDE_LIFT, (0, 1)),
    ] {
        let mut network = MemoryNetwork::uniform(LinkProfile::delay(slow));
        for (from, to) in [pair, (pair.1, pair.0)] {
            network = network.with_link(PartyId(from), PartyId(to), LinkProfile::delay(fast));
        }
        let mut job =
            Job::new(protocol, vec![PartyId(pair.0), PartyId(pair.1)], vec![vec![PartyId(pair.0)]]);
        job.instances = 1;
        let inputs = [Lanes::from_bits(vec![vec![1]], 1), Lanes::from_bits(vec![vec![1]], 1)];
        for result in run(&circuit, &job, &inputs, &network, entropy::test_seed()) {
            let report = result.unwrap().report;
            let seconds = report.cost.online_seconds;
            let least = fast.as_secs_f64() * depth as f64;
            // Inputs, outputs, and where there are checks: the role that lags, two comparisons, and proofs.
            let ways = match (protocol.is_checked(), protocol.proves_products()) {
                (true, true) => 26.0,
                (true, false) => 12.0,
                (false, _) => 4.0,
            };
            assert!(seconds < least + ways * slow.as_secs_f64(), "{protocol}: {seconds} s");
        }
    }
}

#[test]
fn the_role_that_works_ahead_receives_nothing_and_never_waits() {
    let circuit = chain(300);
    for protocol in [TRIO, ASTRA, MULTI_FAN_IN] {
        let ahead = protocol.ahead().unwrap();
        let online = PartyId(((ahead + 1) % 3) as u8);
        let network = MemoryNetwork::uniform(LinkProfile::delay(Duration::from_millis(50)));
        let job = Job::new(protocol, vec![online; 2], vec![vec![online]]);
        let inputs = [Lanes::from_bits(vec![vec![1]], 1), Lanes::from_bits(vec![vec![1]], 1)];
        let seed = entropy::test_seed();
        let finished = memory::run(3, 1, &network, |mut session| {
            let compiled = Compiled::new(&circuit, job.clone()).unwrap();
            let mine = session.me() == online;
            let values = inputs.iter().map(|l| mine.then(|| l.clone())).collect();
            let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
            let result = evaluate_with(&mut session, &compiled, values, &mut entropy, &|_| {});
            let report = result.unwrap().report;
            (report.cost.online_seconds, report.cost.links)
        });
        // In virtual time the ahead role is done at once; its peers take a delay per level.
        assert!(finished[ahead].0 < 0.01, "{protocol}: {}", finished[ahead].0);
        assert!(
            finished[online.index()].0 > 299.0 * 0.05,
            "{protocol}: {}",
            finished[online.index()].0
        );
        let to_ahead = finished[ahead].1.iter().filter(|l| usize::from(l.to) == ahead);
        assert_eq!(to_ahead.map(|l| l.bytes).sum::<u64>(), 0, "{protocol}");
    }
}

/// All messages of a run after set-up, by sender, receiver and stream.
type Messages = BTreeMap<(PartyId, PartyId, Stream), Vec<u8>>;

/// Runs a job and records its messages. What goes ahead in a run with stored preprocessing must
/// have left before the online phase.
fn recorded(circuit: &Circuit, job: &Job, inputs: &[Lanes], seed: u64) -> Messages {
    let sent = Arc::new(Mutex::new(Messages::new()));
    let stored = job.options.preprocessing == Preprocessing::Separate;
    let watch = |session: &mut Session| {
        let (sent, from) = (sent.clone(), session.me());
        session.meshes[0].set_tamper(Tamper::new(move |message| {
            if message.place.phase != Phase::Setup {
                let ahead = message.stream == Stream::Pre;
                assert!(!stored || ahead == (message.place.phase == Phase::Offline));
                let link = (from, message.to, message.stream);
                sent.lock().unwrap().entry(link).or_default().extend_from_slice(message.bytes);
            }
            Verdict::Keep
        }));
    };
    for result in watched_run(circuit, job, inputs, &MemoryNetwork::default(), seed, watch) {
        result.unwrap();
    }
    std::mem::take(&mut *sent.lock().unwrap())
}

fn on(messages: &Messages, wanted: Stream) -> Messages {
    let mut messages = messages.clone();
    messages.retain(|(_, _, stream), _| *stream == wanted);
    messages
}

/// With the same keys and other inputs of all parties, stored preprocessing is the same byte for
/// byte. What the ahead role sends when preprocessing is interleaved is not: there it shares its
/// own inputs so, and the comparison must see that.
#[test]
fn stored_preprocessing_is_the_same_for_all_inputs() {
    let mut random = Random::new();
    let circuit = random_circuit(&mut random, 60);
    let widths = circuit.input_widths().to_vec();
    let [some, others] = [0, 1]
        .map(|_| widths.iter().map(|w| random_lanes(&mut random, *w, 70)).collect::<Vec<_>>());
    for protocol in protocols::on_bits().filter(|protocol| protocol.ahead().is_some()) {
        for form in [FormChoice::Dealer, FormChoice::Symmetric] {
            if protocol != MULTI_FAN_IN && form != FormChoice::Dealer {
                continue;
            }
            for preprocessing in [Preprocessing::Separate, Preprocessing::Interleaved] {
                let parties: Vec<PartyId> = PartyId::all(protocol.parties()).collect();
                let role = PartyId(protocol.ahead().unwrap() as u8);
                let owners = vec![role, PartyId(0), PartyId(1)];
                let mut job = Job::new(protocol, owners, vec![parties; 3]);
                job.instances = 70;
                job.options.preprocessing = preprocessing;
                job.form = form;
                let seed = random.next();
                let [a, b] = [&some, &others].map(|inputs| recorded(&circuit, &job, inputs, seed));
                let label = format!("{protocol} {form:?} {preprocessing:?}");
                assert!(on(&a, Stream::On) != on(&b, Stream::On), "{label}: the inputs differ");
                let ahead = [&a, &b].map(|messages| on(messages, Stream::Pre));
                // P0 deals too in two variants of Quad; it lags besides.
                let deals = |from: PartyId| from == role || protocol.parties() == 4 && from.0 == 0;
                assert!(!ahead[0].is_empty() && ahead[0].keys().all(|(from, ..)| deals(*from)));
                let stored = preprocessing == Preprocessing::Separate;
                assert_eq!(ahead[0] == ahead[1], stored, "{label}");
            }
        }
    }
}

/// Protocols that are there to be compared with are in [`what_baselines_do_as_others`].
#[test]
fn a_seed_reproduces_a_run() {
    seeds_reproduce_runs(usual());
}

#[test]
#[ignore = "for protocols that are there to be compared with"]
fn what_baselines_do_as_others() {
    seeds_reproduce_runs(baselines());
    gates_that_use_few_products_often(baselines());
}

fn seeds_reproduce_runs(protocols: impl Iterator<Item = Protocol>) {
    let mut random = Random::new();
    let circuit = random_circuit(&mut random, 30);
    let widths = circuit.input_widths().to_vec();
    let inputs: Vec<Lanes> = widths.iter().map(|w| random_lanes(&mut random, *w, 3)).collect();
    for protocol in protocols {
        let owners = (0..3).map(|port| PartyId(port % protocol.parties() as u8)).collect();
        let mut job = Job::new(protocol, owners, vec![vec![PartyId(0)]; 3]);
        job.instances = 3;
        let [first, again, other] = [1, 1, 2].map(|seed| recorded(&circuit, &job, &inputs, seed));
        assert!(first == again, "{protocol}");
        // The baseline hides nothing, so it uses no randomness.
        assert_eq!(first == other, protocol == PLAIN, "{protocol}");
    }
}

/// The ahead role may not even look at its inputs before the online phase: it sends them late.
#[test]
fn inputs_of_the_ahead_role_leave_online() {
    let circuit = chain(20);
    for protocol in [TRIO, ASTRA, MULTI_FAN_IN] {
        let ahead = PartyId(protocol.ahead().unwrap() as u8);
        let mut job = Job::new(protocol, vec![ahead, ahead], vec![vec![ahead]]);
        job.options.preprocessing = Preprocessing::Separate;
        let inputs = [Lanes::from_bits(vec![vec![1]], 1), Lanes::from_bits(vec![vec![0]], 1)];
        let network = MemoryNetwork::default();
        for result in run(&circuit, &job, &inputs, &network, entropy::test_seed()) {
            let report = result.unwrap().report;
            let late =
                report.cost.links.iter().filter(|l| l.from == ahead.0 && l.stream == "online");
            assert_eq!(
                late.map(|l| l.bytes).sum::<u64>(),
                2 * 2 * 8,
                "{protocol}: both inputs, both peers"
            );
        }
    }
}

/// Gates with more outputs than products, which no protocol but multi-fan-in keeps whole. Protocols that are there to be
/// compared with are in [`what_baselines_do_as_others`].
#[test]
fn gates_that_use_few_products_often_run_everywhere() {
    gates_that_use_few_products_often(usual());
}

fn gates_that_use_few_products_often(protocols: impl Iterator<Item = Protocol>) {
    let mut builder = Builder::new();
    let wires = builder.input(3);
    let few = Poly::new(3, vec![vec![3], vec![3, 1], vec![3, 2], vec![3, 4], vec![3, 5, 1]]);
    let first = builder.poly(&wires, few);
    let sums = Poly::new(3, vec![vec![3, 5, 6], vec![3, 1, 0]]);
    let second = builder.poly(&first[1..4], sums);
    builder.output(&first);
    builder.output(&second);
    let circuit = builder.finish();
    let mut random = Random::new();
    let inputs = [random_lanes(&mut random, 3, 70)];
    for protocol in protocols {
        for preprocessing in [Preprocessing::Interleaved, Preprocessing::Separate] {
            let everybody: Vec<PartyId> = PartyId::all(protocol.parties()).collect();
            let mut job = Job::new(protocol, vec![PartyId(0)], vec![everybody; 2]);
            job.instances = 70;
            job.options.preprocessing = preprocessing;
            let label = format!("{protocol} {preprocessing:?}");
            check(&circuit, &job, &inputs, random.next(), &label);
        }
    }
}

#[test]
fn a_session_runs_several_jobs_and_meters_each_alone() {
    let circuit = chain(5);
    let job = Job::new(TRIO, vec![PartyId(1); 2], vec![vec![PartyId(1)]]);
    let seed = entropy::test_seed();
    memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let compiled = Compiled::new(&circuit, job.clone()).unwrap();
        for _ in 0..3 {
            let mine = session.me() == PartyId(1);
            let values = (0..2).map(|_| mine.then(|| Lanes::from_bits(vec![vec![1]], 1))).collect();
            let result = evaluate_with(&mut session, &compiled, values, &mut entropy, &|_| {});
            let report = result.unwrap().report;
            for link in report.cost.links {
                assert_eq!(link.bytes, link.predicted_bytes);
            }
        }
        session.finish().unwrap();
    });
}

#[test]
fn absurd_instance_counts_of_a_peer_are_refused_by_all() {
    let circuit = chain(3);
    for absurd in [1 << 40, 1 << 60, u64::MAX] {
        let errors = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let mut job = Job::new(TRIO, vec![PartyId(0); 2], vec![vec![PartyId(0)]]);
            let agreed = if session.me() == PartyId(2) {
                let mut facts = job.facts(&circuit);
                facts.retain(|(name, _)| *name != "instances");
                facts.insert(0, ("command", "run".into()));
                session.agree(&facts).unwrap();
                session.publish(&absurd.to_le_bytes()).map(|_| 1).map_err(EvaluateError::from)
            } else {
                agree_instances(&mut session, &circuit, &job, Consent::as_others(&circuit))
            };
            let result = agreed.and_then(|instances| {
                job.instances = instances;
                if session.me() == PartyId(2) { Ok(()) } else { job.check(&circuit) }
            });
            (session.me(), result.is_err())
        });
        for (party, refused) in errors {
            assert!(refused || party == PartyId(2), "party {} accepts {absurd}", party.0);
        }
    }
}
