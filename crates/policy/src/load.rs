//! Reading policies from files and text.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::decode::{Origin, decode};
use crate::document::Syntax;
use crate::{Context, ErrorKind, Policy, PolicyError};

/// Far more than a policy needs; a larger file is a mistake.
const LARGEST: u64 = 1 << 20;

impl Policy {
    /// Reads a policy file: JSON when its name ends in `.json`, else TOML. Paths in it are relative to its directory;
    /// variables are those of this process.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong; the error names line and column.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, PolicyError> {
        Policy::from_file_in(path, &Context::from_process()?)
    }

    /// The same, with the variables of `ctx`. A relative `path` is relative to its working directory.
    ///
    /// # Errors
    /// As [`Policy::from_file`].
    pub fn from_file_in(path: impl AsRef<Path>, ctx: &Context) -> Result<Self, PolicyError> {
        let path = path.as_ref();
        let text = read(&ctx.cwd().join(path)).map_err(|error| {
            PolicyError::new(
                ErrorKind::Io,
                format!("cannot read the policy file: {error}"),
            )
            .at(path, None)
        })?;
        match path.extension() {
            Some(extension) if extension == "json" => Policy::from_json(&text, path, ctx),
            _ => Policy::from_toml(&text, path, ctx),
        }
    }

    /// Reads a policy from TOML text that came from `origin`; paths in it are relative to the directory of that.
    ///
    /// # Errors
    /// Something in it is wrong; the error names line and column.
    ///
    /// ```
    /// use whybox_policy::{Context, Policy};
    /// let ctx = Context::new("/srv");
    /// let wrong = Policy::from_toml("version = 1\n[files]\nraed = []\n", "app/whybox.toml".as_ref(), &ctx);
    /// let error = wrong.unwrap_err().to_string();
    /// assert_eq!(error, r#"app/whybox.toml:3:1: unknown key "raed" in [files]; did you mean "read"?"#);
    /// ```
    pub fn from_toml(text: &str, origin: &Path, ctx: &Context) -> Result<Self, PolicyError> {
        decode(text, Syntax::Toml, &Origin::File(origin), ctx)
    }

    /// Reads a policy from JSON text that came from `origin`; paths in it are relative to the directory of that.
    ///
    /// # Errors
    /// Something in it is wrong; the error names line and column.
    pub fn from_json(text: &str, origin: &Path, ctx: &Context) -> Result<Self, PolicyError> {
        decode(text, Syntax::Json, &Origin::File(origin), ctx)
    }
}

fn read(path: &Path) -> Result<String, String> {
    let name = |error: io::Error| match errno(&error) {
        Some(name) => format!("{name} ({error})"),
        None => error.to_string(),
    };
    // Looked at before it is opened: opening a FIFO would wait for a writer.
    let kind = std::fs::metadata(path).map_err(name)?;
    if !kind.is_file() {
        return Err("it is not a regular file; name the file itself".into());
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
    match read {
        Ok(_) if text.len() as u64 > LARGEST => Err(format!("it is larger than {LARGEST} bytes")),
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err("it is not UTF-8 text".into())
        }
        Err(error) => Err(name(error)),
    }
}

/// The names of the errors that reading a file is likely to meet.
fn errno(error: &io::Error) -> Option<&'static str> {
    Some(match error.raw_os_error()? {
        1 => "EPERM",
        2 => "ENOENT",
        5 => "EIO",
        13 => "EACCES",
        20 => "ENOTDIR",
        21 => "EISDIR",
        36 => "ENAMETOOLONG",
        40 => "ELOOP",
        _ => return None,
    })
}
