//! How the program was called, and how further processes of it are started.

use std::env;
use std::ffi::OsString;
use std::process::Command;
use std::sync::OnceLock;

/// How the program was called.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// What starts it, without arguments: a program, or an interpreter and what it takes; unknown where the system cannot tell.
    start: Vec<OsString>,
    arguments: Vec<OsString>,
}

static REMEMBERED: OnceLock<Invocation> = OnceLock::new();

impl Invocation {
    /// As this process was.
    #[must_use]
    pub fn of_this_process() -> Invocation {
        let start = env::current_exe().map(OsString::from).into_iter().collect();
        Invocation { start, arguments: env::args_os().skip(1).collect() }
    }

    /// Through another program: `start` are the words that start it, before the arguments.
    #[must_use]
    pub fn through(start: Vec<OsString>, arguments: Vec<OsString>) -> Invocation {
        Invocation { start, arguments }
    }

    /// All words of the command line.
    pub(crate) fn words(&self) -> impl Iterator<Item = OsString> + use<> {
        std::iter::once(OsString::from("tacit")).chain(self.arguments.clone())
    }

    /// Keeps it for [`arguments`] and [`another`].
    pub(crate) fn remember(self) {
        // Who calls the program twice in a process has its first invocation: there is no such caller.
        let _ = REMEMBERED.set(self);
    }
}

/// The arguments of this process.
pub fn arguments() -> &'static [OsString] {
    REMEMBERED.get().map_or(&[], |invocation| &invocation.arguments)
}

/// Another process of this program, without arguments yet.
pub fn another() -> Option<Command> {
    let [program, first @ ..] = &REMEMBERED.get()?.start[..] else { return None };
    let mut command = Command::new(program);
    command.args(first);
    Some(command)
}
