//! Stored preprocessing: what it costs, that it is used once, and what is refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use tacit_circuit::{Builder, Circuit};
use tacit_engine::bench::Usage;
use tacit_engine::circuit::{
    Assignment, Blocking, Compiled, EvaluateError, Evaluation, Job, Preprocessing, Report,
    StoredPreprocessing, TripleJob, check_storable, evaluate_prepared, prepare,
    prepare_from_triples, prepare_triples,
};
use tacit_engine::program::{self, By, CompiledProgram, ProgramJob};
use tacit_engine::protocols::{
    self, ASTRA, AUTHENTICATED, BMR, BMR_REPLICATED, BMR_SHAMIR, BMR_SILENT, BRAIN_BUCKETS,
    BRAIN_INTEGERS, BRAIN_POLYNOMIALS, BRAIN_SACRIFICE, FANTASTIC_FOUR, GALOIS, GMW, GMW_SILENT,
    GMW_STAR, GMW_TRIPLES, GMW_WIDE, HALF_GATES, INTEGERS, LIFT, MULTI_FAN_IN, PLAIN, POST, QUAD,
    QUAD_A, QUAD_HET, REPLICATED, TAGGED, TETRAD, TRIO, WIDE_LIFT, WRK17, YAO, YAO_SILENT,
    YAO_THREE,
};
use tacit_engine::store::{Facts, Listed, State, Store};
use tacit_engine::values::Lanes;
use tacit_garbling::bmr::Opening;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Session};
use tacit_program::clear::Array;
use tacit_program::{Element, text};
use tacit_proof::Strength;
use tacit_ring::Entropy;
use tacit_ring::entropy::{Rng, test_seed};
use tacit_sharing::Protocol;
use tacit_sharing::balance::Balance;

const WIDTH: u32 = 3;
const INSTANCES: usize = 130;

/// `x y` and `x y z + x`, bit by bit, for two parties' `x` and `y`, and the first one's `z`.
fn circuit() -> Circuit {
    let mut b = Builder::new();
    let inputs: Vec<_> = (0..3).map(|_| b.input(WIDTH)).collect();
    let bits = || (0..WIDTH as usize).map(|i| [0, 1, 2].map(|input| inputs[input][i]));
    let products: Vec<_> = bits().map(|[x, y, _]| b.and2(x, y)).collect();
    let all: Vec<_> = bits().zip(&products).map(|([_, _, z], xy)| b.and2(*xy, z)).collect();
    let sums: Vec<_> = bits().zip(&all).map(|([x, ..], xyz)| b.xor(x, *xyz)).collect();
    b.output(&products);
    b.output(&sums);
    b.finish()
}

fn lanes(salt: u64) -> Lanes {
    let word = |i: u64| (i + 5 * salt + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    let words = INSTANCES.div_ceil(64) as u64;
    let bits = (0..u64::from(WIDTH)).map(|bit| (0..words).map(move |w| word(bit << 8 | w)));
    Lanes::from_bits(bits.map(Iterator::collect).collect(), INSTANCES)
}

fn expected() -> [Lanes; 2] {
    let [x, y, z] = [0, 1, 2].map(lanes);
    let of = |f: fn(u64, u64, u64) -> u64| {
        let bits = x.bits().iter().zip(y.bits()).zip(z.bits());
        let words = |((x, y), z): ((&Vec<u64>, &Vec<u64>), &Vec<u64>)| {
            x.iter().zip(y).zip(z).map(|((x, y), z)| f(*x, *y, *z)).collect()
        };
        Lanes::from_bits(bits.map(words).collect(), INSTANCES)
    };
    [of(|x, y, _| x & y), of(|x, y, z| x ^ (x & y & z))]
}

/// The first output is for the last party, the second for the first two.
fn job(protocol: Protocol, workers: usize) -> Job {
    let last = PartyId(protocol.parties() as u8 - 1);
    let owners = vec![PartyId(0), PartyId(1), PartyId(0)];
    let mut job = Job::new(protocol, owners, vec![vec![last], vec![PartyId(0), PartyId(1)]]);
    job.instances = INSTANCES;
    job.options.workers = workers;
    job.options.preprocessing = Preprocessing::Separate;
    job.blocking = Blocking { block_words: 1, blocks: 2, window_bytes: 0 };
    job
}

/// The stores of some parties, and what each of them keeps outside, in a directory that is gone in the end.
struct Stores {
    directory: tempfile::TempDir,
    parties: usize,
    /// Where in it stores are, and what is outside them.
    stores: &'static str,
    states: &'static str,
    /// Of what the parties are known by, if they have keys that last.
    keys: Option<&'static str>,
}

impl Stores {
    fn new(protocol: Protocol) -> Self {
        let (directory, parties) = (tempfile::tempdir().unwrap(), protocol.parties());
        Stores { directory, parties, stores: "stores", states: "states", keys: None }
    }

    fn path(&self, party: PartyId) -> PathBuf {
        self.directory.path().join(self.stores).join(party.0.to_string())
    }

    fn state(&self, party: PartyId) -> State {
        State::at(&self.directory.path().join(self.states).join(party.0.to_string())).unwrap()
    }

    fn open(&self, party: PartyId) -> Result<Store, EvaluateError> {
        let store = Store::create(&self.path(party), self.state(party))?;
        Ok(match self.keys {
            Some(keys) => store.among(&[format!("{keys} 0"), format!("{keys} 1")]),
            None => store,
        })
    }

    fn of(&self, session: &Session) -> Store {
        self.open(session.me()).unwrap()
    }

    fn listed(&self, party: u8) -> Vec<Listed> {
        self.open(PartyId(party)).unwrap().list().unwrap()
    }

    /// Copies all stores, as `cp` does, or a backup.
    fn copy(&self, to: &str) {
        for party in (0..self.parties as u8).map(PartyId) {
            let to = self.directory.path().join(to).join(party.0.to_string());
            fs::create_dir_all(&to).unwrap();
            fs::set_permissions(&to, fs::metadata(self.path(party)).unwrap().permissions())
                .unwrap();
            for file in fs::read_dir(self.path(party)).unwrap() {
                let file = file.unwrap();
                fs::copy(file.path(), to.join(file.file_name())).unwrap();
            }
        }
    }

    /// Keys that are kept at a party.
    fn keys(&self, party: u8) -> usize {
        let keys = self.state(PartyId(party)).directory().join("keys");
        fs::read_dir(keys).unwrap().count()
    }

    /// What all parties are told, none of whom has anything to use.
    fn refused(&self, job: &Job) -> Vec<String> {
        let results = self.run(job).into_iter();
        results.map(|result| result.err().expect("it is refused").to_string()).collect()
    }

    fn prepare(&self, job: &Job, runs: usize) -> Vec<Report> {
        memory::run(self.parties, job.threads(), &MemoryNetwork::default(), |mut session| {
            let compiled = Compiled::new(&circuit(), job.clone()).unwrap();
            let facts = compiled.facts().iter().map(|(name, v)| (name.to_string(), v.clone()));
            let store = self.of(&session);
            let mut preparation = store.begin(&mut session, "test", facts.collect()).unwrap();
            let mut last = None;
            for _ in 0..runs {
                let entropy = &mut Entropy::system();
                let (prepared, report) = prepare(&mut session, &compiled, entropy).unwrap();
                preparation.add(prepared).unwrap();
                last = Some(report);
            }
            session.finish().unwrap();
            last.unwrap()
        })
    }

    fn run(&self, job: &Job) -> Vec<Result<(String, Evaluation), EvaluateError>> {
        memory::run(self.parties, job.threads(), &MemoryNetwork::default(), |mut session| {
            let compiled = Compiled::new(&circuit(), job.clone())?;
            let (name, prepared) = self.of(&session).take(&mut session, compiled.facts())?;
            let me = session.me();
            let own = |(i, owner): (usize, &PartyId)| (*owner == me).then(|| lanes(i as u64));
            let values = job.owners.iter().enumerate().map(own).collect();
            let stored = (&name[..], prepared);
            let done = evaluate_prepared(&mut session, &compiled, values, stored, &|_| {})?;
            session.finish()?;
            Ok((name, done))
        })
    }

    /// Runs, and gives the name of what was used.
    fn run_well(&self, job: &Job) -> String {
        let results = self.run(job);
        let want = expected();
        let mut name = None;
        for (party, result) in (0..).map(PartyId).zip(results) {
            let (used, done) = result.unwrap_or_else(|e| panic!("{}: {e}", job.protocol()));
            name = Some(used);
            for (port, receivers) in job.receivers.iter().enumerate() {
                let learned = receivers.contains(&party);
                assert!(done.outputs[port].as_ref() == learned.then_some(&want[port]));
            }
            costs_as_predicted(job, &done.report, "online");
        }
        name.unwrap()
    }

    /// Files of a kind at a party, by name.
    fn files(&self, party: u8, kind: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path(PartyId(party))).unwrap();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == kind));
        files.sort();
        files
    }
}

fn costs_as_predicted(job: &Job, report: &Report, phase: &str) {
    let label = format!("{} {phase}", job.protocol());
    assert_eq!(report.cost.rounds, report.cost.predicted_rounds, "{label}");
    for link in &report.cost.links {
        assert_eq!(link.bytes, link.predicted_bytes, "{label}: {link:?}");
        assert!(phase != "online" || link.stream != "ahead", "{label}: {link:?}");
        // Triples are checked before they are stored.
        let checks = tacit_proof::Method::of(job.protocol()).is_some();
        assert!(phase != "preparation" || link.stream != "online" || checks, "{label}: {link:?}");
    }
}

/// Protocols whose preprocessing of [`circuit`] can be stored.
fn storing() -> impl Iterator<Item = Protocol> {
    protocols::on_bits().filter(|protocol| {
        check_storable(&Compiled::new(&circuit(), job(*protocol, 1)).unwrap()).is_ok()
    })
}

/// Those of them that are not there to be compared with.
fn storing_usual() -> impl Iterator<Item = Protocol> {
    storing().filter(|protocol| !protocol.for_comparison())
}

/// With one worker and two in turn; other protocols and numbers are in
/// [`all_stored_runs_give_the_results_at_the_price_of_the_online_phase`].
#[test]
fn stored_runs_give_the_results_at_the_price_of_the_online_phase() {
    let two = [GMW, BMR, HALF_GATES, AUTHENTICATED].map(|protocol| protocol.fitting(2));
    for (i, protocol) in storing_usual().chain(two).enumerate() {
        stored_runs_cost(protocol, &[1 + i % 2]);
    }
}

#[test]
#[ignore = "half a minute: all protocols, each with one worker and with two"]
fn all_stored_runs_give_the_results_at_the_price_of_the_online_phase() {
    let mut protocols = 0;
    let two = [GMW, BMR, HALF_GATES, AUTHENTICATED].map(|protocol| protocol.fitting(2));
    for protocol in storing().chain(two) {
        stored_runs_cost(protocol, &[1, 2]);
        protocols += 1;
    }
    // All but the trusted party.
    assert_eq!(protocols, 40);
}

fn stored_runs_cost(protocol: Protocol, workers: &[usize]) {
    for &workers in workers {
        let (job, stores) = (job(protocol, workers), Stores::new(protocol));
        for report in stores.prepare(&job, 2) {
            costs_as_predicted(&job, &report, "preparation");
        }
        let used = [stores.run_well(&job), stores.run_well(&job)];
        assert_ne!(used[0], used[1]);
        for result in stores.run(&job) {
            let error = result.err().expect("nothing is left").to_string();
            assert!(error.contains("tacit prepare"), "{error}");
        }
    }
}

/// Only the evaluator has a table; the others' files say that they have none.
#[test]
fn tables_that_only_one_party_has_are_stored() {
    for protocol in [BMR.fitting(3), BMR_SHAMIR.fitting(3), BMR_REPLICATED] {
        let job = job(protocol, 2).with(|it| it.opening = Some(Opening::Single));
        let stores = Stores::new(protocol);
        for report in stores.prepare(&job, 1) {
            costs_as_predicted(&job, &report, "preparation");
        }
        // What is stored is for this way to open.
        let other = job.clone().with(|it| it.opening = Some(Opening::Collector));
        assert!(stores.run(&other).iter().all(Result::is_err), "{protocol}");
        stores.run_well(&job);
    }
}

#[test]
fn several_assignments_are_stored_together() {
    let mut job = job(QUAD, 1);
    let second = [3, 1, 0, 2].map(PartyId).to_vec();
    job.options.assignments.push(Assignment { weight: 2, ..Assignment::new(QUAD_HET, second) });
    let stores = Stores::new(QUAD);
    stores.prepare(&job, 1);
    stores.run_well(&job);
}

#[test]
fn products_made_in_several_ways_are_stored() {
    for (protocol, ways) in [
        (QUAD, &["a", "b", "het", "a-crossed"][..]),
        (QUAD, &["b", "b-crossed"]),
        (TRIO, &["straight", "crossed"]),
    ] {
        for workers in [1, 2] {
            let mut job = job(protocol, workers);
            let balance = Balance::of(protocol, ways.iter().map(|way| (*way, 1))).unwrap();
            job.options.assignments = vec![job.options.assignments[0].clone().balanced(balance)];
            let stores = Stores::new(protocol);
            stores.prepare(&job, 1);
            stores.run_well(&job);
        }
    }
}

/// Under authenticated garbling: triples in one session, a garbled circuit in the next, the run in a third. The protocol of
/// its first paper is in [`three_phases_of_a_baseline_run_in_three_sessions`].
#[test]
fn three_phases_run_in_three_sessions_at_their_prices() {
    let settings = [(2, 1), (3, 1), (2, 2)];
    three_phases(&settings.map(|(n, workers)| (AUTHENTICATED.fitting(n), workers)));
}

#[test]
#[ignore = "for a protocol that is there to be compared with"]
fn three_phases_of_a_baseline_run_in_three_sessions() {
    three_phases(&[(WRK17.fitting(3), 1)]);
}

fn three_phases(settings: &[(Protocol, usize)]) {
    for &(protocol, workers) in settings {
        let (job, stores) = (job(protocol, workers), Stores::new(protocol));
        let assignment = job.options.assignments[0].clone();
        let triples = TripleJob { assignment, workers, triples: 900, bits: 2000 };
        let label = format!("{protocol}, {workers} threads");
        memory::run(stores.parties, workers, &MemoryNetwork::default(), |mut session| {
            let store = stores.of(&session);
            let mut preparation = store.begin(&mut session, "triples", triples.facts()).unwrap();
            let entropy = &mut Entropy::system();
            let pieces = preparation.pieces().unwrap();
            let keep = |worker, piece| pieces.put(worker, piece);
            let links = prepare_triples(&mut session, &triples, entropy, &keep).unwrap();
            pieces.finish().unwrap();
            session.finish().unwrap();
            for link in links {
                assert_eq!(link.bytes, link.predicted_bytes, "{label}: {link:?}");
            }
        });
        let garble = |job: &Job| {
            memory::run(stores.parties, workers, &MemoryNetwork::default(), |mut session| {
                let compiled = Compiled::new(&circuit(), job.clone())?;
                let store = stores.of(&session);
                let fits = |facts: &Facts| TripleJob::fits(facts, &compiled);
                let (name, pieces) = store.take_pieces(&mut session, fits)?;
                let give = |worker| pieces.next(worker);
                let facts = compiled.facts().iter().map(|(name, v)| (name.to_string(), v.clone()));
                let mut preparation = store.begin(&mut session, "test", facts.collect())?;
                let (made, report) = prepare_from_triples(&mut session, &compiled, (&name, &give))?;
                preparation.add(made)?;
                session.finish()?;
                costs_as_predicted(job, &report, "preparation");
                Ok::<(), EvaluateError>(())
            })
        };
        // Too few for more instances: they stay.
        let larger = Job { instances: 4 * INSTANCES, ..job.clone() };
        assert!(garble(&larger).iter().all(Result::is_err), "{label}");
        assert!(garble(&job).iter().all(Result::is_ok), "{label}");
        stores.run_well(&job);
        // They are spent.
        assert!(garble(&job).iter().all(Result::is_err), "{label}");
    }
}

/// A cheat can try its luck in every thread: more threads take larger buckets, and what was made in smaller ones is
/// not taken for it.
#[test]
fn more_threads_take_larger_buckets() {
    let assignment = Assignment::in_order(AUTHENTICATED.fitting(2));
    let made = |workers, triples| {
        let job = TripleJob { assignment: assignment.clone(), workers, triples, bits: 0 };
        let leak = job.facts().into_iter().find(|(name, _)| name.contains("leak")).unwrap().1;
        (job.bits_per_triple(), leak, job.bytes().total() / workers as u64)
    };
    let bits = |bucket: u64| 4 * bucket * 128 + 2 * bucket - 1;
    let [one, two, three] = [1, 2, 3].map(|workers| made(workers, 370_728));
    assert_eq!((one.0, two.0, three.0), (bits(3), bits(4), bits(4)));
    assert_eq!([&one.1, &two.1, &three.1], ["2^-40 at most", "2^-41 at most", "2^-42 at most"]);
    assert!(one.2 < two.2);
    assert_eq!(made(2, TripleJob::large(2)).0, bits(3));
    assert_eq!(made(16, TripleJob::large(16)).0, bits(4));
}

/// Four times as many triples take as much memory, and no more than 1 GB for each of two parties.
#[test]
#[ignore = "minutes, and 2 GB on disk"]
fn memory_does_not_grow_with_the_number_of_triples() {
    let protocol = AUTHENTICATED.fitting(2);
    let peaks = [1 << 20, 1 << 22].map(|count| {
        let (stores, assignment) = (Stores::new(protocol), Assignment::in_order(protocol));
        let triples = TripleJob { assignment, workers: 1, triples: count, bits: count };
        memory::run(stores.parties, 1, &MemoryNetwork::default(), |mut session| {
            let store = stores.of(&session);
            let mut preparation = store.begin(&mut session, "triples", triples.facts()).unwrap();
            let pieces = preparation.pieces().unwrap();
            let keep = |worker, piece| pieces.put(worker, piece);
            prepare_triples(&mut session, &triples, &mut Entropy::system(), &keep).unwrap();
            pieces.finish().unwrap();
            let (_, pieces) = store.take_pieces(&mut session, |_| true).unwrap();
            let mut read = 0;
            while let Some(piece) = pieces.next(0).unwrap() {
                read += piece.len();
            }
            // Three sharings for a triple, one bit for a mask.
            assert!(read >= count * (3 * 48 + 32), "{read}");
            session.finish().unwrap();
        });
        let peak = Usage::now().peak_rss_bytes;
        println!("{count} triples: {} MB for two parties", peak / 1_000_000);
        peak
    });
    assert!(peaks[1] < 2_000_000_000 && peaks[1] * 4 < peaks[0] * 5, "{peaks:?}");
}

#[test]
fn what_cannot_be_stored_is_refused() {
    let plain = Compiled::new(&circuit(), job(PLAIN, 1)).unwrap();
    assert!(matches!(check_storable(&plain), Err(EvaluateError::Job(_))));
    let mut mixed = job(LIFT, 1);
    let brain = Assignment::in_order(BRAIN_BUCKETS);
    mixed.options.assignments.push(Assignment { weight: 1, ..brain });
    if let Ok(mixed) = Compiled::new(&circuit(), mixed) {
        assert!(matches!(check_storable(&mixed), Err(EvaluateError::Job(_))));
    }
    let interleaved = job(TRIO, 1).with(|it| it.preprocessing = Preprocessing::Interleaved);
    assert!(check_storable(&Compiled::new(&circuit(), interleaved).unwrap()).is_err());
}

#[test]
fn another_job_is_told_what_differs() {
    let stores = Stores::new(BMR.fitting(3));
    stores.prepare(&job(BMR.fitting(3), 1), 1);
    let other = Job { instances: 64, ..job(BMR.fitting(3), 1) };
    for result in stores.run(&other) {
        let error = result.err().expect("it was made for another job").to_string();
        assert!(error.contains("instances `130` where this run has `64`"), "{error}");
    }
    // It is still there.
    stores.run_well(&job(BMR.fitting(3), 1));
}

/// Neither what a store says of it nor the bytes themselves fit a run that wants to be surer, or less sure, or has
/// other batches. A protocol that stores products too is in
/// [`products_of_another_statistical_parameter_or_batch_are_refused`].
#[test]
fn preprocessing_of_another_statistical_parameter_or_batch_is_refused() {
    others_parameters_are_refused(&[POST, LIFT]);
}

#[test]
#[ignore = "for a protocol that is there to be compared with"]
fn products_of_another_statistical_parameter_or_batch_are_refused() {
    others_parameters_are_refused(&[BRAIN_BUCKETS]);
}

fn others_parameters_are_refused(protocols: &[Protocol]) {
    let strong = |protocol: Protocol| protocol.with_strength(Strength::Strong).unwrap();
    let small = |protocol: Protocol| protocol.with_batch("4096".parse().unwrap()).unwrap();
    for &usual in protocols {
        for (made, wanted) in [strong as fn(Protocol) -> Protocol, small]
            .into_iter()
            .flat_map(|other| [(usual, other(usual)), (other(usual), usual)])
        {
            let stores = Stores::new(made);
            for report in stores.prepare(&job(made, 1), 1) {
                costs_as_predicted(&job(made, 1), &report, "preparation");
            }
            for result in stores.run(&job(wanted, 1)) {
                let error = result.err().expect("it has another parameter").to_string();
                let differ = format!("protocol `{made}` where this run has `{wanted}`");
                assert!(error.contains(&differ), "{error}");
            }
            stores.run_well(&job(made, 1));
            let results = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
                let compiled = Compiled::new(&circuit(), job(made, 1)).unwrap();
                let (kept, _) = prepare(&mut session, &compiled, &mut Entropy::system())?;
                let compiled = Compiled::new(&circuit(), job(wanted, 1))?;
                let own = |(i, owner): (usize, &PartyId)| {
                    (*owner == session.me()).then(|| lanes(i as u64))
                };
                let values = compiled.job().owners.iter().enumerate().map(own).collect();
                let stored =
                    ("one", StoredPreprocessing::insecure_from_bytes(&kept.insecure_bytes()?)?);
                evaluate_prepared(&mut session, &compiled, values, stored, &|_| {}).map(|_| ())
            });
            assert!(results.iter().all(Result::is_err), "{made} for {wanted}: {results:?}");
        }
    }
}

#[test]
fn a_damaged_file_is_named_and_not_used() {
    let job = job(YAO, 1);
    type Damage = fn(&mut Vec<u8>);
    let damages: [Damage; 2] = [
        |bytes| *bytes.last_mut().unwrap() ^= 1,
        |bytes| {
            let middle = bytes.len() - 50;
            bytes[middle] ^= 1;
        },
    ];
    for damage in damages {
        let stores = Stores::new(YAO);
        stores.prepare(&job, 1);
        let path = stores.files(1, "ready").remove(0);
        let mut bytes = fs::read(&path).unwrap();
        damage(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let results = stores.run(&job);
        let error = results[1].as_ref().err().expect("it is damaged").to_string();
        assert!(error.contains(&path.display().to_string()), "{error}");
        assert!(results[0].is_err());
    }
    // One whose head or length is damaged is not offered, and listed.
    let visible: [Damage; 3] = [
        |bytes| *bytes = b"something else".to_vec(),
        |bytes| bytes.truncate(bytes.len() - 7),
        |bytes| bytes.push(0),
    ];
    for damage in visible {
        let stores = Stores::new(YAO);
        stores.prepare(&job, 2);
        let path = stores.files(1, "ready").remove(0);
        let mut bytes = fs::read(&path).unwrap();
        damage(&mut bytes);
        fs::write(&path, bytes).unwrap();
        stores.run_well(&job);
        let listed = stores.listed(1);
        assert_eq!(listed[0].damaged, [path]);
        assert_eq!([listed[0].ready, listed[0].spent], [0, 1]);
    }
}

/// Wherever a party stops, no run's preprocessing is used twice, and the next run goes well.
#[test]
fn nothing_is_used_twice_after_a_crash_at_any_point() {
    let lost = |path: &Path| fs::remove_file(path).unwrap();
    let spent_but_full = |path: &Path| fs::rename(path, path.with_extension("spent")).unwrap();
    let spent = |path: &Path| {
        fs::write(path, b"").unwrap();
        fs::rename(path, path.with_extension("spent")).unwrap();
    };
    let stops: [&dyn Fn(&Path); 3] = [&lost, &spent_but_full, &spent];
    let garbled = [BMR, HALF_GATES, BMR_SHAMIR, AUTHENTICATED].map(|protocol| protocol.fitting(3));
    let all = [GMW.fitting(3); 3].into_iter().chain(garbled).chain([YAO_THREE]);
    for (protocol, stop) in all.zip(stops.into_iter().cycle()) {
        let (job, stores) = (job(protocol, 1), Stores::new(protocol));
        stores.prepare(&job, 3);
        // Party 1 alone had come so far with the first run when all stopped.
        stop(&stores.files(1, "ready")[0]);
        let first = stores.run_well(&job);
        assert!(first.ends_with("run 2"), "{first}");
        assert_eq!(stores.files(0, "ready").len(), 2);
        // A run that fails after all have taken theirs.
        let wrong = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let compiled = Compiled::new(&circuit(), job.clone()).unwrap();
            stores.of(&session).take(&mut session, compiled.facts()).map(|(name, _)| name)
        });
        assert!(wrong.iter().all(|name| name.as_ref().unwrap().ends_with("run 3")));
        assert!(stores.run(&job).iter().all(Result::is_err));
        for party in 0..3 {
            let spent = stores.files(party, "spent");
            assert!(spent.iter().all(|path| fs::metadata(path).unwrap().len() == 0));
        }
    }
}

#[test]
fn a_copy_that_is_put_back_is_refused() {
    let (job, stores) = (job(YAO, 1), Stores::new(YAO));
    stores.prepare(&job, 1);
    let copies: Vec<(PathBuf, Vec<u8>)> = (0..2)
        .map(|party| stores.files(party, "ready").remove(0))
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    stores.run_well(&job);
    for (path, bytes) in copies {
        fs::write(path, bytes).unwrap();
    }
    for result in stores.run(&job) {
        let error = result.err().expect("it was used").to_string();
        assert!(error.contains("tacit prepare"), "{error}");
    }
    let listed = stores.listed(0);
    assert_eq!(listed[0].damaged, stores.files(0, "ready"));
}

#[test]
fn another_build_does_not_use_it() {
    let (job, stores) = (job(YAO, 1), Stores::new(YAO));
    stores.prepare(&job, 1);
    let path = stores.files(0, "ready").remove(0);
    let mut bytes = fs::read(&path).unwrap();
    let key = b"\"build\":\"";
    let at = bytes.windows(key.len()).position(|window| window == key).unwrap() + key.len();
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    fs::write(&path, bytes).unwrap();
    let error = stores.run(&job).remove(0).err().expect("it may be laid out otherwise").to_string();
    assert!(error.contains("another build"), "{error}");
    let listed = stores.listed(0);
    assert_eq!([listed[0].ready, listed[0].foreign], [0, 1]);
}

/// Two runs of the same parties at once: each gets one of its own, and none is lost.
#[test]
fn runs_at_the_same_time_use_different_preprocessing() {
    let (job, stores) = (job(GMW.fitting(2), 1), Stores::new(GMW.fitting(2)));
    stores.prepare(&job, 8);
    let mut used: Vec<String> = Vec::new();
    for _ in 0..4 {
        let both = std::thread::scope(|scope| {
            let one = scope.spawn(|| stores.run_well(&job));
            [stores.run_well(&job), one.join().unwrap()]
        });
        used.extend(both);
    }
    used.sort();
    used.dedup();
    assert_eq!(used.len(), 8, "{used:?}");
    assert!(stores.run(&job).iter().all(Result::is_err));
}

/// A party that takes its run and goes: the others are told that theirs is spent, and the next one goes well.
#[test]
fn a_run_that_fails_after_it_was_spent_is_told_as_lost() {
    let (job, stores) = (job(GMW.fitting(2), 1), Stores::new(GMW.fitting(2)));
    stores.prepare(&job, 2);
    let results = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        let compiled = Compiled::new(&circuit(), job.clone())?;
        let (name, prepared) = stores.of(&session).take(&mut session, compiled.facts())?;
        if session.me() == PartyId(1) {
            return Ok(());
        }
        let values = vec![Some(lanes(0)), None, Some(lanes(2))];
        evaluate_prepared(&mut session, &compiled, values, (&name, prepared), &|_| {})?;
        Ok(())
    });
    let error: &EvaluateError = results[0].as_ref().unwrap_err();
    assert!(matches!(error, EvaluateError::Lost { run, .. } if run.ends_with("run 1")), "{error}");
    assert!(error.to_string().contains("run 1) is spent and lost"), "{error}");
    assert!(stores.run_well(&job).ends_with("run 2"));
}

/// Wherever a crash stops a party that spends a file: the next that opens the store destroys the key, wipes what
/// is left, and does not use it.
#[test]
fn what_a_crash_leaves_of_a_spent_file_is_wiped() {
    let line = |stores: &Stores, ready: &Path| {
        let name = ready.file_stem().unwrap().to_str().unwrap();
        let (preparation, number) = name.split_once('-').unwrap();
        let number: u64 = number.parse().unwrap();
        let ledger = stores.state(PartyId(1)).directory().join("spent");
        let before = fs::read(&ledger).unwrap();
        let line = format!("{preparation} {number} 1\n");
        fs::write(ledger, [&before, line.as_bytes()].concat()).unwrap();
    };
    let entered = |stores: &Stores, ready: &Path| line(stores, ready);
    let linked = |stores: &Stores, ready: &Path| {
        line(stores, ready);
        fs::hard_link(ready, ready.with_extension("spent")).unwrap();
    };
    let renamed = |stores: &Stores, ready: &Path| {
        line(stores, ready);
        fs::rename(ready, ready.with_extension("spent")).unwrap();
    };
    // As by hand: the ledger does not know of it.
    let only_renamed = |_: &Stores, ready: &Path| {
        fs::rename(ready, ready.with_extension("spent")).unwrap();
    };
    type Stop<'s> = &'s dyn Fn(&Stores, &Path);
    let stops: [Stop<'_>; 4] = [&entered, &linked, &renamed, &only_renamed];
    for stop in stops {
        let (job, stores) = (job(GMW.fitting(2), 1), Stores::new(GMW.fitting(2)));
        stores.prepare(&job, 2);
        let ready = stores.files(1, "ready").remove(0);
        let whole = fs::read(&ready).unwrap();
        stop(&stores, &ready);
        assert_eq!(stores.keys(1), 2);
        stores.open(PartyId(1)).unwrap();
        assert_eq!(stores.keys(1), 1);
        for path in stores.files(1, "spent") {
            assert_eq!(fs::metadata(path).unwrap().len(), 0);
        }
        assert!(stores.run_well(&job).ends_with("run 2"));
        // Who puts it back wins nothing.
        stores.files(1, "spent").into_iter().for_each(|path| fs::remove_file(path).unwrap());
        fs::write(&ready, &whole).unwrap();
        assert_eq!(stores.listed(1)[0].damaged, [ready]);
        stores.refused(&job);
    }
}

/// Copies are of no use: what was spent elsewhere is known, and who has not this user's keys can use nothing.
#[test]
fn a_copy_of_a_store_is_refused() {
    let (job, mut stores) = (job(YAO, 1), Stores::new(YAO));
    stores.prepare(&job, 2);
    stores.copy("copies");
    stores.run_well(&job);
    stores.stores = "copies";
    // The second is unused so far.
    assert!(stores.run_well(&job).ends_with("run 2"));
    stores.stores = "stores";
    for error in stores.refused(&job) {
        assert!(error.contains("put back after they were spent"), "{error}");
    }
    // On another machine, or of another user, and never used anywhere.
    stores.prepare(&job, 1);
    stores.copy("elsewhere");
    (stores.stores, stores.states) = ("elsewhere", "others");
    for error in stores.refused(&job) {
        assert!(error.contains("the keys of 2 are not in"), "{error}");
    }
    assert_eq!(stores.listed(0).iter().map(|it| it.copies).sum::<u64>(), 2);
}

#[test]
fn a_store_that_was_restored_is_refused() {
    let (job, stores) = (job(YAO, 1), Stores::new(YAO));
    stores.prepare(&job, 1);
    stores.copy("backup");
    stores.run_well(&job);
    for party in (0..2).map(PartyId) {
        fs::remove_dir_all(stores.path(party)).unwrap();
        let backup = stores.directory.path().join("backup").join(party.0.to_string());
        fs::rename(backup, stores.path(party)).unwrap();
    }
    assert_eq!(stores.files(0, "ready").len(), 1);
    for error in stores.refused(&job) {
        assert!(error.contains("put back after they were spent"), "{error}");
    }
    assert_eq!(stores.keys(0), 0);
}

/// What some parties made is not for others under the same numbers.
#[test]
fn other_parties_are_not_offered_it() {
    let (job, mut stores) = (job(YAO, 1), Stores::new(YAO));
    stores.keys = Some("of alice and bob");
    stores.prepare(&job, 1);
    for others in [Some("of alice and mallory"), None] {
        stores.keys = others;
        for error in stores.refused(&job) {
            assert!(error.contains("made by parties with other keys"), "{error}");
        }
    }
    stores.keys = Some("of alice and bob");
    stores.run_well(&job);
}

#[cfg(unix)]
#[test]
fn a_store_that_others_can_enter_is_refused() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let (job, stores) = (job(YAO, 1), Stores::new(YAO));
    stores.prepare(&job, 1);
    let path = stores.path(PartyId(0));
    let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    for mode in [0o755, 0o710, 0o707] {
        set(mode);
        let error = stores.open(PartyId(0)).err().expect("others can enter it").to_string();
        assert!(error.contains(&format!("mode {mode:04o}")), "{error}");
        assert!(error.contains("chmod 700"), "{error}");
    }
    set(0o700);
    // Only the administrator can give a directory away.
    if chown(&path, Some(65_534), None).is_ok() {
        let error = stores.open(PartyId(0)).err().expect("it is another's").to_string();
        assert!(error.contains("belongs to user 65534"), "{error}");
        chown(&path, Some(0), None).unwrap();
    }
    stores.run_well(&job);
}

/// What is on the disk without the key tells nothing: not even what is the same in all files.
#[test]
fn what_is_stored_is_encrypted_and_its_key_is_gone_when_it_is_spent() {
    let (job, stores) = (job(TRIO, 1), Stores::new(TRIO));
    stores.prepare(&job, 2);
    let bodies: Vec<Vec<u8>> = (0..3)
        .flat_map(|party| stores.files(party, "ready"))
        .map(|path| {
            let bytes = fs::read(path).unwrap();
            let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            bytes[ends.nth(1).unwrap().0 + 1..].to_vec()
        })
        .collect();
    let distinct: BTreeSet<&[u8]> = bodies.iter().flat_map(|body| body.windows(16)).collect();
    let windows: usize = bodies.iter().map(|body| body.len() - 15).sum();
    assert_eq!(distinct.len(), windows);
    assert!((0..3).all(|party| stores.keys(party) == 2));
    stores.run_well(&job);
    assert!((0..3).all(|party| stores.keys(party) == 1));
}

/// What was made for another circuit, or for another party, under the same name: an error, no panic. More protocols are
/// in [`preprocessing_of_another_job_or_party_is_refused_by_baselines`].
#[test]
fn preprocessing_of_another_job_or_party_is_refused() {
    others_preprocessing_is_refused(storing_usual());
}

#[test]
#[ignore = "for protocols that are there to be compared with"]
fn preprocessing_of_another_job_or_party_is_refused_by_baselines() {
    others_preprocessing_is_refused(storing().filter(|protocol| protocol.for_comparison()));
}

fn others_preprocessing_is_refused(protocols: impl Iterator<Item = Protocol>) {
    let network = MemoryNetwork { deadline: Duration::from_millis(500), ..Default::default() };
    for protocol in protocols {
        let (mine, parties) = (job(protocol, 1), protocol.parties());
        let other = Job { instances: 70, ..mine.clone() };
        let make = |job: &Job| -> Vec<Vec<u8>> {
            memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
                let compiled = Compiled::new(&circuit(), job.clone()).unwrap();
                let made = prepare(&mut session, &compiled, &mut Entropy::system()).unwrap();
                session.finish().unwrap();
                made.0.insecure_bytes().unwrap().to_vec()
            })
        };
        let (right, wrong, again) = (make(&mine), make(&other), make(&mine));
        let mut turned = right.clone();
        turned.rotate_left(1);
        // The last: party 0 alone has another run's.
        let mut mixed = right.clone();
        mixed[0] = again[0].clone();
        for (what, kept) in [("job", &wrong), ("party", &turned), ("run", &mixed)] {
            let results = memory::run(parties, 1, &network, |mut session| {
                let compiled = Compiled::new(&circuit(), mine.clone()).unwrap();
                let me = session.me().index();
                let own =
                    |(i, owner): (usize, &PartyId)| (owner.index() == me).then(|| lanes(i as u64));
                let values = mine.owners.iter().enumerate().map(own).collect();
                let stored = ("one", StoredPreprocessing::insecure_from_bytes(&kept[me])?);
                let done = evaluate_prepared(&mut session, &compiled, values, stored, &|_| {})?;
                session.finish()?;
                Ok::<Evaluation, EvaluateError>(done)
            });
            // Without checks, another run's preprocessing may give anything.
            let checked = protocol.is_checked() || protocol.authenticates();
            if what == "run" && !checked {
                continue;
            }
            for (party, result) in results.iter().enumerate() {
                assert!(result.is_err(), "{protocol}: party {party} with another {what}'s");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn others_cannot_read_a_store() {
    use std::os::unix::fs::PermissionsExt;
    let (job, stores) = (job(YAO, 1), Stores::new(YAO));
    stores.prepare(&job, 1);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&stores.path(PartyId(0))), 0o700);
    assert_eq!(mode(&stores.files(0, "ready")[0]), 0o600);
}

/// Preprocessing of another party, or of another run, does not fit together.
#[test]
fn parties_with_different_runs_disagree() {
    let job = job(BMR.fitting(2), 1);
    let kept: Vec<Vec<Mutex<Option<_>>>> = (0..2)
        .map(|_| {
            memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
                let compiled = Compiled::new(&circuit(), job.clone()).unwrap();
                let made = prepare(&mut session, &compiled, &mut Entropy::system()).unwrap();
                session.finish().unwrap();
                Mutex::new(Some(made.0))
            })
        })
        .collect();
    let results = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        let compiled = Compiled::new(&circuit(), job.clone()).unwrap();
        let me = session.me().index();
        let mine = kept[me][me].lock().unwrap().take().unwrap();
        let own = |(i, owner): (usize, &PartyId)| (owner.index() == me).then(|| lanes(i as u64));
        let values = job.owners.iter().enumerate().map(own).collect();
        let stored = (["one", "other"][me], mine);
        evaluate_prepared(&mut session, &compiled, values, stored, &|_| {}).map(|_| ())
    });
    for result in results {
        let error = result.expect_err("they use different runs").to_string();
        assert!(error.contains("stored preprocessing"), "{error}");
    }
}

/// Whatever a file says, with the right digest: an error or another result, no panic and no hang. What names
/// the job and the party is left as it is. More changes are in
/// [`much_changed_preprocessing_ends_in_an_error_or_another_result`].
#[test]
fn changed_preprocessing_ends_in_an_error_or_another_result() {
    changes_of_preprocessing(6);
}

#[test]
#[ignore = "half a minute: many changes"]
fn much_changed_preprocessing_ends_in_an_error_or_another_result() {
    changes_of_preprocessing(40);
}

/// Changes what each protocol stores so many times.
fn changes_of_preprocessing(times: usize) {
    let network = MemoryNetwork { deadline: Duration::from_millis(300), ..Default::default() };
    let mut random = Rng(test_seed());
    let mut refused = 0;
    for protocol in [
        TRIO,
        QUAD,
        BRAIN_BUCKETS,
        GMW.fitting(2),
        BMR.fitting(2),
        BMR_SHAMIR.fitting(3),
        HALF_GATES.fitting(3),
        YAO,
        YAO_THREE,
        AUTHENTICATED.fitting(2),
    ] {
        let (job, parties) = (Job { instances: 1, ..job(protocol, 1) }, protocol.parties());
        for _ in 0..times {
            let kept: Vec<Mutex<Vec<u8>>> =
                memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
                    let compiled = Compiled::new(&circuit(), job.clone()).unwrap();
                    let made = prepare(&mut session, &compiled, &mut Entropy::system()).unwrap();
                    session.finish().unwrap();
                    Mutex::new(made.0.insecure_bytes().unwrap().to_vec())
                });
            let mut bytes = kept[0].lock().unwrap();
            for _ in 0..1 + random.below(3) {
                // Lengths and numbers are near the front of each part.
                let end = if random.below(2) == 0 { bytes.len() } else { 200.min(bytes.len()) };
                let at = 33 + random.below(end - 33);
                bytes[at] = random.word() as u8;
            }
            drop(bytes);
            let results = memory::run(parties, 1, &network, |mut session| {
                let compiled = Compiled::new(&circuit(), job.clone()).unwrap();
                let me = session.me().index();
                let prepared = StoredPreprocessing::insecure_from_bytes(&kept[me].lock().unwrap())?;
                let own = |owner: &PartyId| {
                    let value = Lanes::from_bits(vec![vec![1]; WIDTH as usize], 1);
                    (owner.index() == me).then_some(value)
                };
                let values = job.owners.iter().map(own).collect();
                let stored = ("one", prepared);
                let done = evaluate_prepared(&mut session, &compiled, values, stored, &|_| {})?;
                session.finish()?;
                Ok::<Evaluation, EvaluateError>(done)
            });
            refused += u32::from(results[0].is_err());
        }
    }
    assert!(refused > 0, "nothing was ever noticed");
}

const U8: Element = Element::Int { signed: false, bits: 8 };

const PROGRAM: &str = "program stored\nparties a, b\nrows n <= 100\n\
    input x: u8[n] from a\ninput y: u8[n] from b\ninput k: u8 public\n\
    let p = sum(x * y, axis 0) * k\nreveal p to a\n";

/// Under which protocols, and by what, programs are stored.
fn stored_programs() -> Vec<(Protocol, By)> {
    let brain = [BRAIN_BUCKETS, BRAIN_SACRIFICE, BRAIN_INTEGERS, BRAIN_POLYNOMIALS];
    let in_rings = [
        TRIO,
        ASTRA,
        REPLICATED,
        MULTI_FAN_IN,
        WIDE_LIFT,
        LIFT,
        GALOIS,
        INTEGERS,
        POST,
        TAGGED,
        QUAD,
        QUAD_A,
        QUAD_HET,
        TETRAD,
        FANTASTIC_FOUR,
    ];
    let rings = in_rings.into_iter().chain(brain).filter(|protocol| protocol.has_rings());
    let rings = rings.map(|protocol| (protocol, By::Rings));
    let circuits = [
        TRIO,
        MULTI_FAN_IN,
        WIDE_LIFT,
        QUAD_A,
        TETRAD,
        BRAIN_BUCKETS,
        GMW.fitting(2),
        GMW_TRIPLES.fitting(3),
        GMW_STAR.fitting(3),
        GMW_WIDE.fitting(3),
        GMW_SILENT.fitting(2),
        YAO_SILENT,
        BMR_SILENT.fitting(2),
        BMR_SHAMIR.fitting(3),
        AUTHENTICATED.fitting(2),
    ];
    rings.chain(circuits.map(|protocol| (protocol, By::Circuits))).collect()
}

/// Other protocols are in [`programs_of_baselines_run_on_stored_preprocessing`].
#[test]
fn programs_run_on_stored_preprocessing() {
    programs_run_on_what_is_stored(false);
}

#[test]
#[ignore = "for protocols that are there to be compared with"]
fn programs_of_baselines_run_on_stored_preprocessing() {
    programs_run_on_what_is_stored(true);
}

/// Under protocols that are there to be compared with, or under the others.
fn programs_run_on_what_is_stored(baselines: bool) {
    let program = text::parse("stored.tacit", PROGRAM).unwrap();
    let chosen = |(protocol, _): &(Protocol, By)| protocol.for_comparison() == baselines;
    for (protocol, by) in stored_programs().into_iter().filter(chosen) {
        let stores = Stores::new(protocol);
        let workers = if protocol.garbles() { 1 } else { 2 };
        let parties = vec![PartyId(0), PartyId(1)];
        let job = ProgramJob { by, chunk_rows: 1, ..ProgramJob::new(protocol, parties, vec![3]) }
            .with(|it| {
                (it.workers, it.stored, it.preprocessing) = (workers, true, Preprocessing::Separate)
            });
        let array = |values: &[i128], shape: Vec<usize>| {
            Array::from_values(U8, shape, values.iter().copied()).unwrap()
        };
        let public = |k: i128| [("k".to_string(), array(&[k], vec![]))].into();
        memory::run(stores.parties, workers, &MemoryNetwork::default(), |mut session| {
            let prepared = CompiledProgram::new(&program, job.clone()).unwrap();
            let store = stores.of(&session);
            let facts = program::facts(&prepared, &public(5));
            let mut preparation = store.begin(&mut session, "stored", facts).unwrap();
            let one = |session: &mut Session, compiled: &Compiled| {
                prepare(session, compiled, &mut Entropy::system())
            };
            let (made, links) = program::prepare(&mut session, &prepared, &public(5), one).unwrap();
            let sent: u64 = links.iter().map(|link| link.bytes).sum();
            let expects = protocol.ahead().is_some() || !protocol.has_roles();
            assert!(sent > 0 || !expects, "{protocol} {by}");
            for link in links {
                assert_eq!(link.bytes, link.predicted_bytes, "{protocol} {by}: {link:?}");
            }
            preparation.add(made).unwrap();
            session.finish().unwrap();
        });
        // With another public input, then as prepared, then once more.
        for (k, goes_well) in [(6, false), (5, true), (5, false)] {
            let network = MemoryNetwork::default();
            let results = memory::run(stores.parties, workers, &network, |mut session| {
                let prepared = CompiledProgram::new(&program, job.clone()).unwrap();
                let mut inputs = public(k);
                if session.me().0 < 2 {
                    let (name, values) =
                        [("x", [1, 2, 3]), ("y", [10, 20, 30])][session.me().index()];
                    inputs.insert(name.to_string(), array(&values, vec![3]));
                }
                let facts = program::facts(&prepared, &inputs);
                let facts: Vec<(&str, String)> =
                    facts.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
                let (name, ready) = stores.of(&session).take(&mut session, &facts)?;
                let stored = (&name[..], ready);
                let done = program::run_prepared(&mut session, &prepared, inputs, stored, &|_| {})?;
                session.finish()?;
                for link in &done.report.cost.links {
                    assert_eq!(link.bytes, link.predicted_bytes, "{protocol} {by}: {link:?}");
                    assert_ne!(link.stream, "ahead");
                }
                done.revealed
            });
            for (party, result) in results.into_iter().enumerate() {
                let error = result.as_ref().err().map(ToString::to_string);
                assert_eq!(error.is_none(), goes_well, "{protocol} {by} {k}: {error:?}");
                if let (0, Ok(revealed)) = (party, result) {
                    assert_eq!(revealed[0].1.raw(), [(10 + 40 + 90) * 5], "{protocol} {by}");
                }
            }
        }
    }
}

#[test]
fn preprocessing_of_programs_that_cannot_be_stored_is_refused() {
    let program = text::parse("stored.tacit", PROGRAM).unwrap();
    let job = |protocol, preprocessing| {
        ProgramJob::new(protocol, vec![PartyId(0), PartyId(1)], vec![3])
            .with(|it| it.preprocessing = preprocessing)
    };
    let plain = CompiledProgram::new(&program, job(PLAIN, Preprocessing::Separate));
    assert!(plain.is_err());
    let interleaved = job(TRIO, Preprocessing::Interleaved);
    let prepared = CompiledProgram::new(&program, interleaved).unwrap();
    let error = program::check_storable(&prepared).unwrap_err();
    assert!(error.to_string().contains("interleaved"), "{error}");
    let mut outside = job(TRIO, Preprocessing::Separate);
    outside.parties[1] = PartyId(3);
    let error = CompiledProgram::new(&program, outside).err().unwrap();
    assert!(error.to_string().starts_with("not supported"), "{error}");
}

/// What is used once cannot be written as it is, and read as often as anybody likes: only given up for its bytes.
#[test]
fn preprocessing_has_no_form_that_leaves_it_in_place() {
    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use std::marker::PhantomData;

    struct Of<T>(PhantomData<T>);
    trait Otherwise {
        const WRITTEN: bool = false;
        const READ: bool = false;
    }
    impl<T> Otherwise for Of<T> {}
    /// Found before the trait's, where the type can be written.
    impl<T: Serialize> Of<T> {
        const WRITTEN: bool = true;
    }
    impl<T: DeserializeOwned> Of<T> {
        const READ: bool = true;
    }
    macro_rules! forms {
        ($($it:ty),*) => { [$((Of::<$it>::WRITTEN, Of::<$it>::READ)),*] };
    }
    assert_eq!(forms!(Facts), [(true, true)]);
    let secret = forms!(
        StoredPreprocessing,
        tacit_garbling::authenticated::Ready,
        tacit_garbling::authenticated::Stock,
        tacit_garbling::authenticated::Piece,
        tacit_garbling::bmr::Ready,
        tacit_garbling::yao::Ready,
        tacit_garbling::yao::three::Ready,
        tacit_backend::PutOff,
        tacit_gmw::Pieces,
        tacit_gmw::Ready,
        tacit_sharing::party::Fetched,
        tacit_proof::Stock<tacit_ring::Z2>,
        tacit_sharing::setup::Secrets
    );
    assert_eq!(secret, [(false, false); 13]);
}
