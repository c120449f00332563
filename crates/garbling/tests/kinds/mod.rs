//! The kinds of BMR: parties of them, and what they send.

mod circuits;

use super::common::places;
use super::parties::{garbler_of, sent};
pub use super::parties::{network, party, run, stored};
use std::time::Duration;
use tacit_garbling::bmr::{LabelFunction, Opening, Products, Rounds};
use tacit_garbling::protocols::{BMR, BMR_REPLICATED, BMR_SHAMIR, BMR_SILENT};
use tacit_garbling::{Bits, Ports, Terms};
use tacit_net::Session;
use tacit_sharing::Protocol;
use tacit_sharing::cost::Traffic;

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
    pub function: LabelFunction,
    pub ports: Ports<'a>,
    pub parties: usize,
    pub values: &'a [Bits],
    pub seed: u64,
}

impl Kind {
    /// Its protocol, for so many parties.
    pub fn protocol(self, parties: usize) -> Protocol {
        match self {
            Kind::Wires => BMR.fitting(parties),
            Kind::Silent => BMR_SILENT.fitting(parties),
            Kind::Rows(products) => products.protocol().fitting(parties),
            Kind::Bytes => BMR_SHAMIR.fitting(parties),
            Kind::Blocks(rounds) => rounds.protocol().fitting(parties),
            Kind::Replicated => BMR_REPLICATED,
        }
    }

    /// Those that are not there to be compared with. Long tests have [`Kind::baselines`] as well.
    pub fn usual() -> Vec<(Kind, &'static [usize])> {
        let mut all = Kind::all();
        all.retain(|(kind, numbers)| !kind.protocol(numbers[0]).for_comparison());
        all
    }

    /// Those that are there to be compared with.
    pub fn baselines() -> Vec<(Kind, &'static [usize])> {
        let mut all = Kind::all();
        all.retain(|(kind, numbers)| kind.protocol(numbers[0]).for_comparison());
        all
    }

    /// All, with numbers of parties that they take.
    fn all() -> Vec<(Kind, &'static [usize])> {
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
        let terms = Terms { opening: self.opening, ..Terms::of(self.protocol()) };
        let mut counter = garbler_of(self.protocol()).counter(&terms);
        counter.add(self.ports, self.values.len());
        counter.bytes()
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

    /// The protocol.
    pub fn protocol(&self) -> Protocol {
        self.kind.protocol(self.parties)
    }

    /// What this party learns, and after which waits.
    pub fn play(&self, session: &mut Session) -> Played {
        let how = Terms {
            opening: self.opening,
            label_function: self.function,
            ..Terms::of(self.protocol())
        };
        let mut party = party(session, (self.protocol(), how), self.seed).unwrap();
        let places = places(self.parties);
        let start = party.mesh().now();
        let ready = stored(self.protocol(), party.prepare(self.ports, self.values.len()).unwrap());
        let mesh = party.mesh();
        let prepared = mesh.now();
        let learned = run(ready, mesh, &places, (self.ports, self.values)).unwrap();
        let waited = [prepared - start, mesh.now() - prepared];
        Played { learned, waited }
    }
}

/// What a party has at the end.
pub struct Played {
    pub learned: Vec<Bits>,
    /// Virtual time in both phases.
    pub waited: [Duration; 2],
}

/// That a party has sent what its kind costs, and has waited as often, on [`network`].
pub fn check_costs(session: &Session, play: &Play<'_>, played: &Played) {
    let me = session.me().index();
    let rounds = play.rounds(me).map(|rounds| Duration::from_secs(rounds.into()));
    assert_eq!(played.waited, rounds, "{:?} {:?}", play.kind, play.opening);

    let (all, meter) = (play.bytes(), session.meter());
    for to in (0..play.parties).filter(|to| *to != me) {
        let kind = play.kind;
        let [pre, def, on] = sent(&meter, to);
        assert_eq!(pre, all.pre[me][to], "{kind:?} {me} {to}");
        assert_eq!(def, all.def[me][to], "{kind:?} {me} {to}");
        assert_eq!(on, all.on[me][to], "{kind:?} {me} {to}");
    }
}
