//! Directories and files that only their owner can enter and read.

use crate::circuit::EvaluateError;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// An error of this machine's disk.
pub fn system(what: &str, path: &Path, error: &std::io::Error) -> EvaluateError {
    EvaluateError::System(format!("cannot {what} {}: {error}", path.display()))
}

/// Makes a directory that only its owner can enter, and those above it, unless it is there.
pub fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// For files that only their owner can read.
pub fn options() -> OpenOptions {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Refuses a directory that is another user's, or that others can enter.
#[cfg(unix)]
pub fn check(path: &Path) -> Result<(), EvaluateError> {
    use std::os::unix::fs::MetadataExt;
    let shown = path.display();
    let about = fs::metadata(path).map_err(|e| system("read", path, &e))?;
    let (owner, me) = (about.uid(), rustix::process::geteuid().as_raw());
    if owner != me {
        return Err(EvaluateError::Job(format!(
            "{shown} belongs to user {owner}, and this is user {me}: what is in it is as secret as inputs; use a \
             directory of your own"
        )));
    }
    let mode = about.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(EvaluateError::Job(format!(
            "{shown} is open to others than its owner (mode {mode:04o}), and what is in it is as secret as \
             inputs: `chmod 700 {shown}` if nobody else has looked into it, else remove it and prepare anew"
        )));
    }
    Ok(())
}

#[cfg(not(unix))]
pub fn check(_: &Path) -> Result<(), EvaluateError> {
    Ok(())
}

/// Waits until the disk has the names in a directory.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(path)?.sync_all(),
        false => Ok(()),
    }
}
