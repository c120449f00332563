//! Random queries under protocols of each kind: what their programs show is what the oracle of plans says.

use tacit::{LocalParties, Program, protocols};
use tacit_protocol::Protocol;
use tacit_query::clear;
use tacit_query::lower::lower;
use tacit_query::random;
use tacit_query::sql::{self, Settings};

/// Protocols, and how many parties compute under them.
const PROTOCOLS: [(Protocol, usize); 6] = [
    (protocols::TRIO, 3),
    (protocols::REPLICATED, 3),
    (protocols::LIFT, 3),
    (protocols::QUAD, 4),
    (protocols::GMW, 3),
    (protocols::YAO_THREE, 3),
];

fn check(seed: u64, (protocol, parties): (Protocol, usize)) {
    let mut case = random::case(seed);
    let names = ["alice", "bob", "carol", "dave"];
    case.catalog.others = names[..parties].iter().map(ToString::to_string).collect();
    let to = vec!["alice".to_owned()];
    let settings = Settings { to, max_rows: Some(60), ..Settings::default() };
    let query = sql::bind("random.sql", &case.sql, &case.catalog, &settings).expect("a query");
    let lowered = lower(&query, &case.catalog).expect("a program");
    let program = Program::from(lowered.program);
    let mut parties = LocalParties::new(&program, protocol);
    for (name, raw) in random::inputs(&program, &case.catalog, &case.tables) {
        let input = program.inputs().find(|(_, known, _)| *known == name).map(|(node, ..)| node);
        parties = match program.meaning(input.expect("an input")).decimals() {
            0 => {
                let raw = raw.iter().map(|raw| i64::try_from(*raw).expect("64 bits"));
                parties.input(&name, &raw.collect::<Vec<i64>>())
            }
            digits => {
                let unit = 10f64.powi(i32::from(digits));
                parties
                    .input(&name, &raw.iter().map(|raw| *raw as f64 / unit).collect::<Vec<f64>>())
            }
        };
    }
    let outcome = parties
        .run()
        .unwrap_or_else(|error| panic!("seed {seed} under {protocol}: {error}\n{}", case.sql));
    let result = |name: &str| outcome.get(name).map(|value| value.raw().collect());
    let answer = lowered.shown.answer(result).expect("an answer");
    let expected = clear::evaluate(&query, &case.catalog, &case.tables).expect("an answer");
    assert_eq!(answer.rows.rows, expected.rows.rows, "seed {seed} under {protocol}\n{}", case.sql);
    assert_eq!(answer.truncated, expected.truncated, "seed {seed} under {protocol}");
}

#[test]
fn queries_show_the_same_under_protocols_of_each_kind() {
    for (seed, protocol) in (0..18).zip(PROTOCOLS.iter().cycle()) {
        check(seed, *protocol);
    }
}

/// Minutes long: part of `make test-all`.
#[test]
#[ignore = "minutes long"]
fn many_queries_show_the_same_under_six_protocols() {
    for seed in 0..300 {
        PROTOCOLS.iter().for_each(|protocol| check(seed, *protocol));
    }
}
