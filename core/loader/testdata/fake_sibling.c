/* A library that a plugin needs and that lies beside it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
int fake_sibling(void);
int fake_sibling(void) { return 42; }
