/* Bascule plugin ABI 0.1: what a backend implements.
 *
 * A plugin is one shared object that exports one symbol, bascule_plugin_query. Everything else is reached through the
 * tables it returns. Pure C; depends on <stdint.h> and status.h only.
 *
 * Rules that hold everywhere
 *  - Struct headers. Every struct starts with `bsc_struct`: its size as the caller compiled it, its type, and a chain of
 *    extensions. A reader treats fields beyond the given size as zero, ignores chained types it does not know, and must
 *    accept any size from the first version up. Elements of arrays are found by the stride that stands beside the array.
 *  - Handles are opaque pointers to memory whose first member is `bsc_plugin_object`; a plugin checks `magic` and `kind`
 *    of every handle it is given and answers BSC_INVALID_HANDLE for a foreign or released one.
 *  - Ownership. create/open/allocate/load return one reference, the matching release/close drops it. A child keeps its
 *    parent's storage alive. Inputs are borrowed for the call unless the field says otherwise. Strings in info structs
 *    live as long as the object that they describe.
 *  - Threads. Calls on different handles may run at the same time; one queue is used by one thread at a time (wait and
 *    query excepted); allocate, load and release may be called from anywhere. No call changes the calling thread's
 *    vendor context, signal mask or floating-point environment.
 *  - Errors. Every entry returns a bsc_status and, where it fails and `error` is not NULL, fills it. Nothing throws,
 *    aborts, exits or prints across this ABI.
 *  - Sizes, offsets and counts are 64-bit. An empty command (0 bytes, an empty grid) succeeds and completes.
 *
 * Version: 0.x, matched exactly. 1.0 comes when three GPU plugins pass conformance; see docs/plugin-guide.md.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_PLUGIN_H
#define BASCULE_PLUGIN_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BSC_PLUGIN_ABI_MAJOR 0u
#define BSC_PLUGIN_ABI_MINOR 1u

/* Values of bsc_struct.type. Numbers are never reused. */
enum {
  BSC_STRUCT_HOST_INFO = 1,
  BSC_STRUCT_PLUGIN_INFO = 2,
  BSC_STRUCT_HOST_SERVICES = 3,
  BSC_STRUCT_ERROR = 4,
  BSC_STRUCT_OPEN_INFO = 5,
  BSC_STRUCT_DEVICE_INFO = 6,
  BSC_STRUCT_MEMORY_STATE = 7,
  BSC_STRUCT_MEMORY_DESCRIPTION = 8,
  BSC_STRUCT_QUEUE_DESCRIPTION = 9,
  BSC_STRUCT_SUBMISSION = 10,
  BSC_STRUCT_IMAGE = 11,
  BSC_STRUCT_FUNCTION_INFO = 12,
  BSC_STRUCT_TIMES = 13,
  BSC_STRUCT_API = 14,
  BSC_STRUCT_CACHE_KEY = 15,
  BSC_STRUCT_HOST_TABLE_IMAGE = 16,
  BSC_STRUCT_COMMAND = 17
};

typedef struct bsc_struct {
  uint32_t size;
  uint32_t type;
  const struct bsc_struct* next;
} bsc_struct;

/* ---- handles ---------------------------------------------------------------------------------------------------- */

struct bsc_plugin_api;

enum { BSC_OBJECT_INSTANCE = 1, BSC_OBJECT_DEVICE, BSC_OBJECT_MEMORY, BSC_OBJECT_QUEUE, BSC_OBJECT_MODULE,
       BSC_OBJECT_FUNCTION, BSC_OBJECT_GRAPH };

/* First member of everything that a handle points to. */
typedef struct bsc_plugin_object {
  const struct bsc_plugin_api* api; /* dispatch: the table of the plugin that made it */
  uint32_t magic;                   /* BSC_OBJECT_MAGIC while alive, anything else after release */
  uint32_t kind;                    /* BSC_OBJECT_* */
} bsc_plugin_object;

#define BSC_OBJECT_MAGIC 0x62736331u /* "bsc1" */

typedef bsc_plugin_object* bsc_plugin_instance;
typedef bsc_plugin_object* bsc_plugin_device; /* owned by its instance, never released by the host */
typedef bsc_plugin_object* bsc_plugin_memory;
typedef bsc_plugin_object* bsc_plugin_queue;
typedef bsc_plugin_object* bsc_plugin_module;
typedef bsc_plugin_object* bsc_plugin_function; /* owned by its module, never released by the host */
typedef bsc_plugin_object* bsc_plugin_graph;

/* ---- errors ----------------------------------------------------------------------------------------------------- */

/* Storage is the caller's; the callee writes it only when it fails. Texts are NUL-terminated and cut to fit. */
typedef struct bsc_plugin_error {
  bsc_struct header;
  bsc_status code;
  uint32_t retryable;       /* 1: the same call may succeed later (out of memory, busy device) */
  int64_t vendor_code;      /* the vendor's number, 0 if none */
  uint64_t last_completed;  /* asynchronous errors: the fault lies in a submission of this queue */
  uint64_t first_incomplete; /* in (last_completed, first_incomplete]; 0,0 for others */
  char vendor_name[64];     /* e.g. "CL_OUT_OF_RESOURCES" */
  char call[64];            /* the failing call, e.g. "clEnqueueNDRangeKernel" */
  char message[3072];       /* cause and, where known, remedy */
} bsc_plugin_error;

/* ---- host services ---------------------------------------------------------------------------------------------- */

enum { BSC_LOG_TRACE = 0, BSC_LOG_DEBUG, BSC_LOG_INFO, BSC_LOG_WARNING, BSC_LOG_ERROR };

/* The host adds ABI, host build and CPU features to what stands here before it hashes the key. */
typedef struct bsc_plugin_cache_key {
  bsc_struct header;
  const void* image;
  uint64_t image_bytes;
  const char* options;        /* build options */
  const char* plugin_build;   /* the plugin's build id */
  const char* driver_version;
  const char* architecture;
} bsc_plugin_cache_key;

/* Given to a plugin at open; valid until the instance is closed. Every function may be called from any thread. */
typedef struct bsc_host_services {
  bsc_struct header;
  void* context; /* first argument of each function */
  void (*log)(void* context, uint32_t level, const char* message);
  void* (*allocate)(void* context, uint64_t bytes, uint64_t alignment); /* host memory; NULL when out of memory */
  void (*deallocate)(void* context, void* pointer);
  /* JIT cache, owned by the host. get returns BSC_OK and memory to be given to deallocate, or BSC_NOT_FOUND. A plugin
   * whose driver rejects a cached image compiles again and puts the new one. put never fails the caller's work. */
  bsc_status (*cache_get)(void* context, const bsc_plugin_cache_key* key, void** out_data, uint64_t* out_bytes);
  void (*cache_put)(void* context, const bsc_plugin_cache_key* key, const void* data, uint64_t bytes);
} bsc_host_services;

/* ---- instance --------------------------------------------------------------------------------------------------- */

typedef struct bsc_plugin_option_value {
  const char* name;
  const char* value;
} bsc_plugin_option_value;

typedef struct bsc_plugin_open_info {
  bsc_struct header;
  const bsc_host_services* services;
  const char* driver_path; /* the vendor's library as configured; NULL: the plugin's own list. Replaces that list. */
  uint64_t option_count;
  uint64_t option_stride;
  const bsc_plugin_option_value* options; /* only names that plugin_info declares; values not yet checked */
} bsc_plugin_open_info;

/* ---- device ----------------------------------------------------------------------------------------------------- */

/* A capability is a name, a number and a unit. Presence of a name with value 0 means "known, and no". The list of names
 * is docs/capabilities.md. Examples: {"fp64", 1, ""}, {"local_memory", 65536, "bytes"}, {"avx512f", 1, ""}. */
typedef struct bsc_plugin_capability {
  const char* name;
  int64_t value;
  const char* unit;
} bsc_plugin_capability;

typedef struct bsc_plugin_device_info {
  bsc_struct header;
  const char* name;
  const char* vendor;
  const char* driver;         /* driver's name and version, e.g. "PoCL 3.1" */
  const char* driver_version; /* what the cache key takes */
  const char* driver_path;    /* real path of the vendor library that was opened; "" if none */
  const char* architecture;   /* what variants' targets are compared with: "sm_90a", "gfx942", "x86-64-v3" */
  const char* type;           /* "gpu", "cpu", "accelerator" */
  const char* uuid;           /* lower-case hex with dashes; "" if the device has none */
  const char* pci;            /* "0000:65:00.0"; "" if none */
  uint32_t emulated;          /* 1: an emulated driver; its times are not a GPU's */
  uint32_t unified_memory;    /* 1: device memory is host memory */
  uint64_t memory_bytes;
  uint64_t max_allocation_bytes;
  uint64_t compute_units;
  uint64_t max_block_threads;
  uint64_t max_block[3];
  uint64_t max_grid[3];       /* in blocks */
  uint64_t max_shared_bytes;  /* dynamic + static, per block */
  uint64_t max_argument_bytes;
  uint64_t min_sub_group;     /* 1,1 where there are none */
  uint64_t max_sub_group;
  uint64_t format_count;      /* image formats it takes, best first: "host", "opencl-c", "ptx", ... */
  const char* const* formats;
  uint64_t capability_count;
  uint64_t capability_stride;
  const bsc_plugin_capability* capabilities;
} bsc_plugin_device_info;

typedef struct bsc_plugin_memory_state {
  bsc_struct header;
  uint64_t total_bytes;
  uint64_t free_bytes;
  uint32_t free_is_estimate;
} bsc_plugin_memory_state;

/* ---- memory ----------------------------------------------------------------------------------------------------- */

enum {
  BSC_MEMORY_DEVICE = 0, /* fastest for kernels; the host may or may not be able to map it */
  BSC_MEMORY_HOST = 1    /* pinned host memory: map() works and stays valid until release; copies run at full speed */
};

typedef struct bsc_plugin_memory_description {
  bsc_struct header;
  uint64_t bytes;     /* 0 is allowed and gives a handle without storage */
  uint64_t alignment; /* power of two, 0: the device's default (at least 64) */
  uint32_t type;      /* BSC_MEMORY_* */
} bsc_plugin_memory_description;

/* ---- queue and submission --------------------------------------------------------------------------------------- */

typedef struct bsc_plugin_queue_description {
  bsc_struct header;
  uint64_t compute_unit_limit; /* 0: no limit. A capability "queue_compute_unit_limit", else BSC_UNSUPPORTED */
  int32_t priority;            /* 0 normal, > 0 higher, < 0 lower; a hint */
} bsc_plugin_queue_description;

enum {
  BSC_COMMAND_LAUNCH = 1,
  BSC_COMMAND_COPY = 2,  /* memory to memory of the same device */
  BSC_COMMAND_WRITE = 3, /* host to memory; the host range must stay valid until the command has completed */
  BSC_COMMAND_READ = 4,  /* memory to host; likewise */
  BSC_COMMAND_FILL = 5,
  BSC_COMMAND_WAIT = 6   /* later commands start after another queue of the same instance has reached a point */
};

enum {
  BSC_ARGUMENT_VALUE = 0,  /* `bytes` bytes at blob + blob_offset */
  BSC_ARGUMENT_BUFFER = 1, /* memory handle + offset + bytes; the plugin resolves it. At blob_offset the host leaves room
                              for what the kernel finds there: a bsc_host_span (16 bytes) in the format host, an address
                              (8 bytes) in every other. memory == NULL is allowed when bytes == 0 */
  BSC_ARGUMENT_LOCAL = 2   /* `bytes` of dynamic shared memory for one parameter (OpenCL local pointer) */
};

typedef struct bsc_plugin_argument {
  uint32_t kind;
  uint32_t flags;       /* BSC_ARGUMENT_* flags below */
  uint64_t blob_offset; /* naturally aligned; arguments lie in the blob in order */
  uint64_t bytes;
  uint64_t offset;      /* BUFFER: byte offset in memory, a multiple of the element size */
  bsc_plugin_memory memory;
} bsc_plugin_argument;

enum {
  BSC_ARGUMENT_SPLIT = 1u << 0 /* BUFFER in a kernel that takes three parameters: base, byte offset (u64), length in
                                  elements (u64, in blob at blob_offset): the dialect's convention, and the only one
                                  that works at any offset where memory handles are opaque (OpenCL 1.2) */
};

enum {
  BSC_LAUNCH_COOPERATIVE = 1u << 0, /* all blocks resident at once, or BSC_LIMIT_EXCEEDED */
  BSC_LAUNCH_STREAMING = 1u << 1    /* hint: data passes the cache once */
};

typedef struct bsc_plugin_launch {
  bsc_plugin_function function;
  uint64_t grid[3];  /* blocks per dimension; any 0: nothing runs, the command completes */
  uint64_t block[3]; /* threads per block (host format: block[0] is the grain, see host_kernel.h; grid counts items) */
  uint64_t cluster[3]; /* blocks per cluster; all 0 or 1: none */
  uint64_t shared_bytes;
  uint64_t flags;
  uint64_t argument_count;
  uint64_t argument_stride;
  const bsc_plugin_argument* arguments;
  const void* blob;
  uint64_t blob_bytes;
} bsc_plugin_launch;

typedef struct bsc_plugin_copy {
  bsc_plugin_memory source;
  bsc_plugin_memory destination; /* may equal source; the ranges must not overlap (BSC_INVALID_ARGUMENT) */
  uint64_t source_offset;
  uint64_t destination_offset;
  uint64_t bytes;
} bsc_plugin_copy;

typedef struct bsc_plugin_transfer { /* WRITE and READ */
  bsc_plugin_memory memory;
  void* host; /* WRITE: only read from */
  uint64_t offset;
  uint64_t bytes;
} bsc_plugin_transfer;

typedef struct bsc_plugin_fill {
  bsc_plugin_memory memory;
  uint64_t offset;        /* multiple of pattern_bytes */
  uint64_t bytes;         /* multiple of pattern_bytes */
  uint8_t pattern[16];
  uint32_t pattern_bytes; /* 1, 2, 4, 8 or 16 */
} bsc_plugin_fill;

typedef struct bsc_plugin_wait {
  bsc_plugin_queue queue; /* of the same instance */
  uint64_t value;         /* already submitted there, else BSC_INVALID_ARGUMENT */
} bsc_plugin_wait;

typedef struct bsc_plugin_command {
  bsc_struct header;
  uint32_t kind; /* BSC_COMMAND_*; unknown: BSC_UNSUPPORTED for the whole submission, nothing of it runs */
  union {
    bsc_plugin_launch launch;
    bsc_plugin_copy copy;
    bsc_plugin_transfer transfer;
    bsc_plugin_fill fill;
    bsc_plugin_wait wait;
  };
} bsc_plugin_command;

enum {
  BSC_SUBMIT_TIMES = 1u << 0 /* keep start and end times of this submission for profile.times */
};

/* Checked as a whole first: a submission that is refused leaves the queue as it was. Everything it points to, except the
 * host ranges of WRITE and READ, is borrowed for the call only. Memory, functions and modules named in it must not be
 * released before it has completed. */
typedef struct bsc_plugin_submission {
  bsc_struct header;
  uint64_t flags;
  uint64_t command_count; /* 0 is allowed: an empty submission completes in order */
  uint64_t command_stride;
  const bsc_plugin_command* commands;
} bsc_plugin_submission;

#define BSC_WAIT_FOREVER UINT64_MAX

/* Nanoseconds on the device's own clock; only differences mean something. */
typedef struct bsc_plugin_times {
  bsc_struct header;
  uint64_t submitted; /* 0 where unknown */
  uint64_t started;
  uint64_t ended;     /* ended - started = the submission's time on the device */
  uint64_t resolution; /* of that clock, ns */
} bsc_plugin_times;

/* ---- module ----------------------------------------------------------------------------------------------------- */

typedef struct bsc_plugin_image {
  bsc_struct header;
  const char* format;  /* one of the device's formats */
  const void* data;    /* borrowed for the call */
  uint64_t bytes;
  const char* options; /* of the format's compiler; NULL or "" if none */
  const char* name;    /* for messages */
} bsc_plugin_image;

/* Chained to bsc_plugin_image, format "host" only: a table of functions in this process instead of bytes. The table must
 * outlive the module. */
struct bsc_host_table;
typedef struct bsc_plugin_host_table_image {
  bsc_struct header;
  const struct bsc_host_table* table;
} bsc_plugin_host_table_image;

typedef struct bsc_plugin_function_info {
  bsc_struct header;
  uint64_t max_block_threads;  /* for this function; 0: the device's limit */
  uint64_t static_shared_bytes;
  uint64_t private_bytes;      /* per thread, spills included; 0 if unknown */
  uint64_t registers;          /* per thread; 0 if unknown */
  uint64_t preferred_multiple; /* of the block size; 0 if unknown */
  uint64_t argument_count;     /* UINT64_MAX if unknown */
  uint64_t argument_bytes;     /* of the blob; 0 if unknown */
} bsc_plugin_function_info;

/* ---- tables ----------------------------------------------------------------------------------------------------- */
/* R: required; without it the plugin is refused at load. H: NULL allowed, the host emulates it. O: NULL allowed, the
 * feature is reported as unsupported. `size` of each table is its size as the plugin compiled it. */

typedef struct bsc_plugin_instance_table {
  uint64_t size;
  /* R. Opens the vendor's library and finds its devices. A failure's status is the backend's state: BSC_DRIVER_MISSING,
   * BSC_STUB, BSC_TOO_OLD, BSC_BROKEN, BSC_NO_PERMISSION, BSC_FORKED ..., its message holds every path tried. No device:
   * BSC_NO_DEVICE. A bad option value: BSC_INVALID_CONFIG naming option, value and what is allowed. */
  bsc_status (*open)(const bsc_plugin_open_info*, bsc_plugin_instance* out_instance, bsc_plugin_error*);
  /* R. Waits for all queues, then frees everything that is left. */
  bsc_status (*close)(bsc_plugin_instance, bsc_plugin_error*);
  /* R. Two-call: out_devices may be NULL to learn the count; capacity too small fills what fits. */
  bsc_status (*enumerate)(bsc_plugin_instance, uint64_t capacity, bsc_plugin_device* out_devices, uint64_t* out_count,
                          bsc_plugin_error*);
} bsc_plugin_instance_table;

typedef struct bsc_plugin_device_table {
  uint64_t size;
  bsc_status (*info)(bsc_plugin_device, bsc_plugin_device_info* out_info, bsc_plugin_error*);            /* R */
  bsc_status (*memory_state)(bsc_plugin_device, bsc_plugin_memory_state* out_state, bsc_plugin_error*);  /* H: total only */
} bsc_plugin_device_table;

typedef struct bsc_plugin_memory_table {
  uint64_t size;
  /* R. More than max_allocation_bytes: BSC_LIMIT_EXCEEDED; not available: BSC_OUT_OF_MEMORY; both say how much was asked
   * and how much there is. */
  bsc_status (*allocate)(bsc_plugin_device, const bsc_plugin_memory_description*, bsc_plugin_memory* out_memory,
                         bsc_plugin_error*);
  bsc_status (*release)(bsc_plugin_memory, bsc_plugin_error*); /* R. All work that uses it has completed. */
  /* H (the host copies instead). The host address of BSC_MEMORY_HOST memory, or of device memory that the host can
   * reach; else BSC_UNSUPPORTED. Valid until release; the same on each call. */
  bsc_status (*map)(bsc_plugin_memory, void** out_pointer, bsc_plugin_error*);
  /* O. The address that kernels see (capability "device_address"). */
  bsc_status (*device_address)(bsc_plugin_memory, uint64_t* out_address, bsc_plugin_error*);
} bsc_plugin_memory_table;

typedef struct bsc_plugin_queue_table {
  uint64_t size;
  bsc_status (*create)(bsc_plugin_device, const bsc_plugin_queue_description*, bsc_plugin_queue* out_queue,
                       bsc_plugin_error*);                       /* R */
  bsc_status (*release)(bsc_plugin_queue, bsc_plugin_error*);    /* R. Waits until the queue is empty. */
  /* R. In order: a submission starts after the one before has ended. Its value is 1 for the first, then one more each
   * time, also for empty ones. Never blocks for the work itself. After a submission has failed, the later ones already
   * submitted are completed without running and new ones are refused with the same status, until the queue is released. */
  bsc_status (*submit)(bsc_plugin_queue, const bsc_plugin_submission*, uint64_t* out_value, bsc_plugin_error*);
} bsc_plugin_queue_table;

typedef struct bsc_plugin_event_table {
  uint64_t size;
  /* R. Returns once `value` has completed: BSC_OK, or the failure of any submission up to it; BSC_TIMED_OUT after
   * timeout_ns (0: only look); BSC_INVALID_ARGUMENT for a value not yet submitted. May run the work itself. */
  bsc_status (*wait)(bsc_plugin_queue, uint64_t value, uint64_t timeout_ns, bsc_plugin_error*);
  /* H (from wait). The highest completed value. */
  bsc_status (*completed)(bsc_plugin_queue, uint64_t* out_value, bsc_plugin_error*);
} bsc_plugin_event_table;

typedef struct bsc_plugin_module_table {
  uint64_t size;
  /* R. Compiles and checks everything now, so that no fault surfaces at launch. A build failure carries the log. */
  bsc_status (*load)(bsc_plugin_device, const bsc_plugin_image*, bsc_plugin_module* out_module, bsc_plugin_error*);
  bsc_status (*unload)(bsc_plugin_module, bsc_plugin_error*); /* R. All work that uses it has completed. */
  /* R. Unknown name: BSC_NOT_FOUND with the names there are. */
  bsc_status (*function)(bsc_plugin_module, const char* name, bsc_plugin_function* out_function, bsc_plugin_error*);
  bsc_status (*function_info)(bsc_plugin_function, bsc_plugin_function_info* out_info, bsc_plugin_error*); /* H: zeros */
  /* O. The name of the index-th function; BSC_NOT_FOUND past the last. Borrowed for the module's life. */
  bsc_status (*function_name)(bsc_plugin_module, uint64_t index, const char** out_name, bsc_plugin_error*);
} bsc_plugin_module_table;

typedef struct bsc_plugin_graph_table { /* H as a whole: the host replays the commands */
  uint64_t size;
  bsc_status (*create)(bsc_plugin_device, const bsc_plugin_submission*, bsc_plugin_graph* out_graph, bsc_plugin_error*);
  bsc_status (*release)(bsc_plugin_graph, bsc_plugin_error*);
  /* Replaces one launch's grid, arguments and blob, or one copy's, transfer's or fill's fields; the kind and the
   * function stay. Replays already submitted keep the old ones. */
  bsc_status (*update)(bsc_plugin_graph, uint64_t command, const bsc_plugin_command*, bsc_plugin_error*);
  bsc_status (*replay)(bsc_plugin_graph, bsc_plugin_queue, uint64_t flags, uint64_t* out_value, bsc_plugin_error*);
} bsc_plugin_graph_table;

typedef struct bsc_plugin_profile_table { /* H: host timing */
  uint64_t size;
  /* Times of a completed submission that had BSC_SUBMIT_TIMES; else BSC_NOT_FOUND. Kept for at least the last 1024. */
  bsc_status (*times)(bsc_plugin_queue, uint64_t value, bsc_plugin_times* out_times, bsc_plugin_error*);
} bsc_plugin_profile_table;

typedef struct bsc_plugin_api {
  bsc_struct header;
  const bsc_plugin_instance_table* instance;
  const bsc_plugin_device_table* device;
  const bsc_plugin_memory_table* memory;
  const bsc_plugin_queue_table* queue;
  const bsc_plugin_event_table* event;
  const bsc_plugin_module_table* module;
  const bsc_plugin_graph_table* graph;     /* may be NULL */
  const bsc_plugin_profile_table* profile; /* may be NULL */
  /* May be NULL. A table of an extension, or NULL if the plugin lacks it in that version. */
  const void* (*get_extension)(const char* name, uint32_t version);
} bsc_plugin_api;

/* ---- query ------------------------------------------------------------------------------------------------------ */

typedef struct bsc_plugin_host_info {
  bsc_struct header;
  uint32_t abi_major;
  uint32_t abi_minor;
  const char* library_version; /* of libbascule */
} bsc_plugin_host_info;

typedef struct bsc_plugin_option {
  const char* name;          /* key under [backend.NAME] in a config file */
  const char* type;          /* "integer", "boolean", "string", "duration" */
  const char* default_value;
  const char* description;   /* with unit and allowed range */
} bsc_plugin_option;

typedef struct bsc_plugin_info {
  bsc_struct header;
  uint32_t abi_major;     /* built against */
  uint32_t abi_minor;
  uint32_t abi_minor_needed; /* the least it can work with */
  uint32_t reserved;
  const char* name;       /* of the backend: "cuda", "cpu" */
  const char* version;
  const char* build;      /* build id: changes whenever the plugin's code does */
  uint64_t option_count;
  uint64_t option_stride;
  const bsc_plugin_option* options;
  const bsc_plugin_api* api;
} bsc_plugin_info;

/* The one exported symbol. Pure: no vendor call, no thread, no write to the environment. out_info->header.size is the
 * host's; the plugin writes no field beyond it. A plugin that cannot serve the host's ABI returns BSC_ABI_MISMATCH and
 * still fills the abi fields, name and version. All pointers in out_info are valid as long as the library is loaded. */
typedef bsc_status (*bsc_plugin_query_function)(const bsc_plugin_host_info* host, bsc_plugin_info* out_info);
#define BSC_PLUGIN_QUERY_SYMBOL "bascule_plugin_query"

#ifdef __cplusplus
}
#endif
#endif
