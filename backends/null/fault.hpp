// Planted faults: ways in which this plugin can break the ABI's rules on purpose, one at a time, chosen by the option
// `fault`. They exist to test the conformance suite: tests/conformance/faults.txt names the case that must catch each.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bascule::null_backend {

// Named ENTRY_RULE: what is broken, and where.
#define BSC_NULL_FAULTS(X)                                                                                   \
  X(query_accepts_any_abi)                                                                                   \
  X(query_build_changes)                                                                                     \
  X(query_drops_required_entry)                                                                              \
  X(query_option_type_unknown)                                                                               \
  X(query_prints)                                                                                            \
  X(query_starts_thread)                                                                                     \
  X(query_table_size_missing)                                                                                \
  X(query_writes_beyond_size)                                                                                \
  X(query_writes_environment)                                                                                \
  X(extension_unknown_answered)                                                                              \
  X(error_call_missing)                                                                                      \
  X(error_code_missing)                                                                                      \
  X(error_interval_missing)                                                                                  \
  X(error_null_written)                                                                                      \
  X(error_unterminated)                                                                                      \
  X(error_writes_beyond_size)                                                                                \
  X(error_written_on_success)                                                                                \
  X(open_bad_option_accepted)                                                                                \
  X(open_blocks_signals)                                                                                     \
  X(open_changes_rounding)                                                                                   \
  X(open_ignores_option_stride)                                                                              \
  X(open_log_context_missing)                                                                                \
  X(open_prints)                                                                                             \
  X(open_reads_unknown_fields)                                                                               \
  X(close_handle_unchecked)                                                                                  \
  X(close_hangs)                                                                                             \
  X(close_leaks)                                                                                             \
  X(close_released_accepted)                                                                                 \
  X(close_returns_before_work)                                                                               \
  X(enumerate_handle_unchecked)                                                                              \
  X(enumerate_handles_change)                                                                                \
  X(enumerate_ignores_capacity)                                                                              \
  X(enumerate_short_count)                                                                                   \
  X(info_capability_undocumented)                                                                            \
  X(info_handle_unchecked)                                                                                   \
  X(info_limit_missing)                                                                                      \
  X(info_strings_change)                                                                                     \
  X(info_type_unknown)                                                                                       \
  X(info_writes_beyond_size)                                                                                 \
  X(state_free_above_total)                                                                                  \
  X(state_writes_beyond_size)                                                                                \
  X(allocate_alignment_ignored)                                                                              \
  X(allocate_any_alignment_accepted)                                                                         \
  X(allocate_api_pointer_missing)                                                                            \
  X(allocate_handle_kind_wrong)                                                                              \
  X(allocate_message_without_limit)                                                                          \
  X(allocate_never_full)                                                                                     \
  X(allocate_size_wraps)                                                                                     \
  X(allocate_too_large_accepted)                                                                             \
  X(allocate_unknown_type_accepted)                                                                          \
  X(allocate_zero_refused)                                                                                   \
  X(release_handle_unchecked)                                                                                \
  X(release_kind_unchecked)                                                                                  \
  X(release_released_accepted)                                                                               \
  X(map_changes)                                                                                             \
  X(map_handle_unchecked)                                                                                    \
  X(map_too_short)                                                                                           \
  X(address_changes)                                                                                         \
  X(queue_create_limit_ignored)                                                                              \
  X(queue_create_refuses_priority)                                                                           \
  X(queue_release_leaves_handle)                                                                             \
  X(queue_release_returns_before_work)                                                                       \
  X(submit_argument_count_unchecked)                                                                         \
  X(submit_argument_kind_unchecked)                                                                          \
  X(submit_argument_range_unchecked)                                                                         \
  X(submit_argument_stride_ignored)                                                                          \
  X(submit_argument_bytes_unchecked)                                                                         \
  X(submit_blob_range_unchecked)                                                                             \
  X(submit_block_limit_unchecked)                                                                            \
  X(submit_blocks)                                                                                           \
  X(submit_changes_rounding)                                                                                 \
  X(submit_command_stride_ignored)                                                                           \
  X(submit_empty_copy_refused)                                                                               \
  X(submit_empty_grid_refused)                                                                               \
  X(submit_empty_without_value)                                                                              \
  X(submit_fill_misaligned_accepted)                                                                         \
  X(submit_fill_pattern_unchecked)                                                                           \
  X(submit_function_handle_unchecked)                                                                        \
  X(submit_grid_limit_unchecked)                                                                             \
  X(submit_limit_missing_in_message)                                                                         \
  X(submit_memory_handle_unchecked)                                                                          \
  X(submit_null_memory_refused)                                                                              \
  X(submit_out_of_range_accepted)                                                                            \
  X(submit_overlap_accepted)                                                                                 \
  X(submit_queue_handle_unchecked)                                                                           \
  X(submit_refused_takes_value)                                                                              \
  X(submit_shared_limit_unchecked)                                                                           \
  X(submit_unknown_command_accepted)                                                                         \
  X(submit_values_are_shared)                                                                                \
  X(submit_values_skip)                                                                                      \
  X(submit_values_start_at_zero)                                                                             \
  X(submit_wait_command_ignored)                                                                             \
  X(submit_wait_for_future_accepted)                                                                         \
  X(submit_wrapping_range_accepted)                                                                          \
  X(failure_accepts_more)                                                                                    \
  X(failure_lost)                                                                                            \
  X(failure_spreads)                                                                                         \
  X(failure_status_changes)                                                                                  \
  X(wait_handle_unchecked)                                                                                   \
  X(wait_large_timeout_wraps)                                                                                \
  X(wait_past_value_refused)                                                                                 \
  X(wait_returns_early)                                                                                      \
  X(wait_second_thread_hangs)                                                                                \
  X(wait_timeout_ignored)                                                                                    \
  X(wait_times_out_early)                                                                                    \
  X(wait_unsubmitted_accepted)                                                                               \
  X(completed_ahead)                                                                                         \
  X(completed_goes_back)                                                                                     \
  X(load_empty_accepted)                                                                                     \
  X(load_garbage_accepted)                                                                                   \
  X(load_keeps_pointers)                                                                                     \
  X(load_message_empty)                                                                                      \
  X(load_options_ignored)                                                                                    \
  X(load_unknown_format_accepted)                                                                            \
  X(unload_handle_unchecked)                                                                                 \
  X(unload_released_accepted)                                                                                \
  X(function_handle_changes)                                                                                 \
  X(function_names_missing)                                                                                  \
  X(function_unknown_accepted)                                                                               \
  X(function_survives_unload)                                                                                \
  X(function_info_writes_beyond_size)                                                                        \
  X(function_info_wrong_count)                                                                               \
  X(function_name_never_ends)                                                                                \
  X(graph_create_unchecked)                                                                                  \
  X(graph_index_unchecked)                                                                                   \
  X(graph_released_accepted)                                                                                 \
  X(graph_replay_outside_timeline)                                                                           \
  X(graph_update_changes_kind)                                                                               \
  X(times_not_monotone)                                                                                      \
  X(times_kept_too_few)                                                                                      \
  X(times_too_short)                                                                                         \
  X(times_without_flag)

enum class Fault : std::uint32_t {
  none,
#define BSC_NULL_ENUMERATOR(name) name,
  BSC_NULL_FAULTS(BSC_NULL_ENUMERATOR)
#undef BSC_NULL_ENUMERATOR
};

std::optional<Fault> find_fault(std::string_view name);
std::string all_fault_names();

// One for the process, set by `open`: the faults of `bascule_plugin_query` have no instance to stand in.
inline std::atomic<Fault> active_fault{Fault::none};

inline bool has_fault(Fault fault) { return active_fault.load(std::memory_order_relaxed) == fault; }

}  // namespace bascule::null_backend
