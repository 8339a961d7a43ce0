# A program of somebody else's library, cuda.bindings.driver, on the emulated driver: y = a x + y by PTX that Clang made.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import array
import ctypes
import random
import sys

from cuda.bindings import driver


def check(result):
    code, *values = result
    if code != driver.CUresult.CUDA_SUCCESS:
        sys.exit(f"failed: {code}")
    return values[0] if len(values) == 1 else values


check(driver.cuInit(0))
device = check(driver.cuDeviceGet(0))
name = check(driver.cuDeviceGetName(100, device)).split(b"\0")[0].decode()
context = check(driver.cuDevicePrimaryCtxRetain(device))
check(driver.cuCtxSetCurrent(context))
with open(sys.argv[1], "rb") as file:
    module = check(driver.cuModuleLoadData(file.read() + b"\0"))
function = check(driver.cuModuleGetFunction(module, b"saxpy"))

n = 10007
seed = random.randrange(1 << 32)
numbers = random.Random(seed)
# Multiples of 1/8 below 1000: sums and products are exact.
x = array.array("f", [numbers.randrange(8000) / 8 for _ in range(n)])
y = array.array("f", [numbers.randrange(8000) / 8 for _ in range(n)])
result = array.array("f", [0.0] * n)
device_x = check(driver.cuMemAlloc(4 * n))
device_y = check(driver.cuMemAlloc(4 * n))
stream = check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
check(driver.cuMemcpyHtoDAsync(device_x, x.buffer_info()[0], 4 * n, stream))
check(driver.cuMemcpyHtoDAsync(device_y, y.buffer_info()[0], 4 * n, stream))
arguments = ((2.0, device_x, device_y, n), (ctypes.c_float, None, None, ctypes.c_int))
check(driver.cuLaunchKernel(function, (n + 255) // 256, 1, 1, 256, 1, 1, 0, stream, arguments, 0))
check(driver.cuMemcpyDtoHAsync(result.buffer_info()[0], device_y, 4 * n, stream))
check(driver.cuStreamSynchronize(stream))
wrong = sum(result[i] != 2.0 * x[i] + y[i] for i in range(n))
check(driver.cuMemFree(device_x))
check(driver.cuMemFree(device_y))
check(driver.cuStreamDestroy(stream))
check(driver.cuModuleUnload(module))
check(driver.cuDevicePrimaryCtxRelease(device))
print(f"{name}: {n} elements, {wrong} wrong (seed {seed}): {'PASSED' if wrong == 0 else 'FAILED'}")
sys.exit(wrong != 0)
