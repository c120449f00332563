//! A trusted third party: owners send their inputs in the clear to P2, which computes alone.
//!
//! It protects nothing from P2. It is the upper bound for speed and the oracle for results, run
//! through the same code as the protocols. Inputs and outputs cost one element per party other
//! than P2; products cost nothing. P2's share is `(a, 0)`, the others hold zeros.

use crate::role::{Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Timing};
use tacit_net::Stream;
use tacit_protocol::{Descriptor, Family, Parties, Protocol, Security, Status};
use tacit_ring::Word;

/// Role `R` of the trusted-third-party baseline.
#[derive(Clone, Copy, Debug)]
pub struct Plain<const R: RoleId>;

impl<const R: RoleId> Role for Plain<R> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Self;
    const PROTOCOL: Protocol = PLAIN;
    const ROLE: RoleId = R;
    const DRAWS: [usize; SLOTS] = [0; SLOTS];
    const EARLY: Option<Source> = None;
    const OUT: &'static [Sink] = &[];
    const LATE: &'static [Source] = &[];

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        if R == 2 { [c, W::ZERO] } else { [W::ZERO; 2] }
    }

    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> [W; 2] {
        [a[0].mul(b[0]), W::ZERO]
    }

    #[inline(always)]
    fn mask<W: Word>([v, _]: [W; 2], _: Drawn<W>, _: W) -> ([W; 2], Share<W>) {
        ([W::ZERO; 2], [v, W::ZERO])
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, _: [W; 2], _: W) -> (Share<W>, [W; 2]) {
        (partial, [W::ZERO; 2])
    }

    fn input_rule(owner: RoleId, _timing: Timing) -> InputRule {
        let to = if owner == 2 { &[] as &[_] } else { &[(2, Stream::On, 0)] };
        InputRule { to, log: None }
    }

    fn input_draws(_: RoleId, _: Timing) -> [bool; SLOTS] {
        [false; SLOTS]
    }

    #[inline(always)]
    fn input_own<W: Word>(_: Timing, v: W, _: [W; SLOTS]) -> (Share<W>, [W; 2]) {
        if R == 2 { ([v, W::ZERO], [W::ZERO; 2]) } else { ([W::ZERO; 2], [v, W::ZERO]) }
    }

    #[inline(always)]
    fn input_part<W: Word>(_: RoleId, _: Timing, _: [W; SLOTS]) -> Share<W> {
        [W::ZERO; 2]
    }

    #[inline(always)]
    fn input_other<W: Word>(_: RoleId, _: Timing, _: Share<W>, received: W) -> Share<W> {
        if R == 2 { [received, W::ZERO] } else { [W::ZERO; 2] }
    }

    fn opener(_receiver: RoleId) -> (RoleId, Stream) {
        (2, Stream::On)
    }

    #[inline(always)]
    fn open_word<W: Word>(_receiver: RoleId, share: Share<W>) -> W {
        share[0]
    }

    #[inline(always)]
    fn opened<W: Word>(share: Share<W>, received: W) -> W {
        if R == 2 { share[0] } else { received }
    }
}

/// The trusted party: role 2 computes alone.
pub const PLAIN: Protocol = Protocol::new(&Descriptor {
    name: "plain",
    page: "plain.md",
    best_for: "a bound for speed, and an oracle for results",
    parties: Parties::Exactly(3),
    security: Security::TrustedParty,
    status: Status::Product,
    fan_in: 2,
    family: Family::TrustedParty,
});
