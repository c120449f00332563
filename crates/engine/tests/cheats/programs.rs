//! A party that cheats in a program.

use crate::harness::{Class, LONG, cheat_at, checked, flip_first, flip_last, of_each_family};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tacit_backend::AT_ONCE;
use tacit_backend::convert::shuffle::least_rows;
use tacit_engine::circuit::{Assignment, EvaluateError, Preprocessing};
use tacit_engine::program::{self, By, CompiledProgram, ProgramJob, Revealed};
use tacit_engine::protocols::{
    self, AUTHENTICATED, BRAIN_BUCKETS, FANTASTIC_FOUR, GALOIS, LIFT, POST, QUAD, QUAD_A, QUAD_HET,
    TAGGED, TETRAD, WIDE_LIFT,
};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, PartyId, Phase};
use tacit_program::clear::Array;
use tacit_program::text;
use tacit_ring::Entropy;
use tacit_ring::entropy::{self, Rng};
use tacit_sharing::Protocol;

/// A product, a selection, a shift and a rounded product of numbers of three parties.
const PROGRAM: &str = "program cheat\nparties a, b, c\nrows n <= 100\n\
    input x: u8[n] from a\ninput y: u8[n] from b\ninput z: u8[n] from c\n\
    let p = sum(x * y, axis 0)\nlet q = sum(select(x < z, y, z), axis 0)\n\
    let r = sum(shift_right(x * z, by 3), axis 0)\n\
    let f = sum(to_fixed(y, fraction 8) * to_fixed(z, fraction 8), axis 0)\n\
    reveal p to a, b\nreveal q to c\nreveal r to a\nreveal f to b\n";

/// A product and a selection: by circuits all operations are alike.
const SHORT: &str = "program cheat\nparties a, b, c\nrows n <= 100\n\
    input x: u8[n] from a\ninput y: u8[n] from b\ninput z: u8[n] from c\n\
    let p = sum(x * y, axis 0)\nlet q = sum(select(x < z, y, z), axis 0)\n\
    reveal p to a, b\nreveal q to c\n";

/// A sort that moves numbers and bits by shuffles, which open places before anything else does.
const SORTED: &str = "program cheat\nparties a, b, c\nrows n <= 5000\n\
    input x: u8[n] from a\ninput y: u8[n] from b\ninput z: u8[n] from c\n\
    let (k, v, w) = sort(shift_right(x, by 5), y < z, z)\nreveal k to a\nreveal v to b\nreveal w to c\n";

/// One by comparisons of shuffled rows, whose results open before anything else does.
const COMPARED: &str = "program cheat\nparties a, b, c\nrows n <= 5000\n\
    input x: u16[n] from a\ninput y: u8[n] from b\ninput z: u8[n] from c\n\
    let (k, v, w) = sort(x, y < z, z)\nreveal k to a\nreveal v to b\nreveal w to c\n";

/// Quotients, rests and roots in rings: numbers in wider rings, powers of two by bits, truncations of all distances.
const DIVIDED: &str = "program cheat\nparties a, b, c\nrows n <= 100\n\
    input x: u8[n] from a\ninput y: u8[n] from b\ninput z: u8[n] from c\n\
    let q = sum(x * z / y, axis 0)\nlet r = sum((x - z) % (y - 9), axis 0)\nlet s = sum(sqrt(x * y), axis 0)\n\
    reveal q to a, b\nreveal r to c\nreveal s to a\n";

/// Approximations in rings: comparisons side by side, bits that choose numbers, and powers of numbers below one.
const APPROXIMATED: &str = "program cheat\nparties a, b, c\nrows n <= 100\n\
    input x: fixed(16,8)[n] from a in -6.0..6.0\ninput y: fixed(16,8)[n] from b in -6.0..6.0\n\
    let p = sum(sigmoid(x - y, bits 8), axis 0)\nlet q = sum(exp(x, bits 12), axis 0)\n\
    let r = sum(log(y, bits 8) + div(x, y, bits 12), axis 0)\n\
    reveal p to a, b\nreveal q to c\nreveal r to a\n";

/// How the program is computed.
#[derive(Clone, Copy, Debug)]
struct How {
    protocol: Protocol,
    by: By,
    preprocessing: Preprocessing,
    /// The second worker has the roles in another order.
    split: bool,
    /// It is garbled circuit by circuit, each of so many ANDs.
    block_ands: Option<usize>,
    /// The program, if it is another one.
    program: Option<&'static str>,
    rows: usize,
}

impl How {
    fn new(protocol: Protocol, by: By) -> Self {
        let preprocessing = Preprocessing::Interleaved;
        let (split, program) = (false, None);
        How { protocol, by, preprocessing, split, block_ands: None, program, rows: 70 }
    }

    fn job(self) -> ProgramJob {
        let How { protocol, by, preprocessing, split, block_ands, rows, .. } = self;
        let mut order: Vec<PartyId> = PartyId::all(protocol.parties()).collect();
        match order.len() {
            3 => order.rotate_left(1),
            _ => order.reverse(),
        }
        let other = split.then(|| Assignment::new(protocol, order));
        let parties = PartyId::all(3).collect();
        ProgramJob { by, block_ands, ..ProgramJob::new(protocol, parties, vec![rows as u64]) }.with(
            |it| {
                it.assignments.extend(other);
                it.workers = if split { 1 } else { 2 };
                it.preprocessing = preprocessing;
            },
        )
    }
}

/// As [`run`], of a program: by party its results, if it has any.
fn run_program(
    how: How,
    cheat: PartyId,
    tamper: impl Fn(usize) -> Tamper + Sync,
) -> Vec<Option<Revealed>> {
    let program = match how.by {
        By::Rings => how.program.unwrap_or(PROGRAM),
        By::Circuits => SHORT,
    };
    run_of(program, how, cheat, tamper).into_iter().map(Result::ok).collect()
}

/// The same of any program of these inputs: by party its results, or why it has none.
fn run_of(
    program: &str,
    how: How,
    cheat: PartyId,
    tamper: impl Fn(usize) -> Tamper + Sync,
) -> Vec<Result<Revealed, EvaluateError>> {
    let (program, seed) = (text::parse("cheat", program).unwrap(), entropy::test_seed());
    let job = how.job();
    let network = MemoryNetwork { deadline: LONG, ..MemoryNetwork::default() };
    memory::run(how.protocol.parties(), 2, &network, |mut session| {
        let me = session.me();
        for (worker, mesh) in session.meshes.iter_mut().enumerate().filter(|_| me == cheat) {
            mesh.set_tamper(tamper(worker));
        }
        let own = program.inputs().filter(|(_, _, party)| party.is_some_and(|p| p.0 == me.0));
        let inputs = own.map(|(id, name, _)| {
            let element = program.body.nodes[id as usize].types[0].element;
            let values = (0..how.rows as i128).map(|i| (i * 37 + i128::from(me.0)) % 256);
            (name.to_owned(), Array::from_values(element, vec![how.rows], values).unwrap())
        });
        let prepared = CompiledProgram::new(&program, job.clone()).unwrap();
        let mut entropy = Entropy::insecure_seeded(seed, me.0);
        let inputs = inputs.collect();
        let done = program::run_with(&mut session, &prepared, inputs, &mut entropy, &|_| {});
        done.map(|outcome| outcome.revealed.unwrap_or_default())
    })
}

/// A change of a message.
type Change = fn(&[u8]) -> Verdict;

/// Which messages of so many are changed, and how.
type Changes = fn(How, usize) -> Vec<(usize, Change)>;

/// Whether the last bit of a message counts: of a redundant word it does not.
fn last_counts(how: How) -> bool {
    let redundant = [POST, TAGGED].contains(&how.protocol);
    !redundant && !protocols::strong().any(|strong| strong == how.protocol)
}

/// The number of any message.
fn drawn(count: usize) -> usize {
    static DRAWN: Mutex<Option<Rng>> = Mutex::new(None);
    let mut drawn = DRAWN.lock().unwrap();
    drawn.get_or_insert_with(|| Rng(entropy::test_seed())).below(count)
}

/// Any message.
fn any(_: How, count: usize) -> Vec<(usize, Change)> {
    vec![(drawn(count), flip_first)]
}

/// The first message and any other one, at either end.
fn two(how: How, count: usize) -> Vec<(usize, Change)> {
    let other = drawn(count);
    let last: Change = if last_counts(how) { flip_last } else { flip_first };
    if count == 1 { vec![(0, flip_first)] } else { vec![(0, flip_first), (other.max(1), last)] }
}

/// Messages all along, at both ends.
fn many(how: How, count: usize) -> Vec<(usize, Change)> {
    let mut indices = vec![0, count / 3, count / 2, count - 1];
    indices.dedup();
    let changes: &[Change] =
        if last_counts(how) { &[flip_first, flip_last] } else { &[flip_first] };
    indices
        .into_iter()
        .flat_map(|index| changes.iter().map(move |change| (index, *change)))
        .collect()
}

/// Changes messages of every class of a program's, one at a time: honest parties have no result.
fn cheat_in_program(how: How, changes: Changes) {
    each_cheat(how, changes, |label, _, result| assert!(result.is_none(), "{label} has a result"));
}

/// The same; what honest parties have then is shown beside what they should.
fn each_cheat(how: How, changes: Changes, check: fn(&str, &Revealed, Option<&Revealed>)) {
    for party in PartyId::all(how.protocol.parties()) {
        let classes: Arc<Mutex<BTreeMap<Class, usize>>> = Arc::default();
        let results = run_program(how, party, |worker| {
            let classes = classes.clone();
            Tamper::new(move |m| {
                let class = (worker, m.to, m.stream, m.place.phase);
                *classes.lock().unwrap().entry(class).or_insert(0) += 1;
                Verdict::Keep
            })
        });
        let right: Vec<Revealed> = results.into_iter().map(Option::unwrap).collect();
        let classes = classes.lock().unwrap().clone();
        for (class, count) in classes {
            for (index, change) in changes(how, count) {
                let results =
                    run_program(how, party, |worker| cheat_at(class, index, worker, change));
                let label = format!("{how:?}, {party} in {class:?} number {index} of {count}");
                for ((p, result), right) in (0..).map(PartyId).zip(&results).zip(&right) {
                    if p != party {
                        check(&format!("{label}: {p}"), right, result.as_ref());
                    }
                }
            }
        }
    }
}

/// One protocol of each family in both forms, and the one that has tags of numbers. `make test` takes these, and the
/// first of the others below; [`many_cheats_in_programs_leave_nobody_honest_a_result`] takes all.
fn some_forms() -> impl Iterator<Item = How> {
    let of = |by| of_each_family().map(move |protocol| How::new(protocol, by));
    of(By::Rings).chain(of(By::Circuits)).chain([How::new(TAGGED, By::Rings)])
}

/// In every form that is checked, one after the other.
fn forms() -> impl Iterator<Item = How> {
    let others = [TAGGED, GALOIS].map(|it| How::new(it, By::Rings));
    let forms = checked().flat_map(|protocol| {
        let rings = protocol.has_rings().then(|| How::new(protocol, By::Rings));
        std::iter::once(How::new(protocol, By::Circuits)).chain(rings)
    });
    others.into_iter().chain(forms)
}

/// With preprocessing that comes first.
fn separate() -> impl Iterator<Item = How> {
    let forms = [
        (QUAD_A, By::Rings),
        (TETRAD, By::Rings),
        (QUAD_HET, By::Circuits),
        (BRAIN_BUCKETS, By::Rings),
        (WIDE_LIFT, By::Rings),
        (WIDE_LIFT, By::Circuits),
    ];
    let preprocessing = Preprocessing::Separate;
    forms.into_iter().map(move |(protocol, by)| How { preprocessing, ..How::new(protocol, by) })
}

/// With two assignments of roles.
fn split() -> impl Iterator<Item = How> {
    let forms = [
        (QUAD, By::Rings),
        (LIFT, By::Rings),
        (TETRAD, By::Circuits),
        (QUAD_HET, By::Rings),
        (FANTASTIC_FOUR, By::Rings),
    ];
    forms.into_iter().map(|(protocol, by)| How { split: true, ..How::new(protocol, by) })
}

fn strong() -> impl Iterator<Item = How> {
    protocols::strong().map(|protocol| How::new(protocol, By::Rings))
}

#[test]
fn a_cheat_in_a_program_leaves_nobody_honest_a_result() {
    some_forms().for_each(|how| cheat_in_program(how, two));
}

#[test]
fn nor_with_a_statistical_parameter_of_64() {
    strong().take(1).for_each(|how| cheat_in_program(how, two));
}

#[test]
fn a_cheat_in_a_program_after_its_preprocessing_or_in_it_leaves_nobody_honest_a_result() {
    separate().take(1).for_each(|how| cheat_in_program(how, two));
}

#[test]
fn a_cheat_in_either_assignment_of_roles_leaves_nobody_honest_a_result() {
    split().take(2).for_each(|how| cheat_in_program(how, two));
}

#[test]
fn a_cheat_in_a_program_that_is_garbled_circuit_by_circuit_changes_no_honest_result() {
    let how = How::new(AUTHENTICATED.fitting(3), By::Circuits);
    each_cheat(How { block_ands: Some(2500), ..how }, two, |label, right, result| {
        assert!(result.is_none_or(|result| result == right), "{label} has a wrong result");
    });
}

/// Values that are checked in the run, and are in their range.
const CHECKED: &str = "program cheat\nparties a, b, c\nrows n <= 100\n\
    input x: u8[n] from a\ninput y: u8[n] from b\ninput z: u8[n] from c\n\
    let p = check(sum(x, axis 0) + sum(y, axis 0), in 0..50999)\nreveal p + z to a, b, c as \"p\"\n";

/// Every message of a program that checks a value, that of what the check says among them: nobody honest has a result, and
/// nobody takes a cheat for a check that failed, as what the check says is compared before it counts.
#[test]
fn a_cheat_is_no_check_that_failed() {
    for protocol in [LIFT, QUAD, FANTASTIC_FOUR] {
        let how = How::new(protocol, By::Rings);
        for party in PartyId::all(protocol.parties()) {
            let ends = |label: &str, error: Option<EvaluateError>| match error {
                _ if label.is_empty() => assert!(error.is_none(), "{how:?}: {error:?}"),
                None => panic!("{label} has a result"),
                Some(error) => assert_ne!(error.abort_kind(), AbortKind::Check, "{label}: {error}"),
            };
            every_message(CHECKED, how, party, |_| true, ends);
        }
    }
}

/// Every message that opens something in a program whose check fails: whoever has what the check says knows that it failed, and who
/// sees that the message was changed says so. Nobody honest has a result.
#[test]
fn a_cheat_hides_no_check_that_failed() {
    let program = CHECKED.replace("in 0..50999", "in 0..9");
    let how = How::new(LIFT, By::Rings);
    for party in PartyId::all(3) {
        let ends = |label: &str, error: Option<EvaluateError>| {
            let kind = error.unwrap_or_else(|| panic!("{label} has a result")).abort_kind();
            let honest = label.is_empty();
            let right = kind == AbortKind::Check || (!honest && kind == AbortKind::Misbehaviour);
            assert!(right, "{label}: {kind:?}");
        };
        every_message(&program, how, party, |class| class.3 == Phase::Open, ends);
    }
}

/// Changes every message of some classes that a party sends. `ends` is told how the others end: first without a change, and
/// without a label.
fn every_message(
    program: &str,
    how: How,
    party: PartyId,
    wanted: impl Fn(Class) -> bool,
    ends: impl Fn(&str, Option<EvaluateError>),
) {
    let classes: Arc<Mutex<BTreeMap<Class, usize>>> = Arc::default();
    let honest = run_of(program, how, party, |worker| {
        let classes = classes.clone();
        Tamper::new(move |m| {
            let class = (worker, m.to, m.stream, m.place.phase);
            *classes.lock().unwrap().entry(class).or_insert(0) += 1;
            Verdict::Keep
        })
    });
    honest.into_iter().for_each(|result| ends("", result.err()));
    let mut classes = classes.lock().unwrap().clone();
    classes.retain(|class, _| wanted(*class));
    assert!(!classes.is_empty(), "{how:?}: {party} sends nothing of that");
    for (class, index) in classes.iter().flat_map(|(it, n)| (0..*n).map(|i| (*it, i))) {
        let change = |worker| cheat_at(class, index, worker, flip_first);
        let results = run_of(program, how, party, change);
        for (p, result) in (0..).map(PartyId).zip(results).filter(|(p, _)| *p != party) {
            let label = format!("{how:?}, {party} in {class:?} number {index}: {p}");
            ends(&label, result.err());
        }
    }
}

/// With a sort by shuffles.
fn sorts() -> impl Iterator<Item = How> {
    of_each_family().flat_map(|protocol| {
        let of =
            |program, rows| How { program: Some(program), rows, ..How::new(protocol, By::Rings) };
        // By one digit, by comparisons at once, and in several steps.
        [
            of(SORTED, least_rows(protocol).max(AT_ONCE + 1)),
            of(COMPARED, 20),
            of(COMPARED, AT_ONCE + 44),
        ]
    })
}

/// Messages of shuffles, of their proofs and comparisons, and of what they open, at all workers.
#[test]
fn a_cheat_in_a_shuffle_leaves_nobody_honest_a_result() {
    sorts().for_each(|how| cheat_in_program(how, any));
}

/// With quotients, rests and roots, or with approximations.
fn divided() -> impl Iterator<Item = How> {
    let of = |program| {
        of_each_family()
            .map(move |protocol| How { program: Some(program), ..How::new(protocol, By::Rings) })
    };
    of(DIVIDED).chain(of(APPROXIMATED))
}

/// Messages of conversions between rings, of powers of two from bits, of truncations, of what corrects quotients, and of
/// comparisons and the numbers that they choose.
#[test]
fn a_cheat_in_a_division_or_an_approximation_leaves_nobody_honest_a_result() {
    divided().for_each(|how| cheat_in_program(how, any));
}

#[test]
#[ignore = "changes many messages: minutes"]
fn many_cheats_in_programs_leave_nobody_honest_a_result() {
    let all = forms().chain(strong()).chain(separate()).chain(split()).chain(sorts());
    all.chain(divided()).for_each(|how| cheat_in_program(how, many));
}
