//! tmp
fn main(){ for n in tacit_circuit::table::names(){ let t=std::time::Instant::now(); let x=tacit_circuit::table::table(n).unwrap(); println!("{x} {:?}", t.elapsed()); } }
