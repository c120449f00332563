//! Protocols that are in no list: they compute, cost and store what their roles do under the name of a protocol of the
//! list, and what does not fit together is refused.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Mutex;
use std::time::Duration;
use tacit_circuit::{Builder, Circuit};
use tacit_engine::LinkUse;
use tacit_engine::bench::{self, Operation, Plan};
use tacit_engine::circuit::{
    self, Assignment, Compiled, Job, Preprocessing, StoredPreprocessing, evaluate_with,
};
use tacit_engine::own::{self, ThreeRoles};
use tacit_engine::program::{self, By, CompiledProgram, ProgramJob};
use tacit_engine::protocols::{REPLICATED, TRIO};
use tacit_engine::values::Lanes;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Session};
use tacit_program::clear::Array;
use tacit_program::{Element, text};
use tacit_protocol::{Family, Form, Protocol};
use tacit_ring::entropy::test_seed;
use tacit_ring::{Entropy, Word};
use tacit_sharing::arrays::Cut;
use tacit_sharing::balance::Balance;
use tacit_sharing::replicated::Replicated;
use tacit_sharing::role::{Canonical, Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source};
use tacit_sharing::trio::Trio;
use tacit_sharing::{Share as Words, Timing};

/// What roles of the list are renamed to.
trait Renamed: Send + Sync + 'static {
    const PROTOCOL: Protocol;
    /// A role that says that it sends nothing for products.
    const SILENT: Option<RoleId> = None;
    /// A role that says that it draws nothing for products.
    const BARE: Option<RoleId> = None;
}

/// A role of a protocol of the list, as one of another protocol.
struct Under<P, N>(PhantomData<(P, N)>);

impl<P, N> Clone for Under<P, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, N> Copy for Under<P, N> {}

impl<P: Canonical, N: Renamed> Role for Under<P, N> {
    type Share<W: Word> = P::Share<W>;
    type Terms<W: Word> = P::Terms<W>;
    type Out<W: Word> = P::Out<W>;
    type Ahead = Self;
    const PROTOCOL: Protocol = N::PROTOCOL;
    const ROLE: RoleId = P::ROLE;
    const DRAWS: [usize; SLOTS] = match N::BARE {
        Some(role) if role == P::ROLE => [0; SLOTS],
        _ => P::DRAWS,
    };
    const EARLY: Option<Source> = P::EARLY;
    const OUT: &'static [Sink] = match N::SILENT {
        Some(role) if role == P::ROLE => &[],
        _ => P::OUT,
    };
    const LATE: &'static [Source] = P::LATE;

    fn constant<W: Word>(c: W) -> Share<W> {
        P::constant(c)
    }
    fn cross<W: Word>(a: P::Share<W>, b: P::Share<W>) -> P::Terms<W> {
        P::cross(a, b)
    }
    fn mask<W: Word>(v: P::Terms<W>, draws: Drawn<W>, early: W) -> (P::Out<W>, P::Share<W>) {
        P::mask(v, draws, early)
    }
    fn settle<W: Word>(partial: P::Share<W>, late: [W; 2], draw: W) -> (P::Share<W>, [W; 2]) {
        P::settle(partial, late, draw)
    }
    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        P::input_rule(owner, timing)
    }
    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS] {
        P::input_draws(owner, timing)
    }
    fn input_own<W: Word>(timing: Timing, v: W, draws: [W; SLOTS]) -> (P::Share<W>, [W; 2]) {
        P::input_own(timing, v, draws)
    }
    fn input_part<W: Word>(owner: RoleId, timing: Timing, draws: [W; SLOTS]) -> P::Share<W> {
        P::input_part(owner, timing, draws)
    }
    fn input_other<W: Word>(
        owner: RoleId,
        timing: Timing,
        part: P::Share<W>,
        received: W,
    ) -> P::Share<W> {
        P::input_other(owner, timing, part, received)
    }
    fn input_ahead<W: Word>(share: P::Share<W>) -> W {
        P::input_ahead(share)
    }
    fn opener(receiver: RoleId) -> (RoleId, tacit_net::Stream) {
        P::opener(receiver)
    }
    fn open_word<W: Word>(receiver: RoleId, share: P::Share<W>) -> W {
        P::open_word(receiver, share)
    }
    fn opened<W: Word>(share: P::Share<W>, received: W) -> W {
        P::opened(share, received)
    }
}

impl<P: Canonical, N: Renamed> Canonical for Under<P, N> {
    fn to_replicated<W: Word>(share: Words<W>) -> Words<W> {
        P::to_replicated(share)
    }
    fn from_replicated<W: Word>(share: Words<W>) -> Words<W> {
        P::from_replicated(share)
    }
}

/// What shares of a protocol of the list are made of.
const fn shares_of(protocol: Protocol) -> [&'static [Form]; 3] {
    match &protocol.descriptor().family {
        Family::Roles(facts) => [facts.shares[0], facts.shares[1], facts.shares[2]],
        _ => panic!("a protocol of roles"),
    }
}

/// A protocol whose roles are those of one of the list.
macro_rules! like {
    ($name:ident, $const:ident, $text:literal, $shares:expr, $role:ident, $of:ident) => {
        like!($name, $const, $text, $shares, $role, $of, None, None);
    };
    ($name:ident, $const:ident, $text:literal, $shares:expr, $role:ident, $of:ident, $silent:expr, $bare:expr) => {
        struct $name;
        const $const: Protocol = own::protocol::<$name>();
        impl ThreeRoles for $name {
            const NAME: &'static str = $text;
            const SHARES: [&'static [Form]; 3] = $shares;
            type Role<const R: RoleId> = Under<$role<R>, $of>;
        }
        impl Renamed for $name {
            const PROTOCOL: Protocol = $const;
            const SILENT: Option<RoleId> = $silent;
            const BARE: Option<RoleId> = $bare;
        }
    };
}

like!(LikeTrio, LIKE_TRIO, "like-trio", shares_of(TRIO), Trio, LikeTrio);
like!(Like, LIKE, "like-replicated", shares_of(REPLICATED), Replicated, Like);
like!(Taken, TAKEN, "trio", shares_of(TRIO), Trio, Taken);
like!(Others, OTHERS, "others", shares_of(TRIO), Trio, LikeTrio);
like!(OtherShares, OTHER_SHARES, "other-shares", shares_of(TRIO), Replicated, OtherShares);
like!(Silent, SILENT, "silent", shares_of(REPLICATED), Replicated, Silent, Some(1), None);
like!(Bare, BARE, "bare", shares_of(REPLICATED), Replicated, Bare, None, Some(2));

const PAIRS: [(Protocol, Protocol); 2] = [(LIKE_TRIO, TRIO), (LIKE, REPLICATED)];
const INSTANCES: usize = 130;

/// The AND of three ports, bit by bit.
fn circuit() -> Circuit {
    let mut builder = Builder::new();
    let ports: Vec<_> = (0..3).map(|_| builder.input(2)).collect();
    let ands: Vec<_> = (0..2)
        .map(|bit| {
            let pair = builder.and2(ports[0][bit], ports[1][bit]);
            builder.and2(pair, ports[2][bit])
        })
        .collect();
    builder.output(&ands);
    builder.finish()
}

fn lanes(port: u64) -> Lanes {
    let word = |i: u64| (i + 7 * port + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    let bits = (0..2).map(|bit| (0..3).map(|at| word(bit << 8 | at)).collect());
    Lanes::from_bits(bits.collect(), INSTANCES)
}

fn circuit_job(protocol: Protocol, preprocessing: Preprocessing, workers: usize) -> Job {
    let parties: Vec<PartyId> = PartyId::all(3).collect();
    let job = Job::new(protocol, parties.clone(), vec![parties]);
    let places = [2, 0, 1].map(PartyId).to_vec();
    let assignments = vec![Assignment::new(protocol, places)];
    Job { instances: INSTANCES, ..job }.with(|it| {
        (it.assignments, it.preprocessing, it.workers) = (assignments, preprocessing, workers)
    })
}

/// All links, but for how long receivers waited.
fn used(links: &[LinkUse]) -> Vec<(u8, u8, String, u64, u64)> {
    for link in links {
        assert_eq!(link.bytes, link.predicted_bytes, "{link:?}");
    }
    let of = |link: &LinkUse| (link.from, link.to, link.stream.clone(), link.bytes, link.messages);
    links.iter().map(of).collect()
}

fn values(session: &Session) -> Vec<Option<Lanes>> {
    (0..3).map(|port| (u64::from(session.me().0) == port).then(|| lanes(port))).collect()
}

type Links = Vec<(u8, u8, String, u64, u64)>;

/// Evaluates the circuit, and checks what comes out.
fn evaluated(job: &Job) -> Vec<Links> {
    memory::run(3, job.threads(), &MemoryNetwork::default(), |mut session| {
        let compiled = Compiled::new(&circuit(), job.clone()).unwrap();
        let mut entropy = Entropy::insecure_seeded(test_seed(), session.me().0);
        let values = values(&session);
        let done = evaluate_with(&mut session, &compiled, values, &mut entropy, &|_| {}).unwrap();
        session.finish().unwrap();
        assert_and(&done.outputs[0]);
        assert_eq!(done.report.protocol, job.protocol().name());
        used(&done.report.cost.links)
    })
}

fn assert_and(output: &Option<Lanes>) {
    let output = output.as_ref().unwrap();
    let [x, y, z] = [0, 1, 2].map(lanes);
    for bit in 0..2 {
        for word in 0..2 {
            let all = [&x, &y, &z].map(|lanes| lanes.bit(bit)[word]);
            assert_eq!(output.bit(bit)[word], all[0] & all[1] & all[2]);
        }
    }
}

#[test]
fn circuits_are_evaluated_as_under_the_protocol_whose_roles_they_are() {
    for (own, listed) in PAIRS {
        for preprocessing in [Preprocessing::Interleaved, Preprocessing::Separate] {
            for workers in [1, 2] {
                let [own, listed] = [own, listed]
                    .map(|protocol| evaluated(&circuit_job(protocol, preprocessing, workers)));
                assert_eq!(own, listed);
            }
        }
    }
}

#[test]
fn preprocessing_of_circuits_is_stored() {
    for (protocol, _) in PAIRS {
        let job = circuit_job(protocol, Preprocessing::Separate, 2);
        let kept = memory::run(3, job.threads(), &MemoryNetwork::default(), |mut session| {
            let compiled = Compiled::new(&circuit(), job.clone()).unwrap();
            let mut entropy = Entropy::insecure_seeded(test_seed(), session.me().0);
            let (kept, _) = circuit::prepare(&mut session, &compiled, &mut entropy).unwrap();
            session.finish().unwrap();
            Mutex::new(Some(kept))
        });
        let take = |me: PartyId| kept[me.index()].lock().unwrap().take().unwrap();
        memory::run(3, job.threads(), &MemoryNetwork::default(), |mut session| {
            let compiled = Compiled::new(&circuit(), job.clone()).unwrap();
            let (values, stored) = (values(&session), ("one", take(session.me())));
            let done = circuit::evaluate_prepared(&mut session, &compiled, values, stored, &|_| {});
            let done = done.unwrap();
            session.finish().unwrap();
            assert_and(&done.outputs[0]);
            used(&done.report.cost.links);
        });
    }
}

const PROGRAM: &str = "program test\nparties alice, bob, carol\nrows n <= 1000\n\
    input a: i16[n] from alice in -500..500\ninput b: u8[n] from bob in 1..200\n\
    input f: fixed(24,8)[n] from carol in -1.5..1.5\n\
    reveal a * b + a to all as \"products\"\n\
    reveal a < b to alice as \"less\"\n\
    reveal a / b to bob as \"quotients\"\n\
    reveal f * to_fixed(b, fraction 8) to all as \"scaled\"\n\
    reveal sum(a, axis 0) to carol as \"sum\"\n\
    let (keys, along) = sort(b, a)\n\
    reveal keys to all as \"keys\"\nreveal along to all as \"sorted along\"\n";
const ROWS: usize = 37;

fn columns() -> [(&'static str, Element, Vec<i128>); 3] {
    let values = |times: i128, modulus: i128, less: i128| {
        (0..ROWS as i128).map(|i| i * times % modulus - less).collect()
    };
    [
        ("a", Element::int(16), values(211, 1000, 500)),
        ("b", Element::uint(8), values(83, 199, -1)),
        ("f", Element::Fixed { bits: 24, fraction: 8 }, values(91, 700, 350)),
    ]
}

fn inputs(me: PartyId) -> BTreeMap<String, Array> {
    let (name, element, values) = columns()[me.index()].clone();
    [(name.into(), Array::from_values(element, vec![ROWS], values).unwrap())].into()
}

fn program_job(protocol: Protocol, by: By, preprocessing: Preprocessing) -> ProgramJob {
    let job = ProgramJob::new(protocol, PartyId::all(3).collect(), vec![ROWS as u64]);
    let places = [1, 2, 0].map(PartyId).to_vec();
    ProgramJob { by, chunk_rows: 16, ..job }.with(|it| {
        (it.preprocessing, it.assignments[0].places, it.workers) = (preprocessing, places, 2)
    })
}

/// What every party learns, and what was sent: of preparations nothing is learned.
type Ran = Vec<(Vec<(String, Array)>, Links)>;

fn ran(job: &ProgramJob, stored: Option<&[Mutex<Option<StoredPreprocessing>>]>) -> Ran {
    let program = text::parse("test.tacit", PROGRAM).unwrap();
    memory::run(3, job.threads(), &MemoryNetwork::default(), |mut session| {
        let me = session.me();
        let compiled = CompiledProgram::new(&program, job.clone()).unwrap();
        let mut entropy = Entropy::insecure_seeded(test_seed(), me.0);
        let done = match stored {
            None => program::run_with(&mut session, &compiled, inputs(me), &mut entropy, &|_| {}),
            Some(all) => {
                let stored = ("one", all[me.index()].lock().unwrap().take().unwrap());
                program::run_prepared(&mut session, &compiled, inputs(me), stored, &|_| {})
            }
        };
        let done = done.unwrap();
        session.finish().unwrap();
        assert_eq!(done.report.cost.rounds, done.report.cost.predicted_rounds);
        (done.revealed.unwrap(), used(&done.report.cost.links))
    })
}

/// Compares what parties learn: all of it, but that products in fixed point are rounded at random.
fn are_alike(one: &Ran, other: &Ran) {
    for ((one, _), (other, _)) in one.iter().zip(other) {
        assert_eq!(one.len(), other.len());
        for ((name, one), (_, other)) in one.iter().zip(other) {
            let most = u128::from(name == "scaled");
            let near = one.values().zip(other.values()).all(|(a, b)| a.abs_diff(b) <= most);
            assert!(near && one.shape() == other.shape(), "{name}");
        }
    }
}

#[test]
fn programs_run_as_under_the_protocol_whose_roles_they_are() {
    for (own, listed) in PAIRS {
        for by in [By::Rings, By::Circuits] {
            for preprocessing in [Preprocessing::Interleaved, Preprocessing::Separate] {
                let [own, listed] = [own, listed]
                    .map(|protocol| ran(&program_job(protocol, by, preprocessing), None));
                are_alike(&own, &listed);
                let sent = |ran: &Ran| ran.iter().map(|(_, sent)| sent.clone()).collect::<Vec<_>>();
                assert_eq!(sent(&own), sent(&listed));
                let less = &own[0].0[1].1;
                let [a, b, _] = columns().map(|(_, _, values)| values);
                assert!(less.values().eq(a.iter().zip(&b).map(|(a, b)| i128::from(a < b))));
            }
        }
    }
}

#[test]
fn preprocessing_of_programs_is_stored() {
    let program = text::parse("test.tacit", PROGRAM).unwrap();
    for (protocol, _) in PAIRS {
        let usual = program_job(protocol, By::Rings, Preprocessing::Separate);
        let job = usual.clone().with(|it| it.stored = true);
        let kept = memory::run(3, job.threads(), &MemoryNetwork::default(), |mut session| {
            let compiled = CompiledProgram::new(&program, job.clone()).unwrap();
            let mut entropy = Entropy::insecure_seeded(test_seed(), session.me().0);
            let none = BTreeMap::new();
            let (kept, _) =
                program::prepare_with(&mut session, &compiled, &none, &mut entropy, |_, _| {
                    unreachable!("nothing is garbled")
                })
                .unwrap();
            session.finish().unwrap();
            Mutex::new(Some(kept))
        });
        are_alike(&ran(&job, Some(&kept)), &ran(&usual, None));
    }
}

#[test]
fn roles_are_split() {
    for (own, listed) in PAIRS {
        let usual = program_job(own, By::Rings, Preprocessing::Interleaved);
        let want = ran(&usual, None);
        for other in [own, listed] {
            let beside = vec![Assignment::new(other, [2, 0, 1].map(PartyId).to_vec())];
            are_alike(&ran(&usual.clone().with(|it| it.assignments.extend(beside)), None), &want);
        }
    }
}

/// What is said of a protocol that cannot run.
fn refusal(protocol: Protocol) -> String {
    let job = circuit_job(protocol, Preprocessing::Interleaved, 1);
    let of_circuits = Compiled::new(&circuit(), job).err().expect("it is refused").to_string();
    let program = text::parse("test.tacit", PROGRAM).unwrap();
    let job = program_job(protocol, By::Rings, Preprocessing::Interleaved);
    let of_programs = CompiledProgram::new(&program, job).err().expect("it is refused").to_string();
    assert_eq!(of_circuits, of_programs);
    of_circuits
}

#[test]
fn what_does_not_fit_together_is_refused() {
    for (protocol, why) in [
        (TAKEN, "`trio` is the name of a protocol of Tacit"),
        (OTHERS, "role 0 is of another protocol"),
        (OTHER_SHARES, "role 0 has shares of other components than the protocol says"),
        (BARE, "roles 1 and 2 do not draw the same number of words"),
        (SILENT, "role 1 sends role 0 0 words on the stream On, and that one takes 1"),
    ] {
        assert!(refusal(protocol).contains(why), "{}", refusal(protocol));
    }
}

#[test]
fn what_no_list_names_is_neither_measured_on_arrays_nor_balanced() {
    let plan = Plan {
        assignments: vec![Assignment::in_order(LIKE)],
        threads: 1,
        ring_bits: 64,
        operation: Operation::Product,
        elements: 100,
        duration: Duration::from_millis(1),
        cut: Cut::default(),
    };
    let results = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        bench::run(&mut session, &plan).expect_err("it is refused").to_string()
    });
    for error in results {
        assert!(error.contains("not supported for protocols of one's own"), "{error}");
    }
    let error = Balance::of(LIKE_TRIO, [("crossed", 1)]).unwrap_err().to_string();
    assert!(error.contains("not supported: products of like-trio are not balanced"), "{error}");
    let balance = Balance::of(TRIO, [("crossed", 1)]).unwrap();
    let assignment = Assignment { balance, ..Assignment::in_order(LIKE_TRIO) };
    let job = circuit_job(LIKE_TRIO, Preprocessing::Interleaved, 1)
        .with(|it| it.assignments = vec![assignment]);
    let error = Compiled::new(&circuit(), job).err().expect("it is refused").to_string();
    assert!(error.contains("products of like-trio are not balanced"), "{error}");
}

struct Shouting;

impl ThreeRoles for Shouting {
    const NAME: &'static str = "SHOUT: it";
    const SHARES: [&'static [Form]; 3] = shares_of(TRIO);
    type Role<const R: RoleId> = Under<Trio<R>, LikeTrio>;
}

/// In a constant this would not compile.
#[test]
#[should_panic(expected = "small letters, digits and dashes")]
fn names_are_plain() {
    let _ = own::protocol::<Shouting>();
}
