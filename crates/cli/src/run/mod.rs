//! `whybox run`: carrying out a plan.

mod descriptors;
mod events;
mod launch;
mod signals;
mod summary;
mod terminal;
mod wait;

use std::os::unix::ffi::OsStrExt as _;
use std::time::SystemTime;

use whybox::record::{Coverage, Dropped, Exit, Report, Run, Violations};
use whybox::{Cage, Context, Grants};

use crate::args::RunOptions;
use crate::failure::{Failure, complain};
use crate::output::{self, Output};
use crate::plan::Plan;

/// How the command is confined, as reports name it.
const TIER: &str = "ghost";

/// Runs a command and gives the exit status.
pub(crate) fn run(options: RunOptions) -> Result<u8, Failure> {
    if options.dry_run {
        return dry_run(&options);
    }
    descriptors::close_others(&options);
    // First of all: a number that the caller did not open could later be a descriptor of ours.
    let open =
        |option: &str, sink| Option::map(sink, |sink| Output::open(option, &sink)).transpose();
    let mut report = open("--report", options.report.clone())?;
    let events = open("--events", options.events.clone())?;

    let started = SystemTime::now();
    // Not the policy is wrong where there is no working directory.
    let context = Context::from_process().map_err(|error| Failure::before(error.to_string()));
    let plan = context.and_then(|context| Plan::new(&options, &context));
    let plan = match plan {
        Ok(plan) => plan,
        Err(failure) => {
            let run = Run::new(started, TIER, serde_json::Value::Null, "")
                .with_command(words(&options.command));
            return Err(not_started(failure, run, report.as_mut()));
        }
    };
    let described = |policy: &whybox::Policy| {
        Run::new(started, TIER, policy.to_json(), policy.digest()).with_command(words(&plan.words))
    };
    let finished = match launch::launch(&plan, events) {
        Ok(finished) => finished,
        Err(failure) => {
            return Err(not_started(
                failure,
                described(&plan.policy),
                report.as_mut(),
            ));
        }
    };
    let launch::Finished {
        ending,
        policy,
        violations,
    } = finished;
    if let Some(report) = &mut report {
        let run = described(&policy).with_end(SystemTime::now(), ending.exit());
        write_report(report, &Report::new(run, violations.clone()));
    }
    if plan.summary {
        summary::print(&violations, ending, plan.timeout, plan.colour);
    }
    Ok(ending.status(plan.fail_on_denial && crate::status::refused(&violations)))
}

/// Prints the steps of the start.
fn dry_run(options: &RunOptions) -> Result<u8, Failure> {
    let plan = Plan::new(options, &Context::from_process()?)?;
    let cage = Cage::with_options(&plan.policy, &plan.options)?;
    output::print(&cage.plan(&plan.command(), &Grants::new())?)
}

/// Reports a command that never ran.
fn not_started(failure: Failure, run: Run, report: Option<&mut Output>) -> Failure {
    if let Some(report) = report {
        let run = run.with_end(
            SystemTime::now(),
            Exit::NotStarted {
                error: failure.text.clone(),
            },
        );
        let nothing = Violations::new(Vec::new(), Dropped::default(), Coverage::new(), true);
        write_report(report, &Report::new(run, nothing));
    }
    failure
}

/// Writes a report. The command has ended by now: a failure is told, and changes nothing else.
fn write_report(output: &mut Output, report: &Report) {
    let written = report
        .to_json()
        .map_err(std::io::Error::other)
        .and_then(|text| output.write_document(text.as_bytes()));
    if let Err(error) = written {
        complain(format_args!(
            "{}: cannot write the report: {error}",
            output.name()
        ));
    }
}

fn words(words: &[std::ffi::OsString]) -> impl Iterator<Item = &[u8]> {
    words.iter().map(|word| word.as_bytes())
}
