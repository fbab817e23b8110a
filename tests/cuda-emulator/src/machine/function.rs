//! Modules, and the kernels in them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Machine;
use super::code::Code;
use super::handle::Id;
use super::work::KernelCall;
use crate::host;
use crate::nvrtc::image::Image;

/// A module loaded on a GPU.
pub(crate) struct LoadedModule {
    pub(crate) gpu: usize,
    pub(crate) code: Arc<host::Module>,
}

/// A kernel loaded on a GPU.
pub(crate) struct Function {
    pub(crate) gpu: usize,
    pub(crate) module: Id,
    pub(crate) name: String,
    pub(crate) code: Arc<host::Module>,
    /// CUPTI's pointer to the name, which is always the same for the same name.
    pub(crate) c_name: u64,
    /// Whether it was launched, which loads it.
    pub(crate) is_loaded: bool,
    /// The maximum dynamic shared memory allowed by `cuFuncSetAttribute`.
    pub(crate) most_dynamic: u32,
}

/// Returns the text as a C string that is never freed.
pub(crate) fn c_name(text: &str) -> u64 {
    static NAMES: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    *names.entry(text.to_owned()).or_insert_with(|| {
        let bytes: Vec<u8> = text.bytes().chain([0]).collect();
        Box::leak(bytes.into_boxed_slice()).as_ptr() as u64
    })
}

/// Returns the module of a source, loaded once in a process.
fn compiled(image: &Image) -> Result<Arc<host::Module>, Code> {
    static LOADED: OnceLock<Mutex<BTreeMap<String, Arc<host::Module>>>> = OnceLock::new();
    let mut loaded = LOADED
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let key = format!("{} {}", image.fuses, image.source);
    if let Some(module) = loaded.get(&key) {
        return Ok(module.clone());
    }
    let options = host::Options { fuses: image.fuses };
    let module = host::Module::compile_with(&image.source, options).map_err(|error| {
        crate::report::report(&format!("a module cannot be loaded: {error}"));
        Code::INVALID_IMAGE
    })?;
    let module = Arc::new(module);
    loaded.insert(key, module.clone());
    Ok(module)
}

impl Machine {
    /// Loads a module on a GPU.
    pub(crate) fn load(&mut self, gpu: usize, image: &Image) -> Result<Id, Code> {
        let code = compiled(image)?;
        let id = self.number();
        self.modules.insert(id, LoadedModule { gpu, code });
        Ok(id)
    }

    /// Returns a kernel of a module.
    pub(crate) fn function(&mut self, module: Id, name: &str) -> Result<Id, Code> {
        let known = self
            .functions
            .iter()
            .find(|(_, known)| known.module == module && known.name == name);
        if let Some((&id, _)) = known {
            return Ok(id);
        }
        let loaded = self.modules.get(&module).ok_or(Code::INVALID_HANDLE)?;
        loaded.code.parameters(name).ok_or(Code::NOT_FOUND)?;
        let (gpu, code) = (loaded.gpu, loaded.code.clone());
        let id = self.number();
        let function = Function {
            gpu,
            module,
            name: name.to_owned(),
            code,
            c_name: c_name(name),
            is_loaded: false,
            most_dynamic: 48 * 1024,
        };
        self.functions.insert(id, function);
        Ok(id)
    }

    /// Unloads a module, even if its kernels are still in use.
    pub(crate) fn unload(&mut self, module: Id) -> Result<(), Code> {
        self.modules.remove(&module).ok_or(Code::INVALID_HANDLE)?;
        self.functions
            .retain(|_, function| function.module != module);
        Ok(())
    }

    /// Checks whether a GPU would accept this launch.
    pub(crate) fn check_launch(&self, call: &KernelCall) -> Result<(), Code> {
        let function = self
            .functions
            .get(&call.function)
            .ok_or(Code::INVALID_HANDLE)?;
        let parameters = function
            .code
            .parameters(&function.name)
            .ok_or(Code::INVALID_HANDLE)?;
        let [x, y, z] = call.block.map(u64::from);
        let threads = x * y * z;
        let is_wrong = call.grid.contains(&0)
            || call.block.contains(&0)
            || call.grid[0] > i32::MAX as u32
            || call.grid[1] > 65_535
            || call.grid[2] > 65_535
            || threads > 1024
            || call.block[2] > 64
            || call.shared_bytes > function.most_dynamic;
        if is_wrong {
            return Err(Code::INVALID_VALUE);
        }
        if threads > u64::from(parameters.max_threads) {
            return Err(Code::LAUNCH_OUT_OF_RESOURCES);
        }
        Ok(())
    }
}
