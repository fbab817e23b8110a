//! Enumerations that records hold as one byte.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $code:literal $text:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$vdoc])* $variant = $code),*
        }

        impl $name {
            /// The code in the file.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The value with this code; `None` for a code of a later version.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// The word for it in outputs.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text),*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    )*};
}

impl ProcessorKind {
    /// The kind of processor whose kernels run here: what the program's own thread does, it does as a CPU worker would.
    pub const fn variant(self) -> ProcessorKind {
        match self {
            ProcessorKind::Program => ProcessorKind::Cpu,
            kind => kind,
        }
    }
}

codes! {
    /// What a processor is.
    ProcessorKind {
        /// A CPU worker.
        Cpu = 1 "CPU",
        /// A group of CPU threads that run one task together.
        Omp = 2 "OMP",
        /// A GPU.
        Gpu = 3 "GPU",
        /// A thread that analyses operations.
        Utility = 4 "Utility",
        /// A thread that reads and writes files.
        Io = 5 "IO",
        /// The program's own thread.
        Program = 6 "Program",
        /// An interpreter of Python.
        Python = 7 "Python",
        /// A processor of another runtime that is none of these.
        Other = 8 "Other",
    }
    /// What a memory is.
    MemoryKind {
        /// The machine's main memory.
        System = 1 "SYSTEM_MEM",
        /// A GPU's own memory.
        Framebuffer = 2 "FBMEM",
        /// Pinned host memory that GPUs reach.
        ZeroCopy = 3 "ZCMEM",
        /// Main memory of one NUMA node.
        Numa = 4 "SOCKET_MEM",
        /// Main memory that the network reads and writes.
        Registered = 5 "REGDMA_MEM",
        /// Memory that host and GPU share, moved by the driver.
        Managed = 6 "MANAGED_MEM",
        /// Memory that every rank reaches.
        Global = 7 "GLOBAL_MEM",
        /// A disk.
        Disk = 8 "DISK_MEM",
        /// A file.
        File = 9 "FILE_MEM",
        /// A memory of another runtime that is none of these.
        Other = 10 "OTHER_MEM",
    }
    /// What work on a device is.
    DeviceWorkKind {
        /// A CUDA kernel.
        Kernel = 1 "kernel",
        /// A copy.
        Memcpy = 2 "memcpy",
        /// A fill.
        Memset = 3 "memset",
    }
    /// Why one task waits for another.
    DependencyKind {
        /// The later one reads what the earlier wrote.
        ReadAfterWrite = 1 "read_after_write",
        /// The later one writes what the earlier read.
        WriteAfterRead = 2 "write_after_read",
        /// Both write.
        WriteAfterWrite = 3 "write_after_write",
    }
    /// A side of a message between ranks.
    MessageSide {
        /// The one that sends.
        Send = 1 "send",
        /// The one that receives.
        Receive = 2 "receive",
    }
    /// What the runtime did for an operation.
    RuntimeCallKind {
        /// Finding the tasks an operation's tasks must wait for.
        Analysis = 1 "analysis",
        /// Choosing processors and memories.
        Mapping = 2 "mapping",
        /// Cutting the operation into tiles.
        Partitioning = 3 "partitioning",
        /// The program, or the body of a task, waited for a value.
        Wait = 4 "wait",
        /// Allocating an instance.
        Allocation = 5 "allocation",
        /// The program, or the body of a task, waited because as many operations were under way as may be.
        Limit = 6 "limit",
        /// The program waited until the other ranks had come as far.
        Agreement = 7 "agreement",
        /// A tile of a task waited in an exchange until the other tiles had come as far.
        Exchange = 8 "exchange",
        /// Compiling a kernel for a GPU, or reading its code, and loading it.
        Compile = 9 "compile",
    }
    /// Where the code of a kernel for GPUs came from.
    CodeOrigin {
        /// The compiler made it.
        Compiled = 1 "compiled",
        /// It was read from the disk, where an earlier run kept it.
        Disk = 2 "disk",
        /// This run had compiled it before, for another GPU.
        Memory = 3 "memory",
    }
}
