//! The examples do what they say.

#[path = "../examples/hello.rs"]
mod hello;
#[path = "../examples/pay_gap.rs"]
mod pay_gap;
#[path = "../examples/service.rs"]
mod service;
#[path = "../examples/stay.rs"]
mod stay;

#[test]
fn hello_runs() {
    hello::main().expect("runs");
}

#[test]
fn stay_runs() {
    stay::main().expect("runs");
}

#[test]
fn pay_gap_runs() {
    pay_gap::main().expect("runs");
}

#[test]
fn service_runs() {
    service::main().expect("runs");
}
