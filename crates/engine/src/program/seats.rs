//! Roles that change from worker to worker (*Split-Roles*): assignments side by side.
//!
//! Every assignment has workers of its own, under keys of its own. Values of the whole program are shared among
//! the roles of the first; rows and parts that the workers of another one compute with are given
//! [the shares of its roles](tacit_sharing::reseat), which every party makes of its own, and what comes out is
//! given back in the same way.

use super::job::ProgramJob;
use crate::circuit::{Assignment, EvaluateError};
use tacit_backend::cost::{MAX_ROLES, Rounds, Traffic};
use tacit_backend::{Planes, Secret};
use tacit_net::PartyId;
use tacit_sharing::RoleId;
use tacit_sharing::reseat::Reseat;

/// An assignment of roles, as programs use it.
pub(super) struct Seating {
    pub assignment: Assignment,
    /// The role that each party of the program plays; behind all roles those outside.
    pub roles: Vec<RoleId>,
    /// By role here, the role that the same party plays in the first assignment.
    firsts: Vec<RoleId>,
    /// By that role: there and back. None for the first assignment itself.
    maps: Option<Vec<[Reseat; 2]>>,
}

impl Seating {
    /// The assignments of a job, in order.
    pub fn all(job: &ProgramJob) -> Result<Vec<Self>, EvaluateError> {
        let all = job.options.assignments.iter().cloned().enumerate();
        all.map(|(index, assignment)| Seating::new(job, index, assignment)).collect()
    }

    fn new(job: &ProgramJob, index: usize, assignment: Assignment) -> Result<Self, EvaluateError> {
        let first = (job.protocol(), job.places());
        let here = (assignment.protocol, &assignment.places[..]);
        let seat = |party: PartyId| match assignment.role_of(party) {
            Ok(role) => Ok(role),
            Err(_) => job.seat_of(party),
        };
        let roles = job.parties.iter().map(|party| seat(*party)).collect::<Result<_, _>>()?;
        let firsts = here.1.iter().map(|party| job.role_of(*party)).collect::<Result<_, _>>()?;
        let both = |party: &PartyId| {
            let there = Reseat::between(first, here, *party);
            there.zip(Reseat::between(here, first, *party)).map(|(there, back)| [there, back])
        };
        // Tags are of one worker, so another assignment's are dropped even if its roles are the same.
        let maps = match index {
            0 => None,
            _ => Some(job.places().iter().map(both).collect::<Option<_>>().ok_or_else(|| {
                EvaluateError::Job(format!(
                    "not supported: a program's values under {assignment} beside {}: parties lack what the \
                     shares of their new roles are made of",
                    job.options.assignments[0]
                ))
            })?),
        };
        Ok(Seating { assignment, roles, firsts, maps })
    }

    /// What the party knows that plays a role in the first assignment; somebody outside knows what role 0 does.
    pub fn of_role(&self, first: RoleId) -> Seat<'_> {
        let maps = self.maps.as_ref().map(|maps| maps.get(first).unwrap_or(&maps[0]));
        Seat { roles: &self.roles, maps }
    }

    /// Traffic between roles here, as between those of the first assignment.
    pub fn traffic(&self, here: &Traffic) -> Traffic {
        let firsts: Vec<PartyId> = self.firsts.iter().map(|role| PartyId(*role as u8)).collect();
        here.placed(&firsts)
    }

    /// Rounds of the first assignment's roles, from the rounds of the roles here.
    pub fn rounds(&self, here: &Rounds) -> Rounds {
        let mut firsts = [0; MAX_ROLES];
        self.firsts.iter().zip(here).for_each(|(first, rounds)| firsts[*first] = *rounds);
        firsts
    }
}

/// What a worker of a party knows of its assignment.
#[derive(Clone, Copy)]
pub(super) struct Seat<'s> {
    /// The role that each party of the program plays.
    pub roles: &'s [RoleId],
    maps: Option<&'s [Reseat; 2]>,
}

impl Seat<'_> {
    /// Converts what the first assignment's roles share to shares of the roles here. `None` where the roles are the
    /// same.
    pub fn there<T: Reseated>(&self, shares: &T) -> Option<T> {
        self.maps.map(|[there, _]| shares.reseated(there))
    }

    /// Converts what the first assignment's roles share to shares of the roles here, and takes the shares.
    pub fn taken_there<T: Reseated>(&self, shares: T) -> T {
        self.there(&shares).unwrap_or(shares)
    }

    /// What roles here share, as shares of the first assignment's roles.
    pub fn back<T: Reseated>(&self, shares: T) -> T {
        match self.maps {
            None => shares,
            Some([_, back]) => shares.reseated(back),
        }
    }
}

/// Shares that can change roles.
pub(super) trait Reseated {
    fn reseated(&self, to: &Reseat) -> Self;
}

impl Reseated for Secret {
    fn reseated(&self, to: &Reseat) -> Self {
        Secret::reseated(self, to)
    }
}

impl Reseated for Planes {
    fn reseated(&self, to: &Reseat) -> Self {
        Planes::reseated(self, to)
    }
}

impl<T: Reseated> Reseated for Vec<T> {
    fn reseated(&self, to: &Reseat) -> Self {
        self.iter().map(|shares| shares.reseated(to)).collect()
    }
}
