//! Whether this build has the protocols that are there to be compared with.

use serde::{Deserialize, Serialize};

/// What only a build with the feature `baselines` has a value of. A way of computing that is there to be compared with
/// holds one, so without the feature there is no such way either: everything is checked as usual, but for what could
/// only be done with this value the compiler makes no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Baseline(Built);

// Private, so that the same matches are whole in both builds. It takes no bytes where it is written.
#[cfg(feature = "baselines")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Built;

#[cfg(not(feature = "baselines"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Built {}

impl Baseline {
    /// The value, in a build that has it.
    #[cfg(feature = "baselines")]
    pub const HERE: Option<Baseline> = Some(Baseline(Built));

    /// The value, in a build that has it.
    #[cfg(not(feature = "baselines"))]
    pub const HERE: Option<Baseline> = None;
}
