//! ASTRA (Chaudhari et al., CCSW 2019): semi-honest, three parties, one corruption.
//!
//! Masks as in Trio; the online parties hold the fully masked value `m = a + x1 + x2`.
//!
//! | role | share of a | job |
//! | --- | --- | --- |
//! | P0 | `(x1, x2)` | dealer: works ahead, never receives before outputs |
//! | P1 | `(m, x1)` | online |
//! | P2 | `(m, x2)` | online |
//!
//! A product costs one element P0 to P2 ahead of time and one each way between P1 and P2, the
//! only latency-critical link; one round. Local multiplications: 1, 2, 2.

use crate::RoleVisitor;
use crate::balance::{self, Twin, Way};
use crate::role::{Canonical, Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Timing};
use crate::trio::{Trio, masked_input_draws, masked_input_part, masked_input_rule, masked_opener};
use tacit_net::Stream;
use tacit_protocol::{Descriptor, Family, Form, Parties, Protocol, RoleFacts, Security, Status};
use tacit_ring::Word;

/// Role `R` of ASTRA.
#[derive(Clone, Copy, Debug)]
pub struct Astra<const R: RoleId>;

impl<const R: RoleId> Role for Astra<R> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Self;
    const PROTOCOL: Protocol = ASTRA;
    const ROLE: RoleId = R;
    // Who draws and sends what is as in Trio; g1 is its r.
    const DRAWS: [usize; SLOTS] = Trio::<R>::DRAWS;
    const EARLY: Option<Source> = Trio::<R>::EARLY;
    const OUT: &'static [Sink] = Trio::<R>::OUT;
    const LATE: &'static [Source] = Trio::<R>::LATE;

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        Trio::<R>::constant(c)
    }

    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> [W; 2] {
        let v = match R {
            // (x1 + x2)(y1 + y2)
            0 => a[0].add(a[1]).mul(b[0].add(b[1])),
            // -(ma y1 + mb x1)
            1 => a[0].mul(b[1]).add(b[0].mul(a[1])).neg(),
            // ma (mb - y2) - mb x2
            _ => a[0].mul(b[0].sub(b[1])).sub(b[0].mul(a[1])),
        };
        [v, W::ZERO]
    }

    #[inline(always)]
    fn mask<W: Word>([v, _]: [W; 2], draws: Drawn<W>, early: W) -> ([W; 2], Share<W>) {
        let [next, prev, ..] = draws;
        let (message, share) = match R {
            0 => (v.sub(next[0]), [next[1], prev[0]]),
            1 => {
                let [g1, z1] = prev;
                let mu1 = g1.add(z1).add(v);
                (mu1, [mu1, z1])
            }
            _ => {
                let z2 = next[0];
                let mu2 = v.add(z2).add(early);
                (mu2, [mu2, z2])
            }
        };
        ([message, W::ZERO], share)
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, late: [W; 2], _: W) -> (Share<W>, [W; 2]) {
        let share = if R == 0 { partial } else { [partial[0].add(late[0]), partial[1]] };
        (share, [W::ZERO; 2])
    }

    fn in_way<V: RoleVisitor>(way: Way, visitor: V) -> V::Out {
        balance::astra(R, way, visitor)
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
            (0, Timing::Late) => {
                let m = v.add(next).add(prev);
                ([next, prev], [m, m])
            }
            (1, _) => ([v.add(prev), prev], [v.add(prev), W::ZERO]),
            _ => ([v.add(next), next], [v.add(next), W::ZERO]),
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
            (1, 0, Timing::Early) => [W::ZERO, draw],
            (2, 0, Timing::Early) => [W::ZERO, received],
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
        match R {
            0 => received.sub(share[0]).sub(share[1]),
            _ => share[0].sub(share[1]).sub(received),
        }
    }
}

impl<const R: RoleId> Twin for Astra<R> {
    const EXCHANGED: [usize; SLOTS] = [1, 0, 2, 3];

    #[inline(always)]
    fn turn<W: Word>([first, second]: Share<W>) -> Share<W> {
        if R == 0 { [second, first] } else { [first, second] }
    }
}

impl<const R: RoleId> Canonical for Astra<R> {
    #[inline(always)]
    fn to_replicated<W: Word>(share: Share<W>) -> Share<W> {
        match R {
            0 => [share[1].neg(), share[0].neg()],
            1 => [share[1].neg(), share[0]],
            _ => [share[0], share[1].neg()],
        }
    }

    #[inline(always)]
    fn from_replicated<W: Word>(share: Share<W>) -> Share<W> {
        match R {
            0 => [share[1].neg(), share[0].neg()],
            1 => [share[1], share[0].neg()],
            _ => [share[0], share[1].neg()],
        }
    }
}

/// The masks are those of Trio: `-c_2` and `-c_1`, where role `j` lacks `c_j`.
const SHARES: [&[Form]; 3] = [
    &[[0, 0, -1, 0], [0, -1, 0, 0]],
    &[[1, 0, 0, 0], [0, 0, -1, 0]],
    &[[1, 0, 0, 0], [0, -1, 0, 0]],
];

/// ASTRA.
pub const ASTRA: Protocol = Protocol::new(&Descriptor {
    name: "astra",
    page: "astra.md",
    best_for: "throughput, as `trio`, with other local work",
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
