//! Three parties with products of two to eight factors in one round, for networks where rounds
//! are what costs. Semi-honest, one corruption.
//!
//! | role | share of x | job |
//! | --- | --- | --- |
//! | P0 | `(A = x + a, b)` | evaluator |
//! | P1 | `(B = x + b, a)` | evaluator |
//! | P2 | `(a, b)` | helper: sends, never receives during evaluation |
//!
//! A product of two factors, or a sum of such products, costs one element each way between the
//! evaluators and one from the helper to P0. A product of l factors costs `2^l - l - 1` each way
//! and one from the helper to each (symmetric form), or `2^l - l - 1` from the helper to P1 and one
//! each way (dealer form). Only the evaluators' link is latency-critical; one round per level.
//!
//! This file holds the two-factor product, inputs and outputs; [`plan`] lays out polynomial
//! gates, [`wide`] evaluates them, under this protocol and under those that prove what is sent for them.

pub mod plan;
mod proofs;
pub mod wide;

use crate::role::{Canonical, Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Timing};
use tacit_net::Stream;
use tacit_protocol::{Descriptor, Family, Form, Parties, Protocol, RoleFacts, Security, Status};
use tacit_ring::Word;

/// Role `R` of the multi-fan-in protocol.
#[derive(Clone, Copy, Debug)]
pub struct MultiFanIn<const R: RoleId>;

impl<const R: RoleId> Role for MultiFanIn<R> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Self;
    const PROTOCOL: Protocol = MULTI_FAN_IN;
    const ROLE: RoleId = R;
    // K12: m1, m2. K02: m0.
    // K12: m1, m2. K02: m0.
    const DRAWS: [usize; SLOTS] = [[0, 1, 0, 0], [2, 0, 0, 0], [1, 2, 0, 0]][R];
    const EARLY: Option<Source> = None;
    const OUT: &'static [Sink] = {
        const OUT: [&[Sink]; 3] = [&[Sink::Send(1, Stream::On)], &[Sink::Send(0, Stream::On)], &[]];
        OUT[R]
    };
    const LATE: &'static [Source] = {
        const LATE: [&[Source]; 3] = [
            &[Source::new(1, Stream::On), Source::new(2, Stream::Pre)],
            &[Source::new(0, Stream::On)],
            &[],
        ];
        LATE[R]
    };
    const RESULT: &'static [Sink] = {
        const RESULT: [&[Sink]; 3] = [&[], &[], &[Sink::Send(0, Stream::Pre)]];
        RESULT[R]
    };

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        if R == 2 { [W::ZERO; 2] } else { [c, W::ZERO] }
    }

    #[inline(always)]
    fn cross<W: Word>(x: Share<W>, y: Share<W>) -> [W; 2] {
        let v = match R {
            // A_x A_y
            0 => x[0].mul(y[0]),
            // -(B_x a_y + B_y a_x)
            1 => x[0].mul(y[1]).add(y[0].mul(x[1])).neg(),
            // b_x a_y + (b_y - a_y) a_x
            _ => x[1].mul(y[0]).add(y[1].sub(y[0]).mul(x[0])),
        };
        [v, W::ZERO]
    }

    // The helper's message is b_t = m0 - c2 where `docs/spec/multi-fan-in-3pc.md` section 5 sends c2: P0 knows m0,
    // so they carry the same. It goes out when the product is finished.
    #[inline(always)]
    fn mask<W: Word>([v, _]: [W; 2], draws: Drawn<W>, _: W) -> ([W; 2], Share<W>) {
        let [next, prev, ..] = draws;
        let (message, share) = match R {
            0 => (v.add(prev[0]), [v, prev[0]]),
            1 => {
                let [m1, m2] = next;
                (v.add(m1), [v.sub(m2), m1.add(m2)])
            }
            _ => {
                let ([m1, m2], m0) = (prev, next[0]);
                let c2 = v.add(m2);
                (W::ZERO, [m1.add(m2), m0.sub(c2)])
            }
        };
        ([message, W::ZERO], share)
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, late: [W; 2], _: W) -> (Share<W>, [W; 2]) {
        let share = match R {
            0 => {
                let [c1, b] = late;
                let c2 = partial[1].sub(b);
                [partial[0].add(c1).add(c2), b]
            }
            1 => [partial[0].add(late[0]), partial[1]],
            _ => partial,
        };
        (share, [share[1], W::ZERO])
    }

    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        let to: &[_] = match (owner, timing) {
            (0, _) => &[(1, Stream::On, 0)],
            (1, _) => &[(0, Stream::On, 0)],
            (_, Timing::Early) => &[(0, Stream::Pre, 0)],
            (_, Timing::Late) => &[(0, Stream::On, 0), (1, Stream::On, 1)],
        };
        InputRule { to, log: None }
    }

    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS] {
        // Masks a under K12, b under K02.
        let (a, b) = match (owner, timing) {
            (0, _) => (false, true),
            (1, _) | (_, Timing::Early) => (true, false),
            (_, Timing::Late) => (true, true),
        };
        match R {
            0 => [false, b, false, false],
            1 => [a, false, false, false],
            _ => [b, a, false, false],
        }
    }

    #[inline(always)]
    fn input_own<W: Word>(timing: Timing, v: W, draws: [W; SLOTS]) -> (Share<W>, [W; 2]) {
        let [next, prev, ..] = draws;
        match (R, timing) {
            (0, _) => ([v, prev], [v.add(prev), W::ZERO]),
            (1, _) => ([v, next], [v.add(next), W::ZERO]),
            (_, Timing::Early) => {
                let b = v.add(prev).neg();
                ([prev, b], [b, W::ZERO])
            }
            (_, Timing::Late) => ([prev, next], [v.add(prev), v.add(next)]),
        }
    }

    #[inline(always)]
    fn input_part<W: Word>(_: RoleId, _: Timing, draws: [W; SLOTS]) -> Share<W> {
        match R {
            0 => [W::ZERO, draws[1]],
            1 => [W::ZERO, draws[0]],
            _ => [draws[1], draws[0]],
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
            (2, _, _) => part,
            (1, 2, Timing::Early) => [draw.neg(), draw],
            (0, 2, Timing::Early) => [received.neg(), received],
            (_, 2, Timing::Late) => [received, draw],
            _ => [received, W::ZERO],
        }
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        if receiver == 2 { (0, Stream::On) } else { (2, Stream::Pre) }
    }

    #[inline(always)]
    fn open_word<W: Word>(receiver: RoleId, share: Share<W>) -> W {
        if receiver == 1 { share[1] } else { share[0] }
    }

    #[inline(always)]
    fn opened<W: Word>(share: Share<W>, received: W) -> W {
        if R == 2 { received.sub(share[0]) } else { share[0].sub(received) }
    }
}

impl<const R: RoleId> Canonical for MultiFanIn<R> {
    #[inline(always)]
    fn to_replicated<W: Word>(share: Share<W>) -> Share<W> {
        // s0 = -b, s1 = w = A + b = B + a, s2 = -a.
        match R {
            0 => [share[1].neg(), share[0].add(share[1])],
            1 => [share[0].add(share[1]), share[1].neg()],
            _ => [share[0].neg(), share[1].neg()],
        }
    }

    #[inline(always)]
    fn from_replicated<W: Word>(share: Share<W>) -> Share<W> {
        match R {
            0 => [share[1].add(share[0]), share[0].neg()],
            1 => [share[0].add(share[1]), share[1].neg()],
            _ => [share[0].neg(), share[1].neg()],
        }
    }
}

/// `a = -c_0`, `b = -c_1`, where role `j` lacks `c_j`.
const SHARES: [&[Form]; 3] = [
    &[[0, 1, 1, 0], [0, -1, 0, 0]],
    &[[1, 0, 1, 0], [-1, 0, 0, 0]],
    &[[-1, 0, 0, 0], [0, -1, 0, 0]],
];

/// Products of two to eight factors in one round.
pub const MULTI_FAN_IN: Protocol = Protocol::new(&Descriptor {
    name: "multi-fan-in",
    page: "multi-fan-in.md",
    best_for: "wide-area networks: an AND of up to eight inputs takes one round",
    parties: Parties::Exactly(3),
    security: Security::SemiHonest,
    status: Status::Product,
    fan_in: 8,
    family: Family::Roles(RoleFacts {
        shares: &SHARES,
        offline_role: Some(2),
        dealer: 2,
        sends_result: false,
        rings: true,
        checks: None,
    }),
});
