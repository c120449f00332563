//! `tacit prepare triples`: for circuits that need not be known yet.

use super::{Party, PrepareArgs};
use crate::error::CliError;
use crate::run::{Misplaced, Parties, refuse};
use tacit::Prepared;
use tacit::runtime::Meeting;
use tacit::runtime::roles;
use tacit_engine::circuit::{self as engine, TripleJob};
use tacit_ring::Entropy;

/// Bits for masks beside those for products, of every party: for inputs.
const INPUT_BITS: usize = 8192;

/// Whether triples are to be prepared, rather than a circuit or program: a file of that name is `./triples`.
pub fn are_meant(args: &PrepareArgs) -> bool {
    args.run.path.as_os_str() == "triples"
}

/// Refuses wrong arguments, before any party starts.
pub fn check(args: &PrepareArgs) -> Result<(), CliError> {
    let rows = Misplaced::new(!args.rows.is_empty(), "--rows", "--count");
    let instances = Misplaced::new(args.run.instances.is_some(), "--instances", "--count");
    let from = Misplaced::new(args.triples.is_some(), "--triples", "--count");
    refuse("circuits and programs", [rows, instances, from])?;
    Ok(job(args, &Parties::numbered(args.run.protocol.parties()))?.check()?)
}

fn job(args: &PrepareArgs, parties: &Parties) -> Result<TripleJob, CliError> {
    let assignments = roles::named(args.run.roles.as_ref(), args.run.protocol, parties)?;
    let [assignment] = &assignments[..] else {
        return Err(CliError::input("triples are made for one assignment of roles"));
    };
    let triples = args.count.ok_or_else(|| {
        CliError::input("say how many: --count 100000, as many as a run's circuit has ANDs")
    })?;
    let bits = args.mask_bits.unwrap_or(triples.saturating_add(INPUT_BITS));
    Ok(TripleJob { assignment: assignment.clone(), workers: args.run.threads(), triples, bits })
}

/// One party prepares.
pub fn one_party(
    args: &PrepareArgs,
    parties: &Parties,
    meeting: &mut Meeting,
) -> Result<Prepared, CliError> {
    check(args)?;
    let job = job(args, parties)?;
    meeting.config.workers = job.workers;
    let preparer = Party { args, name: &parties.0[meeting.config.me.index()], facts: job.facts() };
    preparer.all(meeting, |session, preparation| {
        let pieces = preparation.pieces()?;
        let keep = |worker, piece| pieces.put(worker, piece);
        let links = engine::prepare_triples(session, &job, &mut Entropy::system(), &keep)?;
        Ok([pieces.finish()?, links.iter().map(|link| link.bytes).sum()])
    })
}
