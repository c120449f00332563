//! The circuit of everything that a program is under protocols that garble it whole: drawn, laid out, and kept.

use super::compiled::CompiledProgram;
use super::cost::Cost;
use super::facts::Inputs;
use super::job::By;
use super::walk::Opened;
use crate::circuit::{self, Assignment, Compiled, EvaluateError, Guard, Job};
use crate::options::{Garbling, Options, Preprocessing};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tacit_backend::cost::{Links, Traffic};
use tacit_backend::{Backend, Boolean, Drawing, Drawn, Replay};
use tacit_net::PartyId;
use tacit_program::text;
use tacit_sharing::RoleId;

/// Walks over one backend.
pub(super) fn walk<B: Backend + Send>(
    prepared: &CompiledProgram,
    inputs: &Inputs,
    progress: &(dyn Fn(u64) + Sync),
    mut backend: B,
) -> Result<(B, Opened), EvaluateError> {
    let context = prepared.context(0, inputs, progress);
    let opened = prepared.walk(&context, &mut [&mut backend])?;
    Ok((backend, opened))
}

/// ANDs of a drawing, at most.
const MAX_ANDS: u64 = 1 << 26;

/// About how many ANDs the circuit of the program has: at most so many, unless public inputs matter.
pub(super) fn ands(prepared: &CompiledProgram) -> Result<u64, EvaluateError> {
    if let Some(ands) = prepared.ands.get() {
        return Ok(*ands);
    }
    let ands = counted(prepared)?.ands;
    Ok(*prepared.ands.get_or_init(|| ands))
}

/// About how many ANDs each line of the program has, from 1 on.
pub(super) fn ands_by_line(
    prepared: &CompiledProgram,
) -> Result<BTreeMap<u32, u64>, EvaluateError> {
    Ok(counted(prepared)?.by_line)
}

fn counted(prepared: &CompiledProgram) -> Result<Replay, EvaluateError> {
    let replay = Replay::new(prepared.job.protocol(), Vec::new());
    Ok(walk(prepared, &BTreeMap::new(), &|_| {}, replay)?.0.bits)
}

/// The circuit of the program, and what its first output says if that is to open first. It depends on public inputs,
/// not on those of parties.
fn draw(prepared: &CompiledProgram, inputs: &Inputs) -> Result<(Drawn, Guard), EvaluateError> {
    let (ands, protocol) = (ands(prepared)?, prepared.job.protocol());
    if ands > MAX_ANDS {
        return Err(EvaluateError::Job(format!(
            "under {protocol} the program is one circuit, of some {ands} ANDs here; it may have {MAX_ANDS}: \
             use gmw, or fewer rows"
        )));
    }
    let drawing = Drawing::new(protocol);
    let (Boolean { bits }, opened) = walk(prepared, inputs, &|_| {}, drawing)?;
    Ok((bits.finish(), opened.guard))
}

/// The circuit of a program, laid out.
pub(super) struct Laid {
    drawn: Drawn,
    guard: Guard,
    /// As if every role were played by the party of its number.
    layout: Compiled,
}

impl Laid {
    fn of(prepared: &CompiledProgram, inputs: &Inputs) -> Result<Laid, EvaluateError> {
        let (drawn, guard) = draw(prepared, inputs)?;
        let job = circuit_job(prepared, (&drawn, &guard), &roles(prepared), DEFAULT);
        let layout = Compiled::new(&drawn.circuit, job)?;
        Ok(Laid { drawn, guard, layout })
    }

    /// For parties that play roles.
    pub fn compiled(
        &self,
        prepared: &CompiledProgram,
        places: &[PartyId],
        preprocessing: Preprocessing,
    ) -> Result<Compiled, EvaluateError> {
        let job = circuit_job(prepared, (&self.drawn, &self.guard), places, preprocessing);
        self.layout.seated(&self.drawn.circuit, job)
    }

    /// What it costs.
    pub fn cost(&self, prepared: &CompiledProgram) -> Result<Cost, EvaluateError> {
        let prediction = circuit::predict(&self.compiled(prepared, &roles(prepared), DEFAULT)?);
        let ahead = Traffic { on: Links::default(), ..prediction.bytes.clone() };
        let (rounds, products) = (prediction.rounds, prediction.products);
        Ok(Cost { ahead, rounds, products, ..Cost::of(prediction.bytes) })
    }
}

const DEFAULT: Preprocessing = Preprocessing::Interleaved;

/// Every role is played by the party of its number.
fn roles(prepared: &CompiledProgram) -> Vec<PartyId> {
    PartyId::all(prepared.job.protocol().parties()).collect()
}

/// All that the circuit of a program without public inputs follows from: where it is the same for two protocols, so is the
/// circuit.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Origin {
    program: [u8; 32],
    rows: Vec<u64>,
    chunk_rows: usize,
    by: By,
    parties: Vec<PartyId>,
    roles: Vec<RoleId>,
    computing: usize,
    fan_in: usize,
    /// Whether the protocol is malicious, is checked, authenticates, and whether ranges of inputs are tested.
    protects: [bool; 4],
}

impl Origin {
    fn of(prepared: &CompiledProgram) -> Origin {
        let (job, protocol) = (&prepared.job, prepared.job.protocol());
        Origin {
            program: text::digest(&prepared.source),
            rows: job.rows.clone(),
            chunk_rows: job.chunk_rows,
            by: job.by,
            parties: job.parties.clone(),
            roles: prepared.roles.clone(),
            computing: protocol.parties(),
            fan_in: protocol.fan_in(),
            protects: [
                protocol.is_malicious(),
                protocol.is_checked(),
                protocol.authenticates(),
                job.tests_ranges(),
            ],
        }
    }
}

/// ANDs of a circuit that is kept, and of all but one of those that are, together: some hundred bytes each.
const MOST_KEPT: u64 = 1 << 18;

/// A circuit that is drawn by the first who wants it, while others wait.
type Once = Arc<Mutex<Option<Arc<Laid>>>>;

/// Circuits that were drawn in this process: a plan asks for the same one for every protocol that garbles, and a run for the one
/// that was planned.
#[derive(Default)]
struct Kept {
    all: HashMap<Origin, Once>,
    ands: u64,
}

/// The circuit of a program, drawn once in this process if it is small and has no public inputs.
pub(super) fn laid(
    prepared: &CompiledProgram,
    inputs: &Inputs,
) -> Result<Arc<Laid>, EvaluateError> {
    static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
    let ands = ands(prepared)?;
    let public = prepared.program.inputs().any(|(_, _, party)| party.is_none());
    if public || ands > MOST_KEPT {
        return Ok(Arc::new(Laid::of(prepared, inputs)?));
    }
    let once = {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.ands > MOST_KEPT {
            *kept = Kept::default();
        }
        let Kept { all, ands: together } = &mut *kept;
        let new = || {
            *together += ands;
            Once::default()
        };
        all.entry(Origin::of(prepared)).or_insert_with(new).clone()
    };
    let mut drawn = once.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = &*drawn {
        return Ok(known.clone());
    }
    // What is kept has seen no values.
    Ok(drawn.insert(Arc::new(Laid::of(prepared, &BTreeMap::new())?)).clone())
}

/// What is to be done with the circuit.
fn circuit_job(
    prepared: &CompiledProgram,
    (drawn, guard): (&Drawn, &Guard),
    places: &[PartyId],
    preprocessing: Preprocessing,
) -> Job {
    let at = |role: &usize| places[*role];
    let owners = drawn.owners.iter().map(at).collect();
    let receivers = drawn.receivers.iter().map(|to| to.iter().map(at).collect()).collect();
    let job = &prepared.job;
    let options = Options {
        assignments: vec![Assignment::new(job.protocol(), places.to_vec())],
        workers: 1,
        preprocessing,
        stored: false,
        garbling: Garbling::Whole,
        ..job.options.clone()
    };
    Job { options, guard: guard.clone(), ..Job::new(job.protocol(), owners, receivers) }
}

/// What a run costs.
pub(super) fn cost(prepared: &CompiledProgram) -> Result<Cost, EvaluateError> {
    laid(prepared, &BTreeMap::new())?.cost(prepared)
}

/// The program's circuit, laid out for phases in two sessions.
pub(super) fn compiled(
    prepared: &CompiledProgram,
    inputs: &Inputs,
) -> Result<Compiled, EvaluateError> {
    laid(prepared, inputs)?.compiled(prepared, prepared.job.places(), Preprocessing::Separate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ProgramJob;
    use crate::protocols;
    use tacit_sharing::Protocol;

    const TEXT: &str = "program likeness\nparties a, b, c\nrows n <= 10\n\
        input x: i16[n] from a in -100..100\ninput y: u32[n] from b\ninput keep: bit[n] from c\n\
        let z = select(keep, cast(x, to i64), cast(y, to i64))\n\
        reveal sum(z, axis 0) to a as \"sum\"\nreveal max(z, axis 0) to b, c as \"most\"\n\
        reveal div(z, 7) to all as \"quotients\"\n";

    /// Protocols for which a circuit is taken as the same would draw the same one; and there are some.
    #[test]
    fn circuits_of_one_origin_are_the_same() {
        let program = text::parse("likeness", TEXT).expect("a program");
        let mut known: HashMap<Origin, (Protocol, [u8; 32], String)> = HashMap::new();
        let mut shared = 0;
        for protocol in protocols::all().filter(|it| it.garbles()).map(|it| it.fitting(3)) {
            let job = ProgramJob::new(protocol, PartyId::all(3).collect(), vec![5]);
            // With two parties there is none for the third.
            let Ok(prepared) = CompiledProgram::new(&program, job) else { continue };
            let (drawn, guard) = draw(&prepared, &BTreeMap::new()).expect("a circuit");
            let rest = format!("{:?} {:?} {guard:?}", drawn.owners, drawn.receivers);
            let digest = drawn.circuit.digest();
            let of = Origin::of(&prepared);
            if let Some((other, known, as_well)) = known.get(&of) {
                assert_eq!((known, as_well), (&digest, &rest), "{protocol} and {other}");
                shared += 1;
            }
            known.insert(of, (protocol, digest, rest));
        }
        assert!(known.len() >= 2 && shared >= 3, "{} origins, {shared} shared", known.len());
    }
}
