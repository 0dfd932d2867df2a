//! The server, with one thread per connection.

use std::collections::HashSet;
use std::io::BufReader;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use super::answer::{ModelRequest, RequestKind};
use super::http::{self, HttpRequest};
use super::stream::{self, AnswerPlace};
use crate::client::locked;

/// A server for the Messages API on loopback, until it is dropped.
#[derive(Debug)]
pub struct ModelApi {
    shared: Arc<ApiShared>,
    port: u16,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct ApiShared {
    folder: PathBuf,
    sent: Mutex<Vec<ModelRequest>>,
    /// The prompts whose answers were begun and did not end.
    begun: Mutex<HashSet<String>>,
    is_over: AtomicBool,
}

impl ModelApi {
    /// Starts a server on a port that the system chooses.
    pub fn start(folder: &Path) -> Self {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback can be used");
        let port = socket.local_addr().expect("an address").port();
        let shared = Arc::new(ApiShared {
            folder: folder.to_owned(),
            sent: Mutex::default(),
            begun: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let inner = Arc::clone(&shared);
        let listener = thread::spawn(move || {
            for connection in socket.incoming() {
                if inner.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&inner);
                if let Ok(connection) = connection {
                    thread::spawn(move || shared.serve(&connection));
                }
            }
        });
        Self { shared, port, listener: Some(listener) }
    }

    /// Returns the address for `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns all requests so far, in order.
    pub fn sent(&self) -> Vec<ModelRequest> {
        locked(&self.shared.sent).clone()
    }
}

impl Drop for ModelApi {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

impl ApiShared {
    /// Answers the requests of one connection. A client may disconnect during an answer.
    fn serve(&self, connection: &TcpStream) {
        let Ok(input) = connection.try_clone() else {
            return;
        };
        let mut input = BufReader::new(input);
        while let Ok(Some(request)) = http::read(&mut input) {
            if !self.answer(&request, connection).unwrap_or(false) {
                let _ = connection.shutdown(std::net::Shutdown::Both);
                return;
            }
        }
    }

    fn answer(&self, request: &HttpRequest, connection: &TcpStream) -> std::io::Result<bool> {
        let mut out = connection;
        let path = request.path.split('?').next().unwrap_or_default();
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        match (request.method.as_str(), path) {
            ("POST", "/v1/messages") => {
                let request = ModelRequest::new(body);
                locked(&self.sent).push(request.clone());
                let place = AnswerPlace {
                    begun: &self.begun,
                    folder: &self.folder,
                    connection,
                    is_over: &self.is_over,
                };
                stream::answer(&request, &place, &mut out)
            }
            ("POST", "/v1/messages/count_tokens") => {
                let kind = RequestKind::Count;
                locked(&self.sent).push(ModelRequest { kind, body });
                let tokens = (request.body.len() / 4).max(1);
                http::write_json(&mut out, 200, &json!({"input_tokens": tokens}))?;
                Ok(true)
            }
            ("GET", "/v1/models") => {
                http::write_json(&mut out, 200, &json!({"data": [], "has_more": false}))?;
                Ok(true)
            }
            _ => {
                let error = json!({"type": "not_found_error", "message": "Not found"});
                http::write_json(&mut out, 404, &json!({"type": "error", "error": error}))?;
                Ok(true)
            }
        }
    }
}
