//! Rows of papers as they are measured: text at once, one JSON object at the end, a line of JSON in a file, plots.

use super::publication::{Kind, Part, Publication, Row};
use crate::bench::chart::Chart;
use crate::error::CliError;
use crate::output::{Output, Report, accept_closed};
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A row with what was measured.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Line {
    paper: &'static str,
    /// `table 3`, `figure 10a`.
    part: String,
    series: String,
    at: String,
    #[serde(skip)]
    x: Option<f64>,
    unit: &'static str,
    published: Option<f64>,
    /// The median of all repetitions.
    tacit: Option<f64>,
    /// Tacit's number divided by the published one.
    ratio: Option<f64>,
    /// The least and the greatest of all repetitions.
    low: Option<f64>,
    high: Option<f64>,
    repetitions: usize,
    /// Why there is no number of Tacit.
    missing: Option<String>,
}

impl Line {
    /// A row without a number of Tacit's, so far.
    pub fn of(paper: &'static str, part: &Part, row: &Row) -> Line {
        Line {
            paper,
            part: part.name(),
            series: row.series.clone(),
            at: row.at.clone(),
            x: row.x,
            unit: row.unit.name,
            published: row.published,
            ..Line::default()
        }
    }

    /// With the numbers of all repetitions, in the row's unit.
    pub fn with(mut self, mut values: Vec<f64>) -> Line {
        values.sort_by(f64::total_cmp);
        let count = values.len();
        if count == 0 {
            return self.without("no repetition gave this number".into());
        }
        let median = (values[(count - 1) / 2] + values[count / 2]) / 2.0;
        let ratio = self.published.filter(|published| *published > 0.0);
        (self.tacit, self.ratio) = (Some(median), ratio.map(|published| median / published));
        (self.low, self.high) = (values.first().copied(), values.last().copied());
        self.repetitions = count;
        self
    }

    /// With the reason why there is none.
    pub fn without(self, why: String) -> Line {
        Line { missing: Some(why), ..self }
    }

    /// As a line of text, its name as wide as `width`.
    fn text(&self, name: &str, width: usize) -> String {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), shown);
        let [published, tacit] = [self.published, self.tacit].map(number);
        let end = match (&self.missing, self.repetitions) {
            (Some(why), _) => why.clone(),
            (None, 0 | 1) => String::new(),
            (None, _) => format!("{}..{}", number(self.low), number(self.high)),
        };
        let ratio = self.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let line = format!(
            "  {name:width$} {:>8} {published:>10} {tacit:>10} {ratio:>7}  {end}",
            self.unit
        );
        line.trim_end().to_owned()
    }
}

/// Four digits that count.
fn shown(value: f64) -> String {
    match value.abs() {
        v if v >= 1e4 || v.fract() == 0.0 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.1}"),
        v if v >= 10.0 => format!("{value:.2}"),
        v if v >= 0.01 => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}

/// A table or a figure with what was measured.
#[derive(Serialize)]
struct Measured {
    kind: Kind,
    number: &'static str,
    title: &'static str,
    rows: Vec<Line>,
}

/// Everything, as JSON has it.
#[derive(Serialize)]
struct All {
    paper: &'static str,
    title: &'static str,
    quick: bool,
    parts: Vec<Measured>,
    note: &'static str,
}

impl Report for All {
    /// Rows are printed as they are measured.
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n{}", self.note)
    }
}

/// Prints rows as they come.
pub struct Printer {
    output: Output,
    result: Option<(PathBuf, File)>,
    svg: Option<PathBuf>,
    all: All,
}

impl Printer {
    /// For a paper; `result` is the file that gets a line of JSON for every row, `svg` the file of a plot.
    pub fn new(
        publication: &Publication,
        quick: bool,
        output: Output,
        result: Option<&Path>,
        svg: Option<&Path>,
    ) -> Result<Printer, CliError> {
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            Ok::<_, CliError>((path.to_owned(), file.map_err(|e| CliError::file(path, &e))?))
        };
        let result = result.map(open).transpose()?;
        let Publication { name, title, note, .. } = publication;
        let printer = Printer {
            output,
            result,
            svg: svg.map(Path::to_owned),
            all: All { paper: name, title, quick, parts: Vec::new(), note },
        };
        printer.say(title)?;
        Ok(printer)
    }

    /// A table or figure begins.
    pub fn begin(&mut self, part: &Part) -> Result<(), CliError> {
        let Part { kind, number, title, .. } = *part;
        self.all.parts.push(Measured { kind, number, title, rows: Vec::new() });
        let width = width(part);
        let columns = ["unit", "published", "Tacit", "ratio"];
        let [unit, published, tacit, ratio] = columns;
        let name = part.name();
        self.say(&format!(
            "\n{name}: {title}\n  {:width$} {unit:>8} {published:>10} {tacit:>10} {ratio:>7}  least..greatest",
            ""
        ))
    }

    /// A row of what began is there.
    pub fn row(&mut self, part: &Part, row: &Row, line: Line) -> Result<(), CliError> {
        if let Some((path, file)) = &mut self.result {
            let text = serde_json::to_string(&line).map_err(|e| CliError::system(e.to_string()))?;
            let written = writeln!(file, "{text}").and_then(|()| file.flush());
            written.map_err(|e| CliError::file(path, &e))?;
        }
        self.say(&line.text(&row.name(), width(part)))?;
        if let Some(measured) = self.all.parts.last_mut() {
            measured.rows.push(line);
        }
        Ok(())
    }

    /// What began has all its rows. Draws it, if it is a figure and a file was named; `several` figures are drawn in
    /// files of their own.
    pub fn end(&mut self, part: &Part, several: bool) -> Result<(), CliError> {
        let (Some(path), Some(measured)) = (&self.svg, self.all.parts.last()) else {
            return Ok(());
        };
        if part.kind != Kind::Figure {
            return Ok(());
        }
        let path = if several { numbered(path, part.number) } else { path.clone() };
        let chart = Chart {
            title: format!("{}, {}", self.all.paper, part.name()),
            axes: part.axes.map(str::to_owned),
            curves: curves(&measured.rows),
        };
        chart.draw(&path).map_err(|e| CliError::system(format!("{}: {e}", path.display())))?;
        self.say(&format!("  plotted in {}", path.display()))
    }

    /// Prints what is said at the end, or all of the JSON.
    pub fn finish(self) -> Result<(), CliError> {
        self.output.print(&self.all)
    }

    /// A line of text, where results are text.
    fn say(&self, line: &str) -> Result<(), CliError> {
        if self.output.is_json() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        accept_closed(writeln!(out, "{line}").and_then(|()| out.flush()))
    }
}

/// How wide names of rows are.
fn width(part: &Part) -> usize {
    part.rows.iter().map(|row| row.name().chars().count()).max().unwrap_or(0)
}

/// `plot.svg` for figure 10a: `plot-10a.svg`.
fn numbered(path: &Path, number: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path.extension().map_or("svg".into(), |end| end.to_string_lossy());
    path.with_file_name(format!("{stem}-{number}.{end}"))
}

/// A curve of Tacit's points for every series, and one of published points.
fn curves(rows: &[Line]) -> Vec<(String, Vec<(f64, f64)>)> {
    let mut curves: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    let mut add = |name: String, x: f64, y: f64| match curves.iter_mut().find(|it| it.0 == name) {
        Some((_, points)) => points.push((x, y)),
        None => curves.push((name, vec![(x, y)])),
    };
    for line in rows {
        let points = [(line.tacit, ""), (line.published, " (published)")];
        for (y, what) in points {
            if let (Some(x), Some(y)) = (line.x, y.filter(|y| *y > 0.0)) {
                add(format!("{}{what}", line.series), x, y);
            }
        }
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(published: Option<f64>) -> Line {
        Line { unit: "ms", published, x: Some(2.0), series: "one".into(), ..Line::default() }
    }

    #[test]
    fn the_middle_of_repetitions_counts_and_the_ends_are_shown() {
        let odd = line(Some(4.0)).with(vec![9.0, 1.0, 2.0]);
        assert_eq!(
            (odd.tacit, odd.ratio, odd.low, odd.high),
            (Some(2.0), Some(0.5), Some(1.0), Some(9.0))
        );
        let text = odd.text("a row", 8);
        assert!(text.contains("a row") && text.ends_with("0.50  1..9"), "{text}");
        assert_eq!(line(None).with(vec![1.0, 2.0]).tacit, Some(1.5));
        assert_eq!(line(Some(0.0)).with(vec![1.0]).ratio, None);
        let none = line(Some(1.0)).without("there is no such network".into());
        assert!(none.text("x", 1).ends_with("there is no such network"));
        assert!(line(None).with(Vec::new()).missing.is_some());
    }

    #[test]
    fn figures_have_curves_of_both_numbers() {
        let rows = [line(Some(4.0)).with(vec![3.0]), line(None).with(vec![5.0])];
        let curves = curves(&rows);
        assert_eq!(curves[0], ("one".into(), vec![(2.0, 3.0), (2.0, 5.0)]));
        assert_eq!(curves[1], ("one (published)".into(), vec![(2.0, 4.0)]));
        assert_eq!(numbered(Path::new("a/plot.svg"), "10a"), Path::new("a/plot-10a.svg"));
    }

    #[test]
    fn numbers_have_digits_that_count() {
        let all = [12_345.6, 123.45, 12.345, 1.2345, 0.012_345, 0.000_123, 7.0, 0.0];
        let shown = all.map(shown);
        assert_eq!(shown, ["12346", "123.5", "12.35", "1.234", "0.012", "1.23e-4", "7", "0"]);
    }
}
