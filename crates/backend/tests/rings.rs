//! Products over every ring on the virtual network: element by element, inner, matrix, and wide
//! products in every form; results and element counts.

use tacit_backend::cost::{self, Traffic};
use tacit_backend::protocols::{self, ASTRA, LIFT, MULTI_FAN_IN, POST, TRIO};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Session, Stream};
use tacit_proof::Method;
use tacit_ring::{Entropy, Word, Z2, entropy};
use tacit_sharing::arrays::{self, Cut, MatrixShape, SharedVec};
use tacit_sharing::multi_fan_in::plan::{Form, PolyPlan};
use tacit_sharing::multi_fan_in::wide::{self, Gate, WideScratch};
use tacit_sharing::party::Streams;
use tacit_sharing::products::Scratch;
use tacit_sharing::setup::Secrets;
use tacit_sharing::transfer::{self, Input, Output, TransferScratch};
use tacit_sharing::verify::{Pass, Verifier};
use tacit_sharing::{Draws, Party, Protocol, Role, RoleVisitor, Shares, Timing};

/// The parties in the order of roles.
fn places(protocol: Protocol) -> &'static [PartyId] {
    match protocol.parties() {
        3 => &[PartyId(2), PartyId(0), PartyId(1)],
        _ => &[PartyId(2), PartyId(0), PartyId(3), PartyId(1)],
    }
}

/// A party with fresh keys, and what tests do with it.
struct Bench<'a, 'm> {
    party: Party<'m>,
    streams: Streams<'a>,
    verifier: Verifier,
    protocol: Protocol,
}

impl<'a> Bench<'a, '_> {
    fn draws(&mut self) -> Draws<'a> {
        self.streams.draws().unwrap()
    }

    /// Shares values of `owner` in one slot per value run.
    fn share<P: Role, W: Word>(&mut self, owner: usize, slots: &[u32], values: &[W]) -> Shares<W> {
        let words = values.len() / slots.len();
        let mut shares = Shares::of::<P>(slots.len() + 1, words);
        let input = Input { owner, timing: Timing::Early, slots, values };
        let mut scratch = TransferScratch::default();
        let mut draws = self.draws();
        let party = &mut self.party;
        transfer::input_begin::<P, W>(party, &mut draws, &mut scratch, &mut shares, input).unwrap();
        transfer::input_finish::<P, W>(party, &mut scratch, &mut shares, input).unwrap();
        shares
    }

    fn array<P: Role, W: Word>(&mut self, owner: usize, values: &[W]) -> SharedVec<W> {
        let shares = self.share::<P, W>(owner, &[0], values);
        SharedVec::copied(shares.runs(0))
    }

    /// Opens a slot to everybody.
    fn open<P: Role, W: Word>(&mut self, shares: &Shares<W>, slot: u32) -> Vec<W> {
        let receivers: Vec<usize> = (0..P::PROTOCOL.parties()).collect();
        let output = Output { receivers: &receivers, slots: &[slot] };
        let (mut scratch, mut opened) = (TransferScratch::default(), vec![W::ZERO; shares.words()]);
        let pass = self.verified();
        let party = &mut self.party;
        transfer::output_begin::<P, W>(party, &pass, &mut scratch, shares, output).unwrap();
        let scratch = &mut scratch;
        transfer::output_finish::<P, W>(party, &pass, scratch, shares, output, &mut opened)
            .unwrap();
        self.verified();
        opened
    }

    /// Compares what the roles did.
    fn verified(&mut self) -> Pass {
        let journal = self.party.take_journal().unwrap();
        self.verifier.end_epoch(self.party.mesh(), vec![journal]).unwrap()
    }

    fn open_array<P: Role, W: Word>(&mut self, array: &SharedVec<W>) -> Vec<W> {
        let mut shares = Shares::of::<P>(1, array.len());
        for (to, from) in shares.runs_mut(0).into_iter().zip(array.components()) {
            to.copy_from_slice(from);
        }
        self.open::<P, W>(&shares, 0)
    }

    /// What was sent since then is what so many sums of products cost. (Triples come between.)
    fn check_sent<P: Role, W: Word>(&mut self, before: u64, results: usize, terms: usize) {
        let sent = self.sent_bytes() - before;
        if !matches!(Method::of(self.protocol), Some(Method::Brain(..))) {
            let expected = cost::results(self.protocol, W::BITS, results, terms);
            assert_eq!(sent, sent_by::<P>(expected), "{results} of {terms}");
        }
    }

    fn sent_bytes(&mut self) -> u64 {
        self.party.flush().unwrap();
        self.party.mesh().meter().total(|_, _, _| true).bytes_sent
    }
}

/// Work for one role of a protocol.
trait Task: Sync {
    fn run<P: Role>(&self, bench: &mut Bench<'_, '_>);
}

struct Start<'a, T> {
    session: &'a mut Session,
    task: &'a T,
    ring_bits: u32,
    protocol: Protocol,
    seed: u64,
}

impl<T: Task> RoleVisitor for Start<'_, T> {
    type Out = ();
    fn visit<P: Role>(self) {
        let mesh = &mut self.session.meshes[0];
        let mut entropy = Entropy::insecure_seeded(self.seed, mesh.me().0);
        let places = places(self.protocol);
        let mut secrets =
            Secrets::exchange(mesh, b"test", self.protocol, places, &mut entropy).unwrap();
        let mut keys = secrets.keys("test", self.ring_bits, 1);
        let verifier = Verifier::new(self.protocol, places, b"test".to_vec(), secrets.take_pairs());
        let party = Party::new(mesh, places).unwrap().proving(tacit_proof::check_of(&mut keys[0]));
        let (streams, protocol) = (keys[0].streams(), self.protocol);
        self.task.run::<P>(&mut Bench { party, streams, verifier, protocol });
    }
}

fn run<T: Task>(protocol: Protocol, ring_bits: u32, task: &T) {
    let seed = entropy::test_seed();
    memory::run(protocol.parties(), 1, &MemoryNetwork::default(), |mut session| {
        let role = places(protocol).iter().position(|p| *p == session.me()).unwrap();
        tacit_backend::visit::visit(
            protocol,
            role,
            Start { session: &mut session, task, ring_bits, protocol, seed },
        );
        session.finish().unwrap();
    });
}

fn values<W: Word>(seed: u128, n: usize) -> Vec<W> {
    let word = |i: u128| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    (1..=n as u128).map(|i| W::from_u128(word(i) ^ word(i) >> 57)).collect()
}

fn sum_of<W: Word>(terms: impl Iterator<Item = W>) -> W {
    terms.fold(W::ZERO, W::add)
}

/// Element by element, inner and matrix products, with odd sizes and pieces.
struct Arrays<W>(std::marker::PhantomData<W>);

impl<W: Word> Task for Arrays<W> {
    fn run<P: Role>(&self, bench: &mut Bench<'_, '_>) {
        let cut = Cut { piece: 7, window: 3 };
        let mut scratch = Scratch::default();
        let (x, y): (Vec<W>, Vec<W>) = (values(1, 33 * 5), values(2, 33 * 5));
        let (a, b) = (bench.array::<P, W>(1, &x), bench.array::<P, W>(2, &y));

        let mut out = SharedVec::zeros_of::<P>(x.len());
        let (mut draws, before) = (bench.draws(), bench.sent_bytes());
        let party = &mut bench.party;
        arrays::multiply::<P, W>(party, &mut draws, &mut scratch, cut, [&a, &b], &mut out).unwrap();
        bench.check_sent::<P, W>(before, x.len(), 1);
        let product = bench.open_array::<P, W>(&out);
        assert!(product.iter().zip(x.iter().zip(&y)).all(|(p, (x, y))| *p == x.mul(*y)));

        let mut out = SharedVec::zeros_of::<P>(5);
        let (mut draws, before) = (bench.draws(), bench.sent_bytes());
        let party = &mut bench.party;
        arrays::dot::<P, W>(party, &mut draws, &mut scratch, cut, [&a, &b], &mut out).unwrap();
        bench.check_sent::<P, W>(before, 5, 33);
        let dots = bench.open_array::<P, W>(&out);
        for (row, dot) in dots.iter().enumerate() {
            let at = row * 33..(row + 1) * 33;
            assert!(*dot == sum_of(x[at.clone()].iter().zip(&y[at]).map(|(x, y)| x.mul(*y))));
        }

        let shape = MatrixShape { rows: 5, inner: 33, columns: 5 };
        let mut out = SharedVec::zeros_of::<P>(25);
        let (mut draws, before) = (bench.draws(), bench.sent_bytes());
        let party = &mut bench.party;
        let factors = [&a, &b];
        arrays::matrix_product::<P, W>(
            party,
            &mut draws,
            &mut scratch,
            cut,
            shape,
            factors,
            &mut out,
        )
        .unwrap();
        bench.check_sent::<P, W>(before, 25, 33);
        let entries = bench.open_array::<P, W>(&out);
        for (i, entry) in entries.iter().enumerate() {
            let (row, column) = (i / 5, i % 5);
            let terms = (0..33).map(|k| x[row * 33 + k].mul(y[k * 5 + column]));
            assert!(*entry == sum_of(terms));
        }
    }
}

fn sent_by<P: Role>(traffic: Traffic) -> u64 {
    (0..P::PROTOCOL.parties()).map(|to| traffic.link(P::ROLE, to)).sum()
}

#[test]
fn arrays_in_every_ring() {
    for protocol in protocols::all().filter(|protocol| protocol.has_roles()) {
        run(protocol, 1, &Arrays::<Z2>(std::marker::PhantomData));
        run(protocol, 64, &Arrays::<u64>(std::marker::PhantomData));
    }
    // A protocol's equations are the same in all rings; what proves them is not.
    for protocol in [LIFT, POST] {
        run(protocol, 8, &Arrays::<u8>(std::marker::PhantomData));
        run(protocol, 32, &Arrays::<u32>(std::marker::PhantomData));
        run(protocol, 128, &Arrays::<u128>(std::marker::PhantomData));
    }
}

/// Products of two to eight factors.
struct WideProducts<W>(Form, std::marker::PhantomData<W>);

impl<W: Word> Task for WideProducts<W> {
    fn run<P: Role>(&self, bench: &mut Bench<'_, '_>) {
        let words = 6;
        for factors in 2..=8usize {
            let plan = PolyPlan::product(factors, self.0);
            let slots: Vec<u32> = (0..factors as u32).collect();
            let clear: Vec<W> = values(factors as u128, factors * words);
            let mut shares = bench.share::<P, W>(factors % 3, &slots, &clear);
            let gate = Gate { plan: &plan, inputs: &slots, outputs: &[factors as u32] };
            let (mut draws, before) = (bench.draws(), bench.sent_bytes());
            let mut scratch = WideScratch::default();
            let party = &mut bench.party;
            wide::begin::<P, W>(party, &mut draws, &mut scratch, &mut shares, gate).unwrap();
            wide::finish::<P, W>(party, &mut draws, &mut scratch, &mut shares, gate).unwrap();
            let sent = sent_by::<P>(cost::polynomial(P::PROTOCOL, &plan)) as usize * words;
            assert_eq!(bench.sent_bytes() - before, (sent * size_of::<W>()) as u64);
            let opened = bench.open::<P, W>(&shares, factors as u32);
            for (i, word) in opened.iter().enumerate() {
                let product = (0..factors).fold(W::ONE, |p, f| p.mul(clear[f * words + i]));
                assert!(*word == product, "{factors} factors");
            }
        }
    }
}

#[test]
fn wide_products_in_every_form_and_ring() {
    for form in [Form::Symmetric, Form::Dealer] {
        run(MULTI_FAN_IN, 1, &WideProducts::<Z2>(form, std::marker::PhantomData));
        run(MULTI_FAN_IN, 8, &WideProducts::<u8>(form, std::marker::PhantomData));
        run(MULTI_FAN_IN, 32, &WideProducts::<u32>(form, std::marker::PhantomData));
        run(MULTI_FAN_IN, 64, &WideProducts::<u64>(form, std::marker::PhantomData));
    }
}

/// A party that works ahead of the others: its peers fetch its messages later.
#[test]
fn the_helper_finishes_while_evaluators_have_not_started() {
    struct Ahead(std::sync::Barrier);
    impl Task for Ahead {
        fn run<P: Role>(&self, bench: &mut Bench<'_, '_>) {
            let ahead = P::PROTOCOL.ahead() == Some(P::ROLE);
            let x: Vec<u64> = values(3, 4000);
            let a = bench.array::<P, u64>(P::PROTOCOL.ahead().unwrap(), &x);
            let mut out = SharedVec::zeros(x.len());
            bench.party.flush().unwrap();
            if !ahead {
                self.0.wait();
            }
            let (mut draws, mut scratch) = (bench.draws(), Scratch::default());
            let party = &mut bench.party;
            let cut = Cut::default();
            arrays::multiply::<P, u64>(party, &mut draws, &mut scratch, cut, [&a, &a], &mut out)
                .unwrap();
            if ahead {
                let received = party.mesh().meter().total(|_, s, _| s == Stream::On).bytes_received;
                assert_eq!(received, 32 * 2, "nothing but the set-up's seeds");
                self.0.wait();
            }
        }
    }
    for protocol in [TRIO, ASTRA, MULTI_FAN_IN] {
        run(protocol, 64, &Ahead(std::sync::Barrier::new(3)));
    }
}
