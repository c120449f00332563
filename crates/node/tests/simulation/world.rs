//! Several nodes in one thread: virtual time, one seed, lost and doubled messages, crashes, and workers that fail.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use tacit_node::{
    Beginning, Charge, Class, Command, Config, Document, Domain, Effect, Ending, Entry, Failure,
    Final, Input, Launch, Limits, Member, Message, Node, Now, Past, Policy, Safeguard, Session,
    Statements, Step, Stored, Study, Table, TableTerms, Terms, Version, Witness, WorkerEvent,
};

/// Whether what happened may not happen, and what it was.
pub type Checked = Result<(), String>;

/// A generator whose numbers follow from a seed.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    fn chance(&mut self, per_mille: u64) -> bool {
        self.below(1000) < per_mille
    }

    fn bytes(&mut self) -> [u8; 32] {
        let mut all = [0; 32];
        all.chunks_mut(8).for_each(|part| part.copy_from_slice(&self.next().to_le_bytes()));
        all
    }
}

/// Signatures that nobody can forge in here, and that cost little.
#[derive(Clone)]
pub struct Signer(String);

fn signed(key: &str, domain: Domain, statement: &[u8]) -> String {
    let mut state = 0xcbf2_9ce4_8422_2325u64;
    for byte in key.bytes().chain(domain.text().bytes()).chain(statement.iter().copied()) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{state:016x}")
}

impl Statements for Signer {
    fn public(&self) -> String {
        self.0.clone()
    }

    fn sign(&self, domain: Domain, statement: &[u8]) -> String {
        signed(&self.0, domain, statement)
    }

    fn verify(&self, key: &str, domain: Domain, statement: &[u8], signature: &str) -> bool {
        signed(key, domain, statement) == signature
    }
}

/// What goes wrong in a schedule: each in so many of a thousand cases.
struct Faults {
    loss: u64,
    double: u64,
    crash: u64,
    cut: u64,
    worker: u64,
    cheat: u64,
    forge: u64,
    delay_ms: u64,
}

/// What is to happen.
enum Event {
    Tick(usize),
    Arrive {
        from: usize,
        to: usize,
        message: Box<Message>,
        lines: (u64, u64),
    },
    Line {
        a: usize,
        b: usize,
        up: bool,
    },
    Restart(usize),
    Do {
        node: usize,
        command: Command,
    },
    Launched(String),
    Ask {
        id: String,
        party: usize,
        life: u64,
    },
    End {
        id: String,
        party: usize,
        life: u64,
        ending: Ending,
    },
    Late(String),
    Lie,
    /// A copy of a node's disk is made, and later it is put back.
    Copy(usize),
    PutBack(usize),
    Recover(usize),
}

/// The worker of one party.
struct Worker {
    session: String,
    number: u32,
    life: u64,
    granted: bool,
    over: bool,
}

/// An attempt, as an ideal machine computes it.
struct Ideal {
    workers: BTreeMap<usize, Worker>,
    opened: bool,
    session: String,
}

struct Place {
    node: Option<Node<Signer>>,
    disk: BTreeMap<(Table, String), Vec<u8>>,
    results: BTreeSet<(String, u32)>,
    life: u64,
    /// Nonces that this life gave.
    nonces: BTreeSet<String>,
    /// How far its wall clock is ahead.
    ahead: u64,
    copy: Option<BTreeMap<(Table, String), Vec<u8>>>,
    put_back: bool,
    /// What it released, whether or not it remembers.
    charges: BTreeMap<String, Charge>,
}

/// The nonce of a lying peer in attempts that it makes up.
const MADE_UP: &str = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
/// What a lying peer's own node does not hold to.
const LAX: [Option<Safeguard>; 6] = [
    None,
    Some(Safeguard::Attempts),
    Some(Safeguard::SameInputs),
    Some(Safeguard::Budget),
    Some(Safeguard::Charge),
    Some(Safeguard::ChargeEach),
];

/// The whole of a schedule.
pub struct World {
    rng: Rng,
    now: u64,
    order: u64,
    queue: BinaryHeap<(std::cmp::Reverse<(u64, u64)>, usize)>,
    events: Vec<Option<Event>>,
    places: Vec<Place>,
    /// When each pair was connected last; 0 where it is not.
    lines: BTreeMap<(usize, usize), u64>,
    faults: Faults,
    faulty: bool,
    ideals: BTreeMap<String, Ideal>,
    launched: BTreeSet<(usize, String)>,
    opened: BTreeMap<String, BTreeSet<String>>,
    /// A peer that lies, and what its node does not hold to.
    liar: Option<(usize, Option<Safeguard>)>,
    /// By their ids.
    documents: BTreeMap<String, Document>,
    approved: BTreeSet<(String, String)>,
    keys: BTreeMap<u64, BTreeSet<String>>,
    tickets: BTreeMap<u64, u64>,
    ticket: u64,
    without: Option<Safeguard>,
    /// Effects happen before the store is durable, and a crash may lose it.
    careless: bool,
    log: bool,
}

/// Rows by which the two versions of a table differ, in each direction.
const DIFFERENCE: (u64, u64) = (5, 5);
const FAULTY_MS: u64 = 90_000;
const END_MS: u64 = 1_500_000;
const NAMES: [&str; 4] = ["alice", "bob", "carol", "dan"];

impl World {
    pub fn new(seed: u64, without: Option<Safeguard>, careless: bool) -> World {
        let mut rng = Rng::new(seed);
        let mut some = |most: u64| if rng.chance(500) { rng.below(most) } else { 0 };
        let faults = Faults {
            loss: some(200),
            double: some(300),
            crash: some(25),
            cut: some(60),
            worker: some(500),
            cheat: some(80),
            forge: some(300),
            delay_ms: 20 + some(12_000),
        };
        let parties = 2 + rng.below(3) as usize;
        let lax = LAX[rng.below(LAX.len() as u64) as usize];
        let liar = rng.chance(300).then(|| (rng.below(parties as u64) as usize, lax));
        let mut world = World {
            rng,
            now: 1_000_000,
            order: 0,
            queue: BinaryHeap::new(),
            events: Vec::new(),
            places: Vec::new(),
            lines: BTreeMap::new(),
            faults,
            faulty: true,
            ideals: BTreeMap::new(),
            launched: BTreeSet::new(),
            opened: BTreeMap::new(),
            liar,
            documents: BTreeMap::new(),
            approved: BTreeSet::new(),
            keys: BTreeMap::new(),
            tickets: BTreeMap::new(),
            ticket: 0,
            without,
            careless,
            log: std::env::var_os("SIM_LOG").is_some(),
        };
        let skewed = world.rng.chance(300);
        for _ in 0..parties {
            world.places.push(Place {
                node: None,
                disk: BTreeMap::new(),
                results: BTreeSet::new(),
                life: 0,
                nonces: BTreeSet::new(),
                ahead: if skewed { world.rng.below(300_000) } else { 0 },
                copy: None,
                put_back: false,
                charges: BTreeMap::new(),
            });
        }
        world.plan();
        world
    }

    /// All that operators want, and when.
    fn plan(&mut self) {
        let n = self.places.len();
        let start = self.now;
        for node in 0..n {
            self.at(0, Event::Restart(node));
            self.at(self.now + node as u64, Event::Tick(node));
        }
        let parties: Vec<String> = NAMES[..n].iter().map(|&name| name.to_owned()).collect();
        let members: BTreeMap<String, Member> = parties
            .iter()
            .map(|name| {
                let member =
                    Member { fingerprint: name.clone(), statements: format!("key {name}") };
                (name.clone(), member)
            })
            .collect();
        let studies = 1 + self.rng.below(2);
        for number in 0..studies {
            let home = parties[self.rng.below(n as u64) as usize].clone();
            let tables = parties.iter().take(2).map(|it| (it.clone(), TableTerms { min_rows: 1 }));
            let terms = Terms {
                study: format!("study{number}"),
                purpose: String::new(),
                protocol: "lift".into(),
                parties: parties.clone(),
                home: home.clone(),
                label: format!("label{}", self.rng.below(2)),
                tables: tables.collect(),
                releases: 1 + self.rng.below(2) as u32,
                min_change: [0, 3, 8][self.rng.below(3) as usize],
                threads: 1,
                limit_seconds: 40,
                expires_seconds: 400,
                attempts: 1 + self.rng.below(3) as u32,
                results_seconds: 10_000_000,
            };
            let document = Document {
                version: 1,
                terms,
                program: "program".into(),
                program_digest: "digest".into(),
                members: members.clone(),
            };
            let id = document.id();
            let by = self.index(&home);
            self.documents.insert(id.clone(), document.clone());
            self.at(
                start + 2000,
                Event::Do { node: by, command: Command::ProposeStudy(Box::new(document)) },
            );
            // Sometimes a party does not approve: nothing may run then.
            let lazy = self.rng.chance(100).then(|| self.rng.below(n as u64) as usize);
            for node in (0..n).filter(|node| Some(*node) != lazy) {
                for _ in 0..4 {
                    let at = start + 4000 + self.rng.below(20_000);
                    let command = Command::ApproveStudy(id.clone());
                    self.at(at, Event::Do { node, command });
                }
            }
            for node in 0..2 {
                for again in 0..2 {
                    let at = start + 100 + again * 30_000 + self.rng.below(30_000);
                    self.at(at, Event::Do { node, command: self.version(again) });
                    let (study, dataset) = (id.clone(), "table".to_owned());
                    let command = Command::BindStudy { study, dataset };
                    let at = start + 8000 + again * 12_000 + self.rng.below(10_000);
                    self.at(at, Event::Do { node, command });
                }
            }
            // When nothing goes wrong any more a session does not wait until it expires.
            let (study, key) = (id.clone(), Some(format!("{}", 900 + number)));
            let command = Command::StartSession { study, key };
            self.at(start + FAULTY_MS + 100_000, Event::Do { node: by, command });
            for session in 0..2 + self.rng.below(2) {
                let key = number * 10 + session;
                let (at, times) = (start + 15_000 + self.rng.below(60_000), 1 + self.rng.below(3));
                for _ in 0..times {
                    let at = at + self.rng.below(20_000);
                    let (study, key) = (id.clone(), Some(format!("{key}")));
                    self.at(
                        at,
                        Event::Do { node: by, command: Command::StartSession { study, key } },
                    );
                }
            }
        }
        for a in 0..n {
            for b in a + 1..n {
                let at = start + self.rng.below(500);
                self.at(at, Event::Line { a, b, up: true });
            }
        }
        self.at(start + FAULTY_MS, Event::Line { a: 0, b: 0, up: true });
        if self.rng.chance(300) {
            let node = self.rng.below(n as u64) as usize;
            let at = start + 20_000 + self.rng.below(FAULTY_MS - 30_000);
            self.at(at, Event::Copy(node));
            let at = at + self.rng.below(start + FAULTY_MS - at);
            self.at(at, Event::PutBack(node));
            for again in 0..3 {
                self.at(start + FAULTY_MS + 20_000 * (1 + again), Event::Recover(node));
            }
        }
        if self.liar.is_some() {
            let lies = self.rng.below(40);
            for _ in 0..lies {
                let at = start + 20_000 + self.rng.below(FAULTY_MS + 180_000);
                self.at(at, Event::Lie);
            }
        }
    }

    fn version(&self, number: u64) -> Command {
        let version = Version {
            version: format!("v{number}"),
            digest: String::new(),
            rows: 10,
            at_ms: 0,
            differences: (number > 0).then(|| ("v0".to_owned(), DIFFERENCE)).into_iter().collect(),
        };
        Command::AddDataset { dataset: "table".into(), version }
    }

    fn index(&self, name: &str) -> usize {
        NAMES.iter().position(|known| *known == name).expect("a party")
    }

    fn at(&mut self, time: u64, event: Event) {
        self.order += 1;
        self.queue.push((std::cmp::Reverse((time, self.order)), self.events.len()));
        self.events.push(Some(event));
    }

    /// Runs the schedule to its end, and looks whether all is as it must be.
    pub fn run(mut self) -> Checked {
        let end = self.now + END_MS;
        let calm = self.now + FAULTY_MS;
        while let Some((std::cmp::Reverse((time, _)), index)) = self.queue.pop() {
            if time > end {
                break;
            }
            self.now = self.now.max(time);
            if self.faulty && self.now >= calm {
                self.calm();
            }
            let Some(event) = self.events[index].take() else { continue };
            self.happen(event)?;
        }
        self.check_end()
    }

    /// From here on nothing goes wrong.
    fn calm(&mut self) {
        self.faulty = false;
        let n = self.places.len();
        for node in 0..n {
            if self.places[node].node.is_none() {
                self.at(self.now, Event::Restart(node));
            }
            for b in node + 1..n {
                self.at(self.now + 1, Event::Line { a: node, b, up: true });
            }
        }
    }

    fn happen(&mut self, event: Event) -> Checked {
        match event {
            Event::Tick(node) => {
                // When everything has come to rest only times have to pass.
                let wait = match self.faulty {
                    true => 1000,
                    false => 15_000,
                };
                self.at(self.now + wait, Event::Tick(node));
                if self.faulty && self.rng.chance(self.faults.cut / 4) {
                    let b = self.rng.below(self.places.len() as u64) as usize;
                    if b != node {
                        self.line(node, b, false)?;
                    }
                }
                self.input(node, Input::Tick)
            }
            Event::Arrive { from, to, message, lines } => {
                let now = (self.lines_of(from, to), self.places[to].life);
                if now != lines || lines.0 == 0 {
                    return Ok(());
                }
                let from = NAMES[from].to_owned();
                self.input(to, Input::Message { from, message })
            }
            Event::Line { a, b, up } if a != b => self.line(a, b, up),
            Event::Line { .. } => Ok(()),
            Event::Restart(node) => self.restart(node),
            Event::Do { node, command } => {
                if let Command::ApproveStudy(id) = &command
                    && self.places[node].node.is_some()
                {
                    self.approved.insert((id.clone(), NAMES[node].to_owned()));
                }
                self.ticket += 1;
                if let Command::StartSession { key: Some(key), .. } = &command {
                    self.tickets.insert(self.ticket, key.parse().unwrap_or(0));
                }
                let (ticket, operator) = (self.ticket, "ops".to_owned());
                self.input(node, Input::Command { ticket, operator, command })
            }
            Event::Launched(id) => self.all_there(&id),
            Event::Lie => self.lie(),
            Event::Copy(node) => {
                self.places[node].copy = Some(self.places[node].disk.clone());
                Ok(())
            }
            Event::PutBack(node) => self.put_back(node),
            Event::Recover(node) => {
                self.ticket += 1;
                let (ticket, operator) = (self.ticket, "ops".to_owned());
                // What nobody can tell of the operator charges somewhere, and more with each try.
                let study = self.documents.keys().next().cloned();
                let since = self.now.saturating_sub(1_000_000 + FAULTY_MS);
                let count = (since / 20_000).saturating_sub(1) as u32 * 4;
                let study = study.filter(|_| count > 0 && self.places[node].put_back);
                let charges = study.into_iter().map(|study| (study, count)).collect();
                let command = Command::Recover(charges);
                self.input(node, Input::Command { ticket, operator, command })
            }
            Event::Ask { id, party, life } => {
                let Some((session, attempt)) = self.alive(&id, party, life) else { return Ok(()) };
                let event = WorkerEvent::GateAsked;
                self.input(party, Input::Worker { session, attempt, event })
            }
            Event::End { id, party, life, ending } => self.ended(&id, party, life, ending),
            Event::Late(id) => {
                let late =
                    self.ideals.get(&id).is_some_and(|it| it.workers.len() < self.places.len());
                if late { self.fail(&id, Failure::Network) } else { Ok(()) }
            }
        }
    }

    fn lies(&self, node: usize) -> bool {
        self.liar.is_some_and(|(liar, _)| liar == node)
    }

    /// A peer that has a key, and no shame, says something about an attempt of which it knows.
    fn lie(&mut self) -> Checked {
        let Some((liar, _)) = self.liar else { return Ok(()) };
        let sessions =
            self.places[liar].disk.iter().filter(|((table, _), _)| *table == Table::Sessions);
        let sessions: Vec<Session> =
            sessions.filter_map(|(_, value)| serde_json::from_slice(value).ok()).collect();
        let begun = sessions.iter().flat_map(|it| it.attempts.values());
        let begun: Vec<Beginning> = begun.map(|it| it.beginning.clone()).collect();
        let to = self.rng.below(self.places.len() as u64) as usize;
        let lines = (self.lines_of(liar, to), self.places[to].life);
        if begun.is_empty() || to == liar {
            return Ok(());
        }
        let mut beginning = begun[self.rng.below(begun.len() as u64) as usize].clone();
        let me = NAMES[liar].to_owned();
        if self.rng.chance(500) {
            let number = [beginning.attempt, beginning.attempt.saturating_add(1), u32::MAX];
            beginning.attempt = number[self.rng.below(3) as usize];
            beginning.nonces.insert(me.clone(), MADE_UP.to_owned());
            if self.rng.chance(300) {
                beginning.session = format!("{:032x}", self.rng.next());
            }
        }
        let endings = [Ending::Computed, Ending::Failed(Failure::Network), Ending::Cheated];
        let most = if self.rng.chance(100) { 3 } else { 2 };
        let mut outcome = tacit_node::Outcome {
            party: me.clone(),
            id: beginning.id(),
            ending: endings[self.rng.below(most) as usize],
            released: self.rng.chance(500),
            signature: String::new(),
        };
        outcome.signature = signed(&format!("key {me}"), Domain::Outcome, &outcome.statement());
        let outcomes = vec![outcome];
        let message = match self.rng.chance(300) {
            true => {
                let past = vec![Past { beginning, outcomes }];
                Message::Recalled { after: None, past, next: None }
            }
            false => Message::Outcomes { beginning, outcomes },
        };
        let message = Box::new(message);
        self.at(self.now + 10, Event::Arrive { from: liar, to, message, lines });
        Ok(())
    }

    fn alive(&self, id: &str, party: usize, life: u64) -> Option<(String, u32)> {
        let worker = self.ideals.get(id)?.workers.get(&party)?;
        let alive = !worker.over && worker.life == life && self.places[party].life == life;
        alive.then(|| (worker.session.clone(), worker.number))
    }

    fn lines_of(&self, a: usize, b: usize) -> u64 {
        self.lines.get(&(a.min(b), a.max(b))).copied().unwrap_or(0)
    }

    fn line(&mut self, a: usize, b: usize, up: bool) -> Checked {
        let both = self.places[a].node.is_some() && self.places[b].node.is_some();
        let is_up = self.lines_of(a, b) > 0;
        if up && !both {
            return Ok(());
        }
        if up != is_up {
            self.order += 1;
            let value = if up { self.order } else { 0 };
            self.lines.insert((a.min(b), a.max(b)), value);
            for (node, peer) in [(a, b), (b, a)] {
                let peer = NAMES[peer].to_owned();
                let statements = format!("key {peer}");
                let input = match up {
                    true => Input::Linked { peer, statements },
                    false => Input::Unlinked { peer },
                };
                self.input(node, input)?;
            }
        }
        if !up {
            let at = self.now + 500 + self.rng.below(8000);
            self.at(at, Event::Line { a, b, up: true });
        }
        Ok(())
    }

    fn config(&self, node: usize) -> Config {
        let names = NAMES[..self.places.len()].iter().map(|&name| name.to_owned());
        Config {
            me: NAMES[node].to_owned(),
            fingerprints: names.map(|name| (name.clone(), name)).collect(),
            policy: Policy { max_releases: 3, ..Policy::default() },
            limits: Limits { running: 2, threads: 4 },
            engine: "engine".into(),
        }
    }

    fn time(&self, node: usize) -> Now {
        Now { wall_ms: self.now + self.places[node].ahead, mono_ms: self.now }
    }

    fn restart(&mut self, node: usize) -> Checked {
        if self.places[node].node.is_some() {
            return Ok(());
        }
        let place = &self.places[node];
        let stored = place.disk.iter().map(|((table, key), value)| Stored {
            table: *table,
            key: key.clone(),
            value: value.clone(),
        });
        let stored: Vec<Stored> = stored.collect();
        let signer = Signer(format!("key {}", NAMES[node]));
        let random = self.rng.bytes();
        let results = self.places[node].results.clone();
        let has = |session: &str, number| results.contains(&(session.to_owned(), number));
        let (config, now) = (self.config(node), self.time(node));
        let from = (now, random);
        let lax = self.liar.and_then(|(liar, lax)| lax.filter(|_| liar == node));
        let without = lax.or(self.without);
        let (loaded, step) = Node::load_without(config, signer, stored, from, &has, without)?;
        let place = &mut self.places[node];
        place.life += 1;
        place.nonces.clear();
        place.node = Some(loaded);
        self.commit(node, step)?;
        for other in 0..self.places.len() {
            if other != node {
                let at = self.now + self.rng.below(2000);
                self.at(at, Event::Line { a: node, b: other, up: true });
            }
        }
        Ok(())
    }

    fn crash(&mut self, node: usize) -> Checked {
        if self.places[node].node.take().is_none() {
            return Ok(());
        }
        self.places[node].life += 1;
        for other in 0..self.places.len() {
            if other != node && self.lines_of(node, other) > 0 {
                self.lines.insert((node.min(other), node.max(other)), 0);
                self.input(other, Input::Unlinked { peer: NAMES[node].to_owned() })?;
            }
        }
        // Its workers die with it.
        let running = |ideal: &Ideal| ideal.workers.get(&node).is_some_and(|it| !it.over);
        let ids: Vec<String> =
            self.ideals.iter().filter(|(_, it)| running(it)).map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.gone(&id, node)?;
        }
        let at = self.now + 300 + self.rng.below(15_000);
        self.at(at, Event::Restart(node));
        Ok(())
    }

    /// Whether an honest peer has heard of all that a node has done: some seconds after the last of it.
    fn is_witnessed(&self, node: usize) -> bool {
        let last: Option<u64> = self.read(node, Table::State, "commits");
        let peers = (0..self.places.len()).filter(|peer| *peer != node && !self.lies(*peer));
        peers.into_iter().any(|peer| {
            let known: Option<Witness> = self.read(peer, Table::Witnesses, NAMES[node]);
            known.map(|it| it.commits) == last
        })
    }

    /// A machine is stopped, and started with an older disk: not within the seconds in which peers have yet to hear what it did.
    fn put_back(&mut self, node: usize) -> Checked {
        if !self.is_witnessed(node) {
            if self.faulty {
                self.at(self.now + 500, Event::PutBack(node));
            }
            return Ok(());
        }
        self.crash(node)?;
        if let Some(copy) = self.places[node].copy.take() {
            self.places[node].disk = copy;
            self.places[node].put_back = true;
        }
        Ok(())
    }

    fn input(&mut self, node: usize, input: Input) -> Checked {
        let (now, random) = (self.time(node), self.rng.bytes());
        let Some(known) = self.places[node].node.as_mut() else { return Ok(()) };
        if self.log && input != Input::Tick {
            eprintln!("{} {}: {input:?}", self.now, NAMES[node]);
        }
        let step = known.handle(now, random, input);
        self.commit(node, step)
    }

    /// Stores and does what follows; or crashes before, between or behind it.
    fn commit(&mut self, node: usize, step: Step) -> Checked {
        let crashes = self.faulty && self.rng.chance(self.faults.crash);
        let point = self.rng.below(4);
        if crashes && point == 0 && !self.careless {
            return self.crash(node);
        }
        let disk = &mut self.places[node].disk;
        let mut store = |batch: &tacit_node::Batch| {
            for change in batch.changes() {
                let key = (change.table, change.key.clone());
                match &change.value {
                    Some(value) => drop(disk.insert(key, value.clone())),
                    None => drop(disk.remove(&key)),
                }
            }
        };
        let effects = match self.careless {
            false => {
                let stored = step.commit(|batch| {
                    store(batch);
                    Ok::<(), String>(())
                });
                stored?
            }
            true => {
                let (batch, effects) = step.without_commit();
                if !crashes {
                    store(&batch);
                }
                effects
            }
        };
        let all = effects.len() as u64;
        let upto = if crashes && !self.careless { self.rng.below(all + 1) } else { all };
        for effect in effects.into_iter().take(upto as usize) {
            self.effect(node, effect)?;
            if self.places[node].node.is_none() {
                return Ok(());
            }
        }
        if crashes { self.crash(node) } else { Ok(()) }
    }

    fn effect(&mut self, node: usize, effect: Effect) -> Checked {
        match effect {
            Effect::Send { to, message } => {
                self.note(node, &message);
                self.say(node, &to, *message);
                Ok(())
            }
            Effect::Launch(launch) => self.launch(node, *launch),
            Effect::Grant { session, attempt } => self.grant(node, &session, attempt),
            Effect::Deny { session, attempt, .. } => {
                self.over(node, &session, attempt, Some(Failure::Denied))
            }
            Effect::Kill { session, attempt } => self.over(node, &session, attempt, None),
            Effect::Discard { .. } | Effect::Sweep => Ok(()),
            Effect::Forget { .. } => Err("results were deleted before their time".into()),
            Effect::Answer { ticket, answer } => {
                // An older state knows no later requests.
                if let (Some(key), Ok(value), false) =
                    (self.tickets.get(&ticket), answer, self.places[node].put_back)
                {
                    let id = value["session"].as_str().unwrap_or_default().to_owned();
                    self.keys.entry(*key).or_default().insert(id);
                }
                Ok(())
            }
        }
    }

    /// Nonces that a node gives.
    fn note(&mut self, node: usize, message: &Message) {
        match message {
            Message::Accept { nonce, .. } => drop(self.places[node].nonces.insert(nonce.clone())),
            Message::Start { beginning } => {
                let nonce = beginning.nonces.get(NAMES[node]).cloned();
                self.places[node].nonces.extend(nonce);
            }
            _ => {}
        }
    }

    fn say(&mut self, from: usize, to: &str, mut message: Message) {
        let to = self.index(to);
        let lines = (self.lines_of(from, to), self.places[to].life);
        if self.faulty && self.rng.chance(self.faults.loss) {
            return;
        }
        let forges = self.faulty && self.rng.chance(self.faults.forge);
        if let (true, Message::Outcomes { outcomes, .. }) = (forges, &mut message) {
            // A peer lies about what another one said.
            for outcome in outcomes.iter_mut().filter(|it| it.party != NAMES[from]) {
                outcome.ending = match outcome.ending {
                    Ending::Computed => Ending::Failed(Failure::Bug),
                    _ => Ending::Computed,
                };
            }
        }
        let copies = if self.faulty && self.rng.chance(self.faults.double) { 2 } else { 1 };
        for copy in 0..copies {
            let most = if self.faulty { self.faults.delay_ms * (1 + 3 * copy) } else { 50 };
            let at = self.now + 1 + self.rng.below(most);
            self.at(at, Event::Arrive { from, to, message: Box::new(message.clone()), lines });
        }
    }

    fn read<T: serde::de::DeserializeOwned>(
        &self,
        node: usize,
        table: Table,
        key: &str,
    ) -> Option<T> {
        let bytes = self.places[node].disk.get(&(table, key.to_owned()))?;
        serde_json::from_slice(bytes).ok()
    }

    fn launch(&mut self, node: usize, launch: Launch) -> Checked {
        let Launch { session, attempt, id, study, .. } = launch;
        if !self.launched.insert((node, id.clone())) {
            return Err(format!("{} ran the attempt {id} twice", NAMES[node]));
        }
        let liar = self.lies(node);
        for party in &NAMES[..self.places.len()] {
            if !self.approved.contains(&(study.clone(), (*party).to_owned())) {
                return Err(format!("a study ran that {party} has not approved"));
            }
        }
        if !self.careless && !liar {
            let known: Option<Session> = self.read(node, Table::Sessions, &session);
            let begun = known.as_ref().and_then(|it| it.attempts.get(&attempt));
            let begun = begun.ok_or("a worker was started of which the store does not know")?;
            let study: Study = self.read(node, Table::Studies, &study).ok_or("no study")?;
            let home = study.document.terms.home == NAMES[node];
            let nonce = begun.beginning.nonces.get(NAMES[node]).cloned().unwrap_or_default();
            if !home && !self.places[node].nonces.contains(&nonce) {
                return Err(format!("{} began an attempt to which it had not agreed", NAMES[node]));
            }
            let label = study.document.terms.label;
            let others = self.places[node]
                .disk
                .iter()
                .filter(|((table, key), _)| *table == Table::Sessions && *key != session);
            for (_, value) in others {
                let other: Session = serde_json::from_slice(value).map_err(|e| e.to_string())?;
                let same = self.documents.get(&other.study);
                if other.is_running() && same.is_some_and(|it| it.terms.label == label) {
                    return Err(format!("two sessions of {label} ran at once at {}", NAMES[node]));
                }
            }
        }
        let life = self.places[node].life;
        let worker =
            Worker { session: session.clone(), number: attempt, life, granted: false, over: false };
        let new = || Ideal { workers: BTreeMap::new(), opened: false, session };
        let ideal = self.ideals.entry(id.clone()).or_insert_with(new);
        ideal.workers.insert(node, worker);
        let first = ideal.workers.len() == 1;
        let all = ideal.workers.len() == self.places.len();
        if first {
            self.at(self.now + 30_000, Event::Late(id.clone()));
        }
        if all {
            let at = self.now + 100 + self.rng.below(3000);
            self.at(at, Event::Launched(id.clone()));
        }
        if self.faulty && self.rng.chance(self.faults.worker / 2) {
            let ending = match self.rng.chance(self.faults.cheat) {
                true => Ending::Cheated,
                false => Ending::Failed(Failure::Network),
            };
            let at = self.now + self.rng.below(6000);
            self.at(at, Event::End { id, party: node, life, ending });
        }
        Ok(())
    }

    /// All workers have met: they compute, and stand before their gates.
    fn all_there(&mut self, id: &str) -> Checked {
        let Some(ideal) = self.ideals.get(id) else { return Ok(()) };
        if ideal.workers.values().any(|worker| worker.over) {
            return self.fail(id, Failure::Peer);
        }
        let workers: Vec<(usize, u64)> =
            ideal.workers.iter().map(|(party, it)| (*party, it.life)).collect();
        for (party, life) in workers {
            let at = self.now + self.rng.below(2000);
            self.at(at, Event::Ask { id: id.to_owned(), party, life });
        }
        Ok(())
    }

    fn id_of(&self, node: usize, session: &str, number: u32) -> Option<String> {
        let of = |ideal: &Ideal| {
            let worker = ideal.workers.get(&node);
            worker.is_some_and(|it| it.session == session && it.number == number && !it.over)
        };
        self.ideals.iter().find(|(_, ideal)| of(ideal)).map(|(id, _)| id.clone())
    }

    fn grant(&mut self, node: usize, session: &str, number: u32) -> Checked {
        let Some(id) = self.id_of(node, session, number) else { return Ok(()) };
        let Some(ideal) = self.ideals.get_mut(&id) else { return Ok(()) };
        if let Some(worker) = ideal.workers.get_mut(&node) {
            worker.granted = true;
        }
        let all = ideal.workers.len() == self.places.len();
        if ideal.opened || !all || ideal.workers.values().any(|it| it.over || !it.granted) {
            return Ok(());
        }
        ideal.opened = true;
        let session = ideal.session.clone();
        self.open(&session, number)?;
        let workers: Vec<(usize, u64)> =
            self.ideals[&id].workers.iter().map(|(party, it)| (*party, it.life)).collect();
        for (party, life) in workers {
            let broken = self.faulty && self.rng.chance(self.faults.worker / 3);
            let ending = if broken { Ending::Failed(Failure::Network) } else { Ending::Computed };
            let at = self.now + self.rng.below(1500);
            self.at(at, Event::End { id: id.clone(), party, life, ending });
        }
        Ok(())
    }

    /// Results open: every party must have charged them, durably, and nobody more than was agreed.
    fn open(&mut self, session: &str, number: u32) -> Checked {
        let mut study = String::new();
        let key = format!("{session}/{number}");
        for (node, name) in NAMES.iter().enumerate().take(self.places.len()) {
            if self.lies(node) {
                continue;
            }
            let charge: Option<Charge> = self.read(node, Table::Ledger, &key);
            let charge =
                charge.ok_or_else(|| format!("a result opened that {} had not charged", name))?;
            let known: Option<Session> = self.read(node, Table::Sessions, session);
            if !known.is_some_and(|it| it.released()) {
                return Err(format!("{} does not know that a result opened", name));
            }
            study.clone_from(&charge.study);
            self.places[node].charges.insert(key.clone(), charge);
            self.check_tables(node)?;
        }
        let sessions = self.opened.entry(study.clone()).or_default();
        sessions.insert(key);
        let document = self.documents.get(&study).ok_or("no study")?;
        if sessions.len() > document.terms.releases as usize {
            return Err(format!("{} releases of {} were agreed", document.terms.releases, study));
        }
        let label = &document.terms.label;
        let of_label = self.documents.iter().filter(|(_, it)| it.terms.label == *label);
        let of_label: usize =
            of_label.filter_map(|(id, _)| self.opened.get(id)).map(BTreeSet::len).sum();
        match of_label > 3 {
            true => Err(format!("{of_label} releases of {label}")),
            false => Ok(()),
        }
    }

    /// Tables of all releases of a party differ by nothing or by enough.
    fn check_tables(&self, node: usize) -> Checked {
        let charges = &self.places[node].charges;
        for a in charges.values() {
            for b in charges.values() {
                let least = |it: &Charge| self.documents[&it.study].terms.min_change;
                let least = least(a).max(least(b));
                if let (Some((_, one)), Some((_, other))) = (&a.table, &b.table)
                    && one.version != other.version
                    && DIFFERENCE.0 < least
                {
                    return Err(format!("{} gave tables that hardly differ", NAMES[node]));
                }
            }
        }
        Ok(())
    }

    /// A worker ends, and tells its node, if that is still the same.
    fn ended(&mut self, id: &str, party: usize, life: u64, ending: Ending) -> Checked {
        let Some((session, attempt)) = self.alive(id, party, life) else { return Ok(()) };
        let Some(ideal) = self.ideals.get_mut(id) else { return Ok(()) };
        if ending == Ending::Computed && !ideal.opened {
            return Ok(());
        }
        if let Some(worker) = ideal.workers.get_mut(&party) {
            worker.over = true;
        }
        let opened = ideal.opened;
        if ending == Ending::Computed {
            self.places[party].results.insert((session.clone(), attempt));
        }
        let event = WorkerEvent::Ended(ending);
        self.input(party, Input::Worker { session, attempt, event })?;
        if opened { Ok(()) } else { self.fail(id, Failure::Peer) }
    }

    /// A worker is gone without a word to its node.
    fn gone(&mut self, id: &str, party: usize) -> Checked {
        let Some(ideal) = self.ideals.get_mut(id) else { return Ok(()) };
        if let Some(worker) = ideal.workers.get_mut(&party) {
            worker.over = true;
        }
        if ideal.opened { Ok(()) } else { self.fail(id, Failure::Peer) }
    }

    fn over(&mut self, node: usize, session: &str, number: u32, why: Option<Failure>) -> Checked {
        let Some(id) = self.id_of(node, session, number) else { return Ok(()) };
        match why {
            None => self.gone(&id, node),
            Some(failure) => {
                let life = self.places[node].life;
                self.ended(&id, node, life, Ending::Failed(failure))
            }
        }
    }

    /// All workers that are left of an attempt notice that it fails.
    fn fail(&mut self, id: &str, failure: Failure) -> Checked {
        let Some(ideal) = self.ideals.get(id) else { return Ok(()) };
        let left = ideal.workers.iter().filter(|(_, worker)| !worker.over);
        let left: Vec<(usize, u64)> = left.map(|(party, it)| (*party, it.life)).collect();
        for (party, life) in left {
            let at = self.now + 100 + self.rng.below(2000);
            let ending = Ending::Failed(failure);
            self.at(at, Event::End { id: id.to_owned(), party, life, ending });
        }
        Ok(())
    }

    /// What must be when everything has come to rest.
    fn check_end(&self) -> Checked {
        let mut ends: BTreeMap<String, (Final, usize)> = BTreeMap::new();
        let honest = (0..self.places.len()).filter(|node| !self.lies(*node));
        for (node, name) in honest.map(|node| (node, &NAMES[node])) {
            let mut entries: Vec<Entry> = Vec::new();
            for ((table, key), value) in &self.places[node].disk {
                if *table == Table::Audit {
                    entries.push(serde_json::from_slice(value).map_err(|e| e.to_string())?);
                }
                if *table != Table::Sessions {
                    continue;
                }
                let session: Session = serde_json::from_slice(value).map_err(|e| e.to_string())?;
                let home = self.documents.get(&session.study).map(|it| it.terms.home.as_str());
                // A home that lies can leave others waiting, until their operators end that; and who was put back waits for what a
                // liar made up.
                let lied = self.places[node].put_back && self.liar.is_some();
                let waits = home.is_some_and(|it| self.lies(self.index(it))) || lied;
                if session.end.is_none() && waits {
                    continue;
                }
                let Some(end) = &session.end else {
                    return Err(format!("the session {key} has not ended at {name}: {session:?}"));
                };
                let nobody_lies = (0..self.places.len()).all(|it| !self.lies(it));
                if nobody_lies && session.attempts.values().any(|attempt| !attempt.settled) {
                    return Err(format!("{name} says for ever how an attempt of {key} ended"));
                }
                let calm = 1_000_000 + FAULTY_MS + 90_000 + self.places[node].ahead;
                // Who was put back believes others for the time being: it charges, and runs nothing of it.
                let told = self.places[node].put_back;
                let most = self.documents[&session.study].terms.attempts;
                if session.attempts.len() as u32 > most && !told {
                    return Err(format!("{key} has more attempts at {name} than were agreed"));
                }
                let mut nonces =
                    session.attempts.values().flat_map(|it| it.beginning.nonces.values());
                if nonces.any(|nonce| nonce == MADE_UP)
                    && !told
                    && !home.is_some_and(|it| self.lies(self.index(it)))
                {
                    return Err(format!("{name} believes in an attempt that was made up"));
                }
                // Others may have heard of it much later.
                if end.state == Final::Expired && home == Some(*name) && session.created_ms >= calm
                {
                    return Err(format!("{key} waited until it expired at {name}"));
                }
                let inputs: Vec<&Beginning> =
                    session.attempts.values().map(|it| &it.beginning).collect();
                let ran = |it: &Beginning| self.launched.contains(&(node, it.id()));
                let inputs: Vec<_> = inputs.into_iter().filter(|it| ran(it)).collect();
                if inputs.windows(2).any(|pair| pair[0].inputs != pair[1].inputs) {
                    return Err(format!("attempts of {key} had different tables at {name}"));
                }
                if session.class() == Some(Class::Succeeded) && end.state != Final::Succeeded {
                    return Err(format!("{key} succeeded, and is {:?} at {name}", end.state));
                }
                let proofs = session.attempts.values().filter_map(|it| it.proof.as_ref());
                let blamed: Vec<usize> = proofs.map(|proof| self.index(&proof[0].party)).collect();
                if blamed.iter().any(|node| !self.lies(*node)) {
                    return Err(format!("a proof against an honest party at {name}"));
                }
                // Who forgot a session may call its end by another name, and a home tells others what it knows.
                let forgot = |node: usize| self.places[node].put_back;
                if forgot(node) || home.is_some_and(|it| forgot(self.index(it))) {
                    continue;
                }
                if let Some((state, other)) = ends.insert(key.clone(), (end.state, node))
                    && state != end.state
                {
                    let other = NAMES[other];
                    return Err(format!(
                        "{key} is {state:?} at {other}, and {:?} at {name}: {session:?}",
                        end.state
                    ));
                }
            }
            tacit_node::verify(&entries).map_err(|e| format!("{name}: {e}"))?;
        }
        match self.keys.values().find(|sessions| sessions.len() > 1) {
            Some(_) => Err("one key of a request gave several sessions".into()),
            None => Ok(()),
        }
    }
}
