//! What runs the roles of a protocol that is in no list.

use std::any::Any;
use std::fmt;

/// What runs the roles of a protocol that is in no list: a part for each crate that runs roles, of a type by which that crate
/// finds it.
///
/// The roles of protocols in a list are types, which the list names. Those of other protocols cannot be named there, so a protocol brings
/// along what was compiled for them.
#[derive(Clone, Copy)]
pub struct OwnRoles(&'static [&'static (dyn Any + Send + Sync)]);

impl OwnRoles {
    /// What runs roles, by these parts.
    #[must_use]
    pub const fn new(parts: &'static [&'static (dyn Any + Send + Sync)]) -> Self {
        OwnRoles(parts)
    }

    /// The part of a type.
    #[must_use]
    pub fn part<T: Any>(self) -> Option<&'static T> {
        self.0.iter().find_map(|part| part.downcast_ref())
    }
}

impl fmt::Debug for OwnRoles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnRoles({} parts)", self.0.len())
    }
}
