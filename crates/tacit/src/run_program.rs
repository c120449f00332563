//! What one party does to run a program with the others, from connecting to finishing.

use crate::auto;
use crate::candidate::Choice;
use crate::choice::{self, ProgramChoice};
use crate::error::Result;
use crate::inputs::Given;
use crate::job::program_job;
use crate::meeting::{Meeting, in_session, threads_of};
use crate::names::{Names, is_trusted};
use crate::options::Options;
use crate::progress::Progress;
use crate::roles::{self, Roles};
use crate::store;
use crate::wanted::Wanted;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use tacit_engine::Gate;
use tacit_engine::program::{self as engine, CompiledProgram, Outcome, ProgramJob, RowTerms};
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
    /// What is asked before results open, if anything is.
    pub gate: Option<Arc<dyn Fn() -> std::result::Result<(), String> + Send + Sync>>,
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

/// What the parties compute together, before they begin.
struct Agreed {
    job: ProgramJob,
    choice: Option<ProgramChoice>,
    auto: Option<Choice>,
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
        self.with_others_until(meeting, given, store, progress, Ok)
    }

    /// Does so, and has `keep` take what there is before it says that it has finished: an error of that ends the session
    /// for all.
    pub(crate) fn with_others_until<D>(
        &self,
        meeting: &mut Meeting,
        given: Given,
        store: Option<Store>,
        progress: &dyn Progress,
        keep: impl FnOnce(ProgramDone) -> Result<D>,
    ) -> Result<D> {
        let mut session = meeting.connect()?;
        let most = self.options.spread.then(|| threads_of(&meeting.config));
        let agreed =
            in_session(&mut session, |session| self.agree(session, &given, most, progress))?;
        let mut session = meeting.widened(session, agreed.job.threads())?;
        let done = in_session(&mut session, |session| {
            keep(self.compute(session, agreed, given, store, progress)?)
        })?;
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
        in_session(session, |session| {
            let agreed = self.agree(session, &given, None, progress)?;
            self.compute(session, agreed, given, store, progress)
        })
    }

    /// How many rows there are, and what is computed how; on up to `most` threads, where that may be chosen.
    fn agree(
        &self,
        session: &mut Session,
        given: &Given,
        most: Option<usize>,
        progress: &dyn Progress,
    ) -> Result<Agreed> {
        let ProgramRun { program, names, options, wanted, bounds, .. } = self;
        let protocol = wanted.map_or_else(|| options.protocol.to_string(), |it| it.fact());
        let terms = RowTerms { protocol, own: given.rows.clone(), bounds: bounds.clone() };
        let rows = engine::agree_rows(session, program, &terms)?;
        Ok(match *wanted {
            None => {
                let mut job = program_job(options, program, names, rows)?;
                let choice = choice::for_links(session, program, &mut job, options)?;
                Agreed { job, choice, auto: None }
            }
            Some(wanted) => {
                let how = (*options, wanted, most);
                let (job, choice) = auto::for_program(session, program, names, &rows, how)?;
                progress.chosen(&choice, &names.session);
                Agreed { job, choice: None, auto: Some(choice) }
            }
        })
    }

    fn compute(
        &self,
        session: &mut Session,
        agreed: Agreed,
        given: Given,
        store: Option<Store>,
        progress: &dyn Progress,
    ) -> Result<ProgramDone> {
        let Agreed { job, choice, auto } = agreed;
        let prepared = CompiledProgram::new(self.program, job)?;
        progress.total(prepared.counted_steps());
        let count = |rows| progress.done(rows);
        let Some(store) = store else {
            let outcome =
                engine::run_gated(session, &prepared, given.inputs, self.engine_gate(), &count)?;
            return Ok(ProgramDone { outcome, choice, auto, stored: None });
        };
        engine::check_storable(&prepared)?;
        engine::check_inputs(&prepared, session.me(), &given.inputs)?;
        let facts = engine::facts(&prepared, &given.inputs);
        let facts: Vec<(&str, String)> =
            facts.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let (name, ready) = store::take(&store, session, &facts)?;
        let ready = (name.as_str(), ready);
        let asking: (_, &(dyn Fn(u64) + Sync)) = (self.engine_gate(), &count);
        let outcome = engine::run_prepared_gated(session, &prepared, given.inputs, ready, asking)?;
        Ok(ProgramDone { outcome, choice, auto, stored: Some(name) })
    }

    fn engine_gate(&self) -> Option<Gate> {
        self.gate.clone().map(|gate| Gate::new(move || gate()))
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
