//! GMW with ANDs of up to four inputs in one round, beside GMW with two, on circuits of the library.

use std::time::Duration;
use tacit_circuit::library::{self, FanIn, Params};
use tacit_circuit::{Builder, Circuit};
use tacit_engine::circuit::{
    Compiled, EvaluateError, Evaluation, Job, Preprocessing, Report, evaluate_with, predict,
};
use tacit_engine::protocols::{GMW, GMW_WIDE};
use tacit_engine::values::Lanes;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{LinkProfile, PartyId};
use tacit_ring::Entropy;
use tacit_ring::entropy::{Rng, test_seed};
use tacit_sharing::Protocol;

const INSTANCES: usize = 130;

fn built(name: &str, params: Params) -> Circuit {
    library::build(name, &params).unwrap()
}

fn random_lanes(rng: &mut Rng, width: u32) -> Lanes {
    let words = INSTANCES.div_ceil(64);
    Lanes::from_bits((0..width).map(|_| rng.words(words)).collect(), INSTANCES)
}

/// Runs a circuit on random inputs of the parties in turn, all of whom learn the outputs, and checks those and the
/// price: what each party reports.
fn run(circuit: &Circuit, job: &Job, network: &MemoryNetwork) -> Vec<Report> {
    let (seed, protocol) = (test_seed(), job.protocol());
    let mut rng = Rng(seed);
    let inputs: Vec<Lanes> =
        circuit.input_widths().iter().map(|width| random_lanes(&mut rng, *width)).collect();
    let predicted = predict(&Compiled::new(circuit, job.clone()).unwrap());
    let results = memory::run(protocol.parties(), job.threads(), network, |mut session| {
        let compiled = Compiled::new(circuit, job.clone())?;
        let owned = job.owners.iter().zip(&inputs);
        let values =
            owned.map(|(owner, lanes)| (*owner == session.me()).then(|| lanes.clone())).collect();
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let evaluation = evaluate_with(&mut session, &compiled, values, &mut entropy, &|_| {})?;
        session.finish()?;
        Ok::<Evaluation, EvaluateError>(evaluation)
    });
    let check = |result: Result<Evaluation, EvaluateError>| {
        let Evaluation { outputs, report, .. } = result.unwrap();
        for word in 0..INSTANCES.div_ceil(64) {
            let bits = |lanes: &Lanes| lanes.bits().iter().map(|b| b[word]).collect::<Vec<u64>>();
            let given: Vec<u64> = inputs.iter().flat_map(bits).collect();
            let got: Vec<u64> = outputs.iter().flatten().flat_map(bits).collect();
            // Lanes beyond the last are none.
            let last = 64 * word + 64 > INSTANCES;
            let lanes = if last { (1u64 << (INSTANCES % 64)) - 1 } else { u64::MAX };
            let want = circuit.eval_lanes(&given).into_iter().map(|bits| bits & lanes);
            assert!(got.into_iter().map(|bits| bits & lanes).eq(want), "{protocol}");
        }
        for link in &report.cost.links {
            assert_eq!(link.bytes, link.predicted_bytes, "{protocol} {link:?}");
        }
        assert_eq!(report.cost.total_bytes(), predicted.bytes.total(), "{protocol}");
        assert_eq!(report.cost.rounds, report.cost.predicted_rounds, "{protocol}");
        report
    };
    results.into_iter().map(check).collect()
}

fn job(circuit: &Circuit, protocol: Protocol) -> Job {
    let parties = protocol.parties();
    let owners = (0..circuit.input_widths().len()).map(|port| PartyId((port % parties) as u8));
    let all: Vec<PartyId> = PartyId::all(parties).collect();
    let receivers = vec![all; circuit.output_ports().len()];
    Job { instances: INSTANCES, ..Job::new(protocol, owners.collect(), receivers) }
}

fn and_tree(width: usize, fan_in: FanIn) -> Circuit {
    let mut b = Builder::new();
    let x = b.input(width as u32);
    let all = library::and_tree::cheapest(&mut b, &x, fan_in);
    b.output(&[all]);
    b.finish()
}

/// Circuits of the library with gates of four inputs, and their levels under `gmw-wide`; and the same function
/// with gates of two.
fn circuits() -> Vec<(Circuit, u64, Circuit)> {
    let of = |name: &str, width: usize| {
        [FanIn::FOUR, FanIn::TWO]
            .map(|fan_in| built(name, Params::new().width(width).fan_in(fan_in)))
    };
    let aes = |sbox: &str| {
        let mut params = Params::new();
        params.set("sbox", sbox).unwrap();
        built("aes", params)
    };
    let ([add, add_two], [compare, compare_two]) = (of("add", 64), of("compare", 64));
    vec![
        (and_tree(64, FanIn::FOUR), 3, and_tree(64, FanIn::TWO)),
        (add, 3, add_two),
        (compare, 4, compare_two),
        (aes("d2"), 20, aes("d4")),
    ]
}

/// Half the levels, for two parties: an input round, and one for each. More parties are in
/// [`rounds_are_halved_for_more_parties`].
#[test]
fn rounds_are_halved_on_circuits_of_the_library() {
    rounds_are_halved(&[2]);
}

#[test]
#[ignore = "half a minute: transfers between every two of three and five parties"]
fn rounds_are_halved_for_more_parties() {
    rounds_are_halved(&[3, 5]);
}

fn rounds_are_halved(numbers: &[usize]) {
    let network = MemoryNetwork::default();
    for (wide, levels, narrow) in circuits() {
        for &parties in numbers {
            let rounds = |circuit: &Circuit, protocol: Protocol| {
                let mut job = job(circuit, protocol);
                job.options.workers = 1 + parties % 2;
                let reports = run(circuit, &job, &network);
                reports.into_iter().map(|report| report.cost.rounds).max().unwrap()
            };
            // The owner of a single input port does not wait for it; another party does.
            assert_eq!(rounds(&wide, GMW_WIDE.fitting(parties)), 1 + levels);
            let two = rounds(&narrow, GMW.fitting(parties));
            assert!(
                two > 3 * levels / 2,
                "{two} rounds with gates of two, {levels} levels with four"
            );
            // Without wide gates both are the same.
            assert_eq!(rounds(&narrow, GMW_WIDE.fitting(parties)), two);
        }
    }
}

/// Seconds ahead and online of a job, at the slowest party.
fn seconds(circuit: &Circuit, protocol: Protocol, network: &MemoryNetwork) -> [f64; 2] {
    let job = job(circuit, protocol).with(|it| it.preprocessing = Preprocessing::Separate);
    let reports = run(circuit, &job, network);
    let slowest = |f: fn(&Report) -> f64| reports.iter().map(f).fold(0.0, f64::max);
    [slowest(|report| report.cost.offline_seconds), slowest(|report| report.cost.online_seconds)]
}

fn network(delay_ms: u64, bits_per_second: Option<u64>) -> MemoryNetwork {
    let default_link = LinkProfile { delay: Duration::from_millis(delay_ms), bits_per_second };
    MemoryNetwork { default_link, ..MemoryNetwork::default() }
}

/// Ahead a circuit takes two latencies, and four with wide gates; online one for inputs and one for each level.
#[test]
fn what_goes_ahead_takes_four_latencies_and_a_level_takes_one() {
    let (wide, narrow) = (and_tree(64, FanIn::FOUR), and_tree(64, FanIn::TWO));
    let network = network(100, None);
    let about = |seconds: [f64; 2], latencies: [f64; 2]| {
        let near = |(s, l): (f64, f64)| (s - 0.1 * l).abs() < 0.01;
        assert!(seconds.into_iter().zip(latencies).all(near), "{seconds:?}: {latencies:?}");
    };
    about(seconds(&wide, GMW_WIDE.fitting(2), &network), [4.0, 1.0 + 3.0]);
    about(seconds(&narrow, GMW_WIDE.fitting(2), &network), [2.0, 1.0 + 6.0]);
    about(seconds(&narrow, GMW.fitting(2), &network), [2.0, 1.0 + 6.0]);
}

/// Where latency is long it pays; where it is short and links are narrow, products ahead cost more than levels.
#[test]
fn it_pays_where_latency_does() {
    let (wide, narrow) = (and_tree(256, FanIn::FOUR), and_tree(256, FanIn::TWO));
    let total = |circuit: &Circuit, protocol: Protocol, network: &MemoryNetwork| -> f64 {
        seconds(circuit, protocol, network).iter().sum()
    };
    let far = network(100, Some(1_000_000_000));
    let near = network(1, Some(10_000_000));
    let by = |network: &MemoryNetwork| {
        let four = total(&wide, GMW_WIDE.fitting(2), network);
        four / total(&narrow, GMW.fitting(2), network)
    };
    assert!(by(&far) < 0.9, "{}", by(&far));
    assert!(by(&near) > 1.1, "{}", by(&near));
}
