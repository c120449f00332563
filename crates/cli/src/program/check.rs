//! Checks of the flags for programs, before anything is read or computed.

use super::args::{NamedValue, PartyFile, RowBound, TableArgs};
use crate::error::CliError;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use tacit::Program;
use tacit::runtime::{is_rows, short};
use tacit_circuit::spelling;
use tacit_program::{Element, PartyId, Type};
use tacit_tables::{Format, check_shapes, check_writable};

/// Refuses flags that name what the program has not, or name something twice.
pub fn flags(program: &Program, args: &TableArgs) -> Result<(), CliError> {
    let inputs: Vec<&str> = program.inputs().map(|(_, name, _)| name).collect();
    // What is computed of a column is read from that column.
    let columns: Vec<(&str, Option<PartyId>)> = program
        .inputs()
        .flat_map(|(id, name, party)| {
            let derived = program.meaning(id).derived().map(|derived| derived.column.as_str());
            std::iter::once(name).chain(derived).map(move |name| (name, party))
        })
        .collect();
    // Within a party's own table `alice.age` is called `age`.
    let shorter = columns.iter().flat_map(|(name, party)| {
        let party = party.map(|party| program.parties[usize::from(party.0)].as_str());
        let rows = program.dims.iter().find_map(|dim| short(name, &dim.name));
        [party.and_then(|party| short(name, party)), rows].into_iter().flatten()
    });
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).chain(shorter).collect();
    let known = |flag: &str, name: &str, names: &[&str]| {
        let base = name.split('[').next().unwrap_or(name);
        if names.contains(&name) || names.contains(&base) {
            return Ok(());
        }
        let (all, hint) = (inputs.join(", "), spelling::hint(base, names.iter().copied()));
        Err(CliError::input(format!("{flag} {name}: the program's inputs are {all}{hint}")))
    };
    for NamedValue { name, .. } in &args.values {
        known("--value", name, &inputs)?;
    }
    for (flag, values) in [("--column", &args.columns), ("--missing", &args.missing)] {
        for value in values {
            known(flag, value.split('=').next().unwrap_or_default(), &names)?;
        }
    }
    args.pads.iter().try_for_each(|pad| padding(program, pad))?;
    for file in &args.tables {
        // A party's row count may be called by what follows the party's name.
        let known = |rows: &String| {
            let mut all = program.dims.iter();
            all.any(|dim| {
                program.parties.iter().any(|party| is_rows(program, rows, &dim.name, party))
            })
        };
        if let Some(rows) = file.rows.as_ref().filter(|rows| !known(rows)) {
            rows_exist(program, "--table", rows)?;
        }
    }
    for (flag, bounds) in
        [("--rows-at-least", &args.rows_at_least), ("--rows-at-most", &args.rows_at_most)]
    {
        bounds.iter().try_for_each(|bound| rows_exist(program, flag, &bound.name))?;
        once(flag, bounds.iter().map(|bound| bound.name.clone()))?;
    }
    for (name, range) in bounds(args) {
        if range.is_empty() {
            let (least, most) = range.into_inner();
            return Err(CliError::input(format!(
                "rows `{name}`: --rows-at-least {least} is more than --rows-at-most {most}"
            )));
        }
    }
    once("--value", args.values.iter().map(|value| value.name.clone()))?;
    once("--schema", args.schemas.iter().map(|file| format!("{:?}", file.party)))?;
    once("--pad", args.pads.iter().map(|pad| pad.name.clone()))?;
    let place = |file: &PartyFile| format!("{:?}/{:?}", file.party, file.rows);
    once("--table", args.tables.iter().map(place))
}

/// The rows with which this party computes, by name of the row count, as it says.
pub fn bounds(args: &TableArgs) -> BTreeMap<String, RangeInclusive<u64>> {
    let named = |bounds: &[RowBound]| -> BTreeMap<String, u64> {
        bounds.iter().map(|bound| (bound.name.clone(), bound.rows)).collect()
    };
    let (least, most) = (named(&args.rows_at_least), named(&args.rows_at_most));
    let range = |name: &String| {
        let (low, high) = (least.get(name).copied(), most.get(name).copied());
        (name.clone(), low.unwrap_or(0)..=high.unwrap_or(u64::MAX))
    };
    least.keys().chain(most.keys()).map(range).collect()
}

fn once(flag: &str, mut names: impl Iterator<Item = String>) -> Result<(), CliError> {
    let mut seen = BTreeSet::new();
    match names.find(|name| !seen.insert(name.clone())) {
        Some(_) => Err(CliError::input(format!("{flag} is given twice for the same"))),
        None => Ok(()),
    }
}

fn rows_exist(program: &Program, flag: &str, rows: &str) -> Result<(), CliError> {
    if program.dim(rows).is_some() {
        return Ok(());
    }
    let all: Vec<&str> = program.dims.iter().map(|dim| dim.name.as_str()).collect();
    Err(CliError::input(format!(
        "{flag}: there is no row count `{rows}`; the program has {}{}",
        all.join(", "),
        spelling::hint(rows, all.iter().copied())
    )))
}

/// The bits that say which rows are real must be an input of bits with these rows.
fn padding(program: &Program, pad: &NamedValue) -> Result<(), CliError> {
    rows_exist(program, "--pad", &pad.name)?;
    let dim = program.dim(&pad.name);
    let fits = |ty: &Type| {
        ty.element == Element::Bit
            && ty.shape.len() == 1
            && dim.is_some_and(|dim| ty.shape[0] == dim.into())
    };
    let found = program.inputs().find(|(_, name, _)| *name == pad.value);
    if found.is_some_and(|(id, ..)| fits(&program.body.nodes[id as usize].types[0])) {
        return Ok(());
    }
    Err(CliError::input(format!(
        "--pad {0}={1}: `{1}` is no input `bit[{0}]` of the program, which must say which rows are \
         real",
        pad.name, pad.value
    )))
}

/// Refuses result files that could not be written in the end.
pub fn results(program: &Program, args: &TableArgs) -> Result<(), CliError> {
    if args.result_format == Some(Format::Parquet) {
        return Err(CliError::input("Parquet is for files: --result FILE.parquet"));
    }
    if args.results.iter().filter(|file| file.is_standard_output()).count() > 1 {
        return Err(CliError::input("standard output is for what one party learns: give `-` once"));
    }
    for file in &args.results {
        let usual = Some(args.result_format.unwrap_or(Format::Csv));
        let (path, printed) = (&file.path, usual.filter(|_| file.is_standard_output()));
        let shown = path.display();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| printed.is_none() && !folder.is_dir()) {
            let folder = folder.display();
            return Err(CliError::input(format!("{shown}: there is no folder {folder}")));
        }
        if printed.is_none() {
            check_writable(path)?;
        }
        let format = printed.or_else(|| Format::from_path(path)).ok_or_else(|| {
            CliError::input(format!("{shown}: end the name with .csv, .parquet, .json or .txt"))
        })?;
        // The answer of a query is a table.
        if program.shown().is_some() {
            continue;
        }
        let rows: Vec<u64> = program.dims.iter().map(|dim| dim.max).collect();
        let shape = |ty: &Type| -> Vec<u64> {
            ty.shape.iter().map(|extent| extent.bound(&rows).unwrap_or(0)).collect()
        };
        let shapes: Vec<(&str, Vec<u64>)> = program
            .reveals
            .iter()
            .map(|reveal| (reveal.name.as_str(), shape(program.body.type_of(reveal.value))))
            .collect();
        let shapes: Vec<(&str, &[u64])> =
            shapes.iter().map(|(name, shape)| (*name, shape.as_slice())).collect();
        check_shapes(format, &shapes)?;
    }
    Ok(())
}
