//! Vocabulary of English and of programmers, for questions typed as sentences.
//!
//! Words that every sentence has say little about the answer. And a question uses other words
//! than its answer, so a word also finds its short and long names, with less weight. The table
//! contains words that programmers use for one another everywhere; none of it is specific to a
//! project.

/// Words that say nothing about the answer.
const STOP: &str = "\
    a about again all also am an and any are as at be because been before being but by can could \
    did do does doing done dont for from get gets getting go goes going got had has have having he \
    her here him his how i if im in into is it its ive just let like made make makes making me my \
    no not now of on one only or our out over please she should show so some still such take than \
    that thats the their them then there these they thing things this those to too up us use used \
    uses using very via want wanted was we well went were what when where which while who whose \
    why will with without would you your";

/// Words that say little about the answer.
const WEAK: &str = "\
    actually after always another anyone anything anywhere around back bad best better big bigger \
    both call called came change changed come comes currently day different each easy else enough \
    even ever every everybody everyone everything everywhere exactly find first found gave give \
    gives good great happen happened happens help internally keep kind know last later less little \
    long look looks lot many maybe mean means more most much must need needed needs never new next \
    nothing off often old once other others own place put really right said same say says see seen \
    several since small smaller somebody somehow someone something sometimes soon talk tell think \
    through today together told tried try until way week whole work worked working works wrong \
    year yesterday yet";

/// Groups of words that are used for one another.
const ALIKE: &[&str] = &[
    "abbreviation acronym",
    "add create introduce",
    "address url uri link",
    "admin administrator",
    "app application",
    "arg args argument arguments",
    "async asynchronous",
    "auth authentication login signin",
    "authorization permission permissions access",
    "bug defect issue problem",
    "cert certificate",
    "cache cached caching",
    "choose chose decide decided decision pick picked",
    "clean cleanup tidy",
    "cmd command",
    "config configuration configure setting settings",
    "crash crashed panic panicked segfault abort",
    "cron schedule scheduled",
    "db database",
    "delete deleted remove removed drop dropped",
    "dep deps dependency dependencies package library",
    "deploy deployment release rollout ship",
    "dev development",
    "dir directory folder",
    "disable disabled off",
    "doc docs documentation",
    "enable enabled on",
    "env environment",
    "err error errors failure exception",
    "fail failed fails failing broke broken breaks",
    "fix fixed repair solve solved resolve resolved solution",
    "func function method",
    "hang hangs hung stuck freeze frozen deadlock",
    "info information",
    "init initialize initialization setup",
    "job task",
    "k8s kubernetes",
    "key secret token credential credentials",
    "lib library",
    "limit maximum max cap",
    "log logs logging",
    "memory ram",
    "min minimum",
    "msg message",
    "move moved migrate migrated migration",
    "network net",
    "number num count",
    "param params parameter parameters",
    "password passphrase pwd",
    "performance perf speed fast faster slow slower",
    "pg postgres postgresql",
    "postpone postponed defer deferred delay later",
    "pr merge pull",
    "prod production",
    "reason cause why because",
    "refactor refactored restructure rewrite",
    "rename renamed",
    "repo repository",
    "req request",
    "res resp response",
    "retry retries",
    "revert reverted undo rollback",
    "run execute launch start",
    "screen page view",
    "server backend",
    "size length",
    "spec specification",
    "stop end terminate kill",
    "switch switched replace replaced swap swapped",
    "test tests testing",
    "temp tmp temporary",
    "time duration",
    "timeout timeouts",
    "ui interface frontend",
    "update updated upgrade upgraded bump",
    "user customer client",
    "utf8 unicode encoding",
    "var variable",
    "ver version",
    "vm machine host",
    "webhook callback",
    "window dialog popup modal",
];

/// Tells whether a lower-case word says nothing about the answer.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.split(' ').any(|stop| stop == word)
}

/// Tells whether a lower-case word says little about the answer.
pub(super) fn is_weak(word: &str) -> bool {
    WEAK.split(' ').any(|weak| weak == word)
}

/// Returns other names for a lower-case word.
pub(super) fn alike(word: &str) -> impl Iterator<Item = &'static str> {
    let has = move |group: &&&str| group.split(' ').any(|other| other == word);
    let words = ALIKE.iter().filter(has).flat_map(|group| group.split(' '));
    words.filter(move |other| *other != word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order_and_in_lower_case() {
        assert!(STOP.split(' ').is_sorted() && WEAK.split(' ').is_sorted());
        let lists = [STOP, WEAK].into_iter().chain(ALIKE.iter().copied());
        let words = lists.flat_map(|list| list.split(' '));
        for word in words {
            assert!(
                !word.is_empty()
                    && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()),
                "{word}"
            );
        }
    }

    #[test]
    fn short_and_long_names_are_alike() {
        assert!(alike("db").any(|word| word == "database"));
        assert!(alike("database").any(|word| word == "db"));
        assert!(alike("panic").any(|word| word == "crash"));
        assert_eq!(alike("xyz").count(), 0);
    }
}
