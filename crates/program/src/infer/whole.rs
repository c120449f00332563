//! Types as a whole: whether they are well-formed, and how messages show them.

use super::{element, shape};
use crate::ir::Dim;
use crate::types::{Type, Visibility};

/// Whether a type is well-formed: a valid element, known row counts, a sound interval.
pub fn check_type(ty: &Type, dims: &[Dim]) -> Result<(), String> {
    element::valid(ty.element)?;
    shape::valid(&ty.shape, dims)?;
    let sound = ty.interval.low <= ty.interval.high;
    if !sound || !ty.element.interval().contains(ty.interval) {
        return Err(format!(
            "{} is no range of {}, which holds {}",
            element::describe(ty.element, ty.interval),
            ty.element,
            element::describe(ty.element, ty.element.interval())
        ));
    }
    Ok(())
}

/// A type for messages.
#[must_use]
pub fn describe(ty: &Type, dims: &[Dim]) -> String {
    let visibility = match ty.visibility {
        Visibility::Public => "public".to_string(),
        Visibility::Private(party) => format!("private to party {}", party.0),
        Visibility::Secret => "secret".to_string(),
    };
    let shape = shape::describe(&ty.shape, dims);
    let range = element::describe(ty.element, ty.interval);
    format!("{visibility} {}{shape} in {range}", ty.element)
}
