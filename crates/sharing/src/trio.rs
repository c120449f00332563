//! Trio (Harth-Kitzerow et al., PoPETs 2025): semi-honest, three parties, one corruption.
//!
//! | role | share of a | job |
//! | --- | --- | --- |
//! | P0 | `(x1, x2)` | dealer: knows the masks, works ahead, never receives before outputs |
//! | P1 | `(a + x2, x1)` | online |
//! | P2 | `(a + x1, x2)` | online |
//!
//! A product costs one element P0 to P2 ahead of time and one each way between P1 and P2, the
//! only latency-critical link; one round. Sums of products cost the same per result.
//! Local multiplications: 2, 2, 1.

use crate::RoleVisitor;
use crate::balance::{self, Twin, Way};
use crate::role::{Canonical, Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Timing};
use tacit_net::Stream;
use tacit_protocol::{Descriptor, Family, Form, Parties, Protocol, RoleFacts, Security, Status};
use tacit_ring::Word;

/// Role `R` of Trio.
#[derive(Clone, Copy, Debug)]
pub struct Trio<const R: RoleId>;

/// Messages of an input, shared by Trio and ASTRA: the masks are the same.
pub(crate) fn masked_input_rule(owner: RoleId, timing: Timing) -> InputRule {
    let to: &[_] = match (owner, timing) {
        (0, Timing::Early) => &[(2, Stream::Pre, 0)],
        (0, Timing::Late) => &[(1, Stream::On, 0), (2, Stream::On, 1)],
        (1, _) => &[(2, Stream::On, 0)],
        _ => &[(1, Stream::On, 0)],
    };
    InputRule { to, log: None }
}

/// Draws for an input, shared by Trio and ASTRA: `x1` under K01, `x2` under K02.
pub(crate) fn masked_input_draws(role: RoleId, owner: RoleId, timing: Timing) -> [bool; SLOTS] {
    let (x1, x2) = match (owner, timing) {
        (0, Timing::Early) | (1, _) => (true, false),
        (0, Timing::Late) => (true, true),
        _ => (false, true),
    };
    match role {
        0 => [x1, x2, false, false],
        1 => [false, x1, false, false],
        _ => [x2, false, false, false],
    }
}

/// What other roles keep of their draws, shared by Trio and ASTRA: the mask, as second component.
pub(crate) fn masked_input_part<W: Word>(role: RoleId, draws: [W; SLOTS]) -> Share<W> {
    match role {
        0 => [draws[0], draws[1]],
        1 => [W::ZERO, draws[1]],
        _ => [W::ZERO, draws[0]],
    }
}

/// Opening, shared by Trio and ASTRA: P0 sends the missing mask ahead, P2 the masked value.
pub(crate) fn masked_opener(receiver: RoleId) -> (RoleId, Stream) {
    match receiver {
        0 => (2, Stream::On),
        _ => (0, Stream::Pre),
    }
}

impl<const R: RoleId> Role for Trio<R> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Self;
    const PROTOCOL: Protocol = TRIO;
    const ROLE: RoleId = R;
    // K01: r, z1. K02: z2.
    const DRAWS: [usize; SLOTS] = [[2, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 0]][R];
    const EARLY: Option<Source> = [None, None, Some(Source::new(0, Stream::Pre))][R];
    const OUT: &'static [Sink] = {
        const OUT: [&[Sink]; 3] = [
            &[Sink::Send(2, Stream::Pre)],
            &[Sink::Send(2, Stream::On)],
            &[Sink::Send(1, Stream::On)],
        ];
        OUT[R]
    };
    const LATE: &'static [Source] = {
        const LATE: [&[Source]; 3] =
            [&[], &[Source::new(2, Stream::On)], &[Source::new(1, Stream::On)]];
        LATE[R]
    };

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        if R == 0 { [W::ZERO; 2] } else { [c, W::ZERO] }
    }

    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> [W; 2] {
        let v = match R {
            // e = x2 y2 - (x1 - x2)(y1 - y2)
            0 => a[1].mul(b[1]).sub(a[0].sub(a[1]).mul(b[0].sub(b[1]))),
            // (a + x2) y1 + (b + y2) x1
            1 => a[0].mul(b[1]).add(b[0].mul(a[1])),
            // (a + x1)(b + y1)
            _ => a[0].mul(b[0]),
        };
        [v, W::ZERO]
    }

    #[inline(always)]
    fn mask<W: Word>([v, _]: [W; 2], draws: Drawn<W>, early: W) -> ([W; 2], Share<W>) {
        let [next, prev, ..] = draws;
        let (message, share) = match R {
            0 => (v.add(next[0]), [next[1], prev[0]]),
            1 => {
                let [r, z1] = prev;
                let g1 = v.add(r);
                (g1.sub(z1), [g1.neg(), z1])
            }
            _ => {
                let z2 = next[0];
                let g2 = v.add(early);
                (g2.add(z2), [g2, z2])
            }
        };
        ([message, W::ZERO], share)
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, late: [W; 2], _: W) -> (Share<W>, [W; 2]) {
        let share = match R {
            0 => partial,
            1 => [partial[0].add(late[0]), partial[1]],
            _ => [partial[0].sub(late[0]), partial[1]],
        };
        (share, [W::ZERO; 2])
    }

    fn in_way<V: RoleVisitor>(way: Way, visitor: V) -> V::Out {
        balance::trio(R, way, visitor)
    }

    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        masked_input_rule(owner, timing)
    }

    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS] {
        masked_input_draws(R, owner, timing)
    }

    #[inline(always)]
    fn input_part<W: Word>(_: RoleId, _: Timing, draws: [W; SLOTS]) -> Share<W> {
        masked_input_part(R, draws)
    }

    #[inline(always)]
    fn input_own<W: Word>(timing: Timing, v: W, draws: [W; SLOTS]) -> (Share<W>, [W; 2]) {
        let [next, prev, ..] = draws;
        match (R, timing) {
            (0, Timing::Early) => {
                let x2 = v.add(next).neg();
                ([next, x2], [x2, W::ZERO])
            }
            (0, Timing::Late) => ([next, prev], [v.add(prev), v.add(next)]),
            (1, _) => ([v, prev], [v.add(prev), W::ZERO]),
            _ => ([v, next], [v.add(next), W::ZERO]),
        }
    }

    #[inline(always)]
    fn input_other<W: Word>(
        owner: RoleId,
        timing: Timing,
        part: Share<W>,
        received: W,
    ) -> Share<W> {
        let draw = part[1];
        match (R, owner, timing) {
            (0, _, _) => part,
            (1, 0, Timing::Early) => [draw.neg(), draw],
            (2, 0, Timing::Early) => [received.neg(), received],
            (_, 0, Timing::Late) => [received, draw],
            _ => [received, W::ZERO],
        }
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        masked_opener(receiver)
    }

    #[inline(always)]
    fn open_word<W: Word>(receiver: RoleId, share: Share<W>) -> W {
        match (R, receiver) {
            (0, 1) => share[1],
            _ => share[0],
        }
    }

    #[inline(always)]
    fn opened<W: Word>(share: Share<W>, received: W) -> W {
        if R == 0 { received.sub(share[0]) } else { share[0].sub(received) }
    }
}

impl<const R: RoleId> Twin for Trio<R> {
    const EXCHANGED: [usize; SLOTS] = [1, 0, 2, 3];

    #[inline(always)]
    fn turn<W: Word>([first, second]: Share<W>) -> Share<W> {
        if R == 0 { [second, first] } else { [first, second] }
    }
}

impl<const R: RoleId> Canonical for Trio<R> {
    #[inline(always)]
    fn to_replicated<W: Word>(share: Share<W>) -> Share<W> {
        match R {
            0 => [share[1].neg(), share[0].neg()],
            1 => [share[1].neg(), share[0].add(share[1])],
            _ => [share[0].add(share[1]), share[1].neg()],
        }
    }

    #[inline(always)]
    fn from_replicated<W: Word>(share: Share<W>) -> Share<W> {
        match R {
            0 => [share[1].neg(), share[0].neg()],
            1 => [share[1].add(share[0]), share[0].neg()],
            _ => [share[0].add(share[1]), share[1].neg()],
        }
    }
}

/// `x1 = -c_2`, `x2 = -c_1`, where role `j` lacks `c_j`.
const SHARES: [&[Form]; 3] = [
    &[[0, 0, -1, 0], [0, -1, 0, 0]],
    &[[1, 0, 1, 0], [0, 0, -1, 0]],
    &[[1, 1, 0, 0], [0, -1, 0, 0]],
];

/// Trio.
pub const TRIO: Protocol = Protocol::new(&Descriptor {
    name: "trio",
    page: "trio.md",
    best_for: "throughput; one link or party may be slow",
    parties: Parties::Exactly(3),
    security: Security::SemiHonest,
    status: Status::Product,
    fan_in: 2,
    family: Family::Roles(RoleFacts {
        shares: &SHARES,
        offline_role: Some(0),
        dealer: 0,
        sends_result: false,
        rings: true,
        checks: None,
    }),
});
