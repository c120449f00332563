//! A party that cheats under a protocol with checks: every message of a run, changed or left out by
//! its sender, ends the run of all honest parties without a result.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tacit_circuit::{Builder, Circuit};
use tacit_engine::circuit::{
    self, Assignment, Blocking, Compiled, EvaluateError, Evaluation, Job, Preprocessing,
    check_storable, evaluate_prepared, evaluate_with,
};
use tacit_engine::program::{self, By, Prepared, ProgramJob};
use tacit_engine::values::Lanes;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, NetError, PartyId, Phase, Stream};
use tacit_program::clear::Array;
use tacit_program::text;
use tacit_ring::{Entropy, entropy};
use tacit_sharing::Protocol;

/// Inputs of the circuit. Of three parties the first gives two.
const INPUTS: usize = 4;
const INSTANCES: usize = 150;
/// How long parties wait for a message that does not come.
const SHORT: Duration = Duration::from_millis(300);
/// Where all messages come: however busy this machine is, that decides nothing.
const LONG: Duration = Duration::from_secs(30);

/// Three levels of products of everybody's bits.
fn circuit() -> Circuit {
    let mut builder = Builder::new();
    let inputs: Vec<_> = (0..INPUTS).map(|_| builder.input(2)).collect();
    let mut wires: Vec<_> = inputs.iter().map(|bits| bits[0]).collect();
    for _ in 0..3 {
        let shifted = |i: usize| inputs[(i + 1) % INPUTS][1];
        let products: Vec<_> =
            wires.iter().enumerate().map(|(i, wire)| builder.and(&[*wire, shifted(i)])).collect();
        wires = (0..INPUTS).map(|i| builder.xor(products[i], wires[(i + 2) % INPUTS])).collect();
    }
    builder.output(&wires);
    builder.finish()
}

fn lanes(salt: u64) -> Lanes {
    let word = |i: u64| (i + 3 * salt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let words = INSTANCES.div_ceil(64) as u64;
    let bits = (0..2).map(|bit| (0..words).map(move |w| word(bit << 8 | w)));
    Lanes::from_bits(bits.map(Iterator::collect).collect(), INSTANCES)
}

/// The protocols that check.
fn checked() -> impl Iterator<Item = Protocol> {
    Protocol::on_bits().filter(|protocol| protocol.is_checked())
}

/// A job, and how its phases run.
struct Case {
    job: Job,
    /// In two sessions: preprocessing is stored in between.
    stored: bool,
    /// Who cheats does so in the first of them.
    ahead: bool,
}

impl Deref for Case {
    type Target = Job;

    fn deref(&self) -> &Job {
        &self.job
    }
}

impl DerefMut for Case {
    fn deref_mut(&mut self) -> &mut Job {
        &mut self.job
    }
}

fn job(protocol: Protocol, preprocessing: Preprocessing, workers: usize) -> Case {
    let parties = protocol.parties();
    let owners = (0..INPUTS).map(|input| PartyId((input % parties) as u8)).collect();
    let mut job = Job::new(protocol, owners, vec![PartyId::all(parties).collect()]);
    job.assign([2, 0, 3, 1].map(PartyId).into_iter().filter(|p| p.index() < parties).collect());
    job.instances = INSTANCES;
    job.workers = workers;
    job.preprocessing = preprocessing;
    job.blocking = Blocking { block_words: 1, blocks: 2, window_bytes: 0 };
    Case { job, stored: false, ahead: false }
}

/// The same, with preprocessing in a session before.
fn stored(protocol: Protocol, workers: usize) -> Case {
    Case { stored: true, ..job(protocol, Preprocessing::Separate, workers) }
}

/// The protocols that check, whose preprocessing can be stored.
fn storing() -> impl Iterator<Item = Protocol> {
    checked().filter(|protocol| {
        let job = job(*protocol, Preprocessing::Separate, 1).job;
        check_storable(&Compiled::new(&circuit(), job).unwrap()).is_ok()
    })
}

type Results = Vec<Result<Evaluation, EvaluateError>>;

fn parties(job: &Job) -> usize {
    job.protocol().parties()
}

/// Runs the job; the meshes of `cheat` go through `tamper`, by worker.
fn run(
    job: &Case,
    deadline: Duration,
    cheat: Option<PartyId>,
    tamper: impl Fn(usize) -> Tamper + Sync,
) -> Results {
    run_each(job, deadline, |party, worker| {
        cheat.is_none_or(|cheat| cheat == party).then(|| tamper(worker))
    })
}

/// Runs the job with a tamperer for every mesh that `tamper` has one for.
fn run_each(
    job: &Case,
    deadline: Duration,
    tamper: impl Fn(PartyId, usize) -> Option<Tamper> + Sync,
) -> Results {
    let (circuit, seed) = (circuit(), entropy::test_seed());
    let network = MemoryNetwork { deadline, ..MemoryNetwork::default() };
    let kept = prepared(job, deadline, &tamper);
    if kept.iter().any(Result::is_err) {
        let failed = || EvaluateError::Job("a party could not prepare".into());
        return kept.into_iter().map(|kept| Err(kept.err().unwrap_or_else(failed))).collect();
    }
    let kept: Vec<Mutex<Option<circuit::Prepared>>> =
        kept.into_iter().map(|kept| Mutex::new(kept.ok())).collect();
    memory::run(parties(job), job.threads(), &network, |mut session| {
        let me = session.me();
        for (worker, mesh) in session.meshes.iter_mut().enumerate() {
            if let Some(tamper) = tamper(me, worker).filter(|_| !job.ahead) {
                mesh.set_tamper(tamper);
            }
        }
        let compiled = Compiled::new(&circuit, job.job.clone())?;
        let own = |input: usize| job.owners[input] == me;
        let values = (0..INPUTS).map(|i| own(i).then(|| lanes(i as u64))).collect();
        let mut entropy = Entropy::insecure_seeded(seed, me.0);
        let kept = kept.get(me.index()).and_then(|kept| kept.lock().unwrap().take());
        let result = match kept {
            None => evaluate_with(&mut session, &compiled, values, &mut entropy, &|_| {}),
            Some(kept) => {
                evaluate_prepared(&mut session, &compiled, values, ("one", kept), &|_| {})
            }
        }?;
        session.finish()?;
        Ok(result)
    })
}

/// What all parties stored, if the job's phases run in two sessions.
fn prepared(
    job: &Case,
    deadline: Duration,
    tamper: &(impl Fn(PartyId, usize) -> Option<Tamper> + Sync),
) -> Vec<Result<circuit::Prepared, EvaluateError>> {
    let (function, seed) = (circuit(), entropy::test_seed());
    if !job.stored {
        return Vec::new();
    }
    let network = MemoryNetwork { deadline, ..MemoryNetwork::default() };
    memory::run(parties(job), job.threads(), &network, |mut session| {
        let me = session.me();
        for (worker, mesh) in session.meshes.iter_mut().enumerate() {
            if let Some(tamper) = tamper(me, worker).filter(|_| job.ahead) {
                mesh.set_tamper(tamper);
            }
        }
        let compiled = Compiled::new(&function, job.job.clone())?;
        let mut entropy = Entropy::insecure_seeded(seed, me.0);
        let (prepared, _) = circuit::prepare(&mut session, &compiled, &mut entropy)?;
        session.finish()?;
        circuit::Prepared::decode(&prepared.encode()?)
    })
}

/// What a party sends where: worker, receiver, stream, phase.
type Class = (usize, PartyId, Stream, Phase);

/// The number of messages of every class, by sender.
fn classes(job: &Case) -> Vec<BTreeMap<Class, usize>> {
    (0..parties(job))
        .map(|party| {
            let counts: Arc<Mutex<BTreeMap<Class, usize>>> = Arc::default();
            let results = run(job, LONG, Some(PartyId(party as u8)), |worker| {
                let counts = counts.clone();
                Tamper::new(move |m| {
                    let class = (worker, m.to, m.stream, m.place.phase);
                    *counts.lock().unwrap().entry(class).or_insert(0) += 1;
                    Verdict::Keep
                })
            });
            assert!(results.iter().all(Result::is_ok));
            counts.lock().unwrap().clone()
        })
        .collect()
}

/// Does `what` to message `index` of a class.
fn cheat_at(class: Class, index: usize, worker: usize, what: fn(&[u8]) -> Verdict) -> Tamper {
    let mut seen = 0;
    Tamper::new(move |m| {
        if (worker, m.to, m.stream, m.place.phase) != class {
            return Verdict::Keep;
        }
        seen += 1;
        if seen == index + 1 { what(m.bytes) } else { Verdict::Keep }
    })
}

fn flip_first(bytes: &[u8]) -> Verdict {
    let mut bytes = bytes.to_vec();
    bytes[0] ^= 1;
    Verdict::Replace(bytes)
}

fn flip_last(bytes: &[u8]) -> Verdict {
    let mut bytes = bytes.to_vec();
    // Lanes beyond the last instance count too: transcripts cover every byte.
    *bytes.last_mut().unwrap() ^= 0x80;
    Verdict::Replace(bytes)
}

/// Every message class, at its first, middle and last message.
fn each_cheat(
    job: &Case,
    deadline: Duration,
    what: fn(&[u8]) -> Verdict,
    check: impl Fn(&str, PartyId, &Results),
) {
    for (party, classes) in classes(job).into_iter().enumerate() {
        let cheat = PartyId(party as u8);
        for (class, count) in classes {
            let mut indices = vec![0, count / 2, count - 1];
            indices.dedup();
            for index in indices {
                let tamper = |worker| cheat_at(class, index, worker, what);
                let results = run(job, deadline, Some(cheat), tamper);
                let label =
                    format!("{}: {cheat} in {class:?} number {index} of {count}", job.protocol());
                check(&label, cheat, &results);
            }
        }
    }
}

fn nobody_honest_has_a_result(label: &str, cheat: PartyId, results: &Results) {
    for (party, result) in (0..).map(PartyId).zip(results) {
        assert!(party == cheat || result.is_err(), "{label}: {party} has a result");
    }
}

/// All honest parties end, and say that a check failed.
fn a_check_ends_it(label: &str, cheat: PartyId, results: &Results) {
    nobody_honest_has_a_result(label, cheat, results);
    for (party, result) in (0..).map(PartyId).zip(results).filter(|(party, _)| *party != cheat) {
        let Err(EvaluateError::Net(error)) = result else { panic!("{label}: {party}") };
        let told = matches!(
            error,
            NetError::PeerAborted { kind: AbortKind::Misbehaviour, .. } | NetError::Check(_)
        );
        // The cheat's side hears of it too, and may be gone before others have heard.
        let left = matches!(error, NetError::Closed { peer, .. } if peer.id == cheat);
        assert!(told || left, "{label}: {party} says {error}");
    }
}

#[test]
fn every_changed_message_ends_the_run_in_a_check() {
    for (preprocessing, workers) in [
        (Preprocessing::Interleaved, 1),
        (Preprocessing::Separate, 1),
        (Preprocessing::Interleaved, 2),
    ] {
        for protocol in checked() {
            let job = job(protocol, preprocessing, workers);
            each_cheat(&job, LONG, flip_first, a_check_ends_it);
            each_cheat(&job, LONG, flip_last, a_check_ends_it);
        }
    }
}

/// What is cheated with online, after honest preprocessing in another session.
#[test]
fn every_message_changed_after_stored_preprocessing_ends_the_run_in_a_check() {
    let mut protocols = 0;
    for protocol in storing() {
        let job = stored(protocol, 1);
        each_cheat(&job, LONG, flip_first, a_check_ends_it);
        each_cheat(&job, LONG, flip_last, a_check_ends_it);
        protocols += 1;
    }
    // Lift, post, brain, and four parties' five.
    assert_eq!(protocols, 8);
}

/// What is cheated with ahead, in the session before: whoever is honest notices there, or in a check of the run.
#[test]
fn every_message_changed_in_a_preparation_leaves_nobody_honest_a_result() {
    for protocol in storing() {
        let job = Case { ahead: true, ..stored(protocol, 1) };
        each_cheat(&job, LONG, flip_first, nobody_honest_has_a_result);
        each_cheat(&job, LONG, flip_last, nobody_honest_has_a_result);
    }
}

/// Split-Roles: one check covers all assignments, and nothing opens before it.
#[test]
fn every_changed_message_of_any_assignment_ends_the_run_in_a_check() {
    let mut job = job(Protocol::Quad, Preprocessing::Interleaved, 1);
    let second = [0, 1, 2, 3].map(PartyId).to_vec();
    job.assignments.push(Assignment { weight: 2, ..Assignment::new(Protocol::Quad, second) });
    assert_eq!(job.threads(), 2);
    each_cheat(&job, LONG, flip_first, a_check_ends_it);
}

/// A product, a selection, a shift and a rounded product of numbers of three parties.
const PROGRAM: &str = "program cheat\nparties a, b, c\nrows n <= 100\n\
    input x: u8[n] from a\ninput y: u8[n] from b\ninput z: u8[n] from c\n\
    let p = sum(x * y, axis 0)\nlet q = sum(select(x < z, y, z), axis 0)\n\
    let r = sum(shift_right(x * z, by 3), axis 0)\n\
    let f = sum(to_fixed(y, fraction 8) * to_fixed(z, fraction 8), axis 0)\n\
    reveal p to a, b\nreveal q to c\nreveal r to a\nreveal f to b\n";

/// As [`run`], of a program: whether each party has a result.
fn run_program(
    (protocol, by): (Protocol, By),
    cheat: PartyId,
    tamper: impl Fn(usize) -> Tamper + Sync,
) -> Vec<bool> {
    let (program, seed) = (text::parse("cheat", PROGRAM).unwrap(), entropy::test_seed());
    let parties = PartyId::all(3).collect();
    let job = ProgramJob { by, workers: 2, ..ProgramJob::new(protocol, parties, vec![70]) };
    let network = MemoryNetwork { deadline: LONG, ..MemoryNetwork::default() };
    memory::run(protocol.parties(), 2, &network, |mut session| {
        let me = session.me();
        for (worker, mesh) in session.meshes.iter_mut().enumerate().filter(|_| me == cheat) {
            mesh.set_tamper(tamper(worker));
        }
        let own = program.inputs().filter(|(_, _, party)| party.is_some_and(|p| p.0 == me.0));
        let inputs = own.map(|(id, name, _)| {
            let element = program.body.nodes[id as usize].types[0].element;
            let values = (0..70).map(|i| (i * 37 + i128::from(me.0)) % 256);
            (name.to_owned(), Array::from_values(element, vec![70], values).unwrap())
        });
        let prepared = Prepared::new(&program, job.clone()).unwrap();
        let mut entropy = Entropy::insecure_seeded(seed, me.0);
        let inputs = inputs.collect();
        program::run_with(&mut session, &prepared, inputs, &mut entropy, &|_| {}).is_ok()
    })
}

/// Changes the first and the last message of every class of a program's.
fn cheat_in_program(how: (Protocol, By), what: fn(&[u8]) -> Verdict) {
    for party in PartyId::all(how.0.parties()) {
        let classes: Arc<Mutex<BTreeMap<Class, usize>>> = Arc::default();
        let results = run_program(how, party, |worker| {
            let classes = classes.clone();
            Tamper::new(move |m| {
                let class = (worker, m.to, m.stream, m.place.phase);
                *classes.lock().unwrap().entry(class).or_insert(0) += 1;
                Verdict::Keep
            })
        });
        assert!(results.iter().all(|has| *has));
        let classes = classes.lock().unwrap().clone();
        for (class, count) in classes {
            let mut indices = vec![0, count / 3, count / 2, count - 1];
            indices.dedup();
            for index in indices {
                let results =
                    run_program(how, party, |worker| cheat_at(class, index, worker, what));
                let honest = (0..).map(PartyId).zip(results).filter(|(p, _)| *p != party);
                let label = format!("{how:?}, {party} in {class:?} number {index} of {count}");
                honest.for_each(|(p, result)| assert!(!result, "{label}: {p} has a result"));
            }
        }
    }
}

#[test]
fn a_cheat_in_a_program_leaves_nobody_honest_a_result() {
    for protocol in checked() {
        cheat_in_program((protocol, By::Circuits), flip_first);
        if protocol.has_rings() {
            cheat_in_program((protocol, By::Rings), flip_first);
            // Of a redundant word the last bit does not count.
            if protocol != Protocol::Post {
                cheat_in_program((protocol, By::Rings), flip_last);
            }
        }
    }
}

#[test]
fn every_message_cut_short_ends_the_run() {
    for protocol in checked() {
        let job = job(protocol, Preprocessing::Interleaved, 1);
        let half = |bytes: &[u8]| Verdict::Truncate(bytes.len() / 2);
        each_cheat(&job, SHORT, half, nobody_honest_has_a_result);
    }
}

#[test]
fn honest_parties_learn_the_function_in_every_mode() {
    let circuit = circuit();
    let modes = [(Preprocessing::Interleaved, 1), (Preprocessing::Separate, 2)];
    for (protocol, (preprocessing, workers)) in checked().flat_map(|p| modes.map(|mode| (p, mode)))
    {
        let job = job(protocol, preprocessing, workers);
        learn_the_function(&job);
    }
    for protocol in storing() {
        learn_the_function(&stored(protocol, 2));
    }
    assert_eq!(circuit.stats().and_depth, 3);
}

fn learn_the_function(job: &Case) {
    let inputs: Vec<Lanes> = (0..INPUTS as u64).map(lanes).collect();
    let results = run(job, LONG, None, |_| Tamper::new(|_| Verdict::Keep));
    let bits: Vec<Vec<u64>> =
        inputs.iter().flat_map(|lanes| lanes.bits().iter().cloned()).collect();
    for result in results {
        let outputs = result.unwrap().outputs;
        let opened = outputs[0].as_ref().unwrap();
        for word in 0..INSTANCES / 64 {
            let column: Vec<u64> = bits.iter().map(|bit| bit[word]).collect();
            let expected = in_the_clear(&column);
            let found: Vec<u64> = opened.bits().iter().map(|bit| bit[word]).collect();
            assert_eq!(found, expected);
        }
    }
}

/// What [`circuit`] computes on words of bits.
fn in_the_clear(bits: &[u64]) -> Vec<u64> {
    let mut wires: Vec<u64> = (0..INPUTS).map(|p| bits[2 * p]).collect();
    for _ in 0..3 {
        let products: Vec<u64> =
            (0..INPUTS).map(|i| wires[i] & bits[2 * ((i + 1) % INPUTS) + 1]).collect();
        wires = (0..INPUTS).map(|i| products[i] ^ wires[(i + 2) % INPUTS]).collect();
    }
    wires
}

/// Under authenticated garbling, the evaluator lies in one worker: no garbler opens outputs, of no worker and
/// no chunk, and all are told of misbehaviour.
#[test]
fn no_garbler_opens_outputs_while_a_check_of_any_worker_fails() {
    let mut job = job(Protocol::Authenticated(3), Preprocessing::Interleaved, 2);
    job.assign(PartyId::all(3).collect());
    let sent: Arc<Mutex<Vec<(PartyId, usize)>>> = Arc::default();
    let results = run_each(&job, LONG, |party, worker| {
        let sent = sent.clone();
        Some(Tamper::new(move |m| {
            let online = m.stream == Stream::On && m.place.phase == Phase::Online;
            match (online, m.place.step) {
                // The evaluator's public values, a digest and a seed.
                (true, 3) if party == PartyId(0) && worker == 1 => flip_first(m.bytes),
                // All but the sums of MACs are openings.
                (true, 4 | 5) if m.bytes.len() != 16 => {
                    sent.lock().unwrap().push((party, worker));
                    Verdict::Keep
                }
                _ => Verdict::Keep,
            }
        }))
    });
    let sent = sent.lock().unwrap();
    assert!(sent.is_empty(), "openings by party and worker: {sent:?}");
    let mut named = 0;
    for (party, result) in results.iter().enumerate() {
        let error = result.as_ref().err().expect("nobody has a result");
        named += usize::from(error.to_string().contains("'label-check'"));
        let told = match error {
            EvaluateError::Net(NetError::Check(_)) => true,
            EvaluateError::Net(NetError::PeerAborted { kind, reason, .. }) => {
                assert!(!reason.contains("label"), "peers are not told which check: {reason}");
                *kind == AbortKind::Misbehaviour
            }
            _ => false,
        };
        assert!(told, "party {party}: {error}");
    }
    assert!(named > 0, "the check is named where it failed");
}
