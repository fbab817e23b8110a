/* One step of heat flow in a rod, and a sum: bodies of tasks in C. See run.py. */
#include <stdio.h>
#include <weft_task.h>

/* Element `at` along the first axis of an operand of doubles. */
static double *element(const weft_operand *of, int64_t at) {
    return (double *)((char *)of->data + at * of->strides[0]);
}

/* heat(x: In, y: Out, rate: float) with a halo of one around x: at the ends there is no neighbour on one side. */
int heat(const weft_task *task) {
    const weft_operand *x = &task->operands[0], *y = &task->operands[1], *rate = &task->operands[2];
    if (x->dtype != WEFT_FLOAT64 || y->dtype != WEFT_FLOAT64 || rate->dtype != WEFT_FLOAT64) {
        snprintf(task->message, task->message_size, "heat flows in doubles, not in dtype %d", (int)x->dtype);
        return 1;
    }
    for (int64_t at = 0; at < y->extents[0]; at++) {
        /* The halo: x begins before y, except at the end of the rod. */
        int64_t here = at + y->first[0] - x->first[0];
        double own = *element(x, here);
        double left = here > 0 ? *element(x, here - 1) : own;
        double right = here + 1 < x->extents[0] ? *element(x, here + 1) : own;
        *element(y, at) = own + *(double *)rate->data * (left - 2.0 * own + right);
    }
    return 0;
}

/* total(x: In, sum: Reduce[ADD]): each tile adds what it has. */
int total(const weft_task *task) {
    const weft_operand *x = &task->operands[0];
    double *sum = task->operands[1].data;
    for (int64_t at = 0; at < x->extents[0]; at++)
        *sum += *element(x, at);
    return 0;
}
