//! Arguments of `tacit bench paper`.

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// A paper whose experiments can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Paper {
    /// Ben-Efraim, Lindell, Omri: constant rounds for any number of semi-honest parties (CCS 2016)
    Ccs16,
    /// Yang, Wang, Zhang: triples and authenticated garbling, all but one party malicious (CCS 2020)
    Ccs20,
    /// Trio and Quad: three semi-honest parties, and four of which one is malicious, for throughput
    TrioQuad,
    /// Eerikson and others: "Use your brain!", three parties of which one is malicious, rings of any modulus
    Brain,
    /// AND gates of several inputs for three semi-honest parties on wide-area networks
    MultiFanIn,
}

/// Options of `tacit bench paper`.
#[derive(Args, Clone, Debug)]
pub struct PaperArgs {
    /// With `paper ccs16`: random circuits of the paper's sizes, of 90,825 ANDs in 10 to 4,000 levels, in place of AES
    /// and SHA-256; takes some minutes, and gigabytes
    #[arg(long)]
    pub synthetic: bool,

    /// With `paper`: this table, by its number there; may be repeated [default: all tables and figures]
    #[arg(long = "table", value_name = "NUMBER", requires = "paper")]
    pub(super) tables: Vec<String>,

    /// With `paper`: this figure, by its number there, such as 6 or 10a; 10 stands for all its panels; may be repeated
    #[arg(long = "figure", value_name = "NUMBER", requires = "paper")]
    pub(super) figures: Vec<String>,

    /// With `paper`: run every experiment so often, and print the median, the least and the greatest number
    #[arg(
        long,
        default_value_t = 1,
        value_name = "NUMBER",
        requires = "paper",
        conflicts_with = "quick",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000)
    )]
    pub(super) repeat: usize,

    /// With `paper`: smaller sizes, within a minute; rows for which no time is left say so
    #[arg(long, requires = "paper")]
    pub(super) quick: bool,

    /// With `paper`: append every row to a file as soon as it is there, each as a line of JSON
    #[arg(long, value_name = "FILE", requires = "paper")]
    pub(super) result: Option<PathBuf>,

    /// With `paper`: draw figures as SVG; of several, each in a file with its number behind the name
    #[arg(long, value_name = "FILE.svg", requires = "paper")]
    pub(super) svg: Option<PathBuf>,
}
