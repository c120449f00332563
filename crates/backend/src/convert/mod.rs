//! Conversions between rings and bits, truncation, selection: written once for all protocols
//! (`docs/spec/honest-majority-rings.md` section 5).
//!
//! They work in *masked* coordinates `a = m - lambda`, `lambda = x1 + x2`. Of three parties one, the
//! dealer, knows both masks; of four two do, one of which works ahead, the other behind. The two
//! others, the pair, know `m` and a mask each:
//!
//! | seat | of three parties | of four |
//! | --- | --- | --- |
//! | dealer | `(x1, x2)` | |
//! | first | `(m, x1)` | `(m, x1)` |
//! | second | `(m, x2)` | `(m, x2)` |
//! | behind | | `(m + u, lambda)` |
//! | ahead | | `(u, lambda)` |
//!
//! So a value splits into an *upper* part, known to the pair, and a *lower* part, known to the
//! others. Where shares have three components the third is `u` in the pair, and `x1` at the two that know
//! both masks. The dealer is the role that works ahead; under Replicated, where no role does, it is
//! role 0. Every block is local work, *deals* (the dealer splits a lower value between the pair:
//! one element to the second, [`MaskedParty::deal`]) and one *gadget* (an exchange in the pair that makes
//! a fresh sharing out of local sums, [`MaskedParty::gadget`]). Nobody sees anything but uniform words.
//!
//! Among four parties, one may cheat. Either of the two that know the masks deals, and what is dealt is
//! compared by the second and the other of them. Upper values are *raised* ([`MaskedParty::raise`]): the one
//! behind gets them under masks that the one ahead has, compared by the first and the one behind. Then
//! those two can do what the pair does, on whole lower values: the one behind computes each gadget's
//! result under masks, but for a correction that the one ahead sends, and compares it with the pair; or,
//! where the one ahead is to send nothing, it gets the result and compares the correction. Every word
//! that is not compared itself enters what is compared by addition, so whether a check fails tells
//! nothing about secrets.

mod bits;
mod cost;
mod form;
mod inject;
mod layered;
mod masked;
mod masked_party;
mod seat;
pub mod shuffle;
mod truncate;

pub use bits::{lower_bits, upper_bits};
pub use cost::{deal as deal_cost, gadget as gadget_cost, raise as raise_cost};
pub use inject::{bit_to_ring, bits_to_ring, group_sums, inject};
pub use layered::Layered;
pub use masked::{Masked, from_masked, to_masked};
pub use masked_party::{MaskedParty, Split};
pub use seat::{Seat, deal_stream, dealer, hears_before_it_deals};
pub use tacit_sharing::coordinates::Coordinates;
pub use tacit_sharing::planes::{BitPlanes, to_planes};
pub use tacit_sharing::wires::{Canvas, Holding, Wires};
pub use truncate::{floor_shift, truncate, widen};
