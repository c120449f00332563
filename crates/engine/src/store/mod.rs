//! A party's store of preprocessing: one file for each run to come, used once.
//!
//! A file holds secrets: it is encrypted under a key of its own, in a directory that its owner alone can enter.
//! Its name begins with the *preparation* that it is of, which parties drew jointly, and the number of the run; it
//! ends in `ready` or `spent`. Before anything of a file is used, its run is entered in a ledger, the file is renamed
//! to `spent`, and its key is destroyed, each durably. Ledger and keys are outside the store ([`State`]): a copy of a
//! store, or one that was put back, has nothing to offer. Whoever enters the run in the ledger has it: two runs
//! never use the same one, and after a crash at any point a file is either untouched or spent. What a crash has left
//! of a spent file is wiped when its store is opened next.
//!
//! A file also says which program made it, and no other uses it: what is replayed from keys must be drawn in
//! the same order. And it says which keys the parties had that made it with each other: others are never offered it.
//!
//! Parties use what all of them still have. Where one of them lost a run in a crash, the others' files of it
//! stay behind; they are never used, as that party cannot offer them again.

mod file;
mod offer;
mod pieces;
mod private;
mod state;

use crate::circuit::{EvaluateError, StoredPreprocessing, lost};
use crate::setup::fresh_id;
use file::{Cipher, Head, Opened, READY, SPENT, UNFINISHED};
use offer::Offers;
use private::system;
use state::RunId;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tacit_net::{PartyId, Session};
use tracing::info;

pub use file::Facts;
pub use pieces::{PieceWriter, Pieces};
pub use state::{State, VARIABLE};

/// Time that a run waits for another one of the same parties to choose what it uses.
const PATIENCE: Duration = Duration::from_secs(60);
/// What parties compare, beside the facts of a job.
const PARTIES: &str = "keys of the parties";
/// Between parties whose keys are thrown away after the session, or that have none.
const NO_KEYS: &str = "none that last";

/// A directory of preprocessing for later runs.
pub struct Store {
    directory: PathBuf,
    state: State,
    /// Names the keys of all parties.
    parties: String,
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
    /// Names the keys of the parties that made it.
    pub parties: String,
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
    /// Runs whose keys this user does not have: they are copies of another machine's, or another user's.
    pub copies: u64,
    /// Files that cannot be read, or were put back after they were spent.
    pub damaged: Vec<PathBuf>,
}

/// A preparation that is being written.
pub struct Preparation<'s> {
    store: &'s Store,
    head: Head,
}

/// Refuses a directory that is not there.
///
/// # Errors
/// Says what to do.
pub fn check_is_there(directory: &Path) -> Result<(), EvaluateError> {
    match directory.is_dir() {
        true => Ok(()),
        false => Err(EvaluateError::Job(format!(
            "{} is no store of preprocessing: there is no such directory; `tacit prepare` makes one",
            directory.display()
        ))),
    }
}

impl Store {
    /// The store in a directory, which is made if need be, for parties without keys that last. `state` has the
    /// ledger of what is spent.
    ///
    /// # Errors
    /// When it cannot be made; as [`Store::open`].
    pub fn create(directory: &Path, state: State) -> Result<Store, EvaluateError> {
        private::make(directory).map_err(|e| system("make the store", directory, &e))?;
        Store::open(directory, state)
    }

    /// The store in a directory, for parties without keys that last. What a crash left of spent files is wiped.
    ///
    /// # Errors
    /// When there is none, it is another user's, or others can enter it; when the disk fails.
    pub fn open(directory: &Path, state: State) -> Result<Store, EvaluateError> {
        check_is_there(directory)?;
        private::check(directory)?;
        let (directory, parties) = (directory.to_path_buf(), NO_KEYS.to_string());
        let store = Store { directory, state, parties };
        store.tidy()?;
        Ok(store)
    }

    /// Whether a directory has any files of a store.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn is_in(directory: &Path) -> std::io::Result<bool> {
        let kinds = [READY, SPENT, UNFINISHED];
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            let kind = path.extension().and_then(|extension| extension.to_str());
            if kind.is_some_and(|kind| kinds.contains(&kind)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Restricts the store to the parties whose keys have these fingerprints, in the order of their numbers. What other
    /// parties made with each other is not used, and what these parties make is for nobody else.
    #[must_use]
    pub fn among<F: ToString>(self, fingerprints: &[F]) -> Store {
        let fingerprints: Vec<String> = fingerprints.iter().map(F::to_string).collect();
        let parts: Vec<&[u8]> = fingerprints.iter().map(String::as_bytes).collect();
        Store { parties: hex::encode(&tacit_ring::hash::digest(&parts)[..16]), ..self }
    }

    /// Finishes what a crash has interrupted: keys of spent runs are destroyed, and their files are wiped, unless
    /// a run is reading them.
    fn tidy(&self) -> Result<(), EvaluateError> {
        let spent = self.state.spent()?;
        let numbers: HashSet<(&str, u64)> =
            spent.iter().map(|id| (id.preparation.as_str(), id.number)).collect();
        for (path, preparation, number) in self.files(READY)? {
            if numbers.contains(&(preparation.as_str(), number))
                && let Ok(Opened { head, .. }) = file::open(&path)
                && spent.contains(&head.id())
            {
                self.state.destroy(&head.id())?;
            }
        }
        for (path, ..) in self.files(SPENT)? {
            if fs::metadata(&path).is_ok_and(|about| about.len() > 0) {
                if let Ok(head) = file::open_spent(&path) {
                    self.state.spend(&head.id())?;
                    self.state.destroy(&head.id())?;
                }
                file::wipe(&path).map_err(|e| system("wipe", &path, &e))?;
            }
        }
        Ok(())
    }

    /// Begins a preparation of something with a name, on which the parties agreed by these facts: they draw
    /// an identity for it together.
    ///
    /// # Errors
    /// When the parties name each other otherwise, the network fails or there is no entropy.
    pub fn begin(
        &self,
        session: &mut Session,
        name: &str,
        facts: Facts,
    ) -> Result<Preparation<'_>, EvaluateError> {
        session.agree(&[(PARTIES, self.parties.clone())])?;
        let id = fresh_id(session, &mut tacit_ring::Entropy::system())?;
        let id = tacit_ring::hash::derive_key("tacit 2026 identity of a preparation", &[&id]);
        let preparation = hex::encode(&id[..16]);
        let party = session.me().0;
        let (made, build) = (file::now(), file::build()?);
        let (number, name, body) = (0, name.to_string(), 0);
        let parties = self.parties.clone();
        let head = Head { preparation, number, name, facts, parties, party, made, build, body };
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
            parties: String::new(),
            party: 0,
            ready: 0,
            spent: 0,
            bytes: 0,
            made: 0,
            foreign: 0,
            copies: 0,
            damaged: Vec::new(),
        };
        let (build, spent) = (file::build()?, self.state.spent()?);
        for (path, preparation, _) in self.files(READY)? {
            let it = all.entry(preparation.clone()).or_insert_with(|| blank(&preparation));
            match file::open(&path) {
                Ok(Opened { head, .. }) if spent_beside(&path) || spent.contains(&head.id()) => {
                    it.damaged.push(path);
                }
                Ok(Opened { head, bytes, .. }) => {
                    let has_key = self.state.has_key(&head.id());
                    let counted = match has_key {
                        false => &mut it.copies,
                        true if head.build == build => &mut it.ready,
                        true => &mut it.foreign,
                    };
                    *counted += 1;
                    it.bytes += bytes;
                    (it.name, it.facts, it.party, it.made) =
                        (head.name, head.facts, head.party, head.made);
                    it.parties = head.parties;
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
    ) -> Result<(String, StoredPreprocessing), EvaluateError> {
        let same = |theirs: &Facts| {
            let theirs = theirs.iter().map(|(name, value)| (name.as_str(), value));
            theirs.eq(facts.iter().map(|(name, value)| (*name, value)))
        };
        // Nobody spends anything for what another party does not want.
        let mut agreed = facts.to_vec();
        agreed.push((PARTIES, self.parties.clone()));
        session.agree(&agreed)?;
        match self.choose(session, same)? {
            Ok(chosen) => {
                let (mut opened, cipher) = self.open_chosen(&chosen)?;
                let prepared = opened.read(&cipher)?;
                self.spend(&chosen)?;
                let emptied = file::empty(&opened.into_file());
                lost(&chosen.name, emptied.map_err(|e| system("empty", &chosen.path, &e)))?;
                info!(run = %chosen.name, "stored preprocessing is spent");
                Ok((chosen.name, prepared))
            }
            Err(why) => {
                let hint = self.hint(session.me(), facts);
                Err(EvaluateError::Job(format!("{why}{hint}")))
            }
        }
    }

    /// Takes preprocessing as [`Store::take`] does, where it was kept in pieces. `fits` decides by the facts that
    /// parties agreed on for it.
    ///
    /// # Errors
    /// When [`Store::take`] fails.
    pub fn take_pieces(
        &self,
        session: &mut Session,
        fits: impl Fn(&Facts) -> bool,
    ) -> Result<(String, Pieces), EvaluateError> {
        session.agree(&[(PARTIES, self.parties.clone())])?;
        let chosen = self.choose(session, fits)?.map_err(EvaluateError::Job)?;
        let (opened, cipher) = self.open_chosen(&chosen)?;
        let pieces = Pieces::of(&chosen.path, opened, cipher)?;
        self.spend(&chosen)?;
        info!(run = %chosen.name, "stored triples are spent");
        Ok((chosen.name, pieces))
    }

    /// Chooses the first that fits at all parties, or says why there is none. One party lets one run at a time
    /// choose, until it has spent what was chosen: so two runs of honest parties choose different ones.
    fn choose(
        &self,
        session: &mut Session,
        fits: impl Fn(&Facts) -> bool,
    ) -> Result<Result<Chosen, String>, EvaluateError> {
        let me = session.me();
        let turn = (me == PartyId(0)).then(|| self.turn()).transpose()?;
        let (preparation, number) = match self.offers(me, fits)?.agree(session)? {
            Ok(chosen) => chosen,
            Err(why) => return Ok(Err(why)),
        };
        let name = format!("{preparation}, run {number}");
        session.agree(&[("stored preprocessing", name.clone())])?;
        let path = self.directory.join(file::name(&preparation, number, READY));
        let id = RunId { preparation, number, party: me.0 };
        Ok(Ok(Chosen { name, id, path, _turn: turn }))
    }

    /// Waits for other runs that are choosing.
    fn turn(&self) -> Result<File, EvaluateError> {
        let (path, began) = (self.directory.join("lock"), Instant::now());
        let failed = |e: std::io::Error| system("lock", &path, &e);
        let file = private::options().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(failed)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(e)) => return Err(failed(e)),
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(EvaluateError::Job(format!(
                        "another run has been choosing stored preprocessing in {} for {} s: wait for it, or end \
                         it, and start again; nothing is spent",
                        self.directory.display(),
                        PATIENCE.as_secs()
                    )));
                }
            }
        }
    }

    fn offers(&self, me: PartyId, fits: impl Fn(&Facts) -> bool) -> Result<Offers, EvaluateError> {
        let (mut offers, build) = (Offers::default(), file::build()?);
        let spent = self.state.spent()?;
        for (path, preparation, number) in self.files(READY)? {
            // What is damaged is told about when it is wanted, or listed.
            let Ok(Opened { head, .. }) = file::open(&path) else { continue };
            let mine = head.party == me.0 && head.build == build && head.parties == self.parties;
            let id = head.id();
            let unused = !spent.contains(&id) && !spent_beside(&path) && self.state.has_key(&id);
            if mine && unused && fits(&head.facts) {
                offers.add(preparation, number);
            }
        }
        Ok(offers)
    }

    /// Opens what was chosen: nobody else takes it meanwhile.
    fn open_chosen(&self, chosen: &Chosen) -> Result<(Opened, Cipher), EvaluateError> {
        let opened = file::take(&chosen.path)?;
        Ok((opened, Cipher::new(&self.state.key(&chosen.id)?)))
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
        let copies: u64 = others.iter().map(|it| it.copies).sum();
        let put_back = others.iter().map(|it| it.damaged.len()).sum::<usize>();
        others.retain(|it| it.ready > 0);
        if others.is_empty() && copies + put_back as u64 > 0 {
            let (directory, state) = (self.directory.display(), self.state.directory().display());
            return format!(
                "; of the files in {directory}, {put_back} are damaged or were put back after they were spent, and \
                 the keys of {copies} are not in {state}: what is copied or restored cannot be used"
            );
        }
        if let Some(it) = others.iter().find(|it| it.parties != self.parties) {
            let whose =
                if it.parties == NO_KEYS { "keys that were thrown away" } else { "other keys" };
            return format!(
                "; what {} has was made by parties with {whose}, and is for them alone",
                self.directory.display()
            );
        }
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

    /// Spends what was chosen: nobody can read the file any more then.
    fn spend(&self, Chosen { name, id, path, .. }: &Chosen) -> Result<(), EvaluateError> {
        if !self.state.spend(id)? {
            return Err(EvaluateError::Job(format!(
                "{} is already spent: another run took it just now; start again for the next one",
                path.display()
            )));
        }
        let rename = || {
            // Fails where there is such a name: somebody put it there.
            fs::hard_link(path, path.with_extension(SPENT))?;
            fs::remove_file(path)?;
            private::sync_directory(&self.directory)
        };
        let renamed = rename().map_err(|e: std::io::Error| system("mark as spent", path, &e));
        lost(name, renamed.and_then(|()| self.state.destroy(id)))
    }
}

/// A run's preprocessing that all parties have, and are about to spend.
struct Chosen {
    /// The name of the preprocessing, the same at all parties.
    name: String,
    id: RunId,
    path: PathBuf,
    /// At one party: no other run chooses as long as this is open.
    _turn: Option<File>,
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
    pub fn add(&mut self, prepared: StoredPreprocessing) -> Result<u64, EvaluateError> {
        self.head.number += 1;
        info!(preparation = self.head.preparation, run = self.head.number, "storing preprocessing");
        file::write((&self.store.directory, &self.store.state), &self.head, prepared)
    }

    /// Begins the preprocessing of one more run, which is kept in pieces as it is made.
    ///
    /// # Errors
    /// When the disk fails or there is no entropy.
    pub fn pieces(&mut self) -> Result<PieceWriter, EvaluateError> {
        self.head.number += 1;
        PieceWriter::begin((&self.store.directory, &self.store.state), &self.head)
    }

    /// Names the preparation: the same at all parties.
    #[must_use]
    pub fn preparation(&self) -> &str {
        &self.head.preparation
    }
}
