//! Programs that are recorded operation by operation.

use crate::error::{Mistake, mistake};
use crate::program::Program;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString, PyTuple};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tacit_program::build::{Builder, Quantile, Value};
use tacit_program::domain::Members;
use tacit_program::text::{self, Argument, Carried, OpenLoop, Revealed, Setting};
use tacit_program::{
    DimId, Element, Extent, Interval, Meaning, PartyId, ProgramError, Shape, Span, Type, Visibility,
};
use tacit_query::{QueryError, lower};

/// A place in the user's source: file and line.
type Place<'p> = (&'p str, u32);
/// The type of elements: `bit`, `int`, `uint` or `fixed`; bits; bits behind the point.
type Kind<'k> = (&'k str, u8, u8);

/// What a loop carries: the value that it starts from, the type of its elements, and its range.
type Start<'py> = (Bound<'py, Node>, (String, u8, u8), (i128, i128));
/// A result: name, value, parties, what the numbers stand for, place.
type Shown<'py> = (String, Bound<'py, Node>, Vec<u8>, Option<Bound<'py, PyAny>>, (String, u32));

/// Columns of a query, with digits behind the decimal point and values; which rows there are; names of row counts with the fewest and the most rows.
type Queried = (Vec<(String, u8, Node)>, Option<Node>, Vec<(String, u64, u64)>);

/// Records the operations of one set of parties.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct FrontEnd(Mutex<State>);

struct State {
    /// Tells the values of this one from those of others.
    id: u64,
    front: text::FrontEnd,
    loops: Vec<OpenLoop>,
    file: Arc<str>,
}

/// A value of a program, with its type.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct Node {
    /// Which front end recorded it.
    of: u64,
    value: Value,
    ty: Type,
}

/// The length of an axis: a number, or one that depends on row counts.
#[pyclass(frozen, eq, hash, module = "tacit._tacit")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Length(Extent);

/// What integers stand for.
#[pyclass(frozen, module = "tacit._tacit")]
pub struct Domain(Arc<tacit_program::Domain>);

#[pymethods]
impl Length {
    /// The part that is known.
    #[getter]
    fn constant(&self) -> u64 {
        self.0.constant
    }

    /// Row counts, by number, with their factors.
    #[getter]
    fn terms(&self) -> Vec<(u32, u64)> {
        self.0.terms.iter().map(|(dim, factor)| (dim.0, *factor)).collect()
    }

    /// The length if it is known.
    #[getter]
    fn known(&self) -> Option<u64> {
        self.0.known()
    }

    fn plus(&self, other: &Bound<'_, PyAny>) -> PyResult<Length> {
        Ok(Length(self.0.clone() + extent(other)?))
    }

    fn times(&self, factor: u64) -> PyResult<Length> {
        let grown = |(dim, by): &(DimId, u64)| Some((*dim, by.checked_mul(factor)?));
        let terms = self.0.terms.iter().filter(|_| factor > 0).map(grown).collect();
        let constant = self.0.constant.checked_mul(factor);
        let length = constant.zip(terms).map(|(constant, terms)| Extent { constant, terms });
        length.map(Length).ok_or_else(|| PyValueError::new_err("this length is too large"))
    }
}

#[pymethods]
impl Domain {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }
}

#[pymethods]
impl Node {
    /// `bit`, `int`, `uint` or `fixed`.
    #[getter]
    fn kind(&self) -> &'static str {
        kind(self.ty.element).0
    }

    #[getter]
    fn bits(&self) -> u8 {
        kind(self.ty.element).1
    }

    #[getter]
    fn fraction(&self) -> u8 {
        self.ty.element.fraction()
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.ty.shape.len()
    }

    /// Lengths of the axes: numbers, or what depends on row counts.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let axes: Vec<Bound<'py, PyAny>> =
            self.ty.shape.iter().map(|axis| length(py, axis)).collect::<PyResult<_>>()?;
        PyTuple::new(py, axes)
    }

    /// The least and the greatest raw value.
    #[getter]
    fn interval(&self) -> (i128, i128) {
        (self.ty.interval.low, self.ty.interval.high)
    }

    /// `public`, `secret`, or the number of the party that has it.
    #[getter]
    fn visibility(&self) -> String {
        match self.ty.visibility {
            Visibility::Public => "public".into(),
            Visibility::Secret => "secret".into(),
            Visibility::Private(party) => party.0.to_string(),
        }
    }
}

#[pymethods]
impl FrontEnd {
    #[new]
    fn new() -> FrontEnd {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let id = MADE.fetch_add(1, Ordering::Relaxed);
        let (front, loops) = (text::FrontEnd::new(), Vec::new());
        FrontEnd(Mutex::new(State { id, front, loops, file: Arc::from("") }))
    }

    fn party(&self, name: &str) -> PyResult<u8> {
        Ok(self.state().front.party(name).map_err(mistake)?.0)
    }

    fn rows(&self, name: &str, least: u64, most: u64) -> Length {
        Length(Extent::rows(self.state().front.rows(name, least..=most)))
    }

    fn length_text(&self, length: &Length) -> String {
        self.state().front.length_text(&length.0)
    }

    fn type_text(&self, node: &Node) -> String {
        self.state().front.type_text(&node.ty)
    }

    /// A domain: names, or the numbers from one to another.
    fn domain(
        &self,
        place: Place<'_>,
        name: &str,
        names: Option<Vec<String>>,
        numbers: Option<(i64, i64)>,
    ) -> PyResult<Domain> {
        let members = match (names, numbers) {
            (Some(names), _) => Members::Names(names),
            (None, Some((first, last))) => Members::Numbers { first, last },
            (None, None) => return Err(PyValueError::new_err("a domain has members")),
        };
        let mut state = self.state();
        let place = state.place(place);
        state.front.domain(&place, name, members).map(Domain).map_err(mistake)
    }

    #[expect(clippy::too_many_arguments, reason = "they are the parts of a declaration")]
    fn input(
        &self,
        place: Place<'_>,
        name: &str,
        party: Option<u8>,
        element: Kind<'_>,
        shape: &Bound<'_, PyAny>,
        interval: (i128, i128),
        meaning: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Node> {
        let meaning = meaning.map(|it| self::meaning(it)).transpose()?.unwrap_or_default();
        let ty = (self::element(element)?, self::shape(shape)?, self::interval(interval));
        let mut state = self.state();
        let place = state.place(place);
        let value = state.front.input(&place, name, party.map(PartyId), ty, meaning);
        state.node(value)
    }

    /// A constant of raw values.
    fn constant(
        &self,
        place: Place<'_>,
        element: Kind<'_>,
        shape: &Bound<'_, PyAny>,
        raw: Vec<i128>,
    ) -> PyResult<Node> {
        let ty = (self::element(element)?, self::shape(shape)?);
        let mut state = self.state();
        let place = state.place(place);
        let value = state.front.constant(&place, ty, raw);
        state.node(value)
    }

    /// Numbers as a constant beside a value, or of the smallest integers.
    fn literal(
        &self,
        place: Place<'_>,
        number: &Bound<'_, PyAny>,
        like: Option<&Node>,
    ) -> PyResult<Node> {
        let mut state = self.state();
        let place = state.place(place);
        let argument = argument(number, &state, &place)?;
        let value = state.front.literal(&place, &argument, like.map(|node| node.ty.element));
        state.node(value)
    }

    fn row_count(&self, place: Place<'_>, length: &Length) -> PyResult<Node> {
        let mut state = self.state();
        let place = state.place(place);
        let value = state.front.row_count(&place, length.0.clone());
        state.node(value)
    }

    fn operator(
        &self,
        place: Place<'_>,
        operator: &str,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
    ) -> PyResult<Node> {
        let mut state = self.state();
        let place = state.place(place);
        let operands = [argument(a, &state, &place)?, argument(b, &state, &place)?];
        let value = state.front.operator(&place, operator, operands);
        state.node(value)
    }

    /// A function of the language; the first result.
    #[pyo3(signature = (place, name, arguments, **options))]
    fn call(
        &self,
        place: Place<'_>,
        name: &str,
        arguments: Vec<Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Node> {
        let mut all = self.call_all(place, name, arguments, options)?;
        Ok(all.swap_remove(0))
    }

    /// A function of the language; all results.
    #[pyo3(signature = (place, name, arguments, **options))]
    fn call_all(
        &self,
        place: Place<'_>,
        name: &str,
        arguments: Vec<Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Node>> {
        let mut names = Vec::new();
        for (name, value) in options.into_iter().flatten() {
            names.push((name.extract::<String>()?, value));
        }
        let mut settings = Vec::with_capacity(names.len());
        for (name, value) in &names {
            if let Some(setting) = setting(name, value)? {
                settings.push((name.as_str(), setting));
            }
        }
        let mut state = self.state();
        let place = state.place(place);
        let arguments = arguments.iter().map(|it| argument(it, &state, &place));
        let arguments: Vec<Argument> = arguments.collect::<PyResult<_>>()?;
        let values = state.front.call(&place, name, &arguments, settings).map_err(mistake)?;
        values.into_iter().map(|value| state.node(Ok(value))).collect()
    }

    /// The rows of a query: its columns with their values, which rows there are, and row counts of tables, by number.
    fn query(&self, place: Place<'_>, source: &str) -> PyResult<Queried> {
        let wrong = |error: QueryError| {
            let (span, told) = (&error.span, error.to_string());
            Mistake::new_err((span.file.to_string(), span.line, told, span.column))
        };
        let (catalog, query) = tacit_query::sql::parse("query.sql", source).map_err(wrong)?;
        let mut state = self.state();
        let place = state.place(place);
        let record = |b: &mut Builder| lower::columns(&query, &catalog, &place, b);
        let found = state.front.record(record).map_err(wrong)?;
        let named = |column: lower::Column| {
            let scale = match column.kind {
                tacit_query::Kind::Decimal { scale } => scale,
                _ => 0,
            };
            Ok((column.name, scale, state.node(Ok(column.value))?))
        };
        let columns = found.columns.into_iter().map(named).collect::<PyResult<_>>()?;
        let there = found.there.map(|there| state.node(Ok(there))).transpose()?;
        let counts = catalog.tables.iter().map(|table| {
            let (least, most) = table.rows.clone().into_inner();
            (table.full_name(), least, most)
        });
        Ok((columns, there, counts.collect()))
    }

    /// Opens the body of a loop: the carried values, and the number of the iteration.
    fn open_loop(
        &self,
        place: Place<'_>,
        trips: &Bound<'_, PyAny>,
        carried: Vec<Start<'_>>,
    ) -> PyResult<(Vec<Node>, Node)> {
        let trips = extent(trips)?;
        let mut all = Vec::new();
        let mut state = self.state();
        let place = state.place(place);
        for (start, (kind, bits, fraction), interval) in &carried {
            let element = element((kind, *bits, *fraction))?;
            let (start, interval) = (state.own(start.get(), &place)?, self::interval(*interval));
            all.push(Carried { start, element, interval });
        }
        let (values, index, open) = state.front.open_loop(&place, &trips, &all).map_err(mistake)?;
        state.loops.push(open);
        let values = values.into_iter().map(|value| state.node(Ok(value)));
        let values = values.collect::<PyResult<_>>()?;
        Ok((values, state.node(Ok(index))?))
    }

    /// Ends the innermost loop.
    fn close_loop(&self, place: Place<'_>, next: Vec<Bound<'_, Node>>) -> PyResult<Vec<Node>> {
        let mut state = self.state();
        let place = state.place(place);
        let next: Vec<Value> =
            next.iter().map(|node| state.own(node.get(), &place)).collect::<PyResult<_>>()?;
        let open = state.loops.pop().ok_or_else(|| PyValueError::new_err("no loop is open"))?;
        let values = state.front.close_loop(open, &next).map_err(mistake)?;
        values.into_iter().map(|value| state.node(Ok(value))).collect()
    }

    /// Forgets the innermost loop.
    fn abandon_loop(&self) {
        let mut state = self.state();
        if let Some(open) = state.loops.pop() {
            state.front.abandon_loop(open);
        }
    }

    /// How many loops are open.
    #[getter]
    fn open_loops(&self) -> usize {
        self.state().loops.len()
    }

    /// The program of results: name, value, parties, what the numbers stand for, place.
    fn program(&self, name: &str, results: Vec<Shown<'_>>) -> PyResult<Program> {
        let mut state = self.state();
        let mut revealed = Vec::new();
        for (name, node, to, meaning, (file, line)) in results {
            let meaning = meaning.as_ref().map(self::meaning).transpose()?.unwrap_or_default();
            let place = state.place((&file, line));
            let to = to.into_iter().map(PartyId).collect();
            let value = state.own(node.get(), &place)?;
            revealed.push(Revealed { name, value, to, meaning, place });
        }
        let program = state.front.program(name, revealed).map_err(mistake)?;
        Ok(Program::new(program.into()))
    }
}

impl FrontEnd {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn place(&mut self, (file, line): Place<'_>) -> Span {
        if *self.file != *file {
            self.file = Arc::from(file);
        }
        Span { file: self.file.clone(), line, column: 0 }
    }

    /// The value of a node of this front end: another one's numbers mean something else here.
    fn own(&self, node: &Node, place: &Span) -> PyResult<Value> {
        let message = "a value of another set of parties: make all of one job's values after one tc.parties(...)";
        let own = node.of == self.id;
        own.then_some(node.value).ok_or_else(|| mistake(ProgramError::new(place, message)))
    }

    fn node(&self, value: Result<Value, ProgramError>) -> PyResult<Node> {
        let value = value.map_err(mistake)?;
        let ty = self.front.type_of(value).cloned();
        let ty = ty.ok_or_else(|| PyValueError::new_err("a value of a loop that has ended"))?;
        Ok(Node { of: self.id, value, ty })
    }
}

fn kind(element: Element) -> (&'static str, u8) {
    match element {
        Element::Bit => ("bit", 1),
        Element::Int { signed: true, bits } => ("int", bits),
        Element::Int { signed: false, bits } => ("uint", bits),
        Element::Fixed { bits, .. } => ("fixed", bits),
    }
}

fn element((kind, bits, fraction): Kind<'_>) -> PyResult<Element> {
    Ok(match kind {
        "bit" => Element::Bit,
        "int" => Element::int(bits),
        "uint" => Element::uint(bits),
        "fixed" => Element::Fixed { bits, fraction },
        _ => return Err(PyValueError::new_err("bit, int, uint or fixed")),
    })
}

fn interval((low, high): (i128, i128)) -> Interval {
    Interval { low, high }
}

fn extent(length: &Bound<'_, PyAny>) -> PyResult<Extent> {
    match length.cast::<Length>() {
        Ok(length) => Ok(length.get().0.clone()),
        Err(_) => Ok(Extent::fixed(length.extract()?)),
    }
}

/// A known length as a number.
fn length<'py>(py: Python<'py>, extent: &Extent) -> PyResult<Bound<'py, PyAny>> {
    match extent.known() {
        Some(known) => Ok(known.into_pyobject(py)?.into_any()),
        None => Ok(Length(extent.clone()).into_pyobject(py)?.into_any()),
    }
}

fn shape(axes: &Bound<'_, PyAny>) -> PyResult<Shape> {
    axes.try_iter()?.map(|axis| extent(&axis?)).collect()
}

/// A domain, or `"date"`.
fn meaning(given: &Bound<'_, PyAny>) -> PyResult<Meaning> {
    match given.cast::<Domain>() {
        Ok(domain) => Ok(Meaning::Domain(domain.get().0.clone())),
        Err(_) if given.extract::<&str>()? == "date" => Ok(Meaning::Date),
        Err(_) => Err(PyValueError::new_err("a domain, or `date`")),
    }
}

/// A node, a truth value, a number as text, or the texts of numbers with their shape.
fn argument(given: &Bound<'_, PyAny>, state: &State, place: &Span) -> PyResult<Argument> {
    if let Ok(node) = given.cast::<Node>() {
        return state.own(node.get(), place).map(Argument::Value);
    }
    if let Ok(bit) = given.cast::<PyBool>() {
        return Ok(Argument::Truth(bit.is_true()));
    }
    if given.is_instance_of::<PyInt>() {
        let numbers = vec![given.str()?.to_string()];
        return Ok(Argument::Numbers { numbers, shape: Vec::new() });
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Argument::Numbers { numbers: vec![text.to_string()], shape: Vec::new() });
    }
    let (numbers, shape) = given.extract()?;
    Ok(Argument::Numbers { numbers, shape })
}

/// The setting of an option; none of a flag that is off.
fn setting(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Setting>> {
    Ok(Some(match name {
        "wrap" | "descending" | "reverse" if value.extract()? => Setting::Flag,
        "wrap" | "descending" | "reverse" => return Ok(None),
        "fill" => Setting::Decimal(value.extract()?),
        "order" | "at" => Setting::Numbers(value.extract()?),
        "length" => Setting::Length(extent(value)?),
        "shape" => Setting::Shape(shape(value)?),
        "to" => {
            let (kind, bits, fraction): (String, u8, u8) = value.extract()?;
            Setting::Element(element((&kind, bits, fraction))?)
        }
        "in" => {
            let (low, high): (String, String) = value.extract()?;
            Setting::Range(low, high)
        }
        "by" if value.is_instance_of::<PyList>() => {
            let domains: Vec<Bound<'_, Domain>> = value.extract()?;
            Setting::Domains(domains.iter().map(|domain| domain.get().0.clone()).collect())
        }
        "quantiles" => {
            let (all, list): (Vec<(u64, u64)>, bool) = value.extract()?;
            let quantile = |(a, b)| {
                let message = "a fraction from 0 to 1, with a denominator of at most a million";
                Quantile::new(a, b).ok_or_else(|| PyValueError::new_err(message))
            };
            Setting::Quantiles(all.into_iter().map(quantile).collect::<PyResult<_>>()?, list)
        }
        _ => match value.extract() {
            Ok(number) => Setting::Number(number),
            Err(_) => {
                let message = format!("`{name}` is a whole number");
                return Err(PyTypeError::new_err(message));
            }
        },
    }))
}
