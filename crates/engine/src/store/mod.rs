//! A party's store of preprocessing: one file for each run to come, used once.
//!
//! A file holds secrets: it can be read by its owner alone. Its name begins with the *preparation* that it is
//! of, which parties drew jointly, and the number of the run; it ends in `ready` or `spent`. A file is
//! renamed to `spent`, durably, and emptied before anything of it is used. Whoever renames it has it:
//! two runs never use the same one, and after a crash at any point a file is either untouched or spent. One
//! that is larger than memory is encrypted, and it is its key that is gone by then ([`Pieces`]).
//!
//! A file also says which program made it, and no other uses it: what is replayed from keys must be drawn in
//! the same order.
//!
//! Parties use what all of them still have. Where one of them lost a run in a crash, the others' files of it
//! stay behind; they are never used, as that party cannot offer them again.

mod file;
mod offer;
mod pieces;

use crate::circuit::{EvaluateError, Prepared};
use file::{Head, READY, SPENT, UNFINISHED};
use offer::Offers;
use pieces::Index;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tacit_net::{PartyId, Session};

pub use file::Facts;
pub use pieces::{PieceWriter, Pieces};

/// A directory of preprocessing for later runs.
pub struct Store {
    directory: PathBuf,
}

/// What is left of one preparation.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Listed {
    /// Names the preparation: the same at all parties.
    pub preparation: String,
    /// What it is for.
    pub name: String,
    /// What parties agreed on for it.
    pub facts: Facts,
    /// Which party the store is of.
    pub party: u8,
    /// Runs that are ready.
    pub ready: u64,
    /// Runs that are spent.
    pub spent: u64,
    /// Bytes of what is ready.
    pub bytes: u64,
    /// When it was made, in seconds since 1970.
    pub made: u64,
    /// Runs that were made by another build of this program, which cannot use them.
    pub foreign: u64,
    /// Files that cannot be read, or were put back after they were spent.
    pub damaged: Vec<PathBuf>,
}

/// A preparation that is being written.
pub struct Preparation<'s> {
    store: &'s Store,
    head: Head,
}

fn system(what: &str, path: &Path, error: &std::io::Error) -> EvaluateError {
    EvaluateError::System(format!("cannot {what} {}: {error}", path.display()))
}

impl Store {
    /// The store in a directory, which is made if need be.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(directory: &Path) -> Result<Store, EvaluateError> {
        fs::create_dir_all(directory).map_err(|e| system("make the store", directory, &e))?;
        file::only_for_owner(directory).map_err(|e| system("protect", directory, &e))?;
        Ok(Store { directory: directory.to_path_buf() })
    }

    /// The store in a directory.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(directory: &Path) -> Result<Store, EvaluateError> {
        match directory.is_dir() {
            true => Ok(Store { directory: directory.to_path_buf() }),
            false => Err(EvaluateError::Job(format!(
                "{} is no store of preprocessing: there is no such directory; `tacit prepare` makes one",
                directory.display()
            ))),
        }
    }

    /// Begins a preparation of something with a name, on which the parties agreed by these facts: they draw
    /// an identity for it together.
    ///
    /// # Errors
    /// When the network fails or there is no entropy.
    pub fn begin(
        &self,
        session: &mut Session,
        name: &str,
        facts: Facts,
    ) -> Result<Preparation<'_>, EvaluateError> {
        let id = crate::circuit::evaluate::fresh_id(session, &mut tacit_ring::Entropy::system())?;
        let id = tacit_ring::hash::derive_key("tacit 2026 identity of a preparation", &[&id]);
        let preparation = hex::encode(&id[..16]);
        let party = session.me().0;
        let (made, build) = (file::now(), file::build()?);
        let (number, name, body) = (0, name.to_string(), 0);
        let head = Head { preparation, number, name, facts, party, made, build, body };
        Ok(Preparation { store: self, head })
    }

    /// All files of a kind, with what their names say.
    fn files(&self, kind: &str) -> Result<Vec<(PathBuf, String, u64)>, EvaluateError> {
        let failed = |e: std::io::Error| system("read", &self.directory, &e);
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == kind)
                && let Some((preparation, number)) = file::parse(&path, kind)
            {
                files.push((path, preparation, number));
            }
        }
        files.sort();
        Ok(files)
    }

    /// What is in the store, preparation by preparation.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn list(&self) -> Result<Vec<Listed>, EvaluateError> {
        let mut all: BTreeMap<String, Listed> = BTreeMap::new();
        let blank = |preparation: &str| Listed {
            preparation: preparation.to_string(),
            name: String::new(),
            facts: Vec::new(),
            party: 0,
            ready: 0,
            spent: 0,
            bytes: 0,
            made: 0,
            foreign: 0,
            damaged: Vec::new(),
        };
        let build = file::build()?;
        for (path, preparation, _) in self.files(READY)? {
            let it = all.entry(preparation.clone()).or_insert_with(|| blank(&preparation));
            match file::open(&path) {
                Ok(_) if spent_beside(&path) => it.damaged.push(path),
                Ok(file::Opened { head, bytes, .. }) => {
                    let counted = if head.build == build { &mut it.ready } else { &mut it.foreign };
                    *counted += 1;
                    it.bytes += bytes;
                    (it.name, it.facts, it.party, it.made) =
                        (head.name, head.facts, head.party, head.made);
                }
                Err(_) => it.damaged.push(path),
            }
        }
        for (_, preparation, _) in self.files(SPENT)? {
            all.entry(preparation.clone()).or_insert_with(|| blank(&preparation)).spent += 1;
        }
        Ok(all.into_values().collect())
    }

    /// Files that `tacit prepare` was writing when it was stopped, or is writing now.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn unfinished(&self) -> Result<Vec<PathBuf>, EvaluateError> {
        let failed = |e: std::io::Error| system("read", &self.directory, &e);
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == UNFINISHED) {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    /// Takes one run's preprocessing that all parties still have, for a job that they agreed on by these
    /// facts. It is spent then, whatever comes. Gives its name, the same at all parties.
    ///
    /// # Errors
    /// When the parties have none in common, a file is damaged, the disk or the network fails.
    pub fn take(
        &self,
        session: &mut Session,
        facts: &[(&str, String)],
    ) -> Result<(String, Prepared), EvaluateError> {
        let same = |theirs: &Facts| {
            let theirs = theirs.iter().map(|(name, value)| (name.as_str(), value));
            theirs.eq(facts.iter().map(|(name, value)| (*name, value)))
        };
        // Nobody spends anything for what another party does not want.
        session.agree(facts)?;
        match self.choose(session, same)? {
            Ok((name, path)) => {
                let prepared = file::open(&path)?.read()?;
                let spent = self.spend(&path)?;
                file::wipe(&spent).map_err(|e| system("empty", &spent, &e))?;
                Ok((name, prepared))
            }
            Err(why) => {
                let hint = self.hint(session.me(), facts);
                Err(EvaluateError::Job(format!("{why}{hint}")))
            }
        }
    }

    /// As [`Store::take`], of what was kept in pieces and fits by the facts that parties agreed on for it.
    ///
    /// # Errors
    /// As [`Store::take`].
    pub fn take_pieces(
        &self,
        session: &mut Session,
        fits: impl Fn(&Facts) -> bool,
    ) -> Result<(String, Pieces), EvaluateError> {
        let (name, path) = self.choose(session, fits)?.map_err(EvaluateError::Job)?;
        let index = Index::of(&path, file::open(&path)?)?;
        let spent = self.spend(index.path())?;
        Ok((name, index.spend(&spent)?))
    }

    /// Chooses the first that fits at all parties, or says why there is none.
    fn choose(
        &self,
        session: &mut Session,
        fits: impl Fn(&Facts) -> bool,
    ) -> Result<Result<(String, PathBuf), String>, EvaluateError> {
        let (preparation, number) = match self.offers(session.me(), fits)?.agree(session)? {
            Ok(chosen) => chosen,
            Err(why) => return Ok(Err(why)),
        };
        let name = format!("{preparation}, run {number}");
        session.agree(&[("stored preprocessing", name.clone())])?;
        Ok(Ok((name, self.directory.join(file::name(&preparation, number, READY)))))
    }

    fn offers(&self, me: PartyId, fits: impl Fn(&Facts) -> bool) -> Result<Offers, EvaluateError> {
        let (mut offers, build) = (Offers::default(), file::build()?);
        for (path, preparation, number) in self.files(READY)? {
            // What is damaged is told about when it is wanted, or listed.
            let Ok(file::Opened { head, .. }) = file::open(&path) else { continue };
            let usable = head.party == me.0 && head.build == build && !spent_beside(&path);
            if usable && fits(&head.facts) {
                offers.add(preparation, number);
            }
        }
        Ok(offers)
    }

    /// What this store has instead.
    fn hint(&self, me: PartyId, facts: &[(&str, String)]) -> String {
        let Ok(mut others) = self.list() else { return String::new() };
        let foreign: u64 = others.iter().map(|it| it.foreign).sum();
        let spent: u64 = others.iter().map(|it| it.spent).sum();
        if let Some(it) = others.iter().find(|it| it.ready > 0 && it.party != me.0) {
            let directory = self.directory.display();
            return format!("; what {directory} has is party {}'s, and this is {me}", it.party);
        }
        others.retain(|it| it.ready > 0);
        if others.is_empty() && foreign > 0 {
            return format!(
                "; this party's store has {foreign} runs that another build of tacit made, and this one \
                 cannot use"
            );
        }
        let Some(nearest) = others.iter().max_by_key(|it| alike(&it.facts, facts)) else {
            return match spent {
                0 => format!("; the store {} is empty", self.directory.display()),
                _ => format!("; all {spent} runs in {} are used up", self.directory.display()),
            };
        };
        let differs = nearest.facts.iter().zip(facts).find(|((_, a), (_, b))| a != b);
        match differs {
            Some(((what, theirs), (_, mine))) => format!(
                "; this party's store has {} runs for `{}`, but with {what} `{theirs}` where this run has `{mine}`",
                nearest.ready, nearest.name
            ),
            None => format!("; this party's store has {} runs for it", nearest.ready),
        }
    }

    /// Marks a file as spent. Who did empties it, or its key, before using it, so that one that is not empty
    /// never was, and so that no disk that forgets a name brings back what was used.
    fn spend(&self, path: &Path) -> Result<PathBuf, EvaluateError> {
        let spent = path.with_extension(SPENT);
        let failed = |e: std::io::Error| system("mark as spent", path, &e);
        // Fails where there is such a name: somebody else has it, or put it back.
        fs::hard_link(path, &spent).map_err(failed)?;
        fs::remove_file(path).map_err(failed)?;
        file::sync_directory(&self.directory).map_err(failed)?;
        Ok(spent)
    }
}

/// Whether a file was spent before.
fn spent_beside(path: &Path) -> bool {
    fs::symlink_metadata(path.with_extension(SPENT)).is_ok()
}

fn alike(theirs: &Facts, mine: &[(&str, String)]) -> usize {
    theirs.iter().zip(mine).filter(|((_, a), (_, b))| a == b).count()
}

impl Preparation<'_> {
    /// Keeps the preprocessing of one more run; gives the bytes of its file.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn add(&mut self, prepared: &Prepared) -> Result<u64, EvaluateError> {
        self.head.number += 1;
        file::write(&self.store.directory, &self.head, prepared)
    }

    /// Begins the preprocessing of one more run, which is kept in pieces as it is made.
    ///
    /// # Errors
    /// When the disk fails or there is no entropy.
    pub fn pieces(&mut self) -> Result<PieceWriter, EvaluateError> {
        self.head.number += 1;
        PieceWriter::begin(&self.store.directory, &self.head)
    }

    /// Names the preparation: the same at all parties.
    #[must_use]
    pub fn preparation(&self) -> &str {
        &self.head.preparation
    }
}
