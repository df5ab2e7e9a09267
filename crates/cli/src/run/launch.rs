//! From the start of a command to its end.

use std::sync::Arc;

use whybox::record::Violations;
use whybox::{Cage, Grants, Policy};

use super::events::Events;
use super::signals::Signals;
use super::terminal::Terminal;
use super::wait;
use crate::failure::Failure;
use crate::output::Output;
use crate::plan::Plan;
use crate::status::Ending;

/// A run that is over.
pub(crate) struct Finished {
    pub(crate) ending: Ending,
    /// The policy that was in effect.
    pub(crate) policy: Policy,
    pub(crate) violations: Violations,
}

/// Starts the command and waits for it.
///
/// # Errors
/// Something went wrong before the start; the command never ran.
pub(crate) fn launch(plan: &Plan, events: Option<Output>) -> Result<Finished, Failure> {
    let terminal = Terminal::of_the_foreground().map(Arc::new);
    let options = match &terminal {
        Some(_) => plan.options.clone().foreground(),
        None => plan.options.clone(),
    };
    let cage = Cage::with_options(&plan.policy, &options)?;
    // Both threads are there before the command is, so that nothing can go wrong once it runs.
    let signals = Signals::catch(terminal.is_some())?;
    let events = events.map(Events::new).transpose()?;
    let spawned = cage.spawn(&mut plan.command(), &Grants::new());
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            if let Some(terminal) = &terminal {
                terminal.take_after_failure();
            }
            return Err(error.into());
        }
    };
    if let Some(terminal) = &terminal {
        terminal.given_to(child.id());
    }
    signals.forward(child.handle(), child.id(), terminal.clone());
    if let Some(events) = &events {
        events.follow(child.violation_receiver());
    }
    let ending = wait::wait(&mut child, plan.timeout, terminal.as_deref());
    if let Some(terminal) = &terminal {
        terminal.take();
    }
    signals.command_ended();
    let violations = child.violations();
    let policy = child.policy().clone();
    // Its end closes the stream of events.
    drop(child);
    if let Some(events) = events {
        events.finish(&violations);
    }
    Ok(Finished {
        ending,
        policy,
        violations,
    })
}
