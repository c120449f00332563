//! Statements: what a program declares, computes and reveals.

use super::cursor::{Cursor, Name};
use super::expression::{Operand, Term};
use super::lex::Kind;
use super::names;
use super::parser::Parser;
use super::print::type_text;
use super::types::Written;
use crate::build::Value;
use crate::domain::{Meaning, Members};
use crate::error::ProgramError;
use crate::ir::{Dim, Op, Program, Span};
use crate::types::{PartyId, Type, Visibility};
use std::path::{Component, Path};
use tacit_circuit::spelling::similar;

/// Largest text.
const MAX_BYTES: usize = 1 << 26;
/// Largest circuit file that a text may name.
const MAX_FILE_BYTES: u64 = 1 << 28;

/// Reads a program. Circuit files are looked for beside `file_name`, never outside of its
/// folder.
///
/// # Errors
/// The first mistake, with file, line and column.
pub fn parse(file_name: &str, text: &str) -> Result<Program, ProgramError> {
    let folder = Path::new(file_name).parent().unwrap_or(Path::new(""));
    parse_with(file_name, text, &mut |path| read_beside(folder, path))
}

/// [`parse`] with circuit files from elsewhere: `load` gives the bytes of the file of a name,
/// or says why it cannot.
///
/// # Errors
/// The first mistake, with file, line and column.
pub fn parse_with(
    file_name: &str,
    text: &str,
    load: &mut (dyn FnMut(&str) -> Result<Vec<u8>, String> + Send),
) -> Result<Program, ProgramError> {
    if text.len() > MAX_BYTES {
        let span = Span { file: file_name.into(), line: 0, column: 0 };
        return Err(ProgramError::new(&span, "a program has at most 64 MiB of text"));
    }
    let mut parser = Parser::new(Cursor::new(file_name, text)?, load);
    parser.statements()?;
    parser.builder.finish()
}

fn read_beside(folder: &Path, path: &str) -> Result<Vec<u8>, String> {
    let relative = Path::new(path);
    if !relative.components().all(|c| matches!(c, Component::Normal(_))) {
        return Err(format!("circuit file {path} is not in the program's folder: put it there"));
    }
    let path = folder.join(relative);
    let unread = |e: std::io::Error| format!("cannot read {}: {e}", path.display());
    let info = std::fs::metadata(&path).map_err(unread)?;
    if !info.is_file() || info.len() > MAX_FILE_BYTES {
        return Err(format!("{} is no file of at most 256 MiB", path.display()));
    }
    std::fs::read(&path).map_err(unread)
}

impl<'a> Parser<'a> {
    fn statements(&mut self) -> Result<(), ProgramError> {
        self.skip_newline()?;
        self.cursor.expect("program")?;
        let name = self.cursor.name("the program's name")?;
        self.program().name = name.text;
        self.cursor.end_line()?;
        while self.cursor.token.kind != Kind::End {
            self.statement()?;
            self.cursor.end_line()?;
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<(), ProgramError> {
        let keyword = self.cursor.token;
        if keyword.kind != Kind::Word {
            return Err(self.cursor.expected("a statement"));
        }
        match keyword.text {
            "parties" => self.after_keyword(Self::parties),
            "rows" => self.after_keyword(Self::rows),
            "domain" => self.after_keyword(Self::domain_definition),
            "circuit" => self.after_keyword(Self::circuit_definition),
            "input" => self.after_keyword(Self::input),
            "let" => self.after_keyword(Self::definition),
            "reveal" => self.after_keyword(Self::reveal),
            other => {
                let known = ["parties", "rows", "domain", "circuit", "input", "let", "reveal"];
                let hint = similar(other, known).map_or_else(
                    || format!("a line begins with one of {}", known.join(", ")),
                    |meant| format!("did you mean `{meant}`?"),
                );
                Err(self.cursor.error(format!("`{other}` begins no statement: {hint}")))
            }
        }
    }

    fn after_keyword(
        &mut self,
        rest: fn(&mut Self) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        self.cursor.advance()?;
        rest(self)
    }

    /// `parties alice, bob`
    fn parties(&mut self) -> Result<(), ProgramError> {
        loop {
            let name = self.cursor.name("the name of a party")?;
            self.declare("party", &name)?;
            if self.program().parties.len() == usize::from(u8::MAX) {
                return Err(ProgramError::new(&name.span, "a program has at most 255 parties"));
            }
            self.program().parties.push(name.text);
            if !self.cursor.accept(",")? {
                return Ok(());
            }
        }
    }

    /// `rows n <= 10000` or `rows n in 100..10000`
    fn rows(&mut self) -> Result<(), ProgramError> {
        let name = self.cursor.name("the name of a row count")?;
        self.declare("row count", &name)?;
        let mut min = 0;
        if self.cursor.accept("in")? {
            min = self.cursor.number("the fewest rows", 0, u64::MAX)?;
            self.cursor.expect("..")?;
        } else if !self.cursor.accept("<=")? {
            return Err(self.cursor.expected("`<=` and the most rows, or `in` and a range"));
        }
        let span = self.cursor.span();
        let max = self.cursor.number("the most rows", 0, u64::MAX)?;
        if max < min {
            return Err(ProgramError::new(&span, "this range of rows is empty: LOW..HIGH"));
        }
        self.program().dims.push(Dim { name: name.text, min, max });
        Ok(())
    }

    /// `domain level = ["junior", "senior"]` or `domain year = 2018..2024`
    fn domain_definition(&mut self) -> Result<(), ProgramError> {
        let name = self.cursor.name("the name of a domain")?;
        self.declare("domain", &name)?;
        self.cursor.expect("=")?;
        let members = if self.cursor.at("[") {
            let mut names = Vec::new();
            self.cursor.list(["[", "]"], |cursor| {
                names.push(cursor.quoted("a category")?.text);
                Ok(())
            })?;
            Members::Names(names)
        } else {
            let first = self.cursor.number("the least member", i64::MIN, i64::MAX)?;
            self.cursor.expect("..")?;
            let last = self.cursor.number("the greatest member", i64::MIN, i64::MAX)?;
            Members::Numbers { first, last }
        };
        self.builder.at(&name.span);
        let domain = self.builder.domain(&name.text, members);
        self.builder.checked(domain).map(drop)
    }

    /// `input pay: u32[n] from alice in 0..100` or `input "Base pay" as pay: ...`
    fn input(&mut self) -> Result<(), ProgramError> {
        let name = self.cursor.name("the name of an input")?;
        self.declare("input", &name)?;
        let variable =
            if self.cursor.accept("as")? { self.cursor.word("a name")? } else { name.clone() };
        if !names::is_plain(&variable.text) {
            let message = format!(
                "name the value of this input: `input {} as NAME: ...`",
                names::quote(&name.text)
            );
            return Err(ProgramError::new(&name.span, message));
        }
        self.cursor.expect(":")?;
        let written = self.written_type()?;
        let party = match written.visibility {
            Some(Visibility::Private(party)) => Some(party),
            Some(Visibility::Public) => None,
            _ => {
                let message = "who gives this input? `from PARTY`, or `public`";
                return Err(ProgramError::new(&written.span, message));
            }
        };
        let meaning = match self.cursor.accept("of")? {
            true => self.meaning()?,
            false if written.date => Meaning::Date,
            false => Meaning::Number,
        };
        // Of a type that does not hold them all it is said which one does.
        let own = written.element.interval();
        let whole = match meaning.interval() {
            Some(texts) if meaning.is_of_texts() && !own.contains(texts) => own,
            whole => whole.unwrap_or(own),
        };
        let ty = Type {
            element: written.element,
            shape: written.shape,
            visibility: party.map_or(Visibility::Public, Visibility::Private),
            interval: written.interval.unwrap_or(whole),
        };
        let op = Op::Input { name: name.text, party, meaning };
        let value = self.push(op, &[], Some(ty), &name.span)?;
        self.bind(&variable.text, value, &variable.span)
    }

    /// `let x: u32[n] = ...` or `let (a, b) = ...`
    pub(super) fn definition(&mut self) -> Result<(), ProgramError> {
        let mut targets = Vec::new();
        let in_brackets = self.cursor.at("(");
        if in_brackets {
            let opened = self.cursor.advance()?;
            while !self.cursor.accept(")")? {
                targets.push(self.target()?);
                self.cursor.separate(&opened, ")")?;
            }
        } else {
            targets.push(self.target()?);
        }
        self.cursor.expect("=")?;
        self.skip_newline()?;
        let declared: Vec<_> = targets.iter().map(|(_, written)| written.clone()).collect();
        let right = self.right_side(&declared)?;
        let values = match (&right.term, declared.as_slice()) {
            (Term::Literal(literal), [Some(written)]) => {
                vec![self.constant_of(literal, written.element, &written.shape)?]
            }
            (Term::Literal(_), _) => vec![self.single(&right)?],
            (Term::Values(values), _) => values.clone(),
        };
        if values.len() != targets.len() {
            let (given, wanted) = (values.len(), targets.len());
            let message =
                format!("this has {given} results, not {wanted}: `let (a, b, ...) = ...`");
            return Err(ProgramError::new(&right.span, message));
        }
        for ((name, written), value) in targets.iter().zip(values) {
            if let Some(written) = written {
                self.expect_type(&name.text, written, value)?;
            }
            self.bind(&name.text, value, &name.span)?;
        }
        Ok(())
    }

    fn right_side(&mut self, declared: &[Option<Written>]) -> Result<Operand<'a>, ProgramError> {
        if !self.cursor.at("loop") {
            return self.expression(declared);
        }
        let span = self.cursor.span();
        Ok(Operand { term: Term::Values(self.repeat()?), span })
    }

    fn target(&mut self) -> Result<(Name, Option<Written>), ProgramError> {
        let name = self.cursor.word("a name for the value")?;
        let written = if self.cursor.accept(":")? { Some(self.written_type()?) } else { None };
        Ok((name, written))
    }

    /// Whether a value is as declared.
    pub(super) fn expect_type(
        &self,
        name: &str,
        written: &Written,
        value: Value,
    ) -> Result<(), ProgramError> {
        let found = self.ty(value);
        let Some(what) = written.mismatch(found) else { return Ok(()) };
        let found = type_text(self.builder.program(), found);
        let message = format!("`{name}` has another {what}: it is {found}");
        Err(ProgramError::new(&written.span, message))
    }

    /// `reveal sums to alice, bob as "sums"`, perhaps with `by level` or `of date` before `as`
    fn reveal(&mut self) -> Result<(), ProgramError> {
        let (token, ahead) = (self.cursor.token, self.cursor.ahead);
        let span = self.cursor.span();
        let operand = self.expression(&[])?;
        let value = self.single(&operand)?;
        if !self.cursor.at("to") {
            return Err(self.cursor.expected("`to` and who learns it"));
        }
        self.cursor.advance()?;
        let to = self.receivers()?;
        let by = if self.cursor.accept("by")? { Some(self.domains()?) } else { None };
        let meaning = if self.cursor.accept("of")? { self.meaning()? } else { Meaning::Number };
        let name = if self.cursor.accept("as")? {
            self.cursor.name("the name of the result")?
        } else if token.kind == Kind::Word && ahead.is("to") {
            Name { text: token.text.to_owned(), span }
        } else {
            return Err(self.cursor.expected("`as` and a name for the result"));
        };
        self.declare("result", &name)?;
        self.builder.at(&name.span);
        self.builder.reveal_as(&name.text, value, &to, by.as_deref(), meaning);
        self.builder.checked(())
    }

    /// Parties with commas between them, or `all`.
    fn receivers(&mut self) -> Result<Vec<PartyId>, ProgramError> {
        if self.cursor.accept("all")? {
            return Ok((0..self.program().parties.len() as u8).map(PartyId).collect());
        }
        let mut to = Vec::new();
        loop {
            let span = self.cursor.span();
            let party = self.party()?;
            if to.contains(&party) {
                return Err(ProgramError::new(&span, "this party is named twice"));
            }
            to.push(party);
            if !self.cursor.accept(",")? {
                return Ok(to);
            }
        }
    }
}
