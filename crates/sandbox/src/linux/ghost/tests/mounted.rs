//! A ghost on a real mount, in a mount namespace that ends with its process.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use whybox_policy::{Context, Policy, PolicyBuilder};
use whybox_record::Event;

use super::super::{Ghost, NodeKind, Pool, Sink, View};
use super::caller::{ROOT, hex, unhex};
use crate::linux::process::Processes;

/// Names the directory to make others in, instead of the usual one.
pub(super) const PARENT: &str = "WHYBOX_TEST_GHOST_PARENT";

/// Keeps all events.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<Vec<Event>>);

impl Sink for Kept {
    fn record(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

/// A mounted ghost with a process that sees it as its root.
pub(super) struct Mounted {
    pub(super) host: tempfile::TempDir,
    pub(super) ghost: Arc<Ghost>,
    child: Child,
    calls: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    kept: Arc<Kept>,
    // Dropped last: its threads end the connection's last requests.
    _pool: Pool,
}

/// How to set one up.
pub(super) struct Setup {
    pub(super) host: tempfile::TempDir,
    pub(super) shadow: Vec<PathBuf>,
    pub(super) fixed: Vec<(PathBuf, NodeKind)>,
    pub(super) quiet: bool,
    pub(super) node_limit: usize,
    pub(super) user_namespace: bool,
    /// Shell text run between the mount and the calls, with `$1` the mount.
    pub(super) prepare: &'static str,
}

impl Setup {
    /// An empty directory on the host, of which the cage sees the names.
    pub(super) fn new() -> Self {
        Self {
            host: tempfile::tempdir_in(std::env::var_os(PARENT).unwrap_or("/var/tmp".into()))
                .unwrap(),
            shadow: Vec::new(),
            fixed: Vec::new(),
            quiet: false,
            node_limit: 1000,
            user_namespace: !rustix::process::geteuid().is_root(),
            prepare: "",
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.host.path().join(name)
    }

    /// Mounts it; nothing when this machine cannot.
    pub(super) fn mount(
        self,
        rules: impl FnOnce(PolicyBuilder) -> PolicyBuilder,
    ) -> Option<Mounted> {
        let policy = rules(Policy::builder(&Context::new(self.host.path())))
            .build()
            .unwrap();
        if let Err(error) = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/fuse")
        {
            eprintln!("SKIPPED: this machine gives no /dev/fuse: {error}");
            return None;
        }
        let script = format!(
            r#"exec 9<>/dev/fuse || exit 9
            mkdir "$1/.mount" && mount -t tmpfs none "$1/.mount" && mkdir "$1/.mount/ghost" || exit 9
            mount -i -t fuse.whybox -o fd=9,rootmode=40755,user_id=$(id -u),group_id=$(id -g),allow_other ghost "$1/.mount/ghost" || exit 9
            echo '> mounted'; read go; exec 9>&-
            {}
            {ROOT}="$1/.mount/ghost" exec "$2" --exact "$3" --ignored --nocapture"#,
            self.prepare
        );
        let module = module_path!()
            .split("::")
            .skip(1)
            .collect::<Vec<_>>()
            .join("::");
        let test = module.replace("::mounted", "::caller");
        let flags: &[&str] = if self.user_namespace { &["-Ur"] } else { &[] };
        let mut child = Command::new("unshare")
            .args(flags)
            .args(["-m", "--propagation", "private", "sh", "-c", &script, "sh"])
            .arg(self.host.path())
            .arg(std::env::current_exe().unwrap())
            .arg(test)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let calls = child.stdin.take();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        if next_answer(&mut answers).is_none() {
            eprintln!(
                "SKIPPED: this machine mounts no FUSE in a namespace: {:?}",
                child.wait()
            );
            return None;
        }
        let device = take_descriptor(&child, 9);
        let kept = Arc::new(Kept::default());
        let (uid, gid) = if self.user_namespace {
            (0, 0)
        } else {
            (
                rustix::process::geteuid().as_raw(),
                rustix::process::getegid().as_raw(),
            )
        };
        let mut fixed = self.fixed;
        fixed.push((self.host.path().to_owned(), NodeKind::Directory));
        let view = View {
            decider: policy.decider(),
            fixed,
            shadow: self.shadow,
            hidden: std::collections::HashMap::new(),
            uid,
            gid,
            quiet: self.quiet,
        };
        let ghost =
            Ghost::with_node_limit(device, view, Arc::<Kept>::clone(&kept), self.node_limit);
        let pool = Pool::start(Arc::new(Processes::new())).unwrap();
        pool.add(Arc::clone(&ghost)).unwrap();
        let mut mounted = Mounted {
            host: self.host,
            ghost,
            child,
            calls,
            answers,
            kept,
            _pool: pool,
        };
        mounted.send("");
        assert_eq!(next_answer(&mut mounted.answers).as_deref(), Some("ready"));
        mounted.events();
        Some(mounted)
    }
}

impl Mounted {
    /// A path in the directory of the host.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.host.path().join(name)
    }

    /// Has the process make a call.
    pub(super) fn call(
        &mut self,
        name: &str,
        path: impl AsRef<Path>,
        more: &[&str],
    ) -> Result<Vec<u8>, Errno> {
        let mut words = vec![
            hex(name.as_bytes()),
            hex(path.as_ref().as_os_str().as_bytes()),
        ];
        words.extend(more.iter().map(|word| hex(word.as_bytes())));
        self.send(&words.join(" "));
        let answer = next_answer(&mut self.answers).expect("the caller answers");
        match answer.strip_prefix("ok") {
            Some(text) => Ok(unhex(text.trim())),
            None => Err(Errno::from_raw_os_error(answer.parse().unwrap())),
        }
    }

    /// The same with an answer that is text.
    pub(super) fn text(&mut self, name: &str, path: impl AsRef<Path>) -> Result<String, Errno> {
        self.call(name, path, &[])
            .map(|text| String::from_utf8(text).unwrap())
    }

    fn send(&mut self, line: &str) {
        writeln!(self.calls.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The events since the last time.
    pub(super) fn events(&self) -> Vec<Event> {
        std::mem::take(&mut *self.kept.0.lock().unwrap())
    }

    /// The only event since the last time.
    pub(super) fn event(&self) -> Event {
        let mut events = self.events();
        assert_eq!(events.len(), 1, "{events:#?}");
        events.remove(0)
    }

    /// The process that calls.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.calls = None;
        self.ghost.abort();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn next_answer(answers: &mut BufReader<ChildStdout>) -> Option<String> {
    loop {
        let mut line = String::new();
        if answers.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        if let Some(answer) = line.strip_prefix("> ") {
            return Some(answer.trim_end().to_owned());
        }
    }
}

fn take_descriptor(child: &Child, number: i32) -> OwnedFd {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    let process = pidfd_open(pid, PidfdFlags::empty()).unwrap();
    let device = pidfd_getfd(process, number, PidfdGetfdFlags::empty()).unwrap();
    rustix::fs::fcntl_setfl(&device, OFlags::RDWR | OFlags::NONBLOCK).unwrap();
    device
}
