//! The small programs that run in the cages, and the harnesses that start them: subcommands of this one.

mod harness;
mod reader;

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::ExitCode;

use crate::Failure;

/// The first argument of a helper.
pub(crate) const MARK: &str = "helper";

/// The words that run a helper.
pub(crate) fn words(program: &Path, arguments: &[&str]) -> Vec<OsString> {
    let mut words = vec![program.into(), MARK.into()];
    words.extend(arguments.iter().map(OsString::from));
    words
}

/// Runs a helper.
pub(crate) fn run(words: &[String]) -> Result<ExitCode, Failure> {
    match words
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["opens", count, path] => println!("{}", reader::opens(count.parse()?, path)?),
        ["denied", count, path] => {
            let (median, rare) = reader::denied(count.parse()?, path)?;
            println!("{median} {rare}");
        }
        ["refused", count, path] => reader::refused(count.parse()?, path)?,
        ["storm", count, processes, path] => println!(
            "{}",
            reader::storm(count.parse()?, processes.parse()?, path)?
        ),
        ["names", count, directory] => {
            (0..count.parse()?)
                .try_for_each(|number: u32| reader::refused(1, &format!("{directory}/{number}")))?;
            println!("ready");
            io::stdin().read_to_end(&mut Vec::new())?;
        }
        ["harness", mebibytes, threads, command] => {
            harness::serve(mebibytes.parse()?, threads.parse()?, *command == "own")?;
        }
        ["idle", count] => harness::idle(count.parse()?)?,
        _ => return Err(format!("there is no helper {words:?}").into()),
    }
    Ok(ExitCode::SUCCESS)
}
