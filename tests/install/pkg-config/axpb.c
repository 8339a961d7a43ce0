/* A C program outside the project, built with nothing but what `pkg-config bascule` says: runs a kernel of its own, a C
 * function, on the cpu device and checks the result. Prints one line, exits 0 if the numbers are right.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <bascule/bascule.h>
#include <bascule/host_kernel.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 1000 };

typedef struct axpb_arguments {
  float a, b;
  bsc_host_span x, y;
} axpb_arguments;

static bsc_status axpb(const void* blob, uint64_t begin, uint64_t end, uint32_t worker, void* scratch,
                       bsc_host_team* team) {
  const axpb_arguments* arguments = blob;
  const float* x = arguments->x.data;
  float* y = arguments->y.data;
  (void)worker, (void)scratch, (void)team;
  for (uint64_t i = begin; i < end; ++i) y[i] = arguments->a * x[i] + arguments->b;
  return BSC_OK;
}

static const bsc_host_entry kEntries[] = {{.name = "axpb", .function = axpb, .argument_bytes = sizeof(axpb_arguments)}};
static const bsc_host_table kTable = {.struct_size = sizeof(bsc_host_table),
                                      .abi_version = BSC_HOST_ABI_VERSION,
                                      .entry_count = 1,
                                      .entry_stride = sizeof(bsc_host_entry),
                                      .entries = kEntries};

static void check(bsc_status status, bsc_error* error) {
  if (status == BSC_OK) return;
  fprintf(stderr, "%s: %s\n%s\n", bsc_status_name(status), bsc_error_message(error), bsc_error_remedy(error));
  exit(1);
}

int main(void) {
  bsc_error* error = NULL;
  bsc_instance* instance = NULL;
  check(bsc_instance_create(NULL, &instance, &error), error);
  bsc_device* device = NULL;
  check(bsc_instance_find_device(instance, "cpu:0", &device, &error), error);
  bsc_module* module = NULL;
  check(bsc_module_load(device, "host", NULL, 0, NULL, &kTable, &module, &error), error);
  bsc_kernel* kernel = NULL;
  check(bsc_module_kernel(module, "axpb", &kernel, &error), error);
  bsc_queue* queue = NULL;
  check(bsc_queue_create(device, NULL, &queue, &error), error);

  float x[kCount], y[kCount];
  for (int i = 0; i < kCount; ++i) x[i] = (float)i;
  bsc_buffer *x_buffer = NULL, *y_buffer = NULL;
  check(bsc_buffer_create(device, sizeof x, BSC_BUFFER_DEVICE, &x_buffer, &error), error);
  check(bsc_buffer_create(device, sizeof y, BSC_BUFFER_DEVICE, &y_buffer, &error), error);
  check(bsc_queue_upload(queue, x_buffer, 0, x, sizeof x, &error), error);

  const float a = 2, b = 3;
  const bsc_argument arguments[] = {
      {.kind = BSC_ARG_VALUE, .value = &a, .bytes = sizeof a},
      {.kind = BSC_ARG_VALUE, .value = &b, .bytes = sizeof b},
      {.kind = BSC_ARG_BUFFER, .element_bytes = sizeof(float), .buffer = x_buffer, .bytes = sizeof x},
      {.kind = BSC_ARG_BUFFER, .element_bytes = sizeof(float), .buffer = y_buffer, .bytes = sizeof y}};
  const bsc_launch_options options = {.size = sizeof options, .grid = {kCount, 1, 1}, .block = {100, 1, 1}};
  check(bsc_queue_launch(queue, kernel, &options, 4, arguments, NULL, &error), error);
  check(bsc_queue_read(queue, y_buffer, 0, y, sizeof y, NULL, &error), error);
  check(bsc_queue_wait(queue, BSC_FOREVER, &error), error);

  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += y[i] != a * x[i] + b;
  printf("bascule %s: axpb on the cpu device, %d of %d wrong\n", bsc_version(), wrong, kCount);

  bsc_buffer_release(x_buffer);
  bsc_buffer_release(y_buffer);
  bsc_queue_release(queue);
  bsc_kernel_release(kernel);
  bsc_module_release(module);
  bsc_instance_release(instance);
  return wrong != 0;
}
