//! The drawing as pixels.

use super::Picture;
use crate::state::ViewError;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::Arc;

/// The fonts have most letters up to this one: Latin, Greek and Cyrillic.
const LAST: char = '\u{4ff}';

/// Paints a picture, as PNG. Texts are in fonts that come with this command, so that the same picture has the same pixels on every machine; letters that
/// these lack are in the system's fonts.
///
/// # Errors
/// There is not enough memory for so many pixels.
pub fn paint(picture: &Picture) -> Result<Vec<u8>, ViewError> {
    let failed = |why: String| ViewError::Asked(format!("the picture cannot be painted: {why}"));
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    if picture
        .svg
        .chars()
        .any(|letter| letter > LAST && !('\u{2000}'..='\u{22ff}').contains(&letter))
    {
        fonts.load_system_fonts();
    }
    fonts.set_sans_serif_family("Ubuntu");
    fonts.set_monospace_family("Hack");
    let options = Options {
        fontdb: Arc::new(fonts),
        font_family: "Ubuntu".to_owned(),
        ..Options::default()
    };
    let tree = Tree::from_str(&picture.svg, &options).map_err(|error| failed(error.to_string()))?;
    let (width, height) = picture.size;
    let pixels = Pixmap::new(width, height);
    let mut pixels =
        pixels.ok_or_else(|| failed(format!("{width} by {height} pixels are too many")))?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels
        .encode_png()
        .map_err(|error| failed(error.to_string()))
}
