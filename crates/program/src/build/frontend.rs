//! What front ends that read programs from elsewhere need: places in the user's text, single
//! operations exactly as given, loops whose body is read step by step.

use super::repeat::parameters_first;
use super::{Builder, Groups, Scope, Value};
use crate::error::ProgramError;
use crate::ir::{Loop, Op, Program, Span};
use crate::types::{Element, Extent, Type};

impl Builder {
    /// From here on, operations and mistakes are at this place of the user's text, for front ends that read it.
    pub fn at(&mut self, place: &Span) {
        self.place = Some(place.clone());
    }

    /// What was declared so far; the body is not complete.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// [`Self::program`], to declare more.
    pub(crate) fn declared(&mut self) -> &mut Program {
        &mut self.program
    }

    /// Whether the body of a loop is being recorded.
    pub(crate) fn is_in_loop(&self) -> bool {
        self.scopes.len() > 1
    }

    /// The first mistake so far; [`Builder::finish`] gives it too.
    #[must_use]
    pub fn mistake(&self) -> Option<ProgramError> {
        self.error.clone()
    }

    /// The results, or the mistake that kept them from being.
    pub(crate) fn checked<T>(&mut self, results: T) -> Result<T, ProgramError> {
        self.error.take().map_or(Ok(results), Err)
    }

    /// An operation exactly as given.
    pub(crate) fn exactly(
        &mut self,
        op: Op,
        operands: &[Value],
        declared: Option<&[Type]>,
    ) -> Vec<Value> {
        self.push_all(op, operands, declared)
    }

    /// An operation element by element, after the conversions and broadcasts that the builder's
    /// own operations do.
    pub(crate) fn elementwise(&mut self, op: Op, operands: &[Value]) -> Vec<Value> {
        let result = match (op, operands) {
            (Op::Equal, &[a, b]) => self.eq(a, b),
            (Op::Select, &[bit, a, b]) => self.select(bit, a, b),
            (op, &[a, b]) => self.binary(op, a.into(), b.into()),
            (op @ Op::Not, &[a]) => self.push(op, &[a], None),
            (op, &[a]) => {
                let a = self.number(a);
                self.push(op, &[a], None)
            }
            (op, _) => return self.push_all(op, operands, None),
        };
        vec![result]
    }

    /// Values in one shape, if their shapes broadcast to one.
    pub(crate) fn broadcast_all(&mut self, values: &[Value]) -> Vec<Value> {
        let shapes = values.iter().map(|&v| self.type_of(v).map(|t| t.shape.clone()));
        let joint = shapes.reduce(|a, b| crate::infer::shape::joint(&a?, &b?)).flatten();
        let Some(joint) = joint else { return values.to_vec() };
        values.iter().map(|&v| self.broadcast_to(v, joint.clone())).collect()
    }

    /// Numbers as they are, bits as integers.
    pub(crate) fn as_number(&mut self, a: Value) -> Value {
        self.number(a)
    }

    /// The groups `first`, `first + 1`, ... of a key, of the rows where the mask is one.
    pub(crate) fn groups(
        &mut self,
        key: Value,
        mask: Option<Value>,
        first: i64,
        groups: u64,
    ) -> Option<Groups> {
        let Some(end) = first.checked_add_unsigned(groups) else {
            self.fail("groups beyond the range of i64");
            return None;
        };
        let by = Groups::by(key, first..end);
        Some(mask.map_or(by, |mask| by.only(mask)))
    }

    /// Opens the body of a loop; the values of its parameters, and a token for its end.
    pub(crate) fn open_loop(&mut self, parameters: &[Type]) -> (Vec<Value>, u32) {
        self.open(parameters)
    }

    /// Ends the body of a loop. Its parameters are the carried values, the iteration number
    /// and `used`; what else it reads of outside is added to them.
    pub(crate) fn close_loop(
        &mut self,
        token: u32,
        trips: Extent,
        carried: &[Value],
        used: &[Value],
        next: &[Value],
    ) -> Vec<Value> {
        let next: Option<Vec<_>> = next.iter().map(|&value| self.resolve(value)).collect();
        let Some((scope, next)) = self.close(token).zip(next) else { return Vec::new() };
        let outer = self.scopes.last().expect("the outermost scope stays").number;
        let captured = scope.captured.iter().map(|&id| Value { scope: outer, id });
        let operands: Vec<Value> = carried.iter().chain(used).copied().chain(captured).collect();
        let body = parameters_first(scope.block, next);
        let inner = Loop { trips, carried: carried.len(), body };
        self.push_all(Op::Loop(Box::new(inner)), &operands, None)
    }

    /// A constant of raw values.
    pub(crate) fn raw(&mut self, element: Element, shape: Vec<Extent>, raw: Vec<i128>) -> Value {
        self.raw_constant(element, shape, raw)
    }

    /// Forgets the body of a loop, and of those within it.
    pub(crate) fn abandon(&mut self, token: u32) {
        self.scopes.retain(|scope| scope.number < token);
    }

    /// The program of what the results depend on; the results are taken out, so that other ones can follow.
    pub(crate) fn cut(&mut self, name: &str) -> Result<Program, ProgramError> {
        let reveals = std::mem::take(&mut self.program.reveals);
        let reveals = self.checked(reveals)?;
        let whole = &self.program;
        let Scope { block, ties, .. } = &self.scopes[0];
        let program = super::cut::cut(whole, (block, ties), name, reveals);
        crate::infer::check(&program)?;
        Ok(program)
    }
}
