//! Roles as function tables, and a product of three roles in one place.

use tacit_net::Stream;
use tacit_ring::Word;
use tacit_sharing::{Protocol, Role, RoleId, RoleVisitor, Share, Timing};

type Mask<W> = fn(W, [W; 2], [W; 2], W) -> (W, Share<W>);
type InputOwn<W> = fn(Timing, W, W, W) -> (Share<W>, [W; 2]);

/// The equations of one role over one ring.
#[derive(Clone, Copy)]
pub struct Equations<W> {
    pub early: Option<RoleId>,
    pub late: &'static [(RoleId, Stream)],
    pub forward: Option<RoleId>,
    pub cross: fn(Share<W>, Share<W>) -> W,
    pub mask: Mask<W>,
    pub settle: fn(Share<W>, [W; 2]) -> Share<W>,
    pub input_own: InputOwn<W>,
    pub input_other: fn(RoleId, Timing, W, W) -> Share<W>,
    pub open_word: fn(RoleId, Share<W>) -> W,
    pub opened: fn(Share<W>, W) -> W,
}

struct Tabulate<W>(std::marker::PhantomData<W>);

impl<W: Word> RoleVisitor for Tabulate<W> {
    type Out = Equations<W>;
    fn visit<P: Role>(self) -> Equations<W> {
        Equations {
            early: P::EARLY,
            late: P::LATE,
            forward: P::FORWARD,
            cross: P::cross::<W>,
            mask: P::mask::<W>,
            settle: P::settle::<W>,
            input_own: P::input_own::<W>,
            input_other: P::input_other::<W>,
            open_word: P::open_word::<W>,
            opened: P::opened::<W>,
        }
    }
}

pub fn roles<W: Word>(protocol: Protocol) -> [Equations<W>; 3] {
    [0, 1, 2].map(|role| protocol.visit(role, Tabulate(std::marker::PhantomData)))
}

/// Draws under the keys (0,1), (1,2), (2,0): index by the key's first role.
pub type Draws<W> = [[W; 2]; 3];

/// What a role receives, in order.
pub type Views<W> = [Vec<W>; 3];

/// A product of three shares; also the messages by sender, and what each role receives.
pub fn product<W: Word>(
    roles: &[Equations<W>; 3],
    a: [Share<W>; 3],
    b: [Share<W>; 3],
    draws: &Draws<W>,
) -> ([Share<W>; 3], [W; 3], Views<W>) {
    let mut messages = [W::ZERO; 3];
    let mut partial = [[W::ZERO; 2]; 3];
    let mut views: Views<W> = Default::default();
    // A dealer's message is needed by others: roles without an early message go first.
    let mut order = [0, 1, 2];
    order.sort_by_key(|r| roles[*r].early.is_some());
    for r in order {
        let role = &roles[r];
        let early = role.early.map_or(W::ZERO, |from| messages[from]);
        if role.early.is_some() {
            views[r].push(early);
        }
        let v = (role.cross)(a[r], b[r]);
        (messages[r], partial[r]) = (role.mask)(v, draws[r], draws[(r + 2) % 3], early);
    }
    let mut shares = partial;
    for r in 0..3 {
        let mut late = [W::ZERO; 2];
        for (word, (from, _)) in late.iter_mut().zip(roles[r].late) {
            *word =
                if roles[*from].forward == Some(r) { partial[*from][1] } else { messages[*from] };
            views[r].push(*word);
        }
        shares[r] = (roles[r].settle)(partial[r], late);
    }
    (shares, messages, views)
}

/// Opens to a role with the opener that the protocol names.
pub fn open<W: Word>(protocol: Protocol, shares: [Share<W>; 3], receiver: RoleId) -> W {
    struct Opener(RoleId);
    impl RoleVisitor for Opener {
        type Out = RoleId;
        fn visit<P: Role>(self) -> RoleId {
            P::opener(self.0).0
        }
    }
    let roles = roles::<W>(protocol);
    let opener = protocol.visit(receiver, Opener(receiver));
    let word = (roles[opener].open_word)(receiver, shares[opener]);
    (roles[receiver].opened)(shares[receiver], word)
}

/// Which draws an input uses and who receives its messages.
pub fn input<W: Word>(
    protocol: Protocol,
    owner: RoleId,
    timing: Timing,
    value: W,
    draws: &[W; 3],
) -> ([Share<W>; 3], Views<W>) {
    struct Rule(RoleId, Timing);
    impl RoleVisitor for Rule {
        type Out = tacit_sharing::role::InputRule;
        fn visit<P: Role>(self) -> Self::Out {
            P::input_rule(self.0, self.1)
        }
    }
    let rule = protocol.visit(owner, Rule(owner, timing));
    let roles = roles::<W>(protocol);
    let [next, prev] = [draws[owner], draws[(owner + 2) % 3]];
    let used = |wanted: bool, draw: W| if wanted { draw } else { W::ZERO };
    let (own, messages) =
        (roles[owner].input_own)(timing, value, used(rule.next, next), used(rule.prev, prev));
    let mut shares = [[W::ZERO; 2]; 3];
    let mut views: Views<W> = Default::default();
    shares[owner] = own;
    for r in (0..3).filter(|r| *r != owner) {
        let after = r == (owner + 1) % 3;
        let draw = if after { used(rule.next, next) } else { used(rule.prev, prev) };
        let message = rule.to.iter().position(|(to, _)| *to == r).map(|index| messages[index]);
        views[r].extend(message);
        shares[r] = (roles[r].input_other)(owner, timing, draw, message.unwrap_or(W::ZERO));
    }
    (shares, views)
}
