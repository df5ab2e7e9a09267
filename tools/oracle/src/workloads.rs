//! What is run in the cages. A table.

use std::time::Duration;

/// One command in one cage.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name.
    pub name: &'static str,
    /// Programs that it needs; without one it is left out, and said so.
    pub needs: &'static [&'static str],
    /// Options of `whybox run`, before the names of the bed are put in.
    pub options: &'static [&'static str],
    /// The command, the same.
    pub command: &'static [&'static str],
    /// Only with `--long`.
    pub long: bool,
    /// After that it is given up.
    pub patience: Duration,
}

/// What every cage hides, and what its command is told of the bed.
const CAGE: &[&str] = &[
    "--hide",
    "{bed}/work/secret.env",
    "--hide",
    "{bed}/work/hidden",
    "--env",
    "BED={bed}",
    "--env",
    "SHADOWED={shadowed}",
];

/// The same for toolchains in the home directory of the user.
const TOOLS: &[&str] = &[
    "--hide",
    "{bed}/work/secret.env",
    "--hide",
    "{bed}/work/hidden",
    "--env",
    "BED={bed}",
    "--env",
    "SHADOWED={shadowed}",
    "--env",
    "RUSTUP_HOME={home}/.rustup",
    "--exec",
    "{home}/.cargo",
    "--exec",
    "{home}/.rustup",
];

/// Little is granted, so that everyday probes are refused.
const LITTLE: &[&str] = &[
    "--preset",
    "minimal",
    "--exec",
    "/usr/bin",
    "--exec",
    "/bin",
    "--read",
    "{bed}/work/tree",
];

/// A policy from a file.
const FILE: &[&str] = &[
    "--policy",
    "{bed}/policy.toml",
    "--env",
    "BED={bed}",
    "--env",
    "SHADOWED={shadowed}",
];

const PATIENCE: Duration = Duration::from_secs(120);

const fn short(
    name: &'static str,
    needs: &'static [&'static str],
    command: &'static [&'static str],
) -> Workload {
    Workload {
        name,
        needs,
        options: CAGE,
        command,
        long: false,
        patience: PATIENCE,
    }
}

const fn long(
    name: &'static str,
    needs: &'static [&'static str],
    command: &'static [&'static str],
) -> Workload {
    Workload {
        long: true,
        patience: Duration::from_secs(600),
        ..short(name, needs, command)
    }
}

const fn with(workload: Workload, options: &'static [&'static str]) -> Workload {
    Workload {
        options,
        ..workload
    }
}

const PATHS: &str = include_str!("../scripts/paths.sh");
const DESCRIPTORS: &str = include_str!("../scripts/descriptors.py");
const CHANGES: &str = include_str!("../scripts/changes.py");
const REFUSED: &str = include_str!("../scripts/refused.py");
const THREADS: &str = include_str!("../scripts/threads.py");
const LOOP: &str = include_str!("../scripts/loop.py");
const SHORT: &str = include_str!("../scripts/short.py");

/// All of them.
pub const WORKLOADS: &[Workload] = &[
    short(
        "coreutils: cat ls stat",
        &[],
        &["env", "PROGRAMS=cat ls stat", "sh", "-c", PATHS],
    ),
    long(
        "coreutils: head wc sort",
        &[],
        &["env", "PROGRAMS=head wc sort", "sh", "-c", PATHS],
    ),
    long(
        "coreutils: du find cp readlink",
        &[],
        &["env", "PROGRAMS=du find cp readlink", "sh", "-c", PATHS],
    ),
    short(
        "shell: test and cd",
        &[],
        &["env", "PROGRAMS=test cd", "sh", "-c", PATHS],
    ),
    with(
        short(
            "policy file: absent names",
            &[],
            &[
                "sh",
                "-c",
                "cat tree/a/one.txt tree/b/two.txt secret.env ../outside/data.txt; ls tree tree/a; test -e tree/a; ls -la tree; touch tree/a",
            ],
        ),
        FILE,
    ),
    with(
        short(
            "little granted: everyday probes",
            &[],
            &[
                "sh",
                "-c",
                "ls -la tree; id; date; cat tree/a/one.txt plain.txt; getent passwd root; ps; df tree; LANG=de_DE.UTF-8 sort tree/a/one.txt; test -e /etc/passwd; nproc; python3 -c 'import os; os.cpu_count()'",
            ],
        ),
        LITTLE,
    ),
    short(
        "home: absent, granted, refused",
        &[],
        &[
            "sh",
            "-c",
            "cd; cat ~/.npmrc ~/.netrc ~/.bash_history ~/.gitconfig ~/.ssh/config ~/notes.txt; ls -la ~ ~/.ssh; ls -l ~/.npmrc",
        ],
    ),
    short(
        "own /tmp over the host's",
        &[],
        &[
            "sh",
            "-c",
            "ls /tmp $SHADOWED; cat $SHADOWED/file; cat $SHADOWED/file; mkdir $SHADOWED && echo x > $SHADOWED/file && cat $SHADOWED/file; ls /tmp/none",
        ],
    ),
    short(
        "descriptors, in python",
        &["python3"],
        &["python3", "-c", DESCRIPTORS],
    ),
    short(
        "changes, in python",
        &["python3"],
        &["python3", "-c", CHANGES],
    ),
    short(
        "refused calls, in python",
        &["python3"],
        &["python3", "-c", REFUSED],
    ),
    short(
        "threads, in python",
        &["python3"],
        &["python3", "-c", THREADS],
    ),
    short("a loop, in python", &["python3"], &["python3", "-c", LOOP]),
    short(
        "short-lived processes",
        &["python3"],
        &["python3", "-c", SHORT, "60"],
    ),
    long(
        "500 short-lived processes",
        &["python3"],
        &["python3", "-c", SHORT, "500"],
    ),
    long(
        "500 starts of cat",
        &[],
        &[
            "sh",
            "-c",
            "i=0; while [ $i -lt 500 ]; do cat secret.env ../outside/data.txt; i=$((i+1)); done",
        ],
    ),
    short(
        "eight at once",
        &[],
        &[
            "sh",
            "-c",
            "for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4; do cat secret.env ../outside/data.txt hidden/inside.txt to-outside plain.txt; done) & done; wait",
        ],
    ),
    short(
        "bash",
        &["bash"],
        &[
            "bash",
            "-lc",
            "source ../outside/tool; [[ -r secret.env ]]; read x < hidden/inside.txt; for f in ../outside/*; do echo $f; done; cat <<< here; ../outside/tool; ./script.sh; type nothing",
        ],
    ),
    short("dash", &["dash"], &["dash", "-c", ". ../outside/tool"]),
    short(
        "reopened streams",
        &[],
        &[
            "sh",
            "-c",
            "echo a > /dev/stdout; echo b > /proc/self/fd/2; cat /dev/stdin < plain.txt; cat /proc/self/fd/3 3< plain.txt; cat /dev/fd/3 3< plain.txt; df . >/dev/null; realpath to-outside chain; pwd -P",
        ],
    ),
    short(
        "git status and log",
        &["git"],
        &[
            "sh",
            "-c",
            "cd tree && git init -q && git add -A && git commit -qm one && git status && git log && git -C ../../outside status; git add ../secret.env; git config --list",
        ],
    ),
    short(
        "python3",
        &["python3"],
        &[
            "python3",
            "-c",
            "import sys, json, re, ssl, sqlite3\nsys.path.insert(0, '../outside')\ntry:\n import mod\nexcept Exception: pass\ntry:\n open('secret.env')\nexcept OSError: pass",
        ],
    ),
    short(
        "node",
        &["node"],
        &[
            "node",
            "-e",
            "const fs=require('fs');for(const f of ['plain.txt','secret.env','../outside/data.txt','hidden/x','missing']){try{fs.readFileSync(f)}catch(e){} fs.existsSync(f);try{fs.readdirSync(f)}catch(e){}}\ntry{require('../outside/data.txt')}catch(e){}\nfs.promises.readFile('secret.env').catch(()=>{})",
        ],
    ),
    short(
        "perl",
        &["perl"],
        &[
            "perl",
            "-e",
            "for (qw(plain.txt secret.env ../outside/data.txt hidden/inside.txt)) { open(my $f, '<', $_); -r $_; -d $_; opendir(my $d, $_) } use lib '../outside'; eval { require Missing }; do '../outside/tool'",
        ],
    ),
    short(
        "vim",
        &["vim"],
        &[
            "vim",
            "-es",
            "-u",
            "NONE",
            "+e ../outside/data.txt",
            "+e secret.env",
            "+e hidden/inside.txt",
            "+qa!",
        ],
    ),
    short(
        "less",
        &["less"],
        &["less", "plain.txt", "secret.env", "../outside/data.txt"],
    ),
    short(
        "gcc and make",
        &["gcc", "make", "cc"],
        &[
            "sh",
            "-c",
            "make -k all bad; make -C ../outside; gcc -I../outside -I hidden -c hello.c -o /dev/null; ./hello",
        ],
    ),
    short(
        "tar",
        &["tar"],
        &["tar", "cf", "/dev/null", ".", "../outside"],
    ),
    short(
        "ripgrep",
        &["rg"],
        &["rg", "-uu", "needle", ".", "../outside"],
    ),
    short(
        "grep and find",
        &["grep", "find"],
        &[
            "sh",
            "-c",
            "grep -r needle . ../outside; find . ../outside .. -name '*.txt' -size +0",
        ],
    ),
    with(
        short(
            "cargo",
            &["cargo"],
            &[
                "sh",
                "-c",
                "cargo --version; cargo metadata --manifest-path ../outside/Cargo.toml; rustc secret.env",
            ],
        ),
        TOOLS,
    ),
    short(
        "getent and id",
        &["getent", "id"],
        &[
            "sh",
            "-c",
            "getent passwd root; getent hosts localhost; getent group; id; whoami; ps",
        ],
    ),
    short(
        "everyday commands",
        &[],
        &[
            "sh",
            "-c",
            "ls -la; bash -lc true; python3 -V; cat plain.txt; date; env | sort | wc; uname -a",
        ],
    ),
];
