//! What the parties of a query learn beside its answer: nothing. Whatever the values are, where there are as many rows every party sends and
//! receives messages of the same lengths, in the same steps, and as many words open as the query's program says.
//!
//! Tables are short. Under protocols with checks they are sorted by networks, then, and not by shuffles, whose traffic is compared with
//! what was predicted from the numbers of rows alone in the tests of the engine.

mod opened;
mod queries;
mod tables;

use queries::QUERIES;
use std::collections::BTreeMap;
use std::sync::Mutex;
use tables::{TABLES, Values, tables};
use tacit_engine::program::{self, By, CompiledProgram, ProgramJob};
use tacit_engine::protocols::{GMW, LIFT, QUAD, TRIO, YAO};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_program::bounds;
use tacit_program::clear::Array;
use tacit_program::seal::seal;
use tacit_query::lower::{Lowered, lower};
use tacit_query::{Answer, Catalog, Query, clear, random, sql};
use tacit_ring::{Entropy, entropy};
use tacit_sharing::Protocol;
use tacit_testkit::Transcript;

/// What is the same for all values.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    /// Messages of all links.
    sizes: String,
    /// Rounds of every party.
    rounds: Vec<u64>,
    /// Bytes of what opened to each party that learns the answer, one after the other.
    opened: Vec<Vec<u64>>,
    /// How many values of each result every party learns.
    learned: Vec<Vec<(String, usize)>>,
}

/// A query that is to run under a protocol.
struct Case {
    label: String,
    catalog: Catalog,
    query: Query,
    lowered: Lowered,
    protocol: Protocol,
}

impl Case {
    fn new(protocol: Protocol, (name, text): (&str, &str)) -> Self {
        let label = format!("{name} under {protocol}");
        let parsed = sql::parse("query.sql", &format!("{TABLES}{text};"));
        let (catalog, query) = parsed.unwrap_or_else(|error| panic!("{label}: {error}"));
        let lowered = lower(&query, &catalog).unwrap_or_else(|error| panic!("{label}: {error}"));
        Case { label, catalog, query, lowered, protocol }
    }

    /// Runs it on tables, which give the right answer, and says what was seen.
    fn run(&self, values: Values) -> Seen {
        let Case { label, catalog, query, lowered, protocol } = self;
        let (tables, program) = (tables(catalog, values), &lowered.program);
        let of_table = |name: &str| catalog.tables.iter().position(|it| it.full_name() == name);
        let counts = program.dims.iter().map(|dim| tables[of_table(&dim.name).unwrap()].rows.len());
        let rows: Vec<u64> = counts.map(|count| count as u64).collect();
        let inputs = arrays(lowered, catalog, &tables);
        let job = ProgramJob {
            by: By::of(*protocol),
            ..ProgramJob::new(*protocol, PartyId::all(2).collect(), rows)
        };
        let (transcript, seed) = (Transcript::default(), entropy::test_seed());
        let expected = Mutex::new(Vec::new());
        let outcomes =
            memory::run(protocol.parties(), 1, &MemoryNetwork::default(), |mut session| {
                transcript.watch(&mut session);
                let me = session.me();
                let prepared = CompiledProgram::new(program, job.clone()).unwrap();
                if me == PartyId(0) && protocol.has_rings() {
                    let to = |party| opened::expected(prepared.program(), prepared.job(), party);
                    *expected.lock().unwrap() = PartyId::all(2).map(|party| to(party.0)).collect();
                }
                let own =
                    program.inputs().filter(|(.., party)| party.is_some_and(|it| it.0 == me.0));
                let own = own.map(|(_, name, _)| (name.to_owned(), inputs[name].clone())).collect();
                let mut entropy = Entropy::insecure_seeded(seed, me.0);
                let outcome =
                    program::run_with(&mut session, &prepared, own, &mut entropy, &|_| {});
                let outcome =
                    outcome.unwrap_or_else(|error| panic!("{label}, {values:?}: {error}"));
                session.finish().unwrap();
                (outcome.revealed.unwrap(), outcome.report.cost.rounds)
            });
        let right = clear::evaluate(query, catalog, &tables).expect("an answer");
        for (revealed, _) in &outcomes[..2] {
            let result = |name: &str| {
                let found = revealed.iter().find(|(other, _)| other == name);
                found.map(|(_, array)| array.values().collect())
            };
            let answer = lowered.shown.answer(result).expect("an answer");
            assert!(self.is_near(&answer, &right), "{label}, {values:?}: another answer");
        }
        let length = |(name, array): &(String, Array)| (name.clone(), array.values().count());
        let seen = Seen {
            sizes: transcript.sizes(),
            rounds: outcomes.iter().map(|(_, rounds)| *rounds).collect(),
            opened: PartyId::all(2).map(|party| transcript.opened_to(party)).collect(),
            learned: outcomes.iter().map(|(it, _)| it.iter().map(length).collect()).collect(),
        };
        let expected = expected.lock().unwrap();
        for (opened, expected) in seen.opened.iter().zip(&*expected) {
            let alike = expected.iter().any(|expected| {
                let mut pairs = opened.iter().zip(expected);
                opened.len() == expected.len() && pairs.all(|(bytes, it)| it.is_of(*bytes))
            });
            assert!(alike, "{label}: {opened:?} bytes open for {:?}", expected[0]);
        }
        seen
    }
}

impl Case {
    /// Whether an answer is the right one, where results in fixed point may be off by what rounding them does.
    fn is_near(&self, answer: &Answer, right: &Answer) -> bool {
        let sealed = seal(&self.lowered.program, |_| true);
        let limits: BTreeMap<&str, u128> = bounds::reveal_bounds(&sealed).into_iter().collect();
        let limits = || self.lowered.shown.columns.iter().map(|column| limits[&*column.result]);
        let near = |((a, b), limit): ((&Option<i128>, &Option<i128>), u128)| match (a, b) {
            (Some(a), Some(b)) => a.abs_diff(*b) <= limit,
            _ => a == b,
        };
        let pairs = || answer.rows.rows.iter().zip(&right.rows.rows);
        let same = answer.truncated == right.truncated;
        same && answer.rows.rows.len() == right.rows.rows.len()
            && pairs().all(|(a, b)| a.iter().zip(b).zip(limits()).all(near))
    }
}

/// What parties give, by name.
fn arrays(
    lowered: &Lowered,
    catalog: &Catalog,
    tables: &[tacit_query::Rows],
) -> BTreeMap<String, Array> {
    let program = &lowered.program;
    let types = program.inputs().map(|(node, ..)| &program.body.nodes[node as usize].types[0]);
    let given = random::inputs(program, catalog, tables).into_iter().zip(types);
    let arrays = given.map(|((name, values), ty)| {
        let array = Array::from_values(ty.element, vec![values.len()], values);
        (name, array.expect("values of their type"))
    });
    arrays.collect()
}

/// Queries on nothing but nulls, on rows that are all alike, and on random values: all is seen alike.
fn nothing_shows(protocol: Protocol, queries: &[(&str, &str)], others: &[Values]) {
    for named in queries {
        let case = Case::new(protocol, *named);
        let first = case.run(Values::Null);
        for values in others {
            assert_eq!(case.run(*values), first, "{}: {values:?}", case.label);
        }
    }
}

fn random() -> Values {
    Values::Random(entropy::test_seed())
}

/// Every fourth query, from one on.
fn some(first: usize) -> Vec<(&'static str, &'static str)> {
    QUERIES.into_iter().skip(first).step_by(4).collect()
}

#[test]
fn nothing_shows_under_trio() {
    nothing_shows(TRIO, &QUERIES, &[Values::Greatest, random()]);
}

#[test]
fn nothing_shows_under_lift() {
    nothing_shows(LIFT, &QUERIES, &[random()]);
}

#[test]
fn nothing_shows_under_quad() {
    nothing_shows(QUAD, &QUERIES, &[random()]);
}

/// All queries are in [`nothing_shows_of_two_parties_in_any_query`].
#[test]
fn nothing_shows_of_two_parties() {
    nothing_shows(GMW.fitting(2), &some(0), &[random()]);
    nothing_shows(YAO, &some(2), &[random()]);
}

#[test]
#[ignore = "half a minute: all queries"]
fn nothing_shows_of_two_parties_in_any_query() {
    for protocol in [GMW.fitting(2), YAO] {
        nothing_shows(protocol, &QUERIES, &[Values::Greatest, random()]);
    }
}
