//! Proven products: honest runs cost what the bill says, and whatever one party changes in any
//! message, nothing opens.

use std::sync::{Arc, Mutex};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Phase, Session};
use tacit_ring::{Entropy, Word, Z2, entropy};
use tacit_sharing::arrays::{self, Cut, SharedVec};
use tacit_sharing::cost;
use tacit_sharing::products::Scratch;
use tacit_sharing::proof::Bill;
use tacit_sharing::replicated::{LiftCheck, Replicated};
use tacit_sharing::setup::Secrets;
use tacit_sharing::transfer::{self, Input, Output, TransferScratch};
use tacit_sharing::verify::{Pass, Verifier};
use tacit_sharing::{Party, Protocol, Role, Shares, SharingError, Timing};

const PLACES: [PartyId; 3] = [PartyId(1), PartyId(2), PartyId(0)];
const ROUNDS: Cut = Cut { piece: 5, window: 2 };

/// What the parties compute: results of so many products each.
#[derive(Clone, Copy)]
struct Job {
    results: usize,
    terms: usize,
}

/// What a party has in the end: bytes that the proof took it to send, and what opened.
type Ending<W> = Result<(u64, Vec<W>), SharingError>;

fn words<W: Word>(seed: u128, n: usize) -> Vec<W> {
    let word = |i: u128| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (1..=n as u128).map(|i| W::from_u128(word(i) ^ word(i) >> 57)).collect()
}

/// One party shares both factors, all multiply, prove and open.
fn play<P: Role, W: Word>(session: &mut Session, job: Job, tamper: Option<Tamper>) -> Ending<W> {
    let mesh = &mut session.meshes[0];
    let mut entropy = Entropy::insecure_seeded(entropy::test_seed(), mesh.me().0);
    let mut secrets = Secrets::exchange(mesh, b"test", Protocol::Lift, &PLACES, &mut entropy)?;
    let mut keys = secrets.keys("test", W::BITS, 1).remove(0);
    let mut verifier =
        Verifier::new(Protocol::Lift, &PLACES, b"test".to_vec(), secrets.take_pairs());
    if let Some(tamper) = tamper {
        mesh.set_tamper(tamper);
    }
    let mut party = Party::new(mesh, &PLACES)?.proving(keys.proofs());
    let mut streams = keys.streams();
    party.mesh().set_phase(Phase::Offline);
    let factors = [1, 2].map(|seed| {
        let values: Vec<W> = words(seed, job.results * job.terms);
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
    if job.terms == 1 {
        arrays::multiply::<P, W>(party, &mut draws, &mut scratch, ROUNDS, [&a, &b], &mut out)?;
    } else {
        arrays::dot::<P, W>(party, &mut draws, &mut scratch, ROUNDS, [&a, &b], &mut out)?;
    }
    party.flush()?;
    let before = sent(party);
    let journal = party.take_journal()?;
    let proof = sent(party) - before;
    let pass = verifier.end_epoch(party.mesh(), vec![journal])?;
    let opened = open::<P, W>(party, &pass, &out)?;
    let journal = party.take_journal()?;
    verifier.end_epoch(party.mesh(), vec![journal])?;
    Ok((proof, opened))
}

fn sent(party: &mut Party<'_>) -> u64 {
    party.mesh().meter().total(|_, _, _| true).bytes_sent
}

fn open<P: Role, W: Word>(
    party: &mut Party<'_>,
    pass: &Pass,
    out: &SharedVec<W>,
) -> Result<Vec<W>, SharingError> {
    party.mesh().set_phase(Phase::Open);
    let mut shares = Shares::of::<P>(1, out.len());
    for (to, from) in shares.runs_mut(0).into_iter().zip(out.components()) {
        to.copy_from_slice(from);
    }
    let output = Output { receivers: &[0, 1, 2], slots: &[0] };
    let (mut scratch, mut opened) = (TransferScratch::default(), vec![W::ZERO; out.len()]);
    transfer::output_begin::<P, W>(party, pass, &mut scratch, &shares, output)?;
    transfer::output_finish::<P, W>(party, pass, &mut scratch, &shares, output, &mut opened)?;
    Ok(opened)
}

/// By party, how a run ends in which one party's mesh is tampered with.
fn run<W: Word>(job: Job, cheat: Option<(PartyId, Mutex<Option<Tamper>>)>) -> Vec<Ending<W>> {
    memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        let tamper = cheat.as_ref().filter(|(party, _)| *party == me);
        let tamper = tamper.and_then(|(_, tamper)| tamper.lock().unwrap().take());
        let ending = match PLACES.iter().position(|party| *party == me).unwrap() {
            0 => play::<Replicated<0, LiftCheck>, W>(&mut session, job, tamper),
            1 => play::<Replicated<1, LiftCheck>, W>(&mut session, job, tamper),
            _ => play::<Replicated<2, LiftCheck>, W>(&mut session, job, tamper),
        };
        match ending {
            Ok(ending) => session.finish().map(|()| ending).map_err(Into::into),
            Err(error) => {
                session.abort("a check failed");
                Err(error)
            }
        }
    })
}

fn expected<W: Word>(job: Job) -> Vec<W> {
    let n = job.results * job.terms;
    let products: Vec<W> =
        words::<W>(1, n).into_iter().zip(words(2, n)).map(|(a, b)| a.mul(b)).collect();
    products.chunks(job.terms).map(|terms| terms.iter().fold(W::ZERO, |s, t| s.add(*t))).collect()
}

fn honest<W: Word>(results: usize, terms: usize) {
    let job = Job { results, terms };
    let mut bill = Bill::default();
    bill.add(W::BITS, results, terms);
    bill.finish();
    for ending in run::<W>(job, None) {
        let (proof, opened) = ending.unwrap();
        assert!(opened == expected::<W>(job));
        assert_eq!(proof, cost::proofs(&bill).total() / 3, "{} bits, {results}", W::BITS);
    }
}

#[test]
fn honest_runs_open_and_cost_what_the_bill_says() {
    for results in [1, 2, 3, 15, 16, 17, 63, 65, 300] {
        honest::<Z2>(results, 1);
        honest::<u64>(results, 1);
    }
    for terms in [2, 3, 70] {
        honest::<Z2>(5, terms);
        honest::<u32>(9, terms);
        honest::<u64>(9, terms);
        honest::<u128>(9, terms);
    }
    honest::<u8>(40, 1);
    honest::<u16>(40, 1);
    honest::<u128>(40, 1);
}

#[test]
#[ignore = "whole batches: more products than a build for tests computes quickly"]
fn whole_batches_are_proven_on_the_way() {
    honest::<Z2>((1 << 18) + 5000, 1);
    honest::<u64>((1 << 19) + 700, 1);
    honest::<u64>(9000, 61);
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
    assert!(endings.iter().all(Result::is_ok));
    let seen = seen.lock().unwrap();
    seen.clone()
}

/// Whatever bit of whatever message `party` changes, the run ends without an output for either honest
/// party.
fn nothing_opens<W: Word>(job: Job, party: PartyId) {
    for (index, (phase, bytes)) in messages::<W>(job, party).into_iter().enumerate() {
        for bit in [0, 8 * bytes / 2, 8 * bytes - 1] {
            let tamper = Tamper::flip(index as u64, bit);
            let endings = run::<W>(job, Some((party, Mutex::new(Some(tamper)))));
            let honest = endings.iter().zip(0..).filter(|(_, i)| PartyId(*i) != party);
            for (ending, i) in honest {
                let what = format!("{phase:?}, message {index} of {party:?}, bit {bit}, at {i}");
                // An input that its owner goes on with unchanged makes its products wrong.
                assert!(ending.is_err(), "{what}");
            }
        }
    }
}

#[test]
fn whatever_one_party_changes_nothing_opens() {
    for party in PLACES {
        nothing_opens::<Z2>(Job { results: 20, terms: 1 }, party);
        nothing_opens::<Z2>(Job { results: 3, terms: 2 }, party);
        nothing_opens::<u32>(Job { results: 6, terms: 1 }, party);
        nothing_opens::<u64>(Job { results: 20, terms: 1 }, party);
        nothing_opens::<u64>(Job { results: 4, terms: 3 }, party);
        nothing_opens::<u128>(Job { results: 6, terms: 1 }, party);
    }
}

#[test]
fn a_party_without_keys_for_proofs_computes_nothing() {
    let errors = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let mesh = &mut session.meshes[0];
        let mut party = Party::new(mesh, &PLACES).unwrap();
        let zeros = SharedVec::<u64>::zeros(4);
        let mut out = SharedVec::zeros(4);
        let mut keys = tacit_sharing::party::Keys::insecure_scripted([vec![0; 64], vec![0; 64]]);
        let mut draws = keys.streams().draws().unwrap();
        let factors = [&zeros, &zeros];
        let mut scratch = Scratch::default();
        let cut = Cut::default();
        let result = match party.role() {
            0 => arrays::multiply::<Replicated<0, LiftCheck>, u64>(
                &mut party,
                &mut draws,
                &mut scratch,
                cut,
                factors,
                &mut out,
            ),
            1 => arrays::multiply::<Replicated<1, LiftCheck>, u64>(
                &mut party,
                &mut draws,
                &mut scratch,
                cut,
                factors,
                &mut out,
            ),
            _ => arrays::multiply::<Replicated<2, LiftCheck>, u64>(
                &mut party,
                &mut draws,
                &mut scratch,
                cut,
                factors,
                &mut out,
            ),
        };
        drop(party);
        session.abort("the end of the test");
        result.unwrap_err().to_string()
    });
    assert!(errors.iter().all(|error| error.contains("no keys for proofs")), "{errors:?}");
}
