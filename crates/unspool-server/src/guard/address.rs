//! Checks that a request is addressed to this server.
//!
//! A site whose name resolves to 127.0.0.1 makes browsers send requests with that name to this
//! server. So the name must be one of loopback, with any port so that tunnels work, or one that was
//! given when the server was started.

use std::net::IpAddr;

use axum::http::header;
use axum::http::request::Parts;

use crate::state::ServerState;
use crate::web::{ProblemKind, RequestProblem};

/// Checks the `Host` of a request.
pub(super) fn check(state: &ServerState, parts: &Parts) -> Result<(), RequestProblem> {
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    let is_ours = host.is_some_and(|host| is_allowed(host, &state.host_names));
    // Two hosts, or a request line with another address, would be ambiguous.
    let is_single = hosts.next().is_none() && parts.uri.authority().is_none();
    if is_ours && is_single {
        return Ok(());
    }
    let detail = "Host must be a name or address of loopback, or one given with --host-name";
    Err(RequestProblem::new(ProblemKind::Misdirected, detail))
}

/// Returns whether a host, with or without a port, is loopback or one of the given names.
fn is_allowed(host: &str, names: &[String]) -> bool {
    let Some(name) = without_port(host) else {
        return false;
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    name.eq_ignore_ascii_case("localhost")
        || is_loopback
        || names
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(bare))
}

/// Returns a host without its port; none if the port is not a number.
fn without_port(host: &str) -> Option<&str> {
    let end = host.rfind(']').map_or(0, |at| at + 1);
    match host[end..].find(':') {
        Some(at) => {
            let (name, port) = host.split_at(end + at);
            port[1..].parse::<u16>().is_ok().then_some(name)
        }
        None => Some(host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_given_names_are_ours() {
        let names = ["box.local".to_owned(), "192.0.2.7".to_owned()];
        for host in [
            "localhost",
            "LocalHost:7717",
            "127.0.0.1:9",
            "127.1.2.3",
            "[::1]:7717",
            "[::1]",
            "box.local:80",
            "192.0.2.7:7717",
        ] {
            assert!(is_allowed(host, &names), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:7717",
            "localhost:99999",
            "localhost:x",
            "192.0.2.8",
            "[::2]",
            "0.0.0.0",
            "127.0.0.1@evil.example",
        ] {
            assert!(!is_allowed(host, &names), "{host}");
        }
    }
}
