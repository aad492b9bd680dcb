# SPDX-License-Identifier: BSD-3-Clause
# `topomap doctor`: a file for each thing that it looks at.
cli_topomap_SOURCES += \
  cli/doctor/doctor.c cli/doctor/doctor.h cli/doctor/doctor_conf.c cli/doctor/doctor_database.c cli/doctor/doctor_verdict.c \
  cli/doctor/doctor_elf.c cli/doctor/doctor_folders.c cli/doctor/doctor_order.c cli/doctor/doctor_plugin.c
