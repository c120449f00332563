//! What one party does to run a program with the others, from connecting to finishing.

use crate::auto;
use crate::candidate::Choice;
use crate::choice::{self, ProgramChoice};
use crate::error::Result;
use crate::inputs::Given;
use crate::job::program_job;
use crate::meeting::{Meeting, in_session};
use crate::names::{Names, is_trusted};
use crate::options::Options;
use crate::progress::Progress;
use crate::roles::{self, Roles};
use crate::store;
use crate::wanted::Wanted;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use tacit_engine::program::{self as engine, CompiledProgram, Outcome, RowTerms};
use tacit_engine::store::Store;
use tacit_net::Session;
use tacit_program::Program;

/// The fewest rows that a program may have: for what does not depend on how many there are.
#[must_use]
pub fn least_rows(program: &Program) -> Vec<u64> {
    program.dims.iter().map(|dim| dim.min).collect()
}

/// A program that a party runs with others.
pub struct ProgramRun<'a> {
    /// The program.
    pub program: &'a Program,
    /// Who is who.
    pub names: &'a Names,
    /// How it is computed. Where the parties choose the protocol, it is one of those that they choose from until then.
    pub options: &'a Options,
    /// What the protocol must do that the parties choose, if they choose one.
    pub wanted: Option<Wanted>,
    /// Fewest and most rows with which this party computes, by row count, where the program allows others too.
    pub bounds: BTreeMap<String, RangeInclusive<u64>>,
}

/// What a party has after the session.
pub struct ProgramDone {
    /// What it learned, and what that cost.
    pub outcome: Outcome,
    /// Why roles and form are as they are, if they were chosen under a given protocol.
    pub choice: Option<ProgramChoice>,
    /// Why the protocol is what it is, if the parties chose it.
    pub auto: Option<Choice>,
    /// The stored preprocessing that was used.
    pub stored: Option<String>,
}

impl ProgramRun<'_> {
    /// Meets the others, computes with them, and finishes well, or ends the session for all.
    pub fn with_others(
        &self,
        meeting: &mut Meeting,
        given: Given,
        store: Option<Store>,
        progress: &dyn Progress,
    ) -> Result<ProgramDone> {
        let mut session = meeting.connect()?;
        let done = self.over(&mut session, given, store, progress)?;
        session.finish()?;
        Ok(done)
    }

    /// Computes over an open session, which is over for all when that fails.
    pub fn over(
        &self,
        session: &mut Session,
        given: Given,
        store: Option<Store>,
        progress: &dyn Progress,
    ) -> Result<ProgramDone> {
        in_session(session, |session| self.compute(session, given, store, progress))
    }

    fn compute(
        &self,
        session: &mut Session,
        given: Given,
        store: Option<Store>,
        progress: &dyn Progress,
    ) -> Result<ProgramDone> {
        let ProgramRun { program, names, options, wanted, bounds } = self;
        let protocol = wanted.map_or_else(|| options.protocol.to_string(), |it| it.fact());
        let terms = RowTerms { protocol, own: given.rows, bounds: bounds.clone() };
        let rows = engine::agree_rows(session, program, &terms)?;
        let (job, choice, auto) = match *wanted {
            None => {
                let mut job = program_job(options, program, names, rows)?;
                let choice = choice::for_links(session, program, &mut job, options)?;
                (job, choice, None)
            }
            Some(wanted) => {
                let how = (*options, wanted);
                let (job, choice) = auto::for_program(session, program, names, &rows, how)?;
                progress.chosen(&choice, &names.session);
                (job, None, Some(choice))
            }
        };
        let prepared = CompiledProgram::new(program, job)?;
        progress.total(prepared.counted_steps());
        let count = |rows| progress.done(rows);
        let Some(store) = store else {
            let outcome = engine::run(session, &prepared, given.inputs, &count)?;
            return Ok(ProgramDone { outcome, choice, auto, stored: None });
        };
        engine::check_storable(&prepared)?;
        engine::check_inputs(&prepared, session.me(), &given.inputs)?;
        let facts = engine::facts(&prepared, &given.inputs);
        let facts: Vec<(&str, String)> =
            facts.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let (name, ready) = store::take(&store, session, &facts)?;
        let ready = (name.as_str(), ready);
        let outcome = engine::run_prepared(session, &prepared, given.inputs, ready, &count)?;
        Ok(ProgramDone { outcome, choice, auto, stored: Some(name) })
    }

    /// Meshes of a session: of as many assignments of roles as may be chosen.
    pub fn workers(&self) -> Result<usize> {
        let protocol = self.options.protocol;
        if let Some(wanted) = self.wanted {
            wanted.check(self.options)?;
            return Ok(self.options.threads);
        }
        match self.options.roles {
            Some(Roles::Auto) if protocol.has_roles() && !is_trusted(protocol) => {
                Ok(self.options.threads.saturating_mul(roles::most(protocol.parties())))
            }
            _ => {
                let rows = least_rows(self.program);
                Ok(program_job(self.options, self.program, self.names, rows)?.threads())
            }
        }
    }
}
