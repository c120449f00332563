//! The data of the pay-gap example, from a fixed seed, and its answer computed in the clear.
//!
//! `pay-gap-data FOLDER` writes alice.csv, bob.csv and carol.csv; `pay-gap-data FOLDER --answer`
//! reads them again and prints what the program should reveal, computed the usual way.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

const COMPANIES: [&str; 3] = ["alice", "bob", "carol"];
const ROWS: usize = 2000;
const LEVELS: [&str; 5] = ["junior", "senior", "lead", "manager", "executive"];
const GROUPS: [&str; 2] = ["women", "men"];
/// Results of smaller cells are hidden.
const LEAST: usize = 10;

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Level, group and salary of one person. Top levels are rare, and one of their cells is small.
fn person(random: &mut Random, company: usize) -> (usize, usize, u64) {
    let level = match random.below(1000) {
        0..500 => 0,
        500..800 => 1,
        800..940 => 2,
        940..996 => 3,
        _ => 4,
    };
    let women = [55, 50, 40, 30, 15][level];
    let group = usize::from(random.below(100) >= women);
    let base = 32_000 + 14_000 * level as u64 + 1_500 * company as u64;
    let raise = base * (group as u64 * (2 + level as u64)) / 100;
    let spread = (0..4).map(|_| random.below(base / 8)).sum::<u64>();
    (level, group, base + raise + spread)
}

fn write(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for (company, name) in COMPANIES.iter().enumerate() {
        let mut random = Random(2025 + company as u64);
        let mut text = String::from("level,group,salary\n");
        for _ in 0..ROWS {
            let (level, group, salary) = person(&mut random, company);
            let (level, group) = (LEVELS[level], GROUPS[group]);
            text.push_str(&format!("{level},{group},{salary}\n"));
        }
        fs::write(folder.join(format!("{name}.csv")), text)?;
    }
    Ok(())
}

fn read(folder: &Path) -> std::io::Result<Vec<Vec<f64>>> {
    let mut cells: Vec<Vec<f64>> = vec![Vec::new(); 2 * LEVELS.len()];
    for name in COMPANIES {
        let text = fs::read_to_string(folder.join(format!("{name}.csv")))?;
        for line in text.lines().skip(1) {
            if let [level, group, salary] = line.split(',').collect::<Vec<_>>()[..] {
                let level = LEVELS.iter().position(|name| *name == level);
                let group = GROUPS.iter().position(|name| *name == group);
                let place = level.zip(group).zip(salary.parse().ok());
                if let Some(((level, group), salary)) = place {
                    cells[2 * level + group].push(salary);
                }
            }
        }
    }
    Ok(cells)
}

fn print_answer(cells: &[Vec<f64>]) {
    let mean = |cell: &[f64]| cell.iter().sum::<f64>() / cell.len() as f64;
    let deviation = |cell: &[f64]| {
        let mean = mean(cell);
        (cell.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / cell.len() as f64).sqrt()
    };
    println!("level      group  people  mean pay    standard deviation  pay gap");
    for (i, cell) in cells.iter().enumerate() {
        let (level, group) = (LEVELS[i / 2], GROUPS[i % 2]);
        let other = &cells[i ^ 1];
        if cell.len() < LEAST {
            println!("{level:<9}  {group:<5}  hidden");
            continue;
        }
        let gap = if group == "men" && other.len() >= LEAST {
            format!("{:.4}", (mean(cell) - mean(other)) / mean(cell))
        } else {
            String::new()
        };
        let (people, mean, deviation) = (cell.len(), mean(cell), deviation(cell));
        println!("{level:<9}  {group:<5}  {people:<6}  {mean:<10.2}  {deviation:<18.2}  {gap}");
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match &arguments[..] {
        [folder] => write(folder.as_ref()),
        [folder, flag] if flag == "--answer" => {
            read(folder.as_ref()).map(|cells| print_answer(&cells))
        }
        _ => {
            eprintln!("usage: pay-gap-data FOLDER [--answer]");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pay-gap-data: {error}");
            ExitCode::FAILURE
        }
    }
}
