/* SPDX-License-Identifier: BSD-3-Clause */
/* The cores that a job has of nodes that it shares with others. */
#ifndef TOPOMAP_PLANNER_CORES_H
#define TOPOMAP_PLANNER_CORES_H

#include "plan/bindings.h"
#include "plugin/planner/request/request.h"

/** Bytes of a question, with its NUL, and of an answer at most. */
enum { PLANNER_CORES_COMMANDS = 4000, PLANNER_CORES_ANSWER = 32 << 20 };

/** Whether somebody is to be asked: tasks are bound, whom to ask is known and the cores are not,
 *  and of some node whose inside is known the job has not as many CPUs as that has PUs.
 *  \param insides  whose node_class and class_of are those of the request's nodes */
int planner_cores_wanted(const planner_request *request, const topomap_bindings *insides);

/** Asks scontrol about the job. \return what it has printed, which ends with free(), or NULL */
char *planner_cores_ask(const planner_request *request, const topomap_bindings *insides,
                        topomap_error *err);
/** The two halves of it: whether \p commands are a question that this asks for that request, and
 * scontrol's answer to it, which ends with free(), or NULL. */
int planner_cores_is_question(const planner_request *request, const char *commands);
char *planner_cores_question(const planner_request *request, const char *commands,
                             topomap_error *err);

/** The job's cores from what scontrol has printed, in Slurm's numbering: socket by socket, the
 *  classes' order. A node of which the job has all, or whose inside is not known, gets none listed.
 *  \param cores  ends with topomap_cores_clear() */
int planner_cores_read(const planner_request *request, const topomap_bindings *insides,
                       const char *text, topomap_cores *cores, topomap_error *err);

#endif
