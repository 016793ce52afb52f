//! A client that sends a line and waits for one.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server that has answered `initialize`.
pub struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    id: u64,
    line: String,
}

impl Server {
    /// Starts `okf mcp ROOT`; also how long it took from the start to the answer to `initialize`.
    pub fn start(okf: &Path, root: &Path, watch: bool) -> Result<(Self, Duration), String> {
        let started = Instant::now();
        let mut command = Command::new(okf);
        if !watch {
            command.env("OKF_NO_WATCH", "1");
        }
        let mut child = command
            .arg("mcp")
            .arg(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("`{}` does not start: {error}", okf.display()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the pipes are missing".to_owned());
        };
        let mut server = Self { child, stdin, stdout: BufReader::new(stdout), id: 0, line: String::new() };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}});
        server.request("initialize", &hello)?;
        let took = started.elapsed();
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok((server, took))
    }

    /// Calls a tool; how long the answer took, from the first byte sent to the last received.
    ///
    /// A tool error is an error here: a wrong call must not look fast.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Duration, String> {
        let params = json!({"name": tool, "arguments": arguments});
        let took = self.request("tools/call", &params)?;
        if self.line.contains("\"isError\":true") || self.line.contains("\"error\":{") {
            return Err(format!("`{tool}` with {arguments} failed: {}", self.line.trim()));
        }
        Ok(took)
    }

    /// The JSON in the answer to the last call.
    pub fn answer(&self) -> Result<Value, String> {
        let message: Value = serde_json::from_str(&self.line).map_err(|error| error.to_string())?;
        let text = message["result"]["content"][0]["text"].as_str().ok_or("an answer without text")?;
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// Resident memory in bytes: now, and at its highest.
    pub fn memory(&self) -> Result<(u64, u64), String> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
        };
        field("VmRSS:").zip(field("VmHWM:")).ok_or_else(|| format!("{path} tells no memory"))
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Duration, String> {
        self.id += 1;
        let id = format!("\"id\":{},", self.id);
        let request = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        let started = Instant::now();
        self.send(&request)?;
        loop {
            self.line.clear();
            let read = self.stdout.read_line(&mut self.line).map_err(|error| error.to_string())?;
            if read == 0 {
                return Err(format!("the server ended during `{method}`"));
            }
            // Notifications come in between.
            if self.line.contains(&id) {
                return Ok(started.elapsed());
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        self.stdin.write_all(format!("{message}\n").as_bytes()).map_err(|error| error.to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing is lost: the server keeps no state of its own.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
