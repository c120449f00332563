//! Reading: the entry points, and what the formats share.

use super::lanes::LaneBuilder;
use super::{Format, Lanes, PortSpec, Problem, ValueError, csv_file, raw, text};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use zeroize::Zeroizing;

/// Reads all instances of `ports` from a file, in the format given or else the one that
/// the extension stands for. The result has one entry per port, in order.
pub fn read_inputs(
    path: &Path,
    format: Option<Format>,
    ports: &[PortSpec],
) -> Result<Vec<Lanes>, ValueError> {
    let name = path.display().to_string();
    let format = match format {
        Some(format) => format,
        None => Format::of_path(path)?,
    };
    let file = File::open(path).map_err(|e| {
        let problem = match e.kind() {
            io::ErrorKind::NotFound => Problem::NotFound,
            kind => Problem::Io(kind),
        };
        ValueError::in_file(&name, problem)
    })?;
    let mut source = BufReader::with_capacity(1 << 16, file);
    parse_inputs(&mut source, &name, format, ports)
}

/// Reads all instances of `ports` from `source`, which errors call `name`.
///
/// Needs memory for the lanes and one line, not for the text as a whole.
pub fn parse_inputs(
    source: &mut dyn BufRead,
    name: &str,
    format: Format,
    ports: &[PortSpec],
) -> Result<Vec<Lanes>, ValueError> {
    ports.iter().try_for_each(|port| port.check(name))?;
    let mut rows = Rows::new(ports);
    match format {
        Format::Csv => csv_file::parse(source, name, &mut rows)?,
        Format::Raw => raw::parse(source, name, &mut rows)?,
        Format::Hex | Format::Binary | Format::Decimal => {
            text::parse(source, name, format, &mut rows)?;
        }
    }
    if rows.instances == 0 {
        return Err(ValueError::in_file(name, Problem::Empty));
    }
    let instances = rows.instances;
    Ok(rows.builders.into_iter().map(|b| b.finish(instances)).collect())
}

/// The instances read so far, for the ports of a file.
pub(super) struct Rows<'a> {
    pub(super) ports: &'a [PortSpec],
    pub(super) instances: usize,
    builders: Vec<LaneBuilder>,
    /// The current value.
    limbs: Zeroizing<Vec<u64>>,
}

impl<'a> Rows<'a> {
    fn new(ports: &'a [PortSpec]) -> Rows<'a> {
        let limbs = ports.iter().map(PortSpec::limbs).max().unwrap_or(0);
        Rows {
            ports,
            instances: 0,
            builders: ports.iter().map(|p| LaneBuilder::new(p.width, p.order)).collect(),
            limbs: Zeroizing::new(vec![0; limbs]),
        }
    }

    /// Indices of the ports that have text: those of width 1 and more.
    pub(super) fn wide(&self) -> Vec<usize> {
        (0..self.ports.len()).filter(|&i| self.ports[i].width > 0).collect()
    }

    /// Names of the ports that have text, for messages.
    pub(super) fn names(&self) -> String {
        let names: Vec<&str> =
            self.ports.iter().filter(|p| p.width > 0).map(|p| p.name.as_str()).collect();
        names.join(", ")
    }

    /// Adds the current instance's value of port `index`, which `read` puts into limbs.
    pub(super) fn value<E>(
        &mut self,
        index: usize,
        read: impl FnOnce(&PortSpec, &mut [u64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let port = &self.ports[index];
        let limbs = &mut self.limbs[..port.limbs()];
        read(port, limbs)?;
        self.builders[index].push(limbs);
        Ok(())
    }

    /// Ends the current instance, after one value for each port that has text.
    pub(super) fn end(&mut self) {
        self.instances += 1;
    }
}
