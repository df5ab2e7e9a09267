//! What the record of a run can show (V9).

use whybox_record::{Class, Coverage, CoverageState, Unenforced, Witness};

/// Whether refused calls are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    Seen,
    /// An outer sandbox has the only listener.
    ListenerTaken,
}

/// The coverage of a run that records, or of one that does not.
pub(crate) fn coverage(
    recording: bool,
    calls: Calls,
    unenforced: &[Unenforced],
    gaps: &[String],
) -> Coverage {
    if !recording {
        let mut coverage = Coverage::all(&CoverageState::Off);
        coverage.unenforced = unenforced.to_vec();
        coverage.gaps = gaps.to_vec();
        return coverage;
    }
    let mut coverage = Coverage::all(&CoverageState::NotObserved);
    coverage.set(Class::FileRead, CoverageState::Exact, &[Witness::Ghost]);
    coverage.note(
        Class::FileRead,
        "metadata of names that no rule hides is answered, not refused",
    );
    coverage.note(
        Class::FileRead,
        "devices inside granted trees are refused by the mount, without an entry",
    );
    coverage.note(
        Class::FileRead,
        "a name of the host's /tmp (kind shadowed, no refusal) is told once, for the process that met it first",
    );
    coverage.set(
        Class::FileWrite,
        CoverageState::BestEffort,
        &[Witness::Ghost],
    );
    coverage.note(Class::FileWrite, "only changes of existing names outside every grant are named yet; creating and removing names, and all changes inside a tree that is granted for reading, are refused without an entry");
    coverage.note(
        Class::SystemCall,
        "clone3 is answered as missing, without an entry: libraries ask it first and fall back",
    );
    match calls {
        Calls::Seen => coverage.set(
            Class::SystemCall,
            CoverageState::Exact,
            &[Witness::Supervisor],
        ),
        Calls::ListenerTaken => {
            let reason = "an outer sandbox has taken the only seccomp listener".to_owned();
            coverage.set(
                Class::SystemCall,
                CoverageState::Unavailable { reason },
                &[],
            );
        }
    }
    coverage.unenforced = unenforced.to_vec();
    coverage.gaps = gaps.to_vec();
    coverage
}
