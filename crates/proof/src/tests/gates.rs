//! Polynomial gates that are proven: what they cost, what a cheat can do, what it sees, and what checks that are left out would
//! let pass.

use super::PLACES;
use crate::bits;
use crate::channel::ProofChannel;
use crate::field::Gf64;
use crate::fold::Hiding;
use crate::wide_lift::WideLift;
use crate::{Bill, Proofs, WIDE_LIFT};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;
use tacit_circuit::Poly;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, PartyId, Phase, Session, Stream};
use tacit_ring::gf64::{Multiplier, Portable};
use tacit_ring::{Entropy, Word, Z2, entropy};
use tacit_sharing::multi_fan_in::plan::{Form, PolyPlan};
use tacit_sharing::multi_fan_in::wide::{self, Gate, WideScratch};
use tacit_sharing::party::{Keys, Party};
use tacit_sharing::products::{self, Scratch};
use tacit_sharing::role::Canonical;
use tacit_sharing::setup::Secrets;
use tacit_sharing::transfer::{self, Input, Output, TransferScratch};
use tacit_sharing::verify::{Journal, Pass, Verifier};
use tacit_sharing::{Role, Shares, SharingError, Timing};

/// A gate, the slots that it reads and those that it writes.
#[derive(Clone)]
struct Placed {
    plan: PolyPlan,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
}

/// Inputs, one per slot, of the roles in turn, and gates on them, of which some outputs open.
#[derive(Clone)]
struct Case<W> {
    values: Vec<Vec<W>>,
    gates: Vec<Placed>,
    /// Products of two factors behind the gates: result, and factors.
    products: Vec<[u32; 3]>,
    opened: Vec<u32>,
    timing: Timing,
}

fn poly<W: Word>(values: Vec<Vec<W>>, poly: &Poly) -> Case<W> {
    let (inputs, outputs) = (values.len() as u32, poly.outputs().len() as u32);
    let outputs: Vec<u32> = (inputs..inputs + outputs).collect();
    let plan = PolyPlan::new(poly, Form::Dealer);
    let gates = vec![Placed { plan, inputs: (0..inputs).collect(), outputs: outputs.clone() }];
    Case { values, gates, products: Vec::new(), opened: outputs, timing: Timing::Early }
}

fn product<W: Word>(values: Vec<Vec<W>>) -> Case<W> {
    let all = ((1u32 << values.len()) - 1) as u16;
    let one = Poly::new(values.len() as u8, vec![vec![all]]);
    poly(values, &one)
}

/// Values that look random, as many words in each.
fn values<W: Word>(seed: u64, inputs: usize, words: usize) -> Vec<Vec<W>> {
    let mut rng = entropy::Rng(seed);
    (0..inputs)
        .map(|_| {
            let run = rng.words(2 * words);
            let word = |two: &[u64]| W::from_u128(u128::from(two[0]) << 64 | u128::from(two[1]));
            run.chunks_exact(2).map(word).collect()
        })
        .collect()
}

impl<W: Word> Case<W> {
    fn words(&self) -> usize {
        self.values[0].len()
    }

    fn slots(&self) -> usize {
        let outputs: usize = self.gates.iter().map(|gate| gate.outputs.len()).sum();
        self.values.len() + outputs + self.products.len()
    }

    /// What all slots hold.
    fn in_the_clear(&self, polys: &[&Poly]) -> Vec<Vec<W>> {
        let mut slots = self.values.clone();
        for (gate, poly) in self.gates.iter().zip(polys) {
            for output in poly.outputs() {
                let value = |word: usize| {
                    output.iter().fold(W::ZERO, |sum, mask| {
                        let factors = (0..poly.arity()).filter(|i| mask >> i & 1 == 1);
                        let one = factors.fold(W::ONE, |product, i| {
                            product.mul(slots[gate.inputs[i] as usize][word])
                        });
                        sum.add(one)
                    })
                };
                slots.push((0..self.words()).map(value).collect());
            }
        }
        for [_, a, b] in &self.products {
            let [a, b] = [a, b].map(|slot| &slots[*slot as usize]);
            let product = a.iter().zip(b).map(|(a, b)| a.mul(*b)).collect();
            slots.push(product);
        }
        slots
    }
}

/// What a role has in the end.
struct Ended<W> {
    opened: Vec<Vec<W>>,
    /// Bytes of proofs that it sent.
    proof: u64,
}

/// Components of all slots before anything is proven, own and next, by role.
type Shared<W> = [Mutex<Vec<[Vec<W>; 2]>>; 3];

fn play<P: Role, W: Word>(
    session: &mut Session,
    case: &Case<W>,
    computed: &Shared<W>,
    tamper: Option<Tamper>,
) -> Result<Ended<W>, SharingError> {
    let mesh = &mut session.meshes[0];
    let mut entropy = Entropy::insecure_seeded(entropy::test_seed(), mesh.me().0);
    let mut secrets = Secrets::exchange(mesh, b"test", WIDE_LIFT, &PLACES, &mut entropy)?;
    let mut keys = secrets.keys("test", W::BITS, 1).remove(0);
    let mut verifier = Verifier::new(WIDE_LIFT, &PLACES, b"test".to_vec(), secrets.take_pairs());
    if let Some(tamper) = tamper {
        mesh.set_tamper(tamper);
    }
    let mut party = Party::new(mesh, &PLACES)?.proving(crate::check_of(&mut keys));
    let (mut streams, party) = (keys.streams(), &mut party);
    party.mesh().set_phase(Phase::Online);
    let mut shares = Shares::of::<P>(case.slots(), case.words());
    let (mut draws, mut transfers) = (streams.draws()?, TransferScratch::default());
    for (slot, values) in case.values.iter().enumerate() {
        let slots = &[slot as u32];
        let owner = slot % 3;
        let input = Input { owner, timing: case.timing, slots, values };
        let shares = &mut shares;
        transfer::input_begin::<P, W>(party, &mut draws, &mut transfers, shares, input)?;
        transfer::input_finish::<P, W>(party, &mut transfers, shares, input)?;
    }
    let mut scratch = WideScratch::default();
    for gate in &case.gates {
        let gate = Gate { plan: &gate.plan, inputs: &gate.inputs, outputs: &gate.outputs };
        wide::begin::<P, W>(party, &mut draws, &mut scratch, &mut shares, gate)?;
        wide::finish::<P, W>(party, &mut draws, &mut scratch, &mut shares, gate)?;
    }
    let mut two = Scratch::default();
    for &[dst, a, b] in &case.products {
        let gates = &[tacit_circuit::schedule::Product { dst, a, b }];
        products::begin::<P, W>(party, &mut draws, &mut two, &mut shares, gates)?;
        products::finish::<P, W>(party, &mut draws, &mut two, &mut shares, gates)?;
    }
    let components = |slot| {
        let [own, next, _] = shares.runs(slot);
        [own.to_vec(), next.to_vec()]
    };
    *computed[P::ROLE].lock().unwrap() = (0..case.slots() as u32).map(components).collect();
    party.flush()?;
    let journal = party.take_journal()?;
    let deferred = |_, stream, _| stream == Stream::Def;
    let proof = party.mesh().meter().total(deferred).bytes_sent;
    let pass = verifier.end_epoch(party.mesh(), vec![journal])?;
    let opened = open::<P, W>(party, &pass, &shares, &case.opened)?;
    let journal = party.take_journal()?;
    verifier.end_epoch(party.mesh(), vec![journal])?;
    Ok(Ended { opened, proof })
}

fn open<P: Role, W: Word>(
    party: &mut Party<'_>,
    pass: &Pass,
    shares: &Shares<W>,
    slots: &[u32],
) -> Result<Vec<Vec<W>>, SharingError> {
    let output = Output { receivers: &[0, 1, 2], slots };
    let mut scratch = TransferScratch::default();
    let mut opened = vec![W::ZERO; slots.len() * shares.words()];
    transfer::output_begin::<P, W>(party, pass, &mut scratch, shares, output)?;
    transfer::output_finish::<P, W>(party, pass, &mut scratch, shares, output, &mut opened)?;
    Ok(opened.chunks_exact(shares.words()).map(<[W]>::to_vec).collect())
}

type Ending<W> = Result<Ended<W>, SharingError>;

/// How a run ends for each role; messages of role `cheat` go through a tamperer.
fn run<W: Word>(case: &Case<W>, cheat: Option<(usize, Tamper)>) -> Vec<Ending<W>> {
    run_and_see(case, &Shared::default(), cheat)
}

/// The same, and what it computed before proofs.
fn run_and_see<W: Word>(
    case: &Case<W>,
    computed: &Shared<W>,
    cheat: Option<(usize, Tamper)>,
) -> Vec<Ending<W>> {
    let network = MemoryNetwork { deadline: Duration::from_secs(20), ..MemoryNetwork::default() };
    let cheat = cheat.map(|(role, tamper)| (role, Mutex::new(Some(tamper))));
    memory::run(3, 1, &network, |mut session| {
        let role = session.me().index();
        let tamper = cheat.as_ref().filter(|(cheat, _)| *cheat == role);
        let tamper = tamper.and_then(|(_, tamper)| tamper.lock().unwrap().take());
        let ending = match role {
            0 => play::<WideLift<0>, W>(&mut session, case, computed, tamper),
            1 => play::<WideLift<1>, W>(&mut session, case, computed, tamper),
            _ => play::<WideLift<2>, W>(&mut session, case, computed, tamper),
        };
        match ending {
            Ok(ending) => session.finish().map(|()| ending).map_err(Into::into),
            Err(error) => {
                session.abort(AbortKind::Failure, "a check failed");
                Err(error)
            }
        }
    })
}

/// Opens to everybody what is right, for as many bytes of proofs as the bill says.
fn honest<W: Word>(case: &Case<W>, polys: &[&Poly]) {
    let expected = case.in_the_clear(polys);
    let mut bill = Bill::of(WIDE_LIFT);
    for gate in &case.gates {
        for (alike, terms) in gate.plan.proven() {
            bill.add(W::BITS, alike * case.words(), terms);
        }
    }
    bill.add(W::BITS, case.products.len() * case.words(), 1);
    bill.finish();
    for ended in run(case, None) {
        let ended = ended.unwrap_or_else(|error| panic!("{} bits: {error}", W::BITS));
        for (opened, slot) in ended.opened.iter().zip(&case.opened) {
            assert!(*opened == expected[*slot as usize], "{} bits, slot {slot}", W::BITS);
        }
        assert_eq!(ended.proof, bill.backward + bill.forward, "{} bits", W::BITS);
    }
}

/// The product of all of so many inputs.
fn all(inputs: usize) -> Poly {
    Poly::new(inputs as u8, vec![vec![((1u32 << inputs) - 1) as u16]])
}

/// Sums of products of up to four inputs, two of which have their longest products summed up where there are more of them.
fn sums(fused: bool) -> Poly {
    let mut outputs = vec![
        vec![0b0111, 0b1110, 0b1001, 0b0100],
        vec![0b0011, 0b1100, 0],
        vec![0b0111, 0b1011],
        vec![0b0001, 0b0010],
    ];
    if fused {
        outputs.truncate(1);
        outputs.push(vec![0b1101, 0b0111, 0b0101]);
    }
    Poly::new(4, outputs)
}

#[test]
fn products_of_up_to_eight_factors_are_right_in_every_ring() {
    for inputs in 2..=8 {
        honest::<Z2>(&product(values(1, inputs, 3)), &[&all(inputs)]);
        honest::<u64>(&product(values(2, inputs, 2)), &[&all(inputs)]);
    }
    honest::<u8>(&product(values(3, 5, 2)), &[&all(5)]);
    honest::<u16>(&product(values(4, 4, 2)), &[&all(4)]);
    honest::<u32>(&product(values(5, 3, 2)), &[&all(3)]);
    honest::<u128>(&product(values(6, 5, 2)), &[&all(5)]);
}

#[test]
fn polynomial_gates_are_right_with_their_longest_products_summed_up_or_not() {
    for fused in [false, true] {
        let sums = sums(fused);
        honest::<Z2>(&poly(values(1, 4, 40), &sums), &[&sums]);
        honest::<u64>(&poly(values(2, 4, 2), &sums), &[&sums]);
    }
    let messages = |fused| PolyPlan::new(&sums(fused), Form::Dealer).messages();
    // Six pairs, and three products of three; six pairs, and two sums of products of three.
    assert_eq!([false, true].map(messages), [9, 8]);
    // Statements: six pairs and three products of three, and four outputs; one sum of products of three for each of two outputs.
    let proven = |fused| PolyPlan::new(&sums(fused), Form::Dealer).proven();
    assert_eq!(proven(false), [(9, 1), (1, 9), (1, 4), (1, 9), (1, 0)]);
    assert_eq!(proven(true), [(6, 1), (1, 2), (1, 2), (1, 9), (1, 9)]);
}

/// Elements that are dealt and exchanged, and terms to be proven, are those of the specification.
#[test]
fn products_take_as_many_terms_as_the_specification_says() {
    for (inputs, terms) in [(3, 10), (4, 25), (5, 56), (6, 119), (7, 246), (8, 501)] {
        let plan = PolyPlan::product(inputs, Form::Dealer);
        let proven: usize = plan.proven().iter().map(|(alike, terms)| alike * terms).sum();
        assert_eq!(proven, terms, "{inputs} factors");
        assert_eq!(plan.messages() + 2 * plan.results(), (1 << inputs) - inputs + 1);
    }
    // A product of two factors is one statement of one term.
    assert_eq!(PolyPlan::product(2, Form::Dealer).proven(), [(1, 1)]);
}

/// Two gates, one on results of the other, and products of two factors on those of both.
fn mixed<W: Word>(seed: u64, words: usize) -> Case<W> {
    let sums = sums(true);
    let mut case = poly(values(seed, 4, words), &sums);
    let plan = PolyPlan::new(&all(3), Form::Dealer);
    case.gates.push(Placed { plan, inputs: vec![4, 0, 5], outputs: vec![6] });
    case.products = vec![[7, 6, 1], [8, 2, 3]];
    case.opened = vec![6, 7, 8];
    case
}

#[test]
fn gates_on_results_of_gates_and_products_of_two_factors_mix() {
    for words in [1, 7] {
        honest::<Z2>(&mixed(1, words), &[&sums(true), &all(3)]);
        honest::<u64>(&mixed(2, words), &[&sums(true), &all(3)]);
    }
}

/// Messages of a role behind set-up: all of them, in order.
fn messages<W: Word>(case: &Case<W>, role: usize) -> Vec<(PartyId, Stream, Phase, usize)> {
    let seen: Arc<Mutex<Vec<_>>> = Arc::default();
    let log = seen.clone();
    let tamper = Tamper::new(move |m| {
        log.lock().unwrap().push((m.to, m.stream, m.place.phase, m.bytes.len()));
        Verdict::Keep
    });
    assert!(run(case, Some((role, tamper))).iter().all(Result::is_ok));
    let seen = seen.lock().unwrap();
    seen.clone()
}

/// Changes one bit of message `index`.
fn flip(index: usize, bit: usize) -> Tamper {
    let mut seen = 0;
    Tamper::new(move |m| {
        seen += 1;
        let mut bytes = m.bytes.to_vec();
        if seen == index + 1 {
            let at = bit % (8 * bytes.len());
            bytes[at / 8] ^= 1 << (at % 8);
        }
        Verdict::Replace(bytes)
    })
}

/// No honest role ends with a result.
fn nobody_has_a_result<W: Word>(case: &Case<W>, (role, tamper): (usize, Tamper), what: &str) {
    for (other, ending) in run(case, Some((role, tamper))).iter().enumerate() {
        assert!(other == role || ending.is_err(), "{what}: role {other} has a result");
    }
}

/// Every message of every role: deals, exchanges, late inputs, words that all has arrived, coins, proofs, comparisons, openings.
/// Every input is a factor, so that whoever sends another input than the one it goes on with is found out, too.
fn every_change_is_noticed<W: Word>(case: &Case<W>) {
    for role in 0..3 {
        let sent = messages(case, role);
        assert!(sent.len() > 10);
        for (index, message) in sent.iter().enumerate() {
            for bit in [0, 8 * message.3 - 1] {
                let what = format!("{} bits, role {role}, {message:?}, bit {bit}", W::BITS);
                nobody_has_a_result(case, (role, flip(index, bit)), &what);
            }
        }
    }
}

#[test]
fn every_changed_message_of_gates_of_bits_ends_the_run() {
    // Word by word, and element by element; for other secrets, too.
    for (seed, words) in [(1, 9), (2, 1)] {
        every_change_is_noticed::<Z2>(&mixed(seed, words));
    }
    every_change_is_noticed::<Z2>(&Case { timing: Timing::Late, ..mixed(3, 1) });
}

#[test]
fn every_changed_message_of_gates_of_words_ends_the_run() {
    every_change_is_noticed::<u64>(&mixed(1, 2));
}

/// Input 2, of role 2, only ever added.
fn added(timing: Timing) -> (Case<Z2>, Poly) {
    let sum = Poly::new(3, vec![vec![0b011, 0b100]]);
    (Case { timing, ..poly(values(7, 3, 2), &sum) }, sum)
}

/// A late input of role 2 goes to two roles, which compare it: it may be in no product.
#[test]
fn a_late_input_that_differs_between_two_roles_ends_the_run() {
    let (case, sum) = added(Timing::Late);
    honest(&case, &[&sum]);
    let inputs = |role: usize| {
        let sent = messages(&case, role);
        sent.iter().take_while(|m| m.1 == Stream::On && m.3 == 16).count()
    };
    assert_eq!(inputs(2), 2);
    for index in 0..2 {
        nobody_has_a_result(&case, (2, flip(index, 5)), "a late input");
    }
    // The same change for both is another input.
    let mut seen = 0;
    let both = Tamper::new(move |m| {
        seen += 1;
        let mut bytes = m.bytes.to_vec();
        bytes[0] ^= u8::from(seen <= 2);
        Verdict::Replace(bytes)
    });
    let mut other = case.clone();
    other.values[2][0] = other.values[2][0].add(Z2(1));
    let expected = other.in_the_clear(&[&sum]);
    for ending in run(&case, Some((2, both))) {
        assert!(ending.unwrap().opened[0] == expected[3]);
    }
}

/// Where only results were compared with products, the helper would learn an input: one wrong product of masks of the first
/// two factors makes the result wrong where the third one's masked value is 1, and the helper knows its mask. What is proven fails
/// for all values.
#[test]
fn a_check_of_results_alone_would_tell_a_secret_and_what_is_proven_does_not() {
    for secret in [0u64, u64::MAX, 0x0123_4567_89ab_cdef] {
        let mut case = product(values::<Z2>(11, 3, 1));
        (case.values[0][0], case.values[1][0]) = (Z2(u64::MAX), Z2(u64::MAX));
        case.values[2][0] = Z2(secret);
        // The input of role 2 is masked by its own draws: let role 0 own the third one.
        case.values.insert(2, vec![Z2(0)]);
        case.gates[0].inputs = vec![0, 1, 3];
        case.gates[0].outputs = vec![4];
        case.opened = vec![4];
        // Behind its input the first message of role 2 is what it deals: of the pair (0, 1), all lanes.
        let wrong = || {
            let mut seen = 0;
            Tamper::new(move |m| {
                seen += 1;
                let mut bytes = m.bytes.to_vec();
                if seen == 2 {
                    assert_eq!((m.to, m.stream, bytes.len()), (PartyId(1), Stream::Pre, 4 * 8));
                    bytes[..8].iter_mut().for_each(|byte| *byte ^= 0xff);
                }
                Verdict::Replace(bytes)
            })
        };
        let computed = Shared::default();
        let endings = run_and_see(&case, &computed, Some((2, wrong())));
        assert!(endings[..2].iter().all(Result::is_err), "a wrong product of masks");
        let shares = computed.map(|shares| shares.into_inner().unwrap());
        let result = shares[0][4][0][0].0 ^ shares[0][4][1][0].0 ^ shares[1][4][1][0].0;
        let noticed = result ^ secret;
        // What role 2 has of the third factor: its mask.
        let mask = shares[2][3][0][0].0 ^ shares[2][3][1][0].0;
        assert_eq!(noticed ^ mask, secret, "where the check fails, the masked value is 1");
    }
}

/// What a party keeps waits to be proven: without proofs it hands out no transcript.
#[test]
fn gates_whose_proofs_fail_stay_to_be_proven() {
    let case = product(values::<Z2>(13, 4, 2));
    let sent = messages(&case, 0);
    // The last of the messages of the proof, and any of the comparison behind it.
    let proof = sent.iter().rposition(|m| m.1 == Stream::Def).unwrap();
    assert!(sent[proof + 1..].iter().all(|m| m.1 == Stream::On));
    nobody_has_a_result(&case, (0, flip(proof, 3)), "what opens in a proof");
}

fn inverse(of: u64) -> u64 {
    // To the power of 2^64 - 2.
    let (mut result, mut power) = (1, Portable.multiply(of, of));
    for _ in 1..64 {
        result = Portable.multiply(result, power);
        power = Portable.multiply(power, power);
    }
    result
}

/// Whether two honest roles find results of two statements right, of which a cheat knew the coin when it sent them: both are off
/// by what it chose.
fn passes(errors: impl Fn([u64; 2]) -> [u64; 2] + Sync) -> bool {
    let seed = entropy::test_seed();
    let journals = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let role = session.me().index();
        let mesh = &mut session.meshes[0];
        let mut attempt = |weights: [u64; 2], again: bool| {
            let mut entropy = Entropy::insecure_seeded(seed, mesh.me().0);
            let mut secrets =
                Secrets::exchange(mesh, b"test", WIDE_LIFT, &PLACES, &mut entropy).unwrap();
            let mut keys = secrets.keys("test", 1, 1).remove(0);
            let mut party = Party::new(mesh, &PLACES).unwrap();
            let draws = keys.streams().draws().unwrap();
            let channel = &mut ProofChannel::new(&mut party, draws);
            let mut coin = [0; 2];
            if again {
                // Component 1 of a result is off.
                let wrong = errors(weights);
                let zeros = [0u64; 2];
                let z = [0, 1].map(|c| if (role + c) % 3 == 1 { wrong } else { zeros });
                let factors = [[&zeros[..]; 2]; 2];
                bits::prove_sums(channel, factors, z.each_ref().map(|z| &z[..]), &[(2, 1)])
                    .unwrap();
            } else {
                // What the proof draws and sends before it.
                let zeros = [0u64; 128];
                Hiding::of(channel, Gf64(Portable), [&zeros; 2].map(|run| &run[..])).unwrap();
                coin.copy_from_slice(&channel.coin().unwrap().words::<u64>(2));
            }
            (coin, party.take_journal().unwrap())
        };
        // The same keys give the same coin.
        let (coin, _) = attempt([0; 2], false);
        let (_, journal) = attempt(coin, true);
        session.finish().unwrap();
        journal
    });
    let [first, second, third]: [Journal; 3] =
        journals.try_into().unwrap_or_else(|_| panic!("three parties"));
    let pairs = [(0, first.clone(), 1, second.clone()), (1, second, 2, third.clone())];
    pairs
        .into_iter()
        .chain([(0, first, 2, third)])
        .all(|(me, mine, peer, theirs)| Journal::differences(mine, me, theirs, peer).is_empty())
}

/// Why nobody may know the coin before everything has arrived.
#[test]
fn errors_that_are_fitted_to_a_coin_pass_and_others_do_not() {
    let fitted = |[first, second]: [u64; 2]| [1, Portable.multiply(first, inverse(second))];
    assert!(passes(|_| [0, 0]));
    assert!(passes(fitted));
    assert!(!passes(|_| [1, 1]));
    assert!(!passes(|_| [1, 0]));
}

/// Whoever holds back what it owes to either other role learns of the coin no half that it lacks.
#[test]
fn messages_that_are_late_hold_back_the_coin_whichever_way_they_go() {
    hold_back_messages(&product(values::<Z2>(17, 3, 9)));
    hold_back_messages(&product(values::<u64>(18, 3, 9)));
    let late = product(values::<u64>(19, 3, 9));
    hold_back_messages(&Case { timing: Timing::Late, ..late });
}

/// Drops what one role sends another one but proofs: nobody honest shows it half of a coin.
fn hold_back_messages<W: Word>(case: &Case<W>) {
    for (role, to) in [(0, 1), (1, 0), (2, 0), (2, 1)] {
        let network =
            MemoryNetwork { deadline: Duration::from_millis(400), ..MemoryNetwork::default() };
        let shown: Arc<Mutex<usize>> = Arc::default();
        let (log, computed) = (&shown, &Shared::default());
        let endings = memory::run(3, 1, &network, |mut session| {
            let me = session.me().index();
            let log = log.clone();
            let tamper = Tamper::new(move |m| {
                let peer = m.to.index();
                if me == role && peer == to && m.stream != Stream::Def {
                    return Verdict::Drop;
                }
                // Halves of coins are four words.
                if me != role && peer == role && m.stream == Stream::Def && m.bytes.len() == 32 {
                    *log.lock().unwrap() += 1;
                }
                Verdict::Keep
            });
            let ending = match me {
                0 => play::<WideLift<0>, W>(&mut session, case, computed, Some(tamper)),
                1 => play::<WideLift<1>, W>(&mut session, case, computed, Some(tamper)),
                _ => play::<WideLift<2>, W>(&mut session, case, computed, Some(tamper)),
            };
            session.abort(AbortKind::Failure, "a message did not come");
            ending.map(drop)
        });
        assert!(endings.iter().all(Result::is_err), "{role} to {to}");
        assert_eq!(*shown.lock().unwrap(), 0, "{role} to {to}");
    }
}

/// What evaluator `viewer` receives for a product of three bits, in every lane with another choice of the draws that it lacks: a
/// histogram.
fn view(viewer: usize, secrets: [bool; 3], spoil: bool) -> Vec<u32> {
    // What P0 draws with P2, and P1 with P2: four masks of dealt products, and the result's; the result's alone.
    let lanes = |bit: usize| (0..64u64).fold(0, |word, lane| word | (lane >> bit & 1) << lane);
    let fixed = |bit: usize| if bit.is_multiple_of(2) { u64::MAX } else { 0 };
    let draws = |unknown: bool, count: usize, twice: bool| -> Vec<u8> {
        let word = |bit: usize| match (unknown, twice && bit > 0) {
            (true, false) => lanes(bit),
            (true, true) => lanes(0),
            (false, _) => fixed(bit),
        };
        (0..count).flat_map(|bit| word(bit).to_le_bytes()).collect()
    };
    let k02 = draws(viewer == 1, 5, spoil);
    let k12 = draws(viewer == 0, 1, false);
    // By sender.
    let received: Arc<Mutex<[Vec<u8>; 3]>> = Arc::default();
    let (log, all_sent) = (&received, &Barrier::new(3));
    let plan = PolyPlan::product(3, Form::Dealer);
    let (k02, k12, plan) = (&k02, &k12, &plan);
    memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let role = session.me().index();
        let mesh = &mut session.meshes[0];
        let log = log.clone();
        mesh.set_tamper(Tamper::new(move |m| {
            if m.to.index() == viewer && m.stream != Stream::Def {
                log.lock().unwrap()[role].extend(m.bytes);
            }
            Verdict::Keep
        }));
        // Next, then previous.
        let none = Vec::new();
        let scripts = [[&none, k02], [k12, &none], [k02, k12]][role].map(Vec::clone);
        let mut keys = Keys::insecure_scripted(scripts);
        match role {
            0 => alone::<WideLift<0>>(mesh, &mut keys, plan, (viewer, secrets, all_sent)),
            1 => alone::<WideLift<1>>(mesh, &mut keys, plan, (viewer, secrets, all_sent)),
            _ => alone::<WideLift<2>>(mesh, &mut keys, plan, (viewer, secrets, all_sent)),
        }
        session.abort(AbortKind::Failure, "the test has seen enough");
    });
    let received = received.lock().unwrap().concat();
    let words: Vec<u64> = received
        .chunks_exact(8)
        .map(|bytes| u64::from_le_bytes(std::array::from_fn(|i| bytes[i])))
        .collect();
    let mut histogram = vec![0; 1 << words.len()];
    for lane in 0..64 {
        let seen = words
            .iter()
            .enumerate()
            .fold(0, |seen, (i, word)| seen | ((word >> lane & 1) as usize) << i);
        histogram[seen] += 1;
    }
    histogram
}

/// A gate on shares of which the viewer has the same for all secrets.
fn alone<P: Canonical>(
    mesh: &mut tacit_net::Mesh,
    keys: &mut Keys,
    plan: &PolyPlan,
    (viewer, secrets, all_sent): (usize, [bool; 3], &Barrier),
) {
    let mut party = Party::new(mesh, &PLACES).unwrap();
    let mut shares = Shares::<Z2>::of::<P>(4, 1);
    for (slot, secret) in (0..).zip(secrets) {
        // The component that the viewer lacks makes up for the secret.
        let mut components = [Z2(u64::MAX), Z2(0), Z2(u64::MAX)];
        let rest = components[(viewer + 1) % 3].add(components[viewer]);
        components[(viewer + 2) % 3] = Z2(if secret { u64::MAX } else { 0 }).sub(rest);
        let (own, next) = shares.get_mut(slot);
        (own[0], next[0]) = (components[P::ROLE], components[(P::ROLE + 1) % 3]);
    }
    let mut draws = keys.streams().draws().unwrap();
    let mut scratch = WideScratch::default();
    let gate = Gate { plan, inputs: &[0, 1, 2], outputs: &[3] };
    let begun = wide::begin::<P, Z2>(&mut party, &mut draws, &mut scratch, &mut shares, gate);
    let begun = begun.and_then(|()| party.flush());
    // Nobody ends the session before everybody has sent.
    all_sent.wait();
    begun.unwrap();
    // Statements are kept where there is something to prove them with; here there is nothing.
    let kept = wide::finish::<P, Z2>(&mut party, &mut draws, &mut scratch, &mut shares, gate);
    assert!(kept.is_err());
}

/// An evaluator lacks one component of what it computes on: all that it receives is the same whatever that is, over the draws that it
/// lacks.
#[test]
fn what_an_evaluator_receives_is_the_same_for_all_secrets() {
    let all = (0..8).map(|i| [0, 1, 2].map(|bit| i >> bit & 1 == 1));
    let views: Vec<Vec<u32>> = all.map(|secrets| view(1, secrets, false)).collect();
    // Four dealt words and one message: 32 choices, twice each.
    assert!(views[0].iter().all(|count| *count == 2) && views[0].len() == 32);
    assert!(views.iter().all(|view| *view == views[0]));
    let spoiled = [[false; 3], [true, true, false]].map(|secrets| view(1, secrets, true));
    assert!(spoiled[0] != spoiled[1], "the test cannot see a leak");
    // What P0 receives is one word, under a draw of P1 and P2.
    let of_p0 = [[false; 3], [true, false, true]].map(|secrets| view(0, secrets, false));
    assert!(of_p0[0] == [32, 32] && of_p0[0] == of_p0[1]);
}

/// P2 receives nothing before proofs.
#[test]
fn the_helper_receives_nothing_that_is_computed() {
    for timing in [Timing::Early, Timing::Late] {
        let case = Case { timing, ..mixed::<Z2>(1, 3) };
        for role in 0..2 {
            let to_helper: Vec<_> =
                messages(&case, role).into_iter().filter(|m| m.0 == PartyId(2)).collect();
            let computed = to_helper.iter().filter(|m| m.2 == Phase::Online).count();
            assert_eq!(computed, 0);
        }
    }
}

/// Statements of a gate are kept together with those of products of two factors, and as `lift` keeps them of numbers.
#[test]
fn a_role_without_anything_to_prove_with_keeps_nothing() {
    let mut keys = Keys::insecure_scripted([vec![0; 64], vec![0; 64]]);
    assert!(Proofs::of(&mut keys).is_none());
}
