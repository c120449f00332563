//! *Mirror*: replicated sharing (Araki et al., CCS 2016) with everything the other way round.
//!
//! Three parties, of which one may be curious: it learns nothing from what it sees. If one deviates, results may be wrong, and
//! nobody notices.
//!
//! `a = t0 + t1 + t2`; role i holds `(t_i, t_{i-1})`, so it lacks `t_{i+1}`. All numbers of roles are modulo 3.
//!
//! | step | what role i does |
//! | --- | --- |
//! | product `ab` | `z_i = a_i b_i + a_i b_{i-1} + a_{i-1} b_i + r_i - r_{i-1}`, sent to role i+1; the share is `(z_i, z_{i-1})` |
//! | input of role i | `t_{i-1} = r` under the key with role i-1, which draws it too; `t_i = a - r`, sent to role i+1; `t_{i+1} = 0` |
//! | opening to role i | role i-1 sends its second word, `t_{i-2} = t_{i+1}` |
//!
//! where `r_i` is drawn under the key of the roles i and i+1. A product costs each party one element, to the next one, and one round; there is
//! no preprocessing. Sums of products cost as much as one product.
//!
//! **Why a curious role learns nothing.** What it receives of a product, `z_{i-1}`, is hidden by `r_{i-2}`, which the two
//! other roles drew under their key and nothing else uses; what it receives of an input is hidden by an `r` that only the two other
//! roles have; and what opens to it follows from the value and the words that it has.

use tacit::Protocol;
use tacit::own::{
    self, Canonical, Drawn, Form, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Stream,
    ThreeRoles, Timing, Word,
};

/// The protocol, to be named wherever one of Tacit's own is.
pub const MIRROR: Protocol = own::protocol::<Mirror>();

/// What Mirror is made of.
pub struct Mirror;

impl ThreeRoles for Mirror {
    const NAME: &'static str = "mirror";
    // Role j lacks component j, so component j is t_{j+1}.
    const SHARES: [&'static [Form]; 3] = [
        &[[0, 0, 1, 0], [0, 1, 0, 0]],
        &[[1, 0, 0, 0], [0, 0, 1, 0]],
        &[[0, 1, 0, 0], [1, 0, 0, 0]],
    ];
    type Role<const R: RoleId> = MirrorRole<R>;
}

/// Role `R` of Mirror.
#[derive(Clone, Copy)]
pub struct MirrorRole<const R: RoleId>;

/// The slot that is drawn from under the key with the next role.
const NEXT: usize = 0;
/// The slot that is drawn from under the key with the role before.
const BEFORE: usize = 1;

const fn next(role: RoleId) -> RoleId {
    (role + 1) % 3
}

const fn before(role: RoleId) -> RoleId {
    (role + 2) % 3
}

impl<const R: RoleId> Role for MirrorRole<R> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Self;
    const PROTOCOL: Protocol = MIRROR;
    const ROLE: RoleId = R;
    const DRAWS: [usize; SLOTS] = [1, 1, 0, 0];
    const EARLY: Option<Source> = None;
    const OUT: &'static [Sink] = &[Sink::Send(next(R), Stream::On)];
    const LATE: &'static [Source] = &[Source::new(before(R), Stream::On)];

    // A constant is t0.
    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        [[c, W::ZERO], [W::ZERO, c], [W::ZERO; 2]][R]
    }

    // a_i (b_i + b_{i-1}) + a_{i-1} b_i
    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> [W; 2] {
        [a[0].mul(b[0].add(b[1])).add(a[1].mul(b[0])), W::ZERO]
    }

    #[inline(always)]
    fn mask<W: Word>([v, _]: [W; 2], draws: Drawn<W>, _: W) -> ([W; 2], Share<W>) {
        let z = v.add(draws[NEXT][0]).sub(draws[BEFORE][0]);
        ([z, W::ZERO], [z, W::ZERO])
    }

    #[inline(always)]
    fn settle<W: Word>([z, _]: Share<W>, late: [W; 2], _: W) -> (Share<W>, [W; 2]) {
        ([z, late[0]], [W::ZERO; 2])
    }

    fn input_rule(owner: RoleId, _: Timing) -> InputRule {
        const TO: [&[(RoleId, Stream, usize)]; 3] =
            [&[(1, Stream::On, 0)], &[(2, Stream::On, 0)], &[(0, Stream::On, 0)]];
        InputRule { to: TO[owner], log: None }
    }

    fn input_draws(owner: RoleId, _: Timing) -> [bool; SLOTS] {
        let mut draws = [false; SLOTS];
        draws[NEXT] = R == before(owner);
        draws[BEFORE] = R == owner;
        draws
    }

    #[inline(always)]
    fn input_own<W: Word>(_: Timing, v: W, draws: [W; SLOTS]) -> (Share<W>, [W; 2]) {
        let t = v.sub(draws[BEFORE]);
        ([t, draws[BEFORE]], [t, W::ZERO])
    }

    #[inline(always)]
    fn input_part<W: Word>(_: RoleId, _: Timing, draws: [W; SLOTS]) -> Share<W> {
        [draws[NEXT], W::ZERO]
    }

    #[inline(always)]
    fn input_other<W: Word>(owner: RoleId, _: Timing, part: Share<W>, received: W) -> Share<W> {
        if R == before(owner) { part } else { [W::ZERO, received] }
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        (before(receiver), Stream::On)
    }

    #[inline(always)]
    fn open_word<W: Word>(_: RoleId, share: Share<W>) -> W {
        share[1]
    }

    #[inline(always)]
    fn opened<W: Word>(share: Share<W>, received: W) -> W {
        share[0].add(share[1]).add(received)
    }
}

// Programs compute on replicated sharing whose role i holds (s_i, s_{i+1}): here s_i = t_{i-1}.
impl<const R: RoleId> Canonical for MirrorRole<R> {
    #[inline(always)]
    fn to_replicated<W: Word>([own, before]: Share<W>) -> Share<W> {
        [before, own]
    }

    #[inline(always)]
    fn from_replicated<W: Word>([first, second]: Share<W>) -> Share<W> {
        [second, first]
    }
}
