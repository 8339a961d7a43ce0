// The forms of functions whose default stream is the calling thread's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/entries.hpp"

using bascule::emulated::PerThreadDefault;

BASCULE_CUDA_ENTRY cuMemPrefetchAsync_ptsz(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemPrefetchAsync(devPtr, count, dstDevice, hStream);
}
BASCULE_CUDA_ENTRY cuMemPrefetchAsync_v2_ptsz(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
    CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemPrefetchAsync_v2(devPtr, count, location, flags, hStream);
}
BASCULE_CUDA_ENTRY cuMemAllocAsync_ptsz(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemAllocAsync(dptr, bytesize, hStream);
}
BASCULE_CUDA_ENTRY cuMemFreeAsync_ptsz(CUdeviceptr dptr, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemFreeAsync(dptr, hStream);
}
BASCULE_CUDA_ENTRY cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemAllocFromPoolAsync(dptr, bytesize, pool, hStream);
}
BASCULE_CUDA_ENTRY cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  const PerThreadDefault scope;
  return cuMemcpy(dst, src, ByteCount);
}
BASCULE_CUDA_ENTRY cuMemcpyPeer_ptds(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
    CUcontext srcContext, size_t ByteCount) {
  const PerThreadDefault scope;
  return cuMemcpyPeer(dstDevice, dstContext, srcDevice, srcContext, ByteCount);
}
BASCULE_CUDA_ENTRY cuMemcpyHtoD_v2_ptds(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
  const PerThreadDefault scope;
  return cuMemcpyHtoD_v2(dstDevice, srcHost, ByteCount);
}
BASCULE_CUDA_ENTRY cuMemcpyDtoH_v2_ptds(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  const PerThreadDefault scope;
  return cuMemcpyDtoH_v2(dstHost, srcDevice, ByteCount);
}
BASCULE_CUDA_ENTRY cuMemcpyDtoD_v2_ptds(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  const PerThreadDefault scope;
  return cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}
BASCULE_CUDA_ENTRY cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *pCopy) {
  const PerThreadDefault scope;
  return cuMemcpy2D_v2(pCopy);
}
BASCULE_CUDA_ENTRY cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *pCopy) {
  const PerThreadDefault scope;
  return cuMemcpy2DUnaligned_v2(pCopy);
}
BASCULE_CUDA_ENTRY cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *pCopy) {
  const PerThreadDefault scope;
  return cuMemcpy3D_v2(pCopy);
}
BASCULE_CUDA_ENTRY cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemcpyAsync(dst, src, ByteCount, hStream);
}
BASCULE_CUDA_ENTRY cuMemcpyPeerAsync_ptsz(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
    CUcontext srcContext, size_t ByteCount, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream);
}
BASCULE_CUDA_ENTRY cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
    CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount, hStream);
}
BASCULE_CUDA_ENTRY cuMemcpyDtoHAsync_v2_ptsz(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount, hStream);
}
BASCULE_CUDA_ENTRY cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
    CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, hStream);
}
BASCULE_CUDA_ENTRY cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemcpy2DAsync_v2(pCopy, hStream);
}
BASCULE_CUDA_ENTRY cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemcpy3DAsync_v2(pCopy, hStream);
}
BASCULE_CUDA_ENTRY cuMemsetD8_v2_ptds(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  const PerThreadDefault scope;
  return cuMemsetD8_v2(dstDevice, uc, N);
}
BASCULE_CUDA_ENTRY cuMemsetD16_v2_ptds(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  const PerThreadDefault scope;
  return cuMemsetD16_v2(dstDevice, us, N);
}
BASCULE_CUDA_ENTRY cuMemsetD32_v2_ptds(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  const PerThreadDefault scope;
  return cuMemsetD32_v2(dstDevice, ui, N);
}
BASCULE_CUDA_ENTRY cuMemsetD2D8_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
    size_t Height) {
  const PerThreadDefault scope;
  return cuMemsetD2D8_v2(dstDevice, dstPitch, uc, Width, Height);
}
BASCULE_CUDA_ENTRY cuMemsetD2D16_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
    size_t Height) {
  const PerThreadDefault scope;
  return cuMemsetD2D16_v2(dstDevice, dstPitch, us, Width, Height);
}
BASCULE_CUDA_ENTRY cuMemsetD2D32_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
    size_t Height) {
  const PerThreadDefault scope;
  return cuMemsetD2D32_v2(dstDevice, dstPitch, ui, Width, Height);
}
BASCULE_CUDA_ENTRY cuMemsetD8Async_ptsz(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemsetD8Async(dstDevice, uc, N, hStream);
}
BASCULE_CUDA_ENTRY cuMemsetD16Async_ptsz(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemsetD16Async(dstDevice, us, N, hStream);
}
BASCULE_CUDA_ENTRY cuMemsetD32Async_ptsz(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemsetD32Async(dstDevice, ui, N, hStream);
}
BASCULE_CUDA_ENTRY cuMemsetD2D8Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
    size_t Height, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemsetD2D8Async(dstDevice, dstPitch, uc, Width, Height, hStream);
}
BASCULE_CUDA_ENTRY cuMemsetD2D16Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
    size_t Height, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemsetD2D16Async(dstDevice, dstPitch, us, Width, Height, hStream);
}
BASCULE_CUDA_ENTRY cuMemsetD2D32Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
    size_t Height, CUstream hStream) {
  const PerThreadDefault scope;
  return cuMemsetD2D32Async(dstDevice, dstPitch, ui, Width, Height, hStream);
}
BASCULE_CUDA_ENTRY cuStreamGetPriority_ptsz(CUstream hStream, int *priority) {
  const PerThreadDefault scope;
  return cuStreamGetPriority(hStream, priority);
}
BASCULE_CUDA_ENTRY cuStreamGetFlags_ptsz(CUstream hStream, unsigned int *flags) {
  const PerThreadDefault scope;
  return cuStreamGetFlags(hStream, flags);
}
BASCULE_CUDA_ENTRY cuStreamGetId_ptsz(CUstream hStream, unsigned long long *streamId) {
  const PerThreadDefault scope;
  return cuStreamGetId(hStream, streamId);
}
BASCULE_CUDA_ENTRY cuStreamGetCtx_ptsz(CUstream hStream, CUcontext *pctx) {
  const PerThreadDefault scope;
  return cuStreamGetCtx(hStream, pctx);
}
BASCULE_CUDA_ENTRY cuStreamGetDevice_ptsz(CUstream hStream, CUdevice *device) {
  const PerThreadDefault scope;
  return cuStreamGetDevice(hStream, device);
}
BASCULE_CUDA_ENTRY cuStreamWaitEvent_ptsz(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  const PerThreadDefault scope;
  return cuStreamWaitEvent(hStream, hEvent, Flags);
}
BASCULE_CUDA_ENTRY cuStreamAddCallback_ptsz(CUstream hStream, CUstreamCallback callback, void *userData,
    unsigned int flags) {
  const PerThreadDefault scope;
  return cuStreamAddCallback(hStream, callback, userData, flags);
}
BASCULE_CUDA_ENTRY cuStreamQuery_ptsz(CUstream hStream) {
  const PerThreadDefault scope;
  return cuStreamQuery(hStream);
}
BASCULE_CUDA_ENTRY cuStreamSynchronize_ptsz(CUstream hStream) {
  const PerThreadDefault scope;
  return cuStreamSynchronize(hStream);
}
BASCULE_CUDA_ENTRY cuStreamBeginCapture_v2_ptsz(CUstream hStream, CUstreamCaptureMode mode) {
  const PerThreadDefault scope;
  return cuStreamBeginCapture_v2(hStream, mode);
}
BASCULE_CUDA_ENTRY cuStreamEndCapture_ptsz(CUstream hStream, CUgraph *phGraph) {
  const PerThreadDefault scope;
  return cuStreamEndCapture(hStream, phGraph);
}
BASCULE_CUDA_ENTRY cuStreamIsCapturing_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
  const PerThreadDefault scope;
  return cuStreamIsCapturing(hStream, captureStatus);
}
BASCULE_CUDA_ENTRY cuStreamGetCaptureInfo_v2_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
    cuuint64_t *id_out, CUgraph *graph_out, const CUgraphNode **dependencies_out, size_t *numDependencies_out) {
  const PerThreadDefault scope;
  return cuStreamGetCaptureInfo_v2(hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out);
}
BASCULE_CUDA_ENTRY cuStreamGetCaptureInfo_v3_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
    cuuint64_t *id_out, CUgraph *graph_out, const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out,
    size_t *numDependencies_out) {
  const PerThreadDefault scope;
  return cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out,
    numDependencies_out);
}
BASCULE_CUDA_ENTRY cuEventRecord_ptsz(CUevent hEvent, CUstream hStream) {
  const PerThreadDefault scope;
  return cuEventRecord(hEvent, hStream);
}
BASCULE_CUDA_ENTRY cuEventRecordWithFlags_ptsz(CUevent hEvent, CUstream hStream, unsigned int flags) {
  const PerThreadDefault scope;
  return cuEventRecordWithFlags(hEvent, hStream, flags);
}
BASCULE_CUDA_ENTRY cuLaunchKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
    unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
    void **kernelParams, void **extra) {
  const PerThreadDefault scope;
  return cuLaunchKernel(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
    kernelParams, extra);
}
BASCULE_CUDA_ENTRY cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra) {
  const PerThreadDefault scope;
  return cuLaunchKernelEx(config, f, kernelParams, extra);
}
BASCULE_CUDA_ENTRY cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
    unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
    unsigned int sharedMemBytes, CUstream hStream, void **kernelParams) {
  const PerThreadDefault scope;
  return cuLaunchCooperativeKernel(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes,
    hStream, kernelParams);
}
BASCULE_CUDA_ENTRY cuLaunchHostFunc_ptsz(CUstream hStream, CUhostFn fn, void *userData) {
  const PerThreadDefault scope;
  return cuLaunchHostFunc(hStream, fn, userData);
}
BASCULE_CUDA_ENTRY cuGraphInstantiateWithParams_ptsz(CUgraphExec *phGraphExec, CUgraph hGraph,
    CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
  const PerThreadDefault scope;
  return cuGraphInstantiateWithParams(phGraphExec, hGraph, instantiateParams);
}
BASCULE_CUDA_ENTRY cuGraphUpload_ptsz(CUgraphExec hGraph, CUstream hStream) {
  const PerThreadDefault scope;
  return cuGraphUpload(hGraph, hStream);
}
BASCULE_CUDA_ENTRY cuGraphLaunch_ptsz(CUgraphExec hGraph, CUstream hStream) {
  const PerThreadDefault scope;
  return cuGraphLaunch(hGraph, hStream);
}
