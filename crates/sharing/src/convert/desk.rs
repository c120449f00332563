//! Who sits where, and the two things that are sent: deals and gadgets.

use super::Masked;
use crate::Protocol;
use crate::party::{Draws, Party, SharingError};
use crate::role::{Role, RoleId};
use tacit_net::Stream;
use tacit_ring::simd;
use tacit_ring::{Buffer, Word, Z2, transpose, word};

/// A role's place in masked coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// Knows the masks.
    Dealer,
    /// Of the pair, the one that shares a key with the dealer for `x1`.
    First,
    /// Of the pair, the one that shares a key with the dealer for `x2`, and gets deals.
    Second,
}

/// The role that sits at the dealer's place.
#[must_use]
pub fn dealer(protocol: Protocol) -> RoleId {
    protocol.ahead().unwrap_or(0)
}

/// The stream of a protocol's deals: online where no role works ahead.
#[must_use]
pub fn deal_stream(protocol: Protocol) -> Stream {
    if protocol.ahead().is_some() { Stream::Pre } else { Stream::On }
}

impl Seat {
    /// The seat of a role.
    #[must_use]
    #[inline(always)]
    pub fn of<P: Role>() -> Self {
        match (P::ROLE + 3 - dealer(P::PROTOCOL)) % 3 {
            0 => Seat::Dealer,
            1 => Seat::First,
            _ => Seat::Second,
        }
    }
}

/// Words of a message that are sent or received in one go.
const PIECE: usize = 1 << 16;

/// A party at its seat. Not generic over the protocol: its roles differ in coordinates only.
pub struct Desk<'p, 'm> {
    party: &'p mut Party<'m>,
    seat: Seat,
    dealer: RoleId,
    deals: Stream,
}

impl<'p, 'm> Desk<'p, 'm> {
    /// The desk of a party that plays role `P`.
    #[must_use]
    pub fn new<P: Role>(party: &'p mut Party<'m>) -> Self {
        Desk {
            party,
            seat: Seat::of::<P>(),
            dealer: dealer(P::PROTOCOL),
            deals: deal_stream(P::PROTOCOL),
        }
    }

    /// Where this party sits.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.seat
    }

    fn role(&self, seat: Seat) -> RoleId {
        (self.dealer + seat as usize) % 3
    }

    /// Fills `out` from the key of dealer and first. The second draws nothing and leaves it.
    fn draw_first<W: Word>(&self, draws: &mut Draws<'_>, out: &mut [W]) {
        match self.seat {
            Seat::Dealer => draws.with_next().fill(out),
            Seat::First => draws.with_prev().fill(out),
            Seat::Second => {}
        }
    }

    /// Fills `out` from the key of dealer and second. The first draws nothing and leaves it.
    fn draw_second<W: Word>(&self, draws: &mut Draws<'_>, out: &mut [W]) {
        match self.seat {
            Seat::Dealer => draws.with_prev().fill(out),
            Seat::First => {}
            Seat::Second => draws.with_next().fill(out),
        }
    }

    /// Splits lower values: `t = q1 + q2`, `q1` to the first (a draw), `q2` to the second (a
    /// message). `t` counts at the dealer only, whose result is both halves; the pair's result is
    /// its half twice.
    ///
    /// # Errors
    /// When the network fails.
    pub fn deal<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        t: &[W],
        n: usize,
    ) -> Result<Split<W>, SharingError> {
        let mut q1 = Buffer::zeros(n);
        self.draw_first(draws, &mut q1);
        match self.seat {
            Seat::Dealer => {
                check(t.len() == n, "a deal")?;
                let mut q2 = Buffer::from_slice(t);
                let (from, to) = (&q1, &mut q2);
                simd::vectorize(
                    #[inline(always)]
                    || {
                        for (q2, q1) in to.iter_mut().zip(from.iter()) {
                            *q2 = q2.sub(*q1);
                        }
                    },
                );
                self.party.send(self.role(Seat::Second), self.deals, &q2)?;
                Ok(Split { first: q1, second: q2 })
            }
            Seat::First => Ok(Split { first: q1, second: Buffer::default() }),
            Seat::Second => {
                let mut q2 = q1;
                self.party.recv(self.role(Seat::Dealer), self.deals, &mut q2)?;
                Ok(Split { first: Buffer::default(), second: q2 })
            }
        }
    }

    /// Deals in a smaller ring `Z_{2^bits}`, sent as bit planes: halves count modulo `2^bits`.
    ///
    /// # Errors
    /// When the network fails.
    pub fn deal_bits<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        t: &[W],
        n: usize,
        bits: u32,
    ) -> Result<Split<W>, SharingError> {
        let planes = bits as usize * n.div_ceil(64);
        let mut q1 = Buffer::zeros(n);
        self.draw_first(draws, &mut q1);
        let mut message = Buffer::<Z2>::zeros(planes);
        match self.seat {
            Seat::Dealer => {
                check(t.len() == n, "a deal")?;
                let mut q2 = Buffer::from_slice(t);
                for (q2, q1) in q2.iter_mut().zip(q1.iter()) {
                    *q2 = q2.sub(*q1);
                }
                transpose::pack(&q2[..], bits as usize, word::lanes_mut(&mut message));
                self.party.send(self.role(Seat::Second), self.deals, &message)?;
                Ok(Split { first: q1, second: q2 })
            }
            Seat::First => Ok(Split { first: q1, second: Buffer::default() }),
            Seat::Second => {
                let mut q2 = q1;
                self.party.recv(self.role(Seat::Dealer), self.deals, &mut message)?;
                transpose::unpack(word::lanes(&message), bits as usize, &mut q2[..]);
                Ok(Split { first: Buffer::default(), second: q2 })
            }
        }
    }

    /// A fresh sharing of `c + g1 + g2`: the pair's local sums `g1` and `g2`, and the upper
    /// value `c` that both know. `sum` holds this party's `g` and becomes `m`; the dealer's
    /// is not read.
    ///
    /// # Errors
    /// When the network fails.
    pub fn gadget<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        mut sum: Buffer<W>,
        c: Option<&[W]>,
    ) -> Result<Masked<W>, SharingError> {
        let n = sum.len();
        let mut mask = Buffer::zeros(n);
        if self.seat == Seat::Dealer {
            self.draw_first(draws, &mut sum);
            self.draw_second(draws, &mut mask);
            return Ok(Masked { first: sum, second: mask });
        }
        self.draw_first(draws, &mut mask);
        self.draw_second(draws, &mut mask);
        let peer = self.role(if self.seat == Seat::First { Seat::Second } else { Seat::First });
        let mut theirs = Buffer::zeros(n.min(PIECE));
        add_assign(&mut sum, &mask);
        self.party.send(peer, Stream::On, &sum)?;
        for start in (0..n).step_by(PIECE) {
            let at = start..(start + PIECE).min(n);
            let theirs = &mut theirs[..at.len()];
            self.party.recv(peer, Stream::On, theirs)?;
            add_assign(&mut sum[at.clone()], theirs);
            if let Some(c) = c {
                add_assign(&mut sum[at.clone()], &c[at]);
            }
        }
        Ok(Masked { first: sum, second: mask })
    }
}

/// A lower value, split between the pair. Each holds its half; the dealer both.
pub struct Split<W> {
    /// `q1`, empty at the second.
    pub first: Buffer<W>,
    /// `q2`, empty at the first.
    pub second: Buffer<W>,
}

impl<W: Word> Split<W> {
    /// The half of one of the pair.
    #[must_use]
    pub fn half(&self, seat: Seat) -> &[W] {
        if seat == Seat::First { &self.first } else { &self.second }
    }
}

fn add_assign<W: Word>(to: &mut [W], from: &[W]) {
    simd::vectorize(
        #[inline(always)]
        || {
            for (to, from) in to.iter_mut().zip(from) {
                *to = to.add(*from);
            }
        },
    );
}

pub(super) fn check(fits: bool, what: &str) -> Result<(), SharingError> {
    if fits { Ok(()) } else { Err(SharingError::Shape(format!("sizes do not fit: {what}"))) }
}
