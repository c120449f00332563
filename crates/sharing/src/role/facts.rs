//! Numbers of roles, their shares, and what they draw from.

/// A number of a place in the protocol, from 0.
pub type RoleId = usize;

/// A share of two ring words. What they mean is the protocol's matter. Some protocols have three:
/// see [`Role::Share`](crate::Role::Share).
pub type Share<W> = [W; 2];

/// Components that a share may have.
pub const COMPONENTS: usize = 3;

/// When the values of an input are known to their owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Before preprocessing starts, or preprocessing is interleaved.
    Early,
    /// Only when the online phase starts: preprocessing must not depend on them.
    Late,
}

/// Streams that a role draws from: one under each key that it holds, in the order of
/// [`Keys`](crate::party::Keys), and a second one under the first key.
pub const SLOTS: usize = 4;
/// The slot of the second stream under the first key: what the online pair draws from when it
/// settles.
pub const TAIL: usize = 3;
