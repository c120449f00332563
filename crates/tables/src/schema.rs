//! Which column of a file is which input of a program, and what its cells may be.

use std::collections::HashSet;

use tacit_program::derived::Asks;
use tacit_program::domain::{Members, TEXTS};
use tacit_program::text::similar;
use tacit_program::{Element, Interval, Meaning};

use crate::cell::Target;
use crate::column::Field;
use crate::error::TableError;
use crate::number::Unit;
use crate::render;

/// The treatment of a row in which a value is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Missing {
    /// Refuse the file.
    #[default]
    Error,
    /// Leave the row out.
    Drop,
    /// Use this raw value.
    Fill(i64),
}

/// A program input and the column of the file that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSpec {
    /// The column's name in the file; in a CSV file without a header its position, from 1.
    pub column: String,
    /// The name of the program input.
    pub input: String,
    /// The type of each value.
    pub element: Element,
    /// The raw values that are allowed.
    pub range: Interval,
    /// The treatment of rows without a value.
    pub missing: Missing,
    /// Texts that stand for integers; if there are any, the column holds nothing else.
    pub categories: Vec<(String, i64)>,
    /// Whether texts are dates, `2024-01-31`, which become days since 1970-01-01.
    pub dates: bool,
    /// What the values stand for in the program.
    pub meaning: Meaning,
    /// A program input of bits that says which values were there; needs a fill value.
    pub validity: Option<String>,
}

/// The form of CSV files. Quotes within quoted cells are doubled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// The byte that separates cells. `None`: a tab in files called `.tsv`, else a comma.
    pub delimiter: Option<u8>,
    /// The byte around cells that hold delimiters, quotes or line breaks.
    pub quote: u8,
    /// Whether the first line names the columns.
    pub header: bool,
    /// Texts that mean, as the empty cell does, that there is no value.
    pub missing: Vec<String>,
}

impl Default for CsvOptions {
    fn default() -> Self {
        CsvOptions { delimiter: None, quote: b'"', header: true, missing: Vec::new() }
    }
}

/// All that is wanted of a file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Schema {
    /// The form of CSV files.
    pub csv: CsvOptions,
    /// The columns, in the order of the table.
    pub columns: Vec<ColumnSpec>,
}

/// With the columns of further inputs. An input `x.known` of bits has no column of its own: it says which values of `x` there
/// are. Those that are missing are as near to zero as may be, unless `decided` says that something else was said of them.
pub(crate) fn with_known(
    mut columns: Vec<ColumnSpec>,
    fields: &[Field],
    decided: impl Fn(&str) -> bool,
) -> Vec<ColumnSpec> {
    let said = |columns: &[ColumnSpec], name: &str| {
        columns.iter().any(|spec| spec.input == name || spec.validity.as_deref() == Some(name))
    };
    let is_known = |field: &Field, name: &str| {
        field.element == Element::Bit && field.name.strip_suffix(".known") == Some(name)
    };
    let base = |known: &Field| fields.iter().any(|field| is_known(known, &field.name));
    for field in fields.iter().filter(|field| !base(field)) {
        if !said(&columns, &field.name) {
            columns.push(ColumnSpec::new(field));
        }
    }
    for known in fields.iter().filter(|field| base(field)) {
        if said(&columns, &known.name) {
            continue;
        }
        match columns.iter_mut().find(|spec| is_known(known, &spec.input)) {
            Some(spec) if spec.validity.is_none() => {
                if spec.missing == Missing::Error && !decided(&spec.input) {
                    let zero = 0.clamp(spec.range.low, spec.range.high);
                    spec.missing = Missing::Fill(zero as i64);
                }
                spec.validity = Some(known.name.clone());
            }
            _ => columns.push(ColumnSpec::new(known)),
        }
    }
    columns
}

impl ColumnSpec {
    /// Describes a column of the same name as the input, in which no value may be missing.
    #[must_use]
    pub fn new(field: &Field) -> Self {
        let categories = match &field.meaning {
            Meaning::Domain(domain) => match &domain.members {
                Members::Names(names) => names.iter().cloned().zip(0..).collect(),
                Members::Numbers { .. } => Vec::new(),
            },
            _ => Vec::new(),
        };
        ColumnSpec {
            column: field.source().to_owned(),
            input: field.name.clone(),
            element: field.element,
            range: field.interval,
            missing: Missing::Error,
            categories,
            dates: field.meaning == Meaning::Date,
            meaning: field.meaning.clone(),
            validity: None,
        }
    }

    /// What the column is called, unless something else is said of it: see [`Field::source`].
    #[must_use]
    pub fn source(&self) -> &str {
        self.meaning.derived().map_or(&self.input, |derived| &derived.column)
    }

    /// The raw value of a text in this column.
    ///
    /// # Errors
    /// The text does not fit, or means that the value is missing.
    pub(crate) fn raw(&self, text: &str) -> Result<i64, String> {
        match Target::new(self, &[]).text(text.as_bytes()) {
            Ok(Some(raw)) => Ok(raw),
            Ok(None) => Err("is empty".to_owned()),
            Err(_) if self.dates => Err(format!("`{text}` is not a date in {}", self.allowed())),
            Err(_) => {
                Err(format!("`{text}` is not a {} in {}", self.type_in_words(), self.allowed()))
            }
        }
    }

    /// What its values are, as a program has it.
    fn type_in_words(&self) -> String {
        match &self.meaning {
            Meaning::Decimal(digits) => format!("decimal({digits})"),
            Meaning::Text | Meaning::Derived(_) => "text".to_owned(),
            _ => self.element.to_string(),
        }
    }

    /// The input that says which of its values there are, if a program has such an input.
    fn known(&self) -> String {
        format!("{}.known", self.input)
    }

    /// What its raw values count.
    pub(crate) fn unit(&self) -> Unit {
        Unit { fraction: self.element.fraction(), decimals: self.meaning.decimals() }
    }

    /// What its cells may hold, in words.
    pub(crate) fn allowed(&self) -> String {
        if self.categories.is_empty() {
            return self.range_in_words();
        }
        let names: Vec<&str> = self.categories.iter().map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    }

    /// How to name another column of a file, which has these.
    pub(crate) fn advice<'n>(&self, columns: impl Iterator<Item = &'n str>) -> String {
        let input = self.source();
        match similar(&self.column, columns) {
            Some(meant) => format!("did you mean \"{meant}\"? Say so: --column {input}={meant}"),
            None => format!("name one of them: --column {input}=COLUMN"),
        }
    }

    /// Its range: of numbers or of dates.
    pub(crate) fn range_in_words(&self) -> String {
        match (self.dates, self.range) {
            _ if self.meaning == Meaning::Text => "any text".to_owned(),
            _ if self.meaning.derived().is_some_and(|it| it.function.asks != Asks::Length) => {
                "any text".to_owned()
            }
            (_, Interval { low, high }) if self.meaning.derived().is_some() => {
                format!("texts of {low} to {high} characters")
            }
            (true, Interval { low, high }) => {
                format!("{}..{}", Meaning::Date.show(low), Meaning::Date.show(high))
            }
            (false, Interval { low, high }) if self.meaning.decimals() > 0 => {
                format!("{}..{}", self.meaning.show(low), self.meaning.show(high))
            }
            (false, range) => render::interval(self.element, range),
        }
    }

    /// Checks that it does not contradict itself.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Interval { low, high } = self.range;
        if low > high || !self.element.interval().contains(self.range) {
            let range = render::interval(self.element, self.range);
            return Err(format!("no range of {} is {range}", self.element));
        }
        if let Missing::Fill(raw) = self.missing {
            self.check_raw(raw, "the fill value")?;
        } else if self.validity.as_ref().is_some_and(|name| *name != self.known()) {
            return Err("`validity` says where fill values stand: set `missing` to one".to_owned());
        }
        self.check_categories()
    }

    fn check_raw(&self, raw: i64, what: &str) -> Result<(), String> {
        if self.range.contains(Interval::point(render::widen(self.element, raw))) {
            return Ok(());
        }
        let range = render::interval(self.element, self.range);
        Err(format!("{what} {} is outside {range}", render::exact(self.element, raw)))
    }

    fn check_categories(&self) -> Result<(), String> {
        let other_range = self.meaning == Meaning::Text && self.range != TEXTS;
        if self.meaning.is_of_texts() && (self.dates || !self.categories.is_empty() || other_range)
        {
            return Err("texts go in as they are: without categories, dates or a range".to_owned());
        }
        if self.element.fraction() > 0 && !self.categories.is_empty() {
            return Err("categories stand for integers; use an integer type".to_owned());
        }
        if self.dates && !matches!(self.element, Element::Int { .. }) {
            return Err("dates are days since 1970-01-01; use an integer type".to_owned());
        }
        if self.dates && !self.categories.is_empty() {
            return Err("a column holds dates or categories, not both".to_owned());
        }
        let mut names = HashSet::new();
        for (name, code) in &self.categories {
            self.check_raw(*code, &format!("the code of category \"{name}\","))?;
            if name.trim_ascii() != name || name.is_empty() {
                return Err(format!("category \"{name}\" is empty or has spaces around it"));
            }
            if !names.insert(name) {
                return Err(format!("category \"{name}\" is there twice"));
            }
        }
        Ok(())
    }
}

impl Schema {
    /// Describes the columns that a program wants, taken from columns of the same names.
    #[must_use]
    pub fn for_inputs(fields: &[Field]) -> Self {
        Schema { csv: CsvOptions::default(), columns: with_known(Vec::new(), fields, |_| false) }
    }

    /// Gives the columns of the tables that reading by this schema gives, without contents: see
    /// [`check_same_schema`](crate::check_same_schema).
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        let fields = self.columns.iter().map(|spec| {
            let (element, interval) = (spec.element, spec.range);
            let (name, meaning) = (spec.input.clone(), spec.meaning.clone());
            let field = Field { name, element, interval, meaning };
            let validity = spec.validity.as_ref().map(|name| Field::new(name, Element::Bit));
            std::iter::once(field).chain(validity)
        });
        fields.flatten().collect()
    }

    /// Takes a mapping as users write it in a flag: `INPUT=COLUMN`. It holds for all that is computed of the column, too.
    ///
    /// # Errors
    /// [`TableError::Schema`] if it has another form, or there is no such input.
    pub fn set_column(&mut self, flag: &str) -> Result<(), TableError> {
        let (input, column) = split(flag, "INPUT=COLUMN")?;
        self.of_input(input)?.for_each(|spec| column.clone_into(&mut spec.column));
        Ok(())
    }

    /// Takes what to do with missing values as users write it in a flag: `INPUT=error`,
    /// `INPUT=drop`, or `INPUT=fill:VALUE`.
    ///
    /// # Errors
    /// [`TableError::Schema`] if it has another form, there is no such input, or it cannot hold
    /// the value.
    pub fn set_missing(&mut self, flag: &str) -> Result<(), TableError> {
        const FORM: &str = "INPUT=error, INPUT=drop or INPUT=fill:VALUE";
        let (input, missing) = split(flag, FORM)?;
        for spec in self.of_input(input)? {
            spec.missing = match (missing, missing.strip_prefix("fill:")) {
                ("error", _) => Missing::Error,
                ("drop", _) => Missing::Drop,
                (_, Some(text)) => {
                    let wrong = |what| TableError::Schema(format!("{flag}: the fill value {what}"));
                    Missing::Fill(spec.raw(text).map_err(wrong)?)
                }
                _ => return Err(TableError::Schema(format!("{flag}: want {FORM}"))),
            };
        }
        Ok(())
    }

    /// The column of an input, and what is computed of it.
    fn of_input<'s>(
        &'s mut self,
        input: &'s str,
    ) -> Result<impl Iterator<Item = &'s mut ColumnSpec>, TableError> {
        let is = move |spec: &ColumnSpec| spec.input == input || spec.source() == input;
        if !self.columns.iter().any(is) {
            let inputs: Vec<&str> = self.columns.iter().map(|spec| spec.input.as_str()).collect();
            let meant = similar(input, inputs.iter().copied());
            let meant = meant.map_or(String::new(), |meant| format!("; did you mean \"{meant}\"?"));
            let inputs = inputs.join(", ");
            let what = format!("no input \"{input}\"; there are: {inputs}{meant}");
            return Err(TableError::Schema(what));
        }
        Ok(self.columns.iter_mut().filter(move |spec| is(spec)))
    }

    /// Checks that it does not contradict itself.
    ///
    /// # Errors
    /// [`TableError::Schema`] says which column and what.
    pub fn check(&self) -> Result<(), TableError> {
        let wrong = |spec: &ColumnSpec, what: String| {
            TableError::Schema(format!("schema, input \"{}\": {what}", spec.input))
        };
        let mut names = HashSet::new();
        for spec in &self.columns {
            spec.check().map_err(|what| wrong(spec, what))?;
            for name in std::iter::once(&spec.input).chain(&spec.validity) {
                if !names.insert(name) {
                    return Err(wrong(spec, format!("the name \"{name}\" is there twice")));
                }
            }
        }
        if names.is_empty() {
            return Err(TableError::Schema("the schema has no columns".to_owned()));
        }
        Ok(())
    }
}

fn split<'a>(flag: &'a str, form: &str) -> Result<(&'a str, &'a str), TableError> {
    flag.split_once('=').ok_or_else(|| TableError::Schema(format!("{flag}: want {form}")))
}
