//! The items of the quiet list.

use super::Item;
use crate::Operation::{self, FileReadData, FileReadMetadata, FileReadXattr, NetworkOutbound};

/// The version of the list. It changes whenever an item does.
pub const VERSION: u32 = 1;

const READS: &[Operation] = &[FileReadData, FileReadMetadata, FileReadXattr];
const CONNECTS: &[Operation] = &[NetworkOutbound, FileReadData, FileReadMetadata];

/// The items, in no particular order.
pub const ITEMS: &[Item] = &[
    Item {
        id: "cgroup-limits",
        operations: READS,
        paths: &["/sys/fs/cgroup/**"],
        program: "cargo",
        why: "asks for the processor and memory limits of its control group, as node, java and Go do; without them it counts processors",
    },
    Item {
        id: "processors",
        operations: READS,
        paths: &["/sys/devices/system/cpu/**"],
        program: "python3",
        why: "counts processors through the C library, which falls back to the scheduler's mask",
    },
    Item {
        id: "memory-nodes",
        operations: READS,
        paths: &["/sys/devices/system/node/**"],
        program: "ps",
        why: "looks for memory nodes through libnuma, which assumes one",
    },
    Item {
        id: "huge-pages",
        operations: READS,
        paths: &[
            "/sys/kernel/mm/transparent_hugepage/**",
            "/sys/kernel/mm/hugepages/**",
        ],
        program: "rustc",
        why: "its allocator asks for the size of huge pages, as java and Go do, and has a default",
    },
    Item {
        id: "selinux",
        operations: READS,
        paths: &["/sys/fs/selinux/**"],
        program: "ls",
        why: "libselinux looks whether SELinux is on, and takes no for an answer",
    },
    Item {
        id: "apparmor",
        operations: READS,
        paths: &[
            "/sys/module/apparmor/parameters/enabled",
            "/sys/kernel/security/apparmor/**",
        ],
        program: "ps",
        why: "libapparmor looks whether AppArmor is on, and takes no for an answer",
    },
    Item {
        id: "preload",
        operations: READS,
        paths: &["/etc/ld.so.preload"],
        program: "every dynamically linked program",
        why: "the loader asks for libraries to load first; there are none in a cage",
    },
    Item {
        id: "locale",
        operations: READS,
        paths: &[
            "/usr/lib/locale/**",
            "/usr/share/locale/**",
            "/usr/share/locale-langpack/**",
            "/etc/locale.alias",
        ],
        program: "bash",
        why: "loads the messages and formats of the user's language, and falls back to the C locale",
    },
    Item {
        id: "character-sets",
        operations: READS,
        paths: &[
            "/usr/lib/x86_64-linux-gnu/gconv/gconv-modules.cache",
            "/usr/lib/aarch64-linux-gnu/gconv/gconv-modules.cache",
            "/usr/lib64/gconv/gconv-modules.cache",
            "/usr/lib/gconv/gconv-modules.cache",
        ],
        program: "less",
        why: "the C library keeps a cache of character sets, and knows the common ones without it",
    },
    Item {
        id: "time-zone",
        operations: READS,
        paths: &["/etc/localtime", "/usr/share/zoneinfo/**"],
        program: "ls -la",
        why: "shows local times, and falls back to UTC",
    },
    Item {
        id: "terminal",
        operations: READS,
        paths: &[
            "/etc/terminfo/**",
            "/lib/terminfo/**",
            "/usr/lib/terminfo/**",
            "/usr/share/terminfo/**",
        ],
        program: "less",
        why: "looks for the terminal's description in four places",
    },
    Item {
        id: "name-service-cache",
        operations: CONNECTS,
        paths: &[
            "/run/nscd/socket",
            "/var/run/nscd/socket",
            "/var/lib/sss/mc/passwd",
            "/var/lib/sss/mc/group",
            "/var/lib/sss/mc/initgroups",
            "/var/lib/sss/mc/sid",
            "/var/lib/sss/pipes/nss",
        ],
        program: "id",
        why: "the C library asks a cache for user names, and reads the files itself without one",
    },
    Item {
        id: "name-service-systemd",
        operations: CONNECTS,
        paths: &[
            "/run/systemd/userdb",
            "/run/systemd/userdb/io.systemd.DynamicUser",
            "/run/systemd/userdb/io.systemd.Home",
            "/run/systemd/userdb/io.systemd.Machine",
            "/run/systemd/userdb/io.systemd.Multiplexer",
            "/run/systemd/userdb/io.systemd.NameServiceSwitch",
            "/run/systemd/userdb/io.systemd.DropIn",
            "/run/systemd/machines",
            "/run/systemd/resolve/io.systemd.Resolve",
        ],
        program: "getent",
        why: "nss-systemd and nss-resolve ask services of systemd, and the next source follows",
    },
    Item {
        id: "name-service-order",
        operations: READS,
        paths: &["/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf"],
        program: "getent",
        why: "the C library asks in which order to ask, and has a default",
    },
    Item {
        id: "logins",
        operations: READS,
        paths: &["/run/utmp", "/var/run/utmp"],
        program: "uptime",
        why: "counts who is logged in, and says zero",
    },
    Item {
        id: "container-marks",
        operations: READS,
        paths: &[
            "/.dockerenv",
            "/run/.containerenv",
            "/run/systemd/container",
            "/run/systemd/system",
        ],
        program: "npm",
        why: "looks whether it is in a container or under systemd, and assumes that it is not",
    },
];
