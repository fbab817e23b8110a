/* Bodies of tasks as functions of C: the arguments of such a function for one tile.
 *
 * A function returns 0, or its own code if it fails; it may then write the reason to `message`.
 * Tiles of one call run at the same time on several threads. A function must not keep an address
 * beyond its return, call Weft, or let exceptions of another language escape. `weft.foreign` in
 * Python and `weft::task::Foreign` in Rust make tasks of such functions. docs/tasks.md describes
 * them. */
#ifndef WEFT_TASK_H
#define WEFT_TASK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of these structures. Fields are only added at their ends, so a function works with later
 * versions too. */
#define WEFT_TASK_ABI 1

/* Values of `weft_operand.dtype`. */
enum {
    WEFT_BOOL = 0,
    WEFT_INT8 = 1,
    WEFT_INT16 = 2,
    WEFT_INT32 = 3,
    WEFT_INT64 = 4,
    WEFT_UINT8 = 5,
    WEFT_UINT16 = 6,
    WEFT_UINT32 = 7,
    WEFT_UINT64 = 8,
    WEFT_FLOAT16 = 9,
    WEFT_FLOAT32 = 10,
    WEFT_FLOAT64 = 11,
    WEFT_COMPLEX64 = 12,
    WEFT_COMPLEX128 = 13
};

/* Values of `weft_operand.access`: the use of an operand by a task. */
enum {
    WEFT_READ = 0,       /* read; it must not be written */
    WEFT_WRITE = 1,      /* every element is written; previous values are undefined */
    WEFT_READ_WRITE = 2, /* read and written */
    WEFT_REDUCE = 3,     /* contributed to: the whole array, initialised to the identity */
    WEFT_VALUE = 4       /* a single value, without axes */
};

/* The part of one argument that belongs to a tile. */
typedef struct weft_operand {
    void *data;             /* address of the first element; unused if an extent is 0 */
    int32_t dtype;          /* WEFT_BOOL to WEFT_COMPLEX128 */
    int32_t access;         /* WEFT_READ to WEFT_VALUE */
    int32_t axes;           /* number of axes; 0 for a single value */
    int32_t reserved;       /* always 0 */
    const int64_t *extents; /* number of elements along each axis */
    const int64_t *strides; /* bytes between neighbours along each axis; may be negative */
    const int64_t *first;   /* index of the first element in the whole array, along each axis */
    const char *name;       /* name of the parameter */
} weft_operand;

/* One tile of a call. */
typedef struct weft_task {
    uint32_t abi;                 /* version of the runtime's structures, at least WEFT_TASK_ABI */
    int32_t count;                /* number of operands */
    const weft_operand *operands; /* the operands, in the order of the parameters */
    int64_t tile;                 /* number of this tile */
    int64_t tiles;                /* number of tiles */
    int64_t axes;                 /* number of axes of the task's shape */
    const int64_t *shape;         /* shape of the whole task */
    const int64_t *first;         /* first index of the tile along each axis */
    const int64_t *end;           /* one past the last index of the tile along each axis */
    void *stream;                 /* NULL, because the tile is in main memory */
    void *user;                   /* the pointer given with the function */
    char *message;                /* buffer for the reason of a failure, a zero-terminated text */
    size_t message_size;          /* size of the buffer in bytes */
} weft_task;

/* A body. */
typedef int (*weft_function)(const weft_task *task);

#ifdef __cplusplus
}
#endif

#endif
