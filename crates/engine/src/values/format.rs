//! Writing lanes as text, CSV or raw bytes.

use super::digits::{check_decimal, write_decimal, write_power_of_two};
use super::lanes::numbers;
use super::{BitOrder, Format, Lanes, PortSpec, Problem, ValueError, raw};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

/// CSV cells of wider ports are written in hexadecimal.
const CSV_DECIMAL_BITS: u32 = 64;

/// Writes all instances of `ports` to a file, in the format given or else the one that
/// the extension stands for. The file is complete or absent (it is written under a
/// temporary name beside it and renamed at the end), and readable by its owner only.
pub fn write_outputs(
    path: &Path,
    format: Option<Format>,
    ports: &[PortSpec],
    values: &[Lanes],
) -> Result<(), ValueError> {
    let (format, partial) = begin_outputs(path, format, ports)?;
    let name = path.display().to_string();
    let io_error = |e: io::Error| ValueError::in_file(&name, Problem::Io(e.kind()));
    let mut out = BufWriter::with_capacity(1 << 16, partial);
    format_outputs(&mut out, format, ports, values).map_err(io_error)?;
    let partial = out.into_inner().map_err(|e| io_error(e.into_error()))?;
    partial.as_file().sync_all().map_err(io_error)?;
    partial.persist(path).map_err(|e| io_error(e.error))?;
    Ok(())
}

/// Whether [`write_outputs`] can write such a file, before there is anything to write: the format
/// holds the ports, and the folder takes files.
///
/// # Errors
/// What [`write_outputs`] would say.
pub fn check_outputs(
    path: &Path,
    format: Option<Format>,
    ports: &[PortSpec],
) -> Result<(), ValueError> {
    begin_outputs(path, format, ports).map(drop)
}

/// The format, and a file under a temporary name; it vanishes unless it is given its own.
fn begin_outputs(
    path: &Path,
    format: Option<Format>,
    ports: &[PortSpec],
) -> Result<(Format, NamedTempFile), ValueError> {
    let name = path.display().to_string();
    let fail = |problem: Problem| ValueError::in_file(&name, problem);
    match path.metadata() {
        Ok(found) if found.is_dir() => {
            return Err(fail(Problem::Io(io::ErrorKind::IsADirectory)));
        }
        Ok(found) if !found.is_file() => return Err(fail(Problem::NoFile)),
        // It is not there yet, or the folder will say more.
        _ => {}
    }
    let format = format.map_or_else(|| Format::of_path(path), Ok)?;
    check(format, ports).map_err(fail)?;
    ports.iter().try_for_each(|port| port.check(&name))?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.exists() {
        return Err(fail(Problem::NoFolder(folder.display().to_string())));
    }
    let partial = NamedTempFile::new_in(folder).map_err(|e| fail(Problem::Io(e.kind())))?;
    Ok((format, partial))
}

/// Writes all instances of `ports`; `values` has one entry per port, all of the same
/// number of instances. Reading the result with the same ports gives the same lanes.
///
/// Fails with `InvalidInput` where the format cannot hold a port: decimal integers of
/// more than 128 bits, or a bit order of bytes or words at a width that is no multiple.
///
/// # Panics
/// If `values` does not match `ports`.
pub fn format_outputs(
    out: &mut dyn Write,
    format: Format,
    ports: &[PortSpec],
    values: &[Lanes],
) -> io::Result<()> {
    let invalid = |e: String| io::Error::new(io::ErrorKind::InvalidInput, e);
    check(format, ports).map_err(|e| invalid(e.to_string()))?;
    ports.iter().try_for_each(|port| port.check(&port.name)).map_err(|e| invalid(e.to_string()))?;
    let instances = values.first().map_or(0, Lanes::instances);
    assert_eq!(ports.len(), values.len(), "one entry per port");
    for (port, lanes) in ports.iter().zip(values) {
        assert_eq!(lanes.width(), port.width, "width of {}", port.name);
        assert_eq!(lanes.instances(), instances, "instances of {}", port.name);
    }
    if format == Format::Csv {
        write_header(out, ports)?;
    }
    let wide: Vec<usize> = (0..ports.len()).filter(|&i| ports[i].width > 0).collect();
    let mut blocks: Vec<Zeroizing<Vec<u64>>> = wide.iter().map(|_| Zeroizing::default()).collect();
    let mut line = Zeroizing::new(Vec::new());
    for block in 0..instances.div_ceil(64) {
        for (numbers_of, &port) in blocks.iter_mut().zip(&wide) {
            numbers(&values[port], ports[port].order, block, numbers_of);
        }
        for lane in 0..64.min(instances - 64 * block) {
            line.clear();
            write_instance(format, ports, &wide, &blocks, lane, &mut line);
            out.write_all(&line)?;
        }
    }
    Ok(())
}

/// Whether the format can hold the ports.
fn check(format: Format, ports: &[PortSpec]) -> Result<(), Problem> {
    match format {
        Format::Decimal => ports.iter().try_for_each(check_decimal),
        _ => Ok(()),
    }
}

fn write_header(out: &mut dyn Write, ports: &[PortSpec]) -> io::Result<()> {
    let names = ports.iter().filter(|p| p.width > 0).map(|p| &p.name);
    let mut header = csv::Writer::from_writer(out);
    header.write_record(names)?;
    header.flush()
}

fn write_instance(
    format: Format,
    ports: &[PortSpec],
    wide: &[usize],
    blocks: &[Zeroizing<Vec<u64>>],
    lane: usize,
    line: &mut Vec<u8>,
) {
    let mut limbs = Zeroizing::new(Vec::new());
    for (i, (&port, block)) in wide.iter().zip(blocks).enumerate() {
        let port = &ports[port];
        limbs.clear();
        limbs.extend(block.iter().skip(lane).step_by(64));
        match format {
            Format::Raw => {}
            _ if i == 0 => {}
            Format::Csv => line.push(b','),
            _ => line.push(b' '),
        }
        match format {
            Format::Raw => raw::write(&limbs, port, line),
            Format::Hex => write_power_of_two(&limbs, port.width, 4, line),
            Format::Binary => write_power_of_two(&limbs, port.width, 1, line),
            Format::Decimal => write_decimal(&limbs, port, line),
            Format::Csv => write_cell(&limbs, port, line),
        }
    }
    if format != Format::Raw {
        line.push(b'\n');
    }
}

/// A CSV cell: decimal for integers of at most 64 bits, else hexadecimal with `0x`.
fn write_cell(limbs: &[u64], port: &PortSpec, line: &mut Vec<u8>) {
    if port.order == BitOrder::Integer && port.width <= CSV_DECIMAL_BITS {
        write_decimal(limbs, port, line);
    } else {
        line.extend_from_slice(b"0x");
        write_power_of_two(limbs, port.width, 4, line);
    }
}
