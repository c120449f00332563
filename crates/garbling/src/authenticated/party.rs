//! One worker of one party ahead of its inputs: the phases that any function, and one function, need.

use super::bits::AuthBits;
use super::buckets::Buckets;
use super::channel::{CheckedChannel, DIGEST};
use super::check::excused;
use super::garble::{Garbler, lowest_bits};
use super::kept::Kept;
use super::masks::{self, Masks, Source, extra_bits};
use super::online::{Made, Ready};
use super::packed::Triples;
use super::rows::{Layout, Rows};
use super::stock::{Piece, Pieces, Stock, Supply, cut, stock_batches};
use super::triples::{self, Sizes};
use super::{EVALUATOR, FIRST_GARBLER, bits};
use crate::garbler::Form;
use crate::links::Links;
use crate::ports::KEPT;
use crate::tweak::{self, Hash};
use crate::worker;
use crate::{Bits, Ports, Streaming};
use tacit_gmw::WorkerKeys;
use tacit_net::{Mesh, PartyId, Phase, Stream};
use tacit_ring::{Buffer, Seed, hash, word};
use tacit_sharing::{RoleId, SharingError};
use zeroize::Zeroizing;

/// A worker of a party.
pub struct Authenticated<'m> {
    channel: CheckedChannel<'m>,
    form: Form,
    layout: Layout,
    hash: Hash,
    delta: Zeroizing<u128>,
    triples: Triples,
    origin: Origin<'m>,
    next_triple: u64,
    next_gate: u64,
    /// How often it has prepared something.
    prepared: u64,
}

/// Where triples and bits come from.
enum Origin<'m> {
    /// They are made, in these sizes.
    Made(Sizes),
    /// They were.
    Stock(Supply<'m>),
}

/// Tosses the coin that names the session, and checks that every party uses one Delta towards all. Before
/// any worker begins, with keys of its own.
///
/// # Errors
/// When the network fails, or a peer is found to deviate.
pub fn set_up(
    mesh: &mut Mesh,
    places: &[PartyId],
    keys: WorkerKeys,
    session: &[u8],
) -> Result<[u8; 32], SharingError> {
    finish_set_up(begin(mesh, places, keys, session)?)
}

pub(super) fn begin<'m>(
    mesh: &'m mut Mesh,
    places: &[PartyId],
    keys: WorkerKeys,
    session: &[u8],
) -> Result<CheckedChannel<'m>, SharingError> {
    mesh.set_phase(Phase::Setup);
    let sid = hash::derive_key("tacit 2026 authenticated garbling set-up", &[session]);
    Ok(CheckedChannel::new(Links::new(mesh, places)?, keys, sid))
}

pub(super) fn finish_set_up(mut channel: CheckedChannel<'_>) -> Result<[u8; 32], SharingError> {
    let coin = channel.commit_coin("coin:sid")?;
    let coin = channel.hear(coin)?;
    channel.voice.sid = channel.toss(coin)?;
    if channel.links.parties() > 2 {
        bits::check_deltas(&mut channel)?;
    }
    channel.links.mesh.flush()?;
    Ok(channel.voice.sid)
}

impl<'m> Authenticated<'m> {
    /// `places[r]` plays role `r`: role 0 evaluates, the others garble. `sid` is what [`set_up`] gave, and
    /// keys come from where its keys came from. `sizes` are those for as many workers as the session has: with others its
    /// checks are weaker than they should be.
    ///
    /// # Errors
    /// When this mesh's party plays no role, or keys have no common Delta of this protocol.
    pub fn new(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        keys: WorkerKeys,
        sid: &[u8; 32],
        sizes: Sizes,
    ) -> Result<Self, SharingError> {
        let (links, worker) = (Links::new(mesh, places)?, keys.number);
        let layout = Layout { parties: links.parties(), me: links.me };
        let channel = CheckedChannel::new(links, keys, *sid);
        let delta = bits::delta(&channel)?;
        let low = if layout.me == EVALUATOR { layout.parties as u128 & 1 } else { 1 };
        if *delta & 1 != low && !excused("low bit") {
            return Err(SharingError::Shape("a Delta of another protocol".into()));
        }
        Ok(Authenticated {
            channel,
            form: Form::HalfGates,
            layout,
            hash: Hash::new(tweak::AUTHENTICATED, sid, worker)?,
            delta,
            triples: Triples::none(layout),
            origin: Origin::Made(sizes),
            next_triple: 0,
            next_gate: 0,
            prepared: 0,
        })
    }

    /// Garbles in another form than half gates: all parties do.
    #[must_use]
    pub fn in_form(self, form: Form) -> Self {
        Authenticated { form, ..self }
    }

    #[cfg(test)]
    pub(super) fn cheat(&mut self, cheat: Option<super::channel::Cheat>) {
        self.channel.cheat = cheat;
    }

    /// The role that this party plays.
    #[must_use]
    pub fn me(&self) -> RoleId {
        self.layout.me
    }

    fn is_evaluator(&self) -> bool {
        self.layout.me == EVALUATOR
    }

    /// A worker with a stock, to which all of its phases are local but openings. It takes pieces when it needs
    /// them: those that are not of this party, or are missing, end the session then.
    ///
    /// # Errors
    /// When this mesh's party plays no role.
    pub fn with_stock(
        mesh: &'m mut Mesh,
        places: &[PartyId],
        stock: Stock,
        pieces: Pieces<'m>,
    ) -> Result<Self, SharingError> {
        let links = Links::new(mesh, places)?;
        let layout = Layout { parties: links.parties(), me: links.me };
        let Stock { voice, hash, delta, seed } = stock;
        Ok(Authenticated {
            channel: CheckedChannel::drawing(links, voice, &seed),
            form: Form::HalfGates,
            layout,
            hash,
            delta,
            triples: Triples::none(layout),
            origin: Origin::Stock(Supply::new(layout, pieces)),
            next_triple: 0,
            next_gate: 0,
            prepared: 0,
        })
    }

    /// Begins a stock of triples and of bits for masks, for functions that are not known yet: for a later
    /// session, in which nothing else is made of these keys.
    ///
    /// # Errors
    /// When there are no keys, or this worker has a stock itself.
    pub fn stock(mut self) -> Result<(Stock, Stocking<'m>), SharingError> {
        let Origin::Made(sizes) = self.origin else {
            return Err(SharingError::Shape("a stock from a stock".into()));
        };
        let mut seed = Seed::from_bytes([0; Seed::LEN]);
        self.channel.random(seed.expose_mut())?;
        let voice = self.channel.voice.later("from a stock", 0);
        Ok((
            Stock { voice, hash: self.hash, delta: self.delta.clone(), seed },
            Stocking(self, sizes),
        ))
    }

    /// What masks of a circuit are made of: as many triples as they need, and bits.
    fn masks(
        &mut self,
        ports: Ports<'_>,
        instances: usize,
        from: &Kept,
    ) -> Result<(Masks, Rows), SharingError> {
        let extra = extra_bits(ports, self.layout.parties, instances);
        let wanted = instances * ports.ands();
        let supply = match &mut self.origin {
            Origin::Stock(supply) => supply,
            Origin::Made(sizes) => {
                let sizes = *sizes;
                let (bits, skipped) = self.make(sizes, wanted, &extra)?;
                let source = (Source { bits: &bits, skipped }, from);
                let (channel, triples) = (&mut self.channel, &mut self.triples);
                return masks::multiply(channel, ports, instances, source, triples, *self.delta);
            }
        };
        let most = extra.iter().max().copied().unwrap_or(0);
        while self.triples.left() < wanted || supply.left() < most {
            self.triples.add(supply.more()?);
        }
        let source = Source { bits: &supply.take(most), skipped: 0 };
        let (channel, triples) = (&mut self.channel, &mut self.triples);
        masks::multiply(channel, ports, instances, (source, from), triples, *self.delta)
    }

    /// Makes what triples are missing of so many, and with the first batch `extra[r]` bits of role `r`; gives
    /// those, and what comes before them.
    fn make(
        &mut self,
        sizes: Sizes,
        triples: usize,
        extra: &[usize],
    ) -> Result<(AuthBits, usize), SharingError> {
        let missing = triples.saturating_sub(self.triples.left());
        let mut source = None;
        for count in sizes.batches(missing) {
            let none = vec![0; extra.len()];
            let extra = if source.is_none() { extra } else { &none };
            let made = self.batch(sizes, count, extra)?;
            self.triples.add(made.packed(0..made.len()));
            let skipped = made.spent();
            source.get_or_insert((made.into_bits(), skipped));
        }
        match source {
            Some(source) => Ok(source),
            None => Ok((bits::extend(&mut self.channel, extra)?, 0)),
        }
    }

    /// Makes a batch of so many triples, if any, and with it `extra[r]` bits of role `r`.
    fn batch(
        &mut self,
        sizes: Sizes,
        count: usize,
        extra: &[usize],
    ) -> Result<Buckets, SharingError> {
        if count == 0 {
            return Ok(Buckets::none(self.layout, bits::extend(&mut self.channel, extra)?));
        }
        let batch = (count, sizes.bucket(count));
        let made = triples::make(&mut self.channel, self.hash, self.next_triple, batch, extra)?;
        self.next_triple += (batch.0 * batch.1) as u64;
        Ok(made)
    }

    /// Prepares a circuit that may go on from another: its inputs that nobody gives are the wires of that one that
    /// nobody learns, in the same order. See [`prepare`](worker::Garbling::prepare). Also returns what further circuits
    /// go on from.
    ///
    /// # Errors
    /// When [`prepare`](worker::Garbling::prepare) fails, when there are not as many wires as inputs, and in another
    /// form than half gates.
    pub fn prepare_on(
        &mut self,
        ports: Ports<'_>,
        instances: usize,
        from: &Kept,
    ) -> Result<(Ready, Kept), SharingError> {
        if self.form != Form::HalfGates {
            let what = "not supported: circuits that go on from others, in four rows";
            return Err(SharingError::Shape(what.into()));
        }
        self.ready(ports, instances, from)
    }

    fn ready(
        &mut self,
        ports: Ports<'_>,
        instances: usize,
        from: &Kept,
    ) -> Result<(Ready, Kept), SharingError> {
        from.check(ports, instances)?;
        self.channel.links.mesh.set_phase(Phase::Offline);
        self.channel.stream = Stream::Def;
        let (masks, kept) = self.masks(ports, instances, from)?;
        let first = self.next_gate;
        self.next_gate += (instances * ports.ands()) as u64;
        let (made, zeros) = match self.is_evaluator() {
            true => (self.take_gates(ports, instances)?, Buffer::default()),
            false => self.garble(ports, first, instances, (&masks, from))?,
        };
        let mut coin = Zeroizing::new([0u64; DIGEST / 8]);
        self.channel.random(&mut *coin)?;
        let coin = Zeroizing::new(word::bytes(&*coin).try_into().expect("as many bytes"));
        self.prepared += 1;
        self.channel.links.mesh.flush()?;
        let ready = Ready {
            voice: self.channel.voice.later("online", self.prepared),
            number: self.prepared,
            from: from.number,
            form: self.form,
            hash: self.hash,
            delta: self.delta.clone(),
            coin,
            instances,
            masks,
            first,
            made,
            #[cfg(test)]
            cheat: self.channel.cheat.take().into(),
        };
        Ok((ready, Kept { number: self.prepared, masks: kept, zeros }))
    }

    fn garble(
        &mut self,
        ports: Ports<'_>,
        first: u64,
        instances: usize,
        (masks, from): (&Masks, &Kept),
    ) -> Result<(Made, Buffer<u128>), SharingError> {
        let (ands, inputs) = (ports.ands(), ports.schedule.inputs().len());
        let mut zeros = Buffer::<u128>::zeros(instances * inputs);
        self.channel.random(&mut zeros)?;
        let owners = (0..instances).flat_map(|_| ports.owners());
        let kept = zeros.iter_mut().zip(owners).filter(|(_, owner)| *owner == KEPT);
        kept.zip(&*from.zeros).for_each(|((zero, _), label)| *zero = *label);
        let rows = self.form == Form::FourRows;
        let mut drawn = Buffer::<u128>::zeros(if rows { ands } else { 0 });
        let mut labels: Vec<Buffer<u128>> = Vec::with_capacity(instances);
        let mut kept: Vec<Buffer<u128>> = Vec::with_capacity(instances);
        let mut lowest = Bits::zeros(if rows { 0 } else { instances * ands });
        for instance in 0..instances {
            let start = instance * ands;
            self.channel.random(&mut drawn)?;
            let garbler = Garbler {
                form: self.form,
                layout: self.layout,
                hash: self.hash,
                delta: *self.delta,
                masks,
                first: first + start as u64,
                start,
            };
            let zeros = &zeros[instance * inputs..(instance + 1) * inputs];
            let mut made = garbler.garble(ports, zeros, &drawn);
            self.channel.say("gates", word::bytes_mut(&mut made.table));
            self.channel.links.send(EVALUATOR, Stream::Def, &made.table)?;
            if !rows {
                lowest_bits(&made.labels, start, &mut lowest);
            }
            labels.push(made.labels);
            kept.push(made.kept);
        }
        let labels = joined(&labels);
        if self.layout.me == FIRST_GARBLER && !rows {
            self.channel.say("lowest bits", word::bytes_mut(&mut lowest.words));
            self.channel.links.send(EVALUATOR, Stream::Def, &lowest.words)?;
        }
        Ok((Made::Garbler { inputs: zeros, labels }, joined(&kept)))
    }

    fn take_gates(&mut self, ports: Ports<'_>, instances: usize) -> Result<Made, SharingError> {
        let gates = instances * ports.ands();
        let mut tables = vec![Buffer::default()];
        for garbler in 1..self.layout.parties {
            let size = self.form.blocks(self.layout.parties);
            let mut table = Buffer::zeros(gates * size);
            // In the pieces in which it was sent.
            for piece in table.chunks_mut((ports.ands() * size).max(1)) {
                self.channel.links.recv_into(garbler, Stream::Def, piece)?;
            }
            tables.push(table);
        }
        let lowest = match self.form {
            Form::HalfGates => self.channel.recv_bits(FIRST_GARBLER, gates)?,
            Form::FourRows => Bits::zeros(0),
        };
        Ok(Made::Evaluator { tables, lowest })
    }
}

fn joined(parts: &[Buffer<u128>]) -> Buffer<u128> {
    let mut all = Buffer::zeros(parts.iter().map(|part| part.len()).sum());
    let mut at = 0;
    for part in parts {
        all[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    all
}

/// A worker that makes the pieces of a stock.
pub struct Stocking<'m>(Authenticated<'m>, Sizes);

impl Stocking<'_> {
    /// Makes so many triples, and so many bits of every party. `keep` takes pieces as their checks have passed;
    /// no more than one batch is held at a time. None of them may be used unless this ends well.
    ///
    /// # Errors
    /// When the network fails, a peer is found to deviate, or `keep` fails.
    pub fn pieces(
        self,
        triples: usize,
        bits: usize,
        mut keep: impl FnMut(Piece) -> Result<(), SharingError>,
    ) -> Result<(), SharingError> {
        let Stocking(mut party, sizes) = self;
        party.channel.links.mesh.set_phase(Phase::Offline);
        party.channel.stream = Stream::Def;
        for [count, bits] in stock_batches(sizes, triples, bits) {
            let made = party.batch(sizes, count, &vec![bits; party.layout.parties])?;
            let packed = |range| made.packed(range);
            cut((made.len(), packed), (made.bits(), made.spent(), bits)).try_for_each(&mut keep)?;
        }
        Ok(party.channel.links.mesh.flush()?)
    }
}

impl worker::Garbling for Authenticated<'_> {
    type Ready = Ready;

    fn mesh(&mut self) -> &mut Mesh {
        self.channel.links.mesh
    }

    fn prepare(&mut self, ports: Ports<'_>, instances: usize) -> Result<Ready, SharingError> {
        Ok(self.ready(ports, instances, &Kept::none())?.0)
    }

    fn streaming<'m>(self, places: &[PartyId]) -> Result<Streaming<'m>, SharingError>
    where
        Self: 'm,
    {
        Ok(match self.form {
            Form::HalfGates => Streaming::ByCircuits(Box::new(self.chain(places))),
            Form::FourRows => Streaming::Never,
        })
    }
}
