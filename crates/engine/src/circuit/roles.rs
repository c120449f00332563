//! What one worker does in its role: it evaluates, and opens its outputs.
//!
//! Types of roles are chosen once per worker: of protocols of the list by [`visit`](tacit_backend::visit()), of others by what
//! they [bring along](CircuitRoles).

use super::compile::{Compiled, Seating};
use super::opening::{Opened, Opener};
use super::predict::ahead_words;
use super::prepared::{Phases, decode, decoded, encode};
use super::task::{Computed, Run};
use super::worker::Worker;
use super::{EvaluateError, Preprocessing};
use std::collections::VecDeque;
use tacit_backend::own::ROLES;
use tacit_proof::Stock;
use tacit_ring::{Buffer, Z2};
use tacit_sharing::party::{Fetched, Keys};
use tacit_sharing::verify::{Journal, Pass};
use tacit_sharing::{Party, Protocol, Role, RoleVisitor};

/// What evaluates circuits in the roles of a protocol that is in no list: a part of its [`OwnRoles`](tacit_protocol::OwnRoles).
pub(crate) struct CircuitRoles(pub [CircuitRole; ROLES]);

/// What evaluates circuits in one role of a protocol that is in no list.
pub(crate) struct CircuitRole {
    compute: fn(Compute<'_, '_>) -> Result<Computed, EvaluateError>,
    open: fn(Open<'_, '_>) -> Result<Computed, EvaluateError>,
}

impl CircuitRole {
    /// The role of the type `P`.
    pub const fn of<P: Role>() -> Self {
        CircuitRole { compute: |task| task.visit::<P>(), open: |task| task.visit::<P>() }
    }
}

fn own(protocol: Protocol, party: &Party<'_>) -> Option<&'static CircuitRole> {
    let CircuitRoles(roles) = protocol.own_roles()?.part()?;
    roles.get(party.role())
}

/// One worker evaluates, in the role that its party plays.
pub(super) fn compute(
    protocol: Protocol,
    task: Compute<'_, '_>,
) -> Result<Computed, EvaluateError> {
    match own(protocol, &task.party) {
        Some(own) => (own.compute)(task),
        None => tacit_backend::visit::visit(protocol, task.party.role(), task),
    }
}

/// One worker opens its outputs, in the role that its party plays.
pub(super) fn open(protocol: Protocol, task: Open<'_, '_>) -> Result<Computed, EvaluateError> {
    match own(protocol, &task.party) {
        Some(own) => (own.open)(task),
        None => tacit_backend::visit::visit(protocol, task.party.role(), task),
    }
}

/// One worker evaluates.
pub(super) struct Compute<'a, 'm> {
    pub run: Run<'a>,
    pub party: Party<'m>,
    pub keys: &'a mut Keys,
    pub worker: usize,
    pub stored: Option<Buffer<u8>>,
}

/// What a worker keeps for another session: its triples, and what was sent to it ahead.
type Kept = (Option<Buffer<u8>>, Buffer<u8>);

impl RoleVisitor for Compute<'_, '_> {
    type Out = Result<Computed, EvaluateError>;

    fn visit<P: Role>(self) -> Self::Out {
        let Compute { run, party, keys, worker, stored } = self;
        let Run { compiled, values, progress, .. } = run;
        let seating = compiled.seating_of(worker);
        let words = compiled.share_of(worker).len() as u64;
        let mut party = party.proving(tacit_proof::check_of(keys));
        let streams = keys.streams();
        if let Some(stored) = stored {
            let (stock, fetched): Kept = decode(&stored)?;
            party.resume(decoded(Fetched::from_bytes(fetched))?);
            let stock = stock.map(Stock::<Z2>::from_bytes).transpose();
            tacit_proof::hold_products(&mut party, decoded(stock)?)?;
        }
        tacit_proof::expect_products::<Z2>(&mut party, compiled.products() * words as usize);
        if compiled.job().options.preprocessing == Preprocessing::Separate {
            tacit_proof::prepare_products(&mut party)?;
        }
        let mut kept = (None, Journal::default());
        if run.phases == Phases::Ahead {
            kept = (tacit_proof::store_products::<Z2>(&mut party), party.take_journal()?);
        }
        let task = Worker::<P>::new(compiled, party, streams, values, worker, progress);
        let ahead = ahead_words(compiled, seating, P::ROLE);
        let expected = ahead.map(|per_word| (per_word * words * 8) as usize);
        let expected = &expected[..P::PROTOCOL.parties()];
        Ok(match (compiled.job().options.preprocessing, run.phases) {
            (Preprocessing::Interleaved, _) => task.interleaved()?,
            (Preprocessing::Separate, Phases::All) => task.separate(expected)?,
            (Preprocessing::Separate, Phases::Online) => task.separate(&[])?,
            (Preprocessing::Separate, Phases::Ahead | Phases::FromTriples) => {
                let at = compiled.share_of(worker);
                let nothing = Computed::unchecked(Opened::new(seating, P::ROLE, at));
                let (stock, journal) = kept;
                let stock = stock.map(Stock::into_bytes).transpose()?;
                let kept: Kept = (stock, task.ahead(expected)?.into_bytes()?);
                Computed { stored: encode(&kept)?, journal, ..nothing }
            }
        })
    }
}

/// One worker opens its outputs.
pub(super) struct Open<'a, 'm> {
    pub compiled: &'a Compiled,
    pub seating: &'a Seating,
    pub party: Party<'m>,
    pub pass: &'a Pass,
    pub part: Computed,
}

impl RoleVisitor for Open<'_, '_> {
    type Out = Result<Computed, EvaluateError>;

    fn visit<P: Role>(self) -> Self::Out {
        let Open { compiled, seating, mut party, pass, part } = self;
        let mut opener = Opener::new(compiled, seating, part.opened);
        opener.open_all::<P>(seating, &mut party, pass, part.kept)?;
        let journal = party.take_journal()?;
        Ok(Computed { opened: opener.opened, kept: VecDeque::new(), journal, ..part })
    }
}
