//! Every message of a conversion of four parties, changed by its sender, makes the honest pairs disagree
//! that `docs/spec/honest-majority-rings.md` section 9 names, whatever the secrets are.

use crate::{FOUR, PLACES};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use tacit_backend::convert::{self, Coordinates, Masked, MaskedParty};
use tacit_backend::protocols::QUAD_HET;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{self as net, Phase, Session, Stream};
use tacit_ring::{Buffer, Entropy, Word, Z2};
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::party::Keys;
use tacit_sharing::setup::Secrets;
use tacit_sharing::transfer::{self, Input, TransferScratch};
use tacit_sharing::verify::{Journal, Kind};
use tacit_sharing::{CoordinatesVisitor, Party, Protocol, RoleId, Shares, Timing};

/// Rows that are converted.
const ROWS: usize = 67;

/// What is being done when a message leaves: the mesh's step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Block {
    BitToRing,
    Inject,
    GroupSums,
    BitsToRing,
    Truncate,
    Widen,
    FloorShift,
    Bits,
}

const BLOCKS: [Block; 8] = [
    Block::BitToRing,
    Block::Inject,
    Block::GroupSums,
    Block::BitsToRing,
    Block::Truncate,
    Block::Widen,
    Block::FloorShift,
    Block::Bits,
];

/// The step of the first block: inputs come before.
const FIRST: u32 = 1;

/// One bit of what goes over a link in a block.
#[derive(Clone, Copy, Debug)]
struct Change {
    block: Block,
    from: RoleId,
    to: RoleId,
    stream: Stream,
    /// Which message of this link and block, from one.
    number: usize,
    place: Place,
    mask: u8,
}

/// Which byte.
#[derive(Clone, Copy, Debug)]
enum Place {
    First,
    /// Of so many parts of what goes over the link.
    Part(usize, usize),
    Last,
}

struct Play<'a> {
    session: &'a mut Session,
    seed: u64,
    counters: &'a Counters,
}

/// By ring, and by the role that lacks a key, how many streams are left under it at each holder.
type Counters = Mutex<BTreeMap<(usize, RoleId), Vec<u64>>>;

/// The keys of a role for the rings here.
struct Rings {
    bits: Keys,
    words: Keys,
    longs: Keys,
}

impl CoordinatesVisitor for Play<'_> {
    type Out = Journal;
    fn visit<P: Coordinates>(self) -> Journal {
        let mesh = &mut self.session.meshes[0];
        let mut entropy = Entropy::insecure_seeded(self.seed, mesh.me().0);
        let mut secrets =
            Secrets::exchange(mesh, b"test", P::PROTOCOL, &PLACES, &mut entropy).unwrap();
        let mut keys = |bits| secrets.keys("test", bits, 1).remove(0);
        let mut rings = Rings { bits: keys(1), words: keys(32), longs: keys(64) };
        let mut party = Party::new(mesh, &PLACES).unwrap();
        party.mesh().set_phase(Phase::Online);
        party.mesh().set_step(0);
        let words = ROWS.div_ceil(64);
        let numbers = pseudorandom(self.seed, ROWS).map(|w| w as u32 >> 3).collect::<Vec<_>>();
        let bits = pseudorandom(self.seed ^ 1, 32 * words).map(Z2).collect::<Vec<_>>();
        let a = share::<P, u32>(&mut party, &mut rings.words, &numbers);
        let b = share::<P, Z2>(&mut party, &mut rings.bits, &bits);
        let (a, b) = (convert::to_masked::<P, u32>(&a), convert::to_masked::<P, Z2>(&b));
        for (step, block) in (FIRST..).zip(BLOCKS) {
            party.mesh().set_step(step);
            play(&mut MaskedParty::new::<P>(&mut party), &mut rings, block, &a, &b);
        }
        party.flush().unwrap();
        let journal = party.take_journal().unwrap();
        let Rings { bits, words, longs } = &rings;
        for (ring, keys) in [bits, words, longs].into_iter().enumerate() {
            let lacking = (0..4).filter(|role| *role != P::ROLE);
            for (lacking, left) in lacking.zip(keys.streams_left()) {
                self.counters.lock().unwrap().entry((ring, lacking)).or_default().push(left);
            }
        }
        journal
    }
}

fn pseudorandom(seed: u64, n: usize) -> impl Iterator<Item = u64> {
    let word = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    (0..n as u64).map(move |i| word(word(i) ^ seed.wrapping_mul(0xd6e8_feb8_6659_fd93)))
}

/// Plane `j` of bits.
fn plane(bits: &Masked<Z2>, j: usize) -> Masked<Z2> {
    let words = ROWS.div_ceil(64);
    let cut = |run: &Buffer<Z2>| Buffer::from_slice(&run[j * words..(j + 1) * words]);
    Masked::pair(cut(&bits.first), cut(&bits.second))
}

fn play(
    masked_party: &mut MaskedParty<'_, '_>,
    rings: &mut Rings,
    block: Block,
    a: &Masked<u32>,
    b: &Masked<Z2>,
) {
    let mut bits = rings.bits.streams().draws().unwrap();
    let mut words = rings.words.streams().draws().unwrap();
    let mut longs = rings.longs.streams().draws().unwrap();
    let (low, high) = (plane(b, 0), plane(b, 1));
    match block {
        Block::BitToRing => {
            drop(convert::bit_to_ring::<u32>(masked_party, &mut words, &low, ROWS).unwrap());
        }
        Block::Inject => drop(convert::inject(masked_party, &mut words, &low, a).unwrap()),
        Block::GroupSums => {
            let groups = [low, high];
            drop(convert::group_sums(masked_party, &mut words, &groups, ROWS, Some(a)).unwrap());
        }
        Block::BitsToRing => {
            drop(convert::bits_to_ring::<u32>(masked_party, &mut words, b, ROWS).unwrap());
        }
        Block::Truncate => drop(convert::truncate(masked_party, &mut words, a, 5).unwrap()),
        Block::Widen => drop(convert::widen::<u32, u64>(masked_party, &mut longs, a).unwrap()),
        Block::FloorShift => {
            drop(convert::floor_shift(masked_party, &mut words, a, 5, [&low, &high]).unwrap());
        }
        Block::Bits => {
            let lambda = a.lambda(masked_party.seat());
            drop(convert::lower_bits(masked_party, &mut bits, &lambda, ROWS, 32).unwrap());
            drop(convert::upper_bits(masked_party, &mut bits, &a.first, 32).unwrap());
        }
    }
}

fn share<P: Coordinates, W: Word>(
    party: &mut Party<'_>,
    keys: &mut Keys,
    values: &[W],
) -> SharedVec<W> {
    let mut shares = Shares::of::<P>(1, values.len());
    let input = Input { owner: 1, timing: Timing::Early, slots: &[0], values };
    let (mut draws, mut scratch) = (keys.streams().draws().unwrap(), TransferScratch::default());
    transfer::input_begin::<P, W>(party, &mut draws, &mut scratch, &mut shares, input).unwrap();
    transfer::input_finish::<P, W>(party, &mut scratch, &mut shares, input).unwrap();
    SharedVec::copied(shares.runs(0))
}

/// A link in a block.
type Link = (Block, RoleId, RoleId, Stream);

/// How many messages go over each link in each block.
fn messages(protocol: Protocol) -> BTreeMap<Link, usize> {
    let counts: Arc<Mutex<BTreeMap<Link, usize>>> = Arc::default();
    let counted = counts.clone();
    run_with(protocol, 0, move |from| {
        let counts = counted.clone();
        Some(Tamper::new(move |message| {
            if let Some(block) = block_of(message.place).filter(|_| !message.bytes.is_empty()) {
                let link = (block, from, message.to.index(), message.stream);
                *counts.lock().unwrap().entry(link).or_default() += 1;
            }
            Verdict::Keep
        }))
    });
    Arc::into_inner(counts).unwrap().into_inner().unwrap()
}

fn block_of(place: net::Place) -> Option<Block> {
    let at = place.step.checked_sub(FIRST).filter(|_| place.phase != Phase::Setup)?;
    BLOCKS.get(at as usize).copied()
}

/// The transcripts of all roles.
fn run(protocol: Protocol, change: Option<Change>, seed: u64) -> Vec<Journal> {
    run_with(protocol, seed, |role| change.filter(|change| change.from == role).map(tamper))
}

fn run_with(
    protocol: Protocol,
    seed: u64,
    tamper: impl Fn(RoleId) -> Option<Tamper> + Sync,
) -> Vec<Journal> {
    let counters = Counters::default();
    let journals = memory::run(4, 1, &MemoryNetwork::default(), |mut session| {
        let role = session.me().index();
        if let Some(tamper) = tamper(role) {
            session.meshes[0].set_tamper(tamper);
        }
        let start = Play { session: &mut session, seed, counters: &counters };
        let journal = tacit_backend::visit::visit_coordinates(protocol, role, start).unwrap();
        session.meshes[0].flush().unwrap();
        session.finish().unwrap();
        journal
    });
    for (key, left) in counters.into_inner().unwrap() {
        assert!(
            left.len() == 3 && left.iter().all(|n| *n == left[0]),
            "{protocol} {key:?}: {left:?}"
        );
    }
    journals
}

/// Flips a bit of what goes over a link in a block. Messages of conversions leave whole.
fn tamper(change: Change) -> Tamper {
    let mut messages = 0;
    Tamper::new(move |message| {
        let here = message.to.index() == change.to
            && message.stream == change.stream
            && block_of(message.place) == Some(change.block)
            && !message.bytes.is_empty();
        if !here {
            return Verdict::Keep;
        }
        messages += 1;
        if messages != change.number {
            return Verdict::Keep;
        }
        let last = message.bytes.len() - 1;
        let at = match change.place {
            Place::First => 0,
            Place::Part(number, of) => last * number / of,
            Place::Last => last,
        };
        let mut bytes = message.bytes.to_vec();
        bytes[at] ^= change.mask;
        Verdict::Replace(bytes)
    })
}

/// The pairs that must differ when a message from one role to another, the last one of its block or
/// not, is changed.
fn catchers(
    protocol: Protocol,
    from: RoleId,
    to: RoleId,
    last: bool,
) -> &'static [(RoleId, RoleId, Kind)] {
    match (from, to) {
        (0, 2) => &[(2, 3, Kind::Deal)],
        (3, 2) => &[(0, 2, Kind::Deal)],
        (3, 0) => &[(0, 1, Kind::Result), (0, 2, Kind::Result)],
        (2, 0) if protocol == QUAD_HET && last => &[(0, 1, Kind::Result)],
        (2, 0) => &[(0, 1, Kind::Raise)],
        (1, 2) if protocol == QUAD_HET => &[(0, 3, Kind::Masks)],
        (1, 2) => &[(0, 2, Kind::Result)],
        (2, 1) => &[(0, 1, Kind::Result)],
        _ => panic!("{protocol}: nothing goes from {from} to {to}"),
    }
}

fn disagreements(
    journals: &[Journal],
    corrupted: Option<RoleId>,
) -> BTreeSet<(RoleId, RoleId, Kind)> {
    let honest = (0..4).filter(|role| Some(*role) != corrupted);
    let pairs = honest.clone().flat_map(|i| honest.clone().map(move |j| (i, j)));
    pairs
        .filter(|(i, j)| i < j)
        .flat_map(|(i, j)| {
            let (mine, theirs) = (journals[i].clone(), journals[j].clone());
            let items = Journal::differences(mine, i, theirs, j);
            items.into_iter().map(move |item| (i, j, item.kind()))
        })
        .collect()
}

#[test]
fn every_changed_message_is_caught_by_the_named_pairs() {
    for protocol in FOUR {
        for ((block, from, to, stream), count) in messages(protocol) {
            for number in 1..=count {
                // Nothing but raises and deals is sent for bits.
                let result = number == count && block != Block::Bits;
                let catchers = catchers(protocol, from, to, result);
                let places = match number {
                    1 => &[Place::First, Place::Part(1, 2), Place::Part(2, 3), Place::Last][..],
                    _ => &[Place::Part(1, 2)],
                };
                for (place, mask) in places.iter().flat_map(|p| [(*p, 1), (*p, 0x80)]) {
                    let change = Change { block, from, to, stream, number, place, mask };
                    // Certainly, whatever the secrets are.
                    for seed in 0..2 {
                        let journals = run(protocol, Some(change), seed);
                        let found = disagreements(&journals, Some(from));
                        let all = catchers.iter().all(|catcher| found.contains(catcher));
                        assert!(all, "{protocol}, {change:?}: {found:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn honest_roles_agree() {
    for protocol in FOUR {
        let journals = run(protocol, None, 7);
        assert!(disagreements(&journals, None).is_empty(), "{protocol}");
    }
}
