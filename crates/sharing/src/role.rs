//! What a role of a three-party protocol does, written as equations on ring words.
//!
//! Every protocol of this setting is replicated sharing in some coordinates: a party holds two
//! words per value, and shares one key with each neighbour. A product (or a sum of products, an
//! entry of a matrix product) has the same shape everywhere:
//!
//! 1. [`Role::cross`]: the party's summand of the product, a bilinear form of its shares; summands
//!    of a sum of products are added up;
//! 2. [`Role::mask`]: it is masked by fresh draws, gives the message to send and half a share;
//! 3. [`Role::settle`]: the messages of the peers complete the share.
//!
//! The constants say who talks to whom. So each protocol is a page of formulas, and batching,
//! streaming and metering are written once.

use crate::Protocol;
use tacit_net::Stream;
use tacit_ring::Word;

/// A number of a place in the protocol: 0, 1 or 2.
pub type RoleId = usize;

/// A share: two ring words. What they mean is the protocol's matter.
pub type Share<W> = [W; 2];

/// When the values of an input are known to their owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Before preprocessing starts, or preprocessing is interleaved.
    Early,
    /// Only when the online phase starts: preprocessing must not depend on them.
    Late,
}

/// Who draws and who hears when an owner shares an input.
#[derive(Clone, Copy, Debug)]
pub struct InputRule {
    /// The owner draws from the key it has with role `owner + 1`.
    pub next: bool,
    /// The owner draws from the key it has with role `owner + 2`.
    pub prev: bool,
    /// Receivers of one word each.
    pub to: &'static [(RoleId, Stream)],
}

/// One role of a three-party protocol.
///
/// `next` draws come from the key shared with role `ROLE + 1`, `prev` draws from the key shared
/// with role `ROLE + 2` (modulo 3). Draws and messages a role does not have are passed as zero.
pub trait Role: Copy + Send + Sync + 'static {
    /// The protocol.
    const PROTOCOL: Protocol;
    /// Which role.
    const ROLE: RoleId;
    /// Words drawn from the next key per product.
    const NEXT: usize;
    /// Words drawn from the previous key per product.
    const PREV: usize;
    /// Whose preprocessing message this role needs before it can mask a product.
    const EARLY: Option<RoleId>;
    /// Who gets the message of [`Role::mask`], and on which stream.
    const TO: Option<(RoleId, Stream)>;
    /// Whose messages [`Role::settle`] needs, in order; at most two.
    const LATE: &'static [(RoleId, Stream)];
    /// Who gets the second word of the finished share, ahead of the online roles.
    const FORWARD: Option<RoleId> = None;

    /// The share of a public constant.
    fn constant<W: Word>(c: W) -> Share<W>;
    /// This role's summand of the product of two shared values.
    fn cross<W: Word>(a: Share<W>, b: Share<W>) -> W;
    /// From the summand `v`: the message, and the share as far as it is known.
    fn mask<W: Word>(v: W, next: [W; 2], prev: [W; 2], early: W) -> (W, Share<W>);
    /// Completes the share with the peers' messages, in the order of [`Role::LATE`].
    fn settle<W: Word>(partial: Share<W>, late: [W; 2]) -> Share<W>;

    /// The rule for inputs of `owner`.
    fn input_rule(owner: RoleId, timing: Timing) -> InputRule;
    /// The owner's share of its input `v`, and the word for each receiver of the rule.
    fn input_own<W: Word>(timing: Timing, v: W, next: W, prev: W) -> (Share<W>, [W; 2]);
    /// Another role's share of `owner`'s input from its draw and the word it received.
    fn input_other<W: Word>(owner: RoleId, timing: Timing, draw: W, received: W) -> Share<W>;

    /// Who opens a value towards `receiver`, and on which stream.
    fn opener(receiver: RoleId) -> (RoleId, Stream);
    /// The opener's word for `receiver`.
    fn open_word<W: Word>(receiver: RoleId, share: Share<W>) -> W;
    /// The value, from the receiver's share and the word it received.
    fn opened<W: Word>(share: Share<W>, received: W) -> W;
}

/// A protocol whose shares are replicated sharing in other coordinates. The maps are local, so
/// values move between such protocols for free.
pub trait Canonical: Role {
    /// To replicated sharing `x = s0 + s1 + s2`, role i holding `(s_i, s_{i+1})`.
    fn to_replicated<W: Word>(share: Share<W>) -> Share<W>;
    /// The inverse of [`Canonical::to_replicated`].
    fn from_replicated<W: Word>(share: Share<W>) -> Share<W>;
}
