//! Study files, and what operators are told before they approve one.

use crate::error::Error;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use tacit::{Program, protocols};
use tacit_node::{Document, Limits, Member, Policy, TableTerms, Terms, check_name};

/// A study, as its file says it. Unknown keys are errors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyFile {
    study: String,
    purpose: String,
    /// The program's file, relative to the study's.
    pub program: String,
    protocol: String,
    parties: Vec<String>,
    home: String,
    /// The label under which releases of several studies are counted together.
    dataset: String,
    #[serde(default)]
    tables: BTreeMap<String, Table>,
    budget: Budget,
    #[serde(default)]
    run: Run,
    #[serde(default)]
    retention: Retention,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default = "one")]
    min_rows: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Budget {
    releases: u32,
    #[serde(default)]
    min_change: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Run {
    threads: u32,
    limit: String,
    expires: String,
    attempts: u32,
}

impl Default for Run {
    fn default() -> Run {
        Run { threads: 1, limit: "30m".into(), expires: "48h".into(), attempts: 3 }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Retention {
    results: String,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { results: "1y".into() }
    }
}

fn one() -> u64 {
    1
}

/// Sections of study files that the design has and this version lacks, with the way around.
const NOT_YET: [(&str, &str); 2] = [
    ("clients", "give inputs by [tables.PARTY] at the parties instead"),
    ("guard", "read the program's reveals yourself: `tacit study lint` prints them"),
];

/// Seconds of a text such as `30m`: with `s`, `m`, `h`, `d` or `y`.
fn seconds(text: &str) -> Result<u64, Error> {
    let wrong =
        || Error::input(format!("{text:?} is no time: write a whole number and s, m, h, d or y"));
    let last = text.char_indices().next_back().ok_or_else(wrong)?;
    let unit = match last.1 {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 24 * 3600,
        'y' => 365 * 24 * 3600,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..last.0].parse().map_err(|_| wrong())?;
    number.checked_mul(unit).ok_or_else(wrong)
}

impl StudyFile {
    /// Reads a study's text. `name` stands for the file in messages.
    ///
    /// # Errors
    /// It is no study file, or uses what is not supported yet.
    pub fn parse(name: &str, text: &str) -> Result<StudyFile, Error> {
        let wrong = |why: String| Error::input(format!("{name}: {why}"));
        let all: toml::Table = toml::from_str(text).map_err(|e| wrong(e.to_string()))?;
        if let Some((key, way)) = NOT_YET.iter().find(|(key, _)| all.contains_key(*key)) {
            return Err(wrong(format!("not supported yet: [{key}]; {way}")));
        }
        toml::from_str(text).map_err(|e| wrong(e.to_string()))
    }

    /// The document that parties sign, with a program's text and what is known of the parties.
    ///
    /// # Errors
    /// Study and program do not fit together.
    pub fn document(
        &self,
        program: &str,
        members: BTreeMap<String, Member>,
    ) -> Result<Document, Error> {
        let parsed = parse_program(program)?;
        let tables = self
            .tables
            .iter()
            .map(|(party, it)| (party.clone(), TableTerms { min_rows: it.min_rows }));
        let terms = Terms {
            study: self.study.clone(),
            purpose: self.purpose.clone(),
            protocol: self.protocol.clone(),
            parties: self.parties.clone(),
            home: self.home.clone(),
            label: self.dataset.clone(),
            tables: tables.collect(),
            releases: self.budget.releases,
            min_change: self.budget.min_change,
            threads: self.run.threads,
            limit_seconds: seconds(&self.run.limit)?,
            expires_seconds: seconds(&self.run.expires)?,
            attempts: self.run.attempts,
            results_seconds: seconds(&self.retention.results)?,
        };
        let members =
            members.into_iter().filter(|(party, _)| terms.parties.contains(party)).collect();
        let document = Document {
            version: 1,
            terms,
            program: parsed.text(),
            program_digest: digest(&parsed),
            members,
        };
        check(&document)?;
        Ok(document)
    }
}

fn digest(program: &Program) -> String {
    hex::encode(tacit_program::text::digest(program))
}

/// Reads a study's program.
///
/// # Errors
/// It is no program.
pub fn parse_program(text: &str) -> Result<Program, Error> {
    Program::parse("the study's program", text).map_err(|e| Error::input(e.to_string()))
}

/// Whether a study makes sense: its program can be read and is the one that is named, its protocol exists and is for so many
/// parties, and tables are asked of those who give inputs.
///
/// # Errors
/// Says what is wrong.
pub fn check(document: &Document) -> Result<Program, Error> {
    document.check().map_err(Error::input)?;
    let program = parse_program(&document.program)?;
    if digest(&program) != document.program_digest {
        return Err(Error::input("the study's program has another digest than the study says"));
    }
    let terms = &document.terms;
    let protocol = protocols::named(&terms.protocol).map_err(|e| Error::input(e.to_string()))?;
    if protocol.parties() != terms.parties.len() {
        return Err(Error::input(format!(
            "the protocol {} is for {} parties, and the study has {}: parties that do not compute are not supported",
            terms.protocol,
            protocol.parties(),
            terms.parties.len()
        )));
    }
    if let Some(other) = program.parties().iter().find(|party| !terms.parties.contains(party)) {
        return Err(Error::input(format!(
            "the program has the party {other}, which the study lacks: parties that do not compute are not supported"
        )));
    }
    if program.inputs().any(|(_, _, owner)| owner.is_none()) {
        return Err(Error::input(
            "not supported: public inputs of a study's program; write them into it as constants",
        ));
    }
    for party in &terms.parties {
        let gives = program.inputs_of(party).next().is_some();
        if gives != terms.tables.contains_key(party) {
            let what = match gives {
                true => format!("the program takes inputs of {party}: add [tables.{party}]"),
                false => {
                    format!("[tables.{party}] is there, and the program takes no input of {party}")
                }
            };
            return Err(Error::input(what));
        }
    }
    check_name(&terms.study).map_err(Error::input)?;
    Ok(program)
}

/// What an operator reads of a study before approving it.
pub struct Lint {
    /// What everybody gives and learns.
    pub text: String,
    /// Why this node would refuse its sessions.
    pub refused: Vec<String>,
}

/// What everybody gives and learns under a study, and why this node would refuse its sessions.
///
/// # Errors
/// The study makes no sense.
pub fn lint(document: &Document, policy: &Policy, limits: Limits) -> Result<Lint, Error> {
    let program = check(document)?;
    let terms = &document.terms;
    let protocol = protocols::named(&terms.protocol).map_err(|e| Error::input(e.to_string()))?;
    let mut text = String::new();
    let mut say = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    say(format!("study {}: {}", terms.study, terms.purpose));
    let unknown = document.members.iter().filter(|(_, member)| member.statements.is_empty());
    let unknown: Vec<&str> = unknown.map(|(party, _)| party.as_str()).collect();
    match unknown.is_empty() {
        true => say(format!("id {}", document.id())),
        false => say(format!(
            "it has no id yet: this node has to be connected with {} once, to know the keys",
            unknown.join(", ")
        )),
    }
    say(String::new());
    say(program.summary().trim_end().to_owned());
    say(String::new());
    say(format!("protocol {}: {}", terms.protocol, protocol.security().trust(protocol.parties())));
    for (party, table) in &terms.tables {
        say(format!("{party} gives a table of at least {}", counted(table.min_rows, "row")));
    }
    say(format!(
        "results may open in at most {}; sessions are started at {}",
        counted(terms.releases.into(), "attempt"),
        terms.home
    ));
    say(format!(
        "a session has up to {} within {}, each of at most {} with {}",
        counted(terms.attempts.into(), "attempt"),
        time(terms.expires_seconds),
        time(terms.limit_seconds),
        counted(terms.threads.into(), "thread")
    ));
    say(format!("each node deletes its results after {}", time(terms.results_seconds)));
    match terms.min_change {
        0 => say(
            "nothing limits how little two released tables differ: if they differ in one row, the two results together can reveal it"
                .into(),
        ),
        rows => {
            say(format!("two released tables are the same, or differ by at least {}", counted(rows, "row")));
            say("each node compares its own tables, over the columns that both have: leave out columns of notes, times \
                 or random numbers, which make every row different"
                .into());
        }
    }
    say("reveals are not checked for small groups: read them above".into());
    if terms.releases > policy.max_releases {
        say(format!(
            "LIMITED here: the policy allows {} of `{}` in 30 days",
            counted(policy.max_releases.into(), "release"),
            terms.label
        ));
    }
    let mut refused = Vec::new();
    if !policy.allows(&terms.protocol) {
        refused.push(format!(
            "[policy] allows the protocols {}, and not {}",
            policy.protocols.join(", "),
            terms.protocol
        ));
    }
    if terms.threads > limits.threads {
        refused.push(format!(
            "[limits] allows {}, and the study wants {}",
            counted(limits.threads.into(), "thread"),
            terms.threads
        ));
    }
    Ok(Lint { text, refused })
}

/// A number of things, in words.
fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// A time in its largest unit that divides it.
fn time(seconds: u64) -> String {
    let units = [(365 * 24 * 3600, "year"), (24 * 3600, "day"), (3600, "hour"), (60, "minute")];
    let whole = |it: &&(u64, &str)| seconds >= it.0 && seconds.is_multiple_of(it.0);
    match units.iter().find(whole) {
        Some((unit, name)) => counted(seconds / unit, name),
        None => counted(seconds, "second"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = "study = \"sum\"\npurpose = \"x\"\nprogram = \"sum.tacit\"\nprotocol = \"lift\"\n\
        parties = [\"a\", \"b\", \"c\"]\nhome = \"a\"\ndataset = \"d\"\n[tables.a]\nmin_rows = 2\n[budget]\nreleases = 1\n";
    const PROGRAM: &str = "program sum\nparties a, b, c\nrows n <= 10\n\
        input \"a.x\" as x: u8[n] from a in 0..9\nreveal sum(x, axis 0) to all as \"s\"\n";

    fn members() -> BTreeMap<String, Member> {
        let member = |name: &str| Member { fingerprint: name.into(), statements: name.into() };
        ["a", "b", "c"].map(|name| (name.to_owned(), member(name))).into()
    }

    fn error(study: &str, program: &str) -> String {
        let file = StudyFile::parse("x", study);
        let done = file.and_then(|file| file.document(program, members()));
        done.err().map(|error| error.message).unwrap_or_default()
    }

    #[test]
    fn a_study_says_what_is_wrong_with_it() {
        assert_eq!(error(STUDY, PROGRAM), "");
        let with = |more: &str| error(&format!("{STUDY}{more}"), PROGRAM);
        assert!(with("[clients.x]\n").contains("not supported yet: [clients]"));
        assert!(with("[run]\nlimits = \"3m\"\n").contains("limits"));
        assert!(with("[run]\nlimit = \"3x\"\n").contains("no time"));
        assert!(with("[tables.b]\n").contains("takes no input of b"));
        assert!(error(&STUDY.replace("lift", "quad"), PROGRAM).contains("is for 4 parties"));
        assert!(error(&STUDY.replace("lift", "lifted"), PROGRAM).contains("lifted"));
        assert!(
            error(&STUDY.replace("[tables.a]\nmin_rows = 2\n", ""), PROGRAM)
                .contains("add [tables.a]")
        );
        assert!(error(STUDY, "program").contains("the study's program"));
        let hex = STUDY.replace("study = \"sum\"", "study = \"facade\"");
        assert!(error(&hex, PROGRAM).contains("beginning of an id"), "{}", error(&hex, PROGRAM));
    }

    #[test]
    fn lint_says_what_the_policy_refuses() {
        let file = StudyFile::parse("x", STUDY).expect("a study");
        let document = file.document(PROGRAM, members()).expect("a document");
        let limits = Limits::default();
        let Lint { text, refused } = lint(&document, &Policy::default(), limits).expect("a text");
        assert!(refused.is_empty() && text.contains("at least 2 rows"), "{text}");
        assert!(
            text.contains("up to 3 attempts within 2 days, each of at most 30 minutes"),
            "{text}"
        );
        let policy = Policy { protocols: vec!["quad".into()], ..Policy::default() };
        let Lint { refused, .. } =
            lint(&document, &policy, Limits { threads: 0, ..limits }).expect("a text");
        assert!(
            refused[0].contains("and not lift") && refused[1].contains("0 threads"),
            "{refused:?}"
        );
    }
}
