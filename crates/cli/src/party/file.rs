//! Which configuration file a command means.

use crate::error::CliError;
use std::path::{Path, PathBuf};
use tacit_net::config::PartyConfig;

/// Reads the party's configuration: of the file that was named, or else the only one here.
pub fn load(named: Option<&Path>) -> Result<(PathBuf, PartyConfig), CliError> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => only(Path::new("."))?,
    };
    let config = PartyConfig::load(&path)?;
    Ok((path, config))
}

/// The only configuration in a folder.
fn only(folder: &Path) -> Result<PathBuf, CliError> {
    let wrong = |e: std::io::Error| CliError::file(folder, &e);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let may_be = name.ends_with(".toml") && !name.ends_with(".card.toml");
        if may_be && path.is_file() && PartyConfig::load(&path).is_ok() {
            found.push(PathBuf::from(name));
        }
    }
    found.sort();
    match &found[..] {
        [one] => Ok(one.clone()),
        [] => Err(CliError::input(
            "there is no party's configuration here: make one with `tacit party new NAME`, or name it \
             with --party FILE",
        )),
        several => {
            let names: Vec<String> = several.iter().map(|p| p.display().to_string()).collect();
            Err(CliError::input(format!(
                "there are several parties' configurations here: say --party with one of {}",
                names.join(", ")
            )))
        }
    }
}
