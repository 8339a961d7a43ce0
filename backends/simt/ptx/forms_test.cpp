// The table of forms: each family of instructions accepted as the ISA writes it, and what is not in the table refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/forms.hpp"

#include <doctest/doctest.h>

#include "backends/simt/ptx/test_parsing.hpp"

namespace bascule::simt::ptx {
namespace {

void accepted(std::string_view version, std::string_view target, std::initializer_list<const char*> statements) {
  for (const char* statement : statements) {
    CAPTURE(statement);
    CHECK(errors_in(statement, version, target) == "");
  }
}

struct Refused {
  const char* statement;
  const char* reason;  // part of the message
};

void refused(std::string_view version, std::string_view target, std::initializer_list<Refused> cases) {
  for (const Refused& entry : cases) {
    CAPTURE(entry.statement);
    const std::string errors = errors_in(entry.statement, version, target);
    CAPTURE(errors);
    CHECK(errors.find(entry.reason) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("every line of the table can be read and every operation has a form") {
  const FormTable& table = form_table();
  for (const std::string& problem : table.problems()) MESSAGE(problem);
  CHECK(table.problems().empty());
  CHECK(table.forms().size() > 500);
#define BSC_PTX_OPERATION(name, spelling)            \
  {                                                  \
    CAPTURE(spelling);                               \
    CHECK(!table.forms_of(Operation::name).empty()); \
  }
#include "backends/simt/ptx/operations.inc"
#undef BSC_PTX_OPERATION
}

TEST_CASE("integer arithmetic is accepted in its forms") {
  accepted("9.0", "sm_90",
           {"add.u16 %h1, %h2, 7;",
            "add.sat.s32 %r1, %s2, %r3;",
            "add.s16x2 %r1, %r2, %r3;",
            "sub.u64 %rd1, %rd2, 5;",
            "mul.hi.u64 %rd1, %rd2, %rd3;",
            "mul.wide.s16 %r1, %h2, %h3;",
            "mad.wide.u32 %rd1, %r2, %r3, %rd4;",
            "mad.hi.sat.s32 %r1, %r2, %r3, %r4;",
            "mul24.lo.u32 %r1, %r2, %r3;",
            "mad24.hi.sat.s32 %r1, %r2, %r3, %r4;",
            "sad.u16 %h1, %h2, %h3, %h4;",
            "div.s32 %r1, %r2, 0;",
            "rem.u64 %rd1, %rd2, %rd3;",
            "abs.s64 %rd1, %rd2;",
            "min.relu.s32 %r1, %r2, %r3;",
            "max.u16x2 %r1, %r2, %r3;",
            "popc.b64 %r1, %rd2;",
            "clz.b32 %r1, %r2;",
            "bfind.shiftamt.s64 %r1, %rd2;",
            "fns.b32 %r1, %r2, %r3, %r4;",
            "brev.b64 %rd1, %rd2;",
            "bfe.s64 %rd1, %rd2, %r3, 5;",
            "bfi.b64 %rd1, %rd2, %rd3, %r4, %r5;",
            "szext.wrap.s32 %r1, %r2, %r3;",
            "bmsk.clamp.b32 %r1, %r2, %r3;",
            "dp4a.u32.s32 %r1, %r2, %r3, %r4;",
            "dp2a.lo.s32.u32 %r1, %r2, %r3, %r4;",
            "add.cc.u32 %r1, %r2, %r3;",
            "addc.cc.s64 %rd1, %rd2, %rd3;",
            "subc.u32 %r1, %r2, %r3;",
            "madc.hi.cc.u32 %r1, %r2, %r3, %r4;"});
  refused("9.0", "sm_90",
          {{"mul.u32 %r1, %r2, %r3;", "may not stand here"},
           {"mul.wide.u64 %rd1, %rd2, %rd3;", "may not stand here"},
           {"add.sat.u32 %r1, %r2, %r3;", "may not stand here"},
           {"sub.u16x2 %r1, %r2, %r3;", "may not stand here"},
           {"add.s32 %f1, %f2, %f3;", "does not fit .s32"},
           {"add.s32 %r1, %r2;", "not what it takes"},
           {"add.s32 %r1, %r2, %r3, %r4;", "not what it takes"},
           {"add.s32 5, %r2, %r3;", "must be a register"},
           {"add.s32 %rd1, %r2, %r3;", "does not fit .s32"},
           {"bfe.u64 %rd1, %rd2, %rd3, 5;", "does not fit .u32"},
           {"popc.b64 %rd1, %rd2;", "does not fit .u32"},
           {"add.s32 %r1, %tid.x, 1;", "special register"},
           {"add.u64 %rd1, gv, 4;", "must be a register"},
           {"add.s32 %r1, %r2, 1.0;", "does not fit .s32"}});
}

TEST_CASE("floating-point arithmetic is accepted in its forms") {
  accepted("9.0", "sm_90",
           {"add.rz.ftz.sat.f32 %f1, %f2, 1.0;",
            "sub.f64 %d1, %d2, 0d3FF0000000000000;",
            "mul.rn.f32 %f1, %f2, 0f3F800000;",
            "fma.rp.f64 %d1, %d2, %d3, %d4;",
            "mad.rn.f32 %f1, %f2, %f3, %f4;",
            "div.full.ftz.f32 %f1, %f2, %f3;",
            "div.rn.f64 %d1, %d2, %d3;",
            "neg.ftz.f32 %f1, %f2;",
            "max.NaN.f32 %f1, %f2, %f3;",
            "min.xorsign.abs.f32 %f1, %f2, %f3;",
            "rcp.approx.ftz.f64 %d1, %d2;",
            "sqrt.rm.f32 %f1, %f2;",
            "rsqrt.approx.f64 %d1, %d2;",
            "sin.approx.f32 %f1, %f2;",
            "tanh.approx.f16x2 %r1, %r2;",
            "ex2.approx.ftz.bf16 %h1, %h2;",
            "testp.subnormal.f64 %p1, %d2;",
            "copysign.f32 %f1, %f2, 1.0;",
            "add.f16 %h1, %h2, %h3;",
            "fma.rn.relu.bf16x2 %r1, %r2, %r3, %r4;",
            "fma.rn.ftz.sat.f16x2 %r1, %r2, %r3, %r4;",
            "max.NaN.xorsign.abs.bf16 %h1, %h2, %h3;",
            "abs.f16 %h1, %h2;"});
  refused("9.0", "sm_90",
          {{"sin.f32 %f1, %f2;", "may not stand here"},
           {"div.f32 %f1, %f2, %f3;", "may not stand here"},
           {"mul.ftz.f64 %d1, %d2, %d3;", "may not stand here"},
           {"add.rz.f16 %h1, %h2, %h3;", "may not stand here"},
           {"add.f32 %u1, %f2, %f3;", "does not fit .f32"},
           {"add.f32 %f1, %f2, 1;", "is an integer"},
           {"mov.f32 %f1, 0;", "is an integer"},
           {"add.f16 %h1, %h2, 1.0;", "does not fit .f16"},
           {"max.abs.f32 %f1, %f2, %f3;", "needs sm_100"},
           {"ex2.approx.bf16 %h1, %h2;", "may not stand here"}});
  accepted("8.8", "sm_100",
           {"max.f32 %f1, %f2, %f3, %f4;", "add.f32x2 %rd1, %rd2, %rd3;", "add.f32.bf16 %f1, %h1, %f2;"});
}

TEST_CASE("comparison, selection and logic are accepted in their forms") {
  accepted("9.0", "sm_90",
           {"setp.lt.s32 %p1, %r1, 2;",
            "setp.eq.s32 %p1|%p2, %r1, 2;",
            "setp.eq.s32 _|%p2, %r1, 2;",
            "setp.geu.and.ftz.f32 %p1, %f1, %f2, !%p3;",
            "setp.lo.u64 %p1, %rd1, %rd2;",
            "setp.num.f64 %p1, %d1, %d2;",
            "setp.eq.f16x2 %p1|%p2, %r1, %r2;",
            "set.le.or.f32.s32 %f1, %r2, %r3, %p1;",
            "set.eq.u32.f16 %r1, %h2, %h3;",
            "selp.f32 %f1, 1.0, 0.0, %p1;",
            "slct.ftz.u64.f32 %rd1, %rd2, %rd3, %f1;",
            "and.pred %p1, %p2, 1;",
            "xor.b64 %rd1, %rd2, %rd3;",
            "not.pred %p1, %p2;",
            "cnot.b16 %h1, %h2;",
            "lop3.b32 %r1, %r2, %r3, %r4, 0xE8;",
            "lop3.or.b32 _|%p1, %r2, %r3, %r4, 5, !%p2;",
            "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
            "shl.b64 %rd1, %rd2, 70;",
            "shr.s16 %h1, %h2, %r3;"});
  refused("9.0", "sm_90",
          {{"setp.lo.s32 %p1, %r1, %r2;", "does not compare"},
           {"setp.lt.b32 %p1, %r1, %r2;", "does not compare"},
           {"setp.equ.u32 %p1, %r1, %r2;", "does not compare"},
           {"setp.eq.s32 %r1, %r1, %r2;", "does not fit .pred"},
           {"setp.eq.f16 %p1|%p2, %h1, %h2;", "not what it takes"},
           {"shl.b32 %r1, %r2, %rd1;", "does not fit .u32"},
           {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "must be a constant"},
           {"selp.b32 %r1, %r2, %r3, %r4;", "does not fit .pred"},
           {"and.u32 %r1, %r2, %r3;", "may not stand here"}});
}

TEST_CASE("moves and conversions are accepted in their forms") {
  accepted("9.0", "sm_90",
           {"mov.u32 %r1, %tid.x;",
            "mov.u16 %h1, %ntid.y;",
            "mov.u64 %rd1, %clock64;",
            "mov.u64 %rd1, gv+4;",
            "mov.u64 %rd1, gv[3];",
            "mov.u32 %r1, sv;",
            "mov.u64 %rd1, k;",
            "mov.b64 %rd1, {%r1, %r2};",
            "mov.b64 {%f1, _}, %rd1;",
            "mov.b64 {%h1, %h2, %h3, %h4}, %rd1;",
            "mov.b128 %q1, {%rd1, %rd2};",
            "mov.b32 %r1, 0f3F800000;",
            "mov.pred %p1, 1;",
            "cvt.rzi.s32.f32 %r1, %f1;",
            "cvt.rn.f32.s64 %f1, %rd1;",
            "cvt.u8.u32 %r1, %r2;",
            "cvt.sat.u8.s32 %h1, %r2;",
            "cvt.f64.f32 %d1, %f1;",
            "cvt.rni.f32.f32 %f1, %f2;",
            "cvt.rn.f16x2.f32 %r1, %f1, %f2;",
            "cvt.rna.tf32.f32 %r1, %f1;",
            "cvt.rn.satfinite.relu.e4m3x2.f32 %h1, %f1, %f2;",
            "cvt.rn.f16x2.e5m2x2 %r1, %h1;",
            "cvt.rz.bf16.f32 %h1, %f1;",
            "cvt.f32.bf16 %f1, %h1;",
            "cvt.u64.u32 %rd1, %tid.x;",
            "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;",
            "prmt.b32.f4e %r1, %r2, %r3, 3;",
            "cvta.to.global.u64 %rd1, %rd2;",
            "cvta.shared.u64 %rd1, sv;",
            "isspacep.shared::cluster %p1, %rd1;",
            "mapa.shared::cluster.u32 %r1, sv, %r2;",
            "getctarank.u64 %r1, %rd1;"});
  refused("9.0", "sm_90",
          {{"cvt.s32.f32 %r1, %f1;", "needs a rounding to integer"},
           {"cvt.rn.f64.f32 %d1, %f1;", "does not round"},
           {"cvt.f32.f64 %f1, %d1;", "needs a rounding"},
           {"cvt.rn.f32.f32 %f1, %f2;", "rounds to integers only"},
           {"cvt.rzi.ftz.s32.f64 %r1, %d1;", "'.ftz' has no meaning"},
           {"cvt.rn.bf16.f32 %r1, %f1;", "does not fit .bf16"},
           {"mov.u32 %r1, gv;", "has 64 bits"},
           {"mov.u64 %rd1, {%r1, %r2};", "not what it takes"},
           {"mov.b32 %r1, {%r2, %r3};", "does not fit .b16"},
           {"mov.b32 %r1, 1.0;", "does not fit .b32"},
           {"cvta.global.u64 %rd1, sv;", "is in .shared"},
           {"mov.u32 %r1, %tid;", "needs .x"},
           {"mov.u64 %rd1, %tid.x;", "does not fit .u64"}});
}

TEST_CASE("loads, stores and atomics are accepted in their forms") {
  accepted("9.0", "sm_90",
           {"ld.global.u32 %r1, [%rd1+-4];",
            "ld.global.u32 %r1, [ %rd1 + 0 ];",
            "ld.u8 %rd1, [%rd2];",
            "ld.shared.f32 %f1, [%r1];",
            "ld.global.nc.L1::no_allocate.v4.f32 {%f1, %f2, _, %f4}, [%rd1];",
            "ld.relaxed.gpu.global.L2::128B.s8 %s1, [%rd1];",
            "ld.volatile.shared::cta.b64 %rd1, [sv+8];",
            "ld.param.u64 %rd1, [p];",
            "ld.const.v2.b32 {%r1, %r2}, [cv+8];",
            "ld.global.L2::cache_hint.b32 %r1, [%rd1], %rd2;",
            "ld.acquire.sys.b32 %r1, [%rd1].unified;",
            "ld.local.b32 %r1, [lv];",
            "ldu.global.f32 %f1, [%rd1];",
            "st.global.cs.v2.f64 [%rd1], {%d1, 1.0};",
            "st.shared.u8 [sv+1], 300;",
            "st.release.cluster.b32 [%rd1], %f1;",
            "atom.global.add.f64 %d1, [%rd1], %d2;",
            "atom.acq_rel.cta.shared.cas.b16 %h1, [%r1], %h2, %h3;",
            "atom.add.noftz.bf16x2 _, [%rd1], %r1;",
            "atom.global.inc.u32 %r1, [gv], 5;",
            "atom.exch.b128 %q1, [%rd1], %q2;",
            "red.relaxed.gpu.global.add.v2.f32 [%rd1], {%f1, %f2};",
            "red.shared.and.b32 [sv], %r1;",
            "prefetch.global.L2 [%rd1];",
            "createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5;",
            "discard.global.L2 [%rd1], 128;"});
  refused("9.0", "sm_90",
          {{"ld.global.f32 %u1, [%rd1];", "does not fit .f32"},
           {"ld.global.u16 %f1, [%rd1];", "does not fit .u16"},
           {"ld.global.u32 %h1, [%rd1];", "at least 32 bits"},
           {"ld.global.u32 _, [%rd1];", "may not be '_'"},
           {"ld.global.u32 %r1, [sv];", "is in .shared"},
           {"ld.global.u32 %r1, [%r1];", "64 bits wide"},
           {"ld.global.u32 %r1, [%f1];", "base"},
           {"ld.global.v2.u32 %r1, [%rd1];", "not what it takes"},
           {"ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];", "has 3 elements"},
           {"ld.global.v4.u64 {%rd1,%rd2,%rd3,%rd4}, [%rd1];", "256 bits"},
           {"st.const.u32 [cv], %r1;", "may not stand here"},
           {"st.param.u32 [p], %r1;", "cannot be written"},
           {"ld.param.u64 %rd1, [p+8];", "beyond the parameters"},
           {"ld.relaxed.u32 %r1, [%rd1];", "may not stand here"},
           {"ld.global.L2::cache_hint.u32 %r1, [%rd1];", "not what it takes"},
           {"atom.global.min.f32 %f1, [%rd1], %f2;", "may not stand here"},
           {"atom.local.add.u32 %r1, [%rd1], 1;", "may not stand here"},
           {"atom.global.cas.b32 %r1, [%rd1], %r2;", "not what it takes"},
           {"ld.shared.nc.u32 %r1, [%r1];", "may not stand here"},
           {"ld.volatile.local.u32 %r1, [lv];", "may not stand here"},
           {"ld.L1::evict_last.shared.u32 %r1, [sv];", "may not stand here"},
           {"st.relaxed.gpu.shared.L1::evict_last.u32 [sv], %r1;", "eviction priorities are for .global"}});
}

TEST_CASE("control flow and synchronisation are accepted in their forms") {
  accepted("9.0", "sm_90",
           {"@!%p1 bra L; L:",
            "@%p1 exit;",
            "ret.uni;",
            "bar.sync 0;",
            "bar.cta.sync %r1, 64;",
            "bar.red.popc.u32 %r1, 0, %p1;",
            "bar.red.and.pred %p1, 1, 32, !%p2;",
            "barrier.sync.aligned 3;",
            "barrier.cta.arrive 1, 64;",
            "bar.warp.sync 0xffffffff;",
            "barrier.cluster.arrive.release.aligned;",
            "barrier.cluster.wait;",
            "membar.gl;",
            "fence.acq_rel.cluster;",
            "fence.sc.sys;",
            "fence.proxy.async.shared::cta;",
            "fence.mbarrier_init.release.cluster;",
            "vote.sync.ballot.b32 %r1, !%p1, -1;",
            "match.any.sync.b64 %r1, %rd1, -1;",
            "match.all.sync.b32 %r1|%p1, %r2, -1;",
            "activemask.b32 %r1;",
            "redux.sync.xor.b32 %r1, %r2, -1;",
            "elect.sync _|%p1, -1;",
            "shfl.sync.bfly.b32 %f1|%p1, %f2, 1, 31, -1;",
            "griddepcontrol.wait;",
            "alloca.u64 %rd1, 16, 8;",
            "stacksave.u64 %rd1;",
            "nanosleep.u32 100;",
            "trap;",
            "pmevent 3;",
            "mbarrier.init.shared::cta.b64 [sv], 5;",
            "mbarrier.arrive.expect_tx.release.cta.shared.b64 _, [sv], 16;",
            "mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p1, [sv], 1, 1000;",
            "mbarrier.test_wait.b64 %p1, [%rd1], %rd2;",
            "cp.async.ca.shared.global [sv], [%rd1], 8, %r1;",
            "cp.async.cg.shared.global [%r1], [%rd1], 16, %p1;",
            "cp.async.wait_group 0;",
            "cp.async.bulk.commit_group;"});
  refused("9.0", "sm_90",
          {{"bra;", "not what it takes"},
           {"bra nowhere;", "there is no label 'nowhere'"},
           {"@%r1 exit;", ".pred"},
           {"bar.sync 16;", "0 to 15"},
           {"bar.sync 0, 33;", "multiple of 32"},
           {"bar.sync.aligned 0;", "may not stand here"},
           {"shfl.down.b32 %r1, %r2, 1, 31;", "does not exist"},
           {"vote.all.pred %p1, %p2;", "does not exist"},
           {"cp.async.cg.shared.global [%r1], [%rd1], 8;", "16 bytes"},
           {"cp.async.wait_group %r1;", "must be a constant"},
           {"mbarrier.arrive.release.shared.b64 _, [sv];", "may not stand here"},
           {"mbarrier.arrive.release.cluster.shared::cluster.b64 %rd1, [%r1];", "gives no state"},
           {"membar.gpu;", "may not stand here"},
           {"setmaxnreg.inc.sync.aligned.u32 40;", "needs sm_90a"},
           {"pmevent 17;", "from 0 to 15"}});
}

TEST_CASE("matrix instructions are accepted in their forms") {
  accepted("9.0", "sm_90a",
           {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [sv];",
            "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};", "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, "
            "{%f1,%f2,%f3,%f4};",
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1,%d2}, {%d3}, {%d4}, {%d5,%d6};",
            "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, "
            "{%r5,%r6}, {%r1,%r2,%r3,%r4};",
            "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, "
            "{%r5,%r6}, {%r1,%r2,%r3,%r4};",
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, "
            "{%f1,%f2,%f3,%f4};",
            "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, "
            "{%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%f1,%f2,%f3,%f4}, %r7, 0;",
            "wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4}, [%rd1], 16;",
            "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%r1,%r2}, {%r3}, {%r4}, {%r5,%r6};",
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, %p1, 1, -1, 0, 1;",
            "wgmma.wait_group.sync.aligned 0;"});
  refused(
      "9.0", "sm_90a",
      {{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [sv];", "not what it takes"},
       {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [sv];", "has 1 elements; this form has 2"},
       {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7,%r8};",
        "may not stand here"},
       {"mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, "
        "{%f1,%f2,%f3,%f4};",
        "may not stand here"},
       {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%u1,%u2,%u3,%u4}, {%r5,%r6}, "
        "{%f1,%f2,%f3,%f4};",
        "does not fit .f16x2"},
       {"wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, %p1, 1, 1, 0, 1;",
        "this shape has 8"}});
}

TEST_CASE("what is parsed and never run is accepted in its forms") {
  accepted("9.0", "sm_100a",
           {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 64;",
            "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1,%r2}, [%r3];",
            "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;", "tcgen05.fence::before_thread_sync;",
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, "
            "{%r2,%r3}], [%r4];",
            "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}];",
            "suld.b.2d.v2.b32.clamp {%r1,%r2}, [%rd1, {%r2,%r3}];", "txq.width.b32 %r1, [%rd1];",
            "vadd.s32.u32.s32.sat.add %r1, %r2.b0, %r3.h1, %r4;", "vmad.s32.s32.s32.shr7 %r1, -%r2, %r3, %r4;",
            "vadd4.u32.u32.u32.add %r1.b10, %r2.b3210, %r3.b7654, %r4;", "multimem.red.global.add.f32 [%rd1], %f1;",
            "st.bulk.shared::cta [%rd1], %rd2, 0;"});
}

TEST_CASE("forms are refused where the version or the target does not have them, with what they need") {
  refused("8.0", "sm_90", {{"wgmma.fence.sync.aligned;", "needs sm_90a; this module is PTX 8.0 for sm_90"}});
  refused("7.8", "sm_90a", {{"wgmma.fence.sync.aligned;", "needs PTX 8.0;"}});
  refused("7.0", "sm_75",
          {{"abs.bf16 %h1, %h2;", "needs sm_80 or later"},
           {"add.bf16 %h1, %h2, %h3;", "needs PTX 7.8 and sm_90 or later"}});
  refused("6.0", "sm_60", {{"ld.relaxed.gpu.u32 %r1, [%rd1];", "needs sm_70 or later"}});
  refused("7.0", "sm_80", {{"mbarrier.arrive.shared.b64 %rd1, [%rd2], 3;", "'count' needs PTX 7.8"}});
  refused("8.6", "sm_103a", {{"cvt.rs.f16x2.f32 %r1, %f1, %f2, %r3;", "needs PTX 8.7"}});
  accepted("5.0", "sm_50", {"shfl.down.b32 %r1, %r2, 1, 31;", "vote.ballot.b32 %r1, %p1;"});
  accepted("8.8", "sm_103f", {"tcgen05.wait::ld.sync.aligned;"});
  accepted("8.0", "sm_90a", {"wgmma.fence.sync.aligned;"});
}

TEST_CASE("modifiers may stand in other orders, and the typed form has the one of the ISA") {
  for (const char* statement :
       {"atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], 1;", "atom.add.acq_rel.gpu.global.u32 %r1, [%rd1], 1;",
        "atom.global.add.gpu.acq_rel.u32 %r1, [%rd1], 1;"}) {
    CAPTURE(statement);
    const Parsed parsed = parse_statements(statement);
    const Instruction& atom = kernel_of(parsed).instructions[0];
    REQUIRE(atom.modifier_count == 3);
    CHECK(atom.modifiers[0] == Modifier::acq_rel);
    CHECK(atom.modifiers[1] == Modifier::gpu);
    CHECK(atom.modifiers[2] == Modifier::add);
    CHECK(atom.space() == Space::global);
  }
}

}  // namespace bascule::simt::ptx
