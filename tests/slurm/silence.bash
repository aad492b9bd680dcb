# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash

# silent FILE: srun has said nothing there. That it waits for nodes which the job before has not left yet says
# nothing but that the machine is busy.
silent() {
  grep -Ev '^srun: job [0-9]+ (queued and waiting for|has been allocated) resources$' "$1" || return 0
  return 1
}
