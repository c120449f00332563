//! Moves a sharing to other roles of the same parties, without a message.
//!
//! A share is made of components `c_j` with `x = c_0 + c_1 + ..`, of which role `j` lacks `c_j`: replicated
//! sharing in some coordinates. Where the parties change places, each still has what it had, and the sharing is
//! one among the new roles if what a party has gives it its new share. That is so for all orders of the roles
//! whose shares hold every component apart; where some hold sums of components (Quad), for orders that keep
//! those sums together: the pairs P0, P3 and P1, P2, or one for the other.
//!
//! What a role that works ahead holds may then depend on messages of another order, so what it sends ahead in
//! the new roles does, too: preprocessing that comes before the inputs is not possible there.

use crate::arrays::SharedVec;
use crate::role::COMPONENTS;
use tacit_net::PartyId;
use tacit_protocol::{Form, Protocol};
use tacit_ring::{Buffer, Word, simd};

/// What a party's share in its new role is made of: for each component a sum of the old ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reseat {
    rows: Vec<[i8; COMPONENTS]>,
}

impl Reseat {
    /// From the share of the role that `me` plays in one assignment of roles (`places[r]` plays role `r`) to
    /// that of another one. None where what it has does not make that.
    #[must_use]
    pub fn between(
        from: (Protocol, &[PartyId]),
        to: (Protocol, &[PartyId]),
        me: PartyId,
    ) -> Option<Self> {
        let [old, new] = [share(from, me)?, share(to, me)?];
        let row = |wanted: &Form| combinations(old.len()).find(|row| sum(row, &old) == *wanted);
        Some(Reseat { rows: new.iter().map(row).collect::<Option<_>>()? })
    }

    /// Whether every party that plays a role has its share in the other roles, too, and nobody else does.
    #[must_use]
    pub fn fits(from: (Protocol, &[PartyId]), to: (Protocol, &[PartyId])) -> bool {
        let alike = from.1.len() == to.1.len();
        alike && from.1.iter().all(|party| Reseat::between(from, to, *party).is_some())
    }

    /// Whether nothing changes.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        let unit = |at: usize| std::array::from_fn(|i| i8::from(i == at));
        self.rows.iter().enumerate().all(|(at, row)| *row == unit(at))
    }

    /// The factors of the old components, by new component, for tests.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn rows(&self) -> &[[i8; COMPONENTS]] {
        &self.rows
    }

    /// Shares in the new role.
    #[must_use]
    pub fn apply<W: Word>(&self, shares: &SharedVec<W>) -> SharedVec<W> {
        let mut new = self.rows.iter().map(|row| combined(row, shares.components()));
        let mut next = || new.next().unwrap_or_default();
        SharedVec { first: next(), second: next(), third: next() }
    }
}

/// A sum of the components of shares.
fn combined<W: Word>(row: &[i8; COMPONENTS], components: [&[W]; COMPONENTS]) -> Buffer<W> {
    let mut terms = row.iter().zip(components).filter(|(factor, _)| **factor != 0);
    let Some((first, run)) = terms.next() else { return Buffer::zeros(components[0].len()) };
    assert_eq!(run.len(), components[0].len(), "components of a share");
    let mut out = Buffer::from_slice(run);
    let to = &mut out;
    simd::vectorize(
        #[inline(always)]
        move || {
            if *first < 0 {
                to.iter_mut().for_each(|x| *x = x.neg());
            }
            for (factor, run) in terms {
                assert_eq!(run.len(), to.len(), "components of a share");
                match *factor < 0 {
                    true => to.iter_mut().zip(run).for_each(|(x, y)| *x = x.sub(*y)),
                    false => to.iter_mut().zip(run).for_each(|(x, y)| *x = x.add(*y)),
                }
            }
        },
    );
    out
}

/// All factors for the components of a share, those of few components first: what is the same as before stays so.
fn combinations(components: usize) -> impl Iterator<Item = [i8; COMPONENTS]> {
    let all = (0..27u32).map(|n| [n % 3, n / 3 % 3, n / 9].map(|digit| [0, 1, -1][digit as usize]));
    let used = |row: &[i8; COMPONENTS]| row.iter().filter(|factor| **factor != 0).count();
    let mut all: Vec<_> =
        all.filter(|row| row[components..].iter().all(|factor| *factor == 0)).collect();
    all.sort_by_key(used);
    all.into_iter()
}

fn sum(row: &[i8; COMPONENTS], share: &[Form]) -> Form {
    std::array::from_fn(|at| row.iter().zip(share).map(|(factor, form)| factor * form[at]).sum())
}

/// The share of a party, made of components of the value by the party that lacks each.
fn share((protocol, places): (Protocol, &[PartyId]), me: PartyId) -> Option<Vec<Form>> {
    let role = places.iter().position(|place| *place == me)?;
    // Parties in an order that does not depend on their roles.
    let mut parties = places.to_vec();
    parties.sort_unstable();
    let lacking = |at: usize| places.iter().position(|place| *place == parties[at]);
    let moved = |form: Form| -> Option<Form> {
        let mut moved = [0; 4];
        for (at, factor) in moved.iter_mut().enumerate().take(parties.len()) {
            *factor = form[lacking(at)?];
        }
        Some(moved)
    };
    protocol.roles()?.shares[role].iter().copied().map(moved).collect()
}
