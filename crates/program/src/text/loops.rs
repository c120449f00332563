//! Loops: `loop 10 carry (x: i64 = start) index i use (y) { ... yield next }`.

use super::cursor::Name;
use super::expression::{Operand, Term};
use super::lex::Kind;
use super::parser::{Names, Parser};
use super::print::type_text;
use super::types::Written;
use crate::build::Value;
use crate::error::ProgramError;
use crate::infer::iteration;
use crate::ir::{Op, Span};
use crate::types::{Element, Extent, Type, Visibility};

/// Most loops within each other.
const MAX_DEPTH: usize = 16;

/// A parameter of a loop's body and the value outside that it starts as.
struct Bound {
    name: Name,
    ty: Type,
    outer: Value,
}

impl<'a> Parser<'a> {
    pub(super) fn repeat(&mut self) -> Result<Vec<Value>, ProgramError> {
        let span = self.cursor.span();
        self.cursor.expect("loop")?;
        if self.names.len() > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} loops within each other");
            return Err(ProgramError::new(&span, message));
        }
        let trips = self.extent()?;
        self.continue_line()?;
        let carried = if self.cursor.accept("carry")? { self.bounds(true)? } else { Vec::new() };
        self.continue_line()?;
        let index =
            if self.cursor.accept("index")? { Some(self.cursor.word("a name")?) } else { None };
        self.continue_line()?;
        let used = if self.cursor.accept("use")? { self.bounds(false)? } else { Vec::new() };
        self.continue_line()?;
        let opened = self.cursor.expect("{")?;
        let token = self.open(&carried, &trips, index, &used, &span)?;
        let results = self.body(&carried)?;
        self.skip_newline()?;
        if !self.cursor.accept("}")? {
            let place = format!("`}}` for the `{{` at {}:{}", opened.line, opened.column);
            return Err(self.cursor.expected(&place));
        }
        self.names.pop();
        self.builder.at(&span);
        let outer = |bounds: &[Bound]| bounds.iter().map(|b| b.outer).collect::<Vec<_>>();
        let results =
            self.builder.close_loop(token, trips, &outer(&carried), &outer(&used), &results);
        self.builder.checked(results)
    }

    /// Steps over the end of a line if the head of the loop goes on behind it.
    fn continue_line(&mut self) -> Result<(), ProgramError> {
        let goes_on = ["carry", "index", "use", "{"].iter().any(|word| self.cursor.ahead.is(word));
        if self.cursor.token.kind == Kind::Newline && goes_on {
            self.skip_newline()
        } else {
            Ok(())
        }
    }

    /// `(x: type = value, ...)`; of values that are only read, `(x)` stands for `(x = x)`.
    fn bounds(&mut self, carried: bool) -> Result<Vec<Bound>, ProgramError> {
        let mut all = Vec::new();
        let opened = self.cursor.expect("(")?;
        while !self.cursor.accept(")")? {
            let name = self.cursor.word("a name for a value of the loop")?;
            let written = if self.cursor.accept(":")? { Some(self.written_type()?) } else { None };
            let value = if self.cursor.accept("=")? {
                self.expression(&[])?
            } else if carried {
                return Err(self.cursor.expected("`=` and the value to start from"));
            } else {
                let value = self.find(&name.text, &name.span)?;
                Operand { term: Term::Values(vec![value]), span: name.span.clone() }
            };
            all.push(self.bound(name, written, &value, carried)?);
            self.cursor.separate(&opened, ")")?;
        }
        Ok(all)
    }

    /// The parameter's type: as written. What is not written is, of carried values, anything
    /// and secret, and of others, what they are.
    fn bound(
        &mut self,
        name: Name,
        written: Option<Written>,
        value: &Operand<'a>,
        carried: bool,
    ) -> Result<Bound, ProgramError> {
        let outer = self.start(written.as_ref(), value)?;
        let start = self.ty(outer).clone();
        let element = written.as_ref().map_or(start.element, |w| w.element);
        let (interval, visibility) = match carried {
            true => (element.interval(), Visibility::Secret),
            false => (start.interval, start.visibility),
        };
        let ty = Type {
            element,
            shape: written.as_ref().map_or(start.shape.clone(), |w| w.shape.clone()),
            visibility: written.as_ref().and_then(|w| w.visibility).unwrap_or(visibility),
            interval: written.and_then(|w| w.interval).unwrap_or(interval),
        };
        let outer = self.fitted(outer, &ty, &value.span)?;
        self.expect_fit(&name.text, &ty, outer, &value.span)?;
        Ok(Bound { name, ty, outer })
    }

    fn start(
        &mut self,
        written: Option<&Written>,
        value: &Operand<'a>,
    ) -> Result<Value, ProgramError> {
        match (&value.term, written) {
            (Term::Literal(literal), Some(w)) => self.constant_of(literal, w.element, &w.shape),
            _ => self.single_like(value, Some(Element::int(64)), &Vec::new()),
        }
    }

    /// The value, cast to the element type of a parameter that differs in width only.
    pub(super) fn fitted(
        &mut self,
        value: Value,
        ty: &Type,
        span: &Span,
    ) -> Result<Value, ProgramError> {
        let found = self.ty(value);
        let castable = same_kind(found.element, ty.element)
            && found.element != ty.element
            && ty.interval.contains(found.interval);
        if !castable {
            return Ok(value);
        }
        self.push(Op::Cast(ty.element), &[value], None, span)
    }

    /// Whether a parameter may take this value.
    pub(super) fn expect_fit(
        &self,
        name: &str,
        ty: &Type,
        value: Value,
        span: &Span,
    ) -> Result<(), ProgramError> {
        let found = self.ty(value);
        let what = if !same_kind(found.element, ty.element) {
            "element type"
        } else if found.shape != ty.shape {
            "shape"
        } else if found.visibility.join(ty.visibility) != ty.visibility {
            "visibility"
        } else if !ty.interval.contains(found.interval) {
            "range; a narrower one is promised with `assume`"
        } else {
            return Ok(());
        };
        let (wanted, found) =
            (type_text(self.builder.program(), ty), type_text(self.builder.program(), found));
        let message = format!("`{name}` is {wanted}, but this is {found}: another {what}");
        Err(ProgramError::new(span, message))
    }

    /// Opens the body with its parameters.
    fn open(
        &mut self,
        carried: &[Bound],
        trips: &Extent,
        index: Option<Name>,
        used: &[Bound],
        span: &Span,
    ) -> Result<u32, ProgramError> {
        let counter = iteration(trips, &self.program().dims)
            .map_err(|message| ProgramError::new(span, message))?;
        let all = |bounds: &[Bound]| bounds.iter().map(|b| b.ty.clone()).collect::<Vec<_>>();
        let types = [all(carried), vec![counter], all(used)].concat();
        self.builder.at(span);
        let (values, token) = self.builder.open_loop(&types);
        let values = self.builder.checked(values)?;
        self.names.push(Names::new());
        let names = carried.iter().map(|b| Some(&b.name)).chain([index.as_ref()]);
        let names = names.chain(used.iter().map(|b| Some(&b.name)));
        for (name, value) in names.zip(values) {
            if let Some(name) = name {
                self.bind(&name.text, value, &name.span)?;
            }
        }
        Ok(token)
    }

    /// Definitions up to `yield` and the next carried values.
    fn body(&mut self, carried: &[Bound]) -> Result<Vec<Value>, ProgramError> {
        self.skip_newline()?;
        while !self.cursor.at("yield") {
            if !self.cursor.at("let") {
                return Err(self.cursor.expected("`let` or `yield` in the body of a loop"));
            }
            self.cursor.advance()?;
            self.definition()?;
            self.cursor.end_line()?;
        }
        let span = self.cursor.span();
        self.cursor.expect("yield")?;
        let mut results = Vec::new();
        for (number, bound) in carried.iter().enumerate() {
            if number > 0 && !self.cursor.accept(",")? {
                return Err(self.yields(carried.len(), &span));
            }
            results.push(self.next(bound)?);
        }
        if self.cursor.at(",") {
            return Err(self.yields(carried.len(), &span));
        }
        Ok(results)
    }

    fn yields(&self, carried: usize, span: &Span) -> ProgramError {
        ProgramError::new(span, format!("this loop carries {carried} values: yield as many"))
    }

    /// The next value of a carried one.
    fn next(&mut self, bound: &Bound) -> Result<Value, ProgramError> {
        let operand = self.expression(&[])?;
        let value = self.single_like(&operand, Some(bound.ty.element), &bound.ty.shape)?;
        let value = self.fitted(value, &bound.ty, &operand.span)?;
        self.expect_fit(&bound.name.text, &bound.ty, value, &operand.span)?;
        Ok(value)
    }
}

/// Whether two types differ at most in width and sign.
fn same_kind(a: Element, b: Element) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b) && a.fraction() == b.fraction()
}
