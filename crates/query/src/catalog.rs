//! The tables that queries are about: who gives them, and what their columns may hold.

use crate::kind::Kind;
use std::ops::RangeInclusive;
use tacit_program::TextFunction;

/// All tables that a query may name. What it says is public.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// The tables. Those of one name are parts of one table, which several parties give: they have equal columns.
    pub tables: Vec<Table>,
    /// Further parties, which give no table: they compute, and may learn results.
    pub others: Vec<String>,
}

/// A table of one party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The party that gives it.
    pub owner: String,
    /// Its name, unique among the owner's.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// How many rows it may have.
    pub rows: RangeInclusive<u64>,
    /// The column of bits that says which rows the table has, by number, if its owner fills it up so that nobody sees how many.
    pub there: Option<usize>,
    /// Sets of columns, by number, that no two rows have equal values in. The run checks it where a query relies on it.
    pub unique: Vec<Vec<usize>>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, unique in the table.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// Its least and greatest raw value.
    pub range: RangeInclusive<i128>,
    /// Whether values may be missing.
    pub nullable: bool,
    /// How many characters its texts have at most, if it has texts and that is known.
    pub longest: Option<u32>,
    /// The column of texts that its owner computes it from, by number, and what is computed. None of a column that the table itself has.
    pub derived: Option<(usize, TextFunction)>,
}

impl Column {
    /// A column that the table itself has.
    #[must_use]
    pub fn new(name: &str, kind: Kind, range: RangeInclusive<i128>, nullable: bool) -> Self {
        Column { name: name.to_owned(), kind, range, nullable, longest: None, derived: None }
    }
}

impl Catalog {
    /// The numbers of the tables that a query means by `owner.name`, or without an owner by `name`: then of all parties that
    /// give one. None if there is no such table.
    #[must_use]
    pub fn parts(&self, owner: Option<&str>, name: &str) -> Vec<usize> {
        let tables = self.tables.iter().enumerate();
        let meant = tables.filter(|(_, table)| {
            table.name.eq_ignore_ascii_case(name)
                && owner.is_none_or(|owner| table.owner.eq_ignore_ascii_case(owner))
        });
        meant.map(|(number, _)| number).collect()
    }

    /// The parties that give tables, in the order of their first one.
    #[must_use]
    pub fn owners(&self) -> Vec<&str> {
        let mut owners: Vec<&str> = Vec::new();
        for table in &self.tables {
            if !owners.contains(&table.owner.as_str()) {
                owners.push(&table.owner);
            }
        }
        owners
    }

    /// All parties: those that give tables, then the others.
    #[must_use]
    pub fn parties(&self) -> Vec<&str> {
        let mut parties = self.owners();
        for other in &self.others {
            if !parties.contains(&other.as_str()) {
                parties.push(other);
            }
        }
        parties
    }
}

impl Table {
    /// Its columns but the one of [`Table::there`].
    pub fn own_columns(&self) -> impl Iterator<Item = &Column> {
        let numbered = self.columns.iter().enumerate();
        numbered.filter(|(number, _)| self.there != Some(*number)).map(|(_, column)| column)
    }

    /// `owner.name`, which stands before the names of its inputs and is the name of its row count.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }
}
