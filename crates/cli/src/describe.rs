//! Completions and man pages, from the definitions of the arguments.

use clap::CommandFactory as _;

use crate::args::Cli;
use crate::failure::Failure;
use crate::output;

/// Prints the completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "whybox", &mut script);
    output::print_bytes(&script)
}

/// Prints a man page: of whybox, or of one of its commands.
pub(crate) fn man(page: Option<&str>) -> Result<u8, Failure> {
    let mut command = Cli::command();
    command.build();
    let command = match page {
        None => command,
        Some(name) => {
            let found = command
                .get_subcommands()
                .find(|known| known.get_name() == name && !known.is_hide_set());
            let Some(found) = found else {
                let known: Vec<_> = command
                    .get_subcommands()
                    .filter(|known| !known.is_hide_set())
                    .map(clap::Command::get_name)
                    .collect();
                let known = known.join(", ");
                return Err(Failure::usage(format!(
                    "there is no page {name:?}; there is one for each of {known}"
                )));
            };
            found.clone()
        }
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut roff)
        .map_err(|error| Failure::before(format!("cannot write the man page: {error}")))?;
    output::print_bytes(&roff)
}
