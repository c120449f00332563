//! Schema files, which are TOML.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use tacit_program::domain::{DATE, parse_date};
use tacit_program::text;
use tacit_program::{Element, Interval, Meaning};
use toml::Spanned;

use crate::column::Field;
use crate::error::TableError;
use crate::number;
use crate::schema::{ColumnSpec, CsvOptions, Missing, Schema, with_known};

/// The way in which a schema file serves the tables of several parties.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    /// The party whose table is read: what the file says of `age` holds for the input `alice.age` of alice,
    /// unless it says something of `alice.age` itself.
    pub owner: String,
    /// Inputs that the file may describe although this table does not give them.
    pub others: Vec<String>,
}

impl Sharing {
    /// The column of the owner that the file describes.
    fn own(&self, column: ColumnTable, wanted: &[Field]) -> ColumnTable {
        let is =
            |name: &str| wanted.iter().any(|field| field.name == name || field.source() == name);
        let own = |name: &str| {
            let full = format!("{}.{name}", self.owner);
            if !is(name) && is(&full) { full } else { name.to_owned() }
        };
        let written = column.input.clone();
        let input = own(&written);
        let validity = column.validity.as_deref().map(own);
        let name = column.name.or_else(|| (input != written).then(|| written.clone()));
        ColumnTable { input, written, validity, name, ..column }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SchemaFile {
    #[serde(default)]
    csv: CsvTable,
    #[serde(default)]
    column: Vec<Spanned<ColumnTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CsvTable {
    delimiter: Option<String>,
    quote: String,
    header: bool,
    missing: Vec<String>,
}

impl Default for CsvTable {
    fn default() -> Self {
        CsvTable { delimiter: None, quote: "\"".to_owned(), header: true, missing: Vec::new() }
    }
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnTable {
    input: String,
    /// The input as the file has it.
    #[serde(skip)]
    written: String,
    name: Option<String>,
    r#type: Option<String>,
    range: Option<[Number; 2]>,
    missing: Option<MissingTable>,
    #[serde(default)]
    categories: Categories,
    validity: Option<String>,
}

/// A number, or a text where TOML's own numbers are too short.
#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a number, or a number between quotes")]
enum Number {
    Integer(i64),
    Float(f64),
    Text(String),
}

impl Number {
    fn text(&self) -> String {
        match self {
            Number::Integer(n) => n.to_string(),
            Number::Float(x) => x.to_string(),
            Number::Text(text) => text.clone(),
        }
    }
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MissingTable {
    Error,
    Drop,
    Fill(Number),
}

#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a list of names, or a table of names and integers")]
enum Categories {
    List(Vec<String>),
    Codes(BTreeMap<String, i64>),
}

impl ColumnTable {
    /// What it says of all that is computed of the column.
    fn of_texts(&self) -> Self {
        ColumnTable { r#type: None, range: None, validity: None, ..self.clone() }
    }

    /// Whether its texts are dates.
    fn is_date(&self) -> bool {
        self.r#type.as_deref() == Some(DATE)
    }
}

impl Categories {
    fn is_empty(&self) -> bool {
        match self {
            Categories::List(names) => names.is_empty(),
            Categories::Codes(codes) => codes.is_empty(),
        }
    }
}

impl Default for Categories {
    fn default() -> Self {
        Categories::List(Vec::new())
    }
}

impl Schema {
    /// Reads a schema file. `wanted` are the inputs of the program that a table is to give: types
    /// and ranges that the file leaves out are theirs, and those that it does not mention come
    /// from columns of the same names. With no inputs wanted, the file says all.
    ///
    /// # Errors
    /// [`TableError`] with file, line and what is wrong: not TOML, unknown keys, contradictions,
    /// types and ranges that the program does not want.
    pub fn load(path: &Path, wanted: &[Field]) -> Result<Self, TableError> {
        Schema::load_for(path, wanted, &Sharing::default())
    }

    /// Reads a schema file that serves the tables of several parties, for the table of `by.owner`. `wanted` are the
    /// inputs of the program that this table is to give.
    ///
    /// # Errors
    /// [`TableError`] with file, line and what is wrong: not TOML, unknown keys, contradictions,
    /// types and ranges that the program does not want.
    pub fn load_for(path: &Path, wanted: &[Field], by: &Sharing) -> Result<Self, TableError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|e| TableError::read(&file, e))?;
        Schema::parse_for(&text, &file, wanted, by)
    }

    /// Reads a schema from text that has the form of a schema file; `file` is its name in errors. `wanted` are the
    /// inputs of the program that a table is to give.
    ///
    /// # Errors
    /// [`TableError`] with file, line and what is wrong: not TOML, unknown keys, contradictions,
    /// types and ranges that the program does not want.
    pub fn parse(text: &str, file: &str, wanted: &[Field]) -> Result<Self, TableError> {
        Schema::parse_for(text, file, wanted, &Sharing::default())
    }

    /// Reads a schema from text that serves the tables of several parties, for the table of `by.owner`; `file` is its
    /// name in errors.
    ///
    /// # Errors
    /// [`TableError`] with file, line and what is wrong: not TOML, unknown keys, contradictions,
    /// types and ranges that the program does not want.
    pub fn parse_for(
        text: &str,
        file: &str,
        wanted: &[Field],
        by: &Sharing,
    ) -> Result<Self, TableError> {
        let parsed: SchemaFile = toml::from_str(text).map_err(|e| {
            let line = e.span().map(|span| format!(":{}", line_of(text, span.start)));
            TableError::file(&format!("{file}{}", line.unwrap_or_default()), e.message())
        })?;
        let csv = csv_options(parsed.csv).map_err(|what| TableError::file(file, what))?;
        let (mut columns, mut decided) = (Vec::new(), Vec::new());
        let named: Vec<String> =
            parsed.column.iter().map(|column| column.get_ref().input.clone()).collect();
        for column in parsed.column {
            let line = line_of(text, column.span().start);
            let column = by.own(column.into_inner(), wanted);
            let wrong = |what: String| {
                let file = format!("{file}:{line}");
                TableError::file(&file, format!("input \"{}\": {what}", column.input))
            };
            let of_it: Vec<&Field> =
                wanted.iter().filter(|field| is_derived(field, &column.input)).collect();
            let is_wanted = wanted.iter().any(|field| field.name == column.input);
            // What the file says of this party's input goes before what it says of everybody's.
            let elsewhere = column.written != column.input && named.contains(&column.input);
            if elsewhere || (!is_wanted && of_it.is_empty() && by.others.contains(&column.input)) {
                continue;
            }
            for field in &of_it {
                let derived = ColumnTable { input: field.name.clone(), ..column.of_texts() };
                columns.push(spec(&derived, wanted, &by.others).map_err(wrong)?);
                decided.extend(column.missing.as_ref().map(|_| field.name.clone()));
            }
            if is_wanted || of_it.is_empty() {
                columns.push(spec(&column, wanted, &by.others).map_err(wrong)?);
                decided.extend(column.missing.as_ref().map(|_| column.input.clone()));
            }
        }
        let schema = Schema { csv, columns: complete(columns, wanted, &decided) };
        schema.check().map_err(|e| TableError::file(file, e.to_string()))?;
        Ok(schema)
    }
}

/// Whether an input is computed of the column that an input of some name would be.
fn is_derived(field: &Field, column: &str) -> bool {
    field.meaning.derived().is_some_and(|derived| derived.column == column)
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|b| *b == b'\n').count()
}

/// The columns in the order that the program wants, and those that the file does not mention. Of the columns `decided`
/// it says what becomes of missing values.
fn complete(columns: Vec<ColumnSpec>, wanted: &[Field], decided: &[String]) -> Vec<ColumnSpec> {
    let mut columns = with_known(columns, wanted, |input| decided.iter().any(|it| it == input));
    let place = |spec: &ColumnSpec| wanted.iter().position(|field| field.name == spec.input);
    columns.sort_by_key(place);
    columns
}

fn csv_options(table: CsvTable) -> Result<CsvOptions, String> {
    let one = |key: &str, text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r') => Ok(*byte),
        _ => Err(format!("`{key}` should be one ASCII character")),
    };
    let delimiter = table.delimiter.map(|text| match text.as_str() {
        "tab" => Ok(b'\t'),
        text => one("delimiter", text),
    });
    let delimiter = delimiter.transpose()?;
    let quote = one("quote", &table.quote)?;
    if delimiter == Some(quote) {
        return Err("`delimiter` and `quote` should differ".to_owned());
    }
    Ok(CsvOptions { delimiter, quote, header: table.header, missing: table.missing })
}

fn spec(table: &ColumnTable, wanted: &[Field], others: &[String]) -> Result<ColumnSpec, String> {
    let want = wanted.iter().find(|field| field.name == table.input);
    if want.is_none() && !wanted.is_empty() {
        let names = wanted.iter().map(|field| &field.name).chain(others).map(String::as_str);
        let names: Vec<&str> = names.collect();
        let meant = text::similar(&table.input, names.iter().copied());
        return Err(match meant {
            Some(meant) => {
                format!("the program wants none of this name; did you mean \"{meant}\"?")
            }
            None => format!("the program wants none of this name, but {}", names.join(", ")),
        });
    }
    let element = element(table, want)?;
    let whole = want.map_or(element.interval(), |field| field.interval);
    let meaning = want.map_or(Meaning::Number, |field| field.meaning.clone());
    let name = table.input.clone();
    let mut spec = ColumnSpec::new(&Field { name, element, interval: whole, meaning });
    spec.dates |= table.is_date();
    if !table.categories.is_empty() {
        spec.categories = categories(&table.categories);
        spec.dates = table.is_date();
    }
    if let Some(range) = &table.range {
        spec.range = bounds(&spec, range)?;
        if !whole.contains(spec.range) {
            let allowed = |range| ColumnSpec { range, ..spec.clone() }.range_in_words();
            let [wide, own] = [whole, spec.range].map(allowed);
            return Err(format!(
                "`range` {own} is not within {wide}, which its type or the program allows"
            ));
        }
    }
    spec.column = table.name.clone().unwrap_or(spec.column);
    spec.validity = table.validity.clone();
    if let Some(name) = &spec.validity {
        check_validity(name, wanted)?;
    }
    spec.missing = match &table.missing {
        None | Some(MissingTable::Error) => Missing::Error,
        Some(MissingTable::Drop) => Missing::Drop,
        Some(MissingTable::Fill(value)) => Missing::Fill(
            fill(&spec, &value.text()).map_err(|what| format!("the fill value {what}"))?,
        ),
    };
    spec.check()?;
    Ok(spec)
}

/// A fill value is a number, of a category or not, or a category's name.
fn fill(spec: &ColumnSpec, text: &str) -> Result<i64, String> {
    let numbers = ColumnSpec { categories: Vec::new(), ..spec.clone() };
    spec.raw(text).or_else(|_| numbers.raw(text))
}

fn check_validity(name: &str, wanted: &[Field]) -> Result<(), String> {
    match wanted.iter().find(|field| field.name == name) {
        Some(field) if field.element != Element::Bit => Err(format!(
            "`validity` gives bits, but the program wants \"{name}\" as {}",
            field.element
        )),
        None if !wanted.is_empty() => {
            Err(format!("the program wants no input \"{name}\" for the `validity`"))
        }
        _ => Ok(()),
    }
}

fn element(table: &ColumnTable, want: Option<&Field>) -> Result<Element, String> {
    let own =
        table.r#type.as_deref().filter(|_| !table.is_date()).map(|text| {
            text::parse_element(text).map_err(|what| format!("`type` \"{text}\": {what}"))
        });
    let own = own.transpose()?;
    match (own, want) {
        (Some(own), Some(want)) if own != want.element => {
            Err(format!("`type` is {own}, but the program wants {}", want.element))
        }
        (Some(element), _) => Ok(element),
        (None, Some(want)) => Ok(want.element),
        (None, None) if table.is_date() => Ok(Element::int(32)),
        (None, None) => Err("`type` is missing".to_owned()),
    }
}

/// Bounds are rounded as values are, so that a value equal to a bound is within.
fn bounds(spec: &ColumnSpec, range: &[Number; 2]) -> Result<Interval, String> {
    let (element, unit) = (spec.element, spec.unit());
    let raw = |number: &Number| {
        let text = number.text();
        if let Some(days) = parse_date(&text).filter(|_| spec.dates) {
            return Ok(days.into());
        }
        let exact = number::from_text(text.as_bytes(), unit);
        match exact {
            Ok(found) if found.exact || unit.fraction > 0 || unit.decimals > 0 => Ok(found.raw),
            _ => Err(format!("`range`: {text} is not a {element}")),
        }
    };
    Ok(Interval { low: raw(&range[0])?, high: raw(&range[1])? })
}

fn categories(categories: &Categories) -> Vec<(String, i64)> {
    match categories {
        Categories::List(names) => names.iter().cloned().zip(0..).collect(),
        Categories::Codes(codes) => {
            codes.iter().map(|(name, code)| (name.clone(), *code)).collect()
        }
    }
}
