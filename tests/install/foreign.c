/* A library that lets a name leave which is not ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
__attribute__((visibility("default"))) int format_anything(void);
int format_anything(void) { return 0; }
