//! A party's inputs of a program: from its tables, and from values.

use crate::error::{Error, Remedy, Result};
use crate::values::Values;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tacit_circuit::spelling;
use tacit_program::clear::Array;
use tacit_program::{DimId, Element, Meaning, PartyId, Program, Type};
use tacit_tables::{Field, Schema, Sharing, Table, pad};
use zeroize::Zeroizing;

/// Inputs by name, and the row counts that they fix.
#[derive(Default)]
pub struct Given {
    /// Values.
    pub inputs: BTreeMap<String, Array>,
    /// Rows, by name of the row count.
    pub rows: BTreeMap<String, u64>,
}

/// Where a party's inputs come from, and those that are public.
#[derive(Clone, Default)]
pub struct Sources {
    /// Tables, CSV or Parquet.
    pub tables: Vec<TableSource>,
    /// A file that says which column is which input.
    pub schema: Option<PathBuf>,
    /// `INPUT=COLUMN`.
    pub columns: Vec<String>,
    /// `INPUT=POLICY`.
    pub missing: Vec<String>,
    /// Row counts that are hidden.
    pub pads: Vec<Padding>,
    /// Values, by input.
    pub values: BTreeMap<String, Values>,
    /// Whether values are words of a command line: inputs with rows come from tables alone then.
    pub of_command_line: bool,
}

/// A table of a party.
#[derive(Clone, Debug)]
pub struct TableSource {
    /// The file.
    pub path: PathBuf,
    /// For which row count, where the party has several.
    pub rows: Option<String>,
}

/// Rows that are appended up to the maximum.
#[derive(Clone, Debug)]
pub struct Padding {
    /// Name of the row count.
    pub rows: String,
    /// The input, bits, that says which rows are real.
    pub validity: String,
}

/// An input of a program.
struct Wanted<'p> {
    name: &'p str,
    ty: &'p Type,
    meaning: &'p Meaning,
}

/// All inputs of a program, and who gives them.
fn all(program: &Program) -> impl Iterator<Item = (Wanted<'_>, Option<PartyId>)> {
    program.inputs().map(|(id, name, owner)| {
        let ty = &program.body.nodes[id as usize].types[0];
        (Wanted { name, ty, meaning: program.meaning(id) }, owner)
    })
}

impl Wanted<'_> {
    /// The row count of its rows, if it has rows.
    fn dim(&self) -> Option<DimId> {
        let extent = self.ty.shape.first()?;
        match &extent.terms[..] {
            [(dim, 1)] if extent.constant == 0 => Some(*dim),
            _ => None,
        }
    }

    /// Columns per row, for inputs with rows.
    fn width(&self) -> Result<usize> {
        let mut inner = self.ty.shape[1..].iter().map(|extent| extent.known());
        let width = inner.try_fold(1u64, |all, n| all.checked_mul(n?));
        width.map(|width| width as usize).ok_or_else(|| {
            Error::input(format!(
                "input `{}` has rows in more than one axis; tables cannot give it",
                self.name
            ))
        })
    }

    /// The lengths of its axes, with so many rows.
    fn shape(&self, rows: usize) -> Vec<usize> {
        let inner = self.ty.shape[1..].iter().map(|extent| extent.known().unwrap_or(0) as usize);
        std::iter::once(rows).chain(inner).collect()
    }

    /// The columns that hold it.
    fn fields(&self) -> Result<Vec<Field>> {
        let field = |name: String| Field {
            name,
            element: self.ty.element,
            interval: self.ty.interval,
            meaning: self.meaning.clone(),
        };
        if self.ty.shape.len() == 1 {
            return Ok(vec![field(self.name.into())]);
        }
        Ok((0..self.width()?).map(|i| field(format!("{}[{i}]", self.name))).collect())
    }
}

impl Sources {
    /// The inputs of one party of the program.
    ///
    /// # Errors
    /// A table or a value is missing, or cannot be read, or is none of the program's; or rows are equal that a query says are not.
    pub fn of_party(&self, program: &crate::Program, party: PartyId) -> Result<Given> {
        let mut given = Given::default();
        let mut by_dim: BTreeMap<DimId, Vec<Wanted<'_>>> = BTreeMap::new();
        for (wanted, _) in all(program).filter(|(_, owner)| *owner == Some(party)) {
            match wanted.dim() {
                Some(_) if self.gives_rows(&wanted) => {
                    self.add_rows(program, &wanted, &mut given)?
                }
                Some(dim) => by_dim.entry(dim).or_default().push(wanted),
                None => {
                    given.inputs.insert(wanted.name.into(), self.value_of(&wanted)?);
                }
            }
        }
        let pads = self.pads(program, party);
        for pad in &pads {
            // What is given as values, without the bits that say which rows there are.
            let dim = program.dim(&pad.rows).filter(|_| given.rows.contains_key(&pad.rows));
            let only = |dim: &DimId| by_dim[dim].iter().all(|it| it.name == pad.validity);
            if let Some(dim) = dim.filter(|dim| by_dim.contains_key(dim) && only(dim)) {
                by_dim.remove(&dim);
                given.pad(program, dim, &pad.validity)?;
            }
        }
        self.check_tables(program, party, &by_dim)?;
        for (dim, wanted) in &by_dim {
            let table = self.table(program, party, (*dim, wanted), (by_dim.len() == 1, &pads))?;
            let rows = &program.dims[dim.0 as usize];
            given.count(&rows.name, table.rows as u64)?;
            for wanted in wanted {
                given.inputs.insert(wanted.name.into(), array_of(wanted, &table)?);
            }
        }
        program.unique().iter().try_for_each(|columns| given.check_unique(columns, &pads))?;
        Ok(given)
    }

    /// The public inputs.
    ///
    /// # Errors
    /// A value is missing, or is none of the program's.
    pub fn public(&self, program: &Program) -> Result<Given> {
        let mut given = Given::default();
        for (wanted, _) in all(program).filter(|(_, owner)| owner.is_none()) {
            match wanted.dim() {
                Some(_) if self.gives_rows(&wanted) => {
                    self.add_rows(program, &wanted, &mut given)?
                }
                _ => {
                    given.inputs.insert(wanted.name.into(), self.value_of(&wanted)?);
                }
            }
        }
        // Rows are told by those who own inputs.
        given.rows.clear();
        Ok(given)
    }

    /// Refuses values for what is no input of the program, or is another party's than `own`.
    pub fn check_names(&self, program: &Program, own: Option<PartyId>) -> Result<()> {
        for name in self.values.keys() {
            let found = program.inputs().find(|(_, known, _)| known == name);
            let Some((_, _, owner)) = found else {
                let known: Vec<&str> = program.inputs().map(|(_, known, _)| known).collect();
                let hint = spelling::hint(name, known.iter().copied());
                let known = known.join(", ");
                return Err(Error::input(format!(
                    "there is no input `{name}`; the program's inputs are {known}{hint}"
                )));
            };
            if own.is_some() && owner.is_some() && owner != own {
                return Err(Error::input(format!(
                    "input `{name}` is another party's, which gives it itself"
                )));
            }
        }
        Ok(())
    }

    /// Row counts of a party's tables that are hidden: those of which the program says it, and others of which the party does.
    fn pads(&self, program: &Program, party: PartyId) -> Vec<Padding> {
        let own = all(program).filter(|(_, owner)| *owner == Some(party));
        let said = own.filter(|(wanted, _)| *wanted.meaning == Meaning::Padding);
        let padding = |wanted: Wanted<'_>| {
            let rows = program.dims[wanted.dim()?.0 as usize].name.clone();
            Some(Padding { rows, validity: wanted.name.to_owned() })
        };
        said.filter_map(|(wanted, _)| padding(wanted)).chain(self.pads.iter().cloned()).collect()
    }

    /// Whether an input with rows is given without a table.
    fn gives_rows(&self, wanted: &Wanted<'_>) -> bool {
        !self.of_command_line && self.values.contains_key(wanted.name)
    }

    /// An input with rows, from values: as many rows as the values make.
    fn add_rows(&self, program: &Program, wanted: &Wanted<'_>, given: &mut Given) -> Result<()> {
        let values = &self.values[wanted.name];
        let width = wanted.width()?;
        let rows = values.len().checked_div(width).unwrap_or(0);
        if rows * width != values.len() {
            return Err(Error::input(format!(
                "input `{}` has rows of {width} values, and {} values are not whole rows",
                wanted.name,
                values.len()
            )));
        }
        let array = values.array((wanted.ty.element, wanted.meaning), wanted.shape(rows));
        let array = array.map_err(|e| Error::input(format!("input `{}`: {e}", wanted.name)))?;
        if let Some(dim) = wanted.dim() {
            given.count(&program.dims[dim.0 as usize].name, rows as u64)?;
        }
        given.inputs.insert(wanted.name.into(), array);
        Ok(())
    }

    /// The table of a row count.
    fn table(
        &self,
        program: &Program,
        party: PartyId,
        (dim, wanted): (DimId, &[Wanted<'_>]),
        (single, pads): (bool, &[Padding]),
    ) -> Result<Table> {
        let rows = &program.dims[dim.0 as usize];
        let name = &program.parties[usize::from(party.0)];
        let table = self.tables.iter().find(|t| match &t.rows {
            Some(named) => is_rows(program, named, &rows.name, name),
            None => single,
        });
        let table = table.ok_or_else(|| {
            let inputs: Vec<&str> = wanted.iter().map(|w| w.name).collect();
            let what = format!("{name} gives {} with rows `{}`", inputs.join(", "), rows.name);
            let of = (!single).then(|| rows.name.clone());
            Error::input(what).with_remedy(Remedy::Table(name.clone(), of))
        })?;
        let padding = pads.iter().find(|pad| pad.rows == rows.name);
        let is_validity =
            |wanted: &&Wanted<'_>| padding.is_none_or(|pad| pad.validity != wanted.name);
        let fields = wanted.iter().filter(is_validity).map(Wanted::fields);
        let fields: Vec<Field> = fields.collect::<Result<Vec<_>>>()?.concat();
        if fields.is_empty() {
            return Err(Error::input(format!(
                "the program takes nothing of the rows `{}` but which there are: a table needs another input with them, for its rows to be counted",
                rows.name
            )));
        }
        let prefix = prefix(&fields, &rows.name, name);
        let table = tacit_tables::read(&table.path, &self.schema(program, &fields, prefix)?)?;
        match padding {
            Some(padding) => Ok(pad(table, rows.max as usize, &padding.validity)?.table),
            None => Ok(table),
        }
    }

    /// Where a program embeds the library: refuses tables that no input is read from.
    fn check_tables(
        &self,
        program: &Program,
        party: PartyId,
        read: &BTreeMap<DimId, Vec<Wanted<'_>>>,
    ) -> Result<()> {
        let single = read.len() == 1;
        let name = &program.parties[usize::from(party.0)];
        let is_read = |table: &TableSource| match &table.rows {
            Some(rows) => read
                .keys()
                .any(|dim| is_rows(program, rows, &program.dims[dim.0 as usize].name, name)),
            None => single,
        };
        match self.tables.iter().find(|table| !self.of_command_line && !is_read(table)) {
            None => Ok(()),
            Some(table) => Err(Error::input(format!(
                "no input of {} is read from {}: leave the table out, or say which row count it is for",
                program.parties[usize::from(party.0)],
                table.path.display()
            ))),
        }
    }

    /// Which column of a party's table is which input. `owner` is what the names of its inputs begin with.
    fn schema(&self, program: &Program, fields: &[Field], owner: &str) -> Result<Schema> {
        let mut schema = match &self.schema {
            Some(path) => Schema::load_for(path, fields, &sharing(program, owner))?,
            None => Schema::for_inputs(fields),
        };
        let known = |flag: &String| own_flag(flag, fields, owner);
        // The column of `alice.salary` from alice is `salary`, unless the schema names one.
        let prefix = format!("{owner}.");
        for spec in schema.columns.iter_mut().filter(|spec| spec.column == spec.source()) {
            if let Some(column) = spec.source().strip_prefix(&prefix) {
                spec.column = column.to_string();
            }
        }
        for flag in self.columns.iter().filter_map(known) {
            schema.set_column(&flag)?;
        }
        for flag in self.missing.iter().filter_map(known) {
            schema.set_missing(&flag)?;
        }
        schema.check()?;
        Ok(schema)
    }

    /// An input without rows.
    fn value_of(&self, wanted: &Wanted<'_>) -> Result<Array> {
        let given = self.values.get(wanted.name).ok_or_else(|| {
            let what = format!("input `{}` has no value", wanted.name);
            Error::input(what).with_remedy(Remedy::Value(wanted.name.into()))
        })?;
        let shape: Option<Vec<usize>> =
            wanted.ty.shape.iter().map(|e| e.known().map(|n| n as usize)).collect();
        let shape = shape.ok_or_else(|| {
            let what = if self.of_command_line { "; --value cannot give it" } else { "" };
            Error::input(format!("input `{}` has rows{what}", wanted.name))
        })?;
        given.array((wanted.ty.element, wanted.meaning), shape).map_err(|e| {
            Error::input(match self.of_command_line {
                true => format!("--value {}: {e}", wanted.name),
                false => format!("input `{}`: {e}", wanted.name),
            })
        })
    }
}

/// What a file gives of a party's inputs: those with these rows, or with rows at all, where they have all the same ones.
pub fn read_table(
    program: &Program,
    party: PartyId,
    rows: Option<&str>,
    path: &Path,
) -> Result<Vec<(String, Values)>> {
    let owner = &program.parties[usize::from(party.0)];
    let mut by_dim: BTreeMap<DimId, Vec<Wanted<'_>>> = BTreeMap::new();
    for (wanted, _) in all(program).filter(|(_, owner)| *owner == Some(party)) {
        // Rows are appended when they go in.
        if let Some(dim) = wanted.dim().filter(|_| *wanted.meaning != Meaning::Padding) {
            by_dim.entry(dim).or_default().push(wanted);
        }
    }
    let name = |dim: &DimId| program.dims[dim.0 as usize].name.as_str();
    let is_meant = |dim: &DimId| match rows {
        Some(rows) => is_rows(program, rows, name(dim), owner),
        None => by_dim.len() == 1,
    };
    let Some((dim, wanted)) = by_dim.iter().find(|(dim, _)| is_meant(dim)) else {
        let tables: Vec<&str> = by_dim.keys().map(name).collect();
        let tables = tables.join(", ");
        return Err(Error::input(match rows {
            Some(rows) => format!("{owner} gives no table `{rows}`; there are {tables}"),
            None => format!("say which table of {owner} it is; there are {tables}"),
        }));
    };
    let source = TableSource { path: path.to_owned(), rows: rows.map(str::to_owned) };
    let sources = Sources { tables: vec![source], ..Sources::default() };
    let table = sources.table(program, party, (*dim, wanted), (by_dim.len() == 1, &[]))?;
    let values = |wanted: &Wanted<'_>| {
        let raw = Zeroizing::new(array_of(wanted, &table)?.values().collect::<Vec<i128>>());
        Ok((wanted.name.to_owned(), Values::raw(&raw)))
    };
    wanted.iter().map(values).collect()
}

impl Given {
    /// Refuses rows of equal values where a table's columns are unique. Null is equal to nothing, and rows that were appended are none.
    fn check_unique(&self, columns: &[String], pads: &[Padding]) -> Result<()> {
        let own = |name: &String| self.inputs.get(name);
        let Some(arrays) = columns.iter().map(own).collect::<Option<Vec<_>>>() else {
            return Ok(());
        };
        let (table, _) = columns[0].rsplit_once('.').unwrap_or(("", &columns[0]));
        let known = columns.iter().map(|name| format!("{name}.known"));
        let padded = pads.iter().filter(|pad| pad.rows == table).map(|pad| pad.validity.clone());
        let there: Vec<&Array> =
            known.chain(padded).filter_map(|name| self.inputs.get(&name)).collect();
        let rows = arrays.first().map_or(0, |array| array.len());
        let mut rows: Vec<usize> =
            (0..rows).filter(|row| there.iter().all(|bits| bits.get(*row) != 0)).collect();
        // In place: values of inputs are nowhere but where they are wiped.
        let order = |a: &usize, b: &usize| {
            let each = arrays.iter().map(|array| array.get(*a).cmp(&array.get(*b)));
            each.fold(Ordering::Equal, Ordering::then)
        };
        rows.sort_unstable_by(order);
        let Some(pair) = rows.windows(2).find(|pair| order(&pair[0], &pair[1]).is_eq()) else {
            return Ok(());
        };
        let (first, second) = (pair[0].min(pair[1]) + 1, pair[0].max(pair[1]) + 1);
        let names = columns.iter().map(|name| name.rsplit('.').next().unwrap_or(name));
        Err(Error::input(format!(
            "{table}: rows {first} and {second} have the same {}, which the query says no two rows have (UNIQUE, PRIMARY KEY): \
             remove one of them, or say no more that it is unique",
            names.collect::<Vec<_>>().join(", ")
        )))
    }

    /// Appends rows to the inputs with a row count, up to the most that there may be, and says by bits which ones are real.
    fn pad(&mut self, program: &Program, dim: DimId, validity: &str) -> Result<()> {
        let rows = &program.dims[dim.0 as usize];
        let (real, most) = (self.rows[&rows.name], rows.max);
        if real > most {
            let what = format!(
                "there are more rows than the declared maximum of {most} of `{}`: declare a larger one",
                rows.name
            );
            return Err(Error::input(what));
        }
        let wrong = |e: tacit_program::clear::OpError| Error::input(e.to_string());
        for (wanted, _) in all(program).filter(|(wanted, _)| wanted.dim() == Some(dim)) {
            let Some(array) = self.inputs.get(wanted.name) else { continue };
            let nothing = 0.clamp(wanted.ty.interval.low, wanted.ty.interval.high);
            let shape = wanted.shape(most as usize);
            let values = array.values().chain(std::iter::repeat(nothing));
            let values = values.take(shape.iter().product());
            let padded = Array::from_values(wanted.ty.element, shape, values).map_err(wrong)?;
            self.inputs.insert(wanted.name.into(), padded);
        }
        let bits = (0..most).map(|row| i128::from(row < real));
        let bits = Array::from_values(Element::Bit, vec![most as usize], bits).map_err(wrong)?;
        self.inputs.insert(validity.to_owned(), bits);
        self.rows.insert(rows.name.clone(), most);
        Ok(())
    }

    /// One of a party's inputs has so many of these rows; its others must have as many.
    fn count(&mut self, name: &str, rows: u64) -> Result<()> {
        match self.rows.insert(name.to_owned(), rows) {
            Some(other) if other != rows => Err(Error::input(format!(
                "inputs with rows `{name}` are {other} and {rows} rows long: all must be as long"
            ))),
            _ => Ok(()),
        }
    }
}

/// How one schema file serves several parties: it may describe what any of them gives.
fn sharing(program: &Program, owner: &str) -> Sharing {
    let mut others = Vec::new();
    for (wanted, party) in all(program).filter(|(wanted, _)| wanted.dim().is_some()) {
        let party = party.map(|party| program.parties[usize::from(party.0)].as_str());
        for field in wanted.fields().unwrap_or_default() {
            let rows = wanted.dim().map(|dim| program.dims[dim.0 as usize].name.as_str());
            let short_source =
                |of: Option<&str>| of.and_then(|of| short(field.source(), of)).map(str::to_owned);
            let short = |of: Option<&str>| of.and_then(|of| short(&field.name, of));
            others.extend(short_source(party).into_iter().chain(short_source(rows)));
            others.extend([short(party), short(rows)].into_iter().flatten().map(str::to_owned));
            others.extend(field.meaning.derived().map(|derived| derived.column.clone()));
            others.push(field.name);
        }
    }
    Sharing { owner: owner.to_owned(), others }
}

/// Whether a table is given for a row count by this name: that of `alice.visits` of alice may be called `visits`, unless another one
/// is.
pub fn is_rows(program: &Program, given: &str, rows: &str, party: &str) -> bool {
    given == rows || (program.dim(given).is_none() && short(rows, party) == Some(given))
}

/// What the names of inputs begin with that come from one table: `alice.visits.age` with the row count, if it is called
/// `alice.visits`, else `alice.age` with the party.
fn prefix<'n>(fields: &[Field], rows: &'n str, party: &'n str) -> &'n str {
    let by_rows =
        !fields.is_empty() && fields.iter().all(|field| short(&field.name, rows).is_some());
    if by_rows { rows } else { party }
}

/// The name of a party's input within its own table: `age` of `alice.age`.
pub fn short<'n>(input: &'n str, party: &str) -> Option<&'n str> {
    input.strip_prefix(party)?.strip_prefix('.')
}

/// A flag `INPUT=...` with the full name of the input, if it is one of these, or of the column that something is computed of.
fn own_flag(flag: &str, fields: &[Field], owner: &str) -> Option<String> {
    let (input, rest) = flag.split_once('=').unwrap_or((flag, ""));
    let names = fields.iter().flat_map(|field| [field.name.as_str(), field.source()]);
    let mut known = names.filter(|name| *name == input || short(name, owner) == Some(input));
    known.next().map(|name| format!("{name}={rest}"))
}

fn array_of(wanted: &Wanted<'_>, table: &Table) -> Result<Array> {
    let fields = wanted.fields()?;
    let missing =
        |field: &Field| Error::input(format!("the table has no column for input `{}`", field.name));
    let columns = fields
        .iter()
        .map(|field| table.column(&field.name).ok_or_else(|| missing(field)))
        .collect::<Result<Vec<_>>>()?;
    let shape = wanted.shape(table.rows);
    let raw = match &columns[..] {
        [column] => column.raw.to_vec(),
        columns => {
            // Sized first: a vector that grows leaves copies behind.
            let mut raw = Vec::with_capacity(table.rows * columns.len());
            (0..table.rows)
                .for_each(|row| raw.extend(columns.iter().map(|column| column.raw[row])));
            raw
        }
    };
    Array::new(wanted.ty.element, shape, raw).map_err(|e| Error::input(e.to_string()))
}
