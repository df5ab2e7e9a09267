//! The directory that everything is measured in, and who measures.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use nix::unistd::{User, geteuid};
use tempfile::TempDir;

use crate::{Args, Failure};

/// Names the directory to the process that goes on as an ordinary user.
const HANDED: &str = "WHYBOX_BENCH_BED";

/// A file in `/var/tmp`, since `/tmp` is another one in a cage.
const PARENT: &str = "/var/tmp";

/// A directory with the programs, the data and the working directory.
#[derive(Debug)]
pub(crate) struct Bed {
    path: PathBuf,
    /// Removes the directory, in the process that made it.
    _owner: Option<TempDir>,
}

impl Bed {
    /// The directory that a run by root has made, where this process goes on with it.
    pub(crate) fn handed_over() -> Result<Option<Bed>, Failure> {
        let Some(path) = std::env::var_os(HANDED) else {
            return Ok(None);
        };
        let bed = Bed {
            path: path.into(),
            _owner: None,
        };
        std::env::set_current_dir(bed.work())?;
        Ok(Some(bed))
    }

    /// A new directory: `bin` with whybox, `work` with the helper and the files, and a secret beside them.
    pub(crate) fn make(args: &Args) -> Result<Bed, Failure> {
        let owner = tempfile::Builder::new()
            .prefix("whybox-bench-")
            .tempdir_in(PARENT)?;
        let bed = Bed {
            path: owner.path().to_path_buf(),
            _owner: Some(owner),
        };
        fs::set_permissions(&bed.path, fs::Permissions::from_mode(0o755))?;
        fs::create_dir(bed.path.join("bin"))?;
        fs::create_dir(bed.work())?;
        fs::copy(whybox()?, bed.whybox())?;
        fs::copy(std::env::current_exe()?, bed.helper())?;
        fs::write(bed.granted(), "granted\n")?;
        fs::write(bed.secret(), "secret\n")?;
        if !args.root && geteuid().is_root() {
            let user = user(&args.user)?;
            chown(&bed.path, Some(user.uid.as_raw()), Some(user.gid.as_raw()))?;
            chown(bed.work(), Some(user.uid.as_raw()), Some(user.gid.as_raw()))?;
        }
        std::env::set_current_dir(bed.work())?;
        Ok(bed)
    }

    /// Goes on as an ordinary user in another process, where this one is root and shall not stay so.
    pub(crate) fn hand_over(&self, args: &Args) -> Result<Option<ExitStatus>, Failure> {
        if args.root || !geteuid().is_root() {
            return Ok(None);
        }
        let user = user(&args.user)?;
        let status = Command::new("setpriv")
            .arg(format!("--reuid={}", user.uid))
            .arg(format!("--regid={}", user.gid))
            .arg("--clear-groups")
            .arg(self.helper())
            .args(std::env::args_os().skip(1))
            .env(HANDED, &self.path)
            .env("HOME", &self.path)
            .status()
            .map_err(|error| format!("cannot run setpriv (or use --root): {error}"))?;
        Ok(Some(status))
    }

    /// The home directory of what is measured.
    pub(crate) fn home(&self) -> &Path {
        &self.path
    }

    /// The working directory, writable in the cages.
    pub(crate) fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// The program `whybox`.
    pub(crate) fn whybox(&self) -> PathBuf {
        self.path.join("bin/whybox")
    }

    /// This program, where a cage may execute it.
    pub(crate) fn helper(&self) -> PathBuf {
        self.path.join("work/bench")
    }

    /// A file that a cage may read.
    pub(crate) fn granted(&self) -> PathBuf {
        self.path.join("work/granted")
    }

    /// A file that a cage may not read, though its owner may.
    pub(crate) fn secret(&self) -> PathBuf {
        self.path.join("secret")
    }
}

fn user(name: &str) -> Result<User, Failure> {
    User::from_name(name)?
        .ok_or_else(|| format!("there is no user named {name}; see --user").into())
}

/// The program to measure: `WHYBOX`, or the one beside this program, which cargo brings up to date where it runs us.
fn whybox() -> Result<PathBuf, Failure> {
    if let Some(path) = std::env::var_os("WHYBOX") {
        return Ok(path.into());
    }
    if let Some(cargo) = std::env::var_os("CARGO") {
        let status = Command::new(cargo)
            .args(["build", "--release", "--quiet", "-p", "whybox-cli"])
            .status()?;
        if !status.success() {
            return Err("whybox cannot be built".into());
        }
    }
    let path = std::env::current_exe()?.with_file_name("whybox");
    if path.exists() {
        Ok(path)
    } else {
        Err(format!("{} is missing; name one in WHYBOX", path.display()).into())
    }
}
