//! What the server offers, following the bundle: tools fixed at start, texts as the disk says.
//!
//! In two steps, because a client waits for the first and reads it before it asks for the second: the
//! [`Greeting`] when the server starts, the [`Offer`] behind it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use okf_core::disk::{DiskError, Surveyor};

use crate::cli::Product;
use crate::compose::{Greeting, Introduction};
use crate::identity::BundleIdentity;
use crate::logging::say;
use crate::profiles::Profiles;
use crate::registry::{Registry, RegistryError, ToolSet};

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
pub(crate) enum CatalogueError {
    /// The bundle cannot be read.
    Disk(DiskError),
    /// The providers do not make a server.
    Registry(RegistryError),
}

impl Catalogue {
    /// Reads the bundle's identity and composes the greeting; loads no bundle and asks for no tools.
    ///
    /// # Errors
    ///
    /// See [`CatalogueError`].
    pub(crate) fn open(
        product: Product,
        registry: Registry,
        root: PathBuf,
        read_only: bool,
    ) -> Result<(Self, BundleIdentity), CatalogueError> {
        let mut surveyor = Surveyor::default();
        let identity = BundleIdentity::read_again(&root, &mut surveyor).map_err(CatalogueError::Disk)?;
        let greeting = Greeting::compose(product, &registry, &identity).map_err(CatalogueError::Registry)?;
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
        self.registry.explain(identity, &self.offer()?.tools.specs())
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
