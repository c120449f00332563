//! Roles as function tables, and a product of all roles in one place.

use tacit_net::Stream;
use tacit_ring::Word;
use tacit_sharing::balance::Way;
use tacit_sharing::role::{Drawn, Few, InputRule, SLOTS, Sink, Source};
use tacit_sharing::{Protocol, Role, RoleId, RoleVisitor, Timing};

/// A share of any role.
pub type Share<W> = Vec<W>;
type Cross<W> = fn(&[W], &[W]) -> Vec<W>;
type Mask<W> = fn(&[W], Drawn<W>, W) -> (Vec<W>, Share<W>);
type Settle<W> = fn(&[W], [W; 2], W) -> (Share<W>, [W; 2]);
type InputOwn<W> = fn(Timing, W, [W; SLOTS]) -> (Share<W>, [W; 2]);

/// A role's words, as many as it has.
fn few<W: Word, S: Few<W>>(words: &[W]) -> S {
    S::each(|i| words[i])
}

fn all<W: Word, S: Few<W>>(words: S) -> Vec<W> {
    (0..S::COUNT).map(|i| words[i]).collect()
}

/// The pass of a role that works ahead.
#[derive(Clone, Copy)]
pub struct Ahead<W> {
    pub out: &'static [Sink],
    pub cross: Cross<W>,
    pub mask: Mask<W>,
}

/// The equations of one role over one ring.
#[derive(Clone, Copy)]
pub struct Equations<W> {
    pub ahead: Option<Ahead<W>>,
    pub early: Option<Source>,
    pub early_less: Option<Source>,
    pub out: &'static [Sink],
    pub late: &'static [Source],
    pub result: &'static [Sink],
    pub draws: [usize; SLOTS],
    pub settle_draws: usize,
    pub cross: Cross<W>,
    pub mask: Mask<W>,
    pub settle: Settle<W>,
    pub input_rule: fn(RoleId, Timing) -> InputRule,
    pub input_draws: fn(RoleId, Timing) -> [bool; SLOTS],
    pub input_own: InputOwn<W>,
    pub input_part: fn(RoleId, Timing, [W; SLOTS]) -> Share<W>,
    pub input_other: fn(RoleId, Timing, &[W], W) -> Share<W>,
    pub input_ahead: fn(&[W]) -> W,
    pub opener: fn(RoleId) -> RoleId,
    pub open_word: fn(RoleId, &[W]) -> W,
    pub opened: fn(&[W], W) -> W,
}

struct Tabulate<W>(std::marker::PhantomData<W>);

impl<W: Word> RoleVisitor for Tabulate<W> {
    type Out = Equations<W>;
    fn visit<P: Role>(self) -> Equations<W> {
        let (cross, mask) = (cross::<P::Ahead, W>, mask::<P::Ahead, W>);
        Equations {
            ahead: P::TWO_PASSES.then_some(Ahead { out: P::Ahead::OUT, cross, mask }),
            early: P::EARLY,
            early_less: P::EARLY_LESS,
            out: P::OUT,
            late: P::LATE,
            result: P::RESULT,
            draws: P::DRAWS,
            settle_draws: P::SETTLE_DRAWS,
            cross: self::cross::<P, W>,
            mask: self::mask::<P, W>,
            settle: |partial, late, draw| {
                let (share, words) = P::settle(few::<W, P::Share<W>>(partial), late, draw);
                (all(share), words)
            },
            input_rule: P::input_rule,
            input_draws: P::input_draws,
            input_own: |timing, value, draws| {
                let (share, words) = P::input_own(timing, value, draws);
                (all(share), words)
            },
            input_part: |owner, timing, draws| all(P::input_part(owner, timing, draws)),
            input_other: |owner, timing, part, received| {
                all(P::input_other(owner, timing, few::<W, P::Share<W>>(part), received))
            },
            input_ahead: |share| P::input_ahead(few::<W, P::Share<W>>(share)),
            opener: |receiver| P::opener(receiver).0,
            open_word: |to, share| P::open_word(to, few::<W, P::Share<W>>(share)),
            opened: |share, word| P::opened(few::<W, P::Share<W>>(share), word),
        }
    }
}

fn cross<P: Role, W: Word>(a: &[W], b: &[W]) -> Vec<W> {
    all(P::cross(few::<W, P::Share<W>>(a), few::<W, P::Share<W>>(b)))
}

fn mask<P: Role, W: Word>(v: &[W], draws: Drawn<W>, early: W) -> (Vec<W>, Share<W>) {
    let (words, share) = P::mask(few::<W, P::Terms<W>>(v), draws, early);
    (all(words), all(share))
}

pub fn roles<W: Word>(protocol: Protocol) -> Vec<Equations<W>> {
    let roles = 0..protocol.parties();
    roles
        .map(|role| tacit_backend::visit::visit(protocol, role, Tabulate(std::marker::PhantomData)))
        .collect()
}

/// The roles for a product that is made in some way of a mix.
pub fn roles_in<W: Word>(way: Way) -> Vec<Equations<W>> {
    let roles = 0..way.protocol.parties();
    let word = std::marker::PhantomData;
    roles.map(|role| tacit_backend::visit::visit(way.protocol, role, InWay { way, word })).collect()
}

struct InWay<W> {
    way: Way,
    word: std::marker::PhantomData<W>,
}

impl<W: Word> RoleVisitor for InWay<W> {
    type Out = Equations<W>;
    fn visit<P: Role>(self) -> Equations<W> {
        let tabulate = || Tabulate(self.word);
        let pass = P::TWO_PASSES.then(|| P::Ahead::in_way(self.way, tabulate()));
        let ahead = pass.map(|it| Ahead { out: it.out, cross: it.cross, mask: it.mask });
        Equations { ahead, ..P::in_way(self.way, tabulate()) }
    }
}

/// The key in each of a role's slots: of three parties by its first role (0,1), (1,2), (2,0); of
/// four by the role that lacks it, with the second stream under the first key behind them.
fn keys(parties: usize, role: RoleId) -> [Option<usize>; SLOTS] {
    if parties == 3 {
        return [Some(role), Some((role + 2) % 3), None, None];
    }
    let mut keys = (0..4).filter(|lacking| *lacking != role);
    let tail = (role != 0).then_some(4);
    [keys.next(), keys.next(), keys.next(), tail]
}

/// Up to two words under each key; see [`keys`].
pub type Draws<W> = Vec<[W; 2]>;

/// Draws for a product: zero beyond what a role draws.
fn drawn<W: Word>(role: RoleId, roles: &[Equations<W>], draws: &Draws<W>) -> Drawn<W> {
    let keys = keys(roles.len(), role);
    std::array::from_fn(|slot| {
        let words = keys[slot].map_or([W::ZERO; 2], |key| draws[key]);
        let count = roles[role].draws[slot];
        [0, 1].map(|index| if index < count { words[index] } else { W::ZERO })
    })
}

/// What a role receives, in order.
pub type Views<W> = Vec<Vec<W>>;

/// A product; what each role computes to send or log; what each receives; and what it logs.
pub struct Played<W> {
    pub shares: Vec<Share<W>>,
    /// By role, the words of its sinks: of the pass that works ahead, before settling, after.
    pub words: Vec<Vec<W>>,
    pub views: Views<W>,
}

fn sent_to<W: Copy>(sinks: &[Sink], words: &[W], to: RoleId) -> Option<W> {
    let mut sent = sinks.iter().zip(words);
    sent.find_map(|(sink, word)| {
        matches!(sink, Sink::Send(role, _) if *role == to).then_some(*word)
    })
}

/// A product of shares.
pub fn product<W: Word>(
    roles: &[Equations<W>],
    a: &[impl AsRef<[W]>],
    b: &[impl AsRef<[W]>],
    draws: &Draws<W>,
) -> Played<W> {
    let n = roles.len();
    let mut ahead: Vec<Vec<W>> = vec![Vec::new(); n];
    for (r, role) in roles.iter().enumerate() {
        let Some(pass) = &role.ahead else { continue };
        let (words, _) = (pass.mask)(
            &(pass.cross)(a[r].as_ref(), b[r].as_ref()),
            drawn(r, roles, draws),
            W::ZERO,
        );
        ahead[r] = words[..pass.out.len()].to_vec();
    }
    let mut out = vec![Vec::new(); n];
    let mut shares = vec![Vec::new(); n];
    let mut views: Views<W> = vec![Vec::new(); n];
    // Roles without an early message go first: others need theirs. The role that lags goes last.
    let mut order: Vec<usize> = (0..n).collect();
    let deferred = |source: Source| source.stream == Stream::Def;
    order.sort_by_key(|r| {
        let role = &roles[*r];
        role.early.map(|early| deferred(early) || role.early_less.is_some_and(deferred))
    });
    for r in order {
        let role = &roles[r];
        let early = role.early.map(|source| {
            let from = &roles[source.from];
            let pass = from.ahead.and_then(|pass| sent_to(pass.out, &ahead[source.from], r));
            pass.or_else(|| sent_to(from.out, &out[source.from], r)).expect("it is sent")
        });
        views[r].extend(early);
        let less = role.early_less.map(|source| {
            sent_to(roles[source.from].out, &out[source.from], r).expect("it is sent")
        });
        views[r].extend(less);
        let early = early.map(|early| early.sub(less.unwrap_or(W::ZERO)));
        let v = (role.cross)(a[r].as_ref(), b[r].as_ref());
        (out[r], shares[r]) = (role.mask)(&v, drawn(r, roles, draws), early.unwrap_or(W::ZERO));
    }
    // Roles whose settled words others need go first, and need nothing themselves.
    let mut results = vec![[W::ZERO; 2]; n];
    let mut order: Vec<usize> = (0..n).collect();
    let lags = |r: usize| roles[r].late.iter().any(|source| source.stream == Stream::Def);
    order.sort_by_key(|r| (roles[*r].late.len(), lags(*r)));
    for r in order {
        let role = &roles[r];
        let mut late = [W::ZERO; 2];
        for (word, source) in late.iter_mut().zip(role.late) {
            let from = &roles[source.from];
            // What came early is another message.
            let early = role.early.is_some_and(|early| early.from == source.from);
            *word = sent_to(from.out, &out[source.from], r)
                .filter(|_| !early)
                .or_else(|| sent_to(from.result, &results[source.from], r))
                .expect("it is sent");
            views[r].push(*word);
        }
        let draw = if role.settle_draws > 0 { draws[4][0] } else { W::ZERO };
        (shares[r], results[r]) = (role.settle)(&shares[r], late, draw);
    }
    let words = (0..n).map(|r| {
        let before = ahead[r].iter().chain(&out[r][..roles[r].out.len()]);
        before.chain(&results[r][..roles[r].result.len()]).copied().collect()
    });
    Played { shares, words: words.collect(), views }
}

/// Opens to a role with the opener that the protocol names.
pub fn open<W: Word>(protocol: Protocol, shares: &[impl AsRef<[W]>], receiver: RoleId) -> W {
    let roles = roles::<W>(protocol);
    let opener = (roles[receiver].opener)(receiver);
    let word = (roles[opener].open_word)(receiver, shares[opener].as_ref());
    (roles[receiver].opened)(shares[receiver].as_ref(), word)
}

/// Shares of an input, and what each role receives. `draws` are by key; see [`keys`].
pub fn input<W: Word>(
    protocol: Protocol,
    owner: RoleId,
    timing: Timing,
    value: W,
    draws: &[W],
) -> (Vec<Share<W>>, Views<W>) {
    let roles = roles::<W>(protocol);
    let drawn = |r: RoleId| -> [W; SLOTS] {
        let (keys, used) = (keys(roles.len(), r), (roles[r].input_draws)(owner, timing));
        std::array::from_fn(|slot| match keys[slot] {
            Some(key) if used[slot] => draws[key],
            _ => W::ZERO,
        })
    };
    let rule = (roles[owner].input_rule)(owner, timing);
    let (own, words) = (roles[owner].input_own)(timing, value, drawn(owner));
    let mut views: Views<W> = vec![Vec::new(); roles.len()];
    let mut share = |r: RoleId| {
        if r == owner {
            return own.clone();
        }
        let part = (roles[r].input_part)(owner, timing, drawn(r));
        let message = rule.to.iter().find(|(to, ..)| *to == r);
        // What a role that works ahead sends of its input is a word of its share.
        let word = message.map(|(_, stream, index)| match stream {
            Stream::Pre => (roles[owner].input_ahead)(&own),
            _ => words[*index],
        });
        views[r].extend(word);
        (roles[r].input_other)(owner, timing, &part, word.unwrap_or(W::ZERO))
    };
    let shares = (0..roles.len()).map(&mut share).collect();
    (shares, views)
}
