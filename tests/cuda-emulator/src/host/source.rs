//! Properties of CUDA C found in its text.

/// A kernel in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The maximum number of threads in a block by `__launch_bounds__`; 1024 without it.
    pub(super) max_threads: u32,
}

/// Names whose use synchronizes the threads of a block.
const BARRIERS: [&str; 6] = [
    "__syncthreads",
    "__syncwarp",
    "__shfl",
    "_sync(",
    "__reduce_",
    "weft_block_vote",
];

/// Returns whether threads of a block may wait for each other.
pub(super) fn has_barriers(source: &str) -> bool {
    BARRIERS.iter().any(|name| source.contains(name))
}

/// Returns the kernels of a source, in order.
pub(super) fn entries(source: &str) -> Vec<Entry> {
    let source = without_comments(source);
    let mut entries = Vec::new();
    for part in source.split("__global__").skip(1) {
        // The text between the word and the parameters, without the parentheses of
        // __launch_bounds__.
        let mut rest = part;
        let mut max_threads = 1024;
        let name = loop {
            let Some(at) = rest.find('(') else { break None };
            let word = last_word(&rest[..at]);
            if word != "__launch_bounds__" {
                break Some(word.to_owned());
            }
            let Some(end) = rest.find(')') else {
                break None;
            };
            let first = rest[at + 1..end].split(',').next().unwrap_or_default();
            max_threads = first.trim().parse().unwrap_or(1024);
            rest = &rest[end + 1..];
        };
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            entries.push(Entry { name, max_threads });
        }
    }
    entries.dedup();
    entries
}

fn last_word(text: &str) -> &str {
    let text = text.trim_end();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let start = text.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
    &text[start..]
}

fn without_comments(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    loop {
        let line = rest.find("//");
        let block = rest.find("/*");
        let (at, end) = match (line, block) {
            (Some(line), block) if block.is_none_or(|block| line < block) => (line, "\n"),
            (_, Some(block)) => (block, "*/"),
            _ => break,
        };
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 2..];
        rest = rest.find(end).map_or("", |at| &rest[at + end.len()..]);
    }
    out.push_str(rest);
    out
}

/// Replaces `extern __shared__ T name[];` by the kernel's pointer to it.
pub(super) fn with_dynamic_shared(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("extern __shared__") {
        let after = &rest[at + "extern __shared__".len()..];
        let declaration = after.find(';').map(|end| &after[..end]);
        let parts = declaration.and_then(|text| {
            text.trim_end()
                .strip_suffix(']')?
                .trim_end()
                .strip_suffix('[')
        });
        let (Some(declaration), Some(parts)) = (declaration, parts) else {
            break;
        };
        let name = last_word(parts);
        let start = parts.trim_end().len() - name.len();
        let mut kind = parts[..start].trim();
        if let Some(aligned) = kind.strip_prefix("__align__") {
            kind = aligned
                .find(')')
                .map_or(kind, |end| aligned[end + 1..].trim());
        }
        out.push_str(&rest[..at]);
        out.push_str(&format!(
            "{kind} *{name} = reinterpret_cast<{kind} *>(::cuda_shim::dynamic_shared)"
        ));
        rest = &after[declaration.len()..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_kernels_by_global_keyword() {
        let source = r#"
            // __global__ void not_this(int)
            /* __global__ void nor_this(int) */
            extern "C" __global__ void first(double *x) {}
            extern "C" __global__ void __launch_bounds__(256, 2) second(double *x) {}
            extern "C" __global__ __launch_bounds__(128) void
            third (double *x) {}
        "#;
        let found = entries(source);
        let expected = [("first", 1024), ("second", 256), ("third", 128)];
        let expected: Vec<Entry> = expected
            .map(|(name, max_threads)| Entry {
                name: name.to_owned(),
                max_threads,
            })
            .into();
        assert_eq!(found, expected);
    }

    #[test]
    fn dynamic_shared_memory_becomes_a_pointer() {
        let source = "{ extern __shared__ __align__(16) double tile[]; tile[0] = 1; }";
        let expected = "{ double *tile = reinterpret_cast<double *>(::cuda_shim::dynamic_shared); tile[0] = 1; }";
        assert_eq!(with_dynamic_shared(source), expected);
    }
}
