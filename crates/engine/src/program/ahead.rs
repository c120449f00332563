//! Preprocessing of programs on shares before inputs are known, for this session or another one.
//!
//! What goes ahead is a function of keys and of the program. Parties go through the whole program without inputs,
//! exchange [nothing else](tacit_sharing::Party::only_ahead), and keep what came. Parties with the same keys, in this
//! session or another one, then compute everything again and take from there what would come. So each stream is drawn
//! twice, but no message that depends on it is sent twice. Under protocols that make products from triples these are made
//! and checked instead; GMW keeps what each operation takes ([`GmwBits::only_ahead`]).

use super::compiled::CompiledProgram;
use super::context::{Backends, Context};
use super::epochs::end_epoch;
use super::facts::{Inputs, facts_with};
use super::job::ProgramJob;
use super::parties::{Worker, backends, on_masked_values, on_shares};
use crate::circuit::prepared::{decode, decoded, digest, encode, makes_triples};
use crate::circuit::{self, EvaluateError};
use crate::setup::fresh_id;
use crate::workers::on_each;
use std::time::Duration;
use tacit_backend::GmwBits;
use tacit_backend::{PutOff, RingKeys};
use tacit_gmw::{Correlations, Gmw};
use tacit_net::{PartyId, Phase, Session};
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::setup::Secrets;
use tacit_sharing::verify::Verifier;

/// Exchanges keys, and what goes ahead or triples. Gives the time when keys were there.
pub(super) fn make(
    session: &mut Session,
    prepared: &CompiledProgram,
    inputs: &Inputs,
    entropy: &mut Entropy,
) -> Result<(Duration, circuit::StoredPreprocessing), EvaluateError> {
    let (me, job) = (session.me(), &prepared.job);
    let role = job.role_of(me)?;
    let SetUp { common, ready, mut parties, mut verifier } = set_up(session, prepared, entropy)?;
    let mut workers = backends(&mut parties);
    if makes_triples(job.protocol()) {
        make_triples(&mut workers, verifier.as_mut())?;
    } else if job.protocol().ahead().is_some() || !job.protocol().has_roles() {
        let context = Context { only_ahead: true, ..prepared.context(role, inputs, &|_| {}) };
        prepared.walk(&context, &mut workers)?;
    }
    let mut workers = Vec::new();
    for party in &mut parties {
        party.flush()?;
        workers.push(party.put_off()?.into_bytes()?);
    }
    let job = digest(&facts_with(prepared, inputs));
    Ok((ready, circuit::StoredPreprocessing { party: me.0, job, common, workers }))
}

/// Keys are exchanged, for what is made ahead.
struct SetUp<'s> {
    /// What is stored of them.
    common: Buffer<u8>,
    ready: Duration,
    parties: Vec<Worker<'s>>,
    verifier: Option<Verifier>,
}

fn set_up<'s>(
    session: &'s mut Session,
    prepared: &CompiledProgram,
    entropy: &mut Entropy,
) -> Result<SetUp<'s>, EvaluateError> {
    let job = &prepared.job;
    let id = fresh_id(session, entropy)?;
    let mesh = &mut session.meshes[0];
    if let Some(method) = tacit_gmw::Method::of(job.protocol()) {
        let mut all = Correlations::for_products(mesh, &id, job.places(), method, entropy)?;
        let ready = mesh.now();
        let only_ahead = |mesh| {
            let party = Gmw::new(mesh, job.places(), all.worker())?;
            Ok(GmwBits::new(party).only_ahead())
        };
        let parties = on_masked_values(session, prepared, Phase::Offline, only_ahead)?;
        return Ok(SetUp { common: Buffer::default(), ready, parties, verifier: None });
    }
    let triples = makes_triples(job.protocol());
    let mut secrets = Secrets::exchange(mesh, &id, job.protocol(), job.places(), entropy)?;
    let (common, ready) = (encode(&(&id, secrets.store()?))?, mesh.now());
    let keys = match triples {
        true => RingKeys::for_triples(&mut secrets, job.options.workers),
        false => RingKeys::new(&mut secrets, job.options.workers),
    };
    let verifier = Verifier::new(job.protocol(), job.places(), id, secrets.take_pairs());
    let parties = on_shares(session, prepared, keys, Phase::Offline, |party| match triples {
        true => party,
        false => party.only_ahead(),
    })?;
    Ok(SetUp { common, ready, parties, verifier: Some(verifier) })
}

/// All workers make what is announced, and all that was said is compared.
fn make_triples(
    workers: Backends<'_, '_>,
    verifier: Option<&mut Verifier>,
) -> Result<(), EvaluateError> {
    let ends = workers.iter_mut().map(|worker| &mut **worker);
    on_each(ends, 0.., |worker, _| {
        worker.make_triples()?;
        Ok(worker.flush()?)
    })?;
    end_epoch(workers, verifier)
}

/// The parties of a run that goes on, and who checks them.
type Resumed<'s> = (Vec<Worker<'s>>, Option<Verifier>);

/// Goes on with what was made for this job and party.
pub(super) fn resume<'s>(
    session: &'s mut Session,
    prepared: &CompiledProgram,
    inputs: &Inputs,
    ready: circuit::StoredPreprocessing,
) -> Result<Resumed<'s>, EvaluateError> {
    let job = &prepared.job;
    let circuit::StoredPreprocessing { party, job: made_for, common, workers } = ready;
    let right = party == session.me().0 && made_for == digest(&facts_with(prepared, inputs));
    if !(right && workers.len() == job.options.workers) {
        return Err(EvaluateError::Job("stored preprocessing of another job or party".into()));
    }
    let (mut parties, verifier) = match tacit_gmw::Method::of(job.protocol()) {
        Some(method) => {
            let party = |mesh| Ok(GmwBits::new(Gmw::online(mesh, job.places(), method)?));
            (on_masked_values(session, prepared, Phase::Online, party)?, None)
        }
        None => {
            let (keys, verifier) = keys_in(&common, job, session.me())?;
            (on_shares(session, prepared, keys, Phase::Online, |party| party)?, Some(verifier))
        }
    };
    for (party, stored) in parties.iter_mut().zip(workers) {
        party.resume(decoded(PutOff::from_bytes(stored))?)?;
    }
    Ok((parties, verifier))
}

/// Stored keys, and what checks that they fit together.
fn keys_in(
    common: &[u8],
    job: &ProgramJob,
    me: PartyId,
) -> Result<(Vec<RingKeys>, Verifier), EvaluateError> {
    let (id, secrets): (Vec<u8>, Buffer<u8>) = decode(common)?;
    let mut secrets = decoded(Secrets::from_bytes(secrets))?;
    if !secrets.fit(job.protocol(), job.role_of(me)?) {
        return Err(EvaluateError::Job("stored keys of another role or protocol".into()));
    }
    // What is compared is another session's.
    let id = [&id, &b"online"[..]].concat();
    let verifier = Verifier::new(job.protocol(), job.places(), id, secrets.take_pairs());
    Ok((RingKeys::new(&mut secrets, job.options.workers), verifier))
}
