//! Places for the labels of edges: next to their edge, over no node and no other label.

use super::layout::Point;
use rustc_hash::FxHashMap;

/// Font size of labels, in pixels.
pub(super) const SIZE: f64 = 9.5;

/// Margin around a label.
const MARGIN: f64 = 2.0;

/// Height of the stripes by which areas are indexed.
const STRIPE: f64 = 32.0;

/// Returns the width of a text in units of the font size, in the widest of the usual fonts.
pub(super) fn width(text: &str) -> f64 {
    let widths = text.chars().map(|letter| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '!' => 0.36,
        'f' | 'r' | 't' | '(' | ')' | '/' | '-' | '[' | ']' => 0.44,
        '0'..='9' | 'a'..='h' | 'k' | 'n'..='q' | 's' | 'u' | 'v' | 'x'..='z' => 0.64,
        'µ' => 0.64,
        'm' | 'w' | 'M' | 'W' | '×' | '≤' | '@' | '%' => 1.0,
        letter if letter.is_ascii() => 0.74,
        _ => 1.0,
    });
    widths.sum()
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    fn meets(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn stripes(&self) -> impl Iterator<Item = i64> + use<> {
        (self.top / STRIPE).floor() as i64..=(self.bottom / STRIPE).floor() as i64
    }
}

/// The occupied areas of a picture.
#[derive(Debug, Default)]
pub(super) struct OccupiedAreas(FxHashMap<i64, Vec<Area>>);

impl OccupiedAreas {
    pub(super) fn add(&mut self, area: Area) {
        for stripe in area.stripes() {
            self.0.entry(stripe).or_default().push(area);
        }
    }

    fn is_free(&self, area: &Area) -> bool {
        let mut near = area
            .stripes()
            .filter_map(|stripe| self.0.get(&stripe))
            .flatten();
        !near.any(|taken| taken.meets(area))
    }

    /// Places a label next to the first of these points of its edge with room on one side. Returns
    /// the start of its base line.
    pub(super) fn place_label(&mut self, label: &str, points: &[Point]) -> Option<Point> {
        let wide = width(label) * SIZE;
        for (x, y) in points {
            for left in [x + 4.0, x - 4.0 - wide] {
                let area = Area {
                    left: left - MARGIN,
                    top: y - SIZE - MARGIN,
                    right: left + wide + MARGIN,
                    bottom: y + MARGIN,
                };
                if area.left >= 0.0 && self.is_free(&area) {
                    self.add(area);
                    return Some((left, *y));
                }
            }
        }
        None
    }
}

/// Returns a point of a Bézier curve with four control points.
pub(super) fn on_curve(points: [Point; 4], part: f64) -> Point {
    let rest = 1.0 - part;
    let weights = [
        rest * rest * rest,
        3.0 * rest * rest * part,
        3.0 * rest * part * part,
        part * part * part,
    ];
    let mut found = (0.0, 0.0);
    for ((x, y), weight) in points.into_iter().zip(weights) {
        found.0 += x * weight;
        found.1 += y * weight;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_labels_side_by_side_or_omits_them() {
        let mut taken = OccupiedAreas::default();
        let point = [(100.0, 50.0)];
        let right = taken.place_label("12× 3.4 MB", &point).unwrap();
        let left = taken.place_label("12× 3.4 MB", &point).unwrap();
        assert!(right.0 > 100.0 && left.0 + width("12× 3.4 MB") * SIZE < 100.0);
        assert_eq!(taken.place_label("12× 3.4 MB", &point), None);
        // A node further down is in the way, but the next point has room.
        taken.add(Area {
            left: 0.0,
            top: 80.0,
            right: 300.0,
            bottom: 130.0,
        });
        let points = [(100.0, 100.0), (100.0, 160.0)];
        assert_eq!(taken.place_label("1×", &points).unwrap().1, 160.0);
    }

    #[test]
    fn curves_pass_through_their_end_points() {
        let points = [(0.0, 0.0), (0.0, 5.0), (8.0, 5.0), (8.0, 10.0)];
        assert_eq!(on_curve(points, 0.0), (0.0, 0.0));
        assert_eq!(on_curve(points, 0.5), (4.0, 5.0));
        assert_eq!(on_curve(points, 1.0), (8.0, 10.0));
    }
}
