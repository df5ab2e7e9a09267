//! Bad usage, on one line.

use clap::error::ErrorKind;

use crate::failure::Failure;

/// Shows help or what is wrong, and gives the exit status.
pub(crate) fn explain(error: &clap::Error) -> u8 {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that has gone wants no help.
            let _ = error.print();
            0
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            2
        }
        _ => {
            Failure::usage(one_line(&error.render().to_string())).print();
            2
        }
    }
}

/// The message and its tips without the usage, which `--help` shows.
fn one_line(text: &str) -> String {
    let told = text.split("\n\nUsage:").next().unwrap_or(text);
    let told = told
        .split("\n\nFor more information")
        .next()
        .unwrap_or(told);
    // That a command could begin with a dash is no help to who mistyped an option.
    let useful = |line: &&str| !line.is_empty() && !line.starts_with("tip: to pass ");
    let lines: Vec<&str> = told.lines().map(str::trim).filter(useful).collect();
    let line = lines.join("; ").replace(":; ", ": ");
    format!(
        "{} (see --help)",
        line.strip_prefix("error: ").unwrap_or(&line)
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]

    use super::*;
    use crate::args::Cli;
    use clap::Parser as _;

    #[test]
    fn what_is_wrong_fits_on_a_line() {
        let told = |words: &[&str]| {
            let error =
                Cli::try_parse_from([&["whybox"], words].concat()).expect_err("it is wrong");
            one_line(&error.render().to_string())
        };
        assert_eq!(
            told(&["run", "--hid", "x", "ls"]),
            "unexpected argument '--hid' found; tip: a similar argument exists: '--hide' (see --help)"
        );
        assert_eq!(
            told(&["run"]),
            "the following required arguments were not provided: <COMMAND>... (see --help)"
        );
        assert!(
            told(&["run", "--net", "some", "ls"])
                .starts_with("invalid value 'some' for '--net <WHICH>'")
        );
    }
}
