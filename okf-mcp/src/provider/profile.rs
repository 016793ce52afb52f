//! Profiles: conventions above the format.

use okf_core::change::{Derive, Judge};

/// A profile: conventions above the format, with a judgement of their own.
///
/// Every write of the build passes the gate of the specification and that of each profile on the same
/// candidate, and `validate` lists what the profile says beside the report of the specification. A profile
/// adds and refuses; it cannot change what the specification's validator says.
///
/// A profile that wants every concept to have a title:
///
/// ```standalone_crate
/// use okf_core::bundle::Bundle;
/// use okf_core::change::{Judge, Judgement};
/// use okf_core::finding::{Finding, Location, Report, Severity};
/// use okf_mcp::provider::ProfileProvider;
///
/// struct Titled;
///
/// impl Judge for Titled {
///     fn name(&self) -> &str {
///         "titled"
///     }
///
///     fn judge(&self, bundle: &Bundle) -> Judgement {
///         let untitled = bundle.concepts().filter(|concept| concept.metadata().title.is_none());
///         let finding = |path: String| Finding {
///             location: Some(Location { path, line: Some(1), column: None }),
///             id: "titled/missing-title",
///             message: "the concept has no `title`".to_owned(),
///             severity: Severity::Error,
///         };
///         Report::new(untitled.map(|concept| finding(concept.path().to_string())).collect()).into()
///     }
/// }
///
/// impl ProfileProvider for Titled {
///     fn release(&self) -> &str {
///         "1.0"
///     }
///
///     fn judge(&self) -> &dyn Judge {
///         self
///     }
/// }
///
/// okf_mcp::register_profile_provider!(Titled);
///
/// let profiles = okf_mcp::registry::Registry::linked()?.profiles;
/// let bundle = Bundle::from_files([("a.md", "---\ntype: Note\n---\n")])?;
/// let judged = profiles.judge(&bundle)?;
/// assert_eq!((judged[0].name, judged[0].judgement.verdict().as_str()), ("titled", "fail"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ProfileProvider: Send + Sync {
    /// Its name, unique among the profiles of a build: that of its judge, and the namespace of its findings.
    ///
    /// A lower-case letter, then lower-case letters, digits or `-`; not `okf`, which is the specification's.
    fn name(&self) -> &str {
        self.judge().name()
    }

    /// The release of the conventions that the build knows, such as `1.0`.
    fn release(&self) -> &str;

    /// Judges a bundle, or the candidate of a write.
    fn judge(&self) -> &dyn Judge;

    /// Adds computed files to every write, under the profile's name.
    fn derive(&self) -> Option<&dyn Derive> {
        None
    }
}
