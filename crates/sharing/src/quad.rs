//! Quad (Harth-Kitzerow et al., PoPETs 2025): malicious with abort, four parties, one corruption.
//!
//! | role | share of a | job |
//! | --- | --- | --- |
//! | P0 | `(a + u, x0)` | second evaluator: lags, checks |
//! | P1 | `(a + x0, x1)` | online |
//! | P2 | `(a + x0, x2)` | online |
//! | P3 | `(u, x0)` | mask holder: works ahead, receives nothing before the checks |
//!
//! `x0 = x1 + x2`; `x1` comes from the key of P0, P1 and P3, `x2` from that of P0, P2 and P3, `u`
//! from that of P1, P2 and P3.
//!
//! A product costs five elements: two from P3 ahead of time, to P0 and to P2 (variant B; in
//! variant A the one to P2 comes from P0), one each way between P1 and P2, the only latency-critical
//! link, and one from P2 to P0 that nobody waits for. In the heterogeneous variant P3 sends nothing
//! and P2 sends two to P0: only two links are used. One round. Sums of products cost the same per
//! result. Local multiplications: 3 each.
//!
//! Every word that its receiver cannot check is compared by two other roles before anything opens
//! (spec 4.4): a single cheat is caught with certainty. Every word that only one role computes
//! enters the compared one additively, so whether the check fails tells nothing about secrets.

use crate::Protocol;
use crate::role::{Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, TAIL, Timing};
use crate::verify::{Item, Kind};
use tacit_net::Stream;
use tacit_ring::Word;

/// Role `R` of Quad in variant B: P3 sends all that is sent ahead.
#[derive(Clone, Copy, Debug)]
pub struct Quad<const R: RoleId>;

/// What P3 deals to P2, compared by P0, who can compute it, and P2.
const DEAL: Item = Item::new(Kind::Deal, &[0, 2]);
/// `ab + q`, sent by P2 to P0, compared by P0 and P1.
const RAISE: Item = Item::new(Kind::Raise, &[0, 1]);
/// `ab + z0 + w`, computed by P0, P1 and P2.
const RESULT: Item = Item::new(Kind::Result, &[0, 1, 2]);

/// A word of each mask, in the slots of role `R`: keys are in the order of the role that lacks them.
const fn by_slot<T: Copy>(role: RoleId, [x1, x2, u]: [T; 3], none: T) -> [T; SLOTS] {
    match role {
        0 => [x2, x1, none, none],
        1 => [u, x1, none, none],
        2 => [u, x2, none, none],
        _ => [u, x2, x1, none],
    }
}

/// Draws of the masks `x1`, `x2`, `u` as far as role `R` knows them; zero where it does not.
#[inline(always)]
fn masks_of<W: Word>(role: RoleId, draws: [W; SLOTS]) -> [W; 3] {
    match role {
        0 => [draws[1], draws[0], W::ZERO],
        1 => [draws[1], W::ZERO, draws[0]],
        2 => [W::ZERO, draws[1], draws[0]],
        _ => [draws[2], draws[1], draws[0]],
    }
}

impl<const R: RoleId> Role for Quad<R> {
    const PROTOCOL: Protocol = Protocol::Quad;
    const ROLE: RoleId = R;
    // K013: z1, r. K023: z2. K123: q, and w from its second stream.
    const DRAWS: [usize; SLOTS] = [[1, 2, 0, 0], [1, 2, 0, 0], [1, 1, 0, 0], [1, 1, 2, 1]][R];
    const SETTLE_DRAWS: usize = [0, 1, 1, 0][R];
    const CROSS: usize = 2;
    const EARLY: Option<Source> =
        [Some(Source::new(3, Stream::Pre)), None, Some(Source::logged(3, Stream::Pre, DEAL)), None]
            [R];
    const OUT: &'static [Sink] = {
        const OUT: [&[Sink]; 4] = [
            &[Sink::Log(DEAL)],
            &[Sink::Send(2, Stream::On), Sink::Log(RAISE)],
            &[Sink::Send(1, Stream::On), Sink::Send(0, Stream::Def)],
            &[Sink::Send(2, Stream::Pre), Sink::Send(0, Stream::Pre)],
        ];
        OUT[R]
    };
    const LATE: &'static [Source] = {
        const LATE: [&[Source]; 4] = [
            &[Source::logged(2, Stream::Def, RAISE)],
            &[Source::new(2, Stream::On)],
            &[Source::new(1, Stream::On)],
            &[],
        ];
        LATE[R]
    };
    const RESULT: &'static [Sink] = if R == 3 { &[] } else { &[Sink::Log(RESULT)] };

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        if R == 3 { [W::ZERO; 2] } else { [c, W::ZERO] }
    }

    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> [W; 2] {
        match R {
            // x0 y0; (a + u) y0 + (b + v) x0
            0 => [a[1].mul(b[1]), a[0].mul(b[1]).add(b[0].mul(a[1]))],
            // x0 y0; x0 (y0 - v) - y0 u
            3 => [a[1].mul(b[1]), a[1].mul(b[1].sub(b[0])).sub(b[1].mul(a[0]))],
            // (a + x0) yi + (b + y0) xi; (a + x0)(b + y0)
            _ => [a[0].mul(b[1]).add(b[0].mul(a[1])), a[0].mul(b[0])],
        }
    }

    #[inline(always)]
    fn mask<W: Word>(v: [W; 2], draws: Drawn<W>, early: W) -> ([W; 2], Share<W>) {
        match R {
            0 => {
                let ([z2, _], [z1, r]) = (draws[0], draws[1]);
                let z0 = z1.add(z2);
                ([z0.add(v[0]).add(r), W::ZERO], [v[1].add(early).neg(), z0])
            }
            1 => {
                let (q, [z1, r]) = (draws[0][0], draws[1]);
                let g1 = v[0].add(r);
                ([g1, v[1].add(q)], [v[1].sub(g1), z1])
            }
            2 => {
                let (q, z2) = (draws[0][0], draws[1][0]);
                let g2 = v[0].sub(early);
                ([g2, v[1].add(q)], [v[1].sub(g2), z2])
            }
            _ => {
                let (q, z2, [z1, r], w) = (draws[0][0], draws[1][0], draws[2], draws[TAIL][0]);
                let z0 = z1.add(z2);
                ([z0.add(v[0]).add(r), v[1].add(q).sub(w)], [w, z0])
            }
        }
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, late: [W; 2], w: W) -> (Share<W>, [W; 2]) {
        match R {
            0 => {
                let cu = partial[0].add(late[0]);
                ([cu, partial[1]], [cu.add(partial[1]), W::ZERO])
            }
            3 => (partial, [W::ZERO; 2]),
            _ => {
                let c0 = partial[0].sub(late[0]);
                ([c0, partial[1]], [c0.add(w), W::ZERO])
            }
        }
    }

    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        match (owner, timing) {
            (0, _) => rule(&[(1, Stream::On, 0), (2, Stream::On, 0)], &[1, 2]),
            (1, _) => rule(&[(0, Stream::On, 0), (2, Stream::On, 0)], &[0, 2]),
            (2, _) => rule(&[(0, Stream::On, 0), (1, Stream::On, 0)], &[0, 1]),
            (_, Timing::Early) => rule(&[(1, Stream::Pre, 0), (2, Stream::Pre, 0)], &[1, 2]),
            (_, Timing::Late) => {
                rule(&[(0, Stream::On, 0), (1, Stream::On, 0), (2, Stream::On, 0)], &[0, 1, 2])
            }
        }
    }

    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS] {
        let drawn = match (owner, timing) {
            (0, _) | (3, Timing::Early) => [true, true, false],
            (1, _) => [true, false, true],
            (2, _) => [false, true, true],
            _ => [true; 3],
        };
        by_slot(R, drawn, false)
    }

    #[inline(always)]
    fn input_own<W: Word>(timing: Timing, v: W, draws: [W; SLOTS]) -> (Share<W>, [W; 2]) {
        let [x1, x2, u] = masks_of(R, draws);
        let x0 = x1.add(x2);
        let masked = v.add(x0).add(u);
        let share = match (R, timing) {
            (0, _) => [v, x0],
            (1, _) => [v.add(x0), x1],
            (2, _) => [v.add(x0), x2],
            (_, Timing::Early) => [masked.neg(), x0],
            (_, Timing::Late) => [u, x0],
        };
        (share, [masked, W::ZERO])
    }

    #[inline(always)]
    fn input_part<W: Word>(_: RoleId, _: Timing, draws: [W; SLOTS]) -> Share<W> {
        let [x1, x2, u] = masks_of(R, draws);
        match R {
            0 => [W::ZERO, x1.add(x2)],
            1 => [u, x1],
            2 => [u, x2],
            _ => [u, x1.add(x2)],
        }
    }

    #[inline(always)]
    fn input_other<W: Word>(
        owner: RoleId,
        timing: Timing,
        part: Share<W>,
        received: W,
    ) -> Share<W> {
        match (R, owner, timing) {
            (3, _, _) => part,
            // a + u = -x0 and a + x0 = -u.
            (0, 3, Timing::Early) => [part[1].neg(), part[1]],
            (_, 3, Timing::Early) => [received.neg(), part[1]],
            (0, _, _) => [received.sub(part[1]), part[1]],
            _ => [received.sub(part[0]), part[1]],
        }
    }

    #[inline(always)]
    fn input_ahead<W: Word>(share: Share<W>) -> W {
        share[0]
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        ([2, 0, 3, 1][receiver], Stream::On)
    }

    fn open_checker(receiver: RoleId) -> Option<RoleId> {
        Some([1, 3, 0, 2][receiver])
    }

    #[inline(always)]
    fn open_word<W: Word>(receiver: RoleId, share: Share<W>) -> W {
        // a + x0 to those that hold x0, x0 to those that hold a + x0.
        if receiver == 0 || receiver == 3 { share[0] } else { share[1] }
    }

    #[inline(always)]
    fn opened<W: Word>(share: Share<W>, received: W) -> W {
        if R == 0 || R == 3 { received.sub(share[1]) } else { share[0].sub(received) }
    }
}

const fn rule(to: &'static [(RoleId, Stream, usize)], compared: &[RoleId]) -> InputRule {
    InputRule { to, log: Some(Item::new(Kind::Input, compared)) }
}
