//! Replicated sharing (Araki et al., CCS 2016): semi-honest, three parties, one corruption.
//!
//! `a = s0 + s1 + s2`; role i holds `(s_i, s_{i+1})`. Additive form: no division by three.
//!
//! A product costs one element per party, P_i to P_{i-1}, all three links latency-critical;
//! one round, no preprocessing. Sums of products cost the same per result.
//! Local multiplications: 2 each.

use crate::Protocol;
use crate::role::{Canonical, InputRule, Role, RoleId, Share, Timing};
use tacit_net::Stream;
use tacit_ring::Word;

/// Role `R` of replicated sharing.
#[derive(Clone, Copy, Debug)]
pub struct Replicated<const R: RoleId>;

impl<const R: RoleId> Role for Replicated<R> {
    const PROTOCOL: Protocol = Protocol::Replicated;
    const ROLE: RoleId = R;
    const NEXT: usize = 1;
    const PREV: usize = 1;
    const EARLY: Option<RoleId> = None;
    const TO: Option<(RoleId, Stream)> = Some(((R + 2) % 3, Stream::On));
    const LATE: &'static [(RoleId, Stream)] = {
        const LATE: [&[(RoleId, Stream)]; 3] =
            [&[(1, Stream::On)], &[(2, Stream::On)], &[(0, Stream::On)]];
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
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> W {
        a[0].mul(b[0].add(b[1])).add(a[1].mul(b[0]))
    }

    #[inline(always)]
    fn mask<W: Word>(v: W, next: [W; 2], prev: [W; 2], _early: W) -> (W, Share<W>) {
        let z = v.add(next[0]).sub(prev[0]);
        (z, [z, W::ZERO])
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, late: [W; 2]) -> Share<W> {
        [partial[0], late[0]]
    }

    fn input_rule(owner: RoleId, _timing: Timing) -> InputRule {
        const TO: [&[(RoleId, Stream)]; 3] =
            [&[(2, Stream::On)], &[(0, Stream::On)], &[(1, Stream::On)]];
        InputRule { next: true, prev: false, to: TO[owner] }
    }

    #[inline(always)]
    fn input_own<W: Word>(_timing: Timing, v: W, next: W, _prev: W) -> (Share<W>, [W; 2]) {
        let s = v.sub(next);
        ([s, next], [s, W::ZERO])
    }

    #[inline(always)]
    fn input_other<W: Word>(owner: RoleId, _timing: Timing, draw: W, received: W) -> Share<W> {
        if R == (owner + 1) % 3 { [draw, W::ZERO] } else { [W::ZERO, received] }
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        ((receiver + 1) % 3, Stream::On)
    }

    #[inline(always)]
    fn open_word<W: Word>(_receiver: RoleId, share: Share<W>) -> W {
        share[1]
    }

    #[inline(always)]
    fn opened<W: Word>(share: Share<W>, received: W) -> W {
        share[0].add(share[1]).add(received)
    }
}

impl<const R: RoleId> Canonical for Replicated<R> {
    #[inline(always)]
    fn to_replicated<W: Word>(share: Share<W>) -> Share<W> {
        share
    }

    #[inline(always)]
    fn from_replicated<W: Word>(share: Share<W>) -> Share<W> {
        share
    }
}
