//! Programs whose operations come one by one from another language, such as Python.

use super::cursor::Cursor;
use super::decimal;
use super::expression::{Operand, Term};
use super::functions::FUNCTIONS;
use super::literal::{Literal, Number};
use super::options::Options;
use super::parser::{Parser, unknown};
use super::print::type_text;
use crate::build::{Builder, Quantile, Value};
use crate::domain::{Domain, Meaning, Members};
use crate::error::ProgramError;
use crate::infer::iteration;
use crate::ir::{LEAST_BITS, MOST_BITS, Op, Program, Span};
use crate::types::{DimId, Element, Extent, Interval, PartyId, Shape, Type, Visibility};
use std::ops::RangeInclusive;
use std::sync::Arc;

type Result<T> = std::result::Result<T, ProgramError>;

/// What an operation takes: a value, or numbers that become a constant of the type that their place calls for.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A value.
    Value(Value),
    /// Numbers in decimal notation, perhaps with a sign; exponents are not read.
    Numbers {
        /// The numbers, row-major.
        numbers: Vec<String>,
        /// Lengths of the axes; none for a single number.
        shape: Vec<u64>,
    },
    /// A truth value.
    Truth(bool),
}

/// The value of an option of a function, as `axis 0` has one.
#[derive(Clone, Debug)]
pub enum Setting {
    /// The option has no value: it is there, or not.
    Flag,
    /// A whole number.
    Number(i64),
    /// Several.
    Numbers(Vec<u64>),
    /// The length of an axis.
    Length(Extent),
    /// The lengths of all axes.
    Shape(Shape),
    /// A type.
    Element(Element),
    /// A number in decimal notation, of the first operand's type.
    Decimal(String),
    /// The least and the greatest value, in decimal notation.
    Range(String, String),
    /// What groups are labelled by: the members of a domain, or of several the combinations.
    Domains(Vec<Arc<Domain>>),
    /// Fractions from 0 to 1, and whether they are a list.
    Quantiles(Vec<Quantile>, bool),
}

/// A value that a loop carries: what it starts from, its type, and the interval that it stays in.
#[derive(Clone, Debug)]
pub struct Carried {
    /// The value that it starts from.
    pub start: Value,
    /// The type of its elements in every iteration.
    pub element: Element,
    /// Raw values that it may have.
    pub interval: Interval,
}

/// A result of a program.
#[derive(Clone, Debug)]
pub struct Revealed {
    /// Its name.
    pub name: String,
    /// The value.
    pub value: Value,
    /// Who learns it.
    pub to: Vec<PartyId>,
    /// What its numbers stand for.
    pub meaning: Meaning,
    /// Where the user asked for it.
    pub place: Span,
}

/// Records operations that another language asks for, one by one: the functions and operators of the text form, with the
/// same conversions of numbers and shapes, so that the same function written in both is the same program.
///
/// A mistake is reported where it is made, and leaves what was recorded before as it was. Programs are
/// [cut out](FrontEnd::program) of what was recorded: they hold what their results depend on and nothing else.
///
/// ```
/// use tacit_program::text::{Argument, FrontEnd, Revealed, Setting, print};
/// use tacit_program::{Element, Extent, Interval, Meaning, Span};
///
/// let mut front = FrontEnd::new();
/// let place = Span { file: "hello.py".into(), line: 3, column: 0 };
/// let alice = front.party("alice")?;
/// let n = Extent::rows(front.rows("n", 1..=1000));
/// let ages = Interval { low: 0, high: 120 };
/// let x = front.input(&place, "x", Some(alice), (Element::uint(8), vec![n], ages), Meaning::Number)?;
/// let number = Argument::Numbers { numbers: vec!["65".into()], shape: vec![] };
/// let old = front.operator(&place, ">=", [Argument::Value(x), number])?;
/// let count = front.call(&place, "sum", &[Argument::Value(old)], vec![("axis", Setting::Number(0))])?[0];
/// let to = vec![alice];
/// let revealed = Revealed { name: "old".into(), value: count, to, meaning: Meaning::Number, place };
/// let program = front.program("older", vec![revealed])?;
/// assert!(print(&program).contains("sum("));
/// # Ok::<(), tacit_program::ProgramError>(())
/// ```
pub struct FrontEnd {
    parser: Parser<'static>,
}

impl Default for FrontEnd {
    fn default() -> Self {
        Self::new()
    }
}

impl FrontEnd {
    /// Nothing is recorded yet.
    ///
    /// # Panics
    /// Never: no text is read.
    #[must_use]
    pub fn new() -> Self {
        let cursor = Cursor::new("", "").expect("an empty text has no mistakes");
        // Of no size: nothing is leaked.
        let load = Box::leak(Box::new(|_: &str| Err("circuits of files are not read here".into())));
        FrontEnd { parser: Parser::new(cursor, load) }
    }

    /// Adds a party.
    ///
    /// # Errors
    /// If there is one of that name, or there are 255.
    pub fn party(&mut self, name: &str) -> Result<PartyId> {
        let parties = &mut self.parser.program().parties;
        if parties.iter().any(|known| known == name) {
            return Err(ProgramError::nowhere(format!("there is already a party `{name}`")));
        }
        let id = u8::try_from(parties.len()).ok().filter(|id| *id < u8::MAX);
        let id = id.ok_or_else(|| ProgramError::nowhere("a program has at most 255 parties"))?;
        parties.push(name.to_owned());
        Ok(PartyId(id))
    }

    /// A row count that is bound when a session starts: the one that was declared with this name and range, if any.
    pub fn rows(&mut self, name: &str, range: RangeInclusive<u64>) -> DimId {
        self.parser.builder.shared_rows(name, range)
    }

    /// What integers stand for: the domain that was declared with this name and these members, if any.
    ///
    /// # Errors
    /// If its members are none of a domain, or another domain has this name.
    pub fn domain(&mut self, place: &Span, name: &str, members: Members) -> Result<Arc<Domain>> {
        self.parser.builder.at(place);
        let declared = self.parser.builder.shared_domain(name, members);
        self.parser.builder.checked(declared)
    }

    /// Lets somebody else record operations.
    ///
    /// # Errors
    /// What that gives, or the first mistake in what it recorded; within loops, which have no inputs.
    pub fn record<T, E: From<ProgramError>>(
        &mut self,
        record: impl FnOnce(&mut Builder) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        if self.parser.builder.is_in_loop() {
            let what = "the rows of a query are taken outside of loops: take them before the loop";
            return Err(ProgramError::nowhere(what).into());
        }
        let recorded = record(&mut self.parser.builder);
        self.parser.builder.checked(())?;
        recorded
    }

    /// An input: who gives it, or `None` if it is public; the type of its elements, its shape and raw values.
    ///
    /// # Errors
    /// If the type is none.
    pub fn input(
        &mut self,
        place: &Span,
        name: &str,
        party: Option<PartyId>,
        (element, shape, interval): (Element, Shape, Interval),
        meaning: Meaning,
    ) -> Result<Value> {
        let visibility = party.map_or(Visibility::Public, Visibility::Private);
        let ty = Type { element, shape, visibility, interval };
        let op = Op::Input { name: name.to_owned(), party, meaning };
        self.parser.push(op, &[], Some(ty), place)
    }

    /// A public constant of raw values, row-major; a single one fills the shape.
    ///
    /// # Errors
    /// If the values are none of the type, or too many or too few.
    pub fn constant(
        &mut self,
        place: &Span,
        (element, shape): (Element, Shape),
        raw: Vec<i128>,
    ) -> Result<Value> {
        self.parser.constant(raw, element, shape, place)
    }

    /// Numbers as a constant of the elements that they stand beside, or of the smallest integers that hold them.
    ///
    /// # Errors
    /// If the elements cannot hold them.
    pub fn literal(
        &mut self,
        place: &Span,
        argument: &Argument,
        like: Option<Element>,
    ) -> Result<Value> {
        self.check_values(place, [argument])?;
        let operand = operand(argument, place);
        self.parser.single_like(&operand, like, &Shape::new())
    }

    /// A length as a public number.
    ///
    /// # Errors
    /// If it may be too large for one.
    pub fn row_count(&mut self, place: &Span, length: Extent) -> Result<Value> {
        self.parser.length(length, place)
    }

    /// A function of the language, by name; its results.
    ///
    /// # Errors
    /// If there is no such function, it has other options, or its operands do not fit.
    pub fn call(
        &mut self,
        place: &Span,
        name: &str,
        arguments: &[Argument],
        settings: Vec<(&str, Setting)>,
    ) -> Result<Vec<Value>> {
        let function = FUNCTIONS.iter().find(|function| function.name == name);
        let function = function
            .ok_or_else(|| unknown("function", name, FUNCTIONS.iter().map(|f| f.name), place))?;
        let first = match arguments.first() {
            Some(Argument::Value(value)) => self.type_of(*value).map(|ty| ty.element),
            _ => None,
        };
        self.check_values(place, arguments)?;
        let mut options = Options::default();
        for (name, setting) in settings {
            if let Setting::Quantiles(all, list) = setting {
                (options.quantiles, options.quantile_list) = (all, list);
                continue;
            }
            let known = [function.required, function.optional].concat();
            let Some(name) = known.iter().find(|known| **known == name) else {
                let what = format!("option of `{}` called", function.name);
                return Err(unknown(&what, name, known.iter().copied(), place));
            };
            set(&mut options, (function.name, name), setting, first)
                .map_err(|message| ProgramError::new(place, message))?;
        }
        let operands: Vec<_> = arguments.iter().map(|argument| operand(argument, place)).collect();
        self.parser.checked_call(function, &operands, &options, place)
    }

    /// `a operator b`, for the operators of the language.
    ///
    /// # Errors
    /// If the operands do not fit.
    pub fn operator(
        &mut self,
        place: &Span,
        operator: &str,
        [a, b]: [Argument; 2],
    ) -> Result<Value> {
        self.check_values(place, [&a, &b])?;
        self.parser.operator(operator, [operand(&a, place), operand(&b, place)], place)
    }

    /// Opens the body of a loop: the carried values within, the number of the iteration, and what ends the loop.
    ///
    /// # Errors
    /// If a carried value may be outside its interval at the start.
    pub fn open_loop(
        &mut self,
        place: &Span,
        trips: &Extent,
        carried: &[Carried],
    ) -> Result<(Vec<Value>, Value, OpenLoop)> {
        let counter = iteration(trips, &self.parser.program().dims);
        let counter = counter.map_err(|message| ProgramError::new(place, message))?;
        let (mut outer, mut types) = (Vec::new(), Vec::new());
        for (i, Carried { start, element, interval }) in carried.iter().enumerate() {
            self.check_value(place, *start)?;
            let shape = self.parser.ty(*start).shape.clone();
            let visibility = Visibility::Secret;
            let ty = Type { element: *element, shape, visibility, interval: *interval };
            let start = self.parser.fitted(*start, &ty, place)?;
            self.parser.expect_fit(&format!("carried value {i}"), &ty, start, place)?;
            outer.push(start);
            types.push(ty);
        }
        let parameters = [types.clone(), vec![counter]].concat();
        self.parser.builder.at(place);
        let (mut values, token) = self.parser.builder.open_loop(&parameters);
        let index = self.parser.builder.checked(values.pop())?.expect("the iteration is last");
        let open = OpenLoop { place: place.clone(), trips: trips.clone(), outer, types, token };
        Ok((values, index, open))
    }

    /// Ends a loop; the carried values after its last iteration.
    ///
    /// # Errors
    /// If the next values are not of the types that the loop carries; the loop is gone then.
    pub fn close_loop(&mut self, open: OpenLoop, next: &[Value]) -> Result<Vec<Value>> {
        let place = &open.place;
        let fitted = self.next_values(&open, next);
        let next = match fitted {
            Ok(next) => next,
            Err(error) => {
                self.abandon_loop(open);
                return Err(error);
            }
        };
        let builder = &mut self.parser.builder;
        builder.at(place);
        let results = builder.close_loop(open.token, open.trips, &open.outer, &[], &next);
        builder.checked(results)
    }

    fn next_values(&mut self, open: &OpenLoop, next: &[Value]) -> Result<Vec<Value>> {
        if next.len() != open.types.len() {
            let (wanted, found) = (open.types.len(), next.len());
            let message = format!("this loop carries {wanted} values, but its body gives {found}");
            return Err(ProgramError::new(&open.place, message));
        }
        let mut all = Vec::with_capacity(next.len());
        for (i, (value, ty)) in next.iter().zip(&open.types).enumerate() {
            self.check_value(&open.place, *value)?;
            let value = self.parser.fitted(*value, ty, &open.place)?;
            self.parser.expect_fit(&format!("carried value {i}"), ty, value, &open.place)?;
            all.push(value);
        }
        Ok(all)
    }

    /// Refuses values of loops that have ended.
    fn check_values<'a>(
        &self,
        place: &Span,
        arguments: impl IntoIterator<Item = &'a Argument>,
    ) -> Result<()> {
        arguments.into_iter().try_for_each(|argument| match argument {
            Argument::Value(value) => self.check_value(place, *value),
            _ => Ok(()),
        })
    }

    fn check_value(&self, place: &Span, value: Value) -> Result<()> {
        let message = "a value of a loop's body, used outside of it: carry it out";
        self.type_of(value).map(drop).ok_or_else(|| ProgramError::new(place, message))
    }

    /// Forgets a loop whose body had a mistake, and the loops within it.
    pub fn abandon_loop(&mut self, open: OpenLoop) {
        self.parser.builder.abandon(open.token);
    }

    /// The type of a value; `None` of one of a loop that has ended.
    #[must_use]
    pub fn type_of(&self, value: Value) -> Option<&Type> {
        self.parser.builder.type_of(value)
    }

    /// A type as the text form writes it.
    #[must_use]
    pub fn type_text(&self, ty: &Type) -> String {
        type_text(self.parser.builder.program(), ty)
    }

    /// A length as the text form writes it.
    #[must_use]
    pub fn length_text(&self, length: &Extent) -> String {
        super::print::length(self.parser.builder.program(), length)
    }

    /// The names of the parties.
    #[must_use]
    pub fn parties(&self) -> &[String] {
        &self.parser.builder.program().parties
    }

    /// The program of what these results depend on, in the order in which it was recorded, and of all parties.
    ///
    /// # Errors
    /// If nothing is revealed, two inputs or row counts that are needed have one name, or a result is of a loop.
    pub fn program(&mut self, name: &str, revealed: Vec<Revealed>) -> Result<Program> {
        if revealed.is_empty() {
            return Err(ProgramError::nowhere("a program reveals something: give it a result"));
        }
        let builder = &mut self.parser.builder;
        for Revealed { name, value, to, meaning, place } in revealed {
            builder.at(&place);
            builder.reveal_as(&name, value, &to, None, meaning);
        }
        builder.cut(name)
    }
}

/// A loop whose body is being recorded.
#[must_use = "a loop that is open is closed or abandoned"]
pub struct OpenLoop {
    place: Span,
    trips: Extent,
    outer: Vec<Value>,
    types: Vec<Type>,
    token: u32,
}

fn operand<'a>(argument: &'a Argument, place: &Span) -> Operand<'a> {
    let span = place.clone();
    let term = match argument {
        Argument::Value(value) => Term::Values(vec![*value]),
        Argument::Truth(bit) => {
            Term::Literal(Literal::truth(if *bit { "true" } else { "false" }, span.clone()))
        }
        Argument::Numbers { numbers, shape } => {
            let numbers = numbers.iter().map(|text| match text.strip_prefix('-') {
                Some(text) => Number { negative: true, text },
                None => Number { negative: false, text },
            });
            let (numbers, shape) = (numbers.collect(), shape.clone());
            Term::Literal(Literal { numbers, shape, truth: false, span: span.clone() })
        }
    };
    Operand { term, span }
}

/// Sets an option of a function; `first` is the type of the first operand.
fn set(
    options: &mut Options,
    (function, name): (&str, &'static str),
    setting: Setting,
    first: Option<Element>,
) -> std::result::Result<(), String> {
    let wrong = || format!("`{name}` has another kind of value");
    let whole = |setting: &Setting| match setting {
        Setting::Number(number) => Ok(*number),
        _ => Err(wrong()),
    };
    fn within<T: TryFrom<i64>>(name: &str, number: i64) -> std::result::Result<T, String> {
        T::try_from(number).map_err(|_| format!("`{name}` cannot be {number}"))
    }
    options.give(name)?;
    match (name, setting) {
        ("by", Setting::Domains(domains)) => options.label(domains)?,
        ("to", Setting::Element(element)) => options.to = element,
        ("length", Setting::Length(length)) => options.length = length,
        ("shape", Setting::Shape(shape)) => options.shape = shape,
        ("order", Setting::Numbers(order)) => {
            let order = order.into_iter().map(u32::try_from).collect::<std::result::Result<_, _>>();
            options.order = order.map_err(|_| wrong())?;
        }
        ("at", Setting::Numbers(at)) => options.at = at,
        ("in", Setting::Range(low, high)) => options.within = interval(&low, &high, first)?,
        ("fill", Setting::Decimal(text)) => options.fill = raw(&text, first)?,
        ("wrap", Setting::Flag) => options.wrap = true,
        ("reverse", Setting::Flag) => options.reverse = true,
        ("descending", Setting::Flag) => options.descending = true,
        ("axis", number) => options.axis = within(name, whole(&number)?)?,
        ("by", number) if function == "shift" => options.places = whole(&number)?,
        ("by", number) => options.by = within(name, whole(&number)?)?,
        ("fraction", number) => options.fraction = within(name, whole(&number)?)?,
        ("bits", number) => {
            let bits = whole(&number)?;
            let right = i64::from(LEAST_BITS)..=i64::from(MOST_BITS);
            let wrong = || format!("{bits} right bits: `bits` is from {LEAST_BITS} to {MOST_BITS}");
            options.bits = right.contains(&bits).then_some(bits as u8).ok_or_else(wrong)?;
        }
        ("rows", number) => options.rows = within(name, whole(&number)?)?,
        ("first", number) => options.first = whole(&number)?,
        ("groups", number) => options.groups = within(name, whole(&number)?)?,
        ("start", number) => options.start = within(name, whole(&number)?)?,
        ("step", number) => options.step = within(name, whole(&number)?)?,
        _ => return Err(wrong()),
    }
    Ok(())
}

/// The raw values from one number to another.
fn interval(
    low: &str,
    high: &str,
    element: Option<Element>,
) -> std::result::Result<Interval, String> {
    let interval = Interval { low: raw(low, element)?, high: raw(high, element)? };
    if interval.low > interval.high {
        return Err(format!("the range from {low} to {high} is empty"));
    }
    Ok(interval)
}

/// The raw value of a number in decimal notation, of an operand's type.
fn raw(text: &str, element: Option<Element>) -> std::result::Result<i128, String> {
    let element = element.ok_or("it goes with one value that has a type")?;
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let raw = decimal::to_raw(digits, element.fraction());
    raw.map(|raw| sign * raw).ok_or_else(|| format!("`{text}` is too large"))
}
