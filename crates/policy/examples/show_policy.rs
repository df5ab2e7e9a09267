//! Prints a preset, or a policy file, as it is in effect here.

use std::error::Error;

use whybox_policy::{Context, Policy};

fn main() -> Result<(), Box<dyn Error>> {
    let what = std::env::args().nth(1).unwrap_or_else(|| "agent".into());
    let policy = if Policy::PRESETS.contains(&what.as_str()) {
        Policy::preset(&what, &Context::from_process()?)?
    } else {
        Policy::from_file(&what)?
    };
    print!("{}", policy.to_toml());
    println!("\n# digest {}", policy.digest());
    Ok(())
}
