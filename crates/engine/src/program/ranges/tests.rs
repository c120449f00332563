//! An owner that shares numbers outside their declared ranges, and honest owners at the ends of theirs.
//!
//! The cheat follows the protocol in everything, but leaves out the check of its own inputs.

use super::super::job::{By, ProgramJob};
use super::super::report::Outcome;
use super::super::run::{run_with, with_checked};
use super::super::{CompiledProgram, Garbling, garbled::Source};
use crate::circuit::{EvaluateError, Preprocessing};
use crate::protocols::{self, AUTHENTICATED, LIFT, POST, QUAD, QUAD_HET, WRK17};
use std::collections::BTreeMap;
use std::sync::Arc;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{AbortKind, NetError, PartyId, Session};
use tacit_program::clear::Array;
use tacit_program::{Element, Program, text};
use tacit_ring::{Entropy, entropy};
use tacit_sharing::Protocol;

type Inputs = BTreeMap<String, Array>;
type Outcomes = Vec<Result<Outcome, EvaluateError>>;

/// Who gives what, and who leaves out the check of its own.
struct Case<'c> {
    source: &'c str,
    job: ProgramJob,
    given: Vec<Inputs>,
    cheat: Option<u8>,
}

fn numbers(values: &[i128]) -> Array {
    Array::from_values(Element::int(64), vec![values.len()], values.iter().copied()).unwrap()
}

fn input(name: &str, values: &[i128]) -> Inputs {
    BTreeMap::from([(name.to_owned(), numbers(values))])
}

impl Case<'_> {
    fn run(&self) -> Outcomes {
        let program = text::parse("test.tacit", self.source).unwrap();
        let seed = entropy::test_seed();
        memory::run(
            self.given.len(),
            self.job.threads(),
            &MemoryNetwork::default(),
            |mut session| {
                let me = session.me();
                let prepared = CompiledProgram::new(&program, self.job.clone())?;
                let mut entropy = Entropy::insecure_seeded(seed, me.0);
                let given = self.given[me.index()].clone();
                let outcome = match self.cheat == Some(me.0) {
                    true => unchecked(&mut session, &prepared, given, &mut entropy),
                    false => {
                        let given = typed(&program, given);
                        run_with(&mut session, &prepared, given, &mut entropy, &|_| {})
                    }
                }?;
                session.finish()?;
                Ok(outcome)
            },
        )
    }

    /// The one result, at the party that learns it.
    fn learned(&self, party: usize) -> Vec<i128> {
        let mut outcomes = self.run();
        let outcome =
            outcomes.swap_remove(party).unwrap_or_else(|e| panic!("{}: {e}", self.label()));
        let report = &outcome.report;
        for link in &report.cost.links {
            assert_eq!(link.bytes, link.predicted_bytes, "{}: {link:?}", self.label());
        }
        assert_eq!(report.cost.rounds, report.cost.predicted_rounds, "{}", self.label());
        outcome.revealed.unwrap().swap_remove(0).1.values().collect()
    }

    fn label(&self) -> String {
        format!("{} by {}", self.job.protocol(), self.job.by)
    }

    /// Every party ends with the cheat's misbehaviour, and nobody has a result.
    fn is_caught(&self, cheat: usize, name: &str) {
        let (label, outcomes) = (self.label(), self.run());
        let mut named = false;
        for (party, outcome) in outcomes.iter().enumerate() {
            match outcome {
                Err(EvaluateError::Misbehaviour { party: by, what }) => {
                    assert_eq!(*by, cheat, "{label}: {what}");
                    assert!(what.contains("range check") && what.contains(name), "{label}: {what}");
                    named = true;
                }
                // Told by a party that has seen it already.
                Err(EvaluateError::Net(NetError::PeerAborted { kind, reason, .. })) => {
                    assert_eq!(*kind, AbortKind::Misbehaviour, "{label}: {reason}");
                    assert!(reason.contains("range check"), "{label}: {reason}");
                }
                Err(error) => panic!("{label}: party {party}: {error}"),
                Ok(_) => panic!("{label}: party {party} has a result"),
            }
        }
        assert!(named, "{label}: nobody names the cheat");
    }
}

/// Converts the numbers to elements of the inputs' types: what parties that do not cheat give.
fn typed(program: &Program, given: Inputs) -> Inputs {
    let inputs = program.inputs().filter_map(|(id, name, _)| {
        let (array, ty) = (given.get(name)?, &program.body.nodes[id as usize].types[0]);
        let array = Array::from_values(ty.element, array.shape().to_vec(), array.values());
        Some((name.to_owned(), array.unwrap()))
    });
    inputs.collect()
}

/// Runs a party that shares its inputs whatever they are.
fn unchecked(
    session: &mut Session,
    prepared: &CompiledProgram,
    given: Inputs,
    entropy: &mut Entropy,
) -> Result<Outcome, EvaluateError> {
    let inputs = given.into_iter().map(|(name, array)| (name, Arc::new(array))).collect();
    with_checked(session, prepared, &inputs, Source::Made(entropy), (None, &|_| {}))
}

/// A job for three parties, whichever roles they have.
fn job(protocol: Protocol, by: By, rows: u64) -> ProgramJob {
    ProgramJob {
        by,
        chunk_rows: 64,
        ..ProgramJob::new(protocol, PartyId::all(3).collect(), vec![rows])
    }
}

fn in_all(protocol: Protocol, mut given: Vec<Inputs>) -> Vec<Inputs> {
    given.resize(protocol.parties().max(3), Inputs::new());
    given
}

/// Eligible from a product on; where a factor's range is a power of two, and where it is not.
const CREDIT: [&str; 2] = [
    "program credit\nparties alice, bob, carol\nrows n <= 1000\n\
     input a: u8[n] from alice in 0..31\ninput b: u32[n] from bob in 0..1000000\n\
     reveal a * b >= 5000000 to alice as \"eligible\"\n",
    "program credit\nparties alice, bob, carol\nrows n <= 1000\n\
     input a: u8[n] from alice in 0..30\ninput b: u32[n] from bob in 0..1000000\n\
     reveal a * b >= 5000000 to alice as \"eligible\"\n",
];
const INCOME: i128 = 123_456;

/// The shift of each row: a comparison of 26 bits reads bit 25.
const SHIFTS: std::ops::RangeInclusive<u32> = 6..=25;

/// Bit by bit, the number whose comparisons these are.
fn read(eligible: &[i128]) -> i128 {
    let mut known = 0i128;
    for (row, shift) in SHIFTS.rev().enumerate() {
        let below = |number: i128| ((number << shift) - 5_000_000) >> 25 & 1 == 1;
        let with = known | 1 << row;
        if below(with) != (eligible[row] == 1) {
            known = with;
        }
    }
    known
}

fn credit(job: ProgramJob, source: &'static str) -> Case<'static> {
    let powers: Vec<i128> = SHIFTS.rev().map(|shift| 1 << shift).collect();
    let given = vec![input("a", &powers), input("b", &vec![INCOME; powers.len()])];
    Case { source, given: in_all(job.protocol(), given), job, cheat: Some(0) }
}

/// Twenty products with powers of two read another party's number, unless ranges are tested.
#[test]
fn an_owner_that_shares_powers_of_two_reads_a_number_only_where_ranges_are_not_tested() {
    for protocol in [LIFT, POST, QUAD] {
        for workers in [1, 2] {
            let rows = SHIFTS.count() as u64;
            let job = job(protocol, By::Rings, rows).with(|it| it.workers = workers);
            for source in CREDIT {
                let open = credit(ProgramJob { range_check: false, ..job.clone() }, source);
                assert_eq!(read(&open.learned(0)), INCOME, "{protocol}");
            }
            credit(job.clone(), CREDIT[1]).is_caught(0, "`a`");
            match protocol {
                // It takes five bits, which hold nothing of powers of two from 32 on.
                it if it == QUAD => {
                    assert!(credit(job, CREDIT[0]).learned(0).iter().all(|bit| *bit == 0));
                }
                _ => credit(job, CREDIT[0]).is_caught(0, "`a`"),
            }
        }
    }
}

/// A sum that reaches past its declared range puts the threshold where the cheat wants it.
const SUM: &str = "program sum\nparties alice, bob, carol\nrows n <= 1000\n\
    input a: u8[n] from alice in 0..30\ninput b: u32[n] from bob in 0..1000000\n\
    reveal a + b >= 1000000 to alice as \"eligible\"\n";

fn sum(job: ProgramJob, a: &[i128]) -> Case<'static> {
    let given = vec![input("a", a), input("b", &vec![INCOME; a.len()])];
    Case { source: SUM, given: in_all(job.protocol(), given), job, cheat: Some(0) }
}

fn by_circuits() -> Vec<ProgramJob> {
    let streamed =
        ProgramJob { block_ands: Some(40), ..job(AUTHENTICATED.fitting(3), By::Circuits, 2) }
            .with(|it| it.garbling = Garbling::Streamed);
    let protocols = [LIFT, QUAD, AUTHENTICATED.fitting(3), WRK17.fitting(3)];
    let mut jobs = Vec::from(protocols.map(|protocol| job(protocol, By::Circuits, 2)));
    let separate =
        |job: &ProgramJob| job.clone().with(|it| it.preprocessing = Preprocessing::Separate);
    jobs.extend([separate(&jobs[0]), separate(&jobs[2]), streamed]);
    jobs
}

#[test]
fn by_circuits_only_what_the_bits_hold_beyond_a_range_can_be_shared() {
    for job in by_circuits() {
        let below = |at: i128| 1_000_000 - at;
        let open = sum(
            ProgramJob { range_check: false, ..job.clone() },
            &[below(123_456), below(123_457)],
        );
        assert_eq!(open.learned(0), [1, 0], "{}", open.label());
        // Five bits hold 31, and of larger numbers what is left.
        sum(job.clone(), &[0, 31]).is_caught(0, "`a`");
        assert_eq!(sum(job.clone(), &[32, 64]).learned(0), [0, 0], "{}", job.protocol());
    }
}

#[test]
fn a_value_beyond_either_end_of_a_range_is_noticed_wherever_it_is() {
    let source = "program ends\nparties alice, bob, carol\nrows n <= 1000\n\
        input x: i32[n] from bob in -5..1000000\ninput y: i32[n] from carol in -2147483648..7\n\
        input z: fixed(32,8) from alice in -1.5..1.5\ninput k: u8[2, 3] from alice in 1..1\n\
        reveal sum(x, axis 0) to alice as \"x\"\nreveal sum(y, axis 0) to alice as \"y\"\n\
        reveal z + to_fixed(sum(sum(k, axis 0), axis 0), fraction 8) to alice as \"z\"\n";
    let n = 200;
    let honest = |name: &str| match name {
        "x" => (numbers(&[vec![-5; n - 1], vec![1_000_000]].concat()), 1),
        "y" => (numbers(&[vec![i128::from(i32::MIN); n - 1], vec![7]].concat()), 2),
        "z" => (Array::scalar(Element::int(64), -384).unwrap(), 0),
        _ => (Array::from_values(Element::int(64), vec![2, 3], [1; 6]).unwrap(), 0),
    };
    let cheats: [(&str, usize, i128); 8] = [
        ("x", 0, -6),
        ("x", n - 1, 1_000_001),
        ("x", 64, i128::from(i32::MIN)),
        ("y", 70, 8),
        ("y", n - 1, i128::from(i32::MAX)),
        ("z", 0, 385),
        ("k", 5, 0),
        ("k", 3, 2),
    ];
    for (number, (name, place, value)) in cheats.into_iter().enumerate() {
        for (protocol, by) in [(LIFT, By::Rings), (QUAD_HET, By::Circuits)] {
            // The bits that hold the range hold zero of it.
            if by == By::Circuits && (name, value) == ("x", i128::from(i32::MIN)) {
                continue;
            }
            let mut given = in_all(protocol, Vec::new());
            for name in ["x", "y", "z", "k"] {
                let (array, party) = honest(name);
                given[party].insert(name.into(), array);
            }
            let party = honest(name).1;
            let array = &given[party][name];
            let mut values: Vec<i128> = array.values().collect();
            values[place] = value;
            let bad = Array::from_values(Element::int(64), array.shape().to_vec(), values).unwrap();
            given[party].insert(name.into(), bad);
            let job = job(protocol, by, n as u64).with(|it| it.workers = 1 + number % 2);
            let case = Case { source, job, given, cheat: Some(party as u8) };
            case.is_caught(party, &format!("`{name}`"));
        }
    }
}

#[test]
fn inputs_of_parties_outside_are_tested() {
    let source = "program outside\nparties alice, bob, carol, dave\nrows n <= 1000\n\
        input a: u8[n] from dave in 0..30\ninput b: u32[n] from bob in 0..1000000\n\
        reveal a * b >= 5000000 to alice as \"eligible\"\n";
    for (protocol, by) in [(LIFT, By::Rings), (POST, By::Circuits)] {
        let job = |range_check| ProgramJob {
            by,
            range_check,
            ..ProgramJob::new(protocol, PartyId::all(4).collect(), vec![2])
        };
        let given = |a| vec![Inputs::new(), input("b", &[INCOME; 2]), Inputs::new(), input("a", a)];
        let case = |a, range_check| Case {
            source,
            job: job(range_check),
            given: given(a),
            cheat: Some(3),
        };
        assert_eq!(case(&[0, 30], true).learned(0), [0, 0]);
        assert_eq!(case(&[0, 31], false).learned(0), [0, 0]);
        case(&[0, 31], true).is_caught(3, "`a`");
    }
}

#[test]
fn parties_that_differ_in_whether_ranges_are_tested_do_not_begin() {
    let program = text::parse("test.tacit", SUM).unwrap();
    let results = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        let job = ProgramJob { range_check: me.0 != 2, ..job(LIFT, By::Rings, 1) };
        let prepared = CompiledProgram::new(&program, job)?;
        let name = if me.0 == 0 { "a" } else { "b" };
        let given = if me.0 < 2 { input(name, &[1]) } else { Inputs::new() };
        let inputs = given.into_iter().map(|(name, array)| (name, Arc::new(array))).collect();
        let mut entropy = Entropy::insecure_seeded(1, me.0);
        with_checked(&mut session, &prepared, &inputs, Source::Made(&mut entropy), (None, &|_| {}))
    });
    for result in results {
        let error = result.err().expect("an error").to_string();
        assert!(error.contains("declared ranges of inputs"), "{error}");
    }
}

/// Nothing beyond such a range can be shared, and it takes less than to test numbers.
#[test]
fn narrow_powers_of_two_are_shared_by_bits_where_that_takes_less() {
    let source = "program narrow\nparties alice, bob, carol\nrows n <= 1000\n\
        input a: u8[n] from alice in 5..6\ninput b: u32[n] from alice in 0..1048575\n\
        reveal a + b to carol as \"sum\"\n";
    let program = text::parse("test.tacit", source).unwrap();
    for protocol in [LIFT, QUAD] {
        let job = job(protocol, By::Rings, 3);
        let many = ProgramJob { rows: vec![1000], ..job.clone() };
        let mut prepared = CompiledProgram::new(&program, many).unwrap();
        let inputs: Vec<(u32, &str)> =
            prepared.program.inputs().map(|(id, name, _)| (id, name)).collect();
        let bits = |wanted: &str| {
            let (id, _) = inputs.iter().find(|(_, name)| *name == wanted).unwrap();
            prepared.by_bits.get(id).copied()
        };
        assert_eq!([bits("a"), bits("b")], [Some(1), None], "{protocol}");
        let cost = prepared.cost().unwrap();
        prepared.by_bits.clear();
        assert!(cost.bytes.total() < prepared.cost().unwrap().bytes.total(), "{protocol}");
        // Of what a cheat gives the lowest bit of the distance from 5 counts.
        let given = BTreeMap::from([
            ("a".to_owned(), numbers(&[5, 6, 1 << 30])),
            ("b".to_owned(), numbers(&[0, 1_048_575, 0])),
        ]);
        let case = Case { source, given: in_all(protocol, vec![given]), job, cheat: Some(0) };
        assert_eq!(case.learned(2), [5, 1_048_581, 6], "{protocol}");
    }
}

/// Under every protocol that notices cheats: honest owners at the ends of their ranges, and a cheat beyond one.
#[test]
fn honest_owners_at_the_ends_of_their_ranges_are_never_accused() {
    let all = protocols::all().map(|protocol| protocol.fitting(3));
    for (number, protocol) in all.filter(|protocol| protocol.is_malicious()).enumerate() {
        for by in [By::Rings, By::Circuits] {
            if by == By::Rings && !protocol.has_rings() {
                continue;
            }
            let job = job(protocol, by, 2).with(|it| it.workers = 1 + number % 2);
            ends(job.clone());
            // And one that is not honest is.
            sum(job, &[0, 31]).is_caught(0, "`a`");
        }
    }
}

/// Declared types and ranges, each an input of two rows: the least and the greatest value.
const RANGES: [(&str, i128, i128); 14] = [
    ("i8", -128, 127),
    ("u8", 0, 255),
    ("u8", 3, 200),
    ("i16", -7, 8),
    ("i32", -2_147_483_648, 2_147_483_647),
    ("i32", -2_147_483_648, 5),
    ("u32", 0, 4_294_967_295),
    ("u32", 0, 65_535),
    ("i64", -9_223_372_036_854_775_808, 9_223_372_036_854_775_807),
    ("u64", 0, 18_446_744_073_709_551_615),
    ("i64", -100, -1),
    ("u32", 0, 1),
    ("i16", -6, 9),
    ("bit", 0, 1),
];

fn ends(job: ProgramJob) {
    let mut source = String::from("program ends\nparties alice, bob, carol\nrows n <= 9\n");
    let mut given = in_all(job.protocol(), Vec::new());
    for (number, (element, low, high)) in RANGES.into_iter().enumerate() {
        let (owner, name) = (number % 3, format!("x{number}"));
        let party = ["alice", "bob", "carol"][owner];
        let range = if element == "bit" { String::new() } else { format!(" in {low}..{high}") };
        source +=
            &format!("input {name}: {element}[n] from {party}{range}\nreveal {name} to alice\n");
        let element = match element {
            "bit" => Element::Bit,
            _ => Element::Int {
                bits: element[1..].parse().unwrap(),
                signed: element.starts_with('i'),
            },
        };
        let array = Array::from_values(element, vec![2], [low, high]).unwrap();
        given[owner].insert(name, array);
    }
    let case = Case { source: &source, job, given, cheat: None };
    let mut outcomes = case.run();
    let outcome = outcomes.swap_remove(0).unwrap_or_else(|e| panic!("{}: {e}", case.label()));
    for link in &outcome.report.cost.links {
        assert_eq!(link.bytes, link.predicted_bytes, "{}: {link:?}", case.label());
    }
    assert_eq!(
        outcome.report.cost.rounds,
        outcome.report.cost.predicted_rounds,
        "{}",
        case.label()
    );
    for ((name, found), (_, low, high)) in outcome.revealed.unwrap().iter().zip(RANGES) {
        assert_eq!(found.values().collect::<Vec<_>>(), [low, high], "{}: {name}", case.label());
    }
}
