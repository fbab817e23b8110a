//! Kinds of records in version 1012: the description of their fields in the preamble, and their
//! encoding.

/// A type of field.
trait Field {
    /// The size in the preamble, in bytes; -1 for a text that ends with NUL.
    const SIZE: i32;
    fn put(&self, to: &mut Vec<u8>);
}

macro_rules! integers {
    ($($int:ty),*) => {$(
        impl Field for $int {
            const SIZE: i32 = size_of::<$int>() as i32;
            fn put(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

integers!(u32, i32, u64, i64);

impl Field for bool {
    const SIZE: i32 = 1;
    fn put(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }
}

/// A NUL inside would end the text and shift everything after it.
impl Field for &str {
    const SIZE: i32 = -1;
    fn put(&self, to: &mut Vec<u8>) {
        to.extend(self.bytes().map(|byte| if byte == 0 { b' ' } else { byte }));
        to.push(0);
    }
}

/// The id of a CUDA device. The preamble has the size of an element; the field before it is the
/// number of elements.
impl Field for [u8; 16] {
    const SIZE: i32 = 1;
    fn put(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self);
    }
}

/// A kind of record.
pub(super) trait Record {
    /// Appends the record, its id first.
    fn put(&self, to: &mut Vec<u8>);
}

macro_rules! records {
    (<$any:lifetime> $($name:ident $(<$lt:lifetime>)? = $id:literal { $($field:ident: $rust:ty as $type:literal),* $(,)? })*) => {
        $(
            pub(super) struct $name $(<$lt>)? {
                $(pub(super) $field: $rust),*
            }

            impl $(<$lt>)? Record for $name $(<$lt>)? {
                fn put(&self, to: &mut Vec<u8>) {
                    u32::put(&$id, to);
                    $(self.$field.put(to);)*
                }
            }
        )*

        /// Returns the lines of the preamble: name, id and fields of each kind.
        #[allow(clippy::extra_unused_lifetimes, reason = "types of fields name it")]
        pub(super) fn kinds<$any>() -> String {
            let mut text = String::new();
            $(
                text.push_str(concat!(stringify!($name), " {id:", $id));
                $(text.push_str(&format!(
                    concat!(", ", stringify!($field), ":", $type, ":{}"), <$rust as Field>::SIZE));)*
                text.push_str("}\n");
            )*
            text
        }
    };
}

records! {
    <'a>
    RuntimeCallDesc<'a> = 1 { kind: u32 as "unsigned", name: &'a str as "string" }
    MetaDesc<'a> = 2 {
        kind: u32 as "unsigned", message: bool as "bool", ordered_vc: bool as "bool", name: &'a str as "string",
    }
    OpDesc<'a> = 3 { kind: u32 as "unsigned", name: &'a str as "string" }
    ProcDesc = 4 {
        proc_id: u64 as "ProcID", kind: i32 as "ProcKind", uuid_size: u32 as "uuid_size",
        cuda_device_uuid: [u8; 16] as "uuid",
    }
    MemDesc = 5 { mem_id: u64 as "MemID", kind: i32 as "MemKind", capacity: u64 as "unsigned long long" }
    MaxDimDesc = 6 { max_dim: i32 as "maxdim" }
    RuntimeConfig = 7 {
        debug: bool as "bool", spy: bool as "bool", gc: bool as "bool", inorder: bool as "bool",
        safe_mapper: bool as "bool", safe_runtime: bool as "bool", safe_ctrlrepl: bool as "bool",
        part_checks: bool as "bool", bounds_checks: bool as "bool", resilient: bool as "bool",
    }
    MachineDesc<'a> = 8 {
        node_id: u32 as "unsigned", num_nodes: u32 as "unsigned", hostname: &'a str as "string",
        host_id: u64 as "unsigned long long", process_id: u32 as "unsigned",
    }
    ZeroTime = 9 { zero_time: i64 as "long long" }
    Provenance<'a> = 10 { provenance: u64 as "unsigned long long", prov: &'a str as "string" }
    TaskKind<'a> = 11 { task_id: u32 as "TaskID", name: &'a str as "string", overwrite: bool as "bool" }
    TaskVariant<'a> = 12 { task_id: u32 as "TaskID", variant_id: u32 as "VariantID", name: &'a str as "string" }
    OperationInstance = 13 {
        op_id: u64 as "UniqueID", parent_id: u64 as "UniqueID", kind: u32 as "unsigned",
        provenance: u64 as "unsigned long long",
    }
    MultiTask = 14 { op_id: u64 as "UniqueID", task_id: u32 as "TaskID" }
    SliceOwner = 15 { parent_id: u64 as "UniqueID", op_id: u64 as "UniqueID" }
    TaskWaitInfo = 16 {
        op_id: u64 as "UniqueID", task_id: u32 as "TaskID", variant_id: u32 as "VariantID",
        wait_start: u64 as "timestamp_t", wait_ready: u64 as "timestamp_t", wait_end: u64 as "timestamp_t",
        wait_event: u64 as "unsigned long long",
    }
    MetaInfo = 17 {
        op_id: u64 as "UniqueID", lg_id: u32 as "unsigned", proc_id: u64 as "ProcID", create: u64 as "timestamp_t",
        ready: u64 as "timestamp_t", start: u64 as "timestamp_t", stop: u64 as "timestamp_t",
        creator: u64 as "unsigned long long", critical: u64 as "unsigned long long",
        fevent: u64 as "unsigned long long",
    }
    TaskInfo = 18 {
        op_id: u64 as "UniqueID", task_id: u32 as "TaskID", variant_id: u32 as "VariantID", proc_id: u64 as "ProcID",
        create: u64 as "timestamp_t", ready: u64 as "timestamp_t", start: u64 as "timestamp_t",
        stop: u64 as "timestamp_t", creator: u64 as "unsigned long long", critical: u64 as "unsigned long long",
        fevent: u64 as "unsigned long long",
    }
    GPUTaskInfo = 19 {
        op_id: u64 as "UniqueID", task_id: u32 as "TaskID", variant_id: u32 as "VariantID", proc_id: u64 as "ProcID",
        create: u64 as "timestamp_t", ready: u64 as "timestamp_t", start: u64 as "timestamp_t",
        stop: u64 as "timestamp_t", gpu_start: u64 as "timestamp_t", gpu_stop: u64 as "timestamp_t",
        creator: u64 as "unsigned long long", critical: u64 as "unsigned long long",
        fevent: u64 as "unsigned long long",
    }
    CopyInfo = 20 {
        op_id: u64 as "UniqueID", size: u64 as "unsigned long long", create: u64 as "timestamp_t",
        ready: u64 as "timestamp_t", start: u64 as "timestamp_t", stop: u64 as "timestamp_t",
        creator: u64 as "unsigned long long", critical: u64 as "unsigned long long",
        fevent: u64 as "unsigned long long", collective: u32 as "unsigned", reduction: u32 as "unsigned",
        copy_expr: u64 as "unsigned long long",
    }
    CopyInstInfo = 21 {
        src: u64 as "MemID", dst: u64 as "MemID", src_fid: u32 as "unsigned", dst_fid: u32 as "unsigned",
        src_inst: u64 as "unsigned long long", dst_inst: u64 as "unsigned long long",
        src_expr: u64 as "unsigned long long", dst_expr: u64 as "unsigned long long",
        fevent: u64 as "unsigned long long", num_hops: u32 as "unsigned", indirect: bool as "bool",
    }
    FillInfo = 22 {
        op_id: u64 as "UniqueID", size: u64 as "unsigned long long", create: u64 as "timestamp_t",
        ready: u64 as "timestamp_t", start: u64 as "timestamp_t", stop: u64 as "timestamp_t",
        creator: u64 as "unsigned long long", critical: u64 as "unsigned long long",
        fevent: u64 as "unsigned long long", collective: u32 as "unsigned", fill_expr: u64 as "unsigned long long",
    }
    FillInstInfo = 23 {
        dst: u64 as "MemID", fid: u32 as "unsigned", dst_inst: u64 as "unsigned long long",
        fevent: u64 as "unsigned long long",
    }
    InstTimelineInfo = 24 {
        inst_uid: u64 as "unsigned long long", inst_id: u64 as "InstID", mem_id: u64 as "MemID",
        size: u64 as "unsigned long long", op_id: u64 as "UniqueID", create: u64 as "timestamp_t",
        ready: u64 as "timestamp_t", destroy: u64 as "timestamp_t", creator: u64 as "unsigned long long",
    }
    RuntimeCallInfo = 25 {
        kind: u32 as "RuntimeCallKind", start: u64 as "timestamp_t", stop: u64 as "timestamp_t",
        proc_id: u64 as "ProcID", fevent: u64 as "unsigned long long",
    }
    EventMergerInfo = 26 {
        result: u64 as "unsigned long long", fevent: u64 as "unsigned long long", performed: u64 as "timestamp_t",
        pre0: u64 as "unsigned long long", pre1: u64 as "unsigned long long", pre2: u64 as "unsigned long long",
        pre3: u64 as "unsigned long long",
    }
    PartitionInfo = 27 {
        op_id: u64 as "UniqueID", part_op: i32 as "DepPartOpKind", create: u64 as "timestamp_t",
        ready: u64 as "timestamp_t", start: u64 as "timestamp_t", stop: u64 as "timestamp_t",
        creator: u64 as "unsigned long long", critical: u64 as "unsigned long long",
        fevent: u64 as "unsigned long long",
    }
    ProcMDesc = 28 {
        proc_id: u64 as "ProcID", mem_id: u64 as "MemID", bandwidth: u32 as "unsigned", latency: u32 as "unsigned",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preamble_describes_the_record_layout() {
        assert!(
            kinds()
                .contains("TaskKind {id:11, task_id:TaskID:4, name:string:-1, overwrite:bool:1}\n")
        );
        assert!(kinds().contains("uuid_size:uuid_size:4, cuda_device_uuid:uuid:1}\n"));
        let mut bytes = Vec::new();
        TaskKind {
            task_id: 7,
            name: "a\0b",
            overwrite: true,
        }
        .put(&mut bytes);
        assert_eq!(bytes, b"\x0b\0\0\0\x07\0\0\0a b\0\x01");
    }
}
