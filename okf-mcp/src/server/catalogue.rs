//! What the server offers, following the bundle: tools fixed at start, texts as the disk says.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use okf_core::disk::{DiskError, Surveyor};

use crate::cli::Product;
use crate::compose::Introduction;
use crate::identity::BundleIdentity;
use crate::logging::say;
use crate::registry::{Registry, RegistryError, ToolSet};

/// Tools and texts of a server.
pub(crate) struct Catalogue {
    product: Product,
    registry: Registry,
    root: PathBuf,
    tools: ToolSet,
    current: RwLock<Arc<Introduction>>,
    basis: Mutex<Basis>,
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
    /// Reads the bundle's identity and asks the providers; loads no bundle.
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
        let tools = registry.tool_set(&identity).map_err(CatalogueError::Registry)?;
        let tools = if read_only { tools.read_only() } else { tools };
        let introduction =
            Introduction::compose(product, &registry, &identity, &tools.specs()).map_err(CatalogueError::Registry)?;
        report(product, &introduction.left_out);
        let current = RwLock::new(Arc::new(introduction));
        let basis = Mutex::new(Basis { surveyor, identity: identity.clone() });
        Ok((Self { product, registry, root, tools, current, basis }, identity))
    }

    /// The tools.
    pub(crate) fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// The texts as last composed.
    pub(crate) fn current(&self) -> Arc<Introduction> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Why the texts are what they are, for people: a provider's name and what it says, in rank order.
    ///
    /// # Errors
    ///
    /// See [`CatalogueError`].
    pub(crate) fn explain(&self, identity: &BundleIdentity) -> Result<Vec<(String, String)>, CatalogueError> {
        self.registry.explain(identity, &self.tools.specs()).map_err(CatalogueError::Registry)
    }

    /// Composes the texts anew from the disk; tells whether the list of tools reads differently now.
    ///
    /// While the bundle cannot be read, or a provider fails, the last texts stay.
    pub(crate) fn refresh(&self) -> bool {
        // One at a time: a slow reading must not replace a later one.
        let mut basis = self.basis.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(identity) = BundleIdentity::read_again(&self.root, &mut basis.surveyor) else { return false };
        if identity == basis.identity {
            return false;
        }
        let composed = Introduction::compose(self.product, &self.registry, &identity, &self.tools.specs());
        let introduction = match composed {
            Ok(introduction) => introduction,
            Err(error) => {
                report(self.product, &[error.to_string()]);
                return false;
            }
        };
        basis.identity = identity;
        let last = self.current();
        if introduction == *last {
            return false;
        }
        if introduction.left_out != last.left_out {
            report(self.product, &introduction.left_out);
        }
        let changed = introduction.tools != last.tools;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(introduction);
        changed
    }
}

fn report(product: Product, lines: &[String]) {
    for line in lines {
        say(format_args!("{} mcp: {line}", product.name));
    }
}
