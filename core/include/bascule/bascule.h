/* Bascule: the C API.
 *
 * One program, any vendor: an instance opens the backends that the configuration names, a device runs kernels, a
 * queue orders them. bascule.hpp wraps this for C++.
 *
 * Rules that hold everywhere
 *  - Every fallible call returns a bsc_status. `error`, where a call takes it, may be NULL; otherwise it receives a new
 *    error object on failure (release it with bsc_error_release) and is left alone on success.
 *  - create, load, open and retain give a reference, release drops it; releasing NULL does nothing. Children keep their
 *    parents alive, so handles may be released in any order.
 *  - Handles may be used from any thread. A queue's submitting calls must not run at the same time as each other
 *    (BSC_INVALID_STATE is not promised); waits may come from any thread at any time.
 *  - Inputs are borrowed for the call unless the call says otherwise. Returned strings live as long as their object.
 *  - No call throws, prints, aborts or exits. Warnings go to the log sink (default: stderr).
 *  - Structs start with `size`: set it to sizeof the struct (the _INIT macros do). Fields beyond it read as zero.
 *
 * "Blocking: no" below means: returns without waiting for device work.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_H
#define BASCULE_H

#include "status.h"

#if defined(__GNUC__) && defined(BASCULE_BUILDING_LIBRARY)
#define BSC_API __attribute__((visibility("default")))
#else
#define BSC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define BASCULE_VERSION_MAJOR 0
#define BASCULE_VERSION_MINOR 1
#define BASCULE_VERSION_PATCH 0
#define BASCULE_VERSION_STRING "0.1.0"

typedef struct bsc_error bsc_error;
typedef struct bsc_instance bsc_instance;
typedef struct bsc_device bsc_device;
typedef struct bsc_buffer bsc_buffer;
typedef struct bsc_queue bsc_queue;
typedef struct bsc_event bsc_event;
typedef struct bsc_graph bsc_graph;
typedef struct bsc_package bsc_package;
typedef struct bsc_kernel bsc_kernel;
typedef struct bsc_module bsc_module;

/* "0.1.0" of the library that runs, which may differ from the header's. */
BSC_API const char* bsc_version(void);
/* "INVALID_ARGUMENT"; "UNKNOWN_STATUS" for a number that is none. Never NULL. */
BSC_API const char* bsc_status_name(bsc_status);

/* ---- errors ----------------------------------------------------------------------------------------------------- */

BSC_API bsc_status bsc_error_status(const bsc_error*);
BSC_API const char* bsc_error_message(const bsc_error*);     /* the cause, one or more lines */
BSC_API const char* bsc_error_remedy(const bsc_error*);      /* what to do; "" if unknown */
BSC_API const char* bsc_error_call(const bsc_error*);        /* the failing vendor or system call; "" if none */
BSC_API const char* bsc_error_backend(const bsc_error*);     /* "" if it is not about one */
BSC_API int64_t bsc_error_vendor_code(const bsc_error*);     /* 0 if none */
BSC_API const char* bsc_error_vendor_name(const bsc_error*); /* "CL_OUT_OF_RESOURCES"; "" if none */
BSC_API int bsc_error_retryable(const bsc_error*);
/* Asynchronous errors: the fault lies in a submission in (last_completed, first_incomplete]; both 0 otherwise. */
BSC_API void bsc_error_interval(const bsc_error*, uint64_t* out_last_completed, uint64_t* out_first_incomplete);
BSC_API void bsc_error_release(bsc_error*);

/* ---- instance --------------------------------------------------------------------------------------------------- */

/* level: 0 trace, 1 debug, 2 info, 3 warning, 4 error. Called from any thread, never with a lock held that a call of this
 * API would need. */
typedef void (*bsc_log_sink)(void* user, int level, const char* message);

typedef struct bsc_setting {
  const char* key;   /* dotted, as in the file: "backends", "device", "log.level", "backend.cpu.threads" */
  const char* value; /* as it would stand behind BASCULE_* variables; a list is "cuda,cpu" */
} bsc_setting;

typedef struct bsc_instance_options {
  uint64_t size;
  const char* application;      /* for logs and the cache; may be NULL */
  const char* config_text;      /* TOML, read after the files and before the environment; may be NULL */
  const char* config_file;      /* read instead of BASCULE_CONFIG's; may be NULL */
  uint64_t setting_count;       /* explicit settings override everything else */
  const bsc_setting* settings;
  bsc_log_sink log_sink;        /* NULL: stderr */
  void* log_user;
  uint32_t ignore_files;        /* 1: read neither system, user nor BASCULE_CONFIG file */
  uint32_t ignore_environment;  /* 1: read no BASCULE_* variable */
  uint32_t read_working_directory; /* 1: also ./bascule.toml, where keys that name code or caches are refused (the CLI) */
} bsc_instance_options;
#define BSC_INSTANCE_OPTIONS_INIT { sizeof(bsc_instance_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Reads the configuration, opens the configured backends and chooses the default device. `options` may be NULL.
 * Errors: BSC_INVALID_CONFIG; the state of a backend that is required; BSC_NO_BACKEND with a line per backend tried.
 * Blocking: opens drivers. */
BSC_API bsc_status bsc_instance_create(const bsc_instance_options* options, bsc_instance** out, bsc_error** error);
BSC_API bsc_instance* bsc_instance_retain(bsc_instance*);
BSC_API void bsc_instance_release(bsc_instance*);
/* What was chosen and why, one line: "cpu:0 AMD EPYC (auto); cuda: PLUGIN_MISSING ...". */
BSC_API const char* bsc_instance_selection(const bsc_instance*);

typedef struct bsc_backend_info {
  uint64_t size;
  const char* name;
  bsc_status state;       /* BSC_OK: usable */
  const char* reason;     /* why not; "" if usable */
  const char* remedy;
  const char* path;       /* of the plugin; "" if none was found */
  const char* version;
  const char* driver_path;
  uint64_t device_count;
  uint32_t selected;      /* 1: named by the configuration (or auto) and opened */
} bsc_backend_info;
/* Every known backend, in the order of the configuration, then the others. BSC_NOT_FOUND past the last. */
BSC_API bsc_status bsc_instance_backend(const bsc_instance*, uint64_t index, bsc_backend_info* out_info);

/* Each value of the configuration: key, value, origin ("default", "/etc/bascule.toml:3:1", "BASCULE_BACKENDS", "setting").
 * BSC_NOT_FOUND past the last. */
BSC_API bsc_status bsc_instance_config(const bsc_instance*, uint64_t index, const char** out_key, const char** out_value,
                                       const char** out_origin);

/* Devices of all opened backends; the index is stable for the instance's life. Borrowed from the instance. */
BSC_API uint64_t bsc_instance_device_count(const bsc_instance*);
BSC_API bsc_device* bsc_instance_device(const bsc_instance*, uint64_t index); /* NULL past the last */
BSC_API bsc_device* bsc_instance_default_device(const bsc_instance*);
/* selector: "hip:0", "cpu", "uuid:...", "pci:...", "emulated:sm_90a". Errors name the column, or list what there is. */
BSC_API bsc_status bsc_instance_find_device(bsc_instance*, const char* selector, bsc_device** out, bsc_error** error);

/* ---- device ----------------------------------------------------------------------------------------------------- */

typedef struct bsc_device_info {
  uint64_t size;
  const char* id;      /* "cpu:0": round-trips through find_device */
  const char* backend;
  const char* name;
  const char* vendor;
  const char* driver;
  const char* driver_version;
  const char* architecture;
  const char* type;    /* "gpu", "cpu", "accelerator" */
  const char* uuid;    /* "" if none */
  const char* pci;     /* "" if none */
  uint32_t emulated;   /* 1: times mean nothing about a GPU */
  uint32_t unified_memory;
  uint64_t memory_bytes;
  uint64_t max_allocation_bytes;
  uint64_t compute_units;
  uint64_t max_block_threads;
  uint64_t max_block[3];
  uint64_t max_grid[3];
  uint64_t max_shared_bytes;
  uint64_t max_argument_bytes;
  uint64_t min_sub_group;
  uint64_t max_sub_group;
} bsc_device_info;
BSC_API void bsc_device_get_info(const bsc_device*, bsc_device_info* out_info);
BSC_API const char* bsc_device_format(const bsc_device*, uint64_t index); /* NULL past the last */
/* Value of a named capability; BSC_NOT_FOUND if the device does not know the name. out_unit may be NULL. */
BSC_API bsc_status bsc_device_capability(const bsc_device*, const char* name, int64_t* out_value, const char** out_unit);
BSC_API const char* bsc_device_capability_name(const bsc_device*, uint64_t index); /* NULL past the last */
BSC_API bsc_status bsc_device_memory(bsc_device*, uint64_t* out_total, uint64_t* out_free, int* out_estimate,
                                     bsc_error** error);
/* The instance it belongs to; borrowed. */
BSC_API bsc_instance* bsc_device_instance(const bsc_device*);

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

enum {
  BSC_BUFFER_DEVICE = 0,
  BSC_BUFFER_HOST = 1 /* pinned host memory that the device's copies reach at full speed; bsc_buffer_map works */
};

/* Contents are undefined. bytes may be 0. Blocking: may wait for the driver. Thread-safe.
 * Errors: BSC_OUT_OF_MEMORY, BSC_LIMIT_EXCEEDED, both with asked and available bytes. */
BSC_API bsc_status bsc_buffer_create(bsc_device*, uint64_t bytes, uint32_t type, bsc_buffer** out, bsc_error** error);
BSC_API bsc_buffer* bsc_buffer_retain(bsc_buffer*);
/* The memory goes back once all work submitted with it has completed. Blocking: no. */
BSC_API void bsc_buffer_release(bsc_buffer*);
BSC_API uint64_t bsc_buffer_size(const bsc_buffer*);
BSC_API bsc_device* bsc_buffer_device(const bsc_buffer*);
/* Host address, the same on each call, valid until the last release; BSC_UNSUPPORTED where the host cannot reach it. */
BSC_API bsc_status bsc_buffer_map(bsc_buffer*, void** out_pointer, bsc_error** error);

/* Stream-ordered allocation from the queue's pool: usable by work submitted to this queue from now on (on another queue
 * after an event). Releasing such a buffer gives its memory to later allocations of the same queue at once, to others when
 * the work so far has completed. */
BSC_API bsc_status bsc_queue_allocate(bsc_queue*, uint64_t bytes, bsc_buffer** out, bsc_error** error);
/* Gives memory that no pool needs now back to the driver. Blocking: no. */
BSC_API bsc_status bsc_device_trim_pools(bsc_device*, uint64_t* out_released_bytes, bsc_error** error);

/* ---- queues, events --------------------------------------------------------------------------------------------- */

typedef struct bsc_queue_options {
  uint64_t size;
  uint64_t compute_unit_limit; /* 0: all */
  int32_t priority;
  uint32_t profile;            /* 1: keep device times of every submission, see bsc_event_times */
  uint32_t debug_sync;         /* 1: wait after every submission, so that an error names its launch */
} bsc_queue_options;
#define BSC_QUEUE_OPTIONS_INIT { sizeof(bsc_queue_options), 0, 0, 0, 0 }

/* In-order. `options` may be NULL. */
BSC_API bsc_status bsc_queue_create(bsc_device*, const bsc_queue_options* options, bsc_queue** out, bsc_error** error);
BSC_API bsc_queue* bsc_queue_retain(bsc_queue*);
BSC_API void bsc_queue_release(bsc_queue*);
BSC_API bsc_device* bsc_queue_device(const bsc_queue*);
/* Timeline: the value of the last submission (0: none yet), and the highest completed one. Blocking: no. */
BSC_API uint64_t bsc_queue_submitted(const bsc_queue*);
BSC_API bsc_status bsc_queue_completed(bsc_queue*, uint64_t* out_value, bsc_error** error);

#define BSC_FOREVER UINT64_MAX
/* Blocks until all that was submitted has completed. BSC_TIMED_OUT after timeout_ns; the work goes on. Returns the error
 * of any submission that failed. */
BSC_API bsc_status bsc_queue_wait(bsc_queue*, uint64_t timeout_ns, bsc_error** error);

/* Later work on `queue` starts after `event`. Of another instance's or backend's queue: goes through the host, i.e. this
 * call blocks until the event is reached. */
BSC_API bsc_status bsc_queue_wait_event(bsc_queue* queue, bsc_event* event, bsc_error** error);

/* Buffer to buffer; also between devices and backends (then through host memory; blocking). Ranges must not overlap. */
BSC_API bsc_status bsc_queue_copy(bsc_queue*, bsc_buffer* source, uint64_t source_offset, bsc_buffer* destination,
                                  uint64_t destination_offset, uint64_t bytes, bsc_event** out_event, bsc_error** error);
/* Host to buffer. `data` must stay valid and unchanged until the event. Blocking: no. out_event may be NULL (here and below). */
BSC_API bsc_status bsc_queue_write(bsc_queue*, bsc_buffer*, uint64_t offset, const void* data, uint64_t bytes,
                                   bsc_event** out_event, bsc_error** error);
/* Like write, but `data` may go when the call returns: small data is staged, large data waited for. */
BSC_API bsc_status bsc_queue_upload(bsc_queue*, bsc_buffer*, uint64_t offset, const void* data, uint64_t bytes,
                                    bsc_error** error);
/* Buffer to host. `data` must stay valid until the event and is undefined before. Blocking: no. */
BSC_API bsc_status bsc_queue_read(bsc_queue*, bsc_buffer*, uint64_t offset, void* data, uint64_t bytes,
                                  bsc_event** out_event, bsc_error** error);
/* Repeats a pattern of 1, 2, 4, 8 or 16 bytes; offset and bytes are multiples of pattern_bytes. */
BSC_API bsc_status bsc_queue_fill(bsc_queue*, bsc_buffer*, uint64_t offset, uint64_t bytes, const void* pattern,
                                  uint64_t pattern_bytes, bsc_event** out_event, bsc_error** error);

/* An event is a point on a queue's timeline: all work submitted before it. */
BSC_API bsc_status bsc_queue_record(bsc_queue*, bsc_event** out_event, bsc_error** error);
BSC_API bsc_event* bsc_event_retain(bsc_event*);
BSC_API void bsc_event_release(bsc_event*);
BSC_API bsc_status bsc_event_wait(bsc_event*, uint64_t timeout_ns, bsc_error** error);
/* 1: reached (or failed), 0: not yet. Blocking: no. */
BSC_API int bsc_event_done(bsc_event*);
BSC_API uint64_t bsc_event_value(const bsc_event*);

typedef struct bsc_times {
  uint64_t size;
  uint64_t submitted_ns; /* 0 where unknown. One clock per device; only differences mean something. */
  uint64_t started_ns;
  uint64_t ended_ns;
  uint64_t resolution_ns;
  uint32_t host_clock;   /* 1: the backend has no device clock; measured on the host around submit and wait */
} bsc_times;
/* Of the submission that the event ends; the queue must have `profile`. Blocking: until the event. */
BSC_API bsc_status bsc_event_times(bsc_event*, bsc_times* out_times, bsc_error** error);

/* ---- packages and kernels --------------------------------------------------------------------------------------- */

struct bsc_host_table; /* host_kernel.h */

/* Bytes as `bascule pack` makes them; copied. `host_table` (may be NULL, must outlive the package) holds the functions
 * that the package's variants of format "host" name without carrying an image. */
BSC_API bsc_status bsc_package_load(bsc_instance*, const void* data, uint64_t bytes, const struct bsc_host_table* host_table,
                                    bsc_package** out, bsc_error** error);
BSC_API bsc_status bsc_package_load_file(bsc_instance*, const char* path, bsc_package** out, bsc_error** error);
BSC_API void bsc_package_release(bsc_package*);
BSC_API const char* bsc_package_kernel_name(const bsc_package*, uint64_t index); /* NULL past the last */
/* The whole package as JSON text: contracts, variants, plans, hashes (what `bascule explain FILE --json` prints). */
BSC_API const char* bsc_package_describe(const bsc_package*);

/* Chooses a variant for the device, compiles and loads it. Errors: BSC_NOT_FOUND with the names there are,
 * BSC_NO_VARIANT with the reason of each variant. Blocking: compiles. Cached per device: a second call is cheap.
 * variant: NULL (choose; config may force one), or a variant's name (unusable = error). */
BSC_API bsc_status bsc_kernel_create(bsc_device*, bsc_package*, const char* name, const char* variant, bsc_kernel** out,
                                     bsc_error** error);
BSC_API bsc_kernel* bsc_kernel_retain(bsc_kernel*);
BSC_API void bsc_kernel_release(bsc_kernel*);
BSC_API const char* bsc_kernel_variant(const bsc_kernel*);
/* JSON: each variant with score and reason, and the contract. Does not load anything; works for unusable kernels too. */
BSC_API bsc_status bsc_kernel_explain(bsc_device*, bsc_package*, const char* name, char** out_json, bsc_error** error);
BSC_API void bsc_free(void*); /* what this API says to free */

/* A raw image of one of the device's formats: no contract, arguments as given. */
BSC_API bsc_status bsc_module_load(bsc_device*, const char* format, const void* data, uint64_t bytes, const char* options,
                                   const struct bsc_host_table* host_table, bsc_module** out, bsc_error** error);
BSC_API void bsc_module_release(bsc_module*);
/* NULL past the last, or where the backend cannot list. */
BSC_API const char* bsc_module_function_name(const bsc_module*, uint64_t index);
BSC_API bsc_status bsc_module_kernel(bsc_module*, const char* function, bsc_kernel** out, bsc_error** error);

typedef struct bsc_kernel_limits {
  uint64_t size;
  uint64_t max_block_threads;
  uint64_t static_shared_bytes;
  uint64_t private_bytes;
  uint64_t registers;
  uint64_t preferred_multiple;
} bsc_kernel_limits;
/* Of the first launch of a plan. Zeros where unknown. */
BSC_API void bsc_kernel_get_limits(const bsc_kernel*, bsc_kernel_limits* out_limits);

/* ---- launches --------------------------------------------------------------------------------------------------- */

enum {
  BSC_ARG_VALUE = 0,  /* `bytes` bytes at `value` */
  BSC_ARG_BUFFER = 1, /* buffer, offset, bytes; offset must be a multiple of the element size */
  BSC_ARG_LOCAL = 2   /* raw modules only: `bytes` of shared memory */
};
typedef struct bsc_argument {
  uint32_t kind;
  uint32_t element_bytes; /* BUFFER to a raw module: element size (0: 1). Under a contract the contract knows. */
  const void* value;
  uint64_t bytes;
  bsc_buffer* buffer;     /* may be NULL when bytes == 0 */
  uint64_t offset;
} bsc_argument;

typedef struct bsc_launch_options {
  uint64_t size;
  uint64_t work_items; /* != 0: the plan picks grid and block */
  uint64_t grid[3];    /* else raw; blocks. work_items == 0 and grid all 0: the plan needs neither */
  uint64_t block[3];
  uint64_t cluster[3];
  uint64_t shared_bytes;
  uint32_t has_work_items; /* 1: work_items counts although it may be 0 (an empty launch) */
  uint32_t has_grid;       /* 1: grid counts although a dimension may be 0 (an empty launch) */
  uint32_t cooperative;
  uint32_t streaming;      /* hint: stream past the cache */
} bsc_launch_options;

/* Arguments in the contract's order (under a contract) or the image's (raw). They are checked against the contract:
 * count, kinds, element sizes, shape relations. `options` may be NULL for kernels whose plan needs nothing.
 * Buffers named here are kept alive until the launch has completed. Blocking: no. */
BSC_API bsc_status bsc_queue_launch(bsc_queue*, bsc_kernel*, const bsc_launch_options* options, uint64_t argument_count,
                                    const bsc_argument* arguments, bsc_event** out_event, bsc_error** error);

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

/* Between begin and end, the queue's launches, copies, fills, writes and reads are recorded, not run, and give no event
 * (out_event receives NULL). Waits and cross-backend copies are refused with BSC_UNSUPPORTED. */
BSC_API bsc_status bsc_queue_begin_recording(bsc_queue*, bsc_error** error);
BSC_API bsc_status bsc_queue_end_recording(bsc_queue*, bsc_graph** out, bsc_error** error);
BSC_API bsc_graph* bsc_graph_retain(bsc_graph*);
BSC_API void bsc_graph_release(bsc_graph*);
/* Recorded calls are nodes 0, 1, ... in order (a launch whose plan has several launches is one node). */
BSC_API uint64_t bsc_graph_node_count(const bsc_graph*);
/* Replaces a launch node's options and arguments; same kernel. Replays already submitted keep the old ones. */
BSC_API bsc_status bsc_graph_update_launch(bsc_graph*, uint64_t node, const bsc_launch_options* options,
                                           uint64_t argument_count, const bsc_argument* arguments, bsc_error** error);
BSC_API bsc_status bsc_queue_replay(bsc_queue*, bsc_graph*, bsc_event** out_event, bsc_error** error);

/* ---- JIT cache, discovery --------------------------------------------------------------------------------------- */

/* JSON text for tools; release with bsc_free. `what`: "doctor" (every known backend with state, path, version, reason,
 * remedy, directories searched; probes in a child process; uses the verdict cache), "cache" (directory, entries, bytes). */
BSC_API bsc_status bsc_query(const bsc_instance_options* options, const char* what, char** out_json, bsc_error** error);
/* Empties the JIT and verdict caches of the configuration. */
BSC_API bsc_status bsc_cache_clear(const bsc_instance_options* options, uint64_t* out_removed, bsc_error** error);

#ifdef __cplusplus
}
#endif
#endif
