//! Cages.

use whybox_policy::Policy;

use crate::{CageOptions, Child, Command, Error, Grants, platform};

/// A policy, ready to confine commands on this host.
///
/// ```no_run
/// use whybox::{Cage, CageOptions, Command, Grants, Policy};
///
/// let policy = Policy::from_file("whybox.toml")?;
/// let cage = Cage::with_options(&policy, &CageOptions::default().with_violations())?;
/// let mut run = cage.spawn(Command::new("cargo").arg("test"), &Grants::new())?;
/// let status = run.wait()?;
/// for entry in run.violations().iter() {
///     println!("{status}: {entry}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Cage {
    inner: platform::Cage,
}

impl Cage {
    /// A cage without reporting.
    ///
    /// # Errors
    /// This host cannot give what the policy promises.
    pub fn new(policy: &Policy) -> Result<Cage, Error> {
        Cage::with_options(policy, &CageOptions::default())
    }

    /// A cage with options.
    ///
    /// # Errors
    /// This host cannot give what the policy promises.
    pub fn with_options(policy: &Policy, options: &CageOptions) -> Result<Cage, Error> {
        Ok(Cage {
            inner: platform::Cage::new(policy, options)?,
        })
    }

    /// Starts a command, from any thread: a [`Command`], or a [`std::process::Command`] with its streams, environment
    /// and directory. Both can be used again. The standard one costs a fork of the harness, and one with an `arg0` is refused.
    ///
    /// # Errors
    /// A step of the launch failed, or the program cannot be executed. The command then never ran.
    pub fn spawn<C: Spawn>(&self, command: C, grants: &Grants) -> Result<Child, Error> {
        command.spawn_in(self, grants)
    }

    /// What a launch of the command would do, step by step.
    ///
    /// # Errors
    /// The policy cannot be applied here.
    pub fn plan(&self, command: &Command, grants: &Grants) -> Result<String, Error> {
        self.inner
            .plan(command, grants)
            .map(|plan| plan.to_string())
    }
}

/// Commands that a cage can start.
pub trait Spawn: sealed::Sealed {
    /// Starts the command; see [`Cage::spawn`].
    ///
    /// # Errors
    /// See [`Cage::spawn`].
    fn spawn_in(self, cage: &Cage, grants: &Grants) -> Result<Child, Error>;
}

impl Spawn for &mut Command {
    fn spawn_in(self, cage: &Cage, grants: &Grants) -> Result<Child, Error> {
        cage.inner.spawn(self, grants).map(Child::new)
    }
}

impl Spawn for &mut std::process::Command {
    fn spawn_in(self, cage: &Cage, grants: &Grants) -> Result<Child, Error> {
        cage.inner.spawn_standard(self, grants).map(Child::new)
    }
}

mod sealed {
    /// Only the two kinds of command.
    pub trait Sealed {}
    impl Sealed for &mut crate::Command {}
    impl Sealed for &mut std::process::Command {}
}
