//! The bundle of compiled kernels that is installed with Weft: the place of its file, and the
//! description at its start.
//!
//! The file starts with lines of text that an empty line ends. The index of images, sorted by key,
//! and the images follow.

use std::env;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::component::{self, Component};

/// The name of the file, in the folder of the Python package or of the program.
pub const FILE: &str = "kernels.weft";

/// The environment variable that holds the path of another bundle. If it is empty, no bundle is
/// used.
pub const VARIABLE: &str = "WEFT_KERNEL_BUNDLE";

/// The first line. A file of another format has another number.
const FORMAT: &str = "weft kernels 1";

/// Size of an entry of the index in bytes.
const INDEX_ENTRY: usize = 32 + 8 + 8 + 32;

/// Major and minor version of CUDA.
pub type CudaVersion = (u32, u32);

/// Most bytes of text at the start of a file.
const LONGEST: u64 = 4096;

/// The description at the start of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleHead {
    /// Major and minor version of the NVRTC that compiled the images.
    pub compiler: CudaVersion,
    /// The targets that each kernel is compiled for: `sm_90` for machine code, `compute_90` for
    /// PTX.
    pub targets: Vec<String>,
    /// Number of images: kernels times targets.
    pub images: usize,
}

/// An image's entry in the index of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// SHA-256 of the compiler's options, the target and the source.
    pub key: [u8; 32],
    /// Number of bytes between the end of the index and the code.
    pub start: u64,
    /// Size of the code in bytes.
    pub length: u64,
    /// SHA-256 of the code.
    pub hash: [u8; 32],
}

impl IndexEntry {
    /// Returns the entry as in the file, with integers in little-endian order.
    pub fn to_bytes(self) -> [u8; INDEX_ENTRY] {
        let mut bytes = [0; INDEX_ENTRY];
        let parts = [
            &self.key[..],
            &self.start.to_le_bytes(),
            &self.length.to_le_bytes(),
            &self.hash,
        ];
        for (to, from) in bytes.iter_mut().zip(parts.concat()) {
            *to = from;
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Option<IndexEntry> {
        let (key, rest) = bytes.split_first_chunk()?;
        let (start, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        Some(IndexEntry {
            key: *key,
            start: u64::from_le_bytes(*start),
            length: u64::from_le_bytes(*length),
            hash: *rest.first_chunk()?,
        })
    }
}

/// An open bundle with its index.
#[derive(Debug)]
pub struct BundleFile {
    /// The file.
    pub file: File,
    /// Its description.
    pub head: BundleHead,
    /// The index.
    pub index: Vec<IndexEntry>,
    /// Position of the end of the index in the file. Code starts there.
    pub code: u64,
}

/// The reason why a bundle is not used.
#[derive(Debug, thiserror::Error)]
pub enum UnusableBundle {
    /// The file cannot be read, is not a bundle of this format, or ends in its index.
    #[error("{}: {cause}", path.display())]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// The code of some images is missing.
    #[error("{}: the file is cut: it lacks the code of {lost} of {images} images", path.display())]
    Cut {
        /// Its path.
        path: PathBuf,
        /// Number of images without code.
        lost: usize,
        /// Number of all images.
        images: usize,
    },
    /// The driver has an older major version than the compiler.
    #[error(
        "{}: NVRTC {}.{} compiled it, which is newer than the driver (CUDA {}.{})",
        path.display(), compiler.0, compiler.1, driver.0, driver.1
    )]
    TooNew {
        /// Its path.
        path: PathBuf,
        /// Version of the compiler.
        compiler: CudaVersion,
        /// The newest CUDA version that the driver supports.
        driver: CudaVersion,
    },
}

impl UnusableBundle {
    fn remedy(&self) -> &'static str {
        match self {
            UnusableBundle::TooNew { .. } => {
                "install a newer driver, or run python/bundle.sh with an NVRTC of the driver's version"
            }
            UnusableBundle::Unreadable { .. } | UnusableBundle::Cut { .. } => REMEDY,
        }
    }
}

const REMEDY: &str = "install a wheel that was built with NVRTC, run python/bundle.sh, or set WEFT_KERNEL_BUNDLE to the file's path";

impl BundleFile {
    /// Opens a bundle.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is not a bundle of this format, or ends in its
    /// index.
    pub fn open(path: &Path) -> Result<BundleFile, UnusableBundle> {
        let opened = BundleFile::read(path);
        opened.map_err(|cause| UnusableBundle::Unreadable {
            path: path.to_owned(),
            cause,
        })
    }

    fn read(path: &Path) -> io::Result<BundleFile> {
        let file = File::open(path)?;
        let (head, length) = BundleHead::read(&file)?;
        let size = head.images.checked_mul(INDEX_ENTRY);
        let end = size.and_then(|size| length.checked_add(size as u64));
        let all = file.metadata()?.len();
        let code = end.filter(|end| *end <= all).ok_or_else(|| {
            let why = "the file is cut: its index is not whole";
            io::Error::new(io::ErrorKind::InvalidData, why)
        })?;
        // The index lies in the file, so that its size cannot be too large to allocate.
        let mut bytes = vec![0; size.unwrap_or_default()];
        file.read_exact_at(&mut bytes, length)?;
        let entries = bytes.chunks_exact(INDEX_ENTRY);
        Ok(BundleFile {
            index: entries.filter_map(IndexEntry::read).collect(),
            file,
            head,
            code,
        })
    }

    /// Checks that a driver of a version can load the machine code of a bundle, and that no code is
    /// missing. Without a version only the file is checked.
    ///
    /// # Errors
    /// Returns an error if it cannot load the code, or code is missing.
    fn check(&self, path: &Path, driver: Option<CudaVersion>) -> Result<(), UnusableBundle> {
        let compiler = self.head.compiler;
        if let Some(driver) = driver.filter(|driver| compiler.0 > driver.0) {
            return Err(UnusableBundle::TooNew {
                path: path.to_owned(),
                compiler,
                driver,
            });
        }
        let all = self.file.metadata().map_or(0, |found| found.len());
        let is_lost = |entry: &&IndexEntry| {
            let start = self.code.checked_add(entry.start);
            let end = start.and_then(|start| start.checked_add(entry.length));
            end.is_none_or(|end| end > all)
        };
        match self.index.iter().filter(is_lost).count() {
            0 => Ok(()),
            lost => Err(UnusableBundle::Cut {
                path: path.to_owned(),
                lost,
                images: self.index.len(),
            }),
        }
    }

    /// Opens a bundle for a driver that supports CUDA up to a version. Kernels whose code is
    /// missing or damaged are compiled.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or the driver cannot load its machine code.
    pub fn open_for(path: &Path, driver: CudaVersion) -> Result<BundleFile, UnusableBundle> {
        let bundle = BundleFile::open(path)?;
        match bundle.check(path, Some(driver)) {
            Err(error @ UnusableBundle::TooNew { .. }) => Err(error),
            _ => Ok(bundle),
        }
    }
}

impl BundleHead {
    /// Reads the head from the start of a bundle; also returns its length in bytes.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is not a bundle of this format
    /// (`InvalidData`).
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

/// The choice of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleChoice {
    /// The variable [`VARIABLE`] is empty: no bundle is used.
    Off,
    /// The path in the variable [`VARIABLE`].
    Given(PathBuf),
    /// A file in a folder of an installation.
    Installed(PathBuf),
    /// There is no file.
    Absent,
}

/// Returns the bundle to use: `$WEFT_KERNEL_BUNDLE`, or the file in the first of these folders that
/// has one.
pub fn find(folders: &[PathBuf]) -> BundleChoice {
    match env::var_os(VARIABLE) {
        Some(given) if given.is_empty() => BundleChoice::Off,
        Some(given) => BundleChoice::Given(given.into()),
        None => folders
            .iter()
            .map(|folder| folder.join(FILE))
            .find(|path| path.is_file())
            .map_or(BundleChoice::Absent, BundleChoice::Installed),
    }
}

/// Describes the bundle of programs whose package is in one of these folders, on a machine whose
/// driver supports CUDA up to the version `driver`, if it is known.
pub fn component(folders: &[PathBuf], driver: Option<CudaVersion>) -> Component {
    let (state, get) = match find(folders) {
        BundleChoice::Given(path) | BundleChoice::Installed(path) => {
            match describe(&path, driver) {
                Ok(text) => (Ok(text), ""),
                Err(error) => (Err(error.to_string()), error.remedy()),
            }
        }
        BundleChoice::Off => (
            Err(format!("switched off: {VARIABLE} is empty")),
            "unset WEFT_KERNEL_BUNDLE",
        ),
        BundleChoice::Absent => (Err(format!("no {FILE} is installed")), REMEDY),
    };
    component::component(
        "Kernel bundle",
        "kernels for GPUs that need no compiling",
        state,
        get,
    )
}

fn describe(path: &Path, driver: Option<CudaVersion>) -> Result<String, UnusableBundle> {
    let bundle = BundleFile::open(path)?;
    bundle.check(path, driver)?;
    let head = &bundle.head;
    let (major, minor) = head.compiler;
    let mut text = format!(
        "{} kernels for {}, by NVRTC {major}.{minor}, {}",
        head.images / head.targets.len().max(1),
        head.targets.join(", "),
        path.display()
    );
    // A driver of the same major version loads newer machine code, but no newer PTX.
    if let Some((major, minor)) = driver.filter(|driver| *driver < head.compiler) {
        text.push_str(&format!(
            "; only its machine code is used, since the driver supports CUDA {major}.{minor}"
        ));
    }
    Ok(text)
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
            let error = describe(&path, None).expect_err("no index").to_string();
            assert!(error.contains("index is not whole"), "{images}: {error}");
        }
    }

    /// Writes a bundle of two images of 8 bytes.
    fn written(path: &Path) -> Vec<u8> {
        let head = BundleHead {
            compiler: (13, 1),
            targets: vec!["sm_90".to_owned()],
            images: 2,
        };
        let mut bytes = head.to_string().into_bytes();
        for start in [0, 8] {
            let entry = IndexEntry {
                key: [start as u8; 32],
                start,
                length: 8,
                hash: [0; 32],
            };
            bytes.extend(entry.to_bytes());
        }
        bytes.extend([7; 16]);
        std::fs::write(path, &bytes).expect("a file");
        bytes
    }

    #[test]
    fn explains_why_a_bundle_is_unusable() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE);
        let bytes = written(&path);
        let said = |driver| match describe(&path, driver) {
            Ok(text) => text,
            Err(error) => format!("{error} {}", error.remedy()),
        };
        for driver in [None, Some((13, 1)), Some((14, 0))] {
            let text = said(driver);
            assert!(
                text.starts_with("2 kernels for sm_90, by NVRTC 13.1"),
                "{text}"
            );
            assert!(!text.contains("machine code"), "{text}");
        }
        assert!(said(Some((13, 0))).contains("only its machine code is used"));
        let text = said(Some((12, 9)));
        assert!(
            text.contains("NVRTC 13.1 compiled it, which is newer than the driver (CUDA 12.9)"),
            "{text}"
        );
        assert!(text.contains("install a newer driver"), "{text}");
        std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("a file");
        assert!(
            said(None).contains("it lacks the code of 1 of 2 images"),
            "{}",
            said(None)
        );
        std::fs::remove_file(&path).expect("removed");
        let text = said(None);
        assert!(
            text.contains(FILE) && text.contains("No such file"),
            "{text}"
        );
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
