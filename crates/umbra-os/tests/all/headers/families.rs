//! The families of constants in musl's headers: how each is tried, or why it is not.

mod files;
mod memory;
mod processes;
mod sockets;

use super::row::Row;

/// Constants that mean flags or numbers of one kind.
pub(super) enum Family {
    /// Tried with each row.
    Tried { prefixes: &'static [&'static str], header: &'static str, rows: &'static [Row] },
    /// Not named by these headers, but known to Linux.
    Unnamed { title: &'static str, rows: &'static [Row] },
    /// No system call takes them, for this reason.
    Untried { prefixes: &'static [&'static str], header: &'static str, why: &'static str },
}

/// A family of any header.
pub(super) const fn tried(prefixes: &'static [&'static str], rows: &'static [Row]) -> Family {
    Family::Tried { prefixes, header: "", rows }
}

/// A family of one header, whose prefix means something else in others.
pub(super) const fn tried_of(
    header: &'static str,
    prefixes: &'static [&'static str],
    rows: &'static [Row],
) -> Family {
    Family::Tried { prefixes, header, rows }
}

const fn untried(prefixes: &'static [&'static str], why: &'static str) -> Family {
    Family::Untried { prefixes, header: "", why }
}

impl Family {
    pub(super) fn prefixes(&self) -> &'static [&'static str] {
        match self {
            Family::Tried { prefixes, .. } | Family::Untried { prefixes, .. } => prefixes,
            Family::Unnamed { .. } => &[],
        }
    }

    pub(super) fn header(&self) -> &'static str {
        match self {
            Family::Tried { header, .. } | Family::Untried { header, .. } => header,
            Family::Unnamed { .. } => "",
        }
    }

    /// Why it is not tried.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Family::Untried { why, .. } => why,
            _ => "tried",
        }
    }

    pub(super) fn rows(&self) -> &'static [Row] {
        match self {
            Family::Tried { rows, .. } | Family::Unnamed { rows, .. } => rows,
            Family::Untried { .. } => &[],
        }
    }

    /// What it is called: its first prefix, and its header if that matters.
    pub(super) fn title(&self) -> String {
        match self {
            Family::Unnamed { title, .. } => (*title).to_owned(),
            _ => format!("{}{}", self.header(), self.prefixes()[0]),
        }
    }
}

pub(super) fn all() -> impl Iterator<Item = &'static Family> {
    [files::FAMILIES, memory::FAMILIES, processes::FAMILIES, sockets::FAMILIES, UNTRIED]
        .into_iter()
        .flatten()
}

/// The family of a constant, and where its prefix is in that: one of its header rather than one of
/// all headers, the longest prefix that fits.
pub(super) fn family_of(header: &str, name: &str) -> Option<(&'static Family, usize)> {
    let fits = |family: &'static Family| {
        let is_here = family.header().is_empty() || family.header() == header;
        let prefixes = family.prefixes().iter().enumerate();
        let prefixes = prefixes.filter(move |(_, prefix)| is_here && name.starts_with(**prefix));
        prefixes.map(move |(n, prefix)| ((family.header().len(), prefix.len()), (family, n)))
    };
    all().flat_map(fits).max_by_key(|(fit, _)| *fit).map(|(_, found)| found)
}

const UNTRIED: &[Family] = &[
    untried(&["STDIN_", "STDOUT_", "STDERR_", "NULL", "POSIX_CLOSE"], "these are no flags"),
    untried(
        &["SI_", "FPE_", "ILL_", "SEGV_", "BUS_", "CLD_", "TRAP_", "POLL_", "SYS_", "REG_"],
        "signals come with them; nobody passes them",
    ),
    untried(&["DT_", "ST_", "TIME_"], "calls give them; nobody passes them"),
    untried(
        &["NSIG", "CPU_SETSIZE", "UIO_MAXIOV", "FD_SETSIZE", "NFDBITS", "MAX_HANDLE", "SHMLBA"],
        "these are sizes",
    ),
    untried(
        &["MINSIGSTKSZ", "SIGSTKSZ", "RLIM_NLIMITS", "RLIM64_", "SOMAXCONN"],
        "these are sizes",
    ),
    untried(&["SIGRTMIN", "SIGRTMAX"], "these are calls of libc, not numbers"),
    untried(&["CLOCKS_PER_SEC", "SI_LOAD_SHIFT"], "these are units"),
    untried(
        &["TIOCPKT_", "TIOCM_", "TIOCSER_", "N_", "SYSCALL_DISPATCH"],
        "these are in memory that a request of a terminal or `prctl` points to, which ends the path",
    ),
    untried(&["SCM_"], "messages with control data end the path"),
    untried(&["INITQFNAMES", "QUOTAFILENAME", "QUOTAGROUP"], "these are texts"),
    untried(&["MAP_FAILED", "FAN_EVENT_METADATA_LEN"], "these are results and masks"),
];

/// Headers whose constants no system call of the model takes, and why.
pub(super) const OTHER_HEADERS: &[(&[&str], &str)] = &[
    (
        &["ar.h", "cpio.h", "elf.h", "shadow.h", "tar.h", "utmp.h", "utmpx.h", "sys/acct.h"],
        "formats of files",
    ),
    (
        &[
            "bits/fenv.h",
            "bits/float.h",
            "bits/limits.h",
            "bits/stdint.h",
            "complex.h",
            "endian.h",
            "float.h",
            "inttypes.h",
            "limits.h",
            "math.h",
            "stddef.h",
            "stdint.h",
            "stdlib.h",
            "string.h",
            "values.h",
            "wchar.h",
            "wctype.h",
            "stdio.h",
            "stdio_ext.h",
            "sys/param.h",
            "bits/errno.h",
            "sysexits.h",
        ],
        "the language and its library: numbers and sizes",
    ),
    (
        &[
            "aio.h",
            "dlfcn.h",
            "fmtmsg.h",
            "fnmatch.h",
            "ftw.h",
            "glob.h",
            "langinfo.h",
            "locale.h",
            "mntent.h",
            "netdb.h",
            "nl_types.h",
            "pthread.h",
            "regex.h",
            "resolv.h",
            "semaphore.h",
            "spawn.h",
            "syslog.h",
            "threads.h",
            "ucontext.h",
            "ulimit.h",
            "wordexp.h",
            "arpa/nameser.h",
            "arpa/ftp.h",
            "arpa/telnet.h",
            "arpa/tftp.h",
        ],
        "done by the library, which the machine runs",
    ),
    (
        &["bits/termios.h", "termios.h", "sys/ttydefaults.h"],
        "settings of a terminal, which the model keeps and does not act on",
    ),
    (
        &["sys/mtio.h", "scsi/scsi.h", "scsi/scsi_ioctl.h", "scsi/sg.h"],
        "requests of devices that cannot be opened",
    ),
    (&["stropts.h"], "streams, which Linux does not have"),
    (&["bits/reg.h", "bits/user.h", "sys/procfs.h", "bits/ipcstat.h"], "layouts for debuggers"),
    (&["sys/cachectl.h"], "a call that this machine does not have"),
    (
        &[
            "net/ethernet.h",
            "net/if.h",
            "net/if_arp.h",
            "net/route.h",
            "netinet/icmp6.h",
            "netinet/if_ether.h",
            "netinet/igmp.h",
            "netinet/in.h",
            "netinet/ip.h",
            "netinet/ip6.h",
            "netinet/ip_icmp.h",
            "netinet/tcp.h",
            "netinet/udp.h",
            "netpacket/packet.h",
        ],
        "sockets of a network end the path when they are made",
    ),
];
