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

use crate::Protocol;
use crate::role::{Canonical, InputRule, Role, RoleId, Share, Timing};
use tacit_net::Stream;
use tacit_ring::Word;

/// Role `R` of Trio.
#[derive(Clone, Copy, Debug)]
pub struct Trio<const R: RoleId>;

/// Messages of an input, shared by Trio and ASTRA: the masks are the same.
pub(crate) fn masked_input_rule(owner: RoleId, timing: Timing) -> InputRule {
    match (owner, timing) {
        (0, Timing::Early) => InputRule { next: true, prev: false, to: &[(2, Stream::Pre)] },
        (0, Timing::Late) => {
            InputRule { next: true, prev: true, to: &[(1, Stream::On), (2, Stream::On)] }
        }
        (1, _) => InputRule { next: false, prev: true, to: &[(2, Stream::On)] },
        _ => InputRule { next: true, prev: false, to: &[(1, Stream::On)] },
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
    const PROTOCOL: Protocol = Protocol::Trio;
    const ROLE: RoleId = R;
    // K01: r, z1. K02: z2.
    const NEXT: usize = [2, 0, 1][R];
    const PREV: usize = [1, 2, 0][R];
    const EARLY: Option<RoleId> = [None, None, Some(0)][R];
    const TO: Option<(RoleId, Stream)> =
        [Some((2, Stream::Pre)), Some((2, Stream::On)), Some((1, Stream::On))][R];
    const LATE: &'static [(RoleId, Stream)] = {
        const LATE: [&[(RoleId, Stream)]; 3] = [&[], &[(2, Stream::On)], &[(1, Stream::On)]];
        LATE[R]
    };

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        if R == 0 { [W::ZERO; 2] } else { [c, W::ZERO] }
    }

    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> W {
        match R {
            // e = x2 y2 - (x1 - x2)(y1 - y2)
            0 => a[1].mul(b[1]).sub(a[0].sub(a[1]).mul(b[0].sub(b[1]))),
            // (a + x2) y1 + (b + y2) x1
            1 => a[0].mul(b[1]).add(b[0].mul(a[1])),
            // (a + x1)(b + y1)
            _ => a[0].mul(b[0]),
        }
    }

    #[inline(always)]
    fn mask<W: Word>(v: W, next: [W; 2], prev: [W; 2], early: W) -> (W, Share<W>) {
        match R {
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
        }
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, late: [W; 2]) -> Share<W> {
        match R {
            0 => partial,
            1 => [partial[0].add(late[0]), partial[1]],
            _ => [partial[0].sub(late[0]), partial[1]],
        }
    }

    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        masked_input_rule(owner, timing)
    }

    #[inline(always)]
    fn input_own<W: Word>(timing: Timing, v: W, next: W, prev: W) -> (Share<W>, [W; 2]) {
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
    fn input_other<W: Word>(owner: RoleId, timing: Timing, draw: W, received: W) -> Share<W> {
        match (R, owner, timing) {
            (0, 1, _) => [draw, W::ZERO],
            (0, _, _) => [W::ZERO, draw],
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
