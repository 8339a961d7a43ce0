// fmt's functions, compiled once for everything that formats. bascule_dependencies.cmake decides whether it is used.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format-inl.h>

namespace fmt {
inline namespace v9 {
namespace detail {

// What format.h only declares for char.
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;

}  // namespace detail
}  // namespace v9
}  // namespace fmt
