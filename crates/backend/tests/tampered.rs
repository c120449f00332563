//! What catches what: every kind of message of the protocols with checks, changed by its sender,
//! makes just the honest pairs disagree that `docs/spec/honest-majority-rings.md` section 9 names, whatever
//! the secrets are.

use std::collections::BTreeSet;
use tacit_backend::cost::{self, Traffic};
use tacit_backend::protocols::{FANTASTIC_FOUR, QUAD, QUAD_A, QUAD_HET, TETRAD};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Outgoing, Tamper, Verdict};
use tacit_net::{PartyId, Phase, Session, Stream};
use tacit_ring::{Entropy, Word, Z2};
use tacit_sharing::arrays::{self, Cut, SharedVec};
use tacit_sharing::balance::{Balance, Way};
use tacit_sharing::party::Streams;
use tacit_sharing::products::Scratch;
use tacit_sharing::setup::Secrets;
use tacit_sharing::transfer::{self, Input, Output, TransferScratch};
use tacit_sharing::verify::{Journal, Kind, Pass};
use tacit_sharing::{Party, Protocol, Role, RoleId, RoleVisitor, Shares, Timing};

const PLACES: [PartyId; 4] = [PartyId(0), PartyId(1), PartyId(2), PartyId(3)];
const EVERYBODY: [RoleId; 4] = [0, 1, 2, 3];

/// What is being done when a message leaves: the mesh's step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Input(RoleId, Timing),
    Product,
    Opening,
}

const STAGES: [Stage; 7] = [
    Stage::Input(0, Timing::Early),
    Stage::Input(1, Timing::Early),
    Stage::Input(2, Timing::Early),
    Stage::Input(3, Timing::Early),
    Stage::Input(3, Timing::Late),
    Stage::Product,
    Stage::Opening,
];

/// A change of the bytes that go over a link in a stage.
#[derive(Clone, Copy)]
struct Change {
    stage: Stage,
    from: RoleId,
    to: RoleId,
    stream: Stream,
    /// Added to one word of what is sent: the first, one in the middle, or the last.
    error: u128,
    place: usize,
}

/// A run: of which protocol, with which messages changed, and how products are cut.
#[derive(Clone)]
struct Scene {
    case: Case,
    changes: Vec<Change>,
    cut: Cut,
}

/// A protocol, and how its products are divided between ways to make them.
#[derive(Clone, Debug)]
struct Case {
    protocol: Protocol,
    balance: Balance,
}

impl Case {
    fn of(protocol: Protocol) -> Self {
        Case { protocol, balance: Balance::default() }
    }

    fn mixed(balance: Balance) -> Self {
        Case { protocol: balance.protocol(QUAD), balance }
    }

    /// The way in which all products are made, if it is not the protocol's own.
    fn way(&self) -> Option<Way> {
        self.balance.weights().first().map(|(way, _)| *way)
    }

    /// Every protocol, and every way of Quad in a mix.
    fn all() -> Vec<Case> {
        let ways = Way::all(QUAD).into_iter().map(Balance::only).map(Case::mixed);
        PROTOCOLS.into_iter().map(Case::of).chain(ways).collect()
    }

    /// Whether P0 hears h, and later F.
    fn is_het(&self) -> bool {
        self.way().map_or(self.protocol, |way| way.protocol) == QUAD_HET
    }
}

/// Several pieces, the last of them odd.
const PIECES: Cut = Cut { piece: 3, window: 2 };

/// One role's part: an input of every owner, products of neighbours, everything opened.
struct Play<'a, W> {
    session: &'a mut Session,
    seed: u64,
    secrets: &'a [W],
    cut: Cut,
    balance: &'a Balance,
}

/// What a role has in the end: what it would compare before opening and after, and what it opened.
type Ending<W> = (Journal, Journal, Vec<W>);

impl<W: Word> RoleVisitor for Play<'_, W> {
    type Out = Ending<W>;
    fn visit<P: Role>(self) -> Ending<W> {
        let Play { session, seed, secrets, cut, balance } = self;
        let mesh = &mut session.meshes[0];
        let mut entropy = Entropy::insecure_seeded(seed, mesh.me().0);
        let mut secrets_of_session =
            Secrets::exchange(mesh, b"test", P::PROTOCOL, &PLACES, &mut entropy).unwrap();
        let mut keys = secrets_of_session.keys("test", W::BITS, 1);
        let mut streams = keys[0].streams();
        let mut party = Party::new(mesh, &PLACES).unwrap();
        party.mesh().set_phase(Phase::Online);
        let width = secrets.len() / 5;
        let mut columns = Vec::new();
        for (index, stage) in STAGES.iter().enumerate() {
            party.mesh().set_step(index as u32);
            if let Stage::Input(owner, timing) = *stage {
                let values = &secrets[index * width..(index + 1) * width];
                let at = (owner, timing);
                columns.push(share::<P, W>(&mut party, &mut streams, at, values));
            }
        }
        let [a, b] = [0, 1].map(|shift| joined(&columns, shift));
        party.mesh().set_step(5);
        let mut product = SharedVec::zeros_of::<P>(a.len());
        let (mut draws, mut scratch) = (streams.draws().unwrap(), Scratch::default());
        let (party_at, draws, scratch, out) = (&mut party, &mut draws, &mut scratch, &mut product);
        let factors = [&a, &b];
        match balance.is_none() {
            true => arrays::multiply::<P, W>(party_at, draws, scratch, cut, factors, out),
            false => {
                let cut = (cut, balance);
                arrays::multiply_in_ways::<P, W>(party_at, draws, scratch, cut, factors, out)
            }
        }
        .unwrap();
        party.flush().unwrap();
        let before = party.take_journal().unwrap();
        party.mesh().set_step(6);
        let opened = open::<P, W>(&mut party, &product);
        let after = party.take_journal().unwrap();
        (before, after, opened)
    }
}

fn share<P: Role, W: Word>(
    party: &mut Party<'_>,
    streams: &mut Streams<'_>,
    (owner, timing): (RoleId, Timing),
    values: &[W],
) -> SharedVec<W> {
    // Only where a role works ahead are there late inputs.
    let timing = if P::PROTOCOL.ahead().is_some() { timing } else { Timing::Early };
    let mut shares = Shares::of::<P>(1, values.len());
    let input = Input { owner, timing, slots: &[0], values };
    let (mut draws, mut scratch) = (streams.draws().unwrap(), TransferScratch::default());
    if owner == P::ROLE && timing == Timing::Late {
        let kept = transfer::input_keep::<P, W>(&mut draws, &mut shares, input);
        transfer::input_send_kept::<P, W>(party, &kept, values).unwrap();
    } else {
        transfer::input_begin::<P, W>(party, &mut draws, &mut scratch, &mut shares, input).unwrap();
        transfer::input_finish::<P, W>(party, &mut scratch, &mut shares, input).unwrap();
    }
    SharedVec::copied(shares.runs(0))
}

/// All columns one after the other, beginning with column `shift`.
fn joined<W: Word>(columns: &[SharedVec<W>], shift: usize) -> SharedVec<W> {
    let width = columns[0].len();
    let mut all = SharedVec::zeros_like(width * columns.len(), columns);
    for i in 0..columns.len() {
        let from = &columns[(i + shift) % columns.len()];
        all.copy_in(i * width, from);
    }
    all
}

fn open<P: Role, W: Word>(party: &mut Party<'_>, array: &SharedVec<W>) -> Vec<W> {
    let mut shares = Shares::of::<P>(1, array.len());
    let runs = shares.runs_mut(0).into_iter().zip(array.components());
    runs.for_each(|(to, run)| to.copy_from_slice(run));
    let output = Output { receivers: &EVERYBODY, slots: &[0] };
    let (mut scratch, mut opened) = (TransferScratch::default(), vec![W::ZERO; array.len()]);
    let pass = Pass::insecure();
    transfer::output_begin::<P, W>(party, &pass, &mut scratch, &shares, output).unwrap();
    transfer::output_finish::<P, W>(party, &pass, &mut scratch, &shares, output, &mut opened)
        .unwrap();
    party.flush().unwrap();
    opened
}

fn play<W: Word>(secrets: &[W], scene: &Scene, seed: u64) -> Vec<Ending<W>> {
    memory::run(4, 1, &MemoryNetwork::default(), |mut session| {
        let role = session.me().index();
        let mine = scene.changes.iter().filter(|change| change.from == role);
        let mut tampers: Vec<_> = mine.map(|change| tamper::<W>(*change)).collect();
        session.meshes[0].set_tamper(Tamper::new(move |message| {
            let verdicts = tampers.iter_mut().map(|tamper| tamper(message));
            let kept = |verdict: &Verdict| *verdict == Verdict::Keep;
            let changed: Vec<Verdict> = verdicts.filter(|verdict| !kept(verdict)).collect();
            assert!(changed.len() <= 1, "one change of a message");
            changed.into_iter().next().unwrap_or(Verdict::Keep)
        }));
        let Scene { case: Case { protocol, balance }, cut, .. } = scene;
        let play = Play { session: &mut session, seed, secrets, cut: *cut, balance };
        let ending = tacit_backend::visit::visit(*protocol, role, play);
        session.meshes[0].flush().unwrap();
        session.finish().unwrap();
        ending
    })
}

/// Adds an error to the word of the stage that `change` says, counted over all its messages.
fn tamper<W: Word>(change: Change) -> impl FnMut(Outgoing<'_>) -> Verdict + Send {
    let mut sent = 0;
    move |message| {
        let here = message.to.index() == change.to
            && message.stream == change.stream
            && STAGES[message.place.step as usize] == change.stage
            && message.place.phase != Phase::Setup;
        if !here {
            return Verdict::Keep;
        }
        let start = sent;
        sent += message.bytes.len();
        let at = (change.place * size_of::<W>()).checked_sub(start);
        let Some(at) = at.filter(|at| *at < message.bytes.len()) else { return Verdict::Keep };
        let mut bytes = message.bytes.to_vec();
        let word = &mut tacit_ring::word::from_bytes::<W>(&bytes[at..at + size_of::<W>()])
            .expect("a word")[0];
        let changed = word.add(W::from_u128(change.error));
        bytes[at..at + size_of::<W>()].copy_from_slice(tacit_ring::word::bytes(&[changed]));
        Verdict::Replace(bytes)
    }
}

/// Pairs of honest roles that disagree, before the opening and after it, and on what.
fn disagreements<W: Word>(
    endings: &[Ending<W>],
    corrupted: Option<RoleId>,
) -> [BTreeSet<(RoleId, RoleId, Kind)>; 2] {
    let honest = EVERYBODY.into_iter().filter(|role| Some(*role) != corrupted);
    let pairs = honest.clone().flat_map(|i| honest.clone().map(move |j| (i, j)));
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    for (i, j) in pairs.filter(|(i, j)| i < j) {
        let (one, other) = (&endings[i], &endings[j]);
        for (found, (mine, theirs)) in
            found.iter_mut().zip([(&one.0, &other.0), (&one.1, &other.1)])
        {
            let items = Journal::differences(mine.clone(), i, theirs.clone(), j);
            found.extend(items.into_iter().map(|item| (i, j, item.kind())));
        }
    }
    found
}

/// Stage, sender, receiver, stream, and the pairs that must differ.
type Row = (Stage, RoleId, RoleId, Stream, Vec<(RoleId, RoleId, Kind)>);

type StaticRow = (Stage, RoleId, RoleId, Stream, &'static [(RoleId, RoleId, Kind)]);

/// Every message that a product sends, in the way of a case.
fn product_rows_of(case: &Case) -> Vec<Row> {
    let way = case.way();
    let crossed = way.is_some_and(|way| way.crossed);
    let other = |role: RoleId| if crossed { [0, 2, 1, 3][role] } else { role };
    let pair = |(i, j, kind): &(RoleId, RoleId, Kind)| {
        let (i, j) = (other(*i), other(*j));
        (i.min(j), i.max(j), *kind)
    };
    let rows = product_rows(way.map_or(case.protocol, |way| way.protocol)).into_iter();
    rows.map(|(stage, from, to, stream, catchers)| {
        (stage, other(from), other(to), stream, catchers.iter().map(pair).collect())
    })
    .collect()
}

/// Every message that a product sends.
#[rustfmt::skip]
fn product_rows(protocol: Protocol) -> Vec<StaticRow> {
    use Kind::{Cross, Deal, Masks, OtherCross, Raise, Result};
    use Stage::Product;
    use Stream::{Def, On, Pre};
    let rows: &[StaticRow] = match protocol {
        it if it == QUAD_A => &[
            (Product, 0, 2, Pre, &[(2, 3, Deal)]),
            (Product, 3, 0, Pre, &[(0, 1, Result), (0, 2, Result)]),
            (Product, 1, 2, On, &[(0, 2, Result)]),
            (Product, 2, 1, On, &[(0, 1, Result)]),
            (Product, 2, 0, Def, &[(0, 1, Raise)]),
        ],
        it if it == QUAD_HET => &[
            (Product, 0, 2, Pre, &[(2, 3, Deal)]),
            (Product, 1, 2, On, &[(0, 3, Masks)]),
            (Product, 2, 1, On, &[(0, 1, Result)]),
            // One or the other, as it is h or F that changes.
            (Product, 2, 0, Def, &[(0, 1, Raise), (0, 1, Result)]),
        ],
        it if it == FANTASTIC_FOUR => &[
            (Product, 0, 2, On, &[(2, 3, Cross)]),
            (Product, 0, 1, On, &[(1, 2, Cross)]),
            (Product, 1, 3, On, &[(0, 3, Cross)]),
            (Product, 1, 0, On, &[(0, 3, OtherCross)]),
            (Product, 2, 0, On, &[(0, 1, Cross)]),
            (Product, 3, 1, On, &[(1, 2, OtherCross)]),
        ],
        // Quad B, and Tetrad.
        _ => &[
            (Product, 3, 2, Pre, &[(0, 2, Deal)]),
            (Product, 3, 0, Pre, &[(0, 1, Result), (0, 2, Result)]),
            (Product, 1, 2, On, &[(0, 2, Result)]),
            (Product, 2, 1, On, &[(0, 1, Result)]),
            (Product, 2, 0, Def, &[(0, 1, Raise)]),
        ],
    };
    rows.to_vec()
}

/// Every message that is sent, and the honest pairs and transcripts that must catch a change of it.
fn table(case: &Case) -> Vec<Row> {
    let others = other_rows(case.protocol).into_iter();
    let others = others
        .map(|(stage, from, to, stream, catchers)| (stage, from, to, stream, catchers.to_vec()));
    product_rows_of(case).into_iter().chain(others).collect()
}

/// Those of inputs and openings.
#[rustfmt::skip]
fn other_rows(protocol: Protocol) -> Vec<StaticRow> {
    use Kind::{Input, Opening};
    use Stage::{Input as From, Opening as Open};
    use Stream::{On, Pre};
    use Timing::{Early, Late};
    let mut rows: Vec<StaticRow> = Vec::new();
    rows.extend::<[StaticRow; 6]>([
        (From(0, Early), 0, 1, On, &[(1, 2, Input)]),
        (From(0, Early), 0, 2, On, &[(1, 2, Input)]),
        (From(1, Early), 1, 0, On, &[(0, 2, Input)]),
        (From(1, Early), 1, 2, On, &[(0, 2, Input)]),
        (From(2, Early), 2, 0, On, &[(0, 1, Input)]),
        (From(2, Early), 2, 1, On, &[(0, 1, Input)]),
    ]);
    if protocol == FANTASTIC_FOUR {
        rows.extend::<[StaticRow; 2]>([
            (From(3, Early), 3, 1, On, &[(1, 2, Input)]),
            (From(3, Early), 3, 2, On, &[(1, 2, Input)]),
        ]);
    } else {
        rows.extend::<[StaticRow; 5]>([
            (From(3, Early), 3, 1, Pre, &[(1, 2, Input)]),
            (From(3, Early), 3, 2, Pre, &[(1, 2, Input)]),
            (From(3, Late), 3, 0, On, &[(0, 1, Input), (0, 2, Input)]),
            (From(3, Late), 3, 1, On, &[(0, 1, Input)]),
            (From(3, Late), 3, 2, On, &[(0, 2, Input)]),
        ]);
    }
    if protocol.components() == 3 {
        rows.extend::<[StaticRow; 4]>([
            (Open, 1, 0, On, &[(0, 2, Opening)]),
            (Open, 2, 1, On, &[(1, 3, Opening)]),
            (Open, 3, 2, On, &[(0, 2, Opening)]),
            (Open, 0, 3, On, &[(1, 3, Opening)]),
        ]);
    } else {
        rows.extend::<[StaticRow; 4]>([
            (Open, 2, 0, On, &[(0, 1, Opening)]),
            (Open, 0, 1, On, &[(1, 3, Opening)]),
            (Open, 3, 2, On, &[(0, 2, Opening)]),
            (Open, 1, 3, On, &[(2, 3, Opening)]),
        ]);
    }
    rows
}

fn secrets<W: Word>(salt: u64) -> Vec<W> {
    let word = |i: u64| (i + 1 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ salt;
    (0..35).map(|i| W::from_u128(u128::from(word(i)) << 40 ^ u128::from(word(i + 99)))).collect()
}

const PROTOCOLS: [Protocol; 5] = [QUAD, QUAD_A, QUAD_HET, TETRAD, FANTASTIC_FOUR];

fn every_change_is_caught<W: Word + std::fmt::Debug>(top: u128) {
    let rows = |case: Case| table(&case).into_iter().map(move |row| (case.clone(), row));
    for (case, (stage, from, to, stream, catchers)) in Case::all().into_iter().flat_map(rows) {
        let words = if matches!(stage, Stage::Input(..)) { 7 } else { 35 };
        for place in [0, words / 2, words - 1] {
            for error in [top, 1] {
                let changes = vec![Change { stage, from, to, stream, error, place }];
                let scene = Scene { case: case.clone(), changes, cut: PIECES };
                let label = format!("{case:?} {stage:?} {from} to {to} word {place}");
                // Certainly, whatever the secrets are: nothing may depend on whether it is caught.
                for salt in 0..3 {
                    let endings = play::<W>(&secrets(salt), &scene, salt ^ 7);
                    let [before, after] = disagreements(&endings, Some(from));
                    let found = if stage == Stage::Opening { after } else { before };
                    let caught = catchers.iter().filter(|catcher| found.contains(catcher)).count();
                    let either = case.is_het() && stream == Stream::Def;
                    let enough = if either { 1 } else { catchers.len() };
                    assert!(caught >= enough, "{label}: {catchers:?} not in {found:?}");
                }
            }
        }
    }
}

#[test]
fn every_changed_bit_is_caught_by_the_named_pairs() {
    every_change_is_caught::<Z2>(1 << 63);
}

#[test]
fn every_changed_number_is_caught_by_the_named_pairs() {
    every_change_is_caught::<u32>(1 << 31);
}

/// P2 changes what it sends P1, and what it sends P0 so that P0 and P1 agree on the result: then it
/// is P3 that P0 differs from, or P1 where P2 hides that too.
#[test]
fn changes_of_several_messages_that_fit_each_other_are_caught() {
    let change = |to, stream, error: u64, place| {
        let error = u128::from(error as u32);
        Change { stage: Stage::Product, from: 2, to, stream, error, place }
    };
    for (error, place) in [1u64, 1 << 31, 0x1234_5678].into_iter().zip([0, 17, 34]) {
        // The whole array in one piece: h of all products, then F of all.
        let cut = Cut { piece: 64, window: 1 };
        let [wrong, fitting] = [
            change(1, Stream::On, error, place),
            change(0, Stream::Def, error.wrapping_neg(), 35 + place),
        ];
        let hiding = change(0, Stream::Def, error.wrapping_neg(), place);
        for (changes, pair) in [
            (vec![wrong, fitting], (0, 3, Kind::Masks)),
            (vec![wrong, fitting, hiding], (0, 1, Kind::Raise)),
        ] {
            let scene = Scene { case: Case::of(QUAD_HET), changes, cut };
            for salt in 0..3 {
                let endings = play::<u32>(&secrets(salt), &scene, salt ^ 7);
                let [before, _] = disagreements(&endings, Some(2));
                assert!(before.contains(&pair), "{pair:?} not in {before:?}");
                assert!(!before.contains(&(0, 1, Kind::Result)), "the result was to fit");
            }
        }
    }
}

#[test]
fn honest_roles_agree_and_open_the_products() {
    let secrets = secrets::<u64>(5);
    for case in Case::all().into_iter().chain(mixes()) {
        let scene = Scene { case: case.clone(), changes: Vec::new(), cut: PIECES };
        let endings = play(&secrets, &scene, 1);
        assert!(disagreements(&endings, None).iter().all(BTreeSet::is_empty));
        for (role, (_, _, opened)) in endings.iter().enumerate() {
            let expected = (0..35).map(|i| secrets[i].mul(secrets[(i + 7) % 35]));
            assert!(opened.iter().copied().eq(expected), "{case:?} role {role}");
        }
    }
}

/// Products of several ways over the same links.
fn mixes() -> Vec<Case> {
    let mix = |ways: &[&'static str]| {
        let weights = ways.iter().map(|name| (*name, 1));
        Case::mixed(Balance::of(QUAD, weights).unwrap())
    };
    vec![
        mix(&["a", "het"]),
        mix(&["b", "b-crossed"]),
        mix(&["a", "b", "het"]),
        mix(&["a", "a-crossed", "b", "b-crossed", "het", "het-crossed"]),
    ]
}

/// Whatever a mix sends for products, changed anywhere, makes honest roles disagree.
#[test]
fn every_changed_word_of_a_mix_is_caught() {
    for case in mixes() {
        let mut traffic = Traffic::default();
        for (way, words) in arrays::words_in_ways((PIECES, &case.balance), 35) {
            traffic += cost::product_in(way) * words as u64;
        }
        for (from, to) in cost::links().filter(|(from, to)| traffic.link(*from, *to) > 0) {
            for stream in [Stream::Pre, Stream::On, Stream::Def] {
                for place in 0..traffic.stream(stream)[from][to] as usize {
                    let stage = Stage::Product;
                    let changes = vec![Change { stage, from, to, stream, error: 1, place }];
                    let scene = Scene { case: case.clone(), changes, cut: PIECES };
                    let endings = play::<u32>(&secrets(place as u64), &scene, 3);
                    let [before, _] = disagreements(&endings, Some(from));
                    let label = format!("{case:?} {from} to {to} {stream:?} word {place}");
                    assert!(!before.is_empty(), "{label} goes unnoticed");
                }
            }
        }
    }
}

/// All sets of up to three of the changes.
fn up_to_three(changes: &[Change]) -> Vec<Vec<Change>> {
    let mut sets = vec![Vec::new()];
    for change in changes {
        let more: Vec<Vec<Change>> = sets
            .iter()
            .filter(|set: &&Vec<Change>| set.len() < 3)
            .map(|set| set.iter().copied().chain([*change]).collect())
            .collect();
        sets.extend(more);
    }
    sets.retain(|set| !set.is_empty());
    sets
}

/// Mutation checks: for every comparison of products and openings, of every pair, there is a cheat of
/// one role that nothing else catches. So one that is left out makes this test fail, and none is
/// superfluous. (Here inputs are multiplied, so products show wrong ones too; that they are compared
/// themselves is a matter of the tests above.)
#[test]
fn every_comparison_catches_what_no_other_one_does() {
    let cut = Cut { piece: 64, window: 1 };
    for case in Case::all() {
        let mut missing: BTreeSet<(RoleId, RoleId, Kind)> = BTreeSet::new();
        for row in table(&case) {
            missing.extend(row.4.into_iter().filter(|(.., kind)| *kind != Kind::Input));
        }
        for from in EVERYBODY {
            let change = |row: &Row, place| {
                let (stage, from, to, stream) = (row.0, row.1, row.2, row.3);
                Change { stage, from, to, stream, error: 1 << 31, place }
            };
            let (mut together, mut alone) = (Vec::new(), Vec::new());
            for row in table(&case).into_iter().filter(|row| row.1 == from) {
                if row.0 == Stage::Product {
                    together.push(change(&row, 3));
                    if case.is_het() && row.3 == Stream::Def {
                        // h of all products, then F of all.
                        together.push(change(&row, 35 + 3));
                    }
                } else {
                    alone.push(vec![change(&row, 3)]);
                }
            }
            for changes in alone.into_iter().chain(up_to_three(&together)) {
                let scene = Scene { case: case.clone(), changes, cut };
                let endings = play::<u32>(&secrets(1), &scene, 11);
                let [before, after] = disagreements(&endings, Some(from));
                let found = if before.is_empty() { after } else { before };
                assert!(!found.is_empty(), "{case:?}: a cheat of {from} goes unnoticed");
                if found.len() == 1 {
                    missing.retain(|comparison| !found.contains(comparison));
                }
            }
        }
        assert!(missing.is_empty(), "{case:?}: nothing shows that {missing:?} is needed");
    }
}
