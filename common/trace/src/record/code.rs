//! Enumerations that are stored as one byte.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $code:literal $text:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$vdoc])* $variant = $code),*
        }

        impl $name {
            /// Returns the code in files.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// Returns the value with this code; `None` for codes of later versions.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some($name::$variant),)*
                    _ => None,
                }
            }

            /// Returns the name in outputs.
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
    /// Returns the kind of processor whose kernels run here. The program's own thread runs those of
    /// a CPU worker.
    pub const fn variant(self) -> ProcessorKind {
        match self {
            ProcessorKind::Program => ProcessorKind::Cpu,
            kind => kind,
        }
    }
}

codes! {
    /// The kind of a processor.
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
    /// The kind of a memory.
    MemoryKind {
        /// The machine's main memory.
        System = 1 "SYSTEM_MEM",
        /// A GPU's own memory.
        Framebuffer = 2 "FBMEM",
        /// Pinned host memory that GPUs can access.
        ZeroCopy = 3 "ZCMEM",
        /// Main memory of one NUMA node.
        Numa = 4 "SOCKET_MEM",
        /// Main memory that the network reads and writes.
        Registered = 5 "REGDMA_MEM",
        /// Memory that host and GPU share, migrated by the driver.
        Managed = 6 "MANAGED_MEM",
        /// Memory that every rank can access.
        Global = 7 "GLOBAL_MEM",
        /// A disk.
        Disk = 8 "DISK_MEM",
        /// A file.
        File = 9 "FILE_MEM",
        /// A memory of another runtime that is none of these.
        Other = 10 "OTHER_MEM",
    }
    /// The kind of work on a device.
    DeviceWorkKind {
        /// A CUDA kernel.
        Kernel = 1 "kernel",
        /// A copy.
        Memcpy = 2 "memcpy",
        /// A fill.
        Memset = 3 "memset",
    }
    /// The reason why one task waits for another.
    DependencyKind {
        /// The later task reads what the earlier one wrote.
        ReadAfterWrite = 1 "read_after_write",
        /// The later task writes what the earlier one read.
        WriteAfterRead = 2 "write_after_read",
        /// Two writes of the same elements.
        WriteAfterWrite = 3 "write_after_write",
    }
    /// A side of a message between ranks.
    MessageSide {
        /// The sender's side.
        Send = 1 "send",
        /// The receiver's side.
        Receive = 2 "receive",
    }
    /// The kind of a runtime call.
    RuntimeCallKind {
        /// Finding the predecessors of an operation's tasks.
        Analysis = 1 "analysis",
        /// Choosing processors and memories.
        Mapping = 2 "mapping",
        /// Cutting the operation into tiles.
        Partitioning = 3 "partitioning",
        /// Waiting of the program, or of a task's body, for a value.
        Wait = 4 "wait",
        /// Allocating an instance.
        Allocation = 5 "allocation",
        /// Waiting of the program, or of a task's body, at the limit of operations under way.
        Limit = 6 "limit",
        /// Waiting of the program for the other ranks to reach the same point.
        Agreement = 7 "agreement",
        /// Waiting of a tile in an exchange for the other tiles to reach the same point.
        Exchange = 8 "exchange",
        /// Compiling a kernel for a GPU, or reading its code, and loading it.
        Compile = 9 "compile",
    }
    /// The origin of a GPU kernel's code.
    CodeOrigin {
        /// The compiler.
        Compiled = 1 "compiled",
        /// The disk, where an earlier run stored it.
        Disk = 2 "disk",
        /// This run, which had compiled it for another GPU.
        Memory = 3 "memory",
        /// It was in the bundle that is installed with Weft.
        Bundle = 4 "bundle",
    }
}
