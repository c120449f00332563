//! Preprocessing of programs on shares before inputs are known, for this session or another one.
//!
//! What goes ahead is a function of keys and of the program: parties take the whole program through
//! [`Party::only_ahead`], and keep what came. The same party, or one of another session with the same keys,
//! then computes everything again and takes from there what would come. Under protocols that make products from
//! triples these are made and checked instead.

use super::exec::Backends;
use super::job::ProgramJob;
use super::prepare::{Prepared, end_epoch};
use super::run::{Inputs, backends, facts_with, parties};
use crate::circuit::evaluate::{fresh_id, makes_triples};
use crate::circuit::prepared::{decode, digest, encode};
use crate::circuit::{self, EvaluateError};
use crate::workers::on_each;
use std::time::Duration;
use tacit_net::{Phase, Session};
use tacit_ring::{Buffer, Entropy};
use tacit_sharing::Protocol;
use tacit_sharing::backend::{PutOff, RingKeys};
use tacit_sharing::cost::{self, Traffic};
use tacit_sharing::setup::Secrets;
use tacit_sharing::verify::Verifier;

/// Refuses jobs whose preprocessing cannot come before inputs are known.
pub(super) fn check(job: &ProgramJob) -> Result<(), EvaluateError> {
    let fail = |text: String| Err(EvaluateError::Job(text));
    let protocol = job.protocol;
    if protocol == Protocol::Plain {
        return fail("plain has no preprocessing".into());
    }
    if protocol.gmw().is_some() {
        return fail(format!(
            "not supported: under {protocol} programs make what they need in the run; that of circuits can be \
             made before, and under protocols that garble (bmr, yao, authenticated) that of programs too"
        ));
    }
    if !job.outside().is_empty() {
        return fail(
            "not supported: parties that do not compute, where preprocessing comes before inputs are known"
                .into(),
        );
    }
    Ok(())
}

/// The checks of what was made ahead: triples are compared before they are used.
pub(super) fn checks(protocol: Protocol) -> Traffic {
    match makes_triples(protocol) {
        true => cost::checks(protocol),
        false => Traffic::default(),
    }
}

/// Exchanges keys, and what goes ahead or triples. Gives the time when keys were there.
pub(super) fn make(
    session: &mut Session,
    prepared: &Prepared,
    inputs: &Inputs,
    entropy: &mut Entropy,
) -> Result<(Duration, circuit::Prepared), EvaluateError> {
    let job = &prepared.job;
    let triples = makes_triples(job.protocol);
    let id = fresh_id(session, entropy)?;
    let mesh = &mut session.meshes[0];
    let mut secrets = Secrets::exchange(mesh, &id, job.protocol, &job.places, entropy)?;
    let common = encode(&(&id, &secrets))?;
    let keys = match triples {
        true => RingKeys::for_triples(&mut secrets, job.workers),
        false => RingKeys::new(&mut secrets, job.workers),
    };
    let (me, ready) = (session.me(), session.meshes[0].now());
    let mut all = parties(session, prepared, keys, Phase::Offline, |party| match triples {
        true => party,
        false => party.only_ahead(),
    })?;
    let mut workers = backends(&mut all);
    if triples {
        let mut verifier = Verifier::new(job.protocol, &job.places, id, secrets.take_pairs());
        make_triples(&mut workers, &mut verifier)?;
    } else if job.protocol.ahead().is_some() {
        let context =
            super::exec::Context { only_ahead: true, ..prepared.context(inputs, &|_| {}) };
        prepared.walk(&context, &mut workers, None)?;
    }
    let mut stored = Vec::new();
    for party in &mut all {
        party.flush()?;
        stored.push(encode(&party.put_off()?)?);
    }
    let job = digest(&facts_with(prepared, inputs));
    Ok((ready, circuit::Prepared { party: me.0, job, common, workers: stored }))
}

/// All workers make what is announced, and all that was said is compared.
fn make_triples(workers: Backends<'_, '_>, verifier: &mut Verifier) -> Result<(), EvaluateError> {
    let ends = workers.iter_mut().map(|worker| &mut **worker);
    on_each(ends, 0.., |worker, _| {
        worker.make_triples()?;
        Ok(worker.flush()?)
    })?;
    end_epoch(workers, Some(verifier))
}

/// What a run goes on with.
pub(super) struct Resumed {
    pub keys: Vec<RingKeys>,
    pub verifier: Verifier,
    /// By worker.
    pub put_off: Vec<PutOff>,
}

/// Takes what was made for this job and party.
pub(super) fn resume(
    session: &Session,
    prepared: &Prepared,
    inputs: &Inputs,
    ready: circuit::Prepared,
) -> Result<Resumed, EvaluateError> {
    let fail = |text: &str| Err(EvaluateError::Job(text.into()));
    let job = &prepared.job;
    let circuit::Prepared { party, job: made_for, common, workers } = ready;
    let right = party == session.me().0 && made_for == digest(&facts_with(prepared, inputs));
    if !(right && workers.len() == job.workers) {
        return fail("stored preprocessing of another job or party");
    }
    let (id, mut secrets): (Vec<u8>, Secrets) = decode(&common)?;
    if !secrets.fit(job.protocol, job.role_of(session.me())?) {
        return fail("stored keys of another role or protocol");
    }
    // What is compared is another session's.
    let id = [&id, &b"online"[..]].concat();
    let verifier = Verifier::new(job.protocol, &job.places, id, secrets.take_pairs());
    let keys = RingKeys::new(&mut secrets, job.workers);
    let put_off =
        workers.iter().map(|bytes: &Buffer<u8>| decode(bytes)).collect::<Result<_, _>>()?;
    Ok(Resumed { keys, verifier, put_off })
}
