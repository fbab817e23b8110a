//! Plays a program of NVTX calls, read as JSON from the file named first, through Weft's own
//! client.
//!
//! Prints the client's state of the tool: `attached`, `no tool` or the error.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::io::Write;
use std::{env, fs, io, thread};

use nvtx_recorder::{Label, Step, domains, from_json};

#[path = "../../../../runtime/core/src/observe"]
mod observe {
    //! The client, alone.
    pub(crate) mod nvtx;
}

use observe::nvtx::{self, Color, Domain, ProcessRange, RegisteredString, Tool};

struct Player<'domain> {
    tool: &'static Tool,
    domains: &'domain HashMap<String, Domain>,
    /// Names by domain; a category's number is its place, from 1.
    categories: HashMap<&'domain str, Vec<String>>,
    texts: HashMap<(&'domain str, String), RegisteredString>,
    started: BTreeMap<u32, ProcessRange<'domain>>,
}

impl<'domain> Player<'domain> {
    fn prepare(&mut self, label: &Label) -> Option<(&'domain Domain, RegisteredString, u32)> {
        let (name, domain) = self.domains.get_key_value(&label.domain)?;
        let categories = self.categories.entry(name).or_default();
        let place = categories.iter().position(|known| *known == label.category);
        let category = place.unwrap_or(categories.len()) as u32 + 1;
        if place.is_none() {
            categories.push(label.category.clone());
            domain.name_category(category, &label.category);
        }
        let text = *self
            .texts
            .entry((name, label.text.clone()))
            .or_insert_with(|| domain.register(&label.text));
        Some((domain, text, category))
    }

    fn play(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Range(label, inside) => {
                if let Some((domain, text, category)) = self.prepare(label) {
                    let _range = domain.push(&text, category, Color(label.color), label.payload);
                    self.play(inside);
                }
            }
            Step::Mark(label) => {
                if let Some((domain, text, category)) = self.prepare(label) {
                    domain.mark(&text, category, Color(label.color), label.payload);
                }
            }
            Step::Start(key, label) => {
                if let Some((domain, text, category)) = self.prepare(label) {
                    let range = domain.start(&text, category, Color(label.color), label.payload);
                    self.started.insert(*key, range);
                }
            }
            Step::End(key) => drop(self.started.remove(key)),
            Step::NameThread(thread, name) => nvtx::name_thread(self.tool, *thread, name),
            Step::Thread(steps) => {
                thread::scope(|scope| {
                    scope.spawn(|| self.play(steps));
                });
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).ok_or("usage: ranges PROGRAM.json")?;
    let program = from_json(&fs::read_to_string(path)?)?;
    let said = match (nvtx::tool(), nvtx::load_error()) {
        (Some(tool), _) => {
            let names = domains(&program);
            let mut created = HashMap::new();
            for name in &names {
                created.insert(name.clone(), Domain::create(tool, name));
            }
            Player {
                tool,
                domains: &created,
                categories: HashMap::new(),
                texts: HashMap::new(),
                started: BTreeMap::new(),
            }
            .play(&program);
            for name in &names {
                drop(created.remove(name));
            }
            "attached".to_owned()
        }
        (None, None) => "no tool".to_owned(),
        (None, Some(error)) => error.to_string(),
    };
    writeln!(io::stdout(), "{said}")?;
    Ok(())
}
