/* tilert: loads, dispatches and launches kernels that tilec compiled. C ABI.
 *
 * Every function returns a status; no function throws or aborts. `tilert_last_message()` gives the text of the
 * calling thread's last failure: it names kernel, argument and clause. All functions are
 * thread-safe. The CUDA driver is found at run time (dlopen of libcuda.so.1), so a program starts
 * without a GPU and gets a status. A CUDA context is never created behind the caller's back: only
 * tilert_device_open() makes one current.
 */
#ifndef TILERT_TILERT_H
#define TILERT_TILERT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TILERT_ABI_VERSION 1u

typedef enum tilert_status {
  TILERT_OK = 0,
  TILERT_ERROR_INVALID_ARGUMENT = 1,  /* null handle, wrong argument count, size or alignment */
  TILERT_ERROR_CONTRACT = 2,          /* no variant's `requires` holds */
  TILERT_ERROR_GRID = 3,              /* negative or beyond the hardware limit */
  TILERT_ERROR_NO_DRIVER = 4,         /* libcuda.so.1 is missing or too old */
  TILERT_ERROR_NO_DEVICE = 5,         /* no GPU, or no CUDA context is current */
  TILERT_ERROR_NO_IMAGE = 6,          /* no image for the device's architecture */
  TILERT_ERROR_BAD_IMAGE = 7,         /* truncated, foreign, or without a manifest */
  TILERT_ERROR_NOT_FOUND = 8,         /* no kernel of that name, no such file */
  TILERT_ERROR_OUT_OF_MEMORY = 9,
  TILERT_ERROR_LAUNCH = 10,           /* the driver refused the launch or an earlier one failed */
  TILERT_ERROR_HOST_DIVERGENCE = 11,  /* host device: threads met at different operations */
  TILERT_ERROR_INTERNAL = 12
} tilert_status;

/* ---- what the compiler embeds in a .o (docs/manifest.md, docs/host_device.md) ---------------- */

struct tilert_host_thread;
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
  uint32_t kind;        /* tilert_image_kind */
  uint32_t reserved;
  const char *arch;     /* "sm_90", "sm_90a", "host" */
  const void *data;
  size_t size;
  const char *manifest; /* JSON, NUL-terminated */
} tilert_image;

/* One .tile file's images. Constant data; the generated header declares it. */
typedef struct tilert_library {
  uint32_t abi_version; /* TILERT_ABI_VERSION */
  uint32_t image_count;
  const char *name;     /* the source file's stem */
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

/* The text of this thread's last failure, or "" - valid until its next tilert call. */
const char *tilert_last_message(void);

#ifdef __cplusplus
}
#endif
#endif
