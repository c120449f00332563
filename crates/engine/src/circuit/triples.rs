//! Preprocessing of authenticated garbling that is independent of the function.

use super::garbled::cost::needs;
use super::job::bucket_fact;
use super::prepared::Keep;
use super::{Assignment, Compiled, EvaluateError};
use crate::links::all_links;
use crate::options::Options;
use crate::run_cost::LinkUse;
use crate::setup::fresh_id;
use crate::workers::{guarded, on_each};
use tacit_backend::cost::Traffic;
use tacit_garbling::authenticated::{self, Authenticated, Piece, Sizes, Stock};
use tacit_gmw::{Correlations, Delta};
use tacit_net::{Mesh, Session};
use tacit_ring::Entropy;
use tacit_sharing::{Protocol, SharingError};

/// Triples for one run in another session, of a circuit that need not be known yet.
#[derive(Clone, Debug)]
pub struct TripleJob {
    /// Who plays which role.
    pub assignment: Assignment,
    /// Worker threads per party.
    pub workers: usize,
    /// Triples of each worker: as many as there are ANDs in what it evaluates.
    pub triples: usize,
    /// Bits of every party that each worker gets for masks: as many as there are ANDs and, of the party that
    /// gives most, input bits.
    pub bits: usize,
}

/// Triples of a worker, at most.
const MAX_TRIPLES: usize = 1 << 26;

impl TripleJob {
    /// What parties agree on, but for how many.
    fn kind(protocol: Protocol, roles: &str, workers: usize) -> Vec<(String, String)> {
        let facts = [
            ("tacit version", env!("CARGO_PKG_VERSION").to_string()),
            ("phases", "triples for any function".to_string()),
            ("protocol", protocol.to_string()),
            ("roles", roles.to_string()),
            ("threads", workers.to_string()),
            bucket_fact(workers),
        ];
        facts.map(|(name, value)| (name.to_string(), value)).to_vec()
    }

    /// The facts that parties compare, and that a store finds triples by.
    #[must_use]
    pub fn facts(&self) -> Vec<(String, String)> {
        let Assignment { protocol, .. } = self.assignment;
        let mut facts = Self::kind(protocol, &self.assignment.to_string(), self.workers);
        facts.push(("triples".into(), self.triples.to_string()));
        facts.push(("bits".into(), self.bits.to_string()));
        facts
    }

    /// Triples and bits that a circuit takes, for each thread.
    #[must_use]
    pub fn needs(compiled: &Compiled) -> [usize; 2] {
        needs(compiled)
    }

    /// Whether triples with these facts are right, and enough, for a circuit.
    #[must_use]
    pub fn fits(facts: &[(String, String)], compiled: &Compiled) -> bool {
        let Options { assignments, workers, .. } = &compiled.job().options;
        let Assignment { protocol, .. } = assignments[0];
        let kind = Self::kind(protocol, &assignments[0].to_string(), *workers);
        let (known, sizes) = facts.split_at(kind.len().min(facts.len()));
        let number = |name: &str| {
            let (_, value) = sizes.iter().find(|(known, _)| known == name)?;
            value.parse::<usize>().ok()
        };
        let [triples, bits] = needs(compiled);
        known == kind
            && number("triples").is_some_and(|count| count >= triples)
            && number("bits").is_some_and(|count| count >= bits)
    }

    /// Bytes between parties, without set-up.
    #[must_use]
    pub fn bytes(&self) -> Traffic {
        let places = &self.assignment.places;
        let sizes = Sizes::of(self.workers);
        let each = authenticated::bytes_of_stock(places.len(), sizes, self.triples, self.bits);
        let all = (0..self.workers).fold(Traffic::default(), |sum, _| sum + each.clone());
        all.placed(places)
    }

    /// Bits that a party sends each other one for a triple, in the leading terms of K. Yang, X. Wang, J.
    /// Zhang (CCS 2020): three authenticated bits and a block for each of `B` leaky triples, one bit for its
    /// product, and one for every one but the first when they are combined.
    #[must_use]
    pub fn bits_per_triple(&self) -> u64 {
        authenticated::bits_per_triple(Sizes::of(self.workers), self.triples)
    }

    /// The fewest triples of a worker among so many that are made in the smallest buckets that memory allows.
    #[must_use]
    pub fn large(workers: usize) -> usize {
        Sizes::of(workers).large()
    }

    /// Refuses what is not supported.
    ///
    /// # Errors
    /// Says why.
    pub fn check(&self) -> Result<(), EvaluateError> {
        self.assignment.check()?;
        let protocol = self.assignment.protocol;
        let fail = |text: String| Err(EvaluateError::Job(text));
        if !protocol.authenticates() {
            return fail(format!(
                "not supported: triples for any function are made for authenticated:N, not for {protocol}"
            ));
        }
        if self.workers == 0 || self.triples == 0 || self.triples.max(self.bits) > MAX_TRIPLES {
            return fail(format!(
                "one to {MAX_TRIPLES} triples, and no more bits, are made for a thread at a time"
            ));
        }
        Ok(())
    }
}

/// Makes triples, for one run in another session: all parties do. Gives the links that they were made over.
/// `keep` takes each batch when its checks have passed: memory does not grow with the number of triples. What
/// was kept may be used only if this ends well.
///
/// # Errors
/// When [`evaluate`](super::evaluate()) fails, when a peer is found to deviate, and when `keep` fails.
pub fn prepare_triples(
    session: &mut Session,
    job: &TripleJob,
    entropy: &mut Entropy,
    keep: Keep<'_>,
) -> Result<Vec<LinkUse>, EvaluateError> {
    let encoded = |worker: usize, part: Part| match part {
        Part::Stock(stock) => keep(worker, stock.into_bytes()?),
        Part::Piece(piece) => keep(worker, piece.into_bytes()?),
    };
    Ok(make(session, job, entropy, &encoded)?.links)
}

/// Makes triples, checks them, and gives them up: to say what they cost.
///
/// # Errors
/// When [`evaluate`](super::evaluate()) fails, or a peer is found to deviate.
pub fn measure_triples(
    session: &mut Session,
    job: &TripleJob,
    entropy: &mut Entropy,
) -> Result<MadeTriples, EvaluateError> {
    make(session, job, entropy, &|_, _| Ok(()))
}

/// What triples took.
#[derive(Clone, Debug)]
pub struct MadeTriples {
    /// Triples of all workers.
    pub triples: u64,
    /// Seconds in set-up: agreement, base OTs, and the check of Deltas.
    pub setup_seconds: f64,
    /// Seconds from then on.
    pub seconds: f64,
    /// All links, without set-up, as their senders metered them.
    pub links: Vec<LinkUse>,
}

/// What a worker makes: first what its pieces are for, then those.
enum Part {
    Stock(Stock),
    Piece(Piece),
}

fn make(
    session: &mut Session,
    job: &TripleJob,
    entropy: &mut Entropy,
    keep: &(dyn Fn(usize, Part) -> Result<(), EvaluateError> + Sync),
) -> Result<MadeTriples, EvaluateError> {
    guarded(session, |session| {
        job.check()?;
        let start = session.meshes[0].now();
        let places = &job.assignment.places;
        session.meshes.iter_mut().for_each(Mesh::reset_meter);
        let facts = job.facts();
        let facts: Vec<(&str, String)> =
            facts.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        session.agree(&facts)?;
        let id = fresh_id(session, entropy)?;
        let mesh = &mut session.meshes[0];
        let mut all = Correlations::exchange(mesh, &id, places, Delta::Authenticating, entropy)?;
        let sid = authenticated::set_up(mesh, places, all.worker(), &id)?;
        let keys: Vec<_> = (0..job.workers).map(|_| all.worker()).collect();
        let ready = session.meshes[0].now();
        on_each(&mut session.meshes, keys.into_iter().enumerate(), |mesh, (worker, keys)| {
            let party = Authenticated::new(mesh, places, keys, &sid, Sizes::of(job.workers))?;
            let kept = |kept: Result<(), EvaluateError>| {
                kept.map_err(|error| SharingError::System(error.to_string()))
            };
            let (stock, making) = party.stock()?;
            keep(worker, Part::Stock(stock))?;
            let keep = |piece| kept(keep(worker, Part::Piece(piece)));
            Ok(making.pieces(job.triples, job.bits, keep)?)
        })?;
        let end = session.meshes[0].now();
        Ok(MadeTriples {
            triples: (job.triples * job.workers) as u64,
            setup_seconds: (ready - start).as_secs_f64(),
            seconds: (end - ready).as_secs_f64(),
            links: all_links(session, &job.bytes())?,
        })
    })
}
