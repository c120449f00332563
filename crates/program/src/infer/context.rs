//! What the type of a result is inferred from, and what most rules ask of it.

use super::{element, shape};
use crate::ir::Dim;
use crate::types::{Element, Extent, Interval, Type, Visibility};

/// What an operation is applied to.
pub(crate) struct Context<'a> {
    pub operands: &'a [&'a Type],
    pub dims: &'a [Dim],
    pub declared: Option<&'a [Type]>,
}

impl Context<'_> {
    /// The declared type of the only result.
    pub fn declaration(&self, what: &str) -> Result<&Type, String> {
        match self.declared {
            Some([ty]) => Ok(ty),
            _ => Err(format!("{what} must be declared with a type")),
        }
    }

    /// The visibility of what depends on all operands.
    pub fn visibility(&self) -> Visibility {
        self.operands.iter().map(|t| t.visibility).fold(Visibility::Public, Visibility::join)
    }

    /// A result of the operands' visibility.
    pub fn result(&self, element: Element, shape: Vec<Extent>, interval: Interval) -> Type {
        Type { element, shape, visibility: self.visibility(), interval }
    }

    /// The one shape of all operands.
    pub fn shape(&self) -> Result<Vec<Extent>, String> {
        let first = &self.operands[0].shape;
        match self.operands.iter().find(|t| t.shape != *first) {
            None => Ok(first.clone()),
            Some(other) => Err(format!(
                "operands of shapes {} and {}: broadcast or reshape one to the other's shape",
                shape::describe(first, self.dims),
                shape::describe(&other.shape, self.dims)
            )),
        }
    }

    /// The type, wide enough for the interval, of a result of an element type that holds the
    /// operands.
    pub fn numbers(
        &self,
        operands: &[Element],
        shape: Vec<Extent>,
        interval: Option<Interval>,
    ) -> Result<Type, String> {
        let interval = interval.ok_or_else(element::beyond)?;
        let element = element::grow(element::common(operands)?, interval)?;
        Ok(self.result(element, shape, interval))
    }
}
