//! Fantastic Four (Dalskov, Escudero, Keller, USENIX Security 2021): malicious with abort, four
//! parties, one corruption. Identifying and replacing a cheat is left out.
//!
//! `a = s0 + s1 + s2 + s3`, and Pi lacks `si`, drawn from the key of the other three or sent to them.
//!
//! | role | share of a |
//! | --- | --- |
//! | P0 | `(s3, s1, s2)` |
//! | P1 | `(s3, s0, s2)` |
//! | P2 | `(s3, s0, s1)` |
//! | P3 | `(s0, s1, s2)` |
//!
//! A product is the sum of `si ti`, which the three that lack nothing of it add to their `si`, and of
//! `si tj + sj ti`, which the two roles besides Pi and Pj know: one of them sends it, under a mask that
//! its receiver lacks, to Pi or Pj, and the receiver compares it with the other one. Six elements, one
//! round, nothing ahead of time: one each way between P0 and P1, P0 and P2, P1 and P3, all of them
//! latency-critical. Sums of products cost the same per result. Local multiplications: 9 each.
//!
//! Every message is known to two roles and compared by its receiver with the one that does not send
//! it, before anything opens: a single cheat is caught with certainty
//! (`docs/spec/honest-majority-rings.md` sections 4.6 and 9).

use crate::coordinates::Coordinates;
use crate::role::{COMPONENTS, Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Timing};
use crate::tetrad::Tetrad;
use crate::verify::{Item, Kind};
use tacit_net::Stream;
use tacit_protocol::{Descriptor, Family, Form, Parties, Protocol, RoleFacts, Security, Status};
use tacit_ring::Word;

/// Role `R` of Fantastic Four.
#[derive(Clone, Copy, Debug)]
pub struct FantasticFour<const R: RoleId>;

/// The cross term of P1 and P2: P0 sends it to P2, P3 knows it too.
const CROSS_12: Item = Item::new(Kind::Cross, &[2, 3]);
/// P0 to P1, P2 knows it.
const CROSS_13: Item = Item::new(Kind::Cross, &[1, 2]);
/// P1 to P3, P0 knows it.
const CROSS_23: Item = Item::new(Kind::Cross, &[0, 3]);
/// P1 to P0, P3 knows it: a second one of this pair.
const CROSS_02: Item = Item::new(Kind::OtherCross, &[0, 3]);
/// P2 to P0, P1 knows it.
const CROSS_03: Item = Item::new(Kind::Cross, &[0, 1]);
/// P3 to P1, P2 knows it: a second one of this pair.
const CROSS_01: Item = Item::new(Kind::OtherCross, &[1, 2]);

impl<const R: RoleId> Role for FantasticFour<R> {
    type Share<W: Word> = [W; 3];
    /// Cross terms of the first and second component, the first and third, the second and third; then
    /// each component with itself.
    type Terms<W: Word> = [W; 6];
    type Out<W: Word> = [W; 3];
    type Ahead = Self;
    const PROTOCOL: Protocol = FANTASTIC_FOUR;
    const ROLE: RoleId = R;
    // K123: for 02, 03. K023: for 13, 01. K013: for 12. K012: for 23.
    const DRAWS: [usize; SLOTS] = [[2, 1, 1, 0], [2, 1, 1, 0], [2, 2, 1, 0], [2, 2, 1, 0]][R];
    const CROSS: usize = 6;
    const EARLY: Option<Source> = None;
    const OUT: &'static [Sink] = match R {
        0 => &[Sink::Send(1, Stream::On), Sink::Log(CROSS_23), Sink::Send(2, Stream::On)],
        1 => &[Sink::Log(CROSS_03), Sink::Send(3, Stream::On), Sink::Send(0, Stream::On)],
        2 => &[Sink::Send(0, Stream::On), Sink::Log(CROSS_13), Sink::Log(CROSS_01)],
        _ => &[Sink::Send(1, Stream::On), Sink::Log(CROSS_02), Sink::Log(CROSS_12)],
    };
    const LATE: &'static [Source] = match R {
        0 => &[Source::logged(1, Stream::On, CROSS_02), Source::logged(2, Stream::On, CROSS_03)],
        1 => &[Source::logged(0, Stream::On, CROSS_13), Source::logged(3, Stream::On, CROSS_01)],
        2 => &[Source::logged(0, Stream::On, CROSS_12)],
        _ => &[Source::logged(1, Stream::On, CROSS_23)],
    };

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        if R == 3 { [W::ZERO; 2] } else { [c, W::ZERO] }
    }

    #[inline(always)]
    fn cross<W: Word>(a: [W; 3], b: [W; 3]) -> [W; 6] {
        let both = |i: usize, j: usize| a[i].mul(b[j]).add(a[j].mul(b[i]));
        let square = |i: usize| a[i].mul(b[i]);
        [both(0, 1), both(0, 2), both(1, 2), square(0), square(1), square(2)]
    }

    #[inline(always)]
    fn mask<W: Word>(v: [W; 6], draws: Drawn<W>, _: W) -> ([W; 3], [W; 3]) {
        let [first, second, third, a, b, c] = v;
        let [one, two, three, _] = draws;
        match R {
            // (s3, s1, s2): 13, 23, 12
            0 => {
                let ([r13, r01], r12, r23) = (one, two[0], three[0]);
                let [d13, d23, d12] = [first.sub(r13), second.sub(r23), third.sub(r12)];
                let s1 = b.add(r13).add(r01).add(d12);
                ([d13, d23, d12], [a.add(r23).add(d13), s1, c.add(r12).add(d23)])
            }
            // (s3, s0, s2): 03, 23, 02
            1 => {
                let ([r02, r03], r12, r23) = (one, two[0], three[0]);
                let [d03, d23, d02] = [first.sub(r03), second.sub(r23), third.sub(r02)];
                let s2 = c.add(r12).add(d23).add(d02);
                ([d03, d23, d02], [a.add(r23).add(d03), b.add(r02).add(r03), s2])
            }
            // (s3, s0, s1): 03, 13, 01
            2 => {
                let ([r02, r03], [r13, r01], r23) = (one, two, three[0]);
                let [d03, d13, d01] = [first.sub(r03), second.sub(r13), third.sub(r01)];
                let s3 = a.add(r23).add(d13).add(d03);
                ([d03, d13, d01], [s3, b.add(r02).add(r03).add(d01), c.add(r13).add(r01)])
            }
            // (s0, s1, s2): 01, 02, 12
            _ => {
                let ([r02, r03], [r13, r01], r12) = (one, two, three[0]);
                let [d01, d02, d12] = [first.sub(r01), second.sub(r02), third.sub(r12)];
                let s0 = a.add(r02).add(r03).add(d01);
                ([d01, d02, d12], [s0, b.add(r13).add(r01).add(d12), c.add(r12).add(d02)])
            }
        }
    }

    #[inline(always)]
    fn settle<W: Word>(partial: [W; 3], late: [W; 2], _: W) -> ([W; 3], [W; 2]) {
        let [first, second, third] = partial;
        let share = match R {
            // d02 to s2, d03 to s3
            0 => [first.add(late[1]), second, third.add(late[0])],
            // d13 to s3, d01 to s0
            1 => [first.add(late[0]), second.add(late[1]), third],
            // d12 to s1; d23 to s2
            _ => [first, second, third.add(late[0])],
        };
        (share, [W::ZERO; 2])
    }

    fn input_rule(owner: RoleId, _: Timing) -> InputRule {
        const fn rule(to: &'static [(RoleId, Stream, usize)], compared: &[RoleId]) -> InputRule {
            InputRule { to, log: Some(Item::new(Kind::Input, compared)) }
        }
        match owner {
            1 => rule(&[(0, Stream::On, 0), (2, Stream::On, 0)], &[0, 2]),
            2 => rule(&[(0, Stream::On, 0), (1, Stream::On, 0)], &[0, 1]),
            // s3 of P0, s0 of P3.
            _ => rule(&[(1, Stream::On, 0), (2, Stream::On, 0)], &[1, 2]),
        }
    }

    /// An owner draws all that it has but `s3`, or, if it is P3, `s0`.
    fn input_draws(owner: RoleId, _: Timing) -> [bool; SLOTS] {
        let sent = if owner == 3 { 0 } else { 3 };
        let mut lacking = (0..4).filter(|role| *role != R);
        let mut drawn = || lacking.next().is_some_and(|role| role != owner && role != sent);
        [drawn(), drawn(), drawn(), false]
    }

    #[inline(always)]
    fn input_own<W: Word>(_: Timing, v: W, draws: [W; SLOTS]) -> ([W; 3], [W; 2]) {
        let [one, two, ..] = draws;
        // Drawn are s1 and s2, s0 and s2, s0 and s1; P3's second and third keys give s1 and s2.
        let share = match R {
            3 => [v.sub(two).sub(draws[2]).sub(one), two, draws[2]],
            _ => [v.sub(one).sub(two), one, two],
        };
        (share, [share[0], W::ZERO])
    }

    #[inline(always)]
    fn input_part<W: Word>(owner: RoleId, _: Timing, draws: [W; SLOTS]) -> [W; 3] {
        let [one, two, three, _] = draws;
        // What a role does not draw is zero: the owner's, and what it sends.
        let _ = owner;
        match R {
            3 => [one, two, three],
            _ => [three, one, two],
        }
    }

    #[inline(always)]
    fn input_other<W: Word>(owner: RoleId, _: Timing, part: [W; 3], received: W) -> [W; 3] {
        let [first, second, third] = part;
        match (R, owner) {
            // s0 is the second component of P1 and P2.
            (1 | 2, 3) => [first, received, third],
            (0 | 3, 3) | (3, _) => part,
            _ => [received, second, third],
        }
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
            // s0 to P0, from P1 or by P2.
            (0, _) => share[1],
            // s1 to P1, from P2 or by P3.
            (1, 2) => share[2],
            (1, _) => share[1],
            // s2 to P2, from P3 or by P0.
            (2, _) => share[2],
            // s3 to P3, from P0 or by P1.
            _ => share[0],
        }
    }

    #[inline(always)]
    fn opened<W: Word>(share: [W; 3], received: W) -> W {
        share[0].add(share[1]).add(share[2]).add(received)
    }
}

/// Role `j` lacks `c_j`.
const SHARES: [&[Form]; 4] = [
    &[[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]],
    &[[0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]],
    &[[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]],
    &[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]],
];

impl<const R: usize> Coordinates for FantasticFour<R> {
    #[inline(always)]
    fn to_masked<W: Word>([first, second, third]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        // Tetrad's M = s3, l1 = -s2, l2 = -s1, l3 = -s0.
        Tetrad::<R>::to_masked(match R {
            // (s3, s1, s2); (s0, s1, s2)
            0 => [first, third.neg(), second.neg()],
            3 => [third.neg(), second.neg(), first.neg()],
            // (s3, s0, s2), (s3, s0, s1)
            _ => [first, third.neg(), second.neg()],
        })
    }

    #[inline(always)]
    fn from_masked<W: Word>(masked: [W; COMPONENTS]) -> [W; COMPONENTS] {
        let [first, second, third] = Tetrad::<R>::from_masked(masked);
        match R {
            3 => [third.neg(), second.neg(), first.neg()],
            _ => [first, third.neg(), second.neg()],
        }
    }
}

/// Fantastic Four.
pub const FANTASTIC_FOUR: Protocol = Protocol::new(&Descriptor {
    name: "fantastic-four",
    page: "fantastic-four.md",
    best_for: "four parties that are all alike, and nothing made ahead of time",
    parties: Parties::Exactly(4),
    security: Security::MaliciousWithAbort,
    status: Status::Product,
    fan_in: 2,
    family: Family::Roles(RoleFacts {
        shares: &SHARES,
        offline_role: None,
        dealer: 3,
        sends_result: false,
        rings: true,
        checks: None,
    }),
});
