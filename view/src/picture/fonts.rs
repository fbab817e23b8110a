//! Lines of text as outlines of glyphs.

use ab_glyph::{
    Font as _, FontArc, FontRef, FontVec, GlyphId, OutlinedGlyph, PxScale, ScaleFont as _, point,
};
use rustc_hash::FxHashMap;

/// The fonts of pictures, and those of the system for letters that these lack.
pub(super) struct Fonts {
    /// Ubuntu and Hack.
    own: Vec<FontArc>,
    /// The system's fonts, read when a letter needs them.
    system: Option<fontdb::Database>,
    /// A font of the system for each letter that needed one, if any has it.
    by_letter: FxHashMap<char, Option<FontArc>>,
}

impl Default for Fonts {
    fn default() -> Self {
        let own = [
            epaint_default_fonts::UBUNTU_LIGHT,
            epaint_default_fonts::HACK_REGULAR,
        ];
        let own = own
            .iter()
            .filter_map(|bytes| FontRef::try_from_slice(bytes).ok());
        Fonts {
            own: own.map(FontArc::from).collect(),
            system: None,
            by_letter: FxHashMap::default(),
        }
    }
}

/// A line of text with each glyph's distance from its start.
pub(super) struct Line {
    /// In pixels.
    pub(super) width: f64,
    glyphs: Vec<(FontArc, GlyphId, PxScale, f64)>,
}

impl Line {
    /// The outlines of the line, whose baseline starts at a point. Spaces have none.
    pub(super) fn placed(&self, x: f64, y: f64) -> impl Iterator<Item = OutlinedGlyph> {
        self.glyphs
            .iter()
            .filter_map(move |(font, glyph, scale, from)| {
                let at = point((x + from) as f32, y as f32);
                font.outline_glyph(glyph.with_scale_and_position(*scale, at))
            })
    }
}

impl Fonts {
    /// A line in a font size in pixels.
    pub(super) fn line(&mut self, text: &str, size: f64, is_mono: bool) -> Line {
        let mut line = Line {
            width: 0.0,
            glyphs: Vec::new(),
        };
        for letter in text.chars() {
            let Some((font, glyph)) = self.glyph(letter, is_mono) else {
                continue;
            };
            // A size is that of the em square; the library's is from the highest to the lowest
            // point.
            let em = f64::from(font.units_per_em().unwrap_or(1000.0));
            let scale = PxScale::from((size * f64::from(font.height_unscaled()) / em) as f32);
            let advance = f64::from(font.as_scaled(scale).h_advance(glyph));
            line.glyphs.push((font, glyph, scale, line.width));
            line.width += advance;
        }
        line
    }

    /// The first font that has the letter; if none has, the box of the first font.
    fn glyph(&mut self, letter: char, is_mono: bool) -> Option<(FontArc, GlyphId)> {
        let preferred = usize::from(is_mono);
        let own = self
            .own
            .iter()
            .skip(preferred)
            .chain(self.own.iter().take(preferred));
        for font in own {
            let glyph = font.glyph_id(letter);
            if glyph.0 != 0 {
                return Some((font.clone(), glyph));
            }
        }
        let system = &mut self.system;
        let found = self.by_letter.entry(letter).or_insert_with(|| {
            let system = system.get_or_insert_with(|| {
                let mut fonts = fontdb::Database::new();
                fonts.load_system_fonts();
                fonts
            });
            search(system, letter)
        });
        let font = found.clone().or_else(|| self.own.get(preferred).cloned())?;
        let glyph = font.glyph_id(letter);
        Some((font, glyph))
    }
}

/// A font of the system that has the letter.
fn search(fonts: &fontdb::Database, letter: char) -> Option<FontArc> {
    fonts.faces().find_map(|face| {
        fonts.with_face_data(face.id, |bytes, index| {
            let font = FontRef::try_from_slice_and_index(bytes, index).ok()?;
            // A bitmap has no outline.
            let glyph = font.glyph_id(letter);
            (glyph.0 != 0 && font.outline(glyph).is_some())
                .then(|| FontVec::try_from_vec_and_index(bytes.to_vec(), index).ok())?
                .map(FontArc::from)
        })?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_widths_and_spaces_have_no_outline() {
        let mut fonts = Fonts::default();
        let narrow = fonts.line("iii", 13.0, false);
        let wide = fonts.line("WWW", 13.0, false);
        assert!(narrow.width > 3.0 && wide.width > 2.0 * narrow.width);
        let mono = ["iii", "W W"].map(|text| fonts.line(text, 12.0, true));
        assert!((mono[0].width - mono[1].width).abs() < 1e-6);
        assert_eq!(mono[1].placed(0.0, 20.0).count(), 2);
        // An unassigned letter is a box.
        assert_eq!(
            fonts.line("\u{378}", 13.0, false).placed(0.0, 20.0).count(),
            1
        );
    }
}
