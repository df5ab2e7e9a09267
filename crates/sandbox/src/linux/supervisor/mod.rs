//! The one supervisor of a harness: a fixed number of threads serve every ghost and every listener.

mod answer;
mod listeners;
mod notify;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use listeners::{Listeners, Listening};

use super::ghost::Pool;
use super::process::Processes;

/// The threads.
#[derive(Debug)]
pub(crate) struct Supervisor {
    pub(crate) ghosts: Pool,
    pub(crate) listeners: Listeners,
}

/// The supervisor of this process, started at its first use. A fork of the harness, which has none of its threads,
/// gets its own.
///
/// # Errors
/// The kernel gives no descriptor or no thread.
pub(crate) fn supervisor() -> io::Result<Arc<Supervisor>> {
    static CURRENT: Mutex<Option<(u32, Arc<Supervisor>)>> = Mutex::new(None);
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, supervisor)) = &*current
        && *owner == process
    {
        return Ok(Arc::clone(supervisor));
    }
    let processes = Arc::new(Processes::new());
    let supervisor = Arc::new(Supervisor {
        ghosts: Pool::start(Arc::clone(&processes))?,
        listeners: Listeners::start(processes)?,
    });
    if let Some((_, other)) = current.replace((process, Arc::clone(&supervisor))) {
        // Its threads live in another process; ending them is not this one's business.
        std::mem::forget(other);
    }
    Ok(supervisor)
}
