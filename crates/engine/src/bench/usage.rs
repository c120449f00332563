//! CPU time and memory of this process, as the kernel accounts them.

/// CPU time used so far and the peak of resident memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Seconds in user mode.
    pub user_seconds: f64,
    /// Seconds in the kernel.
    pub system_seconds: f64,
    /// Peak resident memory in bytes.
    pub peak_rss_bytes: u64,
}

impl Usage {
    /// Up to now. Zeros where the system does not tell (`/proc` is Linux).
    #[must_use]
    pub fn now() -> Self {
        let mut usage = Usage::default();
        // Fields 14 and 15 of the line, counted after the parenthesised name, in ticks of 10 ms.
        if let Ok(stat) = std::fs::read_to_string("/proc/self/stat")
            && let Some((_, fields)) = stat.rsplit_once(')')
        {
            let ticks: Vec<f64> =
                fields.split_whitespace().skip(11).take(2).flat_map(str::parse).collect();
            if let [user, system] = ticks[..] {
                usage.user_seconds = user / 100.0;
                usage.system_seconds = system / 100.0;
            }
        }
        if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = peak.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            usage.peak_rss_bytes = kib.unwrap_or(0) * 1024;
        }
        usage
    }

    /// CPU time since `start`; the peak as it is now.
    #[must_use]
    pub fn since(&self, start: &Usage) -> Usage {
        Usage {
            user_seconds: self.user_seconds - start.user_seconds,
            system_seconds: self.system_seconds - start.system_seconds,
            peak_rss_bytes: self.peak_rss_bytes,
        }
    }
}
