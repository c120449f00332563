//! Reading inputs of programs from tables and the command line.

use super::args::{PartyFile, TableArgs};
use crate::error::{CliError, ErrorKind};
use std::collections::BTreeMap;
use tacit_program::clear::Array;
use tacit_program::domain::{Members, parse_date};
use tacit_program::{DimId, Element, Meaning, PartyId, Program, Type};
use tacit_tables::{Field, Schema, Sharing, Table, TableError, pad};

/// Inputs by name, and the row counts that they fix.
#[derive(Default)]
pub struct Given {
    /// Values.
    pub inputs: BTreeMap<String, Array>,
    /// Rows, by name of the row count.
    pub rows: BTreeMap<String, u64>,
}

impl From<TableError> for CliError {
    fn from(error: TableError) -> CliError {
        match error {
            TableError::Io { ref source, .. } => {
                let kind = ErrorKind::of_file(source.kind());
                CliError { kind, message: error.to_string() }
            }
            _ => CliError::input(error.to_string()),
        }
    }
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
    fn width(&self) -> Result<usize, CliError> {
        let mut inner = self.ty.shape[1..].iter().map(|extent| extent.known());
        let width = inner.try_fold(1u64, |all, n| all.checked_mul(n?));
        width.map(|width| width as usize).ok_or_else(|| {
            CliError::input(format!(
                "input `{}` has rows in more than one axis; tables cannot give it",
                self.name
            ))
        })
    }

    /// The columns that hold it.
    fn fields(&self) -> Result<Vec<Field>, CliError> {
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

/// The inputs of one party, from its tables and values.
pub fn of_party(
    program: &Program,
    args: &TableArgs,
    party: PartyId,
    is_me: &dyn Fn(&Option<String>) -> Result<bool, CliError>,
) -> Result<Given, CliError> {
    let mut given = Given::default();
    let name = &program.parties[usize::from(party.0)];
    let mut by_dim: BTreeMap<DimId, Vec<Wanted<'_>>> = BTreeMap::new();
    for (wanted, _) in all(program).filter(|(_, owner)| *owner == Some(party)) {
        match wanted.dim() {
            Some(dim) => by_dim.entry(dim).or_default().push(wanted),
            None => {
                let array = value_of(args, &wanted)?;
                given.inputs.insert(wanted.name.into(), array);
            }
        }
    }
    let tables = mine(&args.tables, is_me)?;
    // A party's own schema goes before the one that all parties share.
    let own = args.schemas.iter().filter(|schema| schema.party.is_some()).cloned();
    let own: Vec<PartyFile> = own.collect();
    let shared = args.schemas.iter().find(|schema| schema.party.is_none());
    let schema = mine(&own, is_me)?.first().copied().or(shared);
    let single = by_dim.len() == 1;
    for (dim, wanted) in &by_dim {
        let rows = &program.dims[dim.0 as usize];
        let table = tables.iter().find(|t| match &t.rows {
            Some(named) => *named == rows.name,
            None => single,
        });
        let table = table.ok_or_else(|| {
            let inputs: Vec<&str> = wanted.iter().map(|w| w.name).collect();
            CliError::input(format!(
                "{name} gives {} with rows `{}`: add --table {name}{}=FILE",
                inputs.join(", "),
                rows.name,
                if single { String::new() } else { format!("/{}", rows.name) }
            ))
        })?;
        let table = read(args, table, schema, wanted, program, *dim, name)?;
        given.rows.insert(rows.name.clone(), table.rows as u64);
        for wanted in wanted {
            given.inputs.insert(wanted.name.into(), array_of(wanted, &table)?);
        }
    }
    Ok(given)
}

/// The public inputs.
pub fn public(program: &Program, args: &TableArgs) -> Result<Given, CliError> {
    let mut given = Given::default();
    for (wanted, _) in all(program).filter(|(_, owner)| owner.is_none()) {
        given.inputs.insert(wanted.name.into(), value_of(args, &wanted)?);
    }
    Ok(given)
}

fn mine<'a>(
    files: &'a [PartyFile],
    is_me: &dyn Fn(&Option<String>) -> Result<bool, CliError>,
) -> Result<Vec<&'a PartyFile>, CliError> {
    let mut mine = Vec::new();
    for file in files {
        if is_me(&file.party)? {
            mine.push(file);
        }
    }
    Ok(mine)
}

fn read(
    args: &TableArgs,
    file: &PartyFile,
    schema: Option<&PartyFile>,
    wanted: &[Wanted<'_>],
    program: &Program,
    dim: DimId,
    owner: &str,
) -> Result<Table, CliError> {
    let rows = &program.dims[dim.0 as usize];
    let padding = args.pads.iter().find(|pad| pad.name == rows.name);
    let is_validity = |wanted: &&Wanted<'_>| padding.is_none_or(|pad| pad.value != wanted.name);
    let fields = wanted.iter().filter(is_validity).map(Wanted::fields);
    let fields: Vec<Field> = fields.collect::<Result<Vec<_>, _>>()?.concat();
    let mut schema = match schema {
        Some(schema) => Schema::load_for(&schema.path, &fields, &sharing(program, owner))?,
        None => Schema::for_inputs(&fields),
    };
    let known = |flag: &String| own_flag(flag, &fields, owner);
    // The column of `alice.salary` from alice is `salary`, unless the schema names one.
    let prefix = format!("{owner}.");
    for spec in schema.columns.iter_mut().filter(|spec| spec.column == spec.input) {
        if let Some(column) = spec.input.strip_prefix(&prefix) {
            spec.column = column.to_string();
        }
    }
    for flag in args.columns.iter().filter_map(known) {
        schema.set_column(&flag)?;
    }
    for flag in args.missing.iter().filter_map(known) {
        schema.set_missing(&flag)?;
    }
    schema.check()?;
    let table = tacit_tables::read(&file.path, &schema)?;
    match padding {
        Some(validity) => Ok(pad(table, rows.max as usize, &validity.value)?.table),
        None => Ok(table),
    }
}

/// How one schema file serves several parties: it may describe what any of them gives.
fn sharing(program: &Program, owner: &str) -> Sharing {
    let mut others = Vec::new();
    for (wanted, party) in all(program).filter(|(wanted, _)| wanted.dim().is_some()) {
        let party = party.map(|party| program.parties[usize::from(party.0)].as_str());
        for field in wanted.fields().unwrap_or_default() {
            let short = party.and_then(|party| short(&field.name, party));
            others.extend(short.map(str::to_owned));
            others.push(field.name);
        }
    }
    Sharing { owner: owner.to_owned(), others }
}

/// The name of a party's input within its own table: `age` of `alice.age`.
pub fn short<'n>(input: &'n str, party: &str) -> Option<&'n str> {
    input.strip_prefix(party)?.strip_prefix('.')
}

/// A flag `INPUT=...` with the full name of the input, if it is one of these.
fn own_flag(flag: &str, fields: &[Field], owner: &str) -> Option<String> {
    let (input, rest) = flag.split_once('=').unwrap_or((flag, ""));
    let is = |field: &&Field| field.name == input || short(&field.name, owner) == Some(input);
    fields.iter().find(is).map(|field| format!("{}={rest}", field.name))
}

fn array_of(wanted: &Wanted<'_>, table: &Table) -> Result<Array, CliError> {
    let fields = wanted.fields()?;
    let missing = |field: &Field| {
        CliError::input(format!("the table has no column for input `{}`", field.name))
    };
    let columns = fields
        .iter()
        .map(|field| table.column(&field.name).ok_or_else(|| missing(field)))
        .collect::<Result<Vec<_>, _>>()?;
    let mut shape = vec![table.rows];
    shape.extend(wanted.ty.shape[1..].iter().map(|e| e.known().unwrap_or(0) as usize));
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
    Array::new(wanted.ty.element, shape, raw).map_err(|e| CliError::input(e.to_string()))
}

/// An input without rows, from `--value`.
fn value_of(args: &TableArgs, wanted: &Wanted<'_>) -> Result<Array, CliError> {
    let given = args.values.iter().find(|value| value.name == wanted.name);
    let given = given.ok_or_else(|| {
        CliError::input(format!("input `{0}` has no value: add --value {0}=VALUE", wanted.name))
    })?;
    let shape: Option<Vec<usize>> =
        wanted.ty.shape.iter().map(|e| e.known().map(|n| n as usize)).collect();
    let shape = shape.ok_or_else(|| {
        CliError::input(format!("input `{}` has rows; --value cannot give it", wanted.name))
    })?;
    let raw = given
        .value
        .split(',')
        .map(|text| code(text.trim(), wanted))
        .collect::<Option<Vec<i128>>>()
        .ok_or_else(|| {
            let what = match wanted.meaning {
                Meaning::Number => format!("not numbers of type {}", wanted.ty.element),
                Meaning::Date => "not dates such as 2024-01-31".into(),
                Meaning::Domain(domain) => format!("none of {domain}"),
            };
            CliError::input(format!("--value {}: {what}", wanted.name))
        })?;
    Array::from_values(wanted.ty.element, shape, raw)
        .map_err(|e| CliError::input(format!("--value {}: {e}", wanted.name)))
}

/// The raw value of a text: a number, a date, or a category.
fn code(text: &str, wanted: &Wanted<'_>) -> Option<i128> {
    match wanted.meaning {
        Meaning::Number => number(text, wanted.ty.element),
        Meaning::Date => parse_date(text).map(i128::from),
        Meaning::Domain(domain) => match &domain.members {
            Members::Names(names) => {
                names.iter().position(|name| name == text).map(|code| code as i128)
            }
            Members::Numbers { .. } => number(text, wanted.ty.element),
        },
    }
}

fn number(text: &str, element: Element) -> Option<i128> {
    match element.fraction() {
        0 if element == Element::Bit => match text {
            "true" | "1" => Some(1),
            "false" | "0" => Some(0),
            _ => None,
        },
        0 => text.replace('_', "").parse().ok(),
        fraction => {
            let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
            Some((value * (1u128 << fraction) as f64).round() as i128)
        }
    }
}
