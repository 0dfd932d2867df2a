//! Reading a file that grows while it is read.

use unspool_model::log::Log;

/// Reads `bytes` as a file that is read whenever it has grown to one of `cuts`, and once more
/// when it is complete.
pub(crate) fn read_in_steps(bytes: &[u8], cuts: &[usize]) -> Log {
    let mut ends: Vec<usize> = cuts.iter().map(|&cut| cut.min(bytes.len())).collect();
    ends.push(bytes.len());
    ends.sort_unstable();
    let mut log = Log::default();
    for end in ends {
        let fresh = &bytes[log.resume_offset() as usize..end];
        let newline = fresh.iter().rposition(|&byte| byte == b'\n');
        let (lines, tail) = fresh.split_at(newline.map_or(0, |newline| newline + 1));
        log.push(lines);
        log.push_tail(tail);
        log.shrink();
    }
    log
}
