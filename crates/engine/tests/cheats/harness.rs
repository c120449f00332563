//! Runs jobs with parties that cheat.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tacit_circuit::passes::cost::Form;
use tacit_circuit::passes::{Goal, Options, optimise};
use tacit_circuit::{Builder, Circuit, Gate};
use tacit_engine::circuit::{
    self, Blocking, Compiled, EvaluateError, Evaluation, Job, Preprocessing, check_storable,
    evaluate_prepared, evaluate_with,
};
use tacit_engine::protocols::{self, LIFT, QUAD, WIDE_LIFT};
use tacit_engine::values::Lanes;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, NetError, PartyId, Phase, Stream};
use tacit_ring::{Entropy, entropy};
use tacit_sharing::Protocol;
use tacit_sharing::balance::Balance;

/// Inputs of the circuit. Of three parties the first gives two.
pub const INPUTS: usize = 4;
pub const INSTANCES: usize = 150;
/// How long parties wait for a message that does not come.
pub const SHORT: Duration = Duration::from_millis(300);
/// Where all messages come: however busy this machine is, that decides nothing.
pub const LONG: Duration = Duration::from_secs(30);

/// Three levels of products of everybody's bits.
pub fn circuit() -> Circuit {
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

/// The same function in gates of the largest size that a protocol has.
pub fn circuit_of(protocol: Protocol) -> Circuit {
    if protocol.fan_in() <= 2 {
        return circuit();
    }
    let options =
        Options { goal: Goal::Depth, max_fan_in: 8, polynomial: true, form: Form::Dealer };
    let wide = optimise(&circuit(), &options);
    let larger = |gate: &Gate<'_>| matches!(gate, Gate::Poly { .. });
    assert!(wide.gates().any(|(_, gate)| larger(&gate)), "no gate of more than two inputs");
    wide
}

pub fn lanes(salt: u64) -> Lanes {
    let word = |i: u64| (i + 3 * salt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let words = INSTANCES.div_ceil(64) as u64;
    let bits = (0..2).map(|bit| (0..words).map(move |w| word(bit << 8 | w)));
    Lanes::from_bits(bits.map(Iterator::collect).collect(), INSTANCES)
}

/// The protocols that check.
pub fn checked() -> impl Iterator<Item = Protocol> {
    protocols::on_bits().filter(|protocol| protocol.is_checked())
}

/// Two of the three parties that prove products, of two factors and of more; one of the four that compare what they hear.
pub fn of_each_family() -> impl Iterator<Item = Protocol> {
    [LIFT, WIDE_LIFT, QUAD].into_iter()
}

/// A job, and how its phases run.
pub struct Case {
    pub job: Job,
    /// In two sessions: preprocessing is stored in between.
    pub stored: bool,
    /// Who cheats does so in the first of them.
    pub ahead: bool,
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

pub fn job(protocol: Protocol, preprocessing: Preprocessing, workers: usize) -> Case {
    let parties = protocol.parties();
    let owners = (0..INPUTS).map(|input| PartyId((input % parties) as u8)).collect();
    let mut job = Job::new(protocol, owners, vec![PartyId::all(parties).collect()]);
    job.assign([2, 0, 3, 1].map(PartyId).into_iter().filter(|p| p.index() < parties).collect());
    job.instances = INSTANCES;
    job.options.workers = workers;
    job.options.preprocessing = preprocessing;
    job.blocking = Blocking { block_words: 1, blocks: 2, window_bytes: 0 };
    Case { job, stored: false, ahead: false }
}

/// The same job with its products made in several ways, as many in each.
pub fn mixed(ways: &str, mut case: Case) -> Case {
    let balance = Balance::of(case.protocol(), ways.split(',').map(|way| (way, 1))).unwrap();
    case.job.options.assignments = vec![case.job.options.assignments[0].clone().balanced(balance)];
    case
}

/// The same, with preprocessing in a session before.
pub fn stored(protocol: Protocol, workers: usize) -> Case {
    Case { stored: true, ..job(protocol, Preprocessing::Separate, workers) }
}

/// Protocols whose preprocessing can be stored.
pub fn storing(protocols: impl Iterator<Item = Protocol>) -> impl Iterator<Item = Protocol> {
    protocols.filter(|protocol| {
        let job = job(*protocol, Preprocessing::Separate, 1).job;
        check_storable(&Compiled::new(&circuit_of(*protocol), job).unwrap()).is_ok()
    })
}

pub type Results = Vec<Result<Evaluation, EvaluateError>>;

pub fn parties(job: &Job) -> usize {
    job.protocol().parties()
}

/// Runs the job; the meshes of `cheat` go through `tamper`, by worker.
pub fn run(
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
pub fn run_each(
    job: &Case,
    deadline: Duration,
    tamper: impl Fn(PartyId, usize) -> Option<Tamper> + Sync,
) -> Results {
    let (circuit, seed) = (circuit_of(job.protocol()), entropy::test_seed());
    let network = MemoryNetwork { deadline, ..MemoryNetwork::default() };
    let kept = prepared(job, deadline, &tamper);
    if kept.iter().any(Result::is_err) {
        let failed = || EvaluateError::Job("a party could not prepare".into());
        return kept.into_iter().map(|kept| Err(kept.err().unwrap_or_else(failed))).collect();
    }
    let kept: Vec<Mutex<Option<circuit::StoredPreprocessing>>> =
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
pub fn prepared(
    job: &Case,
    deadline: Duration,
    tamper: &(impl Fn(PartyId, usize) -> Option<Tamper> + Sync),
) -> Vec<Result<circuit::StoredPreprocessing, EvaluateError>> {
    let (function, seed) = (circuit_of(job.protocol()), entropy::test_seed());
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
        circuit::StoredPreprocessing::insecure_from_bytes(&prepared.insecure_bytes()?)
    })
}

/// What a party sends where: worker, receiver, stream, phase.
pub type Class = (usize, PartyId, Stream, Phase);

/// The number of messages of every class, by sender.
pub fn classes(job: &Case) -> Vec<BTreeMap<Class, usize>> {
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
pub fn cheat_at(class: Class, index: usize, worker: usize, what: fn(&[u8]) -> Verdict) -> Tamper {
    let mut seen = 0;
    Tamper::new(move |m| {
        if (worker, m.to, m.stream, m.place.phase) != class {
            return Verdict::Keep;
        }
        seen += 1;
        if seen == index + 1 { what(m.bytes) } else { Verdict::Keep }
    })
}

/// Of nothing, under protocols that garble, nothing is changed.
pub fn flip_first(bytes: &[u8]) -> Verdict {
    let mut bytes = bytes.to_vec();
    bytes.first_mut().into_iter().for_each(|byte| *byte ^= 1);
    Verdict::Replace(bytes)
}

pub fn flip_last(bytes: &[u8]) -> Verdict {
    let mut bytes = bytes.to_vec();
    // Lanes beyond the last instance count too: transcripts cover every byte.
    bytes.last_mut().into_iter().for_each(|byte| *byte ^= 0x80);
    Verdict::Replace(bytes)
}

/// Every message class, at its first, middle and last message.
pub fn each_cheat(
    job: &Case,
    deadline: Duration,
    what: fn(&[u8]) -> Verdict,
    check: impl Fn(&str, PartyId, &Results),
) {
    let some = |count: usize| vec![0, count / 2, count - 1];
    cheats_at(job, deadline, what, some, check);
}

/// Every message.
pub fn every_cheat(
    job: &Case,
    deadline: Duration,
    what: fn(&[u8]) -> Verdict,
    check: impl Fn(&str, PartyId, &Results),
) {
    cheats_at(job, deadline, what, |count| (0..count).collect(), check);
}

fn cheats_at(
    job: &Case,
    deadline: Duration,
    what: fn(&[u8]) -> Verdict,
    which: impl Fn(usize) -> Vec<usize>,
    check: impl Fn(&str, PartyId, &Results),
) {
    for (party, classes) in classes(job).into_iter().enumerate() {
        let cheat = PartyId(party as u8);
        for (class, count) in classes {
            let mut indices = which(count);
            indices.dedup();
            for index in indices {
                let tamper = |worker| cheat_at(class, index, worker, what);
                let results = run(job, deadline, Some(cheat), tamper);
                let assignment = &job.options.assignments[0];
                let label = format!("{assignment}: {cheat} in {class:?} number {index} of {count}");
                check(&label, cheat, &results);
            }
        }
    }
}

pub fn nobody_honest_has_a_result(label: &str, cheat: PartyId, results: &Results) {
    for (party, result) in (0..).map(PartyId).zip(results) {
        assert!(party == cheat || result.is_err(), "{label}: {party} has a result");
    }
}

/// Whoever is honest has the right result, or none.
pub fn right_or_none(label: &str, cheat: PartyId, results: &Results) {
    for (party, result) in (0..).map(PartyId).zip(results).filter(|(party, _)| *party != cheat) {
        let right = result.as_ref().is_ok_and(is_right);
        assert!(right || result.is_err(), "{label}: {party} has a wrong result");
    }
}

/// All honest parties end, and say that a check failed, or that the cheat left.
pub fn a_check_ends_it(label: &str, cheat: PartyId, results: &Results) {
    nobody_honest_has_a_result(label, cheat, results);
    let mut checked = false;
    for (party, result) in (0..).map(PartyId).zip(results).filter(|(party, _)| *party != cheat) {
        let error = match result {
            // With stored preprocessing, which is lost then.
            Err(EvaluateError::Lost { cause, .. }) => cause.as_ref(),
            Err(error) => error,
            Ok(_) => panic!("{label}: {party}"),
        };
        let EvaluateError::Net(error) = error else { panic!("{label}: {party} says {error}") };
        let told = matches!(
            error,
            NetError::PeerAborted { kind: AbortKind::Misbehaviour, .. } | NetError::Check(_)
        );
        // The cheat's side hears of it too, and may be gone, or say so, before others have heard.
        let left = match error {
            NetError::Closed { peer, .. } | NetError::PeerAborted { peer, .. } => peer.id == cheat,
            _ => false,
        };
        assert!(told || left, "{label}: {party} says {error}");
        checked |= told;
    }
    assert!(checked, "{label}: nobody honest says that a check failed");
}

/// What [`circuit`] computes on words of bits.
pub fn in_the_clear(bits: &[u64]) -> Vec<u64> {
    let mut wires: Vec<u64> = (0..INPUTS).map(|p| bits[2 * p]).collect();
    for _ in 0..3 {
        let products: Vec<u64> =
            (0..INPUTS).map(|i| wires[i] & bits[2 * ((i + 1) % INPUTS) + 1]).collect();
        wires = (0..INPUTS).map(|i| products[i] ^ wires[(i + 2) % INPUTS]).collect();
    }
    wires
}

/// Whether a result is that of [`circuit`].
pub fn is_right(result: &Evaluation) -> bool {
    let inputs: Vec<Lanes> = (0..INPUTS as u64).map(lanes).collect();
    let bits: Vec<&Vec<u64>> = inputs.iter().flat_map(Lanes::bits).collect();
    let Some(opened) = result.outputs[0].as_ref() else { return false };
    (0..INSTANCES / 64).all(|word| {
        let column: Vec<u64> = bits.iter().map(|bit| bit[word]).collect();
        let found: Vec<u64> = opened.bits().iter().map(|bit| bit[word]).collect();
        found == in_the_clear(&column)
    })
}
