//! The bundle of compiled kernels that is installed with Weft: the place of its file, and the
//! description at its start.
//!
//! The file starts with lines of text that an empty line ends. The index of images
//! ([`INDEX_ENTRY`] bytes for each) and the images follow, which only the runtime reads.

use std::env;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::component::{self, Component};

/// The name of the file, in the folder of the Python package or of the program.
pub const FILE: &str = "kernels.weft";

/// The environment variable that holds the path of another bundle. If it is empty, no bundle is
/// used.
pub const VARIABLE: &str = "WEFT_KERNEL_BUNDLE";

/// The first line. A file of another format has another number.
const FORMAT: &str = "weft kernels 1";

/// Bytes of an image's entry in the index: key, start from the end of the index, length, and
/// SHA-256 of the code.
pub const INDEX_ENTRY: usize = 32 + 8 + 8 + 32;

/// Most bytes of text at the start of a file.
const LONGEST: u64 = 4096;

/// The description at the start of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleHead {
    /// Major and minor version of the NVRTC that compiled the images.
    pub compiler: (u32, u32),
    /// The targets that each kernel is compiled for: `sm_90` for machine code, `compute_90` for
    /// PTX.
    pub targets: Vec<String>,
    /// Number of images: kernels times targets.
    pub images: usize,
}

impl BundleHead {
    /// Opens a bundle; also returns the length of its head in bytes.
    ///
    /// # Errors
    /// If the file cannot be read, is not a bundle of this format, or ends in its index
    /// (`InvalidData`).
    pub fn open(path: &Path) -> io::Result<(File, BundleHead, u64)> {
        let file = File::open(path)?;
        let (head, length) = BundleHead::read(&file)?;
        let index = head.images.checked_mul(INDEX_ENTRY);
        let end = index.and_then(|index| length.checked_add(index as u64));
        let all = file.metadata()?.len();
        if end.is_none_or(|end| end > all) {
            let why = "the index is not whole";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        Ok((file, head, length))
    }

    /// Reads the head from the start of a bundle; also returns its length in bytes.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a bundle of this format (`InvalidData`).
    pub fn read(from: impl Read) -> io::Result<(BundleHead, u64)> {
        let mut bytes = Vec::new();
        from.take(LONGEST).read_to_end(&mut bytes)?;
        let end = bytes.windows(2).position(|pair| pair == b"\n\n");
        let head = end.and_then(|end| {
            let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
            Some((BundleHead::parse(text)?, end as u64 + 2))
        });
        head.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a bundle of kernels"))
    }

    fn parse(text: &str) -> Option<BundleHead> {
        let mut lines = text.lines();
        if lines.next()? != FORMAT {
            return None;
        }
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let (major, minor) = field("nvrtc")?.split_once('.')?;
        Some(BundleHead {
            compiler: (major.parse().ok()?, minor.parse().ok()?),
            targets: field("targets")?
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            images: field("images")?.parse().ok()?,
        })
    }
}

/// The text at the start of a file.
impl fmt::Display for BundleHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.compiler;
        let targets = self.targets.join(" ");
        write!(
            f,
            "{FORMAT}\nnvrtc {major}.{minor}\ntargets {targets}\nimages {}\n\n",
            self.images
        )
    }
}

/// Returns the path of the bundle: `$WEFT_KERNEL_BUNDLE`, or the file in the first of these folders
/// that has one. Returns `None` if none has.
pub fn find(folders: &[PathBuf]) -> Option<PathBuf> {
    match env::var_os(VARIABLE) {
        Some(given) => Some(PathBuf::from(given)).filter(|path| !path.as_os_str().is_empty()),
        None => folders
            .iter()
            .map(|folder| folder.join(FILE))
            .find(|path| path.is_file()),
    }
}

/// Describes the bundle of programs whose package is in one of these folders.
pub fn component(folders: &[PathBuf]) -> Component {
    let state = match find(folders) {
        Some(path) => describe(&path),
        None => Err(format!("no {FILE} is installed")),
    };
    component::component(
        "Kernel bundle",
        "kernels for GPUs that need no compiling",
        state,
        "install a wheel that was built with NVRTC, run python/bundle.sh, or set WEFT_KERNEL_BUNDLE to the file's path",
    )
}

fn describe(path: &Path) -> Result<String, String> {
    let (_, head, _) =
        BundleHead::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (major, minor) = head.compiler;
    Ok(format!(
        "{} kernels for {}, by NVRTC {major}.{minor}, {}",
        head.images / head.targets.len().max(1),
        head.targets.join(", "),
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let head = BundleHead {
            compiler: (13, 0),
            targets: vec!["compute_75".to_owned(), "sm_90".to_owned()],
            images: 12,
        };
        let text = format!("{head}and the images");
        let (read, length) = BundleHead::read(text.as_bytes()).expect("a head");
        assert_eq!(read, head);
        assert_eq!(&text[length as usize..], "and the images");
    }

    #[test]
    fn a_file_that_ends_in_its_index_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        for images in [1, usize::MAX / INDEX_ENTRY, usize::MAX] {
            let head = format!("weft kernels 1\nnvrtc 13.0\ntargets sm_90\nimages {images}\n\n");
            std::fs::write(&path, head).expect("a file");
            let error = BundleHead::open(&path).expect_err("no index");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{images}");
            assert!(describe(&path).is_err(), "{images}");
        }
    }

    #[test]
    fn other_files_are_refused() {
        for text in [
            "",
            "weft kernels 2\nnvrtc 13.0\ntargets sm_90\nimages 1\n\n",
            "weft kernels 1\nnvrtc 13\ntargets sm_90\nimages 1\n\n",
            "weft kernels 1\nnvrtc 13.0\ntargets sm_90\nimages 1\n",
        ] {
            let error = BundleHead::read(text.as_bytes()).expect_err("no bundle");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{text}");
        }
    }
}
