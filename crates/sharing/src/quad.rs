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
//! A product costs five elements, one each way between P1 and P2, the only latency-critical link,
//! and three that nobody waits for. One round. Sums of products cost the same per result. Local
//! multiplications: 3 each, and one more of P0 where it works in two passes. With
//! `o = x0 y0 + z0 + r`, `k` a sum of products of masks, `h = (a + x0)(b + y0) + q`, `F` the masked
//! result, and `cross = (a + u) y0 + (b + v) x0`:
//!
//! | variant | ahead | deferred | P0 compares |
//! | --- | --- | --- | --- |
//! | A | `o` P0 to P2, `k` P3 to P0 | `h` P2 to P0 | `h - cross - k + z0 = F` with P1 and P2 |
//! | B | `o` P3 to P2, `k` P3 to P0 | `h` P2 to P0 | the same |
//! | Het | `o` P0 to P2 | `h`, `F` P2 to P0 | `h - cross - F + z0 = k` with P3 |
//!
//! So Het is A with the same equation solved for another word: P0 takes `F`, which P1 knows too, in
//! place of `k`, and holds what follows against P3. (The paper, and `docs/spec/honest-majority-rings.md` section 4.3,
//! send `V = g1 + g2 + q` and `F`; `h` is `V + F - w`, and leaves before the exchange between P1 and P2.)
//!
//! Every word that its receiver cannot check is compared by two other roles before anything opens
//! (`docs/spec/honest-majority-rings.md` section 4.4): a single cheat is caught with certainty. Every word that only
//! one role computes enters the compared one additively, so whether the check fails tells nothing about secrets. In
//! Het: P0's only message `o` is compared by P2 and P3, and P3 sends nothing. If P1's message is wrong by `e`, so is
//! P2's `F`, and P0's `k` is off by `e` from that of P3. If P2's message to P1 is wrong by `e`, P1's `F` is, and P2
//! must send the same wrong one, and the right `h`, which P1 knows: then again P0's `k` is off. P0 sees `h` and `F`
//! under the masks `q` and `w`, which it lacks.
//!
//! In A and Het P0 lags and works ahead: [`Ahead`] computes `o` from masks alone.

use crate::RoleVisitor;
use crate::balance::{self, Second, Twin, Way};
use crate::coordinates::Coordinates;
use crate::role::{
    COMPONENTS, Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, TAIL, Timing,
};
use crate::verify::{Item, Kind};
use tacit_net::Stream;
use tacit_protocol::{Descriptor, Family, Form, Parties, Protocol, RoleFacts, Security, Status};
use tacit_ring::Word;

/// Who sends what: a variant of the protocol.
pub type Variant = usize;
/// P0 sends `o`, P3 sends `k`.
pub const A: Variant = 0;
/// P3 sends all that is sent ahead.
pub const B: Variant = 1;
/// P3 sends nothing: for heterogeneous networks.
pub const HET: Variant = 2;

/// Role `R` of Quad in variant `V`.
#[derive(Clone, Copy, Debug)]
pub struct Quad<const V: Variant, const R: RoleId>;

/// P0 working ahead in variants A and Het, and in mixes with them: its share is `(0, x0)`.
#[derive(Clone, Copy, Debug)]
pub struct Ahead<const V: Variant>;

const PROTOCOLS: [Protocol; 3] = [QUAD_A, QUAD, QUAD_HET];

/// What is dealt to P2, compared by it and the role that could have sent it too.
pub(crate) const DEAL: [Item; 3] = [
    Item::new(Kind::Deal, &[2, 3]),
    Item::new(Kind::Deal, &[0, 2]),
    Item::new(Kind::Deal, &[2, 3]),
];
/// `h = (a + x0)(b + y0) + q`, sent by P2 to P0, compared by P0 and P1.
pub(crate) const RAISE: Item = Item::new(Kind::Raise, &[0, 1]);
/// `F = ab + z0 + w`, computed by P0, P1 and P2.
pub(crate) const RESULT: Item = Item::new(Kind::Result, &[0, 1, 2]);
/// `F = ab + z0 + w`, where P2 sends it to P0: compared by P0 and P1.
const RESULT_SENT: Item = Item::new(Kind::Result, &[0, 1]);
/// `k`, where P0 can compute it from words that P1 has too.
const MASKS: Item = Item::new(Kind::Masks, &[0, 3]);

/// A word of each mask, in the slots of role `R`: keys are in the order of the role that lacks them.
pub(crate) const fn by_slot<T: Copy>(role: RoleId, [x1, x2, u]: [T; 3], none: T) -> [T; SLOTS] {
    match role {
        0 => [x2, x1, none, none],
        1 => [u, x1, none, none],
        2 => [u, x2, none, none],
        _ => [u, x2, x1, none],
    }
}

/// Draws of the masks `x1`, `x2`, `u` as far as role `R` knows them; zero where it does not.
#[inline(always)]
pub(crate) fn masks_of<W: Word>(role: RoleId, draws: [W; SLOTS]) -> [W; 3] {
    match role {
        0 => [draws[1], draws[0], W::ZERO],
        1 => [draws[1], W::ZERO, draws[0]],
        2 => [W::ZERO, draws[1], draws[0]],
        _ => [draws[2], draws[1], draws[0]],
    }
}

/// Words drawn per product: under K013 `z1`, `r`; under K023 `z2`; under K123 `q`, and `w` from its
/// second stream.
const DRAWS: [[usize; SLOTS]; 4] = [[1, 2, 0, 0], [1, 2, 0, 0], [1, 1, 0, 0], [1, 1, 2, 1]];

impl<const V: Variant, const R: RoleId> Role for Quad<V, R> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Ahead<V>;
    const TWO_PASSES: bool = R == 0 && V != B;
    const PROTOCOL: Protocol = PROTOCOLS[V];
    const ROLE: RoleId = R;
    const DRAWS: [usize; SLOTS] = DRAWS[R];
    const SETTLE_DRAWS: usize = [0, 1, 1, 0][R];
    const CROSS: usize = if Self::TWO_PASSES { 1 } else { 2 };
    const EARLY: Option<Source> = match (R, V) {
        (0, HET) => Some(Source::logged(2, Stream::Def, RAISE)),
        (0, _) => Some(Source::new(3, Stream::Pre)),
        (2, B) => Some(Source::logged(3, Stream::Pre, DEAL[B])),
        (2, _) => Some(Source::logged(0, Stream::Pre, DEAL[V])),
        _ => None,
    };
    const OUT: &'static [Sink] = match (R, V) {
        (0, B) => &[Sink::Log(DEAL[B])],
        (0, _) => &[],
        (1, _) => &[Sink::Send(2, Stream::On), Sink::Log(RAISE)],
        (2, _) => &[Sink::Send(1, Stream::On), Sink::Send(0, Stream::Def)],
        (_, A) => &[Sink::Log(DEAL[A]), Sink::Send(0, Stream::Pre)],
        (_, B) => &[Sink::Send(2, Stream::Pre), Sink::Send(0, Stream::Pre)],
        _ => &[Sink::Log(DEAL[HET]), Sink::Log(MASKS)],
    };
    const LATE: &'static [Source] = match (R, V) {
        (0, HET) => &[Source::logged(2, Stream::Def, RESULT_SENT)],
        (0, _) => &[Source::logged(2, Stream::Def, RAISE)],
        (1, _) => &[Source::new(2, Stream::On)],
        (2, _) => &[Source::new(1, Stream::On)],
        _ => &[],
    };
    const RESULT: &'static [Sink] = match (R, V) {
        (3, _) => &[],
        (0, HET) => &[Sink::Log(MASKS)],
        (1, HET) => &[Sink::Log(RESULT_SENT)],
        (2, HET) => &[Sink::Send(0, Stream::Def)],
        _ => &[Sink::Log(RESULT)],
    };

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        if R == 3 { [W::ZERO; 2] } else { [c, W::ZERO] }
    }

    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> [W; 2] {
        match R {
            // (a + u) y0 + (b + v) x0, behind x0 y0 where there is one pass
            0 => {
                let cross = a[0].mul(b[1]).add(b[0].mul(a[1]));
                if V == B { [a[1].mul(b[1]), cross] } else { [cross, W::ZERO] }
            }
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
                match V {
                    A => ([W::ZERO; 2], [v[0].add(early).neg(), z0]),
                    B => ([z0.add(v[0]).add(r), W::ZERO], [v[1].add(early).neg(), z0]),
                    _ => ([W::ZERO; 2], [early.sub(v[0]).add(z0), z0]),
                }
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
            0 if V == HET => {
                let f = late[0];
                ([f.sub(partial[1]), partial[1]], [partial[0].sub(f), W::ZERO])
            }
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

    fn in_way<T: RoleVisitor>(way: Way, visitor: T) -> T::Out {
        balance::quad(R, way, visitor)
    }

    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        masked_input_rule(owner, timing)
    }

    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS] {
        by_slot(R, masks_drawn(owner, timing), false)
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

impl<const V: Variant> Role for Ahead<V> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Self;
    const PROTOCOL: Protocol = PROTOCOLS[V];
    const ROLE: RoleId = 0;
    const DRAWS: [usize; SLOTS] = DRAWS[0];
    const EARLY: Option<Source> = None;
    const OUT: &'static [Sink] = match V {
        // In a mix with others: P3 sends `o`.
        B => &[],
        _ => &[Sink::Send(2, Stream::Pre)],
    };
    const LATE: &'static [Source] = &[];

    #[inline(always)]
    fn constant<W: Word>(_: W) -> Share<W> {
        [W::ZERO; 2]
    }

    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> [W; 2] {
        [a[1].mul(b[1]), W::ZERO]
    }

    #[inline(always)]
    fn mask<W: Word>(v: [W; 2], draws: Drawn<W>, _: W) -> ([W; 2], Share<W>) {
        let ([z2, _], [z1, r]) = (draws[0], draws[1]);
        let z0 = z1.add(z2);
        ([z0.add(v[0]).add(r), W::ZERO], [W::ZERO, z0])
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, _: [W; 2], _: W) -> (Share<W>, [W; 2]) {
        (partial, [W::ZERO; 2])
    }

    fn in_way<T: RoleVisitor>(way: Way, visitor: T) -> T::Out {
        balance::quad_ahead(way, visitor)
    }

    /// The pass ahead gives its own input as role 0 itself does; it receives nothing of the inputs of others.
    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        let rule = Quad::<V, 0>::input_rule(owner, timing);
        if owner == 0 { rule } else { InputRule { to: &[], log: None } }
    }

    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS] {
        Quad::<V, 0>::input_draws(owner, timing)
    }

    #[inline(always)]
    fn input_own<W: Word>(timing: Timing, v: W, draws: [W; SLOTS]) -> (Share<W>, [W; 2]) {
        let (share, words) = Quad::<V, 0>::input_own(timing, v, draws);
        ([W::ZERO, share[1]], words)
    }

    #[inline(always)]
    fn input_part<W: Word>(owner: RoleId, timing: Timing, draws: [W; SLOTS]) -> Share<W> {
        Quad::<V, 0>::input_part(owner, timing, draws)
    }

    #[inline(always)]
    fn input_other<W: Word>(_: RoleId, _: Timing, part: Share<W>, _: W) -> Share<W> {
        part
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        Quad::<V, 0>::opener(receiver)
    }

    #[inline(always)]
    fn open_word<W: Word>(receiver: RoleId, share: Share<W>) -> W {
        Quad::<V, 0>::open_word(receiver, share)
    }

    #[inline(always)]
    fn opened<W: Word>(_: Share<W>, received: W) -> W {
        received
    }
}

/// The slots of `x1` and `x2`, exchanged.
const EXCHANGED: [[usize; SLOTS]; 4] = [[1, 0, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3], [0, 2, 1, 3]];

impl<const V: Variant, const R: RoleId> Twin for Quad<V, R> {
    const EXCHANGED: [usize; SLOTS] = EXCHANGED[R];
}

impl<const V: Variant> Twin for Second<V> {
    const EXCHANGED: [usize; SLOTS] = EXCHANGED[0];
}

impl<const V: Variant> Twin for Ahead<V> {
    const EXCHANGED: [usize; SLOTS] = EXCHANGED[0];
}

/// Who hears the masked value of an owner's input, or, if it is P3's and early, the mask `u`.
pub(crate) fn masked_input_rule(owner: RoleId, timing: Timing) -> InputRule {
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

/// Which of the masks `x1`, `x2`, `u` are drawn for an owner's input.
pub(crate) fn masks_drawn(owner: RoleId, timing: Timing) -> [bool; 3] {
    match (owner, timing) {
        (0, _) | (3, Timing::Early) => [true, true, false],
        (1, _) => [true, false, true],
        (2, _) => [false, true, true],
        _ => [true; 3],
    }
}

const fn rule(to: &'static [(RoleId, Stream, usize)], compared: &[RoleId]) -> InputRule {
    InputRule { to, log: Some(Item::new(Kind::Input, compared)) }
}

/// `x1 = -c_2`, `x2 = -c_1`, `u = -c_0`, where role `j` lacks `c_j`.
const SHARES: [&[Form]; 4] = [
    &[[0, 1, 1, 1], [0, -1, -1, 0]],
    &[[1, 0, 0, 1], [0, 0, -1, 0]],
    &[[1, 0, 0, 1], [0, -1, 0, 0]],
    &[[-1, 0, 0, 0], [0, -1, -1, 0]],
];

impl<const V: Variant, const R: usize> Coordinates for Quad<V, R> {
    #[inline(always)]
    fn to_masked<W: Word>([first, second, _]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        // The role behind holds a + u; raised, m is a + u + x0.
        [if R == 0 { first.add(second) } else { first }, second, W::ZERO]
    }

    #[inline(always)]
    fn from_masked<W: Word>([first, second, _]: [W; COMPONENTS]) -> [W; COMPONENTS] {
        [if R == 0 { first.sub(second) } else { first }, second, W::ZERO]
    }
}

/// Quad, in variant B: role 3 sends all that is sent ahead.
pub const QUAD: Protocol = Protocol::new(&Descriptor {
    name: "quad",
    page: "quad.md",
    best_for: "results that must be right, where a fourth party helps: no proofs, less computing",
    parties: Parties::Exactly(4),
    security: Security::MaliciousWithAbort,
    status: Status::Product,
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

/// Variant A of Quad: role 0 sends a part of what is sent ahead.
pub const QUAD_A: Protocol = Protocol::new(&Descriptor {
    name: "quad-a",
    page: "quad.md#variants",
    best_for: "as `quad`, over three of the six links",
    parties: Parties::Exactly(4),
    security: Security::MaliciousWithAbort,
    status: Status::Product,
    fan_in: 2,
    family: Family::Roles(RoleFacts {
        shares: &SHARES,
        offline_role: Some(3),
        dealer: 0,
        sends_result: false,
        rings: true,
        checks: None,
    }),
});

/// Quad for heterogeneous networks: two links carry everything.
pub const QUAD_HET: Protocol = Protocol::new(&Descriptor {
    name: "quad-het",
    page: "quad.md#variants",
    best_for: "as `quad`, with two good links; the other four may be slow",
    parties: Parties::Exactly(4),
    security: Security::MaliciousWithAbort,
    status: Status::Product,
    fan_in: 2,
    family: Family::Roles(RoleFacts {
        shares: &SHARES,
        offline_role: Some(3),
        dealer: 0,
        sends_result: true,
        rings: true,
        checks: None,
    }),
});
