//! Making a cage and starting commands in it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use whybox_init::Plan;
use whybox_policy::Policy;

use super::child::Child;
use super::coverage::{Calls, coverage};
use super::environment::environment;
use super::ghost::{Attendant, Ghost, NodeKind, View};
use super::host::Host;
use super::launch::{self, Handshake, Program};
use super::log::Log;
use super::plan::{Launch, Planned, plan};
use super::resolve::{Kind, Resolved, resolve};
use super::seccomp::Watch;
use super::supervisor::{Listening, Supervisor, supervisor};
use crate::{CageOptions, Command, Error, Grants};

/// A policy ready to be launched on this host.
#[derive(Debug)]
pub(crate) struct Cage {
    policy: Policy,
    options: CageOptions,
    host: Host,
}

/// What a command is, apart from its streams.
struct Wanted {
    program: OsString,
    arguments: Vec<OsString>,
    clear: bool,
    changes: Vec<(OsString, Option<OsString>)>,
    directory: Option<PathBuf>,
}

impl Cage {
    pub(crate) fn new(policy: &Policy, options: &CageOptions) -> Result<Cage, Error> {
        let host = Host::read();
        if host.landlock == 0 && !options.accepts("landlock") {
            return Err(Error::Unsupported {
                gap: Some("landlock"),
                missing: "the kernel has no Landlock".to_owned(),
                remedy: "boot a kernel 5.13 or newer with `lsm=...,landlock`, or accept the gap `landlock`: the mounts then \
                         confine alone"
                    .to_owned(),
            });
        }
        Ok(Cage {
            policy: policy.clone(),
            options: options.clone(),
            host,
        })
    }

    /// The steps of a launch, for people.
    pub(crate) fn plan(&self, command: &Command, grants: &Grants) -> Result<Plan, Error> {
        let resolved = self.resolve(grants)?;
        let directory = directory(command.directory.as_deref())?;
        Ok(plan(
            &resolved,
            &self.host,
            &self.launch(&directory, self.watch()),
        )
        .plan)
    }

    pub(crate) fn spawn(&self, command: &mut Command, grants: &Grants) -> Result<Child, Error> {
        let wanted = Wanted {
            program: command.program.clone(),
            arguments: std::iter::once(command.arg0.as_ref().unwrap_or(&command.program))
                .chain(&command.args)
                .cloned()
                .collect(),
            clear: command.clear,
            changes: command
                .env
                .iter()
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            directory: command.directory.clone(),
        };
        self.launch_with(&wanted, grants, |plan, program| {
            launch::start(command, plan, program)
        })
    }

    pub(crate) fn spawn_standard(
        &self,
        command: &mut std::process::Command,
        grants: &Grants,
    ) -> Result<Child, Error> {
        let description = launch::description(command)?;
        let wanted = Wanted {
            program: command.get_program().to_os_string(),
            arguments: std::iter::once(command.get_program())
                .chain(command.get_args())
                .map(OsStr::to_os_string)
                .collect(),
            clear: description.clear,
            changes: description.changes,
            directory: command.get_current_dir().map(Path::to_path_buf),
        };
        self.launch_with(&wanted, grants, |plan, program| {
            launch::start_standard(command, plan, program)
        })
    }

    fn resolve(&self, grants: &Grants) -> Result<Resolved, Error> {
        resolve(
            &grants.on(&self.policy)?,
            self.options.accepts("glob-matches"),
        )
    }

    fn watch(&self) -> Watch {
        if self.options.violations {
            Watch::On
        } else {
            Watch::Off
        }
    }

    fn launch<'a>(&self, directory: &'a Path, watch: Watch) -> Launch<'a> {
        Launch {
            directory,
            watch,
            foreground: self.options.foreground,
            landlock: self.host.landlock > 0,
        }
    }

    fn launch_with(
        &self,
        wanted: &Wanted,
        grants: &Grants,
        mut start: impl FnMut(&Plan, &Program) -> Result<launch::Init, Error>,
    ) -> Result<Child, Error> {
        let resolved = self.resolve(grants)?;
        let directory = directory(wanted.directory.as_deref())?;
        let environment = environment(
            &resolved.policy,
            &resolved.decider,
            wanted.clear,
            wanted.changes.iter().cloned(),
        );
        let program = Program::new(
            &wanted.program,
            wanted.arguments.iter(),
            &environment.variables,
        )?;
        let mut calls = Calls::Seen;
        let mut watch = self.watch();
        loop {
            let planned = plan(&resolved, &self.host, &self.launch(&directory, watch));
            let init = start(&planned.plan, &program)?;
            // While the init makes its namespaces.
            let supervisor = match supervisor() {
                Ok(supervisor) => supervisor,
                Err(error) => {
                    drop(init.control);
                    init.first.reap();
                    return Err(Error::io("start the supervisor")(error));
                }
            };
            let mut building = Building {
                supervisor: &supervisor,
                log: Arc::new(Log::new(self.options.violations)),
                view: Some(self.view(&resolved, &planned)),
                ghost: None,
                listening: None,
                attendant: supervisor.ghosts.attendant(),
            };
            let shown = whybox_record::text::quote(program.name.as_encoded_bytes()).into_owned();
            let started =
                launch::handshake(init.control.as_fd(), &planned.plan, &shown, &mut building)
                    .and_then(|started| Ok((started, building.hand_over()?)));
            match started {
                Ok((started, ghost)) => {
                    init.first.reap();
                    let coverage = coverage(
                        self.options.violations,
                        calls,
                        &resolved.unenforced,
                        &self.options.gaps,
                    );
                    let Building { log, listening, .. } = building;
                    let parts = super::child::Parts {
                        started,
                        control: init.control,
                        log,
                        ghost,
                        listening,
                        coverage,
                    };
                    let detached = planned.plan.detached;
                    return Ok(Child::new(
                        Arc::clone(&supervisor),
                        parts,
                        init.streams,
                        resolved.policy,
                        detached,
                    ));
                }
                Err(error) => {
                    building.abandon();
                    drop(init.control);
                    init.first.reap();
                    if watch == Watch::On && listener_taken(&error) {
                        (watch, calls) = (Watch::Off, Calls::ListenerTaken);
                        continue;
                    }
                    return Err(error);
                }
            }
        }
    }

    fn view(&self, resolved: &Resolved, planned: &Planned) -> View {
        let kind = |kind: &Kind| match kind {
            Kind::Directory => NodeKind::Directory,
            Kind::File => NodeKind::File,
        };
        let links = resolved
            .links
            .iter()
            .map(|path| (path.clone(), NodeKind::Symlink));
        View {
            decider: resolved.decider.clone(),
            fixed: planned
                .stable
                .iter()
                .map(|(path, of)| (path.clone(), kind(of)))
                .chain(links)
                .collect(),
            shadow: planned.shadow.clone(),
            hidden: resolved
                .present
                .iter()
                .map(|(path, of)| (path.clone(), kind(of)))
                .collect::<HashMap<_, _>>(),
            uid: self.host.uid,
            gid: self.host.gid,
            quiet: self.options.quiet,
        }
    }
}

/// An outer sandbox that listens leaves no room for another listener (L4).
fn listener_taken(error: &Error) -> bool {
    matches!(error, Error::Step { errno, step, .. } if errno.raw() == libc::EBUSY && step == "install the seccomp filter")
}

/// The working directory, by the name that it is entered again with.
fn directory(wanted: Option<&Path>) -> Result<PathBuf, Error> {
    let current = || {
        std::env::current_dir().map_err(Error::io("find the working directory (was it removed?)"))
    };
    match wanted {
        Some(path) if path.is_absolute() => Ok(path.to_path_buf()),
        Some(path) => Ok(current()?.join(path)),
        None => current(),
    }
}

/// A launch in progress.
struct Building<'a> {
    supervisor: &'a Supervisor,
    log: Arc<Log>,
    view: Option<View>,
    ghost: Option<Arc<Ghost>>,
    listening: Option<Arc<Listening>>,
    attendant: Attendant<'a>,
}

impl Handshake for Building<'_> {
    fn ghost(&mut self, device: OwnedFd) -> Result<(), Error> {
        let view = self
            .view
            .take()
            .ok_or(Error::Init("mounted a second ghost"))?;
        let ghost = Ghost::new(device, view, Arc::clone(&self.log) as Arc<_>);
        self.ghost = Some(ghost);
        Ok(())
    }

    fn serve(&mut self) -> bool {
        self.ghost
            .as_ref()
            .is_some_and(|ghost| self.attendant.serve(ghost))
    }

    fn device(&self) -> Option<Arc<OwnedFd>> {
        self.ghost.as_ref().and_then(|ghost| ghost.device())
    }

    fn listener(&mut self, listener: OwnedFd) -> Result<(), Error> {
        let listening = self
            .supervisor
            .listeners
            .add(listener, Arc::clone(&self.log));
        self.listening = Some(listening.map_err(Error::io("serve the listener"))?);
        Ok(())
    }
}

impl Building<'_> {
    /// From now on the supervisor serves the ghost.
    fn hand_over(&mut self) -> Result<Option<super::child::Served>, Error> {
        let Some(ghost) = &self.ghost else {
            return Ok(None);
        };
        let ticket = self
            .supervisor
            .ghosts
            .add(Arc::clone(ghost))
            .map_err(Error::io("serve the ghost"))?;
        Ok(Some((Arc::clone(ghost), ticket)))
    }

    /// Gives up: nothing waits for an answer any more.
    fn abandon(self) {
        if let Some(ghost) = self.ghost {
            ghost.abort();
        }
    }
}
