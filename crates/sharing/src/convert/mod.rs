//! Conversions between rings and bits, truncation, selection: written once for all three-party
//! protocols (spec/honest-majority-rings.md section 5).
//!
//! They work in *masked* coordinates `a = m - lambda`, `lambda = x1 + x2`: one role, the dealer,
//! knows both masks, and the two others, the pair, know `m` and a mask each:
//!
//! | seat | share of a |
//! | --- | --- |
//! | dealer | `(x1, x2)` |
//! | first | `(m, x1)` |
//! | second | `(m, x2)` |
//!
//! So a value splits into an *upper* part, known to the pair, and a *lower* part, known to the
//! dealer. The dealer is the role that works ahead; under Replicated, where no role does, it is
//! role 0. Every block is local work, *deals* (the dealer splits a lower value between the pair:
//! one element to the second, [`Desk::deal`]) and one *gadget* (an exchange in the pair that makes
//! a fresh sharing out of local sums, [`Desk::gadget`]). Nobody sees anything but uniform words.

mod bits;
mod cost;
mod desk;
mod inject;
mod layered;
mod masked;
pub mod shuffle;
mod truncate;

pub use bits::{BitPlanes, lower_bits, to_planes, upper_bits};
pub use cost::{deal as deal_cost, gadget as gadget_cost};
pub use desk::{Desk, Seat, Split, deal_stream, dealer};
pub use inject::{bit_to_ring, bits_to_ring, group_sums, inject};
pub use layered::Layered;
pub use masked::{Masked, from_masked, to_masked};
pub use truncate::{floor_shift, truncate, widen};
