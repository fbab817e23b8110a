//! Texts and numbers in pictures.

use super::labels::width;
use super::types::{Edge, Node};
use weft_model::printable::printable;

/// Shortens a text to at most `most` characters, without control characters.
pub(super) fn short(text: &str, most: usize) -> String {
    let text = displayable(text);
    if text.chars().count() <= most {
        return text;
    }
    let begin = text.chars().take(most.saturating_sub(1));
    begin.chain(['…']).collect()
}

/// Shortens a text to a width in pixels, for a font size.
pub(super) fn fitting(text: &str, pixels: f64, size: f64) -> String {
    let text = displayable(text);
    let most = pixels / size;
    if width(&text) <= most {
        return text;
    }
    let mut kept = String::new();
    let mut taken = width("…");
    for letter in text.chars() {
        taken += width(letter.encode_utf8(&mut [0; 4]));
        if taken > most {
            break;
        }
        kept.push(letter);
    }
    kept.push('…');
    kept
}

/// Shortens a name to fit: first without the part before `::`, which the names of one program have
/// in common.
pub(super) fn short_name(name: &str, pixels: f64, size: f64) -> String {
    let name = displayable(name);
    let last = name.rsplit("::").find(|part| !part.is_empty());
    match width(&name) * size <= pixels {
        true => name,
        false => fitting(last.unwrap_or(&name), pixels, size),
    }
}

/// Returns the name of a file and line, with at most `most` characters.
pub(super) fn short_place(place: &str, most: usize) -> String {
    short(file_name(&displayable(place)), most)
}

/// Returns the name of a file and line, shortened to fit.
pub(super) fn fitting_place(place: &str, pixels: f64, size: f64) -> String {
    fitting(file_name(&displayable(place)), pixels, size)
}

fn file_name(place: &str) -> &str {
    place.rsplit(['/', '\\']).next().unwrap_or(place)
}

/// Replaces control characters, and characters that XML forbids.
pub(super) fn displayable(text: &str) -> String {
    printable(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// Formats a time in a suitable unit.
pub(super) fn time(nanos: f64) -> String {
    let (value, unit) = match nanos.abs() {
        n if n < 1e3 => (nanos, "ns"),
        n if n < 1e6 => (nanos / 1e3, "µs"),
        n if n < 1e9 => (nanos / 1e6, "ms"),
        _ => (nanos / 1e9, "s"),
    };
    format!("{} {unit}", figures(value))
}

/// Formats a number of bytes in a suitable unit; units are powers of 1000.
pub(super) fn bytes(count: u64) -> String {
    let count = count as f64;
    let (value, unit) = match count {
        n if n < 1e3 => return format!("{n} B"),
        n if n < 1e6 => (count / 1e3, "kB"),
        n if n < 1e9 => (count / 1e6, "MB"),
        n if n < 1e12 => (count / 1e9, "GB"),
        _ => (count / 1e12, "TB"),
    };
    format!("{} {unit}", figures(value))
}

fn figures(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Returns the tooltip of a node, in lines.
pub(super) fn about_node(node: &Node) -> String {
    let mut lines = vec![displayable(&node.name)];
    lines.extend(node.place.as_deref().map(displayable));
    lines.extend(node.uid.as_ref().map(|uid| format!("UID {uid}")));
    if let Some(iteration) = node.iteration {
        lines.push(format!("iteration {iteration}"));
    }
    lines.push(format!(
        "{} operations, {} tasks, {} copies",
        node.operations, node.tasks, node.copies
    ));
    if node.copied_bytes > 0 {
        lines.push(format!("{} copied", bytes(node.copied_bytes)));
    }
    if let Some(device) = node.device_ns {
        lines.push(format!("kernels {}", time(device)));
    }
    lines.push(format!(
        "tasks and copies {}, mean {}",
        time(node.time_ns as f64),
        time(node.mean_ns)
    ));
    lines.join("\n")
}

/// Returns the tooltip of an edge, in lines.
pub(super) fn about_edge(edge: &Edge) -> String {
    let mut lines = vec![format!("{} dependences", edge.dependences)];
    let kinds = [
        (edge.read_after_write, "read after write"),
        (edge.write_after_read, "write after read"),
        (edge.write_after_write, "write after write"),
        (edge.order, "of unknown kind"),
        (edge.carried, "from an earlier iteration"),
        (edge.unknown_store, "whose store is not known"),
    ];
    let some = kinds.iter().filter(|(count, _)| *count > 0);
    lines.extend(some.map(|(count, kind)| format!("{count} {kind}")));
    for store in edge.stores.iter().take(MOST_STORES) {
        let shape: Vec<String> = store.shape.iter().map(u64::to_string).collect();
        let place = store.place.as_deref().unwrap_or("unknown line");
        lines.push(format!(
            "store {}: {} [{}] of {}, {} of this kind, at most {} in all",
            store.uid,
            displayable(&store.dtype),
            shape.join(", "),
            displayable(place),
            store.count,
            bytes(store.bytes_at_most)
        ));
    }
    if edge.stores.len() > MOST_STORES {
        lines.push(format!("{} more", edge.stores.len() - MOST_STORES));
    }
    if edge.moved_bytes > 0 {
        lines.push(format!("{} moved by copies", bytes(edge.moved_bytes)));
    }
    lines.join("\n")
}

const MOST_STORES: usize = 8;

/// Returns the label of an edge: its bytes if known, otherwise its number of dependences.
pub(super) fn edge_label(edge: &Edge) -> String {
    match (edge.moved_bytes, edge.shared_bytes_at_most) {
        (0, None) => format!("{}×", edge.dependences),
        (0, Some(shared)) => format!("{}× ≤{}", edge.dependences, bytes(shared)),
        (moved, _) => format!("{}× {}", edge.dependences, bytes(moved)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_figures_with_three_digits() {
        assert_eq!(time(999.0), "999 ns");
        assert_eq!(time(12_345.0), "12.3 µs");
        assert_eq!(time(3.1e6), "3.10 ms");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(16_000_000), "16.0 MB");
    }

    #[test]
    fn shortens_long_texts_and_escapes_hostile_ones() {
        assert_eq!(short("abcdef", 4), "abc…");
        assert_eq!(short("a\nb", 10), "a\\nb");
        assert_eq!(
            fitting_place("/home/x/stencil.py:5", 150.0, 10.0),
            "stencil.py:5"
        );
        assert_eq!(
            short_name("cupynumeric::BinaryOpTask", 170.0, 12.0),
            "BinaryOpTask"
        );
        let cut = fitting("cupynumeric::BinaryOpTask", 60.0, 10.0);
        assert!(cut.ends_with('…') && width(&cut) <= 6.0, "{cut}");
        assert_eq!(displayable("\u{ffff}"), "\u{fffd}");
    }
}
