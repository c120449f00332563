//! The kinds of BMR: parties of them, and what they send.

mod circuits;

use super::common::places;
use super::store::stored;
use std::time::Duration;
use tacit_garbling::bmr::blocks::{self, BmrBlocks};
use tacit_garbling::bmr::over_ot::{self, BmrOt};
use tacit_garbling::bmr::replicated::{self, BmrReplicated, ReplicatedKeys};
use tacit_garbling::bmr::shamir::{self, BmrShamir, ShamirKeys};
use tacit_garbling::bmr::{Bmr, bytes, silent_bytes};
use tacit_garbling::{Bits, Evaluate, Garbling, Ports};
use tacit_net::memory::MemoryNetwork;
use tacit_net::{LinkProfile, PartyId, Phase, Session, Stream};
use tacit_ring::Entropy;
use tacit_sharing::SharingError;
use tacit_sharing::bmr::{Opening, Products, Rounds};
use tacit_sharing::cost::Traffic;
use tacit_sharing::gmw::{Correlations, Delta, FAN, WorkerKeys};

/// How what is garbled is shared and multiplied.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Wires,
    /// With silent transfers.
    Silent,
    Rows(Products),
    Bytes,
    Blocks(Rounds),
    Replicated,
}

/// Evaluates some instances.
#[derive(Clone, Copy)]
pub struct Play<'a> {
    pub kind: Kind,
    pub opening: Opening,
    pub ports: Ports<'a>,
    pub parties: usize,
    pub values: &'a [Bits],
    pub seed: u64,
}

impl Kind {
    /// All, with numbers of parties that they take.
    pub fn all() -> Vec<(Kind, &'static [usize])> {
        let any: &[usize] = &[2, 3, 5];
        let mut all =
            vec![(Kind::Wires, any), (Kind::Silent, &[2, 3]), (Kind::Bytes, &[3, 4, 5, 8])];
        all.extend(Products::ALL.map(|products| (Kind::Rows(products), any)));
        all.extend(
            [Rounds::Four, Rounds::Three].map(|rounds| (Kind::Blocks(rounds), &[3, 4, 5][..])),
        );
        all.extend([(Kind::Blocks(Rounds::Two), &[4, 5, 7][..]), (Kind::Replicated, &[3])]);
        all
    }
}

impl Play<'_> {
    /// What they are to send.
    pub fn bytes(&self) -> Traffic {
        let Play { ports, parties, opening, .. } = *self;
        let instances = self.values.len();
        let each = match self.kind {
            Kind::Silent => return silent_bytes(ports, parties, opening, instances),
            Kind::Wires => bytes(ports, parties, opening),
            Kind::Rows(products) => over_ot::bytes(ports, parties, (products, opening), FAN),
            Kind::Bytes => shamir::bytes(ports, parties, opening),
            Kind::Blocks(rounds) => blocks::bytes(ports, parties, (rounds, opening)),
            Kind::Replicated => replicated::bytes(ports, opening),
        };
        each * instances as u64
    }

    /// How often a party waits in both phases.
    pub fn rounds(&self, me: usize) -> [u32; 2] {
        let before = match self.kind {
            Kind::Wires | Kind::Rows(Products::Offset) => 3,
            // A start, and trees.
            Kind::Silent => 5,
            Kind::Rows(_) => 4,
            Kind::Bytes => 2,
            Kind::Blocks(Rounds::Four) => 3,
            Kind::Blocks(Rounds::Three) => 2,
            Kind::Blocks(Rounds::Two) | Kind::Replicated => 1,
        };
        if !self.opening.evaluates(me) {
            let learns = self.ports.outputs.iter().any(|to| to.contains(&me));
            let keeps = !matches!(self.kind, Kind::Bytes) || me < self.parties.div_ceil(2);
            // For parts of columns, or of masks. Then for public values of role 0's inputs, which begins when it has
            // the sums, and for outputs, after labels.
            let ahead = u32::from(keeps || learns);
            return [before + ahead, if learns { 5 } else { 3 } - ahead];
        }
        let opening = if self.opening == Opening::All { 1 } else { 2 };
        [before + opening, 2]
    }

    /// What this party learns, and after which waits.
    pub fn play(&self, session: &mut Session) -> Played {
        let opening = self.opening;
        match self.kind {
            Kind::Wires => self.with(wires(session, self.parties, self.seed, opening).unwrap()),
            Kind::Silent => self.with(silent(session, self.parties, self.seed, opening).unwrap()),
            Kind::Rows(products) => {
                let keys = correlated(session, self.parties, self.seed).unwrap();
                let (mesh, places) = (&mut session.meshes[0], places(self.parties));
                let party = BmrOt::new(mesh, &places, keys, b"session", products, opening);
                self.with(party.unwrap())
            }
            Kind::Bytes => self.with(majority(session, self.parties, self.seed, opening)),
            Kind::Blocks(rounds) => {
                let mut entropy = Entropy::insecure_seeded(self.seed, session.me().0);
                let (mesh, places) = (&mut session.meshes[0], places(self.parties));
                let keys = blocks::exchange(mesh, b"session", &places, rounds, &mut entropy);
                let (keys, how) = (keys.unwrap().worker(), (rounds, opening));
                self.with(BmrBlocks::new(mesh, &places, keys, b"session", how).unwrap())
            }
            Kind::Replicated => {
                let mut entropy = Entropy::insecure_seeded(self.seed, session.me().0);
                let (mesh, places) = (&mut session.meshes[0], places(self.parties));
                let keys = ReplicatedKeys::exchange(mesh, b"session", &places, &mut entropy);
                let keys = keys.unwrap().worker();
                self.with(BmrReplicated::new(mesh, &places, keys, b"session", opening).unwrap())
            }
        }
    }

    fn with<G>(&self, mut party: G) -> Played
    where
        G: Garbling<Ready: Evaluate<Done = Vec<Bits>>>,
    {
        let places = places(self.parties);
        let start = party.mesh().now();
        let ready = stored(party.prepare(self.ports, self.values.len()).unwrap());
        let prepared = party.mesh().now();
        let learned = ready.run(party.mesh(), &places, self.ports, self.values).unwrap();
        let waited = [prepared - start, party.mesh().now() - prepared];
        Played { learned, waited }
    }
}

/// What a party has at the end.
pub struct Played {
    pub learned: Vec<Bits>,
    /// Virtual time in both phases.
    pub waited: [Duration; 2],
}

fn correlations(
    session: &mut Session,
    parties: usize,
    seed: u64,
) -> Result<Correlations, SharingError> {
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let (mesh, places) = (&mut session.meshes[0], places(parties));
    Correlations::exchange(mesh, b"session", &places, Delta::Common, &mut entropy)
}

fn correlated(
    session: &mut Session,
    parties: usize,
    seed: u64,
) -> Result<WorkerKeys, SharingError> {
    Ok(correlations(session, parties, seed)?.worker())
}

/// A party of BMR over oblivious transfer.
pub fn wires(
    session: &mut Session,
    parties: usize,
    seed: u64,
    opening: Opening,
) -> Result<Bmr<'_>, SharingError> {
    let keys = correlated(session, parties, seed)?;
    Bmr::new(&mut session.meshes[0], &places(parties), keys, b"session", opening)
}

/// The same over silent transfers.
pub fn silent(
    session: &mut Session,
    parties: usize,
    seed: u64,
    opening: Opening,
) -> Result<Bmr<'_>, SharingError> {
    let keys = correlations(session, parties, seed)?.silent(b"session").worker();
    Bmr::new(&mut session.meshes[0], &places(parties), keys, b"session", opening)
}

/// A party of BMR over Shamir's sharing.
pub fn majority(
    session: &mut Session,
    parties: usize,
    seed: u64,
    opening: Opening,
) -> BmrShamir<'_> {
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let (mesh, places) = (&mut session.meshes[0], places(parties));
    let mut all = ShamirKeys::exchange(mesh, b"session", &places, &mut entropy).unwrap();
    BmrShamir::new(mesh, &places, all.worker(), b"session", opening).unwrap()
}

/// A network on which virtual time counts rounds, in seconds.
pub fn network() -> MemoryNetwork {
    MemoryNetwork::uniform(LinkProfile { delay: Duration::from_secs(1), bits_per_second: None })
}

/// That a party has sent what its kind costs, and has waited as often, on [`network`].
pub fn check_costs(session: &Session, play: &Play<'_>, played: &Played) {
    let me = session.me().index();
    let rounds = play.rounds(me).map(|rounds| Duration::from_secs(rounds.into()));
    assert_eq!(played.waited, rounds, "{:?} {:?}", play.kind, play.opening);

    let (all, meter) = (play.bytes(), session.meter());
    for to in (0..play.parties).filter(|to| *to != me) {
        let sent = |stream| -> u64 {
            let id = PartyId(to as u8);
            let phases = [Phase::Offline, Phase::Online];
            phases.map(|phase| meter.count(id, stream, phase).bytes_sent).iter().sum()
        };
        let kind = play.kind;
        assert_eq!(sent(Stream::Pre), all.pre[me][to], "{kind:?} {me} {to}");
        assert_eq!(sent(Stream::Def), all.def[me][to], "{kind:?} {me} {to}");
        assert_eq!(sent(Stream::On), all.on[me][to], "{kind:?} {me} {to}");
    }
}
