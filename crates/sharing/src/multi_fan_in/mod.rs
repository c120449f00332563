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
//! gates, [`wide`] evaluates them.

pub mod plan;
pub mod wide;

use crate::Protocol;
use crate::role::{Canonical, InputRule, Role, RoleId, Share, Timing};
use tacit_net::Stream;
use tacit_ring::Word;

/// Role `R` of the multi-fan-in protocol.
#[derive(Clone, Copy, Debug)]
pub struct MultiFanIn<const R: RoleId>;

impl<const R: RoleId> Role for MultiFanIn<R> {
    const PROTOCOL: Protocol = Protocol::MultiFanIn;
    const ROLE: RoleId = R;
    // K12: m1, m2. K02: m0.
    const NEXT: usize = [0, 2, 1][R];
    const PREV: usize = [1, 0, 2][R];
    const EARLY: Option<RoleId> = None;
    const TO: Option<(RoleId, Stream)> = [Some((1, Stream::On)), Some((0, Stream::On)), None][R];
    const LATE: &'static [(RoleId, Stream)] = {
        const LATE: [&[(RoleId, Stream)]; 3] =
            [&[(1, Stream::On), (2, Stream::Pre)], &[(0, Stream::On)], &[]];
        LATE[R]
    };
    const FORWARD: Option<RoleId> = [None, None, Some(0)][R];

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        if R == 2 { [W::ZERO; 2] } else { [c, W::ZERO] }
    }

    #[inline(always)]
    fn cross<W: Word>(x: Share<W>, y: Share<W>) -> W {
        match R {
            // A_x A_y
            0 => x[0].mul(y[0]),
            // -(B_x a_y + B_y a_x)
            1 => x[0].mul(y[1]).add(y[0].mul(x[1])).neg(),
            // b_x a_y + (b_y - a_y) a_x
            _ => x[1].mul(y[0]).add(y[1].sub(y[0]).mul(x[0])),
        }
    }

    // The helper's message is b_t = m0 - c2 where the spec sends c2: P0 knows m0, so they carry
    // the same. It goes out when the product is finished.
    #[inline(always)]
    fn mask<W: Word>(v: W, next: [W; 2], prev: [W; 2], _early: W) -> (W, Share<W>) {
        match R {
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
        }
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, late: [W; 2]) -> Share<W> {
        match R {
            0 => {
                let [c1, b] = late;
                let c2 = partial[1].sub(b);
                [partial[0].add(c1).add(c2), b]
            }
            1 => [partial[0].add(late[0]), partial[1]],
            _ => partial,
        }
    }

    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        match (owner, timing) {
            (0, _) => InputRule { next: false, prev: true, to: &[(1, Stream::On)] },
            (1, _) => InputRule { next: true, prev: false, to: &[(0, Stream::On)] },
            (_, Timing::Early) => InputRule { next: false, prev: true, to: &[(0, Stream::Pre)] },
            (_, Timing::Late) => {
                InputRule { next: true, prev: true, to: &[(0, Stream::On), (1, Stream::On)] }
            }
        }
    }

    #[inline(always)]
    fn input_own<W: Word>(timing: Timing, v: W, next: W, prev: W) -> (Share<W>, [W; 2]) {
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
    fn input_other<W: Word>(owner: RoleId, timing: Timing, draw: W, received: W) -> Share<W> {
        match (R, owner, timing) {
            (2, 0, _) => [W::ZERO, draw],
            (2, _, _) => [draw, W::ZERO],
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
