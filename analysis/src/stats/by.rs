//! The groupings of costs, each declared once: a variant, its name in commands, its description for
//! a help text, and more for its documentation.

macro_rules! groupings {
    ($($variant:ident $name:literal $text:literal $(more $more:literal)?;)*) => {
        /// The grouping of a table of costs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum By {
            $(
                #[doc = $text]
                $(#[doc = ""] #[doc = $more])?
                $variant,
            )*
        }

        impl By {
            /// All groupings, in the order of a help text.
            pub const ALL: &[By] = &[$(By::$variant),*];

            /// Returns the name of the grouping in a command, such as `range-name`.
            pub fn name(self) -> &'static str {
                match self {
                    $(By::$variant => $name,)*
                }
            }

            /// Returns the description of the rows, for a help text.
            pub fn describe(self) -> &'static str {
                match self {
                    $(By::$variant => $text,)*
                }
            }
        }
    };
}

groupings! {
    Task "task" "Tasks by name and variant";
    Operation "operation" "Operations by name"
        more "An operation takes the time of its tasks.";
    Kernel "kernel" "Kernels by name";
    Line "line" "Source lines"
        more "In traces without tasks and copies, ranges by the line in their message.";
    Scope "scope" "Scopes that the program named with `annotate`"
        more "A task or copy counts for the innermost scope around its call.";
    Range "range" "Each NVTX range with the GPU work started in it, as nsys's nvtx_gpu_proj_trace";
    RangeName "range-name" "NVTX ranges summed by message"
        more "Messages that differ in numbers alone count as one.";
    RangeMessage "range-message" "NVTX ranges summed by their whole message";
    Processor "processor" "Processors; GPUs for kernels without a task";
    Memory "memory" "Memories: peak, live, capacity, fragmentation"
        more "In bytes.";
    Channel "channel" "Copies and fills, by source and destination memory";
    Gap "gap" "Idle times of processors and GPUs, by cause"
        more "Needs a trace with everything kept: calls of the runtime date the operations of Legion.";
    Wait "wait" "Waits: who waited, why, and for which operation"
        more "Needs a trace with everything kept.";
    Critical "critical" "Source lines on the critical path, which determined the run's length"
        more "Steps of different kinds are separate rows.";
}
