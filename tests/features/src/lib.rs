//! Nothing but its manifest: features that every build of the workspace has in common.
