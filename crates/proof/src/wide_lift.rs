//! Wide lift: products of two to eight factors in one round, right though one of the three parties may cheat
//! (`docs/spec/extensions.md` part B, dealer form).
//!
//! Shares are those of replicated sharing, `x = s0 + s1 + s2`; role i holds `(s_i, s_{i+1})`. With `w = s1`, `a = -s2` and
//! `b = -s0` it is `x = w - a - b`:
//!
//! | role | knows | job |
//! | --- | --- | --- |
//! | P0 | `w`, `b` | evaluator |
//! | P1 | `w`, `a` | evaluator |
//! | P2 | `a`, `b` | helper: sends, and receives nothing until products are proven |
//!
//! A product of `l` factors costs `2^l - l - 1` elements from P2 to P1, ahead, and one each way between P0 and P1. A product
//! of two factors, or a sum of such products, costs one element each way between P0 and P1, and one from P2 to P0.
//!
//! What a cheat can do to a product of two factors is to add an error that it knows. To the result of a larger one it can
//! add an error times a secret: a wrong product of masks, which P2 deals, counts times the product of other factors under
//! their masks. So results are not what is proven, but *the messages themselves*: that every dealt product of masks is the
//! product of two others, and that results are what the evaluators' messages make of dealt values. Each of these
//! statements is a sum of products of shared values, off by what the cheat knows if it is off. They are proven like products
//! under [`LIFT`](crate::LIFT), before anything opens. Messages go to the next role, too, so that a proof begins with
//! [a word from everybody to everybody](crate::Method::sends_both_ways) that all of them have arrived.

use crate::ProvenLater;
use crate::method::Method;
use tacit_net::Stream;
use tacit_protocol::{
    CheckFacts, Descriptor, Family, Parties, Protocol, RoleFacts, Security, Status,
};
use tacit_ring::Word;
use tacit_sharing::SharingError;
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::party::Party;
use tacit_sharing::replicated::{self, Checks, Replicated};
use tacit_sharing::role::{
    COMPONENTS, Canonical, Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Timing,
};
use tacit_sharing::verify::{Item, Kind};

/// Role `R` of wide lift.
#[derive(Clone, Copy, Debug)]
pub struct WideLift<const R: RoleId>;

/// The late input of P2, masked, as both evaluators have it.
const LATE_INPUT: Item = Item::new(Kind::Input, &[0, 1]);

impl<const R: RoleId> Role for WideLift<R> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Self;
    const PROTOCOL: Protocol = WIDE_LIFT;
    const PROVEN: bool = true;
    const REPLICATED_SHARES: bool = true;
    const ROLE: RoleId = R;
    // K02: m0. K12: m1, m2.
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
        // s0 = c.
        Replicated::<R, ProvenLater>::constant(c)
    }

    #[inline(always)]
    fn cross<W: Word>(x: Share<W>, y: Share<W>) -> [W; 2] {
        Replicated::<R, ProvenLater>::cross(x, y)
    }

    // s1 = (v0 + m0) + (v1 + m1), s2 = m2, s0 = v2 - m0 - m1 - m2. P0 lacks m1 and m2, P1 lacks m0.
    #[inline(always)]
    fn mask<W: Word>([v, _]: [W; 2], draws: Drawn<W>, _: W) -> ([W; 2], Share<W>) {
        let [next, prev, ..] = draws;
        let (message, share) = match R {
            0 => (v.add(prev[0]), [W::ZERO, v.add(prev[0])]),
            1 => (v.add(next[0]), [v.add(next[0]), next[1]]),
            _ => (W::ZERO, [prev[1], v.sub(next[0]).sub(prev[0]).sub(prev[1])]),
        };
        ([message, W::ZERO], share)
    }

    #[inline(always)]
    fn settle<W: Word>([own, next]: Share<W>, late: [W; 2], _: W) -> (Share<W>, [W; 2]) {
        let share = match R {
            0 => [late[1], next.add(late[0])],
            1 => [own.add(late[0]), next],
            _ => [own, next],
        };
        (share, [share[1], W::ZERO])
    }

    fn keep<W: Word>(
        party: &mut Party<'_>,
        factors: [[&[W]; COMPONENTS]; 2],
        results: [&[W]; COMPONENTS],
        terms: usize,
    ) -> Result<(), SharingError> {
        // Preprocessing alone: the session that goes on with it computes, keeps and proves all of it.
        match party.is_only_ahead() {
            true => Ok(()),
            false => ProvenLater::keep(party, factors, results, terms),
        }
    }

    fn keep_matrix<W: Word>(
        party: &mut Party<'_>,
        shape: MatrixShape,
        factors: [[&[W]; COMPONENTS]; 2],
        results: [&[W]; COMPONENTS],
    ) -> Result<bool, SharingError> {
        match party.is_only_ahead() {
            true => Ok(true),
            false => ProvenLater::keep_matrix(party, shape, factors, results),
        }
    }

    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        let to: &[_] = match (owner, timing) {
            (0, _) => &[(1, Stream::On, 0)],
            (1, _) => &[(0, Stream::On, 0)],
            (_, Timing::Early) => &[(0, Stream::Pre, 0)],
            (_, Timing::Late) => &[(0, Stream::On, 0), (1, Stream::On, 0)],
        };
        // What goes to two parties is compared: else they might go on with different values.
        let log = (owner == 2 && timing == Timing::Late).then_some(LATE_INPUT);
        InputRule { to, log }
    }

    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS] {
        // s2 under K12, s0 under K02.
        let (s2, s0) = match (owner, timing) {
            (0, _) => (false, true),
            (1, _) | (_, Timing::Early) => (true, false),
            (_, Timing::Late) => (true, true),
        };
        match R {
            0 => [false, s0, false, false],
            1 => [s2, false, false, false],
            _ => [s0, s2, false, false],
        }
    }

    #[inline(always)]
    fn input_own<W: Word>(timing: Timing, v: W, draws: [W; SLOTS]) -> (Share<W>, [W; 2]) {
        let [next, prev, ..] = draws;
        let rest = v.sub(next).sub(prev);
        let share = match (R, timing) {
            (0, _) => [prev, rest],
            (1, _) | (_, Timing::Late) => [if R == 1 { rest } else { prev }, next],
            (_, Timing::Early) => [prev, rest],
        };
        (share, [rest, W::ZERO])
    }

    #[inline(always)]
    fn input_part<W: Word>(_: RoleId, _: Timing, draws: [W; SLOTS]) -> Share<W> {
        match R {
            0 => [draws[1], W::ZERO],
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
        match (R, owner, timing) {
            (2, _, _) | (1, 2, Timing::Early) => part,
            (0, 2, Timing::Early) => [received, W::ZERO],
            (0, _, _) => [part[0], received],
            _ => [received, part[1]],
        }
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        Replicated::<R, ProvenLater>::opener(receiver)
    }

    const OPENS_AT_ONCE: bool = true;

    fn open_checker(receiver: RoleId) -> Option<RoleId> {
        Replicated::<R, ProvenLater>::open_checker(receiver)
    }

    #[inline(always)]
    fn open_word<W: Word>(receiver: RoleId, share: Share<W>) -> W {
        Replicated::<R, ProvenLater>::open_word(receiver, share)
    }

    #[inline(always)]
    fn opened<W: Word>(share: Share<W>, received: W) -> W {
        Replicated::<R, ProvenLater>::opened(share, received)
    }
}

impl<const R: RoleId> Canonical for WideLift<R> {
    #[inline(always)]
    fn to_replicated<W: Word>(share: Share<W>) -> Share<W> {
        share
    }

    #[inline(always)]
    fn from_replicated<W: Word>(share: Share<W>) -> Share<W> {
        share
    }
}

/// Products of two to eight factors in one round, proven.
pub const WIDE_LIFT: Protocol = Protocol::new(&Descriptor {
    name: "wide-lift",
    page: "wide-lift.md",
    best_for: "wide-area networks, where results must be right: an AND of up to eight inputs takes one round",
    parties: Parties::Exactly(3),
    security: Security::MaliciousWithAbort,
    status: Status::Product,
    fan_in: 8,
    family: Family::Roles(RoleFacts {
        shares: &replicated::SHARES,
        offline_role: Some(2),
        dealer: 2,
        sends_result: false,
        rings: true,
        checks: Some(CheckFacts {
            strong: Some("wide-lift@64"),
            buckets: false,
            own_bits: true,
            soundness: &Method::WideLift,
        }),
    }),
});
