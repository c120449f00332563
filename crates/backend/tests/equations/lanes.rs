//! The protocols' own code, run once for every choice of randomness: each lane has another one.
//!
//! A scene's random bits are columns over the lanes; column `i` holds bit `i` of the lane's
//! number, so that all lanes together are all choices. Keys are scripts of columns. What a role
//! sees in a lane is its starting shares, its draws, every message to it and what it opens.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Session, Stream};
use tacit_ring::{Z2, word};
use tacit_sharing::party::Keys;
use tacit_sharing::{Draws, Party, Protocol, Role, RoleId, RoleVisitor};

/// One bit per lane.
pub type Column = Vec<Z2>;

const PLACES: [PartyId; 3] = [PartyId(0), PartyId(1), PartyId(2)];

/// Something that three roles do with fixed secrets.
pub trait Scene: Sync {
    /// Random bits apart from draws, such as the masks of shares that it starts from.
    fn free(&self) -> u32;
    /// Words drawn under the keys of roles (0, 1), (1, 2), (2, 0).
    fn draws(&self) -> [u32; 3];
    /// One role's part.
    fn play<P: Role>(&self, stage: &mut Stage<'_, '_>);
}

/// What a role has to play with.
pub struct Stage<'k, 'm> {
    pub party: Party<'m>,
    pub draws: Draws<'k>,
    /// Words per column.
    pub words: usize,
    /// The scene's free random bits.
    pub free: Vec<Column>,
    /// What the scene adds to the role's view.
    pub seen: Vec<Column>,
}

/// A mask used twice: draw `again` under a key is its draw `first`.
#[derive(Clone, Copy)]
pub struct Reuse {
    pub key: usize,
    pub first: usize,
    pub again: usize,
}

/// By role, the views in all lanes, sorted: equal if and only if equally distributed.
pub type SortedViews = [Vec<u64>; 3];

/// Plays `scene` for all randomness.
pub fn views<S: Scene>(protocol: Protocol, scene: &S, reuse: Option<Reuse>) -> SortedViews {
    let script = Script::new(scene, reuse);
    let sent = Arc::new(Mutex::new(Sent::new()));
    let seen = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let role = session.me().index();
        record(&mut session, role, &sent);
        let play = Play { session: &mut session, scene, script: &script };
        let seen = tacit_backend::visit::visit(protocol, role, play);
        session.finish().unwrap();
        seen
    });
    let sent = sent.lock().unwrap();
    let mut seen = seen.into_iter();
    [0, 1, 2].map(|role| {
        let mut columns = seen.next().unwrap();
        columns.extend(script.keys[role].iter().chain(&script.keys[(role + 2) % 3]).cloned());
        for (_, bytes) in sent.iter().filter(|((to, ..), _)| *to == role) {
            columns.extend(bytes.chunks_exact(script.words * 8).map(column_of));
        }
        sorted_lanes(&columns)
    })
}

/// Messages by receiver, sender and stream.
type Sent = BTreeMap<(RoleId, RoleId, Stream), Vec<u8>>;

fn record(session: &mut Session, from: RoleId, sent: &Arc<Mutex<Sent>>) {
    let sent = sent.clone();
    session.meshes[0].set_tamper(Tamper::new(move |message| {
        let link = (message.to.index(), from, message.stream);
        sent.lock().unwrap().entry(link).or_default().extend_from_slice(message.bytes);
        Verdict::Keep
    }));
}

/// All random columns of a scene.
struct Script {
    words: usize,
    free: Vec<Column>,
    keys: [Vec<Column>; 3],
}

impl Script {
    fn new<S: Scene>(scene: &S, reuse: Option<Reuse>) -> Self {
        let bits = scene.free() + scene.draws().iter().sum::<u32>();
        // A generator's blocks have two words.
        let words = ((1 << bits) / 64usize).max(2);
        let mut numbers = 0..bits;
        let mut take =
            |n: u32| numbers.by_ref().take(n as usize).map(|bit| lane_bit(bit, words)).collect();
        let free = take(scene.free());
        let mut keys: [Vec<Column>; 3] = scene.draws().map(take);
        if let Some(Reuse { key, first, again }) = reuse {
            keys[key][again] = keys[key][first].clone();
        }
        Script { words, free, keys }
    }

    fn bytes(&self, key: usize) -> Vec<u8> {
        self.keys[key].iter().flat_map(|column| word::bytes(column)).copied().collect()
    }
}

/// Bit `bit` of every lane's number.
fn lane_bit(bit: u32, words: usize) -> Column {
    let of = |lane: usize| (lane as u64) >> bit & 1;
    let word = |w: usize| (0..64).fold(0, |word, lane| word | of(w * 64 + lane) << lane);
    (0..words).map(|w| Z2(word(w))).collect()
}

fn column_of(bytes: &[u8]) -> Column {
    word::from_bytes(bytes).expect("whole words")
}

/// The columns' bits of each lane as a number, in ascending order.
fn sorted_lanes(columns: &[Column]) -> Vec<u64> {
    assert!(columns.len() <= 64, "a view has at most 64 bits here");
    let words = columns.first().map_or(0, Vec::len);
    let lane = |w: usize, lane: u32| {
        columns.iter().fold(0, |view, column| view << 1 | column[w].0 >> lane & 1)
    };
    let mut lanes: Vec<u64> =
        (0..words).flat_map(|w| (0..64).map(move |l| (w, l))).map(|(w, l)| lane(w, l)).collect();
    lanes.sort_unstable();
    lanes
}

struct Play<'a, S> {
    session: &'a mut Session,
    scene: &'a S,
    script: &'a Script,
}

impl<S: Scene> RoleVisitor for Play<'_, S> {
    type Out = Vec<Column>;
    fn visit<P: Role>(self) -> Vec<Column> {
        let Play { session, scene, script } = self;
        let (next, prev) = (script.bytes(P::ROLE), script.bytes((P::ROLE + 2) % 3));
        let mut keys = Keys::insecure_scripted([next, prev]);
        let draws = keys.streams().draws().unwrap();
        let party = Party::new(&mut session.meshes[0], &PLACES).unwrap();
        let (words, free) = (script.words, script.free.clone());
        let mut stage = Stage { party, draws, words, free, seen: Vec::new() };
        scene.play::<P>(&mut stage);
        stage.party.flush().unwrap();
        stage.seen
    }
}

/// A column that has the same bit in every lane.
pub fn constant(bit: u64, words: usize) -> Column {
    vec![Z2(bit.wrapping_neg()); words]
}

/// The sum of columns.
pub fn sum(columns: &[&[Z2]]) -> Column {
    (0..columns[0].len()).map(|i| Z2(columns.iter().fold(0, |s, c| s ^ c[i].0))).collect()
}

/// Asserts that a role's view depends on the secrets by what `told` says alone: its own inputs
/// and the outputs that it learns. `views[secrets]` are the views of all roles.
pub fn assert_told_alone(views: &[SortedViews], told: impl Fn(RoleId, usize) -> u64, label: &str) {
    assert!(leaks(views, told).is_empty(), "{label}: secrets show beyond what a role is told");
}

/// Roles and pairs of secrets whose views differ though the role is told the same.
pub fn leaks(
    views: &[SortedViews],
    told: impl Fn(RoleId, usize) -> u64,
) -> Vec<(RoleId, usize, usize)> {
    let pairs = (0..views.len()).flat_map(|a| (0..a).map(move |b| (b, a)));
    let cases = pairs.flat_map(|(a, b)| (0..3).map(move |role| (role, a, b)));
    cases
        .filter(|(role, a, b)| told(*role, *a) == told(*role, *b))
        .filter(|(role, a, b)| views[*a][*role] != views[*b][*role])
        .collect()
}
