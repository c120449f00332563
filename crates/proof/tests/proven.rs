//! Products that are proven, or made from proven ones: honest runs cost what the bill says, and whatever one party changes in any
//! message, nothing opens.
//!
//! `make test` leaves out most of what protocols do that are there to be compared with: that is in [`baselines`], long tests,
//! which `make test-all` and `scripts/mutations.py` run.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tacit_backend::cost;
use tacit_backend::protocols::{
    self, BRAIN_POLYNOMIALS, BRAIN_SACRIFICE, GALOIS, INTEGERS, LIFT, POST,
};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, LinkProfile, NetError, PartyId, Phase, Session, Stream};
use tacit_proof::{Bill, Method, Source, Strength};
use tacit_protocol::Baseline;
use tacit_ring::{Entropy, Word, Z2, entropy};
use tacit_sharing::arrays::{self, Cut, MatrixShape, SharedVec};
use tacit_sharing::party::Keys;
use tacit_sharing::products::Scratch;
use tacit_sharing::setup::Secrets;
use tacit_sharing::transfer::{self, Input, Output, TransferScratch};
use tacit_sharing::verify::{Pass, Verifier};
use tacit_sharing::{Party, Protocol, Role, RoleVisitor, Shares, SharingError, Timing};

const PLACES: [PartyId; 3] = [PartyId(1), PartyId(2), PartyId(0)];
const ROUNDS: Cut = Cut { piece: 5, window: 2 };

/// What the parties compute: results of so many products each.
#[derive(Clone, Copy)]
struct Job {
    protocol: Protocol,
    results: usize,
    terms: usize,
    /// As a product of matrices.
    matrix: Option<MatrixShape>,
}

impl Job {
    fn new(protocol: Protocol, results: usize, terms: usize) -> Job {
        Job { protocol, results, terms, matrix: None }
    }

    fn matrix(protocol: Protocol, [rows, inner, columns]: [usize; 3]) -> Job {
        let matrix = Some(MatrixShape { rows, inner, columns });
        Job { matrix, ..Job::new(protocol, rows * columns, inner) }
    }

    /// Words of both factors.
    fn factors(&self) -> [usize; 2] {
        match self.matrix {
            None => [self.results * self.terms; 2],
            Some(MatrixShape { rows, inner, columns }) => [rows * inner, inner * columns],
        }
    }
}

/// All protocols that prove products, or those of them that are there to be compared with.
fn proving(baselines: bool) -> impl Iterator<Item = Protocol> {
    let all = protocols::all().chain(protocols::strong());
    let proving = all.filter(|protocol| protocol.proves_products());
    proving.filter(move |protocol| protocol.for_comparison() == baselines)
}

/// Those that are not there to be compared with.
fn shipped() -> impl Iterator<Item = Protocol> {
    proving(false)
}

/// How long a message is under way.
const DELAY: Duration = Duration::from_millis(10);

/// What a party has in the end.
struct Ended<W> {
    /// Bytes that proofs took it to send.
    proof: u64,
    /// Virtual time before what was left to prove, and after it.
    times: [Duration; 2],
    /// By key for proofs, streams that are not used.
    streams_left: Vec<u64>,
    /// The results, as they opened at once, and as results open.
    at_once: Vec<W>,
    opened: Vec<W>,
}

type Ending<W> = Result<Ended<W>, SharingError>;

fn words<W: Word>(seed: u128, n: usize) -> Vec<W> {
    let word = |i: u128| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (1..=n as u128).map(|i| W::from_u128(word(i) ^ word(i) >> 57)).collect()
}

/// One party shares both factors, all multiply, prove and open.
fn play<P: Role, W: Word>(session: &mut Session, job: Job, tamper: Option<Tamper>) -> Ending<W> {
    let mesh = &mut session.meshes[0];
    let mut entropy = Entropy::insecure_seeded(entropy::test_seed(), mesh.me().0);
    let mut secrets = Secrets::exchange(mesh, b"test", job.protocol, &PLACES, &mut entropy)?;
    let mut keys = secrets.keys("test", W::BITS, 1).remove(0);
    let mut verifier = Verifier::new(job.protocol, &PLACES, b"test".to_vec(), secrets.take_pairs());
    if let Some(tamper) = tamper {
        mesh.set_tamper(tamper);
    }
    let mut party = Party::new(mesh, &PLACES)?.proving(tacit_proof::check_of(&mut keys));
    let mut streams = keys.streams();
    party.mesh().set_phase(Phase::Offline);
    let [of_a, of_b] = job.factors();
    let factors = [(1, of_a), (2, of_b)].map(|(seed, len)| {
        let values: Vec<W> = words(seed, len);
        let mut shares = Shares::of::<P>(1, values.len());
        let input = Input { owner: 0, timing: Timing::Early, slots: &[0], values: &values };
        let (mut draws, mut scratch) = (streams.draws()?, TransferScratch::default());
        transfer::input_begin::<P, W>(&mut party, &mut draws, &mut scratch, &mut shares, input)?;
        transfer::input_finish::<P, W>(&mut party, &mut scratch, &mut shares, input)?;
        Ok::<_, SharingError>(SharedVec::copied(shares.runs(0)))
    });
    let [a, b] = factors;
    let (a, b) = (a?, b?);
    party.mesh().set_phase(Phase::Online);
    let mut out = SharedVec::zeros_of::<P>(job.results);
    let (mut draws, mut scratch) = (streams.draws()?, Scratch::default());
    let party = &mut party;
    if let Some(shape) = job.matrix {
        let factors = [&a, &b];
        arrays::matrix_product::<P, W>(
            party,
            &mut draws,
            &mut scratch,
            ROUNDS,
            shape,
            factors,
            &mut out,
        )?;
    } else if job.terms == 1 {
        arrays::multiply::<P, W>(party, &mut draws, &mut scratch, ROUNDS, [&a, &b], &mut out)?;
    } else {
        arrays::dot::<P, W>(party, &mut draws, &mut scratch, ROUNDS, [&a, &b], &mut out)?;
    }
    party.flush()?;
    let before = party.mesh().now();
    let journal = party.take_journal()?;
    let times = [before, party.mesh().now()];
    // Nothing but proofs is deferred.
    let deferred = |_, stream, _| stream == Stream::Def;
    let proof = party.mesh().meter().total(deferred).bytes_sent;
    // As programs do: something opens with which they go on, then results.
    let pass = verifier.settle(party.mesh(), vec![journal])?;
    let at_once = open_at_once::<P, W>(party, &pass, &out)?;
    let opened = open::<P, W>(party, &pass, &out)?;
    let journal = party.take_journal()?;
    verifier.end_epoch(party.mesh(), vec![journal])?;
    let streams_left =
        party.take_check().map_or(Vec::new(), |check| tacit_proof::streams_left(&*check));
    Ok(Ended { proof, times, streams_left, at_once, opened })
}

fn in_one_slot<P: Role, W: Word>(words: &SharedVec<W>) -> Shares<W> {
    let mut shares = Shares::of::<P>(1, words.len());
    for (to, from) in shares.runs_mut(0).into_iter().zip(words.components()) {
        to.copy_from_slice(from);
    }
    shares
}

fn open_at_once<P: Role, W: Word>(
    party: &mut Party<'_>,
    pass: &Pass,
    out: &SharedVec<W>,
) -> Result<Vec<W>, SharingError> {
    let (shares, mut scratch) = (in_one_slot::<P, W>(out), TransferScratch::default());
    let mut opened = vec![W::ZERO; out.len()];
    transfer::open_at_once::<P, W>(party, pass, &mut scratch, &shares, &[0], &mut opened)?;
    Ok(opened)
}

fn open<P: Role, W: Word>(
    party: &mut Party<'_>,
    pass: &Pass,
    out: &SharedVec<W>,
) -> Result<Vec<W>, SharingError> {
    party.mesh().set_phase(Phase::Open);
    let shares = in_one_slot::<P, W>(out);
    let output = Output { receivers: &[0, 1, 2], slots: &[0] };
    let (mut scratch, mut opened) = (TransferScratch::default(), vec![W::ZERO; out.len()]);
    transfer::output_begin::<P, W>(party, pass, &mut scratch, &shares, output)?;
    transfer::output_finish::<P, W>(party, pass, &mut scratch, &shares, output, &mut opened)?;
    Ok(opened)
}

/// A party's part, in the role that it plays.
struct Play<'s, W> {
    session: &'s mut Session,
    job: Job,
    tamper: Option<Tamper>,
    word: PhantomData<W>,
}

impl<W: Word> RoleVisitor for Play<'_, W> {
    type Out = Ending<W>;
    fn visit<P: Role>(self) -> Ending<W> {
        play::<P, W>(self.session, self.job, self.tamper)
    }
}

/// By party, how a run ends in which one party's mesh is tampered with.
fn run<W: Word>(job: Job, cheat: Option<(PartyId, Mutex<Option<Tamper>>)>) -> Vec<Ending<W>> {
    run_each(job, |me| {
        let tamper = cheat.as_ref().filter(|(party, _)| *party == me);
        tamper.and_then(|(_, tamper)| tamper.lock().unwrap().take())
    })
}

/// The same with what is done to the messages of each party.
fn run_each<W: Word>(
    job: Job,
    tamper: impl Fn(PartyId) -> Option<Tamper> + Sync,
) -> Vec<Ending<W>> {
    let link = LinkProfile { delay: DELAY, ..LinkProfile::default() };
    memory::run(3, 1, &MemoryNetwork::uniform(link), |mut session| {
        let me = session.me();
        let tamper = tamper(me);
        let role = PLACES.iter().position(|party| *party == me).unwrap();
        let part = Play { session: &mut session, job, tamper, word: PhantomData };
        match tacit_backend::visit::visit(job.protocol, role, part) {
            Ok(ending) => session.finish().map(|()| ending).map_err(Into::into),
            Err(error) => {
                session.abort(AbortKind::Failure, "a check failed");
                Err(error)
            }
        }
    })
}

fn expected<W: Word>(job: Job) -> Vec<W> {
    let sum = |terms: &mut dyn Iterator<Item = W>| terms.fold(W::ZERO, W::add);
    if let Some(MatrixShape { inner, columns, .. }) = job.matrix {
        let [x, y] = job.factors();
        let (x, y) = (words::<W>(1, x), words::<W>(2, y));
        let entry = |at: usize| {
            let (row, column) = (at / columns, at % columns);
            sum(&mut (0..inner).map(|k| x[row * inner + k].mul(y[k * columns + column])))
        };
        return (0..job.results).map(entry).collect();
    }
    let n = job.results * job.terms;
    let products: Vec<W> =
        words::<W>(1, n).into_iter().zip(words(2, n)).map(|(a, b)| a.mul(b)).collect();
    products.chunks(job.terms).map(|terms| sum(&mut terms.iter().copied())).collect()
}

/// An honest run, and how many rounds what is left in the end takes to prove.
fn honest<W: Word>(protocol: Protocol, results: usize, terms: usize, rounds: Option<u32>) {
    honest_job::<W>(Job::new(protocol, results, terms), rounds);
}

fn honest_job<W: Word>(job: Job, rounds: Option<u32>) {
    let Job { protocol, results, terms, matrix } = job;
    let mut bill = Bill::of(protocol);
    match matrix {
        Some(shape) => bill.add_matrix(W::BITS, shape),
        None => bill.add(W::BITS, results, terms),
    }
    bill.finish();
    let endings: Vec<Ended<W>> = run(job, None).into_iter().map(Result::unwrap).collect();
    for ended in &endings {
        let what = format!("{protocol}, {} bits, {results} of {terms}", W::BITS);
        assert!(ended.opened == expected::<W>(job), "{what}");
        assert!(ended.at_once == ended.opened, "{what}");
        assert_eq!(ended.proof, cost::proofs(&bill).total() / 3, "{what}");
    }
    if let Some(rounds) = rounds {
        let [before, after] = [0, 1].map(|i| endings.iter().map(|e| e.times[i]).max().unwrap());
        assert_eq!(after - before, DELAY * rounds, "{} bits, {results}", W::BITS);
    }
}

#[test]
fn honest_runs_open_and_cost_what_the_bill_says() {
    for results in [1, 2, 3, 15, 16, 17, 63, 65, 300] {
        honest::<Z2>(LIFT, results, 1, None);
        honest::<u64>(LIFT, results, 1, None);
    }
    honest_runs(shipped());
    for protocol in proving(true) {
        honest::<Z2>(protocol, 17, 1, None);
        honest::<u64>(protocol, 17, 1, None);
    }
}

fn honest_runs(protocols: impl Iterator<Item = Protocol>) {
    for protocol in protocols {
        for results in [1, 17, 90] {
            honest::<Z2>(protocol, results, 1, None);
            honest::<u64>(protocol, results, 1, None);
        }
        for terms in [2, 3, 70] {
            honest::<Z2>(protocol, 5, terms, None);
            honest::<u32>(protocol, 9, terms, None);
            honest::<u64>(protocol, 9, terms, None);
            honest::<u128>(protocol, 9, terms, None);
        }
        honest::<u8>(protocol, 40, 1, None);
        honest::<u16>(protocol, 40, 1, None);
        honest::<u128>(protocol, 40, 1, None);
    }
}

#[test]
fn proofs_take_the_rounds_that_the_docs_say() {
    // A whole batch each.
    honest::<Z2>(LIFT, (1 << 17) - 1, 1, Some(10));
    honest::<u64>(LIFT, (1 << 18) - 1, 1, Some(10));
    honest::<u64>(POST, (1 << 16) - 1, 1, Some(3));
    honest::<Z2>(POST, (1 << 14) - 1, 1, Some(3));
    // Few products: words of 64 bits, and numbers.
    for (words, rounds) in [(1, 3), (4, 3), (5, 4), (512, 4), (513, 6), (2048, 6), (4096, 8)] {
        honest::<Z2>(LIFT, words, 1, Some(rounds));
    }
    for (results, rounds) in [(1, 4), (1024, 4), (1025, 6), (1 << 14, 6), ((1 << 14) + 1, 8)] {
        honest::<u64>(LIFT, results, 1, Some(rounds));
    }
    // Two proofs of bits; two of one claim on a ring, behind two coins and the sums.
    let [lift, post] = [LIFT, POST].map(|it| it.with_strength(Strength::Strong).unwrap());
    honest::<Z2>(lift, (1 << 17) - 1, 1, Some(20));
    honest::<u64>(lift, (1 << 18) - 1, 1, Some(17));
    honest::<u64>(post, (1 << 16) - 1, 1, Some(3));
    honest::<Z2>(post, (1 << 14) - 1, 1, Some(3));
}

#[test]
fn whole_batches_are_proven_on_the_way() {
    honest::<Z2>(LIFT, (1 << 17) + 500, 1, None);
    honest::<u64>(LIFT, (1 << 18) + 70, 1, None);
    honest::<u64>(LIFT, 4400, 61, None);
    honest::<u64>(POST, (1 << 16) + 70, 1, None);
}

/// As sums of both sides, of rows, of columns, or entry by entry; also more at once than are kept.
#[test]
fn matrices_open_and_cost_what_the_bill_says() {
    for protocol in shipped() {
        for shape in [[24, 3, 10], [100, 2, 1], [2, 3, 96], [3, 5, 4]] {
            honest_job::<u32>(Job::matrix(protocol, shape), None);
            honest_job::<u64>(Job::matrix(protocol, shape), None);
        }
        honest_job::<u128>(Job::matrix(protocol, [24, 3, 10]), None);
    }
    for protocol in [LIFT, GALOIS] {
        honest_job::<u64>(Job::matrix(protocol, [24, 3, 10]), None);
        honest_job::<u8>(Job::matrix(protocol, [240, 2, 2]), None);
    }
    honest_job::<u64>(Job::matrix(LIFT, [20, 2300, 20]), None);
    // One round of a coin more than other products take.
    honest_job::<u64>(Job::matrix(LIFT, [64, 2000, 64]), Some(11));
}

#[test]
#[ignore = "many products; smaller ones are in the test above"]
fn large_matrices_open_and_cost_what_the_bill_says() {
    honest_job::<u64>(Job::matrix(LIFT, [600, 600, 600]), None);
    honest_job::<u64>(Job::matrix(LIFT, [200, 4000, 60]), None);
}

/// What is done about products under protocols that are not there to be compared with.
const USUAL: [Method; 3] = [Method::Lift, Method::Post, Method::Tagged];

/// The same with so many products checked together.
fn in_batches(protocols: &[Method], batch: &str) -> Vec<Protocol> {
    let sized = |method: &Method| method.protocol().with_batch(batch.parse().unwrap()).unwrap();
    protocols.iter().map(sized).collect()
}

#[test]
fn batches_of_any_size_open_and_cost_what_the_bill_says() {
    batches_of_any_size(&USUAL);
    for strong in shipped().filter(|protocol| protocol.strength() == Strength::Strong) {
        strong_batches(strong);
    }
}

fn batches_of_any_size(methods: &[Method]) {
    for batch in ["1", "7", "64", "100"] {
        for protocol in in_batches(methods, batch) {
            honest::<Z2>(protocol, 5, 1, None);
            honest::<Z2>(protocol, 2, 3, None);
            honest::<u8>(protocol, 15, 1, None);
            honest::<u32>(protocol, 30, 1, None);
            honest::<u64>(protocol, 4, 5, None);
            honest::<u128>(protocol, 15, 1, None);
        }
    }
}

fn strong_batches(strong: Protocol) {
    for batch in ["64", "100"] {
        let protocol = strong.with_batch(batch.parse().unwrap()).unwrap();
        honest::<Z2>(protocol, 5, 1, None);
        honest::<u64>(protocol, 150, 1, None);
    }
}

/// By batch, what a product costs a role beside the product itself, where there are many: as the docs say.
#[test]
fn smaller_batches_cost_as_much_more_as_the_docs_say() {
    for (name, bits) in [
        ("lift", 0.32),
        ("lift/4096", 18.65),
        ("lift/256", 102.38),
        ("galois", 1.62),
        ("galois/4096", 85.69),
        ("galois/256", 1145.75),
        ("integers", 1.13),
        ("integers/4096", 16.44),
        ("integers/256", 68.25),
        ("post", 208.0),
        ("post/4096", 208.13),
        ("post/256", 210.0),
        ("brain-sacrifice", 312.0),
        ("brain-sacrifice/256", 314.0),
        ("brain-integers", 201.13),
        ("brain-integers/4096", 216.44),
        ("brain-integers/256", 268.25),
        ("brain-batch", 489.13),
        ("brain-batch/4096", 504.44),
        ("brain-batch/256", 556.25),
        ("brain-polynomials", 772.39),
        ("brain-polynomials/4096", 772.63),
        ("brain-polynomials/256", 776.38),
        ("brain-single", 1048.01),
        ("brain-single/256", 1050.0),
        ("brain-buckets", 448.0),
        ("brain-buckets/494303x3", 448.0),
        ("brain-buckets/131072", 640.01),
        ("brain-buckets/4688", 640.33),
        ("brain-buckets/1024", 833.75),
        ("brain-buckets/4096", 640.33),
        ("brain-buckets/453x5", 835.96),
        ("brain-buckets/256", 1032.0),
        ("brain-buckets/111x6", 1042.45),
    ] {
        let n = 1 << 22;
        let mut bill = Bill::of(protocols::named(name).unwrap());
        bill.announce(64, n);
        bill.add(64, n, 1);
        bill.finish();
        let found = 8.0 * (bill.backward + bill.forward) as f64 / n as f64;
        assert!((found - bits).abs() < 0.011, "{name}: {found}");
    }
}

/// Messages that a party sends after key set-up: phase and bytes.
fn messages<W: Word>(job: Job, party: PartyId) -> Vec<(Phase, usize)> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let tamper = Tamper::new(move |message| {
        log.lock().unwrap().push((message.place.phase, message.bytes.len()));
        Verdict::Keep
    });
    let endings = run::<W>(job, Some((party, Mutex::new(Some(tamper)))));
    assert!(endings.iter().all(Ending::is_ok));
    let seen = seen.lock().unwrap();
    seen.clone()
}

/// A coin of one round is fair only because all that it covers has gone to the previous role, which is
/// who shows the half that its sender lacks (`ProofChannel::coin`): inputs, products, and all of a proof but the
/// halves themselves.
#[test]
fn all_that_a_coin_covers_goes_to_the_previous_role() {
    // Elsewhere everybody says first that everything has arrived.
    let both_ways = |protocol| Method::of(protocol).is_some_and(Method::sends_both_ways);
    coins_cover_what_goes_back(shipped().filter(|protocol| !both_ways(*protocol)));
}

fn coins_cover_what_goes_back(protocols: impl Iterator<Item = Protocol>) {
    for protocol in protocols {
        let forward = |traffic: cost::Traffic| -> u64 {
            (0..3).map(|role| traffic.link(role, (role + 1) % 3)).sum()
        };
        for owner in 0..3 {
            assert_eq!(forward(cost::input(protocol, owner, Timing::Early)), 0, "{protocol}");
        }
        assert_eq!(forward(cost::product(protocol)), 0, "{protocol}");
        let job = Job::new(protocol, 90, 1);
        halves_alone_go_forward::<Z2>(job);
        halves_alone_go_forward::<u64>(job);
    }
}

fn halves_alone_go_forward<W: Word>(job: Job) {
    for (role, party) in PLACES.into_iter().enumerate() {
        let (next, seen) = (PLACES[(role + 1) % 3], Arc::new(Mutex::new(Vec::new())));
        let log = seen.clone();
        let tamper = Tamper::new(move |message| {
            // Nothing but proofs is deferred.
            let computing = matches!(message.place.phase, Phase::Offline | Phase::Online);
            if (computing || message.stream == Stream::Def) && message.to == next {
                log.lock().unwrap().push(message.bytes.len());
            }
            Verdict::Keep
        });
        let endings = run::<W>(job, Some((party, Mutex::new(Some(tamper)))));
        assert!(endings.iter().all(Ending::is_ok));
        let seen = seen.lock().unwrap();
        // Four words, once per coin.
        assert!(!seen.is_empty() && seen.iter().all(|bytes| *bytes == 32), "{}", job.protocol);
    }
}

/// Whatever bit of whatever message `party` changes, the run ends without an output for either honest
/// party, and for a reason that an honest party found. A cheat's own checks may notice too, and its word that it ends
/// arrive before an honest party has looked: then the same is done again.
fn nothing_opens<W: Word>(job: Job, party: PartyId) {
    for (index, (phase, bytes)) in messages::<W>(job, party).into_iter().enumerate() {
        for bit in [0, 8 * bytes / 2, 8 * bytes - 1] {
            let seen = (0..20).any(|_| honest_see::<W>(job, party, (index, phase), bit));
            assert!(seen, "{phase:?}, message {index}: no honest party saw it");
        }
    }
}

/// Runs with one bit of a message changed. Whether an honest party noticed, or it made no difference; none has a wrong
/// result.
fn honest_see<W: Word>(
    job: Job,
    party: PartyId,
    (index, phase): (usize, Phase),
    bit: usize,
) -> bool {
    let tamper = Tamper::flip(index as u64, bit);
    let endings = run::<W>(job, Some((party, Mutex::new(Some(tamper)))));
    let mut seen = false;
    for (ending, i) in endings.iter().zip(0..).filter(|(_, i)| PartyId(*i) != party) {
        let what = format!("{phase:?}, message {index} of {party:?}, bit {bit}, at {i}");
        // Errors modulo a higher power of two are none.
        if let Ok(ended) = ending
            && is_redundant(job.protocol)
        {
            assert!(ended.opened == expected::<W>(job), "{what}");
            seen = true;
            continue;
        }
        // An input that its owner goes on with unchanged makes its products wrong.
        let Err(SharingError::Net(error)) = ending else { panic!("{what}") };
        match error {
            NetError::Check(check) => {
                seen = true;
                assert!(check_of(phase).iter().any(|c| check.contains(c)), "{what}: {check}");
            }
            // Which check it was is not told.
            NetError::PeerAborted { kind: AbortKind::Misbehaviour, reason, .. } => {
                assert!(reason.contains("a check of the protocol failed"), "{what}: {reason}");
            }
            // Who cheats is told as well, and may be gone before the other honest party is.
            NetError::Closed { peer, .. } if peer.id == party => {}
            other => panic!("{what}: {other}"),
        }
    }
    seen
}

/// Whether products are computed on more bits than count in the end.
fn is_redundant(protocol: Protocol) -> bool {
    let method = Method::of(protocol);
    let sacrifices =
        |it| matches!(it, Method::Post | Method::Tagged | Method::Brain(Source::Sacrifice, _));
    method.is_some_and(sacrifices)
}

/// Where a change of a message of a phase is noticed.
fn check_of(phase: Phase) -> &'static [&'static str] {
    match phase {
        Phase::Online => &["transcripts differ", "out of range"],
        Phase::Open => &["transcripts differ", "opened different values"],
        _ => &[
            "transcripts differ",
            "are not products",
            "out of range",
            "the same coin",
            "all has arrived",
            "did not show what it committed to",
            "did not confirm",
        ],
    }
}

#[test]
fn whatever_one_party_changes_nothing_opens() {
    changes_in_all_messages(shipped);
}

fn changes_in_all_messages<P: Iterator<Item = Protocol>>(all: impl Fn() -> P) {
    for party in PLACES {
        for protocol in all() {
            let job = |results, terms| Job::new(protocol, results, terms);
            nothing_opens::<Z2>(job(20, 1), party);
            nothing_opens::<Z2>(job(3, 2), party);
            nothing_opens::<u32>(job(6, 1), party);
            nothing_opens::<u64>(job(20, 1), party);
            nothing_opens::<u64>(job(4, 3), party);
            nothing_opens::<u128>(job(6, 1), party);
            nothing_opens::<u64>(Job::matrix(protocol, [24, 2, 10]), party);
        }
    }
}

/// Nor in the levels of a proof, which few products do not have: the first level of bits, one that folds what it leaves, and one
/// that folds numbers.
#[test]
fn whatever_one_party_changes_in_levels_of_a_proof_nothing_opens() {
    changes_in_levels(&[LIFT]);
}

fn changes_in_levels(protocols: &[Protocol]) {
    for (protocol, party) in protocols.iter().flat_map(|it| PLACES.map(|party| (*it, party))) {
        nothing_opens::<Z2>(Job::new(protocol, 5, 1), party);
        nothing_opens::<Z2>(Job::new(protocol, 513, 1), party);
        nothing_opens::<u64>(Job::new(protocol, 1025, 1), party);
    }
}

/// Nor in the integer products of masks of a short proof, which follow the sums over sets in one message: here in their lowest bits,
/// with which they stay in range. No honest party sends anything that opens.
#[test]
fn a_changed_product_of_masks_ends_the_run_before_anything_opens() {
    for protocol in [LIFT, LIFT.with_strength(Strength::Strong).unwrap()] {
        for party in PLACES {
            products_of_masks::<u32>(Job::new(protocol, 6, 1), party);
            products_of_masks::<u64>(Job::new(protocol, 20, 1), party);
            products_of_masks::<u64>(Job::new(protocol, 4, 3), party);
            products_of_masks::<u128>(Job::new(protocol, 6, 1), party);
        }
    }
}

fn products_of_masks<W: Word>(job: Job, party: PartyId) {
    let strong = job.protocol.strength() == Strength::Strong;
    let (sets, proofs, hides) = if strong { (65, 2, 88) } else { (41, 1, 64) };
    // Of three times so many products, of components of as many bits in all.
    let bytes = |bits: u32, products: usize| -> usize {
        let most = bits + (3 * products).ilog2() + 1;
        (most + hides + 1).div_ceil(8) as usize
    };
    let terms = job.results * job.terms;
    // A component of a mask is a sum of two draws of 128 bits.
    let (sum, product) = (bytes(2 * W::BITS, terms), bytes(128 + W::BITS, 2 * terms));
    let of_both = (Phase::Verify, sets * sum + proofs * product);
    let sent = messages::<W>(job, party);
    let at = sent.iter().position(|message| *message == of_both).expect("sums and products");
    for proof in 0..proofs {
        let bit = 8 * (sets * sum + proof * product);
        let what = format!("{}, {} bits, product {proof} of {party:?}", job.protocol, W::BITS);
        let seen = (0..20).any(|_| honest_see::<W>(job, party, (at, Phase::Verify), bit));
        assert!(seen, "{what}: no honest party saw it");
        let opens = Arc::new(Mutex::new(false));
        let endings = run_each::<W>(job, |me| {
            if me == party {
                return Some(Tamper::flip(at as u64, bit));
            }
            let log = opens.clone();
            Some(Tamper::new(move |message| {
                *log.lock().unwrap() |= message.place.phase == Phase::Open;
                Verdict::Keep
            }))
        });
        assert!(endings.iter().all(Result::is_err), "{what}");
        assert!(!*opens.lock().unwrap(), "{what}: an honest party opens");
    }
}

/// Nor in a level that another one follows: in messages of the proof.
#[test]
fn whatever_one_party_changes_in_many_levels_of_a_proof_nothing_opens() {
    let job = Job::new(LIFT, (1 << 14) + 1, 1);
    for party in PLACES {
        let all = messages::<u64>(job, party).into_iter().enumerate();
        for (index, (phase, bytes)) in all.filter(|(_, (phase, _))| *phase == Phase::Verify) {
            let seen = (0..20).any(|_| honest_see::<u64>(job, party, (index, phase), 4 * bytes));
            assert!(seen, "{phase:?}, message {index}: no honest party saw it");
        }
    }
}

/// Nor in a matrix that is proven at once, from where it is: its results, and the first, a middle and the last message of
/// what proves it.
#[test]
fn whatever_one_party_changes_in_a_large_matrix_nothing_opens() {
    let job = Job::matrix(LIFT, [1100, 1000, 1]);
    for party in PLACES {
        let all = messages::<u64>(job, party);
        let of = |phase: Phase| -> Vec<usize> {
            (0..all.len()).filter(|index| all[*index].0 == phase).collect()
        };
        let (online, proofs) = (of(Phase::Online), of(Phase::Verify));
        let chosen = [online[online.len() / 2], proofs[0], proofs[proofs.len() / 2]];
        for index in chosen.into_iter().chain(proofs.last().copied()) {
            let (phase, bytes) = all[index];
            let seen = (0..20).any(|_| honest_see::<u64>(job, party, (index, phase), 4 * bytes));
            assert!(seen, "{phase:?}, message {index}: no honest party saw it");
        }
    }
}

/// Nor in batches of another size, of which some are checked on the way.
#[test]
fn whatever_one_party_changes_in_small_batches_nothing_opens() {
    changes_in_small_batches(&USUAL);
}

fn changes_in_small_batches(methods: &[Method]) {
    for (protocol, party) in in_batches(methods, "7").into_iter().zip(PLACES.iter().cycle()) {
        let job = |results, terms| Job::new(protocol, results, terms);
        nothing_opens::<u64>(job(20, 1), *party);
        nothing_opens::<u32>(job(4, 3), *party);
        nothing_opens::<Z2>(job(2, 1), *party);
    }
}

/// Products of redundant words are cut before they open: what is above tells of carries.
#[test]
fn what_opens_of_a_result_is_no_wider_than_its_ring() {
    widths_of_what_opens(shipped());
}

fn widths_of_what_opens(protocols: impl Iterator<Item = Protocol>) {
    for protocol in protocols {
        let job = Job::new(protocol, 20, 1);
        for party in PLACES {
            let opening = |(phase, bytes): (Phase, usize)| (phase == Phase::Open).then_some(bytes);
            let opened: usize = messages::<u32>(job, party).into_iter().filter_map(opening).sum();
            // At once to two roles, and then to one.
            assert_eq!(opened, 3 * 20 * size_of::<u32>(), "{protocol}: {party:?}");
        }
    }
}

/// Two holders of a key draw alike, whatever they compute: else shares would not fit together.
#[test]
fn both_holders_of_a_key_are_at_the_same_place_of_its_stream() {
    places_of_streams(shipped());
}

fn places_of_streams(protocols: impl Iterator<Item = Protocol>) {
    for protocol in protocols {
        for (results, terms) in [(17, 1), (5, 3)] {
            let endings = run::<u64>(Job::new(protocol, results, terms), None);
            let left: Vec<Vec<u64>> =
                endings.into_iter().map(|ending| ending.unwrap().streams_left).collect();
            let by_role = PLACES.map(|party| &left[party.index()]);
            for role in 0..3 {
                let next = by_role[(role + 1) % 3];
                // A role's first key is its next role's second one.
                assert_eq!(by_role[role][0], next[1], "{protocol}: role {role}");
            }
        }
    }
}

/// Products one after the other, in batches that are proven on the way: whether the results open.
struct LongRun<'s> {
    session: &'s mut Session,
    batches: usize,
    tamper: Option<Tamper>,
}

/// Products of a batch.
const BATCH: usize = 1 << 18;

fn odd_words() -> Vec<u64> {
    words::<u64>(1, BATCH).into_iter().map(|word| word | 1).collect()
}

impl RoleVisitor for LongRun<'_> {
    type Out = Ending<u64>;
    fn visit<P: Role>(self) -> Ending<u64> {
        let LongRun { session, batches, tamper } = self;
        let mesh = &mut session.meshes[0];
        let mut entropy = Entropy::insecure_seeded(entropy::test_seed(), mesh.me().0);
        let protocol = LIFT;
        let mut secrets = Secrets::exchange(mesh, b"test", protocol, &PLACES, &mut entropy)?;
        let mut keys = secrets.keys("test", u64::BITS, 1).remove(0);
        let mut verifier = Verifier::new(protocol, &PLACES, b"test".to_vec(), secrets.take_pairs());
        tamper.into_iter().for_each(|tamper| mesh.set_tamper(tamper));
        let mut party = Party::new(mesh, &PLACES)?.proving(tacit_proof::check_of(&mut keys));
        let mut streams = keys.streams();
        party.mesh().set_phase(Phase::Online);
        // Public numbers are shared like any others.
        let mut base = SharedVec::zeros_of::<P>(BATCH);
        for (i, value) in odd_words().into_iter().enumerate() {
            [base.first[i], base.second[i]] = P::constant(value);
        }
        let mut factor = SharedVec::copied(base.components());
        let mut product = SharedVec::zeros_of::<P>(BATCH);
        let mut scratch = Scratch::default();
        for _ in 0..batches {
            let (mut draws, factors) = (streams.draws()?, [&factor, &base]);
            let (cut, out) = (Cut::default(), &mut product);
            arrays::multiply::<P, u64>(&mut party, &mut draws, &mut scratch, cut, factors, out)?;
            std::mem::swap(&mut factor, &mut product);
        }
        party.flush()?;
        let journal = party.take_journal()?;
        let pass = verifier.end_epoch(party.mesh(), vec![journal])?;
        let opened = open::<P, u64>(&mut party, &pass, &factor)?;
        let journal = party.take_journal()?;
        verifier.end_epoch(party.mesh(), vec![journal])?;
        Ok(Ended {
            proof: 0,
            times: [Duration::ZERO; 2],
            streams_left: Vec::new(),
            at_once: Vec::new(),
            opened,
        })
    }
}

fn long_run(batches: usize, cheat: Option<(PartyId, usize)>) -> Vec<Ending<u64>> {
    memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        let tamper = cheat.filter(|(party, _)| *party == me).map(|(_, batch)| {
            let mut seen = 0;
            Tamper::new(move |m| {
                if m.place.phase != Phase::Online {
                    return Verdict::Keep;
                }
                let (start, mut bytes) = (seen, m.bytes.to_vec());
                seen += bytes.len();
                // One bit of one product of the batch.
                if (start..seen).contains(&(8 * (batch * BATCH + BATCH / 3))) {
                    bytes[0] ^= 1;
                }
                Verdict::Replace(bytes)
            })
        });
        let role = PLACES.iter().position(|party| *party == me).unwrap();
        match tacit_backend::visit::visit(
            LIFT,
            role,
            LongRun { session: &mut session, batches, tamper },
        ) {
            Ok(ending) => session.finish().map(|()| ending).map_err(Into::into),
            Err(error) => {
                session.abort(AbortKind::Failure, "a check failed");
                Err(error)
            }
        }
    })
}

#[test]
#[ignore = "2^24 products, twice"]
fn one_wrong_product_of_millions_leaves_nobody_a_result() {
    let batches = (1 << 24) / BATCH;
    let power = |base: u64| base.wrapping_pow(batches as u32 + 1);
    let expected: Vec<u64> = odd_words().into_iter().map(power).collect();
    for ended in long_run(batches, None) {
        assert!(ended.unwrap().opened == expected);
    }
    let random = Entropy::insecure_seeded(entropy::test_seed(), 9).seed().unwrap();
    let batch = usize::from(random.expose()[0]) % batches;
    let (cheat, results) = (PLACES[2], long_run(batches, Some((PLACES[2], batch))));
    for (result, party) in results.iter().zip(0..).filter(|(_, party)| PartyId(*party) != cheat) {
        assert!(result.is_err(), "an error in batch {batch}: party {party} has a result");
    }
}

#[test]
fn a_party_without_keys_for_proofs_computes_nothing() {
    struct Bare<'m>(Party<'m>);
    impl RoleVisitor for Bare<'_> {
        type Out = String;
        fn visit<P: Role>(mut self) -> String {
            let (zeros, mut out) = (SharedVec::<u64>::zeros(4), SharedVec::zeros(4));
            let mut keys = Keys::insecure_scripted([vec![0; 64], vec![0; 64]]);
            let (mut draws, mut scratch) = (keys.streams().draws().unwrap(), Scratch::default());
            let (party, factors) = (&mut self.0, [&zeros, &zeros]);
            arrays::multiply::<P, u64>(party, &mut draws, &mut scratch, ROUNDS, factors, &mut out)
                .unwrap_err()
                .to_string()
        }
    }
    let errors = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let party = Party::new(&mut session.meshes[0], &PLACES).unwrap();
        let error = tacit_backend::visit::visit(LIFT, party.role(), Bare(party));
        session.abort(AbortKind::Failure, "the end of the test");
        error
    });
    // Another's end may come first.
    let expected =
        |error: &String| ["no keys for proofs", "the end"].iter().any(|e| error.contains(e));
    assert!(errors.iter().all(expected), "{errors:?}");
    assert!(errors.iter().any(|error| error.contains("no keys for proofs")), "{errors:?}");
}

/// What the tests above do, under protocols that are there to be compared with.
mod baselines {
    use super::*;

    fn methods() -> Vec<Method> {
        Method::all().filter(|method| !USUAL.contains(method)).collect()
    }

    #[test]
    #[ignore = "for protocols that are there to be compared with"]
    fn baselines_open_and_cost_what_the_bill_says() {
        honest_runs(proving(true));
        batches_of_any_size(&methods());
        let strong = |protocol: &Protocol| protocol.strength() == Strength::Strong;
        proving(true).filter(strong).for_each(strong_batches);
        // Buckets of a size that was asked for.
        for name in ["brain-buckets/453x5", "brain-buckets/1000x6", "brain-buckets@64/5000x6"] {
            let protocol = protocols::named(name).unwrap();
            honest::<Z2>(protocol, 9, 1, None);
            honest::<u64>(protocol, 20, 1, None);
            honest::<u64>(protocol, 1200, 1, None);
        }
        coins_cover_what_goes_back(proving(true));
        widths_of_what_opens(proving(true));
        places_of_streams(proving(true));
    }

    #[test]
    #[ignore = "for protocols that are there to be compared with"]
    fn proofs_of_baselines_take_the_rounds_that_the_docs_say() {
        honest::<u64>(INTEGERS, (1 << 16) - 1, 1, Some(6));
        honest::<Z2>(INTEGERS, (1 << 17) - 1, 1, Some(10));
        // A sixteenth of a batch: it takes 16.
        honest::<u64>(GALOIS, (1 << 14) - 1, 1, Some(10));
    }

    #[test]
    #[ignore = "for protocols that are there to be compared with"]
    fn whole_batches_of_baselines_are_proven_on_the_way() {
        honest::<u64>(INTEGERS, (1 << 16) + 70, 1, None);
        honest::<u64>(INTEGERS, 1100, 61, None);
        honest::<u64>(BRAIN_SACRIFICE, (1 << 16) + 70, 1, None);
        honest::<u64>(BRAIN_POLYNOMIALS, 1000, 1, None);
        honest::<Z2>(BRAIN_SACRIFICE, (1 << 14) + 70, 1, None);
    }

    #[test]
    #[ignore = "for protocols that are there to be compared with"]
    fn whatever_one_party_changes_under_baselines_nothing_opens() {
        changes_in_all_messages(|| proving(true));
    }

    #[test]
    #[ignore = "for protocols that are there to be compared with"]
    fn whatever_one_party_changes_in_levels_of_proofs_of_baselines_nothing_opens() {
        changes_in_levels(&[GALOIS, INTEGERS]);
    }

    #[test]
    #[ignore = "for protocols that are there to be compared with"]
    fn whatever_one_party_changes_in_small_batches_of_baselines_nothing_opens() {
        use Source::{Buckets, Integers, Polynomials};
        let here = Baseline::HERE.unwrap();
        let brain = [Buckets, Integers, Polynomials].map(|source| Method::Brain(source, here));
        changes_in_small_batches(
            &[&brain[..], &[Method::Galois(here), Method::Integers(here)]].concat(),
        );
        let protocol = protocols::named("brain-buckets/453x5").unwrap();
        nothing_opens::<u64>(Job::new(protocol, 460, 1), PLACES[1]);
    }
}
