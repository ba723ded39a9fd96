/* tilert: loads, dispatches and launches kernels that tilec compiled. C ABI.
 *
 * Every function returns a status; no function throws or aborts. `tilert_last_message()` gives the
 * text of the calling thread's last failure: it names kernel, argument and clause. All functions
 * are thread-safe. The CUDA driver is found at run time (dlopen of libcuda.so.1), so a program
 * starts without a GPU and gets a status. A CUDA context is never created behind the caller's back:
 * only tilert_device_open() makes one current.
 */
#ifndef TILERT_TILERT_H
#define TILERT_TILERT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define TILERT_ABI_VERSION 1u

typedef enum tilert_status {
  TILERT_OK = 0,
  TILERT_ERROR_INVALID_ARGUMENT = 1, /* null handle, wrong argument count, size or alignment */
  TILERT_ERROR_CONTRACT = 2,         /* no variant's `requires` holds */
  TILERT_ERROR_GRID = 3,             /* negative or beyond the hardware limit */
  TILERT_ERROR_NO_DRIVER = 4,        /* libcuda.so.1 is missing or too old */
  TILERT_ERROR_NO_DEVICE = 5,        /* no GPU, or no CUDA context is current */
  TILERT_ERROR_NO_IMAGE = 6,         /* no image for the device's architecture */
  TILERT_ERROR_BAD_IMAGE = 7,        /* truncated, foreign, or without a manifest */
  TILERT_ERROR_NOT_FOUND = 8,        /* no kernel of that name, no such file */
  TILERT_ERROR_OUT_OF_MEMORY = 9,
  TILERT_ERROR_LAUNCH = 10,          /* the driver refused a call, or an earlier launch failed */
  TILERT_ERROR_HOST_DIVERGENCE = 11, /* host device: threads met at different operations, or wait
                                        for what never comes */
  TILERT_ERROR_INTERNAL = 12,
  TILERT_ERROR_HOST_RACE = 13,  /* host device, `race`: accesses that no barrier or wait orders */
  TILERT_ERROR_HOST_ACCESS = 14 /* host device, `race`: outside shared memory, or misaligned;
                                   always: an mbarrier used against its rules */
} tilert_status;

/* ---- what the compiler embeds in a .o (docs/manifest.md, docs/host_device.md) ---------------- */

/* One thread of a program on the host device. Compiled kernels read these fields by offset. */
struct tilert_host_thread {
  uint32_t thread;      /*  0: 0 .. 32*warps-1 */
  uint32_t program[3];  /*  4: program_id */
  uint32_t programs[3]; /* 16: num_programs */
  uint32_t checks;      /* 28: tilert's own */
  void *shared;         /* 32: the program's shared memory, 1024-byte aligned */
};
typedef void (*tilert_host_function)(struct tilert_host_thread *self, void *const *arguments);

typedef enum tilert_image_kind {
  TILERT_IMAGE_CUBIN = 1,
  TILERT_IMAGE_PTX = 2, /* NUL-terminated text */
  TILERT_IMAGE_HOST = 3 /* `data` is a tilert_host_symbol array, `size` its length */
} tilert_image_kind;

typedef struct tilert_host_symbol {
  const char *symbol;
  tilert_host_function function;
} tilert_host_symbol;

typedef struct tilert_image {
  uint32_t kind; /* tilert_image_kind */
  uint32_t reserved;
  const char *arch; /* "sm_90", "sm_90a", "host" */
  const void *data;
  size_t size;
  const char *manifest; /* JSON, NUL-terminated */
} tilert_image;

/* One .tile file's images. Constant data; the generated header declares it. */
typedef struct tilert_library {
  uint32_t abi_version; /* TILERT_ABI_VERSION */
  uint32_t image_count;
  const char *name; /* the source file's stem */
  const tilert_image *images;
} tilert_library;

/* ---- streams and devices -------------------------------------------------------------------- */

/* A CUstream (cudaStream_t) of the current context, NULL for its default stream, or
 * TILERT_HOST_STREAM: the host device, where a launch returns when it is done. */
typedef void *tilert_stream;
#define TILERT_HOST_STREAM ((tilert_stream)(intptr_t)-16)

/* ---- launching (what the generated functions call) ------------------------------------------ */

/* A kernel of a library, resolved at the first launch. Static storage, zero-initialised but for the
 * first two fields; the generated header has one a kernel. */
typedef struct tilert_kernel_ref {
  const tilert_library *library;
  const char *name;
  void *state; /* tilert's; starts NULL */
} tilert_kernel_ref;

/* One argument: points to the value. A view argument points to a tilert_view. */
typedef struct tilert_view {
  void *data;
  const int64_t *extents; /* `rank` elements */
  const int64_t *strides; /* `rank` elements, in elements of the tile language's type */
} tilert_view;

/* A value the caller selects (`select` clauses), by const param name. */
typedef struct tilert_selection {
  const char *name;
  const char *type; /* a type name ("f16"), or NULL: `value` counts */
  int64_t value;
} tilert_selection;

/* Picks a variant, checks the contract, evaluates the grid, launches. `arguments[i]` points to the
 * value of source parameter i. No allocation on this path once the kernel has been launched. */
tilert_status tilert_launch_ref(tilert_kernel_ref *kernel, tilert_stream stream,
                                void *const *arguments, size_t argument_count,
                                const tilert_selection *selections, size_t selection_count);

/* Says which variant such a launch would take, with which grid, and why not those before it, as
 * text of one line a variant. Writes at most `buffer_size` bytes, the terminating NUL included;
 * `needed` (may be NULL) receives the size of the whole text with its NUL. Succeeds also when no
 * variant fits: then the text says so. */
tilert_status tilert_explain_ref(tilert_kernel_ref *kernel, tilert_stream stream,
                                 void *const *arguments, size_t argument_count,
                                 const tilert_selection *selections, size_t selection_count,
                                 char *buffer, size_t buffer_size, size_t *needed);

/* ---- modules: images loaded at run time ------------------------------------------------------ */

typedef struct tilert_module_state *tilert_module;
typedef struct tilert_kernel_state *tilert_kernel;

/* Reads a .cubin or .ptx file that tilec made. Only the manifest is read here; the driver sees the
 * image at the first launch in a context. */
tilert_status tilert_module_load_file(const char *path, tilert_module *module);
/* The same from memory, which is copied. */
tilert_status tilert_module_load_memory(const void *data, size_t size, tilert_module *module);
/* The module of what is linked into the program. Unloading it has no effect. */
tilert_status tilert_module_from_library(const tilert_library *library, tilert_module *module);
/* Ends `module` and its kernels; no launch of them may be under way on another thread. The driver's
 * handle is returned in the context that is current; in other contexts it goes with the context. */
void tilert_module_unload(tilert_module module);

size_t tilert_module_kernel_count(tilert_module module);
/* NULL when `index` is out of range. */
tilert_kernel tilert_module_kernel(tilert_module module, size_t index);
tilert_status tilert_kernel_find(tilert_module module, const char *name, tilert_kernel *kernel);

/* Texts live as long as the module. */
const char *tilert_kernel_name(tilert_kernel kernel);
const char *tilert_kernel_doc(tilert_kernel kernel);
/* "softmax(dst: ptr<f32>, ..., n_cols: i32)", what tilert_launch() expects. */
const char *tilert_kernel_signature(tilert_kernel kernel);
/* How many arguments tilert_launch() expects: leading selections, then the parameters. */
size_t tilert_kernel_argument_count(tilert_kernel kernel);
size_t tilert_kernel_variant_count(tilert_kernel kernel);

typedef struct tilert_variant_info {
  const char *symbol;
  const char *values;   /* "BLOCK = 128, STAGES = 2" */
  uint32_t warps;       /* of 32 threads */
  uint32_t cluster;     /* programs a cluster; 1: none */
  uint32_t shared;      /* bytes a program */
  int32_t registers;    /* a thread; -1: unknown */
  int32_t spills;       /* bytes a thread; -1: unknown */
  uint32_t specialized; /* 1: assumes the `specialize` clauses */
} tilert_variant_info;
/* Variants of the module's first image, in dispatch order. */
tilert_status tilert_kernel_variant(tilert_kernel kernel, size_t index, tilert_variant_info *info);

/* ---- dynamic launch -------------------------------------------------------------------------- */

typedef enum tilert_type {
  TILERT_TYPE_ANY = 0, /* not said: only the size is checked */
  TILERT_TYPE_BOOL = 1,
  TILERT_TYPE_I8 = 2,
  TILERT_TYPE_I16 = 3,
  TILERT_TYPE_I32 = 4,
  TILERT_TYPE_I64 = 5,
  TILERT_TYPE_U8 = 6,
  TILERT_TYPE_U16 = 7,
  TILERT_TYPE_U32 = 8,
  TILERT_TYPE_U64 = 9,
  TILERT_TYPE_F8E4M3 = 10,
  TILERT_TYPE_F8E5M2 = 11,
  TILERT_TYPE_F16 = 12,
  TILERT_TYPE_BF16 = 13,
  TILERT_TYPE_F32 = 14,
  TILERT_TYPE_F64 = 15,
  TILERT_TYPE_PTR = 16,  /* the value is a device pointer */
  TILERT_TYPE_VIEW = 17, /* the value is a tilert_view */
  TILERT_TYPE_NAME = 18  /* the value is a `const char *` that names a type: a selection */
} tilert_type;

/* One argument of tilert_launch(). Leading arguments are the kernel's selected const params in the
 * order of their declaration, but for types that follow from a pointer's element. */
typedef struct tilert_argument {
  const void *value; /* points to the value */
  size_t size;   /* of the value, in bytes: sizeof(int32_t), sizeof(void *), sizeof(tilert_view) */
  uint32_t type; /* tilert_type */
  uint32_t element; /* ptr, view: tilert_type of what it points to; it selects a type const param */
  uint32_t rank;    /* view */
  uint32_t reserved;
} tilert_argument;

/* Checks count, sizes and types against the kernel, then as tilert_launch_ref(). */
tilert_status tilert_launch(tilert_kernel kernel, tilert_stream stream,
                            const tilert_argument *arguments, size_t argument_count);
/* As tilert_explain_ref(). */
tilert_status tilert_explain(tilert_kernel kernel, tilert_stream stream,
                             const tilert_argument *arguments, size_t argument_count, char *buffer,
                             size_t buffer_size, size_t *needed);

/* ---- a device for examples and tests --------------------------------------------------------- */

typedef struct tilert_device_state *tilert_device;

/* `name`: "host"; "cuda" or "cuda:N", a GPU by ordinal; "auto", the first GPU or else the host. A
 * GPU's primary context is retained and made current on the calling thread. */
tilert_status tilert_device_open(const char *name, tilert_device *device);
/* Releases the context and the stream; memory must have been freed before. */
void tilert_device_close(tilert_device device);
/* Makes the GPU's context current on the calling thread; nothing to do for the host. */
tilert_status tilert_device_make_current(tilert_device device);
int tilert_device_is_host(tilert_device device);
const char *tilert_device_name(tilert_device device);
uint32_t tilert_device_sm_count(tilert_device device);
/* Compute capability as major * 10 + minor; 0 for the host. */
uint32_t tilert_device_compute(tilert_device device);
/* A stream of the device's own, or TILERT_HOST_STREAM. */
tilert_stream tilert_device_stream(tilert_device device);
/* Memory aligned to 256 bytes; a size of 0 gives NULL. On the host with the `poison` check on, it
 * is filled with 0xA5. */
tilert_status tilert_device_alloc(tilert_device device, size_t size, void **memory);
tilert_status tilert_device_free(tilert_device device, void *memory);
/* Copies and fills are in order with the device's stream; they return when they are done. */
tilert_status tilert_device_copy_in(tilert_device device, void *to_device, const void *from_host,
                                    size_t size);
tilert_status tilert_device_copy_out(tilert_device device, void *to_host, const void *from_device,
                                     size_t size);
tilert_status tilert_device_fill(tilert_device device, void *memory, uint8_t value, size_t size);
/* Waits for the device's stream; says what went wrong in earlier launches. */
tilert_status tilert_device_synchronize(tilert_device device);
/* Time of what is put into the device's stream between the two calls; `stop` waits for it. */
tilert_status tilert_device_timer_start(tilert_device device);
tilert_status tilert_device_timer_stop(tilert_device device, float *milliseconds);

/* ---- the host device ------------------------------------------------------------------------- */

typedef enum tilert_host_check {
  TILERT_HOST_CHECK_POISON = 1, /* shared memory is 0xA5 when a program starts */
  TILERT_HOST_CHECK_ORDER = 2,  /* programs, warps and threads run in a random order */
  TILERT_HOST_CHECK_RACE = 4,   /* unordered or stray accesses to shared memory fail the launch */
  TILERT_HOST_CHECK_ASYNC = 8   /* asynchronous copies land as late as waits allow, or any time */
} tilert_host_check;

/* Replaces what TILERT_HOST_CHECK and TILERT_HOST_SEED said, for launches that start later. */
void tilert_host_set_checks(uint32_t checks, uint64_t seed);
uint32_t tilert_host_checks(void);

/* Called by compiled kernels; docs/host_device.md. */
uint32_t tilert_host_shuffle_idx(struct tilert_host_thread *self, uint32_t value, uint32_t lane);
uint32_t tilert_host_shuffle_xor(struct tilert_host_thread *self, uint32_t value, uint32_t mask);
uint32_t tilert_host_shuffle_up(struct tilert_host_thread *self, uint32_t value, uint32_t delta);
uint32_t tilert_host_shuffle_down(struct tilert_host_thread *self, uint32_t value, uint32_t delta);
uint32_t tilert_host_ballot(struct tilert_host_thread *self, uint32_t predicate);
void tilert_host_barrier(struct tilert_host_thread *self);
void tilert_host_warp_barrier(struct tilert_host_thread *self);
void tilert_host_shared_access(struct tilert_host_thread *self, const void *address, uint32_t bytes,
                               uint32_t is_write);
void tilert_host_copy_async(struct tilert_host_thread *self, void *shared_dst,
                            const void *global_src, uint32_t bytes, uint32_t predicate);
void tilert_host_commit_group(struct tilert_host_thread *self);
void tilert_host_wait_group(struct tilert_host_thread *self, uint32_t pending);
void tilert_host_load_matrix(struct tilert_host_thread *self, const void *row, uint32_t count,
                             uint32_t transposed, uint32_t *results);
void tilert_host_mma_f32_f16_f16(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f16_f16_f16(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f32_bf16_bf16(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f32_tf32_tf32(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f64_f64_f64(struct tilert_host_thread *self, void *block);
void tilert_host_mma_s32_s8_s8(struct tilert_host_thread *self, void *block);
void tilert_host_mma_s32_u8_u8(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f32_e4m3_e4m3(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f32_e4m3_e5m2(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f32_e5m2_e4m3(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f32_e5m2_e5m2(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f16_e4m3_e4m3(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f16_e4m3_e5m2(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f16_e5m2_e4m3(struct tilert_host_thread *self, void *block);
void tilert_host_mma_f16_e5m2_e5m2(struct tilert_host_thread *self, void *block);

/* A view as kernels that copy boxes of it take it (cuTensorMapEncodeTiled, a CUtensorMap). Axes
 * stand innermost first; those past `rank` have extent 1, stride 0, box 1. */
struct tilert_host_tensor_map {
  const void *base; /* 16-byte aligned */
  uint32_t rank;    /* 1 .. 5 */
  uint32_t element_bytes;
  int64_t extents[5];
  int64_t strides[5]; /* bytes; [0] is the element's size */
  uint32_t box[5];    /* elements of a box */
  uint32_t swizzle;   /* 0 (none), 32, 64 or 128 bytes */
};
void tilert_host_mbarrier_init(struct tilert_host_thread *self, void *barrier, uint32_t count,
                               uint32_t predicate);
void tilert_host_mbarrier_invalidate(struct tilert_host_thread *self, void *barrier,
                                     uint32_t predicate);
void tilert_host_mbarrier_arrive_expect(struct tilert_host_thread *self, void *barrier,
                                        uint32_t bytes, uint32_t predicate);
void tilert_host_mbarrier_wait(struct tilert_host_thread *self, void *barrier, uint32_t parity);
void tilert_host_tensor_copy(struct tilert_host_thread *self,
                             const struct tilert_host_tensor_map *map, void *shared, void *barrier,
                             int32_t c0, int32_t c1, int32_t c2, int32_t c3, int32_t c4,
                             uint32_t predicate);

uint16_t tilert_host_f32_to_bf16(float value);
uint16_t tilert_host_f64_to_bf16(double value);

/* ---- about tilert ---------------------------------------------------------------------------- */

/* The text of this thread's last failure, or "" before the first. Valid until its next tilert call.
 */
const char *tilert_last_message(void);
/* What a status means, in a few words. */
const char *tilert_status_text(tilert_status status);
/* "0.1.0" */
const char *tilert_version(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
