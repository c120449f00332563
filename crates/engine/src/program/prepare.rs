//! Lays a program out for a job.

use super::checks;
use super::compiled::CompiledProgram;
use super::drawn;
use super::job::{By, ProgramJob};
use super::layout::check_sizes;
use super::plans;
use super::ranges::by_bits;
use super::rings::BlockRings;
use super::seats::Seating;
use crate::circuit::EvaluateError;
use crate::options::{Garbling, Options, Preprocessing};
use std::sync::OnceLock;
use tacit_circuit::library::adder::AdderForm;
use tacit_program::hoist::hoist;
use tacit_program::lower::{Target, lower};
use tacit_program::once::once;
use tacit_program::seal::seal;
use tacit_program::together::together;
use tacit_program::{Program, infer};

/// ANDs of a program from which on it is garbled as it runs, unless it is told how: by then a circuit of everything
/// takes longer to draw than to garble.
const STREAMED_ANDS: u64 = 1 << 16;

/// Elements that operations are computed on together which do not depend on each other: so many that what they send takes no longer than
/// messages are under way on most networks.
const TOGETHER: u64 = 1 << 14;

impl CompiledProgram {
    /// Checks the program and the job, and lays the program out.
    ///
    /// # Errors
    /// When they do not fit each other, or a value needs more bits than rings have.
    pub fn new(program: &Program, job: ProgramJob) -> Result<Self, EvaluateError> {
        infer::check(program).map_err(|e| EvaluateError::Job(e.to_string()))?;
        job.check(program)?;
        let mut facts = job.facts(program);
        let roles = job.parties.iter().map(|p| job.seat_of(*p)).collect::<Result<Vec<_>, _>>()?;
        let source = program.clone();
        // Who may cheat must not share an input twice, as two values; who is outside computes nothing.
        let outside =
            |party: tacit_program::PartyId| roles[usize::from(party.0)] >= job.places().len();
        let sealed = seal(program, |party| job.protocol().is_malicious() || outside(party));
        // Where circuits are garbled, levels are free.
        let garbles = job.protocol().garbles();
        let circuits =
            Target::circuits(if garbles { AdderForm::Ripple } else { AdderForm::Select });
        let target = match job.by {
            By::Rings => plans::in_rings(circuits),
            By::Circuits => circuits,
        };
        let mut program = once(&hoist(&lower(&sealed, target)));
        if !garbles {
            program = together(&program, &job.rows, TOGETHER);
        }
        check_sizes(&program.body, &job.rows)?;
        let rings = BlockRings::new(&program.body, &job.rows, job.by)?;
        let seatings = Seating::all(&job)?;
        let by_bits = by_bits(&job, &program, (&rings, &roles))?;
        let mut prepared = CompiledProgram {
            job,
            source,
            program,
            rings,
            roles,
            seatings,
            by_bits,
            streams: false,
            ands: OnceLock::new(),
            facts: Vec::new(),
        };
        let (does, in_blocks) = (prepared.job.may_stream(), prepared.job.in_blocks());
        let most = if in_blocks { prepared.job.most_ands() as u64 } else { STREAMED_ANDS };
        let steps = prepared.opens_in_steps()?;
        let large = || Ok(steps || drawn::ands(&prepared)? >= most);
        prepared.streams = prepared.job.options.streams(does, large)?;
        facts.extend(Garbling::fact(does, prepared.streams));
        if prepared.streams && in_blocks {
            facts.push(("ANDs of a circuit", prepared.job.most_ands().to_string()));
        }
        prepared.facts = facts;
        Ok(prepared)
    }

    /// Whether it has to be garbled as it runs, as it checks values: a circuit of everything opens all at once, unless the
    /// protocol has [what opens first](Guard).
    ///
    /// # Errors
    /// Where results would open together with what the checks say, or before it.
    fn opens_in_steps(&self) -> Result<bool, EvaluateError> {
        let protocol = self.job.protocol();
        let Options { preprocessing, garbling, .. } = self.job.options;
        if protocol.is_trusted_party() || !checks::has_any(&self.program) {
            return Ok(false);
        }
        if !protocol.garbles() {
            // What opens results, the masks of masked values, then goes ahead of the run.
            if preprocessing == Preprocessing::Separate && !protocol.is_checked() {
                return Err(EvaluateError::Job(format!(
                    "not supported: a program that checks values, with preprocessing before the inputs, under {protocol}: \
                     preprocessing there sends what opens the results, before the checks say anything. Have \
                     preprocessing in the run"
                )));
            }
            return Ok(false);
        }
        if protocol.authenticates() {
            return Ok(false);
        }
        let in_the_run = preprocessing == Preprocessing::Interleaved && self.job.may_stream();
        if in_the_run && garbling != Garbling::Whole {
            return Ok(true);
        }
        Err(EvaluateError::Job(format!(
            "not supported: a program that checks values, garbled whole under {protocol}: a single circuit would open \
             its results together with what the checks say. Have it garbled as it runs, with preprocessing in the run"
        )))
    }

    /// About how many ANDs there are in the circuit that the program is under a protocol that garbles, or in all its
    /// circuits; none under others, and where it is streamed gate by gate. Quick, however large.
    ///
    /// # Errors
    /// When arrays are too large.
    pub fn circuit_ands(&self) -> Result<Option<u64>, EvaluateError> {
        let drawn = self.job.protocol().garbles() && (self.job.in_blocks() || !self.streams);
        drawn.then(|| drawn::ands(self)).transpose()
    }

    /// About how many circuits are garbled one after the other: one, unless it is done circuit by circuit.
    ///
    /// # Errors
    /// When arrays are too large.
    pub fn circuits(&self) -> Result<u64, EvaluateError> {
        if !(self.streams && self.job.in_blocks()) {
            return Ok(1);
        }
        Ok(drawn::ands(self)?.div_ceil(self.job.most_ands() as u64).max(1))
    }
}
