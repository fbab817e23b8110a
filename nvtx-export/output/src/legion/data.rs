//! Copies, fills, dependent partitioning and instances.

use super::clock::Steps;
use super::file::{File, OperationKind};
use super::ids::NONE;
use super::records::{
    CopyInfo, CopyInstInfo, FillInfo, FillInstInfo, InstTimelineInfo, PartitionInfo,
};
use std::io::{self, Write};
use weft_model::{Copy, End, Instance, Partitioning, ProvenanceIndex};

impl<W: Write> File<'_, '_, W> {
    /// Writes the copies, fills, dependent partitioning and instances of this source.
    pub(super) fn data(&mut self) -> io::Result<()> {
        let source = self.source;
        let trace = self.shared.trace;
        for copy in trace.work.copies.iter().filter(|row| row.source == source) {
            self.copy(copy)?;
        }
        let partitionings = trace.work.partitionings.iter();
        for partitioning in partitionings.filter(|row| row.source == source) {
            self.partitioning(partitioning)?;
        }
        let instances = (0..).zip(&trace.work.instances);
        for (row, instance) in instances.filter(|(_, row)| row.source == source) {
            self.instance(row, instance)?;
        }
        Ok(())
    }

    fn steps(&mut self, times: [weft_trace::time::Timestamp; 4]) -> Steps {
        let steps = Steps::new(self.shared.clock, times);
        self.shared.report.rows_with_times_moved += u64::from(steps.moved);
        steps
    }

    fn copy(&mut self, copy: &Copy) -> io::Result<()> {
        let operation = self.operation_row(copy.operation);
        let provenance = operation.map_or(ProvenanceIndex(0), |operation| operation.provenance);
        let kind = match copy.from {
            Some(_) => OperationKind::Copy,
            None => OperationKind::Fill,
        };
        self.operation(copy.uid, Some(copy.operation), kind, provenance)?;
        let mut steps = self.steps([copy.created, copy.ready, copy.start, copy.end]);
        // The reader divides by the time.
        if steps.stop == steps.start {
            steps.stop += 1;
            self.shared.report.rows_with_times_moved += u64::from(!steps.moved);
        }
        let (from, to) = self.shared.trace.ends(copy);
        let dst = self.memory_of(to)?;
        let fevent = self.event();
        let Some(from) = from else {
            let dst_inst = self.whole(to)?;
            self.put(&FillInfo {
                op_id: copy.uid.raw(),
                size: copy.bytes,
                create: steps.create,
                ready: steps.ready,
                start: steps.start,
                stop: steps.stop,
                creator: NONE,
                critical: NONE,
                fevent,
                collective: 0,
                fill_expr: NONE,
            })?;
            return self.put(&FillInstInfo {
                dst,
                fid: 0,
                dst_inst,
                fevent,
            });
        };
        let src = self.memory_of(from)?;
        let (src_inst, dst_inst) = (self.whole(from)?, self.whole(to)?);
        self.put(&CopyInfo {
            op_id: copy.uid.raw(),
            size: copy.bytes,
            create: steps.create,
            ready: steps.ready,
            start: steps.start,
            stop: steps.stop,
            creator: NONE,
            critical: NONE,
            fevent,
            collective: 0,
            reduction: 0,
            copy_expr: NONE,
        })?;
        self.put(&CopyInstInfo {
            src,
            dst,
            src_fid: 0,
            dst_fid: 0,
            src_inst,
            dst_inst,
            src_expr: NONE,
            dst_expr: NONE,
            fevent,
            num_hops: 1,
            indirect: false,
        })
    }

    fn partitioning(&mut self, partitioning: &Partitioning) -> io::Result<()> {
        // The reader fails for a kind that it does not support.
        let Some(kind) = partitioning.kind else {
            self.shared.report.partitionings_left_out += 1;
            return Ok(());
        };
        let steps = self.steps([
            partitioning.created,
            partitioning.ready,
            partitioning.start,
            partitioning.end,
        ]);
        let fevent = self.event();
        self.put(&PartitionInfo {
            op_id: partitioning.operation.map_or(0, |uid| uid.raw()),
            part_op: kind.code(),
            create: steps.create,
            ready: steps.ready,
            start: steps.start,
            stop: steps.stop,
            creator: NONE,
            critical: NONE,
            fevent,
        })
    }

    /// Returns an instance without bytes that represents the data of a memory that copies and fills
    /// access. The reader requires an instance, but the actual one is not recorded. It is written
    /// when it is first needed.
    fn whole(&mut self, end: End) -> io::Result<u64> {
        let node = self.node_of(end);
        if let Some(event) = self.whole_instances.get(&(node, end.memory)) {
            return Ok(*event);
        }
        let inst_uid = self.event();
        self.whole_instances.insert((node, end.memory), inst_uid);
        let mem_id = self.memory_of(end)?;
        // Numbers from the opposite end to those of recorded instances.
        let number = u64::MAX - (u64::from(node.0) << 16 | u64::from(end.memory.0));
        self.put(&InstTimelineInfo {
            inst_uid,
            inst_id: self.node.instance(number),
            mem_id,
            size: 0,
            op_id: 0,
            create: 0,
            ready: 0,
            destroy: self.shared.clock.last(),
            creator: self.unknown_event(),
        })?;
        Ok(inst_uid)
    }

    fn instance(&mut self, row: u64, instance: &Instance) -> io::Result<()> {
        // An instance that was never freed ends with the trace.
        let last = instance.created.max(instance.ready);
        let destroyed = instance.destroyed.unwrap_or(last);
        let steps = self.steps([instance.created, instance.ready, instance.ready, destroyed]);
        let destroy = match instance.destroyed {
            Some(_) => steps.stop,
            None => self.shared.clock.last().max(steps.stop),
        };
        let mem_id = self.memory(instance.memory)?;
        let inst_uid = self.event();
        self.put(&InstTimelineInfo {
            inst_uid,
            inst_id: self.node.instance(row),
            mem_id,
            size: instance.bytes,
            op_id: instance.operation.map_or(0, |uid| uid.raw()),
            create: steps.create,
            ready: steps.start,
            destroy,
            creator: self.unknown_event(),
        })
    }
}
