//! The test bed: a tree of files of every standing, made for a run and removed after it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Files of the bed and their contents.
const FILES: &[(&str, &str)] = &[
    ("work/plain.txt", "plain\nwords\n"),
    ("work/secret.env", "TOKEN=1\n"),
    ("work/hidden/inside.txt", "inside\n"),
    ("work/hidden/sub/deep.txt", "deep\n"),
    ("work/tree/a/one.txt", "one needle\n"),
    ("work/tree/b/two.txt", "two\n"),
    ("work/tree/b/c/three.txt", "three needle\n"),
    (
        "work/hello.c",
        "#include <stdio.h>\nint main(void) { return puts(\"hello\") < 0; }\n",
    ),
    (
        "work/bad.c",
        "#include \"../outside/data.h\"\nint main(void) { return X; }\n",
    ),
    (
        "work/Makefile",
        "all: hello\nhello: hello.c\n\tcc -o hello hello.c\nbad: bad.c\n\tcc -o bad bad.c\n",
    ),
    ("work/script.sh", "#!/bin/sh\ncat ../outside/data.txt\n"),
    ("work/strange \"name\"\n\\x41", "strange\n"),
    ("outside/data.txt", "data\n"),
    ("outside/data.h", "#define X 0\n"),
    ("outside/sub/more.txt", "more\n"),
    ("outside/tool", "#!/bin/sh\nexit 0\n"),
    ("outside/mod.py", "value = 1\n"),
    ("outside/strange \"name\"\n\\x41", "strange\n"),
    ("home/.ssh/id_rsa", "key\n"),
    ("home/.ssh/config", "Host *\n"),
    (
        "home/.gitconfig",
        "[user]\n\tname = U\n\temail = u@example.org\n[init]\n\tdefaultBranch = main\n",
    ),
    ("home/.npmrc", "token\n"),
    ("home/.netrc", "machine x\n"),
    ("home/.bash_history", "ls\n"),
    ("home/.viminfo", "\n"),
    ("home/.lesshst", "\n"),
    ("home/notes.txt", "notes\n"),
];

/// Symlinks of the bed and where they lead.
const LINKS: &[(&str, &str)] = &[
    ("work/to-plain", "plain.txt"),
    ("work/to-outside", "../outside/data.txt"),
    ("work/to-outside-dir", "../outside"),
    ("work/to-secret", "secret.env"),
    ("work/to-hidden", "hidden"),
    ("work/to-inside", "hidden/inside.txt"),
    ("work/to-nothing", "nothing/here"),
    ("work/loop", "loop"),
    ("work/chain", "to-chain"),
    ("work/to-chain", "tree/../to-outside"),
    ("work/hidden/link-out", "../plain.txt"),
    ("outside/to-plain", "../work/plain.txt"),
    ("outside/to-secret", "../work/secret.env"),
    ("outside/to-more", "sub/more.txt"),
];

/// A test bed. Dropping it removes it.
#[derive(Debug)]
pub struct Bed {
    root: PathBuf,
    /// A name in the host's `/tmp`, which the cage has its own of.
    shadowed: PathBuf,
    keep: bool,
}

impl Bed {
    /// Makes a bed in `/var/tmp`: the cage has a `/tmp` of its own.
    ///
    /// # Errors
    /// What the file system answers.
    pub fn new(keep: bool) -> io::Result<Self> {
        let id = std::process::id();
        let root = fs::canonicalize("/var/tmp")?.join(format!("whybox-oracle-{id}"));
        let shadowed = PathBuf::from(format!("/tmp/whybox-oracle-{id}"));
        fs::create_dir(&root)?;
        let bed = Self {
            root,
            shadowed,
            keep,
        };
        for (name, text) in FILES {
            bed.write(name, text.as_bytes())?;
        }
        bed.write_raw(b"work/odd-\xff\xfe", b"odd\n")?;
        bed.write_raw(b"outside/odd-\xff\xfe", b"odd\n")?;
        for (name, target) in LINKS {
            symlink(target, bed.root.join(name))?;
        }
        fs::set_permissions(
            bed.root.join("work/script.sh"),
            fs::Permissions::from_mode(0o755),
        )?;
        fs::set_permissions(
            bed.root.join("outside/tool"),
            fs::Permissions::from_mode(0o755),
        )?;
        bed.write("work/private.txt", b"nobody\n")?;
        fs::set_permissions(
            bed.root.join("work/private.txt"),
            fs::Permissions::from_mode(0o000),
        )?;
        fs::create_dir(bed.root.join("work/empty"))?;
        fs::create_dir_all(bed.shadowed.join("dir"))?;
        fs::write(bed.shadowed.join("file"), "shadowed\n")?;
        fs::write(
            bed.root.join("policy.toml"),
            format!(
                "version = 1\npreset = \"readonly\"\n[files]\nwrite = [\"{0}/work\"]\nhide = [\"{0}/work/secret.env\"]\nabsent = [\"{0}/work/tree/a\"]\n",
                bed.root.display()
            ),
        )?;
        Ok(bed)
    }

    /// Where the bed is.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Puts the names of the bed into a text: `{bed}`, `{shadowed}`, `{home}` for the true home directory
    /// of the user.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        let home = env::var("HOME").unwrap_or_else(|_| "/nonexistent".to_owned());
        text.replace("{bed}", &self.root.display().to_string())
            .replace("{shadowed}", &self.shadowed.display().to_string())
            .replace("{home}", &home)
    }

    fn write(&self, name: &str, text: &[u8]) -> io::Result<()> {
        self.write_raw(name.as_bytes(), text)
    }

    fn write_raw(&self, name: &[u8], text: &[u8]) -> io::Result<()> {
        let path = self.root.join(OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
        fs::write(path, text)
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        for path in [&self.root, &self.shadowed] {
            if let Err(error) = fs::remove_dir_all(path) {
                eprintln!(
                    "whybox-oracle: cannot remove {}: {error}; remove it by hand",
                    path.display()
                );
            }
        }
    }
}
