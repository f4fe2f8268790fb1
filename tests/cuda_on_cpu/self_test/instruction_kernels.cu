// Each PTX instruction in a kernel of its own. The text of an instruction must be a literal, hence the macros.

#include "instruction_kernels.h"

#include <map>
#include <stdexcept>

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class Operation>
__global__ void apply(const u64* a, const u64* b, const u64* c, u64* out, u32 count) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = Operation::run(a[i], b[i], c[i]);
}

template <class Operation>
void launch(const u64* a, const u64* b, const u64* c, u64* out, u32 count) {
    apply<Operation><<<(count + 63) / 64, 64>>>(a, b, c, out, count);
}

using Launcher = void (*)(const u64*, const u64*, const u64*, u64*, u32);
std::map<std::string, Launcher>& table() {
    static std::map<std::string, Launcher> the;
    return the;
}
struct Row {
    Row(const char* name, Launcher launcher) { table()[name] = launcher; }
};

// d, a, b, c of 32 bits (r), 64 bits (l) or 16 bits (h); floats travel as their bits.
#define OPERATION(name, d_type, d_constraint, a_type, ab_constraint, c_type, c_constraint, text)         \
    struct name {                                                                                        \
        static __device__ u64 run(u64 a, u64 b, u64 c) {                                                 \
            d_type d;                                                                                    \
            asm volatile(text                                                                            \
                         : "=" d_constraint(d)                                                           \
                         : ab_constraint(a_type(a)), ab_constraint(a_type(b)), c_constraint(c_type(c))); \
            return u64(d);                                                                               \
        }                                                                                                \
    };                                                                                                   \
    const Row row_##name(#name, launch<name>);
#define WORD(name, text) OPERATION(name, u32, "r", u32, "r", u32, "r", text)
#define LONG(name, text) OPERATION(name, u64, "l", u64, "l", u32, "r", text)
#define LONG3(name, text) OPERATION(name, u64, "l", u64, "l", u64, "l", text)
#define WIDE(name, text) OPERATION(name, u64, "l", u32, "r", u64, "l", text)
#define NARROW(name, text) OPERATION(name, u32, "r", u64, "l", u64, "l", text)

// Integers.
WORD(add_u32, "add.u32 %0, %1, %2;")
WORD(sub_s32, "sub.s32 %0, %1, %2;")
WORD(add_sat_s32, "add.sat.s32 %0, %1, %2;")
WORD(sub_sat_s32, "sub.sat.s32 %0, %1, %2;")
WORD(mul_lo_u32, "mul.lo.u32 %0, %1, %2;")
WORD(mul_hi_u32, "mul.hi.u32 %0, %1, %2;")
WORD(mul_hi_s32, "mul.hi.s32 %0, %1, %2;")
WIDE(mul_wide_u32, "mul.wide.u32 %0, %1, %2;")
WIDE(mul_wide_s32, "mul.wide.s32 %0, %1, %2;")
WIDE(mad_wide_s32, "mad.wide.s32 %0, %1, %2, %3;")
WORD(mad_lo_s32, "mad.lo.s32 %0, %1, %2, %3;")
WORD(mad_hi_u32, "mad.hi.u32 %0, %1, %2, %3;")
LONG(mul_hi_u64, "mul.hi.u64 %0, %1, %2;")
LONG(mul_hi_s64, "mul.hi.s64 %0, %1, %2;")
LONG3(mad_lo_s64, "mad.lo.s64 %0, %1, %2, %3;")
// 64-bit sums from 32-bit halves, by the carry.
LONG(add_by_carry,
     "{ .reg .b32 al, ah, bl, bh, dl, dh; mov.b64 {al, ah}, %1; mov.b64 {bl, bh}, %2; add.cc.u32 dl, al, bl;"
     " addc.u32 dh, ah, bh; mov.b64 %0, {dl, dh}; }")
LONG(sub_by_borrow,
     "{ .reg .b32 al, ah, bl, bh, dl, dh; mov.b64 {al, ah}, %1; mov.b64 {bl, bh}, %2; sub.cc.u32 dl, al, bl;"
     " subc.u32 dh, ah, bh; mov.b64 %0, {dl, dh}; }")
WIDE(mad_by_carry,
     "{ .reg .b32 cl, ch, dl, dh; mov.b64 {cl, ch}, %3; mad.lo.cc.u32 dl, %1, %2, cl;"
     " madc.hi.u32 dh, %1, %2, ch; mov.b64 %0, {dl, dh}; }")
WORD(div_u32, "div.u32 %0, %1, %2;")
WORD(div_s32, "div.s32 %0, %1, %2;")
WORD(rem_s32, "rem.s32 %0, %1, %2;")
LONG(rem_u64, "rem.u64 %0, %1, %2;")
WORD(min_s32, "min.s32 %0, %1, %2;")
WORD(max_u32, "max.u32 %0, %1, %2;")
WORD(abs_s32, "abs.s32 %0, %1;")
WORD(neg_s32, "neg.s32 %0, %1;")
WORD(sad_s32, "sad.s32 %0, %1, %2, %3;")

// Bits.
WORD(shl_b32, "shl.b32 %0, %1, %3;")
WORD(shr_u32, "shr.u32 %0, %1, %3;")
WORD(shr_s32, "shr.s32 %0, %1, %3;")
LONG(shl_b64, "shl.b64 %0, %1, %3;")
LONG(shr_u64, "shr.u64 %0, %1, %3;")
LONG(shr_s64, "shr.s64 %0, %1, %3;")
WORD(shf_l_wrap, "shf.l.wrap.b32 %0, %1, %2, %3;")
WORD(shf_l_clamp, "shf.l.clamp.b32 %0, %1, %2, %3;")
WORD(shf_r_wrap, "shf.r.wrap.b32 %0, %1, %2, %3;")
WORD(shf_r_clamp, "shf.r.clamp.b32 %0, %1, %2, %3;")
WORD(lop3_96, "lop3.b32 %0, %1, %2, %3, 0x96;")
WORD(lop3_e8, "lop3.b32 %0, %1, %2, %3, 0xe8;")
WORD(lop3_ca, "lop3.b32 %0, %1, %2, %3, 0xca;")
WORD(prmt_b32, "prmt.b32 %0, %1, %2, %3;")
WORD(prmt_f4e, "prmt.b32.f4e %0, %1, %2, %3;")
WORD(prmt_b4e, "prmt.b32.b4e %0, %1, %2, %3;")
WORD(prmt_rc8, "prmt.b32.rc8 %0, %1, %2, %3;")
WORD(prmt_ecl, "prmt.b32.ecl %0, %1, %2, %3;")
WORD(prmt_ecr, "prmt.b32.ecr %0, %1, %2, %3;")
WORD(prmt_rc16, "prmt.b32.rc16 %0, %1, %2, %3;")
WORD(bfe_u32, "bfe.u32 %0, %1, %2, %3;")
WORD(bfe_s32, "bfe.s32 %0, %1, %2, %3;")
LONG(bfe_u64, "{ .reg .b32 s; cvt.u32.u64 s, %2; bfe.u64 %0, %1, s, %3; }")
LONG(bfe_s64, "{ .reg .b32 s; cvt.u32.u64 s, %2; bfe.s64 %0, %1, s, %3; }")
WORD(bfi_b32, "bfi.b32 %0, %1, 0x12345678, %2, %3;")
WORD(popc_b32, "popc.b32 %0, %1;")
NARROW(popc_b64, "popc.b64 %0, %1;")
WORD(clz_b32, "clz.b32 %0, %1;")
NARROW(clz_b64, "clz.b64 %0, %1;")
WORD(brev_b32, "brev.b32 %0, %1;")
WORD(bfind_u32, "bfind.u32 %0, %1;")
WORD(bfind_s32, "bfind.s32 %0, %1;")
WORD(bfind_shift, "bfind.shiftamt.u32 %0, %1;")
WORD(bmsk_clamp, "bmsk.clamp.b32 %0, %2, %3;")
WORD(szext_wrap_s32, "szext.wrap.s32 %0, %1, %3;")
WORD(dp4a_s32, "dp4a.s32.s32 %0, %1, %2, %3;")
WORD(cnot_b32, "cnot.b32 %0, %1;")

// Floats.
#define FLOAT2(name, text) WORD(name, "{ .reg .f32 a, b, d; mov.b32 a, %1; mov.b32 b, %2; " text " mov.b32 %0, d; }")
#define FLOAT3(name, text) \
    WORD(name, "{ .reg .f32 a, b, c, d; mov.b32 a, %1; mov.b32 b, %2; mov.b32 c, %3; " text " mov.b32 %0, d; }")
#define DOUBLE3(name, text) \
    LONG3(name, "{ .reg .f64 a, b, c, d; mov.b64 a, %1; mov.b64 b, %2; mov.b64 c, %3; " text " mov.b64 %0, d; }")
FLOAT2(add_f32, "add.f32 d, a, b;")
FLOAT2(sub_f32, "sub.rn.f32 d, a, b;")
FLOAT2(mul_f32, "mul.rn.f32 d, a, b;")
FLOAT2(add_ftz_f32, "add.ftz.f32 d, a, b;")
FLOAT2(mul_ftz_f32, "mul.ftz.f32 d, a, b;")
FLOAT2(add_sat_f32, "add.sat.f32 d, a, b;")
FLOAT2(add_rz_f32, "add.rz.f32 d, a, b;")
FLOAT2(add_rm_f32, "add.rm.f32 d, a, b;")
FLOAT2(add_rp_f32, "add.rp.f32 d, a, b;")
FLOAT2(mul_rz_f32, "mul.rz.f32 d, a, b;")
FLOAT3(fma_f32, "fma.rn.f32 d, a, b, c;")
FLOAT3(fma_rm_f32, "fma.rm.f32 d, a, b, c;")
DOUBLE3(fma_f64, "fma.rn.f64 d, a, b, c;")
FLOAT2(div_f32, "div.rn.f32 d, a, b;")
FLOAT2(div_approx_f32, "div.approx.f32 d, a, b;")
FLOAT2(sqrt_f32, "sqrt.rn.f32 d, a;")
FLOAT2(rsqrt_f32, "rsqrt.approx.f32 d, a;")
FLOAT2(rcp_f32, "rcp.rn.f32 d, a;")
FLOAT2(rcp_ftz_f32, "rcp.approx.ftz.f32 d, a;")
FLOAT2(ex2_f32, "ex2.approx.f32 d, a;")
FLOAT2(lg2_f32, "lg2.approx.f32 d, a;")
FLOAT2(min_f32, "min.f32 d, a, b;")
FLOAT2(max_f32, "max.f32 d, a, b;")
FLOAT2(min_ftz_f32, "min.ftz.f32 d, a, b;")
FLOAT2(neg_f32, "neg.f32 d, a;")
FLOAT2(abs_f32, "abs.f32 d, a;")
FLOAT2(copysign_f32, "copysign.f32 d, a, b;")

// Comparisons: one bit for each of the fourteen, eq first.
#define SET_BIT(comparison, bit) "setp." comparison ".f32 p, a, b; @p or.b32 d, d, " bit "; "
WORD(setp_f32,
     "{ .reg .f32 a, b; .reg .pred p; .reg .b32 d; mov.b32 a, %1; mov.b32 b, %2; mov.b32 d, 0; " SET_BIT("eq", "1")
         SET_BIT("ne", "2") SET_BIT("lt", "4") SET_BIT("le", "8") SET_BIT("gt", "16") SET_BIT("ge", "32")
             SET_BIT("equ", "64") SET_BIT("neu", "128") SET_BIT("ltu", "256") SET_BIT("leu", "512")
                 SET_BIT("gtu", "1024") SET_BIT("geu", "2048") SET_BIT("num", "4096")
                     SET_BIT("nan", "8192") "mov.b32 %0, d; }")
WORD(setp_both,
     "{ .reg .pred p, q, r; .reg .b32 t; setp.ne.u32 r, %3, 0; setp.lt.and.s32 p|q, %1, %2, r;"
     " selp.b32 %0, 1, 0, p; selp.b32 t, 2, 0, q; or.b32 %0, %0, t; }")
WORD(setp_lo, "{ .reg .pred p; setp.lo.u32 p, %1, %2; selp.b32 %0, 1, 0, p; }")
WORD(set_f32, "{ .reg .f32 a, b; mov.b32 a, %1; mov.b32 b, %2; set.lt.u32.f32 %0, a, b; }")
WORD(slct_s32, "slct.b32.s32 %0, %1, %2, %3;")
#define TEST_BIT(kind, bit) "testp." kind ".f32 p, a; @p or.b32 d, d, " bit "; "
WORD(testp_f32, "{ .reg .f32 a; .reg .pred p; .reg .b32 d; mov.b32 a, %1; mov.b32 d, 0; " TEST_BIT("finite", "1")
                    TEST_BIT("infinite", "2") TEST_BIT("number", "4") TEST_BIT("notanumber", "8")
                        TEST_BIT("normal", "16") "mov.b32 %0, d; }")

// Conversions.
#define FROM_FLOAT(name, text) WORD(name, "{ .reg .f32 a; mov.b32 a, %1; " text " }")
FROM_FLOAT(cvt_rni_s32, "cvt.rni.s32.f32 %0, a;")
FROM_FLOAT(cvt_rzi_s32, "cvt.rzi.s32.f32 %0, a;")
FROM_FLOAT(cvt_rmi_s32, "cvt.rmi.s32.f32 %0, a;")
FROM_FLOAT(cvt_rpi_s32, "cvt.rpi.s32.f32 %0, a;")
FROM_FLOAT(cvt_rzi_u32, "cvt.rzi.u32.f32 %0, a;")
FROM_FLOAT(cvt_rzi_u8, "{ .reg .b16 h; cvt.rzi.u8.f32 h, a; cvt.u32.u16 %0, h; }")
LONG(cvt_rzi_s64, "{ .reg .f64 a; mov.b64 a, %1; cvt.rzi.s64.f64 %0, a; }")
LONG(cvt_rzi_u64, "{ .reg .f64 a; mov.b64 a, %1; cvt.rzi.u64.f64 %0, a; }")
WORD(cvt_rni_f32, "{ .reg .f32 a; mov.b32 a, %1; cvt.rni.f32.f32 a, a; mov.b32 %0, a; }")
WORD(cvt_sat_f32, "{ .reg .f32 a; mov.b32 a, %1; cvt.sat.f32.f32 a, a; mov.b32 %0, a; }")
WORD(cvt_ftz_f32, "{ .reg .f32 a; mov.b32 a, %1; cvt.ftz.f32.f32 a, a; mov.b32 %0, a; }")
NARROW(cvt_f32_f64, "{ .reg .f64 a; .reg .f32 d; mov.b64 a, %1; cvt.rn.f32.f64 d, a; mov.b32 %0, d; }")
NARROW(cvt_rz_f32_f64, "{ .reg .f64 a; .reg .f32 d; mov.b64 a, %1; cvt.rz.f32.f64 d, a; mov.b32 %0, d; }")
NARROW(cvt_rn_f32_u64, "{ .reg .f32 d; cvt.rn.f32.u64 d, %1; mov.b32 %0, d; }")
NARROW(cvt_rp_f32_s64, "{ .reg .f32 d; cvt.rp.f32.s64 d, %1; mov.b32 %0, d; }")
WIDE(cvt_f64_f32, "{ .reg .f32 a; .reg .f64 d; mov.b32 a, %1; cvt.f64.f32 d, a; mov.b64 %0, d; }")
WIDE(cvt_s64_s32, "cvt.s64.s32 %0, %1;")
WIDE(cvt_s64_s8, "cvt.s64.s8 %0, %1;")
WORD(cvt_sat_s8, "cvt.sat.s8.s32 %0, %1;")
WORD(cvt_sat_u16, "{ .reg .b16 h; cvt.sat.u16.s32 h, %1; cvt.u32.u16 %0, h; }")
WORD(cvt_f16, "{ .reg .f32 a; .reg .b16 h; mov.b32 a, %1; cvt.rn.f16.f32 h, a; cvt.u32.u16 %0, h; }")
WORD(cvt_from_f16, "{ .reg .f32 d; .reg .b16 h; cvt.u16.u32 h, %1; cvt.f32.f16 d, h; mov.b32 %0, d; }")

}  // namespace

std::vector<std::string> instruction_names() {
    std::vector<std::string> out;
    for (const auto& row : table()) out.push_back(row.first);
    return out;
}

std::vector<u64> run_instruction(const std::string& name, const std::vector<u64>& a, const std::vector<u64>& b,
                                 const std::vector<u64>& c) {
    const std::size_t bytes = a.size() * sizeof(u64);
    u64* device[4];
    for (u64*& each : device) cudaMalloc(&each, bytes);
    cudaMemcpy(device[0], a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device[1], b.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device[2], c.data(), bytes, cudaMemcpyHostToDevice);
    table().at(name)(device[0], device[1], device[2], device[3], u32(a.size()));
    std::vector<u64> out(a.size());
    const cudaError_t error = cudaMemcpy(out.data(), device[3], bytes, cudaMemcpyDeviceToHost);
    for (u64* each : device) cudaFree(each);
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
    return out;
}
