//! Roles 1 and 2 exchange their jobs for a product: `x1` becomes `x2` and back, in every share, key and
//! message of it. What comes out is a share of the same kind.

use crate::Protocol;
use crate::role::{Drawn, Few, InputRule, OUTS, Role, RoleId, SLOTS, Share, Sink, Source, Timing};
use crate::verify::Item;
use std::marker::PhantomData;
use tacit_net::Stream;
use tacit_ring::Word;

/// A role of two words whose protocol knows roles 1 and 2 apart only by their masks.
pub(crate) trait Twin: Role {
    /// The slot of each key with roles 1 and 2 exchanged: its own inverse.
    const EXCHANGED: [usize; SLOTS];

    /// A share as the role sees it that has the other name, and back.
    fn turn<W: Word>(share: Share<W>) -> Share<W> {
        share
    }
}

/// Role `P`, which makes products as `Q` does: the role of its number once 1 and 2 are exchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossed<P, Q>(PhantomData<(P, Q)>);

const fn other(role: RoleId) -> RoleId {
    match role {
        1 => 2,
        2 => 1,
        same => same,
    }
}

/// An item with its members exchanged.
const fn crossed_item(item: Item) -> Item {
    let (mut members, mut count) = ([0; 8], 0);
    let mut role = 0;
    while role < members.len() {
        if item.has(other(role)) {
            members[count] = role;
            count += 1;
        }
        role += 1;
    }
    Item::new(item.kind(), members.split_at(count).0)
}

const fn crossed_sink(sink: Sink) -> Sink {
    match sink {
        Sink::Send(to, stream) => Sink::Send(other(to), stream),
        Sink::Log(item) => Sink::Log(crossed_item(item)),
    }
}

const fn crossed_source(source: Source) -> Source {
    let log = match source.log {
        Some(item) => Some(crossed_item(item)),
        None => None,
    };
    Source { from: other(source.from), stream: source.stream, log }
}

const fn crossed_early(source: Option<Source>) -> Option<Source> {
    match source {
        Some(source) => Some(crossed_source(source)),
        None => None,
    }
}

/// Sinks exchanged; those behind the last are not used.
const fn crossed_sinks(sinks: &[Sink]) -> [Sink; OUTS] {
    let (mut all, mut i) = ([Sink::Send(0, Stream::On); OUTS], 0);
    while i < sinks.len() {
        all[i] = crossed_sink(sinks[i]);
        i += 1;
    }
    all
}

/// Sources exchanged; those behind the last are not used.
const fn crossed_sources(sources: &[Source]) -> [Source; OUTS] {
    let (mut all, mut i) = ([Source::new(0, Stream::On); OUTS], 0);
    while i < sources.len() {
        all[i] = crossed_source(sources[i]);
        i += 1;
    }
    all
}

impl<P: Twin, Q: Role> Crossed<P, Q> {
    const OUT_ALL: &'static [Sink; OUTS] = &crossed_sinks(Q::OUT);
    const LATE_ALL: &'static [Source; OUTS] = &crossed_sources(Q::LATE);
    const RESULT_ALL: &'static [Sink; OUTS] = &crossed_sinks(Q::RESULT);

    /// A share of this role as `Q` sees it.
    #[inline(always)]
    fn theirs<W: Word>(share: Share<W>) -> Q::Share<W> {
        let share = P::turn(share);
        Q::Share::<W>::each(
            #[inline(always)]
            |c| share[c],
        )
    }

    #[inline(always)]
    fn mine<W: Word>(share: Q::Share<W>) -> Share<W> {
        P::turn([share[0], share[1]])
    }

    #[inline(always)]
    fn own<W: Word>(share: P::Share<W>) -> Share<W> {
        [share[0], share[1]]
    }

    #[inline(always)]
    fn of_own<W: Word>(share: Share<W>) -> P::Share<W> {
        P::Share::<W>::each(
            #[inline(always)]
            |c| share[c],
        )
    }
}

impl<P: Twin, Q: Role> Role for Crossed<P, Q> {
    type Share<W: Word> = Share<W>;
    type Terms<W: Word> = Q::Terms<W>;
    type Out<W: Word> = Q::Out<W>;
    type Ahead = Self;
    const PROTOCOL: Protocol = P::PROTOCOL;
    const ROLE: RoleId = P::ROLE;
    const DRAWS: [usize; SLOTS] = {
        let (mut draws, mut slot) = ([0; SLOTS], 0);
        while slot < SLOTS {
            draws[slot] = Q::DRAWS[P::EXCHANGED[slot]];
            slot += 1;
        }
        draws
    };
    const SETTLE_DRAWS: usize = Q::SETTLE_DRAWS;
    const CROSS: usize = Q::CROSS;
    const EARLY: Option<Source> = crossed_early(Q::EARLY);
    const EARLY_LESS: Option<Source> = crossed_early(Q::EARLY_LESS);
    const OUT: &'static [Sink] = Self::OUT_ALL.split_at(Q::OUT.len()).0;
    const LATE: &'static [Source] = Self::LATE_ALL.split_at(Q::LATE.len()).0;
    const RESULT: &'static [Sink] = Self::RESULT_ALL.split_at(Q::RESULT.len()).0;

    #[inline(always)]
    fn constant<W: Word>(c: W) -> Share<W> {
        P::constant(c)
    }

    #[inline(always)]
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> Q::Terms<W> {
        Q::cross(Self::theirs(a), Self::theirs(b))
    }

    #[inline(always)]
    fn mask<W: Word>(v: Q::Terms<W>, draws: Drawn<W>, early: W) -> (Q::Out<W>, Share<W>) {
        let (out, share) = Q::mask(v, P::EXCHANGED.map(|slot| draws[slot]), early);
        (out, Self::mine(share))
    }

    #[inline(always)]
    fn settle<W: Word>(partial: Share<W>, late: [W; 2], draw: W) -> (Share<W>, [W; 2]) {
        let (share, results) = Q::settle(Self::theirs(partial), late, draw);
        (Self::mine(share), results)
    }

    fn input_rule(owner: RoleId, timing: Timing) -> InputRule {
        P::input_rule(owner, timing)
    }

    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS] {
        P::input_draws(owner, timing)
    }

    #[inline(always)]
    fn input_own<W: Word>(timing: Timing, v: W, draws: [W; SLOTS]) -> (Share<W>, [W; 2]) {
        let (share, words) = P::input_own(timing, v, draws);
        (Self::own(share), words)
    }

    #[inline(always)]
    fn input_part<W: Word>(owner: RoleId, timing: Timing, draws: [W; SLOTS]) -> Share<W> {
        Self::own(P::input_part(owner, timing, draws))
    }

    #[inline(always)]
    fn input_other<W: Word>(owner: RoleId, timing: Timing, part: Share<W>, word: W) -> Share<W> {
        Self::own(P::input_other(owner, timing, Self::of_own(part), word))
    }

    #[inline(always)]
    fn input_ahead<W: Word>(share: Share<W>) -> W {
        P::input_ahead(Self::of_own(share))
    }

    fn opener(receiver: RoleId) -> (RoleId, Stream) {
        P::opener(receiver)
    }

    fn open_checker(receiver: RoleId) -> Option<RoleId> {
        P::open_checker(receiver)
    }

    #[inline(always)]
    fn open_word<W: Word>(receiver: RoleId, share: Share<W>) -> W {
        P::open_word(receiver, Self::of_own(share))
    }

    #[inline(always)]
    fn opened<W: Word>(share: Share<W>, received: W) -> W {
        P::opened(Self::of_own(share), received)
    }
}
