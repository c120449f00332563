//! One way through a whole program: what it takes in, computes, tests and opens.

use super::compiled::CompiledProgram;
use super::context::{Backends, Context, Value};
use super::epochs::{end_epoch, settle};
use super::exec::run_block;
use super::frame::Ready;
use super::layout::lengths;
use super::outside::{self, Entered, Parcel};
use super::team::Team;
use super::verdict;
use crate::circuit::{EvaluateError, Guard};
use crate::gate::pass;
use std::sync::{Arc, PoisonError};
use tacit_backend::{ALL_LINES, Secret, Values};
use tacit_program::clear::Array;
use tacit_program::{Type, ValueId, Visibility};
use tacit_sharing::RoleId;

/// What was opened.
pub(super) struct Opened {
    /// The revealed values, in the program's order, where they are learned.
    pub values: Vec<Option<Values>>,
    /// What roles pass on to those outside.
    pub parcels: Vec<Parcel>,
    /// What opened before all of that.
    pub guard: Guard,
}

impl Opened {
    /// These values alone.
    pub fn of(values: Vec<Option<Values>>) -> Self {
        Opened { values, parcels: Vec::new(), guard: Guard::default() }
    }
}

impl CompiledProgram {
    /// Computes everything and opens what is revealed: its values where they are learned.
    pub(super) fn walk(
        &self,
        context: &Context<'_>,
        backends: Backends<'_, '_>,
    ) -> Result<Opened, EvaluateError> {
        backends.iter_mut().for_each(|backend| backend.at_line(ALL_LINES));
        let dealt = context.dealt.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Entered { inputs, pads } =
            outside::enter(self, backends, dealt, context.verifier().as_mut())?;
        // A walk enters once.
        let _ = context.entered.set(inputs);
        let wanted: Vec<ValueId> = self.program.reveals.iter().map(|r| r.value).collect();
        let body = &self.program.body;
        let given = (&[][..], &Ready::new());
        let values = run_block(context, backends, body, &self.rings, given, &wanted)?;
        backends.iter_mut().for_each(|backend| backend.at_line(ALL_LINES));
        let mut shared = Vec::new();
        for (reveal, value) in self.program.reveals.iter().zip(values) {
            let Value::Clear(array) = value else {
                shared.push(value);
                continue;
            };
            let ty = body.type_of(reveal.value);
            shared.push(match ty.visibility {
                Visibility::Private(owner) => {
                    let owner = self.roles[usize::from(owner.0)];
                    Value::Secret(Arc::new(self.given(backends, ty, owner, array)?))
                }
                _ => Value::Clear(array),
            });
        }
        let violated = context.checks().violated(&mut Team::new(backends, context))?;
        let mut verifier = context.verifier();
        backends.iter_mut().for_each(|backend| backend.at_line(ALL_LINES));
        if !(context.only_ahead && self.job.protocol().is_checked()) {
            settle(backends, verifier.as_mut())?;
        } else {
            end_epoch(backends, verifier.as_mut())?;
            // Openings send nothing ahead.
            return Ok(Opened::of(Vec::new()));
        }
        let tests =
            std::mem::take(&mut *context.tests.lock().unwrap_or_else(PoisonError::into_inner));
        // Of a circuit of everything one port opens before the others: with the tests.
        let (with_tests, by_itself) = match self.job.protocol().garbles() && !self.streams {
            true => (violated.as_ref(), None),
            false => (None, violated.as_ref()),
        };
        let first = (&tests[..], with_tests);
        let guard = verdict::check(self, backends, first, verifier.as_mut())?;
        // Whether a check failed says something of inputs, too: whoever counts releases counts that. What opened before is zeros
        // unless somebody shared what is no input.
        if context.door.is_some() {
            backends.iter_mut().try_for_each(|backend| backend.flush())?;
            pass(context.door)?;
        }
        let checked = verdict::open_checks(self, backends, by_itself, verifier.as_mut());
        // What goes ahead opens nothing.
        if !context.only_ahead {
            checked?;
        }
        let parcels = outside::open(self, backends, &pads, &shared)?;
        let mut secrets = Vec::new();
        for (reveal, value) in self.program.reveals.iter().zip(&shared) {
            let seats = reveal.to.iter().map(|party| self.roles[usize::from(party.0)]);
            let to: Vec<RoleId> = seats.filter(|seat| *seat < self.job.places().len()).collect();
            secrets.push(match value {
                Value::Secret(secret) if !to.is_empty() => Some((&**secret, to)),
                _ => None,
            });
        }
        let opened: Vec<(&Secret, Vec<RoleId>)> = secrets.iter().flatten().cloned().collect();
        let mut opened = backends[0].open_all(&opened)?.into_iter();
        let mut value = |(value, secret): (&Value, &Option<_>)| match value {
            Value::Secret(_) => secret.as_ref().and_then(|_| opened.next().flatten()),
            Value::Clear(array) => {
                array.as_ref().map(|array| Values::new(array.values().collect()))
            }
        };
        let values = shared.iter().zip(&secrets).map(&mut value).collect();
        // What opened them is compared, too, before anybody sees the values.
        end_epoch(backends, verifier.as_mut())?;
        Ok(Opened { values, parcels, guard })
    }

    /// Shares a value that its owner reveals as it is.
    fn given(
        &self,
        backends: Backends<'_, '_>,
        ty: &Type,
        owner: RoleId,
        array: Option<Arc<Array>>,
    ) -> Result<Secret, EvaluateError> {
        let len = lengths(&ty.shape, &self.job.rows)?.iter().product();
        let kind = self.given_kind(ty);
        let values = array.map(|array| Values::new(array.values().collect()));
        Ok(backends[0].input(kind, owner, values.as_ref().map(|values| &values[..]), len)?)
    }
}
