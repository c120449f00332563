//! Programs under every protocol, by rings and by circuits, against evaluation in the clear: values
//! within their stated bound, bytes and rounds as predicted.

use std::collections::BTreeMap;
use tacit_engine::program::{self, By, Outcome, Prepared, ProgramJob};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_program::clear::{self, Array};
use tacit_program::seal::seal;
use tacit_program::{Element, Interval, Op, Program, Type, bounds, text};
use tacit_ring::Entropy;
use tacit_ring::entropy::{self, Rng};
use tacit_sharing::Protocol;
use tacit_sharing::proof::Source;

/// All protocols for three and more parties, with all that numbers can be computed with. Of those that
/// differ in where triples come from, one.
fn settings() -> impl Iterator<Item = (Protocol, By)> {
    let brain = |protocol: &Protocol| matches!(protocol, Protocol::Brain(_));
    let other = move |p: &Protocol| brain(p) && *p != Protocol::Brain(Source::Sacrifice);
    let all = || Protocol::ALL.into_iter().filter(|protocol| protocol.parties() > 2);
    let rings = all().filter(move |protocol| protocol.has_rings() && !other(protocol));
    let circuits = all().filter(move |p| *p != Protocol::Plain && !brain(p));
    let rings = rings.map(|protocol| (protocol, By::Rings));
    rings.chain(circuits.map(|protocol| (protocol, By::Circuits)))
}

/// Rows that a test takes: where whole programs are garbled, a few.
fn fitting(protocol: Protocol, rows: u64) -> u64 {
    if protocol.garbles() { rows.min(2) } else { rows }
}

/// Whether results are those of the clear, bit for bit: circuits round as it does.
fn is_exact(program: &Program, job: &ProgramJob) -> bool {
    let near = |op: &Op| matches!(op, Op::Exp | Op::Log | Op::Sigmoid);
    job.by == By::Circuits && !program.body.nodes.iter().any(|node| near(&node.op))
}

const HEADER: &str = "program test\nparties alice, bob, carol\nrows n <= 100000\nrows m <= 1000\n";

/// A value of an interval, often an end.
fn within(rng: &mut Rng, Interval { low, high }: Interval) -> i128 {
    let span = (high - low) as u128 + 1;
    match rng.below(8) {
        0 => low,
        1 => high,
        2 if low <= 0 && 0 <= high => 0,
        _ => low + (u128::from(rng.word() >> 1) * 3 % span) as i128,
    }
}

fn array(rng: &mut Rng, ty: &Type, rows: &[u64]) -> Array {
    let shape: Vec<usize> = ty.shape.iter().map(|e| e.bound(rows).unwrap() as usize).collect();
    let len = shape.iter().product::<usize>();
    let values: Vec<i128> = (0..len).map(|_| within(rng, ty.interval)).collect();
    Array::from_values(ty.element, shape, values).unwrap()
}

fn parse(body: &str) -> Program {
    let text = format!("{HEADER}{body}");
    text::parse("test.tacit", &text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn inputs(program: &Program, rows: &[u64], seed: u64) -> BTreeMap<String, Array> {
    let mut rng = Rng(seed);
    program
        .inputs()
        .map(|(id, name, _)| {
            let ty = &program.body.nodes[id as usize].types[0];
            (name.to_owned(), array(&mut rng, ty, rows))
        })
        .collect()
}

/// What party `me` gives: its own inputs and the public ones.
fn given(program: &Program, all: &BTreeMap<String, Array>, me: PartyId) -> BTreeMap<String, Array> {
    let own = program.inputs().filter(|(_, _, party)| party.is_none_or(|p| p.0 == me.0));
    own.map(|(_, name, _)| (name.to_owned(), all[name].clone())).collect()
}

/// Runs a job and returns what each party has at the end.
fn run(program: &Program, job: &ProgramJob, all: &BTreeMap<String, Array>) -> Vec<Outcome> {
    let seed = entropy::test_seed();
    memory::run(job.places.len(), job.workers, &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        let prepared = Prepared::new(program, job.clone()).unwrap();
        let mut entropy = Entropy::insecure_seeded(seed, me.0);
        let inputs = given(program, all, me);
        let outcome =
            program::run_with(&mut session, &prepared, inputs, &mut entropy, &|_| {}).unwrap();
        session.finish().unwrap();
        outcome
    })
}

/// Checks one job against the clear, the bounds and the cost functions.
fn check_job(program: &Program, job: &ProgramJob, seed: u64) {
    let all = inputs(program, &job.rows, seed);
    let (want, observed) = clear::evaluate_observed(program, &job.rows, all.clone()).unwrap();
    let broken: Vec<String> = observed.violations.values().map(ToString::to_string).collect();
    assert!(broken.is_empty(), "{broken:?}");
    // Under protocols with checks nobody computes on private values in the clear.
    let sealed = seal(program);
    let limits = bounds::reveal_bounds(if job.protocol.is_malicious() { &sealed } else { program });
    let outcomes = run(program, job, &all);
    for (party, outcome) in outcomes.iter().enumerate() {
        let learned =
            program.reveals.iter().filter(|r| r.to.iter().any(|p| usize::from(p.0) == party));
        let names: Vec<&str> = learned.map(|r| r.name.as_str()).collect();
        let revealed = outcome.revealed.as_ref().unwrap();
        let found: Vec<&str> = revealed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, names, "party {party} learns what is revealed to it");
        for (name, got) in revealed {
            let (_, want) = want.iter().find(|(n, _)| n == name).unwrap();
            let bound = limits.iter().find(|(n, _)| n == name).unwrap().1;
            let limit = if is_exact(program, job) { 0 } else { bound };
            assert_eq!(got.shape(), want.shape());
            for (i, (got, want)) in got.values().zip(want.values()).enumerate() {
                let off = got.abs_diff(want);
                let what = format!("{} by {} {name}[{i}]", job.protocol, job.by);
                assert!(off <= limit, "{what}: {got} for {want}, off by {off} of {limit}");
            }
        }
        for link in &outcome.report.links {
            let what = format!("{} by {} {link:?}", job.protocol, job.by);
            assert_eq!(link.bytes, link.predicted_bytes, "{what}");
        }
        if job.workers == 1 {
            let report = &outcome.report;
            let what = format!("{} by {} rounds", job.protocol, job.by);
            assert_eq!(report.rounds, report.predicted_rounds, "{what}");
        }
    }
}

fn job((protocol, by): (Protocol, By), rows: &[u64]) -> ProgramJob {
    let parties = (0..3).map(PartyId).collect();
    let mut places: Vec<PartyId> = PartyId::all(protocol.parties()).collect();
    places.rotate_left(1);
    ProgramJob { by, chunk_rows: 64, places, ..ProgramJob::new(protocol, parties, rows.to_vec()) }
}

/// Runs a program under every protocol at several sizes.
fn check(body: &str) {
    check_sizes(body, &[0, 1, 130]);
}

fn check_sizes(body: &str, sizes: &[u64]) {
    let program = parse(body);
    for setting in settings() {
        // Where programs are garbled, a row takes about as long as two.
        let one_too_many = |rows: u64| setting.0.garbles() && rows == 1 && sizes.len() > 1;
        for (i, rows) in sizes.iter().enumerate().filter(|(_, rows)| !one_too_many(**rows)) {
            let mut job = job(setting, &[fitting(setting.0, *rows), 5]);
            job.workers = 1 + i % 2;
            check_job(&program, &job, *rows + 7);
        }
    }
}

#[test]
fn arithmetic_on_integers_of_every_width() {
    for ty in ["i8", "i16", "i32", "u8", "u16", "u32"] {
        check_sizes(
            &format!(
                "input a: {ty}[n] from alice\ninput b: {ty}[n] from bob\n\
                 reveal a + b to alice, carol as \"sum\"\n\
                 reveal a - b to bob as \"difference\"\n\
                 reveal a * b to alice as \"product\"\n\
                 reveal -a + b * 3 to alice as \"linear\"\n\
                 reveal add(a, b, wrap) to alice as \"wrapped sum\"\n\
                 reveal mul(a, b, wrap) to alice as \"wrapped product\"\n\
                 reveal shift_right(a * b, by 3) to bob as \"shifted\"\n\
                 reveal sum(a + b, axis 0) to alice, bob, carol as \"total\"\n"
            ),
            &[130],
        );
    }
}

#[test]
fn triples_of_every_source() {
    let program = parse(
        "input a: i16[n] from alice\ninput b: i16[n] from bob\n\
         reveal a * b to alice as \"product\"\n\
         reveal sum(a * b, axis 0) to carol as \"total\"\n\
         reveal select(a < b, a, b) to bob as \"least\"\n",
    );
    let protocols = Protocol::ALL.into_iter().filter(|p| matches!(p, Protocol::Brain(_)));
    for (i, protocol) in protocols.enumerate() {
        for by in [By::Rings, By::Circuits] {
            let mut job = job((protocol, by), &[70, 5]);
            job.workers = 1 + i % 2;
            check_job(&program, &job, 7);
        }
    }
}

#[test]
fn arithmetic_on_long_integers() {
    check(
        "input a: i64[n] from alice\ninput b: i64[n] from bob\ninput c: u64[n] from carol\n\
         input d: i64[n] from alice in -1000000000..1000000000\n\
         reveal mul(a, b, wrap) to alice as \"wrapped product\"\n\
         reveal sub(a, b, wrap) to alice as \"wrapped difference\"\n\
         reveal a < b to alice as \"less\"\n\
         reveal a == b to alice as \"equal\"\n\
         reveal select(a < b, a, b) to bob as \"least\"\n\
         reveal c < 5 to bob as \"small\"\n\
         reveal add(c, c, wrap) to carol as \"twice\"\n\
         reveal sum(d, axis 0) to carol as \"total\"\n\
         reveal shift_right(d * d, by 20) to alice as \"shifted\"\n",
    );
}

#[test]
fn comparisons_selections_and_logic() {
    check(
        "input a: i16[n] from alice\ninput b: i16[n] from bob\ninput c: bit[n] from carol\n\
         let less = a < b\nlet equal = a == b\n\
         reveal less to alice\nreveal equal to bob\n\
         reveal a <= b to carol as \"at most\"\nreveal a != b to carol as \"differ\"\n\
         reveal select(c, a, b) to alice as \"chosen\"\n\
         reveal select(c, 5, a) to alice as \"constant\"\n\
         reveal (less & c) | !equal to bob as \"logic\"\n\
         reveal c ^ less to bob as \"xor\"\n\
         reveal select(c, less, equal) to bob as \"bits\"\n\
         reveal min(a, b) to bob as \"min\"\nreveal max(a, b) to bob as \"max\"\n\
         reveal abs(a) to bob as \"abs\"\n\
         reveal cast(c, to i32) + a to alice as \"number\"\n\
         reveal sum(cast(less, to i32), axis 0) to alice as \"count\"\n",
    );
}

#[test]
fn fixed_point() {
    check(
        "input a: fixed(32,16)[n] from alice in -1000.0..1000.0\n\
         input b: fixed(32,16)[n] from bob in -1000.0..1000.0\ninput c: i16[n] from carol\n\
         reveal a + b to alice as \"sum\"\nreveal a * b to bob as \"product\"\n\
         reveal a * a * b to bob as \"cube\"\n\
         reveal a * 2.5 - c to carol as \"scaled\"\n\
         reveal a < b to alice as \"less\"\n\
         reveal dot(a, b) to alice as \"dot\"\n\
         reveal sum(a * b, axis 0) to alice as \"sum of products\"\n\
         reveal cast(a, to i32) to carol as \"whole\"\n\
         reveal cast(a, to fixed(32,4)) to carol as \"short\"\n\
         reveal select(a < b, a, b) to carol as \"least\"\n",
    );
}

#[test]
fn division_and_roots() {
    check_sizes(
        "input a: i16[m] from alice\ninput b: i16[m] from bob in -30..30\n\
         input x: fixed(24,8)[m] from carol in -2000.0..2000.0\n\
         reveal a / b to alice as \"quotient\"\nreveal a % b to bob as \"rest\"\n\
         reveal sqrt(abs(x)) to carol as \"root\"\n\
         reveal x / cast(b, to fixed(24,8)) to carol as \"ratio\"\n",
        &[9],
    );
}

#[test]
fn functions_of_real_numbers() {
    check_sizes(
        "input x: fixed(32,12)[m] from carol in -6.0..6.0\n\
         reveal exp(x) to alice as \"exp\"\nreveal log(abs(x) + 0.5) to bob as \"log\"\n\
         reveal sigmoid(x) to carol as \"sigmoid\"\n",
        &[9],
    );
}

#[test]
fn matrices_and_axes() {
    check(
        "input a: i16[n, 3] from alice\ninput w: i16[3, 2] from bob\ninput v: i16[3] from carol\n\
         input y: i16[n] from bob\n\
         reveal matmul(a, w) to alice as \"rows times matrix\"\n\
         reveal matmul(a, v) to alice as \"rows times vector\"\n\
         reveal matmul(transpose(a, order [1, 0]), y) to bob as \"columns times vector\"\n\
         reveal sum(a, axis 0) to bob as \"column sums\"\n\
         reveal sum(a, axis 1) to bob as \"row sums\"\n\
         reveal a + v to carol as \"broadcast\"\n\
         reveal max(a, axis 1) to carol as \"row maxima\"\n\
         reveal product(v, axis 0) to carol as \"product\"\n",
    );
}

#[test]
fn rearranging() {
    check(
        "input a: i16[n, 4] from alice\ninput b: i16[n, 4] from bob\ninput c: i16[6] from carol\n\
         input d: bit[n] from carol\n\
         reveal concat(a, b, axis 0) to alice as \"stacked\"\n\
         reveal concat(a + b, b, axis 1) to alice as \"beside\"\n\
         reveal slice(a + b, axis 1, start 1, step 2, length 2) to bob as \"columns\"\n\
         reveal gather(a + b, axis 1, at [3, 0, 3]) to bob as \"picked\"\n\
         reveal transpose(a + b, order [1, 0]) to carol as \"turned\"\n\
         reveal reshape(c, shape [2, 3]) to alice as \"shaped\"\n\
         reveal gather(c, axis 0, at [5, 5, 0]) to alice as \"ends\"\n\
         reveal concat(d, !d, axis 0) to bob as \"bits\"\n",
    );
}

#[test]
fn public_inputs() {
    check_sizes(
        "input a: i16[n] from alice\ninput b: i16[n] from bob\ninput p: i16[n] public\n\
         input q: bit[n] public\ninput r: i16 public in -3..9\ninput m: i16[3, 2] public\n\
         input t: i16[n, 3] from carol\ninput g: u8[n] from bob in 0..4\n\
         let s = a + b\n\
         reveal s * p to alice as \"product\"\nreveal s * r - p to bob as \"scaled\"\n\
         reveal s < p to carol as \"less\"\nreveal select(q, s, b) to alice as \"chosen\"\n\
         reveal select(s < p, r, 7) to alice as \"public choices\"\n\
         reveal dot(s, p) to alice as \"dot\"\nreveal matmul(t, m) to alice as \"rows\"\n\
         reveal group_sum(g, s, q, first 0, groups 3) to alice as \"sums\"\n\
         let (_, c) = sort(s + r, s * p, descending)\nreveal c to bob as \"sorted\"\n",
        &[70],
    );
}

#[test]
fn groups() {
    check(
        "input g: u8[n] from alice in 0..9\ninput h: i8[n] from bob in -3..3\n\
         input v: i32[n] from carol in -10000..10000\ninput keep: bit[n] from bob\n\
         reveal group_sum(g, v, first 0, groups 7) to alice as \"sums\"\n\
         reveal group_sum(g, v, keep, first 2, groups 5) to alice as \"kept sums\"\n\
         reveal group_count(g, first 0, groups 12) to bob as \"counts\"\n\
         reveal group_count(h + cast(g, to i8), keep, first -3, groups 9) to bob as \"secret groups\"\n\
         reveal group_mean(g, v, first 0, groups 3) to carol as \"means\"\n\
         reveal group_std(g, v, first 0, groups 3) to carol as \"deviations\"\n",
    );
}

#[test]
fn sorting() {
    check(
        "input k: i16[n] from alice in -50..50\ninput v: u32[n] from bob\ninput f: bit[n] from carol\n\
         let (key, value, flag) = sort(k, v, f)\n\
         reveal key to alice\nreveal value to bob\nreveal flag to carol\n\
         let (a, b) = sort(k + cast(f, to i16), v, descending)\n\
         reveal a to alice as \"descending\"\nreveal b to alice as \"moved along\"\n\
         reveal sum(key, axis 0) to carol as \"of a key that alice sorts alone\"\n",
    );
}

#[test]
fn loops_and_circuits() {
    check_sizes(
        "input a: i64[n] from alice in 0..1000\ninput b: i64[n] from bob in 0..1000\n\
         let total = loop 5 carry (t: i64[n] secret in 0..100000 = a) index i {\n\
             yield assume(t + b + i, in 0..100000)\n}\n\
         reveal total to carol\n\
         reveal circuit(\"add\", width 64)(a, b) to carol as \"added\"\n",
        &[1, 130],
    );
}

#[test]
fn numbers_meet_rings_wide_enough_for_every_bit_that_is_read() {
    check_sizes(
        "input x: i32[n] from alice\ninput y: i32[n] from bob\ninput z: i64[n] from carol\n\
         input s: i8[n] from bob\ninput t: i8[n] from alice\n\
         input f: fixed(64,40)[n] from alice in 0.0..0.0000000001\n\
         input g: fixed(64,40)[n] from bob in 0.0..0.0000000001\n\
         input h: fixed(64,32)[n] from bob in -0.25..0.25\n\
         let both = s + t\n\
         reveal wrap(both, to u64) to alice as \"sign extended\"\n\
         reveal wrap(select(x < y, x, y), to u64) to alice as \"sign extended too\"\n\
         reveal wrap(assume(select(z < 0, 0, 7) , in 0..10), to u64) to bob as \"fits already\"\n\
         reveal circuit(\"add\", width 64)(cast(both, to i64), cast(x, to i64)) to bob as \"added\"\n\
         reveal group_count(select(x < y, x, y), first 1, groups 3) to carol as \"far keys\"\n\
         reveal group_count(select(x < y, x, y), first -1, groups 3) to carol as \"near keys\"\n\
         reveal f * g to alice as \"tiny\"\n\
         reveal cast(h + cast(f, to fixed(64,32)), to i64) to carol as \"whole\"\n",
        &[70],
    );
}

#[test]
fn loops_share_what_becomes_secret() {
    check_sizes(
        "input x: i64[n] from alice in 0..100\ninput y: i64[n] from bob in 0..100\n\
         let s = loop 2 carry (s: i64[n] secret in 0..200 = x + y) {\nyield x * 2\n}\n\
         reveal s + y to carol as \"sum\"\nreveal s to bob as \"carried\"\n",
        &[1, 70],
    );
}

/// A program of random operations on columns: integers, fixed point and bits.
fn random_text(rng: &mut Rng, steps: usize) -> String {
    let mut text = String::from(
        "input i0: i16[n] from alice\ninput i1: u8[n] from bob\n\
         input i2: i32[n] from carol in -1000..1000\ninput b0: bit[n] from alice\n\
         input b1: bit[n] from carol\ninput f0: fixed(24,8)[n] from bob in -9.0..9.0\n\
         input f1: fixed(24,8)[n] from carol in -1.0..1.0\n",
    );
    // Names by kind, integers with the bits that their values need.
    let (mut ints, mut bits) = (
        vec![("i0".to_string(), 16), ("i1".into(), 8), ("i2".into(), 11)],
        vec!["b0".to_string(), "b1".into()],
    );
    let mut fixeds = vec![("f0".to_string(), 13), ("f1".into(), 9)];
    for step in 0..steps {
        let name = format!("v{step}");
        let mut pick = |n: usize| rng.below(n);
        let (a, x) = ints[pick(ints.len())].clone();
        let (b, y) = ints[pick(ints.len())].clone();
        let (f, p) = fixeds[pick(fixeds.len())].clone();
        let (g, q) = fixeds[pick(fixeds.len())].clone();
        let (c, d) = (bits[pick(bits.len())].clone(), bits[pick(bits.len())].clone());
        let expression = match pick(18) {
            0 if x.max(y) < 40 => (format!("{a} + {b}"), 'i', x.max(y) + 1),
            1 if x.max(y) < 40 => (format!("{a} - {b} * 3"), 'i', x.max(y + 2) + 1),
            2 if x + y < 40 => (format!("{a} * {b}"), 'i', x + y),
            3 => (format!("{a} < {b}"), 'b', 0),
            4 => (format!("{a} == {b}"), 'b', 0),
            5 => (format!("select({c}, {a}, {b})"), 'i', x.max(y)),
            6 => (format!("{c} & !{d}"), 'b', 0),
            7 => (format!("{c} ^ {d}"), 'b', 0),
            8 => (format!("{c} | {d}"), 'b', 0),
            9 => (format!("min({a}, {b})"), 'i', x.max(y)),
            10 => (format!("shift_right({a}, by 2)"), 'i', x),
            11 if x < 40 => (format!("abs({a})"), 'i', x + 1),
            12 if p + q < 40 => (format!("{f} * {g}"), 'f', p + q - 7),
            13 if p.max(q) < 40 => (format!("{f} - {g}"), 'f', p.max(q) + 1),
            14 => (format!("{f} <= {g}"), 'b', 0),
            15 => (format!("cast({c}, to i8)"), 'i', 2),
            16 => (format!("cast({f}, to i64)"), 'i', p),
            17 if x < 20 => (format!("to_fixed({a}, fraction 8)"), 'f', x + 8),
            _ => (format!("max({a}, 5)"), 'i', x.max(4)),
        };
        let (expression, kind, width) = expression;
        text.push_str(&format!("let {name} = {expression}\n"));
        match kind {
            'i' => ints.push((name, width)),
            'f' => fixeds.push((name, width)),
            _ => bits.push(name),
        }
    }
    for (name, width) in ints.iter().rev().take(3) {
        text.push_str(&format!("reveal {name} to alice\n"));
        if *width < 40 {
            text.push_str(&format!("reveal sum({name}, axis 0) to bob as \"sum {name}\"\n"));
        }
    }
    for name in bits.iter().rev().take(2) {
        text.push_str(&format!("reveal {name} to bob, carol\n"));
    }
    for (name, _) in fixeds.iter().rev().take(2) {
        text.push_str(&format!("reveal {name} to carol\n"));
    }
    text
}

#[test]
fn random_programs_agree_with_the_clear_under_every_protocol() {
    let seed = entropy::test_seed();
    let mut rng = Rng(seed);
    for round in 0..12 {
        let program = parse(&random_text(&mut rng, 14));
        for setting in settings().filter(|(protocol, _)| !protocol.garbles() || round % 3 == 0) {
            let rows = fitting(setting.0, [1, 64, 77][round % 3]);
            let mut job = job(setting, &[rows, 5]);
            job.workers = 1 + round % 2;
            check_job(&program, &job, seed.wrapping_add(round as u64));
        }
    }
}

#[test]
fn a_result_outside_of_its_type_is_known_only_to_those_who_learn_it() {
    let program = parse(
        "input x: u8 from alice\ninput y: u8 from bob\n\
         reveal cast(assume(x + y, in 0..200), to u8) to alice as \"sum\"\n",
    );
    let number = |name: &str| (name.to_owned(), Array::scalar(Element::uint(8), 200).unwrap());
    let all = BTreeMap::from([number("x"), number("y")]);
    for setting in settings().filter(|(protocol, _)| *protocol != Protocol::Plain) {
        let outcomes = run(&program, &job(setting, &[1, 1]), &all);
        let failed: Vec<bool> = outcomes.iter().map(|outcome| outcome.revealed.is_err()).collect();
        assert_eq!(failed[..3], [true, false, false], "{setting:?}");
    }
}

#[test]
fn peers_do_not_hear_where_an_input_is_wrong() {
    let program =
        parse("input x: u8[n] from alice in 0..9\nreveal sum(x, axis 0) to bob as \"s\"\n");
    let x = Array::from_values(Element::uint(8), vec![3], [1, 99, 2]).unwrap();
    let all = BTreeMap::from([("x".to_owned(), x)]);
    let errors = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let prepared = Prepared::new(&program, job((Protocol::Trio, By::Rings), &[3, 1])).unwrap();
        let inputs = given(&program, &all, session.me());
        let outcome = program::run(&mut session, &prepared, inputs, &|_| {});
        outcome.err().map(|error| error.to_string()).unwrap_or_default()
    });
    assert!(errors[0].contains("value 1 of input `x`"), "{errors:?}");
    for error in &errors[1..] {
        assert!(error.contains("inputs do not fit") && !error.contains("value 1"), "{errors:?}");
    }
}
