//! Role 0 of Quad where products of all variants go over the same links.
//!
//! Role 2 sends `h` when a product begins and, in Het, `F` when it is finished. In variants A and B alone
//! role 0 takes `h` when it finishes; beside Het it must take all `h` when it begins, in the order in
//! which they were sent. It then has all it needs: A and B leave nothing for later.

use crate::Protocol;
use crate::quad::{A, B, DEAL, HET, Quad, RAISE, RESULT, Variant};
use crate::role::{Drawn, InputRule, Role, RoleId, SLOTS, Share, Sink, Source, Timing};
use tacit_net::Stream;
use tacit_ring::Word;

/// Role 0 for a product of variant `V` in a mix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Second<const V: Variant>;

impl<const V: Variant> Role for Second<V> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = [W; 2];
    type Out<W: Word> = [W; 2];
    type Ahead = Self;
    const PROTOCOL: Protocol = Quad::<V, 0>::PROTOCOL;
    const ROLE: RoleId = 0;
    const DRAWS: [usize; SLOTS] = Quad::<V, 0>::DRAWS;
    const CROSS: usize = Quad::<V, 0>::CROSS;
    const EARLY: Option<Source> = Quad::<V, 0>::EARLY;
    const EARLY_LESS: Option<Source> = match V {
        HET => None,
        _ => Some(Source::logged(2, Stream::Def, RAISE)),
    };
    const OUT: &'static [Sink] = match V {
        A => &[Sink::Log(RESULT)],
        B => &[Sink::Log(DEAL[B]), Sink::Log(RESULT)],
        _ => &[],
    };
    const LATE: &'static [Source] = match V {
        HET => Quad::<V, 0>::LATE,
        _ => &[],
    };
    const RESULT: &'static [Sink] = match V {
        HET => Quad::<V, 0>::RESULT,
        _ => &[],
    };

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        Quad::<V, 0>::constant(c)
    }

    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> [W; 2] {
        Quad::<V, 0>::cross(a, b)
    }

    /// `early` is `k - h` in A and B.
    #[inline(always)]
    fn mask<W: Word>(v: [W; 2], draws: Drawn<W>, early: W) -> ([W; 2], Share<W>) {
        let (out, share) = Quad::<V, 0>::mask(v, draws, early);
        let result = share[0].add(share[1]);
        match V {
            A => ([result, W::ZERO], share),
            B => ([out[0], result], share),
            _ => (out, share),
        }
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, late: [W; 2], draw: W) -> (Share<W>, [W; 2]) {
        match V {
            HET => Quad::<V, 0>::settle(partial, late, draw),
            _ => (partial, [W::ZERO; 2]),
        }
    }

    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        Quad::<V, 0>::input_rule(owner, timing)
    }

    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS] {
        Quad::<V, 0>::input_draws(owner, timing)
    }

    #[inline(always)]
    fn input_own<W: Word>(timing: Timing, v: W, draws: [W; SLOTS]) -> (Share<W>, [W; 2]) {
        Quad::<V, 0>::input_own(timing, v, draws)
    }

    #[inline(always)]
    fn input_part<W: Word>(owner: RoleId, timing: Timing, draws: [W; SLOTS]) -> Share<W> {
        Quad::<V, 0>::input_part(owner, timing, draws)
    }

    #[inline(always)]
    fn input_other<W: Word>(owner: RoleId, timing: Timing, part: Share<W>, word: W) -> Share<W> {
        Quad::<V, 0>::input_other(owner, timing, part, word)
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        Quad::<V, 0>::opener(receiver)
    }

    fn open_checker(receiver: RoleId) -> Option<RoleId> {
        Quad::<V, 0>::open_checker(receiver)
    }

    #[inline(always)]
    fn open_word<W: Word>(receiver: RoleId, share: Share<W>) -> W {
        Quad::<V, 0>::open_word(receiver, share)
    }

    #[inline(always)]
    fn opened<W: Word>(share: Share<W>, received: W) -> W {
        Quad::<V, 0>::opened(share, received)
    }
}
