//! Tetrad (Koti, Patra, Rachuri, Suresh, NDSS 2022): malicious with abort, four parties, one
//! corruption. Its sharing and its product; robustness is left out.
//!
//! | role | share of a | job |
//! | --- | --- | --- |
//! | P0 | `(M, l1, l2)` | second evaluator: lags, checks |
//! | P1 | `(M, l1, l3)` | online |
//! | P2 | `(M, l2, l3)` | online |
//! | P3 | `(l1, l2, l3)` | mask holder: works ahead, receives nothing before the checks |
//!
//! `M = a + l1 + l2 + l3`; `l1` comes from the key of P0, P1 and P3, `l2` from that of P0, P2 and P3,
//! `l3` from that of P1, P2 and P3. That is Quad's sharing (`x1`, `x2`, `u`), every role with all it
//! can know of it.
//!
//! A product costs five elements: two from P3 ahead of time, to P0 and to P2, one each way between P1
//! and P2, the only latency-critical link, and one from P2 to P0 that nobody waits for. One round. Sums
//! of products cost the same per result. Local multiplications: 5, 8, 8, 9; Quad has 3 each.
//!
//! Every word that its receiver cannot check is compared by two other roles before anything opens, or
//! enters what they compare additively: a single cheat is caught with certainty
//! (`docs/spec/honest-majority-rings.md` sections 4.5 and 9).

use crate::coordinates::Coordinates;
use crate::quad::{by_slot, masked_input_rule, masks_drawn, masks_of};
use crate::role::{
    COMPONENTS, Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, TAIL, Timing,
};
use crate::verify::{Item, Kind};
use tacit_net::Stream;
use tacit_protocol::{Descriptor, Family, Form, Parties, Protocol, RoleFacts, Security, Status};
use tacit_ring::Word;

/// Role `R` of Tetrad.
#[derive(Clone, Copy, Debug)]
pub struct Tetrad<const R: RoleId>;

/// The new `l2`, sent by P3 to P2, compared by P0, who can compute it, and P2.
const DEAL: Item = Item::new(Kind::Deal, &[0, 2]);
/// `y1 + y2 + s`, which P0 computes another way than P1 and P2.
const RESULT: Item = Item::new(Kind::Result, &[0, 1, 2]);
/// The new `M`, sent by P2 to P0, compared by P0 and P1.
const RAISE: Item = Item::new(Kind::Raise, &[0, 1]);

/// `x y' + y x'`.
#[inline(always)]
fn both<W: Word>([x, y]: [W; 2], [x2, y2]: [W; 2]) -> W {
    x.mul(y2).add(y.mul(x2))
}

impl<const R: RoleId> Role for Tetrad<R> {
    type Share<W: Word> = [W; 3];
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Self;
    const PROTOCOL: Protocol = TETRAD;
    const ROLE: RoleId = R;
    // K013: u1, q1. K023: u2. K123: s, and p3 from its second stream.
    const DRAWS: [usize; SLOTS] = [[1, 2, 0, 0], [1, 2, 0, 0], [1, 1, 0, 0], [1, 1, 2, 1]][R];
    const SETTLE_DRAWS: usize = [0, 1, 1, 0][R];
    const CROSS: usize = 2;
    const EARLY: Option<Source> = match R {
        0 => Some(Source::new(3, Stream::Pre)),
        2 => Some(Source::logged(3, Stream::Pre, DEAL)),
        _ => None,
    };
    const OUT: &'static [Sink] = match R {
        0 => &[Sink::Log(DEAL), Sink::Log(RESULT)],
        1 => &[Sink::Send(2, Stream::On)],
        2 => &[Sink::Send(1, Stream::On)],
        _ => &[Sink::Send(2, Stream::Pre), Sink::Send(0, Stream::Pre)],
    };
    const LATE: &'static [Source] = match R {
        0 => &[Source::logged(2, Stream::Def, RAISE)],
        1 => &[Source::new(2, Stream::On)],
        2 => &[Source::new(1, Stream::On)],
        _ => &[],
    };
    const RESULT: &'static [Sink] = match R {
        1 => &[Sink::Log(RESULT), Sink::Log(RAISE)],
        2 => &[Sink::Log(RESULT), Sink::Send(0, Stream::Def)],
        _ => &[],
    };

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        if R == 3 { [W::ZERO; 2] } else { [c, W::ZERO] }
    }

    #[inline(always)]
    fn cross<W: Word>(a: [W; 3], b: [W; 3]) -> [W; 2] {
        let ([a0, a1, a2], [b0, b1, b2]) = (a, b);
        match R {
            // G3 = l1 l2' + l2 l1' + l1 l1'; (l1 + l2) M' + (l1' + l2') M
            0 => {
                let g3 = both([a1, a2], [b1, b2]).add(a1.mul(b1));
                [g3, both([a1.add(a2), a0], [b1.add(b2), b0])]
            }
            // G3; G1 + G2
            3 => {
                let g3 = both([a0, a1], [b0, b1]).add(a0.mul(b0));
                let g1 = both([a0, a2], [b0, b2]).add(a2.mul(b2));
                let g2 = both([a1, a2], [b1, b2]).add(a1.mul(b1));
                [g3, g1.add(g2)]
            }
            // G1 = l1 l3' + l3 l1' + l3 l3', or G2 = l2 l3' + l3 l2' + l2 l2', without li M' + li' M;
            // M M' - l3 M' - l3' M
            _ => {
                let square = if R == 1 { a2.mul(b2) } else { a1.mul(b1) };
                let g = both([a1, a2], [b1, b2]).add(square);
                let rest = a0.mul(b0).sub(both([a2, a0], [b2, b0]));
                [g.sub(both([a1, a0], [b1, b0])), rest]
            }
        }
    }

    #[inline(always)]
    fn mask<W: Word>(v: [W; 2], draws: Drawn<W>, early: W) -> ([W; 2], [W; 3]) {
        match R {
            0 => {
                let (u2, [u1, q1]) = (draws[0][0], draws[1]);
                let q2 = u1.add(u2).sub(v[0]).sub(q1);
                ([q2, u1.add(u2).sub(v[1]).add(early)], [W::ZERO, q1, q2])
            }
            3 => {
                let (s, u2, [u1, q1], p3) = (draws[0][0], draws[1][0], draws[2], draws[TAIL][0]);
                let q2 = u1.add(u2).sub(v[0]).sub(q1);
                ([q2, s.add(v[1])], [q1, q2, p3])
            }
            _ => {
                let s = draws[0][0];
                let (u, q) = if R == 1 { (draws[1][0], draws[1][1]) } else { (draws[1][0], early) };
                let y = v[0].add(u);
                // The third component waits for what P0 compares.
                ([y, W::ZERO], [v[1].add(y), q, y.add(s)])
            }
        }
    }

    #[inline(always)]
    fn settle<W: Word>(partial: [W; 3], late: [W; 2], p3: W) -> ([W; 3], [W; 2]) {
        match R {
            0 => ([late[0], partial[1], partial[2]], [W::ZERO; 2]),
            3 => (partial, [W::ZERO; 2]),
            _ => {
                let masked = partial[0].add(late[0]).add(p3);
                ([masked, partial[1], p3], [partial[2].add(late[0]), masked])
            }
        }
    }

    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        masked_input_rule(owner, timing)
    }

    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS] {
        by_slot(R, masks_drawn(owner, timing), false)
    }

    #[inline(always)]
    fn input_own<W: Word>(timing: Timing, v: W, draws: [W; SLOTS]) -> ([W; 3], [W; 2]) {
        let [l1, l2, l3] = masks_of(R, draws);
        let masked = v.add(l1).add(l2).add(l3);
        let share = match (R, timing) {
            (0, _) => [masked, l1, l2],
            (1, _) => [masked, l1, l3],
            (2, _) => [masked, l2, l3],
            // M = 0.
            (_, Timing::Early) => [l1, l2, masked.neg()],
            (_, Timing::Late) => [l1, l2, l3],
        };
        (share, [masked, W::ZERO])
    }

    #[inline(always)]
    fn input_part<W: Word>(_: RoleId, _: Timing, draws: [W; SLOTS]) -> [W; 3] {
        let [l1, l2, l3] = masks_of(R, draws);
        match R {
            0 => [W::ZERO, l1, l2],
            1 => [W::ZERO, l1, l3],
            2 => [W::ZERO, l2, l3],
            _ => [l1, l2, l3],
        }
    }

    #[inline(always)]
    fn input_other<W: Word>(owner: RoleId, timing: Timing, part: [W; 3], received: W) -> [W; 3] {
        let [_, first, second] = part;
        match (R, owner, timing) {
            (3, _, _) | (0, 3, Timing::Early) => part,
            (_, 3, Timing::Early) => [W::ZERO, first, received],
            _ => [received, first, second],
        }
    }

    #[inline(always)]
    fn input_ahead<W: Word>(share: [W; 3]) -> W {
        share[2]
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        ([1, 2, 3, 0][receiver], Stream::On)
    }

    fn open_checker(receiver: RoleId) -> Option<RoleId> {
        Some([2, 3, 0, 1][receiver])
    }

    #[inline(always)]
    fn open_word<W: Word>(receiver: RoleId, share: [W; 3]) -> W {
        match (receiver, R) {
            // l3 to P0, from P1 or by P2.
            (0, _) => share[2],
            // l2 to P1, from P2 or by P3.
            (1, _) => share[1],
            // l1 to P2, from P3 or by P0.
            (2, 3) => share[0],
            (2, _) => share[1],
            // M to P3, from P0 or by P1.
            _ => share[0],
        }
    }

    #[inline(always)]
    fn opened<W: Word>(share: [W; 3], received: W) -> W {
        let [first, second, third] = share;
        match R {
            3 => received.sub(first).sub(second).sub(third),
            _ => first.sub(second).sub(third).sub(received),
        }
    }
}

/// `l1 = -c_2`, `l2 = -c_1`, `l3 = -c_0`, `M = c_3`, where role `j` lacks `c_j`.
const SHARES: [&[Form]; 4] = [
    &[[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0]],
    &[[0, 0, 0, 1], [0, 0, -1, 0], [-1, 0, 0, 0]],
    &[[0, 0, 0, 1], [0, -1, 0, 0], [-1, 0, 0, 0]],
    &[[0, 0, -1, 0], [0, -1, 0, 0], [-1, 0, 0, 0]],
];

impl<const R: usize> Coordinates for Tetrad<R> {
    #[inline(always)]
    fn to_masked<W: Word>([first, second, third]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        // M = m + u, with the masks l1 = x1, l2 = x2, l3 = u.
        match R {
            0 => [first, second.add(third), second],
            3 => [third, first.add(second), first],
            _ => [first.sub(third), second, third],
        }
    }

    #[inline(always)]
    fn from_masked<W: Word>([first, second, third]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        match R {
            0 => [first, third, second.sub(third)],
            3 => [third, second.sub(third), first],
            _ => [first.add(third), second, third],
        }
    }
}

/// Tetrad.
pub const TETRAD: Protocol = Protocol::new(&Descriptor {
    name: "tetrad",
    page: "tetrad.md",
    best_for: "to compare: it sends what `quad` sends, and computes more",
    parties: Parties::Exactly(4),
    security: Security::MaliciousWithAbort,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Roles(RoleFacts {
        shares: &SHARES,
        offline_role: Some(3),
        dealer: 3,
        sends_result: false,
        rings: true,
        checks: None,
    }),
});
