//! Pictures of lanes: contents and places, in SVG and in pixels.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "picture/legends.rs"]
mod legends;
#[path = "../../nvtx-export/tests/made.rs"]
mod made;
#[path = "support/recording.rs"]
mod recording;

use made::{Shape, trace as made_trace};
use recording::recording;
use serde_json::Value;
use tempfile::TempDir;
use weft_model::Trace;
use weft_nvtx_export::Progress;
use weft_output::sqlite::{self, WriteOptions};
use weft_timeline::Timeline;
use weft_view::{Look, Options, Picture, Site, State, draw, paint};

/// Returns the state of a trace of `tasks` tasks.
fn state(folder: &TempDir, name: &str, tasks: u64, change: impl FnOnce(&mut Trace)) -> State {
    let mut trace = made_trace(Shape {
        seed: 5,
        ranks: 1,
        tasks,
        zero: 5_000,
        broken: false,
    });
    change(&mut trace);
    let path = folder.path().join(name);
    sqlite::write(&trace, &path, &WriteOptions::default()).unwrap();
    State::new(
        Timeline::open(&path, &Progress::default()).unwrap(),
        Options::default(),
    )
}

fn look(width: u32, height: Option<u32>, lanes: &str) -> Look {
    Look {
        width,
        height,
        lanes: lanes.to_owned(),
    }
}

fn picture(tasks: u64, look: &Look) -> Picture {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::new(state(&folder, "weft.sqlite", tasks, |_| ())).unwrap();
    draw(&site, look).unwrap()
}

/// Returns the width, the height and the pixels of an image, three bytes each.
fn pixels(png: &[u8]) -> ((u32, u32), Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    ((reader.info().width, reader.info().height), pixels)
}

/// Returns the numbers after a letter of a path or an attribute, in the order of the text.
fn numbers(text: &str, behind: &str) -> Vec<f64> {
    let parts = text.split(behind).skip(1);
    let digits = |part: &str| {
        let end = part.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        part[..end.unwrap_or(part.len())].parse().ok()
    };
    parts.filter_map(digits).collect()
}

#[test]
fn small_trace_matches_the_snapshot() {
    insta::assert_snapshot!(picture(6, &look(700, None, "CPU")).svg);
}

#[test]
fn drawing_is_valid_xml_within_the_picture() {
    for (width, height) in [
        (300, None),
        (1000, None),
        (1000, Some(300)),
        (2000, Some(2500)),
    ] {
        let picture = picture(300, &look(width, height, ""));
        assert_eq!(picture.size.0, width);
        if let Some(height) = height {
            assert!(picture.size.1 >= height);
        }
        roxmltree::Document::parse(&picture.svg).unwrap();
        assert_eq!(pixels(&paint(&picture).unwrap()).0, picture.size);
        for y in numbers(&picture.svg, " y=\"") {
            assert!(y <= f64::from(picture.size.1), "{y} in {:?}", picture.size);
        }
        for line in picture
            .svg
            .lines()
            .filter(|line| line.starts_with("<path fill="))
        {
            for x in numbers(line, "M") {
                assert!(x >= 150.0 && x <= f64::from(width), "{line}");
            }
        }
    }
}

#[test]
fn omits_lanes_without_room_and_unselected_lanes() {
    let all = picture(300, &look(1000, None, ""));
    let few = picture(300, &look(1000, None, "cpu"));
    assert!(few.size.1 < all.size.1 && few.left_out.len() <= all.left_out.len());
    let low = picture(300, &look(1000, Some(200), ""));
    assert!(
        low.left_out
            .iter()
            .any(|sentence| sentence.contains("no room")),
        "{:?}",
        low.left_out
    );
    let folder = tempfile::tempdir().unwrap();
    let site = Site::new(state(&folder, "weft.sqlite", 300, |_| ())).unwrap();
    let error = draw(&site, &look(1000, None, "no lane is called this")).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("`no lane is called this`") && error.contains("`CPU 0`"),
        "{error}"
    );
}

#[test]
fn lines_show_their_color_and_time() {
    let picture = picture(300, &look(1200, None, ""));
    let ((width, _), pixels) = pixels(&paint(&picture).unwrap());
    // Squares of the legend.
    let mut squares = 0;
    for line in picture
        .svg
        .lines()
        .filter(|line| line.contains("width=\"14\""))
    {
        let (x, y) = (numbers(line, " x=\"")[0], numbers(line, " y=\"")[0]);
        let colour = line
            .split_once("fill=\"#")
            .unwrap()
            .1
            .split_once('"')
            .unwrap()
            .0;
        let wanted = u32::from_str_radix(colour, 16).unwrap();
        let at = 3 * ((y as usize + 7) * width as usize + x as usize + 7);
        let found = u32::from_be_bytes([0, pixels[at], pixels[at + 1], pixels[at + 2]]);
        assert_eq!(found, wanted, "{line}");
        squares += 1;
    }
    assert!(squares > 3);
    let (entries, others) = legends::legend(&picture);
    let costs = entries.into_values().chain(others);
    let shares: Vec<f64> = costs.map(|(_, share)| share).collect();
    let sum: f64 = shares.iter().sum();
    assert!(
        shares.len() > 3 && sum > 50.0 && sum <= 100.0 + shares.len() as f64,
        "{shares:?}"
    );
}

#[test]
fn draws_memory_by_lines() {
    let picture = picture(300, &look(1200, None, "memor"));
    assert!(picture.svg.contains(">at most "), "{}", picture.svg);
    let drawn: Vec<&str> = picture
        .svg
        .lines()
        // The background of the label is not an area.
        .filter(|line| line.starts_with("<path fill=") && !line.contains("#f4f6f8"))
        .collect();
    let legend = |colour: &str| format!("height=\"14\" fill=\"{colour}\"");
    let mut areas = 0;
    let mut curve = (0.0, 0.0);
    for path in drawn {
        let colour = path.split('"').nth(1).unwrap();
        if path.contains("V") {
            let low = numbers(path, " ")[0];
            let high = numbers(path, "V").into_iter().fold(low, f64::min);
            curve = (high, low);
        } else {
            areas += 1;
            assert!(
                picture.svg.contains(&legend(colour)),
                "{colour} is in the legend"
            );
            // Within the height of the whole memory.
            let heights = numbers(path, "v");
            let tops = path.split('M').skip(1).map(|part| numbers(part, " ")[0]);
            for (top, height) in tops.zip(heights) {
                assert!(
                    top >= curve.0 - 0.11 && top + height <= curve.1 + 0.11,
                    "{path}"
                );
            }
        }
    }
    assert!(areas > 2);
}

#[test]
fn draws_two_runs_one_above_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let before = state(&folder, "before.sqlite", 60, |_| ());
    let after = state(&folder, "after.sqlite", 60, |trace| {
        // Half as long.
        for task in &mut trace.work.tasks {
            let half = (task.end - task.start).0 / 2;
            task.end =
                weft_trace::time::Timestamp::from_nanos_since_boot(task.start.nanos() + half);
        }
    });
    let site = Site::pair(before, after, Value::Null).unwrap();
    let picture = draw(&site, &look(1000, None, "CPU")).unwrap();
    let titles = ["before", "after"].map(|title| picture.svg.find(&format!(">{title}</text>")));
    assert!(titles[0].unwrap() < titles[1].unwrap());
    assert!(picture.svg.contains(" → "));
    assert_eq!(picture.svg.matches(">CPU 0</text>").count() % 2, 0);
}
