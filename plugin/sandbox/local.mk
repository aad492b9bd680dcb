# SPDX-License-Identifier: BSD-3-Clause
# What processes of a launch may do: dropping privileges, and two sandboxes. Each program compiles what it enters.
