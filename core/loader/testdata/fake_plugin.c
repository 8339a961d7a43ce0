/* A plugin for the loader's tests. Its backend's name is that of its file: libfake_NAME.so is the backend NAME. What it does
 * when opened is set by its options; what can only differ between files is chosen by a macro at compile time (CMakeLists.txt
 * beside this file). It appends "NAME query", "NAME open", "NAME close" to the file that BASCULE_TEST_SPY names.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bascule/plugin.h"

#ifndef FAKE_ABI_MAJOR
#define FAKE_ABI_MAJOR BSC_PLUGIN_ABI_MAJOR
#endif
#ifndef FAKE_ABI_MINOR
#define FAKE_ABI_MINOR BSC_PLUGIN_ABI_MINOR
#endif

static const bsc_plugin_api kApi;

#define MOST_DEVICES 8
static bsc_plugin_object devices[MOST_DEVICES];

typedef struct instance {
  bsc_plugin_object object;
  uint64_t device_count;
  char type[16];
  char driver[256];
} instance;

static char name[64];
static pthread_once_t name_once = PTHREAD_ONCE_INIT;

static void find_name(void) {
  Dl_info info;
  if (dladdr((const void*)&find_name, &info) == 0) return;
  const char* start = strstr(info.dli_fname, "libfake_");
  snprintf(name, sizeof name, "%s", start != NULL ? start + 8 : "unknown");
  char* end = strstr(name, ".so");
  if (end != NULL) *end = 0;
}

// Queries may come from several threads at once.
static const char* backend_name(void) {
  pthread_once(&name_once, find_name);
  return name;
}

static void spy(const char* what) {
  const char* path = getenv("BASCULE_TEST_SPY");
  FILE* file = path != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  fprintf(file, "%s %s\n", backend_name(), what);
  fclose(file);
}

static bsc_status fail(bsc_plugin_error* error, bsc_status status, const char* message) {
  if (error != NULL) {
    error->code = status;
    error->vendor_code = 35;
    snprintf(error->vendor_name, sizeof error->vendor_name, "FAKE_ERROR");
    snprintf(error->call, sizeof error->call, "fakeInit");
    snprintf(error->message, sizeof error->message, "%s", message);
  }
  return status;
}

static bsc_status behave(const char* behaviour, bsc_plugin_error* error) {
  if (strcmp(behaviour, "abort") == 0) {
    fprintf(stderr, "fake driver: assertion failed: /sys is mounted\n");
    abort();
  }
  if (strcmp(behaviour, "segfault") == 0) {
    volatile int* nowhere = NULL;
    *nowhere = 1;
  }
  if (strcmp(behaviour, "exit") == 0) exit(3);
  if (strcmp(behaviour, "hang") == 0) {
    fprintf(stderr, "fake driver: waiting for the device\n");
    while (1) pause();
  }
  if (strcmp(behaviour, "print") == 0) {
    puts("fake driver: hello");
    fflush(stdout);
  }
  if (strncmp(behaviour, "status:", 7) == 0) return fail(error, atoi(behaviour + 7), "the fake driver says no");
  if (strcmp(behaviour, "silent") == 0) return BSC_BROKEN;
  if (strcmp(behaviour, "range") == 0) return fail(error, BSC_INVALID_CONFIG, "option behaviour: \"range\" is out of range");
  return BSC_OK;
}

static bsc_status open_instance(const bsc_plugin_open_info* info, bsc_plugin_instance* out, bsc_plugin_error* error) {
  spy("open");
  instance* self = calloc(1, sizeof *self);
  self->object.api = &kApi;
  self->object.magic = BSC_OBJECT_MAGIC;
  self->object.kind = BSC_OBJECT_INSTANCE;
  self->device_count = 1;
  strcpy(self->type, "gpu");
  if (info->driver_path != NULL) snprintf(self->driver, sizeof self->driver, "%s", info->driver_path);
  for (uint64_t i = 0; i < info->option_count; ++i) {
    const char* value = info->options[i].value;
    if (strcmp(info->options[i].name, "devices") == 0) self->device_count = strtoull(value, NULL, 10);
    if (strcmp(info->options[i].name, "type") == 0) snprintf(self->type, sizeof self->type, "%s", value);
    if (strcmp(info->options[i].name, "behaviour") == 0) {
      const bsc_status status = behave(value, error);
      if (status != BSC_OK) {
        free(self);
        return status;
      }
      if (strcmp(value, "nothing") == 0) {
        free(self);
        return BSC_OK;
      }
      if (strcmp(value, "magic") == 0) devices[0].magic = 0;
    }
  }
  info->services->log(info->services->context, BSC_LOG_INFO, "opened");
  *out = &self->object;
  return BSC_OK;
}

static bsc_status close_instance(bsc_plugin_instance self, bsc_plugin_error* error) {
  (void)error;
  spy("close");
  free(self);
  return BSC_OK;
}

static instance* current; /* device_info has no instance at hand; the tests' devices are all alike */

static bsc_status enumerate(bsc_plugin_instance self, uint64_t capacity, bsc_plugin_device* out, uint64_t* count,
                            bsc_plugin_error* error) {
  (void)error;
  current = (instance*)self;
  *count = current->device_count;
  for (uint64_t i = 0; i < capacity && i < *count && i < MOST_DEVICES && out != NULL; ++i) {
    devices[i].api = &kApi;
    if (devices[i].kind == 0) devices[i].magic = BSC_OBJECT_MAGIC;
    devices[i].kind = BSC_OBJECT_DEVICE;
    out[i] = &devices[i];
  }
  return BSC_OK;
}

static bsc_status device_info(bsc_plugin_device device, bsc_plugin_device_info* info, bsc_plugin_error* error) {
  (void)error;
  info->name = "Fake device";
  info->vendor = "Fake";
  info->driver = "fake 1.0";
  info->driver_version = "1.0";
  info->driver_path = current->driver;
  info->architecture = "fake";
  /* "mixed": the first is a gpu, the others are cpus */
  info->type = strcmp(current->type, "mixed") != 0 ? current->type : device == &devices[0] ? "gpu" : "cpu";
  /* uuid and pci stay NULL */
  return BSC_OK;
}

static bsc_status unused(void) { return BSC_INTERNAL; }

static const bsc_plugin_instance_table kInstance = {sizeof kInstance, open_instance, close_instance, enumerate};
static const bsc_plugin_device_table kDevice = {sizeof kDevice, device_info, NULL};
static const bsc_plugin_memory_table kMemory = {sizeof kMemory, (void*)unused, (void*)unused, NULL, NULL};
static const bsc_plugin_queue_table kQueue = {
#ifdef FAKE_SHORT_TABLE
    8, /* the entries behind it do not count */
#else
    sizeof kQueue,
#endif
    (void*)unused, (void*)unused,
#ifdef FAKE_MISSING_ENTRY
    NULL,
#else
    (void*)unused,
#endif
};
static const bsc_plugin_event_table kEvent = {sizeof kEvent, (void*)unused, NULL};
static const bsc_plugin_module_table kModule = {sizeof kModule, (void*)unused, (void*)unused, (void*)unused, NULL, NULL};
static const bsc_plugin_api kApi = {{sizeof kApi, BSC_STRUCT_API, NULL}, &kInstance, &kDevice, &kMemory, &kQueue, &kEvent,
                                    &kModule, NULL, NULL, NULL};

static const bsc_plugin_option kOptions[] = {
    {"behaviour", "string", "", "what opening does"},
    {"devices", "integer", "1", "number of devices, 0 to 8"},
    {"type", "string", "gpu", "type of the devices"},
    {"flag", "boolean", "off", "means nothing"},
    {"wait", "duration", "1s", "means nothing"},
#ifdef FAKE_OPTION_TYPE
    {"odd", "number", "", "an option of a type that does not exist"},
#endif
};

#ifdef FAKE_UNDEFINED_SYMBOL
int bascule_test_symbol_that_does_not_exist(void);
#endif
#ifdef FAKE_SIBLING
int fake_sibling(void);
#endif

#ifdef FAKE_NO_SYMBOL
#define QUERY some_other_symbol
#else
#define QUERY bascule_plugin_query
#endif
bsc_status QUERY(const bsc_plugin_host_info* host, bsc_plugin_info* info) {
  (void)host;
  spy("query");
#ifdef FAKE_ABORT_IN_QUERY
  abort();
#endif
#ifdef FAKE_HANG_IN_QUERY
  while (1) pause();
#endif
#ifdef FAKE_UNDEFINED_SYMBOL
  bascule_test_symbol_that_does_not_exist();
#endif
#ifdef FAKE_SIBLING
  if (fake_sibling() != 42) return BSC_BROKEN;
#endif
#ifdef FAKE_FAILING_QUERY
  return BSC_OUT_OF_MEMORY;
#endif
  info->abi_major = FAKE_ABI_MAJOR;
  info->abi_minor = FAKE_ABI_MINOR;
  info->abi_minor_needed = 1;
#ifdef FAKE_WRONG_NAME
  info->name = "somebody_else";
#else
  info->name = backend_name();
#endif
  info->version = "1.2.3";
  info->build = "fake";
  info->option_count = sizeof kOptions / sizeof kOptions[0];
  info->option_stride = sizeof kOptions[0];
  info->options = kOptions;
  info->api = &kApi;
  if (FAKE_ABI_MAJOR != BSC_PLUGIN_ABI_MAJOR || FAKE_ABI_MINOR != BSC_PLUGIN_ABI_MINOR) {
    /* Whoever reads these before comparing versions crashes. */
    info->options = (const bsc_plugin_option*)16;
    info->api = (const bsc_plugin_api*)16;
    return BSC_ABI_MISMATCH;
  }
#ifdef FAKE_NO_API
  info->api = NULL;
#endif
  return BSC_OK;
}
