//! Shared bits, and circuits on them, under any protocol with shares.

use super::ring_keys::RingContext;
use super::{Bits, Circuits, Planes, PutOff, Result, wrong};
use crate::convert::{BitPlanes, Layered};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;
use tacit_net::{AbortKind, Phase};
use tacit_proof::Needs;
use tacit_ring::{Buffer, Word, Z2};
use tacit_sharing::arrays::SharedVec;
use tacit_sharing::cost::{Rounds, rounds_of};
use tacit_sharing::level::LevelScratch;
use tacit_sharing::party::{Keys, Party};
use tacit_sharing::role::{Role, RoleId};
use tacit_sharing::shares::Shares;
use tacit_sharing::transfer::{self, Input, Output, TransferScratch};
use tacit_sharing::verify::{Journal, Pass, Verifier};

pub(super) fn planes_in(planes: &Planes) -> Result<&BitPlanes> {
    planes.data.as_ref().ok_or_else(|| wrong("bit planes of a dry run"))
}

/// Shares words of `owner`, under fresh draws, in the step that has begun.
pub(super) fn input_words<P: Role, W: Word>(
    party: &mut Party<'_>,
    keys: &mut Keys,
    owner: RoleId,
    values: &[W],
    len: usize,
) -> Result<SharedVec<W>> {
    if len == 0 {
        return Ok(SharedVec::zeros(0));
    }
    let mut draws = keys.streams().draws()?;
    let mut shares = Shares::of::<P>(1, len);
    let input = Input { owner, timing: party.timing(), slots: &[0], values };
    let mut scratch = TransferScratch::default();
    transfer::input_begin::<P, W>(party, &mut draws, &mut scratch, &mut shares, input)?;
    transfer::input_finish::<P, W>(party, &mut scratch, &mut shares, input)?;
    Ok(SharedVec::copied(shares.runs(0)))
}

/// Shares of public planes.
fn public_planes<P: Role>(values: &[Z2], planes: usize, lanes: usize) -> Planes {
    let mut bits = BitPlanes::zeros_of::<P>(planes, lanes);
    for (i, word) in values.iter().enumerate() {
        [bits.shares.first[i], bits.shares.second[i]] = P::constant(*word);
    }
    Planes::new(bits, planes)
}

/// Opens words to some roles; empty at the others.
fn open_words<P: Role, W: Word>(
    party: &mut Party<'_>,
    pass: &Pass,
    words: &SharedVec<W>,
    receivers: &[RoleId],
) -> Result<Buffer<W>> {
    party.next_step();
    if words.is_empty() {
        return Ok(Buffer::default());
    }
    let shares = shares_of::<P, W>(words);
    let output = Output { receivers, slots: &[0] };
    let learned = if receivers.contains(&P::ROLE) { words.len() } else { 0 };
    let (mut scratch, mut opened) = (TransferScratch::default(), Buffer::zeros(learned));
    transfer::output_begin::<P, W>(party, pass, &mut scratch, &shares, output)?;
    transfer::output_finish::<P, W>(party, pass, &mut scratch, &shares, output, &mut opened)?;
    Ok(opened)
}

/// Words in one slot.
fn shares_of<P: Role, W: Word>(words: &SharedVec<W>) -> Shares<W> {
    let mut shares = Shares::of::<P>(1, words.len());
    for (to, from) in shares.runs_mut(0).into_iter().zip(words.components()) {
        to.copy_from_slice(from);
    }
    shares
}

/// A party of a protocol, in role `P`, with shared bits alone.
pub(super) struct PartyBits<'m, P> {
    party: Party<'m>,
    bench: RingContext<Z2>,
    layered: LevelScratch,
    circuits: Circuits,
    /// Leave to open what was computed so far.
    pass: Option<Pass>,
    role: PhantomData<P>,
}

impl<'m, P: Role> PartyBits<'m, P> {
    /// A party with fresh keys.
    pub fn new(party: Party<'m>, mut bench: RingContext<Z2>) -> Self {
        PartyBits {
            party: party.proving(tacit_proof::check_of(&mut bench.keys)),
            bench,
            layered: LevelScratch::default(),
            circuits: Circuits::new(P::PROTOCOL),
            pass: Pass::unchecked(P::PROTOCOL),
            role: PhantomData,
        }
    }

    /// What is computed next has not been checked.
    fn work(&mut self) {
        if P::PROTOCOL.is_checked() {
            self.pass = None;
        }
    }

    /// The party, for what needs no check before anything opens.
    pub fn party(&mut self) -> &mut Party<'m> {
        &mut self.party
    }

    /// Begins a step of a computation, with the keys for bits.
    pub fn step(&mut self) -> (&mut Party<'m>, &mut RingContext<Z2>) {
        self.party.next_step();
        self.same_step()
    }

    /// Computes on in the step that has begun.
    pub fn same_step(&mut self) -> (&mut Party<'m>, &mut RingContext<Z2>) {
        self.work();
        (&mut self.party, &mut self.bench)
    }

    /// Opens words of any ring to everybody, in a way after which the run goes on.
    ///
    /// # Errors
    /// When the network fails, something was computed since the last checks, or two roles do not open the same.
    pub fn open_to_all<W: Word>(&mut self, words: &SharedVec<W>) -> Result<Buffer<W>> {
        if !P::OPENS_AT_ONCE {
            let everybody: Vec<RoleId> = (0..P::PROTOCOL.parties()).collect();
            return self.open_words(words, &everybody);
        }
        let pass = self.pass.as_ref().ok_or_else(|| wrong("an opening before the checks"))?;
        self.party.next_step();
        let mut opened = Buffer::zeros(words.len());
        if words.is_empty() {
            return Ok(opened);
        }
        let (party, shares) = (&mut self.party, shares_of::<P, W>(words));
        let mut scratch = TransferScratch::default();
        transfer::open_at_once::<P, W>(party, pass, &mut scratch, &shares, &[0], &mut opened)?;
        Ok(opened)
    }

    /// Opens words of any ring to some roles; empty at the others.
    ///
    /// # Errors
    /// When the network fails, or something was computed since the last checks.
    pub fn open_words<W: Word>(
        &mut self,
        words: &SharedVec<W>,
        receivers: &[RoleId],
    ) -> Result<Buffer<W>> {
        let pass = self.pass.as_ref().ok_or_else(|| wrong("an opening before the checks"))?;
        open_words::<P, W>(&mut self.party, pass, words, receivers)
    }
}

impl<P: Role> Bits for PartyBits<'_, P> {
    fn input_planes(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        let words = planes * lanes.div_ceil(64);
        let (mut own, mut none): (&[Z2], _) = (&[], Buffer::default());
        if P::ROLE == owner && self.party.is_only_ahead() {
            own = none.sized(words);
        } else if P::ROLE == owner {
            let values = values.filter(|values| values.len() == words);
            own = values.ok_or_else(|| wrong("an input's values"))?;
        }
        let (party, bench) = self.step();
        let shares = input_words::<P, Z2>(party, &mut bench.keys, owner, own, words)?;
        Ok(Planes::new(BitPlanes::shared(shares, lanes), planes))
    }

    fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes {
        public_planes::<P>(values, planes, lanes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        // Lanes beyond the last may be anything: they stay closed.
        let bits = planes_in(planes)?.only_lanes();
        let opened = match receivers.len() == P::PROTOCOL.parties() {
            true => self.open_to_all(&bits.shares)?,
            false => self.open_words(&bits.shares, receivers)?,
        };
        Ok(receivers.contains(&P::ROLE).then_some(opened))
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        self.work();
        let ports = inputs.iter().map(|p| planes_in(p)).collect::<Result<Vec<_>>>()?;
        let (party, scratch) = (&mut self.party, &mut self.layered);
        let (keys, window) = (&mut self.bench.keys, self.circuits.window());
        let outputs = circuit.evaluate::<P>(party, keys, scratch, &ports, window)?;
        let widths = circuit.outputs().iter();
        Ok(outputs.into_iter().zip(widths).map(|(data, width)| Planes::new(data, *width)).collect())
    }

    fn circuits(&mut self) -> &mut Circuits {
        &mut self.circuits
    }

    fn take_journal(&mut self) -> Result<Journal> {
        self.party.take_journal()
    }

    fn end_epoch(&mut self, verifier: Option<&mut Verifier>, journals: Vec<Journal>) -> Result<()> {
        if let Some(verifier) = verifier {
            self.pass = Some(verifier.end_epoch(self.party.mesh(), journals)?);
            self.party.mesh().set_phase(Phase::Online);
        }
        Ok(())
    }

    fn settle_epoch(
        &mut self,
        verifier: Option<&mut Verifier>,
        journals: Vec<Journal>,
    ) -> Result<()> {
        if !P::OPENS_AT_ONCE {
            return self.end_epoch(verifier, journals);
        }
        if let Some(verifier) = verifier {
            self.pass = Some(verifier.settle(self.party.mesh(), journals)?);
            self.party.mesh().set_phase(Phase::Online);
        }
        Ok(())
    }

    fn opens_at_once(&self) -> bool {
        P::OPENS_AT_ONCE
    }

    fn announce(&mut self, needs: &Needs) {
        for (bits, words) in needs {
            match bits {
                1 => tacit_proof::expect_products::<Z2>(&mut self.party, *words),
                32 => tacit_proof::expect_products::<u32>(&mut self.party, *words),
                64 => tacit_proof::expect_products::<u64>(&mut self.party, *words),
                128 => tacit_proof::expect_products::<u128>(&mut self.party, *words),
                // Programs have no other rings.
                _ => {}
            }
        }
    }

    fn make_triples(&mut self) -> Result<()> {
        tacit_proof::prepare_products(&mut self.party)
    }

    fn put_off(&mut self) -> Result<PutOff> {
        Ok(PutOff::of(&mut self.party))
    }

    fn resume(&mut self, put_off: PutOff) -> Result<()> {
        put_off.give(&mut self.party)
    }

    fn check_used_up(&mut self) -> Result<()> {
        self.party.check_used_up()
    }

    fn rounds(&mut self) -> Rounds {
        rounds_of(self.party.role(), self.party.mesh().rounds())
    }

    fn now(&mut self) -> Duration {
        self.party.mesh().begin_work_at(Duration::ZERO);
        self.party.mesh().now()
    }

    fn begin_at(&mut self, at: Duration) {
        self.party.mesh().begin_work_at(at);
    }

    fn flush(&mut self) -> Result<()> {
        self.party.flush()
    }

    fn abort(&mut self, kind: AbortKind, reason: &str) {
        self.party.mesh().abort(kind, reason);
    }
}
