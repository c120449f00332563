//! Columns of raw values, and what they are without their contents.

use std::fmt;

use tacit_program::{Element, Interval, Meaning};
use zeroize::Zeroizing;

use crate::error::TableError;

/// An input of a program without its values: name, type, and the interval its raw values lie in.
///
/// ```
/// use tacit_program::Element;
/// use tacit_tables::Field;
///
/// let age = Field::new("age", Element::uint(8)).within(0, 120);
/// assert_eq!((age.interval.low, age.interval.high), (0, 120));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the program input.
    pub name: String,
    /// The type of each value.
    pub element: Element,
    /// The interval of the raw values, within the element's own.
    pub interval: Interval,
    /// What the values stand for.
    pub meaning: Meaning,
}

impl Field {
    /// Makes a field that may hold every value of its type.
    #[must_use]
    pub fn new(name: impl Into<String>, element: Element) -> Self {
        let name = name.into();
        Field { name, element, interval: element.interval(), meaning: Meaning::Number }
    }

    /// Says what the values of the field stand for.
    #[must_use]
    pub fn standing_for(self, meaning: Meaning) -> Self {
        Field { meaning, ..self }
    }

    /// What the column is called, unless something else is said of it: as the input is, or as an input would be that it is.
    #[must_use]
    pub fn source(&self) -> &str {
        self.meaning.derived().map_or(&self.name, |derived| &derived.column)
    }

    /// Restricts the field to raw values from `low` to `high`.
    #[must_use]
    pub fn within(self, low: i128, high: i128) -> Self {
        Field { interval: Interval { low, high }, ..self }
    }
}

/// The values of one input, row by row. They are secret: they are erased when dropped, and `Debug` shows none.
#[derive(Clone)]
pub struct Column {
    /// The name of the program input.
    pub name: String,
    /// The type of each value.
    pub element: Element,
    /// The interval of the raw values.
    pub interval: Interval,
    /// What the values stand for.
    pub meaning: Meaning,
    /// Raw values: 0 or 1 for a bit; the 64 bits of a `u64` (see [`widen`](crate::widen)); `value * 2^fraction`
    /// in fixed point.
    pub raw: Zeroizing<Vec<i64>>,
}

impl Column {
    /// Gives what the column is, without its contents.
    #[must_use]
    pub fn field(&self) -> Field {
        let (element, interval) = (self.element, self.interval);
        Field { name: self.name.clone(), element, interval, meaning: self.meaning.clone() }
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Column({:?}, {}, ..)", self.name, self.element)
    }
}

/// Inputs of one party with equally many rows. `Debug` shows neither values nor row counts.
#[derive(Clone)]
pub struct Table {
    /// The number of rows. It may itself be private: see [`pad()`](crate::pad()).
    pub rows: usize,
    /// The number of rows of the file left out, because a value was missing in a column that says `drop`.
    pub dropped: usize,
    /// The columns, in the order of the schema, a validity column after the one it belongs to.
    pub columns: Vec<Column>,
}

impl Table {
    /// Gives the column of a program input.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Gives what the columns are, without their contents.
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        self.columns.iter().map(Column::field).collect()
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("columns", &self.columns).finish_non_exhaustive()
    }
}

/// Checks that tables can be stacked: same names, types and ranges in the same order. Each is
/// given with what to call it in the error, a file or a party.
///
/// # Errors
/// [`TableError::Schema`] says what first differs, and between which two.
pub fn check_same_schema(tables: &[(&str, &[Field])]) -> Result<(), TableError> {
    let Some(((first, fields), others)) = tables.split_first() else { return Ok(()) };
    for (other, theirs) in others {
        if let Some(what) = difference(fields, theirs) {
            return Err(TableError::Schema(format!(
                "{first} and {other} have different columns: {what}; give both the same schema"
            )));
        }
    }
    Ok(())
}

fn difference(a: &[Field], b: &[Field]) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} and {} columns", a.len(), b.len()));
    }
    let (i, (x, y)) = a.iter().zip(b).enumerate().find(|(_, (x, y))| x != y)?;
    let at = format!("column {}", i + 1);
    Some(if x.name != y.name {
        format!("{at} is \"{}\" in one, \"{}\" in the other", x.name, y.name)
    } else if x.element != y.element {
        format!("{at}, \"{}\", has types {} and {}", x.name, x.element, y.element)
    } else if x.interval == y.interval {
        format!("{at}, \"{}\", does not stand for the same in both", x.name)
    } else {
        let range = |f: &Field| crate::render::interval(f.element, f.interval);
        format!("{at}, \"{}\", has ranges {} and {}", x.name, range(x), range(y))
    })
}
