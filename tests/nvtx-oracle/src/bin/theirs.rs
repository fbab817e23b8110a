//! Plays a program of NVTX calls, read as JSON from the file named first, through NVIDIA's crate
//! `nvtx`.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::ffi::CString;
use std::{env, fs, thread};

use nvtx::domain::{Domain, EventAttributes, Range};
use nvtx_recorder::{Label, Step, domains, from_json};

struct Player<'domain> {
    domains: &'domain HashMap<String, Domain>,
    started: BTreeMap<u32, Range<'domain>>,
}

impl<'domain> Player<'domain> {
    /// The crate numbers categories and keeps names and texts itself.
    fn prepare(&self, label: &Label) -> Option<(&'domain Domain, EventAttributes<'domain>)> {
        let domain = self.domains.get(&label.domain)?;
        let category = domain.register_category(c_string(&label.category));
        let text = domain.register_string(c_string(&label.text));
        let [alpha, red, green, blue] = label.color.to_be_bytes();
        let attributes = domain
            .event_attributes_builder()
            .category(category)
            .color(nvtx::color::Color::new(red, green, blue, alpha))
            .payload(label.payload)
            .message(text)
            .build();
        Some((domain, attributes))
    }

    fn play(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Range(label, inside) => {
                if let Some((domain, attributes)) = self.prepare(label) {
                    let _range = domain.local_range(attributes);
                    self.play(inside);
                }
            }
            Step::Mark(label) => {
                if let Some((domain, attributes)) = self.prepare(label) {
                    domain.mark(attributes);
                }
            }
            Step::Start(key, label) => {
                if let Some((domain, attributes)) = self.prepare(label) {
                    let range = domain.range(attributes);
                    self.started.insert(*key, range);
                }
            }
            Step::End(key) => drop(self.started.remove(key)),
            Step::NameThread(thread, name) => nvtx::name_thread(*thread, c_string(name)),
            Step::Thread(steps) => {
                thread::scope(|scope| {
                    scope.spawn(|| self.play(steps));
                });
            }
        }
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).ok_or("usage: theirs PROGRAM.json")?;
    let program = from_json(&fs::read_to_string(path)?)?;
    let names = domains(&program);
    let mut created = HashMap::new();
    for name in &names {
        created.insert(name.clone(), Domain::new(c_string(name)));
    }
    Player {
        domains: &created,
        started: BTreeMap::new(),
    }
    .play(&program);
    for name in &names {
        drop(created.remove(name));
    }
    Ok(())
}
