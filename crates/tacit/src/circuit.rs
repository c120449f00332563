//! Boolean circuits, as embedders hold them: what goes into their ports and what comes out.

use crate::candidate::Choice;
use crate::error::{Error, Result};
use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use tacit_circuit::{self as form, formats};
use tacit_engine::circuit::Evaluation;
use tacit_engine::values::Lanes;
use zeroize::Zeroizing;

/// A Boolean circuit: input ports of some bits each, gates, output ports.
///
/// It is read from a file, or built by [`tacit_circuit::Builder`] or taken from [`tacit_circuit::library`]. All parties
/// evaluate the same one, and compare its digest before any input leaves them. Copies share one allocation.
#[derive(Clone)]
pub struct Circuit(Arc<form::Circuit>);

impl Circuit {
    /// Reads a circuit in Bristol Fashion, the old Bristol format, or the binary form, whichever it is.
    ///
    /// # Errors
    /// An [`ErrorKind::Input`](crate::ErrorKind::Input) with file, line and column where the file cannot be read, or is
    /// no circuit.
    pub fn read(path: impl AsRef<Path>) -> Result<Circuit> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| Error::file(path, &e))?;
        let name = path.display().to_string();
        let read = formats::parse(&name, &bytes, &formats::ReadOptions::default());
        read.map(Circuit::from).map_err(|e| Error::input(e.to_string()))
    }

    /// Bits of each input port.
    #[must_use]
    pub fn inputs(&self) -> &[u32] {
        self.0.input_widths()
    }

    /// Bits of each output port.
    pub fn outputs(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.0.output_ports().iter().map(Vec::len)
    }
}

impl From<form::Circuit> for Circuit {
    /// A circuit that was built.
    fn from(circuit: form::Circuit) -> Circuit {
        Circuit(Arc::new(circuit))
    }
}

#[doc(hidden)]
impl Deref for Circuit {
    type Target = form::Circuit;

    fn deref(&self) -> &form::Circuit {
        &self.0
    }
}

impl fmt::Debug for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outputs: Vec<usize> = self.outputs().collect();
        write!(f, "Circuit({:?} to {outputs:?} bits)", self.inputs())
    }
}

/// The values of one input port of a circuit, one per instance. Bit i of a value is bit i of the port.
///
/// They come from whole numbers and slices of them, and, for ports of any width, from bytes. They are wiped from memory when
/// dropped, and `Debug` shows only how many there are.
///
/// ```
/// use tacit::Bits;
///
/// let one: Bits = 5u8.into();
/// let many = Bits::from(&[1u128, 2, 3]);
/// let wide = Bits::from_bytes([[0u8; 64]]);
/// assert_eq!(format!("{one:?} {many:?} {wide:?}"), "Bits(1) Bits(3) Bits(1)");
/// ```
#[derive(Clone)]
pub struct Bits(Vec<Zeroizing<Vec<u8>>>);

/// What [`Bits`] are made of: whole numbers without a sign.
pub trait Word: Copy + sealed::Sealed {}

mod sealed {
    pub trait Sealed {
        /// Its bytes, the least significant one first.
        fn bytes(self) -> Vec<u8>;
    }
}

/// Words that have bytes.
macro_rules! words {
    ($($word:ty),*) => { $(
        impl Word for $word {}
        impl sealed::Sealed for $word {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
    )* };
}

words!(u8, u16, u32, u64, u128);

impl<T: Word> From<T> for Bits {
    fn from(value: T) -> Bits {
        Bits(vec![Zeroizing::new(value.bytes())])
    }
}

impl<T: Word> From<&[T]> for Bits {
    fn from(values: &[T]) -> Bits {
        Bits(values.iter().map(|value| Zeroizing::new(value.bytes())).collect())
    }
}

impl<T: Word, const N: usize> From<&[T; N]> for Bits {
    fn from(values: &[T; N]) -> Bits {
        values.as_slice().into()
    }
}

impl<T: Word> From<&Vec<T>> for Bits {
    fn from(values: &Vec<T>) -> Bits {
        values.as_slice().into()
    }
}

impl Bits {
    /// Values from bytes: bit i of the port is bit `i mod 8` of byte `i / 8`.
    pub fn from_bytes(values: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Bits {
        let wiped = |value: &[u8]| Zeroizing::new(value.to_vec());
        Bits(values.into_iter().map(|value| wiped(value.as_ref())).collect())
    }

    /// As lanes of a port of so many bits.
    pub(crate) fn lanes(&self, port: usize, width: u32) -> Result<Lanes> {
        let bit =
            |bytes: &[u8], at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (at % 8) & 1);
        let too_wide = self
            .0
            .iter()
            .any(|bytes| (width as usize..8 * bytes.len()).any(|at| bit(bytes, at) != 0));
        if too_wide {
            return Err(Error::input(format!(
                "input port {port}: a value has more than the port's {width} bits"
            )));
        }
        let mut bits = vec![vec![0u64; self.0.len().div_ceil(64)]; width as usize];
        for (at, words) in bits.iter_mut().enumerate() {
            for (instance, bytes) in self.0.iter().enumerate() {
                words[instance / 64] |= u64::from(bit(bytes, at)) << (instance % 64);
            }
        }
        Ok(Lanes::from_bits(bits, self.0.len()))
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bits({})", self.0.len())
    }
}

/// What an evaluation of a circuit cost: times in seconds, bytes and messages of every directed link, rounds, roles. Nothing
/// in it is secret.
pub type CircuitReport = tacit_engine::circuit::Report;

/// What one party has after an evaluation: the output ports that it learns, and what the evaluation cost.
///
/// Outputs are wiped from memory when this is dropped, and `Debug` shows their sizes only.
pub struct CircuitOutcome {
    outputs: Vec<Option<Lanes>>,
    report: CircuitReport,
    choice: Option<Choice>,
}

impl CircuitOutcome {
    pub(crate) fn new(evaluation: Evaluation, choice: Option<Choice>) -> CircuitOutcome {
        let Evaluation { outputs, report } = evaluation;
        CircuitOutcome { outputs, report, choice }
    }

    /// Why the protocol is what it is, if the parties [chose](crate::Run::protect_against) it.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// The values of an output port of up to 128 bits, one per instance; none if this party does not learn it, or it is wider.
    #[must_use]
    pub fn numbers(&self, port: usize) -> Option<Vec<u128>> {
        let lanes = self.outputs.get(port)?.as_ref().filter(|lanes| lanes.width() <= 128)?;
        let number = |instance| {
            let bits = (0..lanes.width()).map(|at| u128::from(bit(lanes, at, instance)) << at);
            bits.fold(0, |all, bit| all | bit)
        };
        Some((0..lanes.instances()).map(number).collect())
    }

    /// The values of an output port as bytes, one value per instance: bit i of the port is bit `i mod 8` of byte `i / 8`.
    /// None if this party does not learn the port.
    #[must_use]
    pub fn bytes(&self, port: usize) -> Option<Vec<Vec<u8>>> {
        let lanes = self.outputs.get(port)?.as_ref()?;
        let value = |instance| {
            let mut bytes = vec![0u8; (lanes.width() as usize).div_ceil(8)];
            for at in 0..lanes.width() {
                bytes[at as usize / 8] |= bit(lanes, at, instance) << (at % 8);
            }
            bytes
        };
        Some((0..lanes.instances()).map(value).collect())
    }

    /// What the evaluation cost.
    #[must_use]
    pub fn report(&self) -> &CircuitReport {
        &self.report
    }
}

/// A bit of one instance.
fn bit(lanes: &Lanes, at: u32, instance: usize) -> u8 {
    (lanes.bit(at)[instance / 64] >> (instance % 64) & 1) as u8
}

impl fmt::Debug for CircuitOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.outputs).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_lanes_bit_by_bit() {
        let values: Vec<u8> = (0..100).collect();
        let lanes = Bits::from(&values).lanes(0, 7).expect("fit");
        assert_eq!((lanes.width(), lanes.instances()), (7, 100));
        for (instance, value) in values.iter().enumerate() {
            let read = (0..7).fold(0, |all, at| all | bit(&lanes, at, instance) << at);
            assert_eq!(read, *value);
        }
        assert_eq!(Bits::from(200u8).lanes(3, 7).expect_err("too wide").kind().exit_code(), 2);
    }
}
