//! The rmcp adapter: one server for both protocol eras.

mod catalogue;
mod listeners;
mod session;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use okf_core::bundle::Bundle;
use okf_core::snapshot::Snapshot;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, Implementation, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, SubscriptionFilter, Tool as ListedTool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::sync::{Notify, OnceCell, Semaphore};
use tokio_util::sync::CancellationToken;

pub use catalogue::OpenError;
pub(crate) use catalogue::{Catalogue, Offer};
pub(crate) use session::{Options, StartError, serve};

use crate::clock::Clock;
use crate::compose::ServerInfo;
use crate::context::Context;
use crate::logging::say;
use crate::registry::RegistryError;
use crate::tool::{ToolError, ToolOutput, ToolSpec};
use catalogue::internal_error;
use listeners::Listeners;

/// Calls that run at the same time; further ones wait for their turn. Far more than a client has in
/// flight, so that slow calls leave room, and bounded, so that a flood of them does.
const CONCURRENT_CALLS: usize = 64;

/// How long the work behind the greeting waits for a client that says nothing.
const GREETING_PATIENCE: Duration = Duration::from_millis(100);

/// How long a client may trust the list and the introduction without asking: changes are announced.
const FRESH_MS: u64 = 60_000;

/// The server, cheap to clone into a call.
#[derive(Clone)]
pub(crate) struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    catalogue: Catalogue,
    snapshot: Arc<Snapshot>,
    clock: Clock,
    calls: Arc<Semaphore>,
    listeners: Listeners,
    /// Asks for the texts to be compared with the disk.
    stale: Notify,
    /// Whether a client has asked for something: what takes longer stands back until then.
    greeted: CancellationToken,
    /// Why no tools can be offered, when the providers turn out not to make a server.
    broken: OnceCell<RegistryError>,
    /// The picture of the bundle that a call saw last.
    seen: Mutex<Weak<Bundle>>,
    input_end: CancellationToken,
}

impl Server {
    fn new(catalogue: Catalogue, snapshot: Arc<Snapshot>, clock: Clock, input_end: CancellationToken) -> Self {
        let shared = Shared {
            catalogue,
            snapshot,
            clock,
            calls: Arc::new(Semaphore::new(CONCURRENT_CALLS)),
            listeners: Listeners::default(),
            stale: Notify::new(),
            greeted: CancellationToken::new(),
            broken: OnceCell::new(),
            seen: Mutex::new(Weak::new()),
            input_end,
        };
        Self { shared: Arc::new(shared) }
    }

    /// Keeps the texts in step with the bundle, beside the calls. Never returns.
    async fn follow_bundle(self) {
        loop {
            self.shared.stale.notified().await;
            self.refresh().await;
        }
    }

    /// Compares the texts with the disk and announces a change.
    async fn refresh(&self) {
        let shared = Arc::clone(&self.shared);
        let changed = tokio::task::spawn_blocking(move || shared.catalogue.refresh()).await;
        match changed {
            Ok(Ok(true)) => {
                let shared = Arc::clone(&self.shared);
                tokio::spawn(async move { shared.listeners.announce().await });
            }
            Ok(Err(error)) => self.breaks(error),
            // Nothing new, or the runtime is shutting down.
            Ok(Ok(false)) | Err(_) => {}
        }
    }

    /// Completes when a client has asked for something, or has taken its time.
    async fn greeted(&self) {
        let patience = tokio::time::timeout(GREETING_PATIENCE, self.shared.greeted.cancelled());
        // Both ends are fine.
        let _ = patience.await;
    }

    /// The tools with their texts.
    ///
    /// # Errors
    ///
    /// There are none; the session is about to end.
    async fn offer(&self) -> Result<&Offer, ErrorData> {
        self.shared.greeted.cancel();
        if self.shared.catalogue.made_offer().is_none() {
            let shared = Arc::clone(&self.shared);
            let made = tokio::task::spawn_blocking(move || shared.catalogue.offer().map(|_| ())).await;
            if let Ok(Err(error)) = made {
                self.breaks(error);
            }
        }
        let nothing = || ErrorData::internal_error("the server cannot offer tools; its stderr says why", None);
        self.shared.catalogue.made_offer().ok_or_else(nothing)
    }

    fn breaks(&self, error: RegistryError) {
        // The first reason is as good as any.
        let _ = self.shared.broken.set(error);
        self.shared.input_end.cancel();
    }

    /// Runs a call off the event loop. A call that is cancelled while it waits never starts.
    async fn run(&self, name: String, arguments: Map<String, Value>, cancel: CancellationToken) -> CallToolResult {
        let turn = tokio::select! {
            turn = Arc::clone(&self.shared.calls).acquire_owned() => turn,
            () = cancel.cancelled() => return failure(ToolError::new("the call was cancelled")),
        };
        let shared = Arc::clone(&self.shared);
        let tool = name.clone();
        let call = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            shared.call(&name, arguments, &cancel)
        });
        match call.await {
            Ok(Ok(output)) => CallToolResult::success(output.blocks.into_iter().map(ContentBlock::text).collect()),
            Ok(Err(error)) => failure(error),
            // The runtime is shutting down; nobody will read this.
            Err(_) => failure(internal_error(&tool)),
        }
    }
}

impl Shared {
    fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Result<ToolOutput, ToolError> {
        let offer = self.catalogue.made_offer().ok_or_else(|| internal_error(name))?;
        let cancelled = || cancel.is_cancelled();
        let context =
            Context::new(self.clock.now(), &self.snapshot, &cancelled).with_profiles(self.catalogue.profiles());
        let outcome = offer.call(name, arguments, &context);
        for recovery in context.take_recoveries() {
            say(format_args!("{} mcp: {recovery}", self.catalogue.greeting().server_info.name));
        }
        let wrote = outcome.is_ok() && offer.tools.writes(name);
        if self.is_news(context.into_seen()) || wrote {
            self.stale.notify_one();
        }
        outcome
    }

    /// Whether a call saw another picture of the bundle than the calls before it.
    fn is_news(&self, bundle: Option<Arc<Bundle>>) -> bool {
        let Some(bundle) = bundle else { return false };
        let bundle = Arc::downgrade(&bundle);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = !seen.ptr_eq(&bundle);
        *seen = bundle;
        is_news
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.shared.greeted.cancel();
        let greeting = self.shared.catalogue.greeting();
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let config = ServerConfig::new(capabilities).with_server_info(implementation(&greeting.server_info));
        match &greeting.instructions {
            Some(instructions) => config.with_instructions(instructions.clone()),
            None => config,
        }
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params("unknown cursor: the list has one page", None));
        }
        self.offer().await?;
        self.refresh().await;
        let introduction = self.offer().await?.current();
        let tools = introduction.tools.iter().map(listed).collect();
        let mut result =
            ListToolsResult::with_all_items(tools).with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private);
        result.meta = self.meta_for(&context);
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.offer().await?.tools.get(&request.name).is_none() {
            let name = okf_core::finding::Escaped(&request.name);
            return Err(ErrorData::invalid_params(format!("unknown tool `{name}`"), None));
        }
        let arguments = request.arguments.unwrap_or_default();
        let mut result = self.run(request.name.into_owned(), arguments, context.ct.clone()).await;
        result.meta = self.meta_for(&context);
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = okf_core::finding::Escaped(&request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method `{method}`"), None))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.shared.listeners.session(context.peer);
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let sink = context.sink().clone();
        self.shared.listeners.subscribe(sink.clone());
        // A subscription that outlived the input would hold up the end of the session.
        tokio::select! {
            () = context.cancelled() => {}
            () = self.shared.input_end.cancelled() => {}
        }
        self.shared.listeners.unsubscribe(&sink);
        Ok(())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }
}

impl Server {
    /// `serverInfo`, which results of the stateless revision carry.
    fn meta_for(&self, context: &RequestContext<RoleServer>) -> Option<MetaObject> {
        let is_stateless = context.protocol_version().is_some_and(|version| !version.has_initialize());
        is_stateless.then(|| {
            let info = implementation(&self.shared.catalogue.greeting().server_info);
            let info = serde_json::to_value(info).expect("an implementation is made of strings");
            let mut meta = MetaObject::new();
            meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
            meta
        })
    }
}

fn implementation(info: &ServerInfo) -> Implementation {
    Implementation::new(info.name, info.version)
        .with_title(info.title.clone())
        .with_description(info.description.clone())
}

fn listed(spec: &ToolSpec) -> ListedTool {
    serde_json::from_value(spec.to_json()).expect("a checked spec is a tool definition of the protocol")
}

fn failure(error: ToolError) -> CallToolResult {
    let report = error.report.map(ContentBlock::text);
    CallToolResult::error(std::iter::once(ContentBlock::text(error.message)).chain(report).collect())
}

#[cfg(test)]
mod tests;
