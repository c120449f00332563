//! `tacit bench paper`: the tables and figures of a published paper, and beside every number what Tacit takes here.
//!
//! A paper is data ([`publication`]): rows with a published number and an experiment. Experiments run in virtual time
//! ([`experiment`]), rows are printed as they are there ([`print`]).

pub(super) mod args;
mod brain;
mod ccs16;
mod ccs20;
mod experiment;
mod multi_fan_in;
mod print;
mod publication;
mod trio_quad;

use args::{Paper, PaperArgs};

use crate::error::CliError;
use crate::output::{Output, remark};
use experiment::{Experiment, Outcome};
use print::{Line, Printer};
use publication::{Kind, Ours, Part, Publication, Quantity, Row};
use std::time::{Duration, Instant};

/// How long `--quick` begins new rows.
const QUICK: Duration = Duration::from_secs(45);

impl Paper {
    /// What it publishes.
    fn publication(self, synthetic: bool) -> Result<Publication, CliError> {
        match (self, synthetic) {
            (Paper::Ccs16, _) => Ok(ccs16::publication(synthetic)),
            (_, true) => Err(CliError::input("--synthetic is for `tacit bench paper ccs16`")),
            (Paper::Ccs20, _) => Ok(ccs20::publication()),
            (Paper::TrioQuad, _) => Ok(trio_quad::publication()),
            (Paper::Brain, _) => Ok(brain::publication()),
            (Paper::MultiFanIn, _) => Ok(multi_fan_in::publication()),
        }
    }
}

/// Runs the experiments of a paper, and prints each row as soon as it is there.
pub fn run(paper: Paper, args: &PaperArgs, output: Output) -> Result<(), CliError> {
    let publication = paper.publication(args.synthetic)?;
    let parts = wanted(&publication, args)?;
    for part in &parts {
        part.built().map_err(|not| CliError::input(format!("{}: {not}", part.name())))?;
    }
    let figures = parts.iter().filter(|part| part.kind == Kind::Figure).count();
    if args.svg.is_some() && figures == 0 {
        return Err(CliError::input("--svg draws figures: name one with --figure"));
    }
    let (result, svg) = (args.result.as_deref(), args.svg.as_deref());
    let mut printer = Printer::new(&publication, args.quick, output, result, svg)?;
    let mut bench = Bench { repeat: args.repeat, quick: args.quick, known: Vec::new(), failed: 0 };
    let began = Instant::now();
    for (index, part) in parts.iter().enumerate() {
        printer.begin(part)?;
        // Parts share what is left of the time by the runs that they need.
        let runs: usize = parts[index..].iter().map(|part| part.runs()).sum();
        let share = part.runs() as f64 / runs.max(1) as f64;
        let left = QUICK.saturating_sub(began.elapsed()).mul_f64(share);
        let until = args.quick.then(|| Instant::now() + left);
        for (number, row) in part.rows.iter().enumerate() {
            let (name, all) = (part.name(), part.rows.len());
            remark(&format!("{name}, row {} of {all}: {}", number + 1, row.name()));
            let line = bench.line(Line::of(publication.name, part, row), row, until);
            printer.row(part, row, line)?;
        }
        printer.end(part, figures > 1)?;
    }
    printer.finish()?;
    match bench.failed {
        0 => Ok(()),
        failed => Err(CliError::system(format!("{failed} rows failed; each says why"))),
    }
}

/// The tables and figures that are asked for.
fn wanted<'p>(publication: &'p Publication, args: &PaperArgs) -> Result<Vec<&'p Part>, CliError> {
    let tables = args.tables.iter().map(|number| (Kind::Table, number));
    let figures = args.figures.iter().map(|number| (Kind::Figure, number));
    let asked: Vec<(Kind, &String)> = tables.chain(figures).collect();
    let names = |kind: Kind| {
        let parts = publication.parts.iter().filter(|part| part.kind == kind);
        let numbers: Vec<&str> = parts.map(|part| part.number).collect();
        if numbers.is_empty() { "none".to_owned() } else { numbers.join(", ") }
    };
    for (kind, number) in &asked {
        if !publication.parts.iter().any(|part| part.is(*kind, number)) {
            let (flag, known) = match kind {
                Kind::Table => ("--table", names(Kind::Table)),
                Kind::Figure => ("--figure", names(Kind::Figure)),
            };
            return Err(CliError::input(format!(
                "{flag} {number}: {} has {known}",
                publication.name
            )));
        }
    }
    let is_asked = |part: &&Part| {
        asked.is_empty() || asked.iter().any(|(kind, number)| part.is(*kind, number))
    };
    Ok(publication.parts.iter().filter(is_asked).collect())
}

/// Runs experiments, each once for all rows that ask for it.
struct Bench {
    repeat: usize,
    quick: bool,
    known: Vec<(Experiment, Result<Vec<Outcome>, String>)>,
    failed: usize,
}

impl Bench {
    /// A row's numbers, or why there are none.
    fn line(&mut self, line: Line, row: &Row, until: Option<Instant>) -> Line {
        if let Some(why) = self.left_out(row, until) {
            return line.without(why.into());
        }
        let values = match &row.ours {
            Ours::Missing(why) => Err((*why).to_owned()),
            Ours::Measured(experiment, quantity) => self.values(experiment, *quantity),
            Ours::Quotient(experiment, by, quantity) => {
                self.values(experiment, *quantity).and_then(|values| {
                    let by = self.values(by, *quantity)?;
                    Ok(values.iter().zip(by).map(|(value, by)| value / by).collect())
                })
            }
        };
        match values {
            Ok(values) => line.with(values.into_iter().map(|v| v / row.unit.scale).collect()),
            Err(why) => {
                self.failed += 1;
                line.without(why)
            }
        }
    }

    /// Why a row is left out, if it is.
    fn left_out(&self, row: &Row, until: Option<Instant>) -> Option<&'static str> {
        let all = match &row.ours {
            Ours::Measured(experiment, _) => vec![experiment],
            Ours::Quotient(experiment, by, _) => vec![experiment, by],
            Ours::Missing(why) => return Some(why),
        };
        let sized: Option<Vec<Experiment>> = all.into_iter().map(|it| self.sized(it)).collect();
        let Some(sized) = sized else { return Some("left out: too large for --quick") };
        // What is only counted takes next to no time.
        let known =
            |it: &Experiment| it.is_exact() || self.known.iter().any(|(known, _)| known == it);
        let late = until.is_some_and(|until| Instant::now() >= until);
        (late && !sized.iter().all(known)).then_some("left out: --quick had no time left for it")
    }

    /// What stands for an experiment, if anything does.
    fn sized(&self, experiment: &Experiment) -> Option<Experiment> {
        if self.quick { experiment.quick() } else { Some(experiment.clone()) }
    }

    /// A quantity, once for each repetition.
    fn values(&mut self, experiment: &Experiment, quantity: Quantity) -> Result<Vec<f64>, String> {
        let Some(experiment) = self.sized(experiment) else {
            return Err("too large for --quick".into());
        };
        let known = self.known.iter().position(|(known, _)| *known == experiment);
        let index = known.unwrap_or_else(|| {
            let times = if experiment.is_exact() { 1 } else { self.repeat };
            let outcomes: Result<Vec<Outcome>, CliError> =
                (0..times).map(|_| experiment.run()).collect();
            self.known.push((experiment, outcomes.map_err(|e| e.to_string())));
            self.known.len() - 1
        });
        let outcomes = self.known[index].1.clone()?;
        Ok(outcomes.iter().filter_map(|outcome| outcome.get(quantity)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn papers_are_whole() {
        for paper in Paper::value_variants() {
            let name = paper.to_possible_value().expect("a name").get_name().to_owned();
            let publication = paper.publication(false).expect("a publication");
            assert_eq!(publication.name, name);
            publication::tests::check(&publication);
        }
        publication::tests::check(&Paper::Ccs16.publication(true).expect("a publication"));
        assert!(Paper::Brain.publication(true).is_err());
    }

    #[test]
    fn papers_have_their_tables_and_figures() {
        for (paper, tables, figures) in [
            (Paper::Ccs16, vec!["4.1", "1", "2"], vec!["4", "5", "6"]),
            (Paper::Ccs20, vec!["3", "4", "5"], vec![]),
            (Paper::TrioQuad, vec!["1", "2", "3", "4", "5"], vec!["6", "7", "8", "9", "10", "11"]),
            (Paper::Brain, vec!["1"], vec!["10a", "10b", "10c", "10d"]),
            (
                Paper::MultiFanIn,
                vec!["2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"],
                vec!["5"],
            ),
        ] {
            let publication = paper.publication(false).expect("a publication");
            let has = |kind, number: &&str| publication.parts.iter().any(|it| it.is(kind, number));
            assert!(tables.iter().all(|number| has(Kind::Table, number)), "{paper:?}");
            assert!(figures.iter().all(|number| has(Kind::Figure, number)), "{paper:?}");
        }
    }

    #[test]
    fn experiments_run_once_for_all_their_rows() {
        let mut bench = Bench { repeat: 2, quick: true, known: Vec::new(), failed: 0 };
        let size = Experiment::Size(experiment::Design::Adder(2, 16));
        assert_eq!(bench.values(&size, Quantity::Depth), Ok(vec![5.0]));
        assert_eq!(bench.values(&size, Quantity::Ands), Ok(vec![65.0]));
        assert_eq!((bench.known.len(), bench.failed), (1, 0));
        let row = |ours| Row::new("it", "", 5.0, publication::Unit::COUNT, ours);
        let line = |bench: &mut Bench, row: &Row, until| bench.line(Line::default(), row, until);
        let known = row(Ours::Measured(size.clone(), Quantity::Depth));
        let other = Experiment::Size(experiment::Design::Adder(4, 16));
        let quotient = row(Ours::Quotient(size, other, Quantity::Depth));
        let random = row(Ours::Measured(Experiment::Randomness, Quantity::RandomBits));
        let now = Some(Instant::now());
        assert!(format!("{:?}", line(&mut bench, &known, now)).contains("tacit: Some(5.0)"));
        assert!(format!("{:?}", line(&mut bench, &random, now)).contains("--quick"));
        let measured = format!("{:?}", line(&mut bench, &quotient, now));
        assert!(measured.contains("tacit: Some(1.66"), "{measured}");
    }
}
