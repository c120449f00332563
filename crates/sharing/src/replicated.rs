//! Replicated sharing (Araki et al., CCS 2016): semi-honest, three parties, one corruption.
//!
//! `a = s0 + s1 + s2`; role i holds `(s_i, s_{i+1})`. Additive form: no division by three.
//!
//! With [`Checks`] that prove products also against one party that cheats: all products are proven before anything
//! opens. What a cheat can do until then is to add something to a result that it sends.
//!
//! A product costs one element per party, P_i to P_{i-1}, all three links latency-critical;
//! one round, no preprocessing. Sums of products cost the same per result.
//! Local multiplications: 2 each.

use crate::SharingError;
use crate::matrix_shape::MatrixShape;
use crate::party::{Party, no_check};
use crate::role::{
    COMPONENTS, Canonical, Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Timing,
};
use std::marker::PhantomData;
use tacit_net::Stream;
use tacit_protocol::{Descriptor, Family, Form, Parties, Protocol, RoleFacts, Security, Status};
use tacit_ring::Word;

/// Role `R` of replicated sharing, with what `C` says of cheats.
#[derive(Clone, Copy, Debug)]
pub struct Replicated<const R: RoleId, C = SemiHonest>(PhantomData<C>);

/// What is done about parties that do not follow the protocol.
pub trait Checks: Copy + Send + Sync + 'static {
    /// The protocol.
    const PROTOCOL: Protocol;
    /// Whether products are proven before anything opens, and openings compared.
    const PROVEN: bool;
    /// Whether products are made in another way than by resharing.
    const MADE: bool = false;

    /// What [`Role::keep`] does.
    ///
    /// # Errors
    /// As [`Role::keep`].
    fn keep<W: Word>(
        _party: &mut Party<'_>,
        _factors: [[&[W]; COMPONENTS]; 2],
        _results: [&[W]; COMPONENTS],
        _terms: usize,
    ) -> Result<(), SharingError> {
        Err(no_check())
    }

    /// What [`Role::keep_matrix`] does.
    ///
    /// # Errors
    /// As [`Role::keep_matrix`].
    fn keep_matrix<W: Word>(
        _party: &mut Party<'_>,
        _shape: MatrixShape,
        _factors: [[&[W]; COMPONENTS]; 2],
        _results: [&[W]; COMPONENTS],
    ) -> Result<bool, SharingError> {
        Err(no_check())
    }

    /// What [`Role::begin_made`] does.
    ///
    /// # Errors
    /// As [`Role::begin_made`].
    fn begin_made<W: Word>(
        _party: &mut Party<'_>,
        _factors: [[&[W]; 2]; 2],
        _terms: usize,
    ) -> Result<(), SharingError> {
        Err(no_check())
    }

    /// What [`Role::finish_made`] does.
    ///
    /// # Errors
    /// As [`Role::begin_made`].
    fn finish_made<W: Word>(
        _party: &mut Party<'_>,
        _factors: [[&[W]; 2]; 2],
        _terms: usize,
        _out: [&mut [W]; 2],
    ) -> Result<(), SharingError> {
        Err(no_check())
    }
}

/// Nothing.
#[derive(Clone, Copy, Debug)]
pub struct SemiHonest;

impl Checks for SemiHonest {
    const PROTOCOL: Protocol = REPLICATED;
    const PROVEN: bool = false;
}

impl<const R: RoleId, C: Checks> Role for Replicated<R, C> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Self;
    const PROTOCOL: Protocol = C::PROTOCOL;
    const PROVEN: bool = C::PROVEN;
    const MADE: bool = C::MADE;
    const ROLE: RoleId = R;
    const DRAWS: [usize; SLOTS] = [1, 1, 0, 0];
    const EARLY: Option<Source> = None;
    const OUT: &'static [Sink] = {
        const OUT: [&[Sink]; 3] = [
            &[Sink::Send(2, Stream::On)],
            &[Sink::Send(0, Stream::On)],
            &[Sink::Send(1, Stream::On)],
        ];
        OUT[R]
    };
    const LATE: &'static [Source] = {
        const LATE: [&[Source]; 3] = [
            &[Source::new(1, Stream::On)],
            &[Source::new(2, Stream::On)],
            &[Source::new(0, Stream::On)],
        ];
        LATE[R]
    };

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        // s0 = c.
        match R {
            0 => [c, W::ZERO],
            2 => [W::ZERO, c],
            _ => [W::ZERO; 2],
        }
    }

    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> [W; 2] {
        [a[0].mul(b[0].add(b[1])).add(a[1].mul(b[0])), W::ZERO]
    }

    #[inline(always)]
    fn mask<W: Word>([v, _]: [W; 2], draws: Drawn<W>, _: W) -> ([W; 2], Share<W>) {
        let z = v.add(draws[0][0]).sub(draws[1][0]);
        ([z, W::ZERO], [z, W::ZERO])
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, late: [W; 2], _: W) -> (Share<W>, [W; 2]) {
        ([partial[0], late[0]], [W::ZERO; 2])
    }

    fn keep<W: Word>(
        party: &mut Party<'_>,
        factors: [[&[W]; COMPONENTS]; 2],
        results: [&[W]; COMPONENTS],
        terms: usize,
    ) -> Result<(), SharingError> {
        C::keep(party, factors, results, terms)
    }

    fn keep_matrix<W: Word>(
        party: &mut Party<'_>,
        shape: MatrixShape,
        factors: [[&[W]; COMPONENTS]; 2],
        results: [&[W]; COMPONENTS],
    ) -> Result<bool, SharingError> {
        C::keep_matrix(party, shape, factors, results)
    }

    fn begin_made<W: Word>(
        party: &mut Party<'_>,
        factors: [[&[W]; 2]; 2],
        terms: usize,
    ) -> Result<(), SharingError> {
        C::begin_made(party, factors, terms)
    }

    fn finish_made<W: Word>(
        party: &mut Party<'_>,
        factors: [[&[W]; 2]; 2],
        terms: usize,
        out: [&mut [W]; 2],
    ) -> Result<(), SharingError> {
        C::finish_made(party, factors, terms, out)
    }

    fn input_rule(owner: RoleId, _timing: Timing) -> InputRule {
        const TO: [&[(RoleId, Stream, usize)]; 3] =
            [&[(2, Stream::On, 0)], &[(0, Stream::On, 0)], &[(1, Stream::On, 0)]];
        InputRule { to: TO[owner], log: None }
    }

    fn input_draws(owner: RoleId, _timing: Timing) -> [bool; SLOTS] {
        // The key of the owner and the role after it.
        [R == owner, R == (owner + 1) % 3, false, false]
    }

    #[inline(always)]
    fn input_own<W: Word>(_: Timing, v: W, draws: [W; SLOTS]) -> (Share<W>, [W; 2]) {
        let s = v.sub(draws[0]);
        ([s, draws[0]], [s, W::ZERO])
    }

    #[inline(always)]
    fn input_part<W: Word>(_: RoleId, _: Timing, draws: [W; SLOTS]) -> Share<W> {
        [draws[1], W::ZERO]
    }

    #[inline(always)]
    fn input_other<W: Word>(owner: RoleId, _: Timing, part: Share<W>, received: W) -> Share<W> {
        if R == (owner + 1) % 3 { part } else { [W::ZERO, received] }
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        ((receiver + 1) % 3, Stream::On)
    }

    const OPENS_AT_ONCE: bool = C::PROVEN;

    fn open_checker(receiver: RoleId) -> Option<RoleId> {
        // Both other roles know what a receiver lacks.
        C::PROVEN.then_some((receiver + 2) % 3)
    }

    #[inline(always)]
    fn open_word<W: Word>(receiver: RoleId, share: Share<W>) -> W {
        if R == (receiver + 1) % 3 { share[1] } else { share[0] }
    }

    #[inline(always)]
    fn opened<W: Word>(share: Share<W>, received: W) -> W {
        share[0].add(share[1]).add(received)
    }
}

impl<const R: RoleId, C: Checks> Canonical for Replicated<R, C> {
    #[inline(always)]
    fn to_replicated<W: Word>(share: Share<W>) -> Share<W> {
        share
    }

    #[inline(always)]
    fn from_replicated<W: Word>(share: Share<W>) -> Share<W> {
        share
    }
}

/// Role `j` lacks `c_j = s_{j+2}`.
pub const SHARES: [&[Form]; 3] =
    [&[[0, 1, 0, 0], [0, 0, 1, 0]], &[[0, 0, 1, 0], [1, 0, 0, 0]], &[[1, 0, 0, 0], [0, 1, 0, 0]]];

/// Replicated sharing, where nothing is done about cheats.
pub const REPLICATED: Protocol = Protocol::new(&Descriptor {
    name: "replicated",
    page: "replicated.md",
    best_for: "three equal links, and nothing made ahead of time",
    parties: Parties::Exactly(3),
    security: Security::SemiHonest,
    status: Status::Product,
    fan_in: 2,
    family: Family::Roles(RoleFacts {
        shares: &SHARES,
        offline_role: None,
        dealer: 0,
        sends_result: false,
        rings: true,
        checks: None,
    }),
});
