//! What the server offers, following the bundle: tools fixed at start, texts as the disk says.
//!
//! In two steps, because a client waits for the first and reads it before it asks for the second: the
//! [`Greeting`] when the server starts, the [`Offer`] behind it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use okf_core::disk::{DiskError, Surveyor};
use serde_json::{Map, Value};

use crate::cli::Product;
use crate::compose::{self, Greeting, Introduction};
use crate::context::Context;
use crate::identity::BundleIdentity;
use crate::logging::say;
use crate::profiles::Profiles;
use crate::registry::{Registry, RegistryError, ToolSet, guarded};
use crate::tool::{ToolError, ToolOutput};

/// Greeting, tools and texts of a server.
pub(crate) struct Catalogue {
    product: Product,
    registry: Registry,
    root: PathBuf,
    read_only: bool,
    greeting: RwLock<Arc<Greeting>>,
    offer: OnceLock<Result<Offer, RegistryError>>,
    basis: Mutex<Basis>,
}

/// The tools, and what is said about them.
pub(crate) struct Offer {
    /// The tools, the same for the whole session.
    pub(crate) tools: ToolSet,
    current: RwLock<Arc<Introduction>>,
}

/// What the texts were composed from.
struct Basis {
    surveyor: Surveyor,
    identity: BundleIdentity,
}

/// Why a server cannot start.
#[derive(Debug)]
pub enum OpenError {
    /// The bundle cannot be read.
    Disk(DiskError),
    /// The providers do not make a server.
    Registry(RegistryError),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Disk(error) => error.fmt(f),
            Self::Registry(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Disk(error) => error.source(),
            Self::Registry(_) => None,
        }
    }
}

impl Catalogue {
    /// Reads the bundle's identity and composes the greeting; loads no bundle and asks for no tools.
    ///
    /// # Errors
    ///
    /// See [`OpenError`].
    pub(crate) fn open(
        product: Product,
        registry: Registry,
        root: PathBuf,
        read_only: bool,
    ) -> Result<(Self, BundleIdentity), OpenError> {
        let mut surveyor = Surveyor::default();
        let identity = BundleIdentity::read_again(&root, &mut surveyor).map_err(OpenError::Disk)?;
        let greeting = Greeting::compose(product, &registry, &identity).map_err(OpenError::Registry)?;
        let greeting = RwLock::new(Arc::new(greeting));
        let basis = Mutex::new(Basis { surveyor, identity: identity.clone() });
        Ok((Self { product, registry, root, read_only, greeting, offer: OnceLock::new(), basis }, identity))
    }

    /// The greeting as last composed.
    pub(crate) fn greeting(&self) -> Arc<Greeting> {
        Arc::clone(&self.greeting.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The profiles of the build.
    pub(crate) fn profiles(&self) -> &Profiles {
        &self.registry.profiles
    }

    /// The tools with their texts; asks the providers the first time, which takes milliseconds.
    ///
    /// # Errors
    ///
    /// The providers do not make a server: the same every time.
    pub(crate) fn offer(&self) -> Result<&Offer, RegistryError> {
        self.offer.get_or_init(|| self.make_offer()).as_ref().map_err(Clone::clone)
    }

    /// The same when that has been done already and went well.
    pub(crate) fn made_offer(&self) -> Option<&Offer> {
        self.offer.get()?.as_ref().ok()
    }

    fn make_offer(&self) -> Result<Offer, RegistryError> {
        // Nobody may exchange the basis meanwhile: a refresh changes the texts of an offer that is there.
        let basis = self.basis.lock().unwrap_or_else(PoisonError::into_inner);
        let tools = self.registry.tool_set(&basis.identity)?;
        let tools = if self.read_only { tools.read_only() } else { tools };
        let introduction = Introduction::compose(self.greeting(), &self.registry, &basis.identity, &tools.specs())?;
        report(self.product, &introduction.left_out);
        Ok(Offer { tools, current: RwLock::new(Arc::new(introduction)) })
    }

    /// Why the texts are what they are, for people: a provider's name and what it says, in rank order.
    ///
    /// # Errors
    ///
    /// The providers do not make a server.
    pub(crate) fn explain(&self, identity: &BundleIdentity) -> Result<Vec<(String, String)>, RegistryError> {
        compose::explain(&self.greeting(), &self.registry, identity, &self.offer()?.tools.specs())
    }

    /// Composes the texts anew from the disk; tells whether the list of tools reads differently now.
    ///
    /// While the bundle cannot be read, or a provider fails, the last texts stay.
    ///
    /// # Errors
    ///
    /// The providers never made a server.
    pub(crate) fn refresh(&self) -> Result<bool, RegistryError> {
        let offer = self.offer()?;
        // One at a time: a slow reading must not replace a later one.
        let mut basis = self.basis.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(identity) = BundleIdentity::read_again(&self.root, &mut basis.surveyor) else { return Ok(false) };
        if identity == basis.identity {
            return Ok(false);
        }
        let composed = Greeting::compose(self.product, &self.registry, &identity).and_then(|greeting| {
            Introduction::compose(Arc::new(greeting), &self.registry, &identity, &offer.tools.specs())
        });
        let introduction = match composed {
            Ok(introduction) => introduction,
            Err(error) => {
                report(self.product, &[error.to_string()]);
                return Ok(false);
            }
        };
        basis.identity = identity;
        let last = offer.current();
        if introduction == *last {
            return Ok(false);
        }
        if introduction.left_out != last.left_out {
            report(self.product, &introduction.left_out);
        }
        let changed = introduction.tools != last.tools;
        *self.greeting.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&introduction.greeting);
        *offer.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(introduction);
        Ok(changed)
    }
}

impl Offer {
    /// Calls a tool: checks the arguments, then runs the handler. A panic is the error of this call alone.
    ///
    /// # Errors
    ///
    /// What the check or the handler says, or an internal error.
    pub(crate) fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        context: &Context<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let tool = self.tools.get(name).ok_or_else(|| internal_error(name))?;
        let arguments = tool.arguments.check(arguments)?;
        // The panic's message has gone to stderr; it may quote what is no client's business.
        guarded(|| (tool.tool.handler)(context, arguments)).unwrap_or_else(|_| Err(internal_error(name)))
    }

    /// The texts as last composed.
    pub(crate) fn current(&self) -> Arc<Introduction> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn report(product: Product, lines: &[String]) {
    for line in lines {
        say(format_args!("{} mcp: {line}", product.name));
    }
}

/// The error of a call that failed by a fault of ours.
pub(super) fn internal_error(tool: &str) -> ToolError {
    ToolError::new(format!("internal error in tool `{tool}`; the server's stderr says more"))
}
