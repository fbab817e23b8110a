/* Bodies of tasks as functions of C: what such a function is given of one tile.
 *
 * A function returns 0, or a code of its own where it fails; it may write a text that says why to `message`. Tiles of one call run at the
 * same time on several threads. A function keeps no address beyond its return, makes no calls of Weft, and lets no exception of another
 * language out. `weft.foreign` in Python and `weft::task::Foreign` in Rust make tasks of such functions. docs/tasks.md describes them. */
#ifndef WEFT_TASK_H
#define WEFT_TASK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these structures. Fields are only added at their ends, so that a function works with later versions too. */
#define WEFT_TASK_ABI 1

/* Types of elements, as in `weft_operand.dtype`. */
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

/* What a task does with an operand, as in `weft_operand.access`. */
enum {
    WEFT_READ = 0,       /* reads it; nothing may be written there */
    WEFT_WRITE = 1,      /* writes every element of the part; what is there before is not defined */
    WEFT_READ_WRITE = 2, /* reads and writes the part */
    WEFT_REDUCE = 3,     /* contributes: the part is all of the array, and begins with values that change nothing */
    WEFT_VALUE = 4       /* a single value, without axes */
};

/* The part of one argument that belongs to a tile. */
typedef struct weft_operand {
    void *data;             /* the first element; not to be looked at where an extent is 0 */
    int32_t dtype;          /* WEFT_BOOL and on */
    int32_t access;         /* WEFT_READ and on */
    int32_t axes;           /* how many axes; 0 of a single value */
    int32_t reserved;       /* 0 */
    const int64_t *extents; /* elements along each axis */
    const int64_t *strides; /* bytes between neighbours along each axis; below 0 of an axis that runs backwards */
    const int64_t *first;   /* the index in the whole array of the part's first element, along each axis */
    const char *name;       /* the name of the parameter */
} weft_operand;

/* One tile of a call. */
typedef struct weft_task {
    uint32_t abi;                 /* the version of the runtime's structures: at least that of this file */
    int32_t count;                /* operands, in the order of the parameters */
    const weft_operand *operands;
    int64_t tile;                 /* the number of this tile, */
    int64_t tiles;                /* and how many there are */
    int64_t axes;                 /* axes of the task's shape */
    const int64_t *shape;         /* the task's shape, all tiles together */
    const int64_t *first;         /* the first index of the tile along each axis, */
    const int64_t *end;           /* and one past its last */
    void *stream;                 /* NULL: the tile lies in main memory */
    void *user;                   /* what was given with the function */
    char *message;                /* room for a text that says why the function failed, ended by 0, */
    size_t message_size;          /* of so many bytes */
} weft_task;

/* A body. */
typedef int (*weft_function)(const weft_task *task);

#ifdef __cplusplus
}
#endif

#endif
