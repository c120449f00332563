//! What a role of a protocol does, written as equations on ring words.
//!
//! Every protocol here is replicated sharing in some coordinates: a party holds two words per
//! value, and keys with some of its peers. A product (or a sum of products, an entry of a matrix
//! product) has the same shape everywhere:
//!
//! 1. [`Role::cross`]: the party's summands of the product, bilinear forms of its shares; summands
//!    of a sum of products are added up;
//! 2. [`Role::mask`]: they are masked by fresh draws, and give what is sent and half a share;
//! 3. [`Role::settle`]: the messages of the peers complete the share.
//!
//! The constants say who talks to whom, and what goes into which transcript to be compared before
//! anything opens. So each protocol is a page of formulas, and batching, streaming, metering and
//! checking are written once.

mod facts;

pub use facts::{COMPONENTS, RoleId, SLOTS, Share, TAIL, Timing};

use crate::balance::Way;
use crate::matrix_shape::MatrixShape;
use crate::party::{Party, no_check};
use crate::verify::Item;
use crate::{Protocol, SharingError};
use std::ops::Index;
use tacit_net::Stream;
use tacit_ring::Word;

/// Sums that a role may keep of a sum of products.
pub const TERMS: usize = 6;
/// Words that a role may have for sinks before a product is settled.
pub const OUTS: usize = 3;

/// A few words of one kind, their number fixed by a role: loops over them are unrolled.
pub trait Few<W>: Copy + Index<usize, Output = W> {
    /// How many.
    const COUNT: usize;
    /// The words that `f` gives.
    fn each(f: impl FnMut(usize) -> W) -> Self;
}

impl<W: Copy> Few<W> for [W; 2] {
    const COUNT: usize = 2;
    #[inline(always)]
    fn each(mut f: impl FnMut(usize) -> W) -> Self {
        [f(0), f(1)]
    }
}

impl<W: Copy> Few<W> for [W; 3] {
    const COUNT: usize = 3;
    #[inline(always)]
    fn each(mut f: impl FnMut(usize) -> W) -> Self {
        [f(0), f(1), f(2)]
    }
}

impl<W: Copy> Few<W> for [W; 6] {
    const COUNT: usize = 6;
    #[inline(always)]
    fn each(mut f: impl FnMut(usize) -> W) -> Self {
        [f(0), f(1), f(2), f(3), f(4), f(5)]
    }
}

/// One word per product from each slot, twice; zero where a role draws less.
pub type Drawn<W> = [[W; 2]; SLOTS];

/// Where a word goes.
#[derive(Clone, Copy, Debug)]
pub enum Sink {
    /// A word is sent to a role.
    Send(RoleId, Stream),
    /// A word goes into a transcript.
    Log(Item),
}

/// Where a word comes from, and the transcript that it goes into.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The sender.
    pub from: RoleId,
    /// Its stream.
    pub stream: Stream,
    /// The transcript, if what it sends is compared.
    pub log: Option<Item>,
}

impl Source {
    /// A word that is not compared itself.
    #[must_use]
    pub const fn new(from: RoleId, stream: Stream) -> Self {
        Source { from, stream, log: None }
    }

    /// A word that goes into a transcript.
    #[must_use]
    pub const fn logged(from: RoleId, stream: Stream, item: Item) -> Self {
        Source { from, stream, log: Some(item) }
    }
}

/// Who hears when an owner shares an input, and who compares what was heard.
#[derive(Clone, Copy, Debug)]
pub struct InputRule {
    /// Receivers, and which of the owner's two words they get.
    pub to: &'static [(RoleId, Stream, usize)],
    /// The transcript that receivers put it into.
    pub log: Option<Item>,
}

/// One role of a protocol. Draws and messages that a role does not have are passed as zero.
///
/// **Two passes.** A role whose products need what comes late, but which also sends what others need
/// early, would make them wait a way there and back at every level. It computes each step in two
/// passes instead: first [`Role::Ahead`], which knows only the component of shares that depends on
/// no message, and sends from it; then the role itself, which receives, and sends nothing that is
/// waited for. The second pass draws the same words again, for the same purpose; see
/// [`Draws::ahead`](crate::Draws::ahead).
pub trait Role: Copy + Send + Sync + 'static {
    /// A share: two or three words.
    type Share<W: Word>: Few<W>;
    /// Summands of a product.
    type Terms<W: Word>: Few<W>;
    /// The words for [`Role::OUT`].
    type Out<W: Word>: Few<W>;
    /// The pass that works ahead, a role that receives nothing; `Self` where there is none.
    type Ahead: Role;
    /// Whether [`Role::Ahead`] is another pass. Its draws are this role's.
    const TWO_PASSES: bool = false;
    /// The protocol.
    const PROTOCOL: Protocol;
    /// Whether parties keep all products, and prove them before anything opens: [`Role::keep`] says how.
    const PROVEN: bool = false;
    /// Whether products are made by [`Role::begin_made`] and [`Role::finish_made`], not from what this trait says of
    /// them.
    const MADE: bool = false;
    /// Whether products of more than two factors read shares as components of replicated sharing, not as masked values.
    const REPLICATED_SHARES: bool = false;
    /// Which role.
    const ROLE: RoleId;
    /// Words drawn per product before it is masked, by slot; at most two each.
    const DRAWS: [usize; SLOTS];
    /// Words drawn from slot [`TAIL`] per product when it is settled; at most one.
    const SETTLE_DRAWS: usize = 0;
    /// The message that this role needs before it can mask a product.
    const EARLY: Option<Source>;
    /// A message that is taken from that one before [`Role::mask`] gets it.
    const EARLY_LESS: Option<Source> = None;
    /// Where the words of [`Role::mask`] go; at most [`OUTS`].
    const OUT: &'static [Sink];
    /// How many of the summands of [`Role::cross`] it uses.
    const CROSS: usize = 1;
    /// The messages that [`Role::settle`] needs, in order; at most two.
    const LATE: &'static [Source];
    /// Where the words of [`Role::settle`] go; at most two.
    const RESULT: &'static [Sink] = &[];

    /// The share of a public constant; a third component is zero.
    fn constant<W: Word>(c: W) -> Share<W>;
    /// This role's summands of the product of two shared values: bilinear, that is, each a sum of products of a component of
    /// either factor.
    fn cross<W: Word>(a: Self::Share<W>, b: Self::Share<W>) -> Self::Terms<W>;
    /// From the summands `v`: the words for [`Role::OUT`], and the share as far as it is known.
    fn mask<W: Word>(
        v: Self::Terms<W>,
        draws: Drawn<W>,
        early: W,
    ) -> (Self::Out<W>, Self::Share<W>);
    /// Completes the share with the peers' messages, in the order of [`Role::LATE`]; also gives the
    /// words for [`Role::RESULT`].
    fn settle<W: Word>(partial: Self::Share<W>, late: [W; 2], draw: W) -> (Self::Share<W>, [W; 2]);

    /// Calls `visitor` with what this role is for a product that is made in some way of a mix: this role
    /// itself where there is one way only.
    fn in_way<V: RoleVisitor>(_way: Way, visitor: V) -> V::Out {
        visitor.visit::<Self>()
    }

    /// Keeps results of a role with [`Role::PROVEN`] until they are proven, each the sum of the products of so many
    /// factors. Call [`Party::prove_if_many`] when nothing of them is under way any more.
    ///
    /// # Errors
    /// When the party has nothing to prove products with, or the factors do not fit.
    fn keep<W: Word>(
        _party: &mut Party<'_>,
        _factors: [[&[W]; COMPONENTS]; 2],
        _results: [&[W]; COMPONENTS],
        _terms: usize,
    ) -> Result<(), SharingError> {
        Err(no_check())
    }
    /// Keeps a product of matrices of a role with [`Role::PROVEN`] as a whole, if it is cheaper to prove so, and says whether
    /// it has: every entry is to be [kept](Role::keep) by itself otherwise.
    ///
    /// # Errors
    /// When the party has nothing to prove products with, or the sizes do not fit.
    fn keep_matrix<W: Word>(
        _party: &mut Party<'_>,
        _shape: MatrixShape,
        _factors: [[&[W]; COMPONENTS]; 2],
        _results: [&[W]; COMPONENTS],
    ) -> Result<bool, SharingError> {
        Err(no_check())
    }

    /// Begins results over words of a role with [`Role::MADE`], each the sum of `terms` products.
    ///
    /// # Errors
    /// When the party has nothing to make products with, the network fails, or a peer sends what no honest party does.
    fn begin_made<W: Word>(
        _party: &mut Party<'_>,
        _factors: [[&[W]; 2]; 2],
        _terms: usize,
    ) -> Result<(), SharingError> {
        Err(no_check())
    }
    /// Finishes the results that began first.
    ///
    /// # Errors
    /// As [`Role::begin_made`].
    fn finish_made<W: Word>(
        _party: &mut Party<'_>,
        _factors: [[&[W]; 2]; 2],
        _terms: usize,
        _out: [&mut [W]; 2],
    ) -> Result<(), SharingError> {
        Err(no_check())
    }

    /// The rule for inputs of `owner`.
    fn input_rule(owner: RoleId, timing: Timing) -> InputRule;
    /// Which slots this role draws a word from for an input of `owner`.
    fn input_draws(owner: RoleId, timing: Timing) -> [bool; SLOTS];
    /// The owner's share of its input `v`, and the words for the receivers of the rule.
    fn input_own<W: Word>(timing: Timing, v: W, draws: [W; SLOTS]) -> (Self::Share<W>, [W; 2]);
    /// What another role keeps of its draws for `owner`'s input until the message comes.
    fn input_part<W: Word>(owner: RoleId, timing: Timing, draws: [W; SLOTS]) -> Self::Share<W>;
    /// Another role's share of `owner`'s input, from what it kept and the word it received.
    fn input_other<W: Word>(
        owner: RoleId,
        timing: Timing,
        part: Self::Share<W>,
        received: W,
    ) -> Self::Share<W>;
    /// The owner's word that it sends ahead, from its share.
    fn input_ahead<W: Word>(share: Self::Share<W>) -> W {
        share[1]
    }

    /// Who opens a value towards `receiver`, and on which stream.
    fn opener(receiver: RoleId) -> (RoleId, Stream);
    /// The role that can compute the opener's word too, and compares it with the receiver.
    fn open_checker(_receiver: RoleId) -> Option<RoleId> {
        None
    }
    /// Whether values may open to everybody [at once](crate::transfer::open_at_once): the opener and the checker of every role both
    /// send, online.
    const OPENS_AT_ONCE: bool = false;
    /// The opener's, or its checker's, word for `receiver`.
    fn open_word<W: Word>(receiver: RoleId, share: Self::Share<W>) -> W;
    /// The value, from the receiver's share and the word it received.
    fn opened<W: Word>(share: Self::Share<W>, received: W) -> W;
}

/// A protocol whose shares are replicated sharing in other coordinates. The maps are local, so
/// values move between such protocols for free.
pub trait Canonical: Role {
    /// Converts a share to replicated sharing `x = s0 + s1 + s2`, in which role i holds `(s_i, s_{i+1})`.
    fn to_replicated<W: Word>(share: Share<W>) -> Share<W>;
    /// The inverse of [`Canonical::to_replicated`].
    fn from_replicated<W: Word>(share: Share<W>) -> Share<W>;
}

/// Something to do with the type of a role.
pub trait RoleVisitor {
    /// The result.
    type Out;
    /// Does it for the type `P` of the role.
    fn visit<P: Role>(self) -> Self::Out;
}

/// Something to do with the type of a role whose shares have canonical coordinates.
pub trait CanonicalVisitor {
    /// The result.
    type Out;
    /// Does it for the type `P` of the role.
    fn visit<P: Canonical>(self) -> Self::Out;
}
