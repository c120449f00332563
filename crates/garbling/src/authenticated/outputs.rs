//! Outputs: what opens them is kept until the checks of everything that a party computes have passed, and
//! then sent. Some may open before the others, which then wait for what they say.

use super::channel::{CheckedChannel, Digest, Domain, Opening, recv_shares};
use super::masks::{Masks, opened_slots, shares};
use super::rows::{Layout, Rows};
use super::{EVALUATOR, FIRST_GARBLER};
use crate::links::Links;
use crate::{Bits, Ports};
use tacit_circuit::schedule::Slot;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::Buffer;
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// Public values by slot, instance by instance, of circuits whose checks have passed at this party.
pub(super) struct Checked(pub Vec<Vec<bool>>);

/// Outputs of some instances, which passed this party's checks. [`open`] takes them.
pub struct Unopened {
    guard: Guard,
    rest: Part,
}

/// Output ports that open before the others.
enum Guard {
    /// There are none.
    None,
    Closed(Part),
    /// What this party learned of them, instance by instance.
    Open(Vec<Bits>),
}

/// Output ports that open together.
struct Part {
    label: &'static str,
    voice: Domain,
    number: u64,
    /// At a place of its own: parts of all instances are moved from list to list.
    delta: Box<Zeroizing<u128>>,
    /// Shares of masks for each party that learns something, and digests of their MACs.
    given: Vec<(RoleId, Bits, Digest)>,
    /// This party's shares of the masks of what it learns, each slot once; `keys` are its keys for the others' shares, by
    /// role.
    own: Bits,
    keys: Vec<Buffer<u128>>,
    /// Instance by instance, with every repetition: public values, and which of those slots each is.
    public: Vec<Bits>,
    places: Vec<usize>,
}

impl Unopened {
    pub(super) fn new(
        channel: &mut CheckedChannel<'_>,
        ports: Ports<'_>,
        learned: &[Vec<Slot>],
        masks: &Masks,
        delta: &Zeroizing<u128>,
        checked: Checked,
    ) -> Self {
        let mut part = |first| Part::new(channel, (ports, first), learned, masks, delta, &checked);
        let guard = if ports.guards > 0 { Guard::Closed(part(true)) } else { Guard::None };
        Unopened { guard, rest: part(false) }
    }
}

impl Part {
    fn new(
        channel: &mut CheckedChannel<'_>,
        (ports, first): (Ports<'_>, bool),
        learned: &[Vec<Slot>],
        masks: &Masks,
        delta: &Zeroizing<u128>,
        Checked(slots): &Checked,
    ) -> Self {
        let label = if first { "guard" } else { "output" };
        let (me, voice, number) = (channel.links.me, channel.voice, channel.agreed_number());
        let layout = Layout { parties: channel.links.parties(), me };
        let opened = opened_slots(ports, layout.parties, first);
        // Rows of the slots that open to a role, instance after instance.
        let rows = |role: RoleId| {
            let (all, each) = (&masks.outputs[role], learned[role].len());
            let places: Vec<usize> =
                opened[role].iter().map(|slot| place(&learned[role], *slot)).collect();
            let mut rows = Rows::zeros(slots.len() * places.len(), layout.width());
            for instance in 0..slots.len() {
                for (i, place) in places.iter().enumerate() {
                    let row = all.get(instance * each + place);
                    rows.set(instance * places.len() + i, row);
                }
            }
            rows
        };
        let column = |rows: &Rows, place: usize| -> Zeroizing<Vec<u128>> {
            Zeroizing::new((0..rows.len()).map(|i| rows.get(i)[place]).collect())
        };
        let mut given = Vec::new();
        for peer in channel.links.peers().filter(|peer| !opened[*peer].is_empty()) {
            let rows = rows(peer);
            let macs = column(&rows, layout.mac(peer));
            let digest = voice.macs(label, number, [me, peer], macs.iter().copied());
            given.push((peer, channel.said(label, &shares(&rows)), digest));
        }
        let mine = rows(me);
        let mut keys: Vec<Buffer<u128>> = opened.iter().map(|_| Buffer::default()).collect();
        for peer in channel.links.peers() {
            keys[peer] = Buffer::from_slice(&column(&mine, layout.key(peer)));
        }
        let used: Vec<Slot> = ports.slots_opened_to(me, first).collect();
        let public = slots.iter().map(|slots| {
            let mut bits = Bits::zeros(used.len());
            used.iter().enumerate().for_each(|(i, slot)| bits.flip_if(i, slots[*slot as usize]));
            bits
        });
        Part {
            label,
            voice,
            number,
            delta: Box::new(delta.clone()),
            given,
            own: shares(&mine),
            keys,
            public: public.collect(),
            places: used.iter().map(|slot| place(&opened[me], *slot)).collect(),
        }
    }

    fn give(&self, links: &mut Links<'_>) -> Result<(), SharingError> {
        for (peer, bits, digest) in &self.given {
            links.send(*peer, Stream::On, &bits.words)?;
            links.send(*peer, Stream::On, digest)?;
        }
        Ok(())
    }

    /// Adds a peer's shares of masks to this party's.
    fn take(&mut self, links: &mut Links<'_>, peer: RoleId) -> Result<(), SharingError> {
        if self.own.len == 0 {
            return Ok(());
        }
        let (label, number, len, delta) = (self.label, self.number, self.own.len, **self.delta);
        let keys = self.keys[peer].iter().copied();
        let opening = Opening { label, number, len, keys, delta };
        let theirs = recv_shares(links, (self.voice, Stream::On), peer, opening)?;
        self.own.words.iter_mut().zip(&theirs.words).for_each(|(sum, theirs)| *sum ^= theirs);
        Ok(())
    }

    /// The values, once all shares are there.
    fn values(mut self) -> Vec<Bits> {
        let different = self.own.len / self.public.len().max(1);
        for (instance, bits) in self.public.iter_mut().enumerate() {
            for (i, place) in self.places.iter().enumerate() {
                bits.flip_if(i, self.own.get(instance * different + place));
            }
        }
        self.public
    }
}

/// Where a slot is among sorted ones.
fn place(slots: &[Slot], slot: Slot) -> usize {
    slots.binary_search(&slot).expect("a slot that opens")
}

/// Opens the ports that open before the others, as [`open`] does for all. The others may open when the values of these
/// ports are what they have to be.
///
/// # Errors
/// When [`open`] fails.
pub fn open_first(
    mesh: &mut Mesh,
    places: &[PartyId],
    all: &mut [Unopened],
) -> Result<Vec<Vec<Bits>>, SharingError> {
    let mut parts = Vec::new();
    for unopened in &mut *all {
        match std::mem::replace(&mut unopened.guard, Guard::None) {
            Guard::Closed(part) => parts.push(part),
            _ => return Err(SharingError::Shape("outputs without any that open first".into())),
        }
    }
    let values = open_parts(mesh, places, parts, 4)?;
    for (unopened, values) in all.iter_mut().zip(&values) {
        unopened.guard = Guard::Open(values.iter().map(|bits| joined([bits])).collect());
    }
    Ok(values)
}

/// Opens outputs: garblers first, then the evaluator. Call it when whatever this party computes together has
/// passed its checks. Gives what it learns, instance by instance, bit by bit, port after port.
///
/// # Errors
/// When the network fails, or a peer opens something else; when something is to open before.
pub fn open(
    mesh: &mut Mesh,
    places: &[PartyId],
    all: Vec<Unopened>,
) -> Result<Vec<Vec<Bits>>, SharingError> {
    let (mut before, mut parts) = (Vec::new(), Vec::new());
    for Unopened { guard, rest } in all {
        match guard {
            Guard::Closed(_) => {
                return Err(SharingError::Shape(
                    "outputs open before those that open first".into(),
                ));
            }
            Guard::Open(values) => before.push(Some(values)),
            Guard::None => before.push(None),
        }
        parts.push(rest);
    }
    let step = if before.iter().any(Option::is_some) { 6 } else { 4 };
    let values = open_parts(mesh, places, parts, step)?;
    let all = before.into_iter().zip(values).map(|(before, values)| match before {
        None => values,
        Some(before) => before.iter().zip(&values).map(|(a, b)| joined([a, b])).collect(),
    });
    Ok(all.collect())
}

/// Opens parts in two steps, of which the first is `step`.
fn open_parts(
    mesh: &mut Mesh,
    places: &[PartyId],
    mut all: Vec<Part>,
    step: u32,
) -> Result<Vec<Vec<Bits>>, SharingError> {
    mesh.set_phase(Phase::Online);
    mesh.set_step(step);
    let mut links = Links::new(mesh, places)?;
    if links.me != EVALUATOR {
        all.iter().try_for_each(|outputs| outputs.give(&mut links))?;
    }
    for outputs in &mut all {
        for peer in links.peers().filter(|peer| *peer >= FIRST_GARBLER) {
            outputs.take(&mut links, peer)?;
        }
    }
    links.mesh.set_step(step + 1);
    for outputs in &mut all {
        match links.me {
            EVALUATOR => outputs.give(&mut links)?,
            _ => outputs.take(&mut links, EVALUATOR)?,
        }
    }
    links.mesh.flush()?;
    Ok(all.into_iter().map(Part::values).collect())
}

/// Bits one after the other.
fn joined<const N: usize>(parts: [&Bits; N]) -> Bits {
    let mut all = Bits::zeros(parts.iter().map(|bits| bits.len).sum());
    let bits = parts.iter().flat_map(|bits| (0..bits.len).map(|i| bits.get(i)));
    bits.enumerate().for_each(|(i, bit)| all.flip_if(i, bit));
    all
}

#[cfg(test)]
mod tests {
    use super::super::party::{Authenticated, begin, finish_set_up};
    use super::super::triples::Sizes;
    use super::*;
    use crate::garbler::Form;
    use crate::{Evaluate, Garbling};
    use tacit_circuit::schedule::Schedule;
    use tacit_circuit::{Builder, passes};
    use tacit_gmw::{Correlations, Delta};
    use tacit_net::memory::{self, MemoryNetwork};
    use tacit_net::{AbortKind, Session};
    use tacit_ring::Entropy;
    use tacit_ring::entropy::test_seed;

    /// How a party ends: what opened first, and then.
    type End = Result<[Vec<bool>; 2], SharingError>;

    /// What a party does other than it should.
    #[derive(Clone, Copy, PartialEq)]
    enum Deviates {
        No,
        /// Its shares of what opens first are others.
        Alters,
        /// It opens the rest at once.
        Hurries,
    }

    /// Evaluates a circuit of x and y, both 1: x y opens to all first, then the negation of x and x y again, to the
    /// last party alone.
    fn party(session: &mut Session, form: Form, deviates: Deviates, seed: u64) -> End {
        let mut b = Builder::new();
        let (x, y) = (b.input(1)[0], b.input(1)[0]);
        let (and, not) = (b.and2(x, y), b.not(x));
        b.output(&[and]);
        b.output(&[not, and]);
        let schedule = Schedule::new(&passes::fold(&b.finish()));
        let parties = session.parties();
        let outputs = [(0..parties).collect(), vec![parties - 1]];
        let ports =
            Ports { schedule: &schedule, inputs: &[(0, 1), (1, 1)], outputs: &outputs, guards: 1 };
        let places: Vec<PartyId> = PartyId::all(parties).collect();
        let me = session.me().index();
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let mesh = &mut session.meshes[0];
        let kind = Delta::Authenticating;
        let mut all = Correlations::exchange(mesh, b"test", &places, kind, &mut entropy)?;
        let sid = finish_set_up(begin(mesh, &places, all.worker(), b"test")?)?;
        let mut party =
            Authenticated::new(mesh, &places, all.worker(), &sid, Sizes::of(1))?.in_form(form);
        if deviates == Deviates::Alters {
            party.cheat(Some(Box::new(|what, bytes| bytes[0] ^= u8::from(what == "shares guard"))));
        }
        let ready = party.prepare(ports, 1)?;
        let mut mine = Bits::zeros(usize::from(me < 2));
        (0..mine.len).for_each(|i| mine.flip_if(i, true));
        let done = ready.run(party.mesh(), &places, ports, &[mine])?;
        drop(party);
        let mesh = &mut session.meshes[0];
        let mut all = vec![done];
        if deviates == Deviates::Hurries {
            return open(mesh, &places, all).map(|_| Default::default());
        }
        let first = open_first(mesh, &places, &mut all)?;
        let values = |all: &[Vec<Bits>]| (0..all[0][0].len).map(|i| all[0][0].get(i)).collect();
        Ok([values(&first), values(&open(mesh, &places, all)?)])
    }

    #[test]
    fn what_opens_first_opens_alone_and_as_it_is_or_not_at_all() {
        for (parties, form) in [(2, Form::HalfGates), (3, Form::HalfGates), (3, Form::FourRows)] {
            let seed = test_seed();
            for cheat in [None, Some(0), Some(1)] {
                let ends: Vec<End> =
                    memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
                        let deviates = match cheat == Some(session.me().index()) {
                            true => Deviates::Alters,
                            false => Deviates::No,
                        };
                        let opened =
                            party(&mut session, form, deviates, seed).inspect_err(|error| {
                                session.abort(AbortKind::Failure, &error.to_string())
                            })?;
                        session.finish()?;
                        Ok(opened)
                    });
                let honest = ends.iter().enumerate().filter(|(me, _)| cheat != Some(*me));
                let Some(_) = cheat else {
                    for (me, end) in honest {
                        let later =
                            if me == parties - 1 { vec![true, false, true] } else { vec![true] };
                        assert_eq!(
                            *end.as_ref().unwrap(),
                            [vec![true], later],
                            "{me} of {parties}"
                        );
                    }
                    continue;
                };
                let errors: Vec<String> = honest
                    .map(|(_, end)| end.as_ref().expect_err("an error").to_string())
                    .collect();
                let caught = errors.iter().any(|error| error.contains("'open-mac:guard'"));
                assert!(caught, "{cheat:?} of {parties}: {errors:?}");
            }
        }
    }

    #[test]
    fn nothing_opens_before_what_opens_first() {
        let seed = test_seed();
        let errors = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
            let end = party(&mut session, Form::HalfGates, Deviates::Hurries, seed);
            end.err().map(|error| error.to_string())
        });
        let refused =
            |error: &Option<String>| error.as_ref().is_some_and(|e| e.contains("open first"));
        // Who is first to refuse leaves, and the other may hear of that instead.
        let ended = errors.iter().all(Option::is_some);
        assert!(ended && errors.iter().any(refused), "{errors:?}");
    }
}
