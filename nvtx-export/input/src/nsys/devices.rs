//! The GPU of the machine for each device of a process.
//!
//! CUDA numbers the devices of each process from 0, among those that CUDA_VISIBLE_DEVICES makes
//! visible. A GPU is identified by its UUID or bus location, or else by its number in
//! TARGET_INFO_GPU. Rows of a session refer to a GPU by one unique number, also if two processes
//! use it.

use rusqlite::Row;
use rusqlite::types::ValueRef;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_database::{Database, integer, text};
use weft_model::ExportError;

/// The identity of a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identity {
    Uuid(String),
    /// A machine, as in the upper bits of processes, and the location on its bus.
    Bus(i64, String),
    /// A machine, and the number of a GPU on it.
    Number(i64, i64),
}

/// The GPUs of a session.
#[derive(Debug, Default)]
pub(super) struct Devices {
    gpus: FxHashMap<Identity, i64>,
    taken: FxHashSet<i64>,
    /// Numbers of GPUs, by process and CUDA device.
    of_processes: FxHashMap<(i64, i64), i64>,
    /// CUDA devices by process and context.
    contexts: FxHashMap<(i64, i64), i64>,
    machines: Vec<i64>,
    /// The GPU of each row of TARGET_INFO_GPU that has a number, in the order of rows.
    listed: Vec<i64>,
}

/// Returns the machine of a process, as in TARGET_INFO_GPU.
fn machine_of(process: i64) -> i64 {
    process & !0xffff_ffff_ffff
}

/// Returns the process id of the operating system.
fn pid_of(process: i64) -> i64 {
    process >> 24 & 0xff_ffff
}

impl Devices {
    /// Reads TARGET_INFO_GPU, TARGET_INFO_CUDA_DEVICE and TARGET_INFO_CUDA_CONTEXT_INFO.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read.
    pub(super) fn read(database: &Database) -> Result<Self, ExportError> {
        let mut devices = Devices::default();
        let columns = ["vmId", "id", "uuid", "busLocation"];
        database.each_row("TARGET_INFO_GPU", &columns, |row| {
            let Some(id) = integer(row, 1) else {
                // The row is counted by the reader of GPUs.
                return true;
            };
            let machine = integer(row, 0).unwrap_or(0);
            if !devices.machines.contains(&machine) {
                devices.machines.push(machine);
            }
            let bus = text(row, 3).filter(|bus| !bus.is_empty());
            let identities = [
                uuid(row, 2).map(Identity::Uuid),
                bus.map(|bus| Identity::Bus(machine, bus.to_lowercase())),
                Some(Identity::Number(machine, id)),
            ];
            let gpu = devices.add(identities.into_iter().flatten(), id);
            devices.listed.push(gpu);
            true
        })?;
        let columns = ["pid", "cudaId", "gpuId", "uuid", "busLocation", "vmId"];
        database.each_row("TARGET_INFO_CUDA_DEVICE", &columns, |row| {
            let (Some(pid), Some(device)) = (integer(row, 0), integer(row, 1)) else {
                return false;
            };
            let number = integer(row, 2);
            let machine = integer(row, 5).or_else(|| devices.machine_with(number));
            let machine = machine.unwrap_or(0);
            let bus = text(row, 4).filter(|bus| !bus.is_empty());
            let identity = uuid(row, 3)
                .map(Identity::Uuid)
                .or(bus.map(|bus| Identity::Bus(machine, bus.to_lowercase())))
                .or(number.map(|number| Identity::Number(machine, number)));
            let Some(identity) = identity else {
                return true;
            };
            let gpu = devices.add([identity].into_iter(), number.unwrap_or(device));
            devices.of_processes.insert((pid, device), gpu);
            true
        })?;
        let columns = ["processId", "contextId", "deviceId"];
        database.each_row("TARGET_INFO_CUDA_CONTEXT_INFO", &columns, |row| {
            let key = (integer(row, 0), integer(row, 1), integer(row, 2));
            if let (Some(process), Some(context), Some(device)) = key {
                devices.contexts.insert((process, context), device);
            }
            true
        })?;
        Ok(devices)
    }

    /// Returns the number of the GPU with these identities: its known number if it has one, or else
    /// `preferred`, or else the next free one.
    fn add(&mut self, identities: impl Iterator<Item = Identity>, preferred: i64) -> i64 {
        let identities: Vec<Identity> = identities.collect();
        let uuid = identities
            .iter()
            .find(|identity| matches!(identity, Identity::Uuid(_)));
        // Instances of a partitioned GPU have one bus location, but different UUIDs.
        let is_another = |number: &i64| {
            let mut others = self.gpus.iter();
            uuid.is_some_and(|uuid| {
                others.any(|(identity, gpu)| {
                    gpu == number && matches!(identity, Identity::Uuid(_)) && identity != uuid
                })
            })
        };
        let known = identities
            .iter()
            .filter_map(|identity| self.gpus.get(identity))
            .find(|number| !is_another(number));
        let number = known.copied().unwrap_or_else(|| {
            let mut free = (0..).filter(|number| !self.taken.contains(number));
            match self.taken.contains(&preferred) {
                false => preferred,
                true => free.next().unwrap_or(preferred),
            }
        });
        self.taken.insert(number);
        for identity in identities {
            self.gpus.entry(identity).or_insert(number);
        }
        number
    }

    fn machine_with(&self, number: Option<i64>) -> Option<i64> {
        let number = number?;
        let mut machines = self.machines.iter().copied();
        machines.find(|machine| self.gpus.contains_key(&Identity::Number(*machine, number)))
    }

    /// Returns the numbers of the GPUs in TARGET_INFO_GPU that have one, in the order of rows.
    pub(super) fn listed(&self) -> &[i64] {
        &self.listed
    }

    /// Returns the number of the GPU that is this CUDA device of a process.
    pub(super) fn of_process(&self, process: Option<i64>, device: i64) -> i64 {
        let Some(process) = process else {
            return device;
        };
        let known = self.of_processes.get(&(pid_of(process), device));
        let by_number = || {
            self.gpus
                .get(&Identity::Number(machine_of(process), device))
        };
        known.or_else(by_number).copied().unwrap_or(device)
    }

    /// Returns the CUDA device of a context.
    pub(super) fn of_context(&self, process: Option<i64>, context: i64) -> Option<i64> {
        self.contexts.get(&(pid_of(process?), context)).copied()
    }
}

/// Returns a UUID in lower case without prefix and dashes, from a text or bytes; `None` if it is
/// empty or all zeros.
fn uuid(row: &Row<'_>, column: usize) -> Option<String> {
    let digits: String = match row.get_ref(column) {
        Ok(ValueRef::Blob(bytes)) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        _ => {
            let text = text(row, column)?.to_lowercase();
            let digits = text.trim_start_matches("gpu-").trim_start_matches("mig-");
            digits.replace('-', "")
        }
    };
    let is_known = digits.bytes().any(|digit| digit != b'0');
    is_known.then_some(digits)
}
