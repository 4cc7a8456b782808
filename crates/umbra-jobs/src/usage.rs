//! What this process takes of the machine.

/// CPU seconds and the largest resident size in MiB.
pub fn usage() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok());
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let cpu = time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
    (cpu, peak.unwrap_or(0.0) / 1024.0)
}

/// CPU seconds of the processes that this one has started and that have ended.
pub fn children_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may have blanks and brackets.
    let behind = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = behind.split_ascii_whitespace().skip(13).take(2);
    let ticks: f64 = ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    ticks / rustix::param::clock_ticks_per_second() as f64
}

/// The resident size now, in MiB.
pub(crate) fn resident_mib() -> f64 {
    resident_bytes() as f64 / f64::from(1 << 20)
}

/// The resident size now, in bytes.
fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * rustix::param::page_size()
}
