// Names of special registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/special.hpp"

#include <unordered_map>

namespace bascule::simt::ptx {
namespace {

struct Entry {
  std::string_view name;
  SpecialRegister special;
  Type type;
  bool components = false;
  std::string_view requirement = "";
  std::uint32_t count = 0;  // numbered: name0 ... name<count-1>
};

constexpr Entry kEntries[] = {
    {"%tid", SpecialRegister::tid, Type::u32, true},
    {"%ntid", SpecialRegister::ntid, Type::u32, true},
    {"%laneid", SpecialRegister::laneid, Type::u32},
    {"%warpid", SpecialRegister::warpid, Type::u32},
    {"%nwarpid", SpecialRegister::nwarpid, Type::u32},
    {"%ctaid", SpecialRegister::ctaid, Type::u32, true},
    {"%nctaid", SpecialRegister::nctaid, Type::u32, true},
    {"%smid", SpecialRegister::smid, Type::u32},
    {"%nsmid", SpecialRegister::nsmid, Type::u32},
    {"%gridid", SpecialRegister::gridid, Type::u64},
    {"%is_explicit_cluster", SpecialRegister::is_explicit_cluster, Type::pred, false, "78/90"},
    {"%clusterid", SpecialRegister::clusterid, Type::u32, true, "78/90"},
    {"%nclusterid", SpecialRegister::nclusterid, Type::u32, true, "78/90"},
    {"%cluster_ctaid", SpecialRegister::cluster_ctaid, Type::u32, true, "78/90"},
    {"%cluster_nctaid", SpecialRegister::cluster_nctaid, Type::u32, true, "78/90"},
    {"%cluster_ctarank", SpecialRegister::cluster_ctarank, Type::u32, false, "78/90"},
    {"%cluster_nctarank", SpecialRegister::cluster_nctarank, Type::u32, false, "78/90"},
    {"%lanemask_eq", SpecialRegister::lanemask_eq, Type::u32},
    {"%lanemask_le", SpecialRegister::lanemask_le, Type::u32},
    {"%lanemask_lt", SpecialRegister::lanemask_lt, Type::u32},
    {"%lanemask_ge", SpecialRegister::lanemask_ge, Type::u32},
    {"%lanemask_gt", SpecialRegister::lanemask_gt, Type::u32},
    {"%clock", SpecialRegister::clock, Type::u32},
    {"%clock_hi", SpecialRegister::clock_hi, Type::u32, false, "50"},
    {"%clock64", SpecialRegister::clock64, Type::u64},
    {"%globaltimer", SpecialRegister::globaltimer, Type::u64, false, "31"},
    {"%globaltimer_lo", SpecialRegister::globaltimer_lo, Type::u32, false, "31"},
    {"%globaltimer_hi", SpecialRegister::globaltimer_hi, Type::u32, false, "31"},
    {"%reserved_smem_offset_begin", SpecialRegister::reserved_shared_begin, Type::b32, false, "76/80"},
    {"%reserved_smem_offset_end", SpecialRegister::reserved_shared_end, Type::b32, false, "76/80"},
    {"%reserved_smem_offset_cap", SpecialRegister::reserved_shared_cap, Type::b32, false, "76/80"},
    {"%total_smem_size", SpecialRegister::total_smem_size, Type::u32, false, "41"},
    {"%aggr_smem_size", SpecialRegister::aggr_smem_size, Type::u32, false, "81/90"},
    {"%dynamic_smem_size", SpecialRegister::dynamic_smem_size, Type::u32, false, "41"},
    {"%current_graph_exec", SpecialRegister::current_graph_exec, Type::u64, false, "80/50"},
    {"%reserved_smem_offset_", SpecialRegister::reserved_shared_offset, Type::b32, false, "76/80", 2},
    {"%envreg", SpecialRegister::envreg, Type::b32, false, "21", 32},
    {"%pm", SpecialRegister::pm, Type::u32, false, "13", 8},
};

using Table = std::unordered_map<std::string, SpecialInfo>;

Table make_table() {
  Table table;
  const auto add = [&](std::string name, const Entry& entry, std::uint32_t index) {
    table.emplace(std::move(name), SpecialInfo{entry.special, entry.type, entry.components, index,
                                               Requirement::parse(entry.requirement)});
  };
  for (const Entry& entry : kEntries) {
    if (entry.count == 0) add(std::string(entry.name), entry, 0);
    for (std::uint32_t i = 0; i < entry.count; ++i) add(std::string(entry.name) + std::to_string(i), entry, i);
  }
  const Entry pm64{"%pm", SpecialRegister::pm64, Type::u64, false, "40", 8};
  for (std::uint32_t i = 0; i < pm64.count; ++i) add("%pm" + std::to_string(i) + "_64", pm64, i);
  return table;
}

}  // namespace

SpecialInfo find_special(std::string_view name) {
  static const Table table = make_table();
  constexpr std::size_t kLongest = 32;
  if (name.size() > kLongest) return {};
  const auto found = table.find(std::string(name));
  return found == table.end() ? SpecialInfo{} : found->second;
}

}  // namespace bascule::simt::ptx
