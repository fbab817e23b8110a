//! An empty library, whose manifest selects the features that every build of the workspace has in
//! common.
