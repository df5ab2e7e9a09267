//! The work as command lines, and the files that it needs.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::ratios::Work;
use crate::Failure;
use crate::bed::Bed;
use crate::helper;

/// The python to start, past any shim in the search path.
const PYTHON: &str = "/usr/bin/python3";
const IMPORTS: &str = "argparse, collections, hashlib, http.client, json, logging, re, subprocess, tempfile, urllib.request";

/// The command line of a work; makes its files.
pub(super) fn words(work: Work, bed: &Bed) -> Result<Vec<OsString>, Failure> {
    let shell = |text: &str| vec!["/bin/sh".into(), "-c".into(), text.into()];
    let present = |program: &str| {
        if Path::new(program).exists() {
            Ok(())
        } else {
            Err(format!("{program} is missing"))
        }
    };
    Ok(match work {
        Work::True => vec!["/usr/bin/true".into()],
        Work::Opens => helper::words(
            &bed.helper(),
            &["opens", "200000", &bed.granted().to_string_lossy()],
        ),
        Work::Cat => shell(
            "find /usr -type f 2>/dev/null | head -20000 | xargs -d '\\n' cat >/dev/null 2>&1",
        ),
        Work::Rg => {
            present("/usr/bin/rg")?;
            tree(&bed.work().join("tree"))?;
            ["/usr/bin/rg", "--no-ignore", "--count", "needle", "tree"]
                .map(Into::into)
                .into()
        }
        Work::Python => {
            present(PYTHON)?;
            shell(&format!(
                "i=0; while [ $i -lt 50 ]; do {PYTHON} -c 'import {IMPORTS}' || exit; i=$((i+1)); done"
            ))
        }
    })
}

/// 20,000 files of 2 KiB.
fn tree(root: &Path) -> Result<(), Failure> {
    let text = "what is sought is not in most of these lines of text\n".repeat(40);
    for directory in 0..200 {
        let directory = root.join(directory.to_string());
        fs::create_dir_all(&directory)?;
        for file in 0..100 {
            fs::write(
                directory.join(format!("{file}.txt")),
                if file == 0 { "needle\n" } else { &text },
            )?;
        }
    }
    Ok(())
}
