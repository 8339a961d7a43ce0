/* Status codes shared by the C API (bascule.h), the plugin ABI (plugin.h) and host kernels (host_kernel.h).
 *
 * A status is an int32. 0 is success; every other value is a failure of exactly one kind. Numbers never change their
 * meaning and are never reused; new ones are appended.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_STATUS_H
#define BASCULE_STATUS_H

#include <stdint.h>

typedef int32_t bsc_status;

enum {
  BSC_OK = 0,

  /* The call was wrong. */
  BSC_INVALID_ARGUMENT = 1,    /* a parameter is outside what the documentation allows */
  BSC_INVALID_HANDLE = 2,      /* foreign, released or corrupted handle */
  BSC_NOT_FOUND = 3,           /* no such kernel, device, key, option, function */
  BSC_UNSUPPORTED = 4,         /* this backend or device cannot do it; the message names the capability */
  BSC_LIMIT_EXCEEDED = 5,      /* beyond a device limit; the message names the limit and its value */
  BSC_INVALID_STATE = 6,       /* not now: queue is recording, graph is not ended, instance is shut down */

  /* Data was wrong. */
  BSC_INVALID_CONFIG = 10,     /* unknown key or value, with its position */
  BSC_INVALID_PACKAGE = 11,    /* truncated, wrong magic, bad hash, inconsistent */
  BSC_INVALID_IMAGE = 12,      /* the driver or engine does not accept the kernel image */
  BSC_BUILD_FAILED = 13,       /* compiling an image failed; the message carries the log */
  BSC_NO_VARIANT = 14,         /* no variant of the kernel can run on the device; the message lists the reasons */
  BSC_IO_ERROR = 15,           /* a file could not be read or written */

  /* The machine said no. */
  BSC_OUT_OF_MEMORY = 20,
  BSC_TIMED_OUT = 21,          /* a wait's limit passed; the work goes on */
  BSC_LAUNCH_FAILED = 22,      /* a kernel reported or caused an error */
  BSC_DEVICE_LOST = 23,        /* terminal for this device in this process */
  BSC_INTERNAL = 24,           /* a fault of Bascule or of a plugin */

  /* States of a backend: why it is not usable (also what `doctor` prints). */
  BSC_PLUGIN_MISSING = 40,     /* no plugin file for this backend in any searched directory */
  BSC_DRIVER_MISSING = 41,     /* the vendor's library is not installed */
  BSC_STUB = 42,               /* the library found is a toolkit's stub, not the driver */
  BSC_TOO_OLD = 43,            /* library or driver older than needed */
  BSC_BROKEN = 44,             /* present, but fails to load or initialise */
  BSC_NO_DEVICE = 45,          /* driver works, no device is visible */
  BSC_NO_PERMISSION = 46,      /* devices exist, this user may not open them */
  BSC_ABI_MISMATCH = 47,       /* plugin and library speak different ABI versions */
  BSC_CRASHED = 48,            /* probing it in a child process killed the child */
  BSC_PROBE_TIMED_OUT = 49,    /* probing it in a child process took too long */
  BSC_FORKED = 50,             /* the process forked after the driver was initialised */
  BSC_NO_BACKEND = 51          /* none of the configured backends is usable */
};

#endif
