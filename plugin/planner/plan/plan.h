/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of one request: inputs, the search, the answer. */
#pragma once

#include "plan/plan.h"
#include "plugin/common/reply.h"
#include "plugin/planner/request/request.h"
#include "request/request.h"
#include "topology-db/query/query.h"
#include "topomap/time.h"
#include "topomap/topomap.h"

/* ---- decide -------------------------------------------------------------------- */
/* From a request to an answer. */

typedef struct planner_answer {
    int applied;     /* zero: Slurm's layout stays */
    int left;        /* there is no graph to place by: line and damaged are all of the answer */
    int damaged;     /* the stored profile is to go */
    int quiet;       /* the line is a summary, for verbose only */
    char line[800];  /* for the user, may be empty */
    double gain;     /* percent of the objective */
    double searched; /* seconds */
    topomap_plan plan;
    char *bindings;   /* encoded, or NULL */
    char *cores;      /* that the job has, as scontrol told, or NULL */
    char *gpus;       /* likewise */
    char *nics;       /* for the nodes (plan/node_plan.h), or NULL */
    char detail[400]; /* about them, may be empty */
    char *explain;    /* or NULL */
    size_t explain_size;
} planner_answer;

/** How a search is to go, as it is asked for; the baseline is not among it. Texts are lent. */
topomap_map_options planner_options(const topomap_request *asked);

/** Plans a step. Where the links are not known, or ranks that talk are not joined, the objective
 *  congestion becomes J, and the line says so. Slurm's own layout is the baseline; where nothing is
 * better by at least min-gain percent, the answer is not applied and the line says so. */
int planner_decide(const planner_request *request, planner_answer *answer, topomap_error *err);
void planner_answer_clear(planner_answer *answer);

/* ---- answer -------------------------------------------------------------------- */
/* The reply's text (protocol.md, "Reply"). */

/** Plans the step and tells the result, a failure too. \p size without the NUL at its end. NULL:
 * out of memory. Ends with free(). */
char *planner_answer_text(const planner_request *request, size_t *size);
/** Ends a reply: closes \p out, an open_memstream() of \p text and \p size, and adds the line with
 *  the checksum of everything before it. NULL: out of memory. Ends with free(). */
char *planner_answer_seal(FILE *out, char **text, size_t *size);
/** The same of a request that is none. */
char *planner_failure_text(topomap_error *err, size_t *size);

/* ---- layout_candidates --------------------------------------------------------- */
/* The layouts that Slurm itself could have made of a step: candidates beside the one that it has
 * made. */

typedef struct planner_layouts {
    size_t count;
    topomap_layout *row; /* [count] of all slots, as tasks; NULL where there are none */
    uint32_t *slot_of;   /* all of them, one behind the other */
    char *plane;         /* the name of the one that deals several tasks at a time */
} planner_layouts;

/** On a machine of several nodes: "block", a node after the other; "cyclic", a task to each node in
 *  turn until it is full; "plane=N", N tasks at a time, half of what the fullest node takes, 2 at
 *  least; "topology", blocks along the fabric. A node has its slots' number of tasks in each, in
 *  ascending order (Slurm's dist_tasks.c and slurm_step_layout.c; srun's --distribution).
 *  \param sequence  [nodes] in which order Slurm's topology has them; NULL: not known, they go by
 *                   the machine's groups, where it has any
 *  \param layouts   ends with planner_layouts_clear() */
int planner_layouts_make(const topomap_machine *machine, const uint32_t *sequence,
                         planner_layouts *layouts, topomap_error *err);
/** The same for a step, in the order of the topology that \p db has of Slurm. */
int planner_layouts_of_step(const planner_request *request, topomap_db *db,
                            const topomap_machine *machine, planner_layouts *layouts,
                            topomap_error *err);
void planner_layouts_clear(planner_layouts *layouts);

/* ---- gpus ---------------------------------------------------------------------- */
/* Which GPUs a step has on its nodes, where its tasks see all of them. */

typedef struct planner_gpus {
    topomap_db_device_classes devices; /* owned: what the next three see of them */
    topomap_db_device_classes known;   /* nodes 0: no node has GPUs, or nobody goes by them */
    topomap_db_device_classes counted; /* the same, and where tasks=node asks just how many */
    topomap_db_device_classes
        all;           /* for nic= and keep=: the same, whether a node has GPUs or not */
    topomap_cores job; /* that the job has, as scontrol told; nodes 0: not known, all of them */
    int none;          /* the job has none, or the step is to be left alone */
    int bound;         /* Slurm binds each task to its own, and they are wanted */
} planner_gpus;

/** Reads what the database knows, and what the request says.
 *  \param gpus  ends with planner_gpus_clear(), after a failure, too */
int planner_gpus_open(topomap_db *db, const planner_request *request, planner_gpus *gpus,
                      topomap_error *err);
void planner_gpus_clear(planner_gpus *gpus);

/** Whether somebody is to be asked which GPUs the job has. */
int planner_gpus_ask(const planner_request *request, const planner_gpus *gpus);
/** Reads them from what scontrol has printed; what it does not tell is not known. */
int planner_gpus_read(const planner_request *request, const char *text, planner_gpus *gpus,
                      topomap_error *err);
/** The same as a reply has it, "0-3(x2)" or "none", which the key `gpus` of a request reads; NULL:
 *  scontrol was not asked, or did not tell. Ends with free(). */
char *planner_gpus_format(const planner_gpus *gpus, topomap_error *err);

/** The GPUs that the step has of a node and that are known, by Slurm's indices, ascending, which
 *  are those of planner_gpus_devices(): both go by bus ids.
 *  \return how many; 0: none, or not just which */
uint32_t planner_gpus_of(const planner_request *request, const planner_gpus *gpus, uint32_t node,
                         uint32_t gpu[TOPOMAP_DEVICES_MOST]);
const topomap_devices *planner_gpus_devices(const planner_gpus *gpus, uint32_t node);

/* ---- inputs -------------------------------------------------------------------- */
/* What a request names, opened: the machine, the graph, Slurm's layout. */

typedef struct planner_inputs {
    const planner_request *request; /* lent */
    topomap_machine *machine;
    topomap_bindings by_slot;
    topomap_graph *graph;
    topomap_graph *unfolded; /* tasks=node: the graph of GPUs, of which each of that one's has so
                                many; else NULL */
    uint32_t fold;
    uint32_t *start;          /* [slots] Slurm's layout */
    planner_layouts layouts;  /* others that it could have made */
    topomap_time_costs costs; /* of the objective time */
    unsigned measured;        /* which of them the database has: enum topomap_db_measured */
    double message_bytes;     /* topomap_db_message_bytes(); 0: not needed */
    enum topomap_objective_kind objective; /* as long as it can be, else J */
    int damaged;         /* the stored profile; then, or where it is of no use, there is no graph */
    char note[560];      /* what the user should know */
    char detail[320];    /* about the graph, for the explanation */
    topomap_cores cores; /* that scontrol told; nodes 0: it was not asked, or did not */
    char *told;          /* the same as text, or NULL */
    char cores_detail[400];        /* about them */
    char age[160];                 /* the database's, where the explanation is asked for */
    enum topomap_db_routes routes; /* topomap_db_routing(), for explanations only, and its name */
    char routing[32];
    planner_gpus gpus;  /* of nodes whose tasks see them all */
    uint32_t *slot_gpu; /* [slots] Slurm's index; NULL: the machine's places are no GPUs */
    int rails;          /* then: of its node one is nearer to another node than the others are */
} planner_inputs;

/** Opens what \p request, which must outlive it, names. Without an error the graph is NULL where a
 *  stored profile is of no use; the note says why. \p inputs ends with planner_inputs_clear(),
 *  after a failure too. */
int planner_inputs_open(const planner_request *request, planner_inputs *inputs, topomap_error *err);
/** Opens the machine alone. \p links: with its links, or it is an error. */
int planner_inputs_machine(const planner_request *request, int links, planner_inputs *inputs,
                           topomap_error *err);
void planner_inputs_clear(planner_inputs *inputs);

/** The slot of each task of a layout, task ids [slots] node by node, on an opened machine: the k-th
 *  of a node has its k-th slot, or, where slots are GPUs, its k-th GPU. Ends with free(). */
uint32_t *planner_inputs_slots(const planner_inputs *inputs, const uint32_t *layout,
                               topomap_error *err);

/** Adds to the note. */
void planner_inputs_note(planner_inputs *inputs, const char *format, ...) TOPOMAP_PRINTF(2, 3);
/** Prints a line on the routes if they are predicted, or if traffic is assumed to use all shortest
 *  paths.
 *  \param model  the model of congestion by which the plan's links were measured */
void planner_inputs_print_routes(const planner_inputs *in, const char *model, FILE *out);
/** The objective cannot be followed; said where somebody named it. */
void planner_inputs_fall_back(planner_inputs *inputs, const char *why);

/** Size and XXH64 of a file, "1234 0123456789abcdef"; \return -1: there is no such plain file */
int planner_inputs_digest(const char *path, char digest[64]);

/* ---- constraints --------------------------------------------------------------- */
/* keep= and pin=: what is to stay together, and where a rank is to be, made options of the search.
 */

typedef struct planner_constraints {
    uint32_t *group; /* [ranks] owned; NULL: nothing is to stay together */
    char level[24];  /* on what */
    uint32_t size;   /* of the groups */
    char line[320];  /* what is asked and cannot be; or empty */
} planner_constraints;

/** Notes of the machine of \p inputs which nodes are in one NVLink domain, and which are one of
 *  Slurm's segments: so many nodes after the other of each domain, where keep= is asked. */
int planner_constraints_asides(planner_inputs *inputs, topomap_error *err);

/** Of tasks=node: the graph of GPUs that was folded, and how many of it a task stands for. */
typedef struct planner_constraints_fold {
    const topomap_graph *graph; /* NULL: none was */
    uint32_t each;
} planner_constraints_fold;

/** Reads what was asked, and puts it into \p options, which lend it: \p together, which ends with
 *  planner_constraints_clear(), must outlive them. What cannot be is left out, and the line says
 * so. \return -1 where memory is short */
int planner_constraints_open(const topomap_request *asked, const topomap_graph *graph,
                             const planner_constraints_fold *fold, const topomap_machine *machine,
                             planner_constraints *together, topomap_map_options *options,
                             topomap_error *err);
/** Reads RANK:first or RANK:NODE. \return NULL, or why it names no rank and node of these */
const char *planner_pin_read(const char *text, uint32_t ranks, const topomap_machine *machine,
                             uint32_t *rank, uint32_t *node);
/** Where groups had to be cut, or a rank could not be pinned, the line says so. */
void planner_constraints_check(planner_constraints *together, topomap_map_options *options,
                               const topomap_mapping *mapping, const topomap_machine *machine);
/** Nonzero where a placement has what was asked for and could be reached; \p mapping: what could.
 */
int planner_constraints_holds(const planner_constraints *together,
                              const topomap_map_options *options, const topomap_mapping *mapping,
                              const topomap_machine *machine, const uint32_t *slot_of);
void planner_constraints_clear(planner_constraints *together);

/* ---- gpu cores ----------------------------------------------------------------- */
/* CPUs next to the GPUs that a node's tasks take. */

enum { PLANNER_CPUS_NEAR = 1 << 13 }; /* PUs of a class by OS number (plan/bindings.h) */

/** Marks the PUs of a device's list, "0-15,64-79"; what is beyond any class is passed over.
 *  \param near  [PLANNER_CPUS_NEAR] */
void planner_cpus_near(const char *list, uint8_t *near);

/** The CPUs of tasks, one after the other, as topomap_bindings has them. */
typedef struct planner_cpus {
    uint32_t *start; /* [tasks + 1] */
    uint32_t *pu;    /* [start[tasks]] */
    size_t room;
} planner_cpus;

/** Adds the CPUs of a node's tasks: of the job's cores those that are nearest to the task's GPU, as
 *  many as \p bindings have, and where the step names no CPUs a task, an even share of them. Where
 *  these are too few for all that want them, the tasks of the node change the CPUs that they have
 * in \p bindings with each other. What is not known of a GPU's place leaves them as they are.
 *  \param gpu   [tasks of the node] indices of devices; NULL: CPUs are as they are
 *  \param cpus  start[] up to the node's first task is there
 *  \return 1: they are next to the GPUs, 0: not all of them, -1 */
int planner_gpu_cores(const planner_inputs *in, uint32_t node, const uint32_t *gpu,
                      const topomap_bindings *bindings, planner_cpus *cpus, topomap_error *err);

/* ---- gpu machine --------------------------------------------------------------- */
/* Places that are GPUs, where it makes a difference between nodes which NIC a task's GPU uses, or
 * what joins GPUs of several. */

/** Takes a machine whose slots are GPUs for that of \p inputs, and notes which (slot_gpu), where
 * the step is on several nodes, no node has more tasks than GPUs, all GPUs are known and use
 * several rails or NVLink joins nodes. Else, and where it cannot be made, all stays as it is.
 * Bindings by slot stay, too: their slots are of the same nodes. */
void planner_gpu_machine_make(topomap_db *db, const topomap_db_allocation *allocation,
                              planner_inputs *inputs);

/** The slot that a node's k-th task has in Slurm's order: of the k-th of the slots' GPUs.
 *  \param slot  the node's k-th \return it, or \p slot where slots are no GPUs */
uint32_t planner_gpu_machine_slot(const planner_inputs *inputs, uint32_t slot);

/* ---- gpu order ----------------------------------------------------------------- */
/* The inside of nodes whose tasks have GPUs: which GPU each task takes, and cores next to it. */

typedef struct planner_gpu_order {
    uint32_t bound;       /* nodes of several tasks whose CPUs are next to their GPUs */
    double before, after; /* bytes times cost between a node's GPUs: Slurm's order, and planned */
} planner_gpu_order;

/** Gives the tasks of each node an order of the step's GPUs there, since a task takes the GPU of
 *  its local id, as programs do, by the number of GPUs where tasks are more. And CPUs next to it
 * (see gpu cores, below). The CPUs of one task alone that has several GPUs stay, unless bind=gpu
 * was said; so do those of nodes whose GPUs are not known. Where Slurm gives GPUs to tasks, a node
 * has no bindings if these GPUs, or, unless bind=gpu was said, the CPUs next to them are not known.
 */
int planner_gpu_order_make(const planner_inputs *in, topomap_plan *plan, planner_gpu_order *order,
                           topomap_error *err);

/* ---- gpu search ---------------------------------------------------------------- */
/* Which of a node's GPUs each of its tasks takes, by what they send each other. */

/** Takers are tasks, or those of a node's tasks that take one GPU. No more of them than GPUs. */
typedef struct planner_gpu_search {
    uint32_t takers, gpus;
    const double *weight; /**< [takers * takers] bytes both ways, symmetric */
    const double *cost;   /**< [gpus * gpus] of a byte, symmetric */
    const double *apart;  /**< [gpus * gpus] how far apart they hang, symmetric */
    int compact;          /**< of placements of equal cost one that is close together, not spread */
    uint32_t visits;      /**< steps of the exhaustive search at most; 0: none */
} planner_gpu_search;

/** Makes the sum of weight times cost small: the least, where the visits are enough. Of those,
 *  takers of fewer GPUs than there are are apart or together, and as many as can be keep the GPU
 *  of their own number. Deterministic.
 *  \param gpu_of  [gpus] out: a permutation, the takers' first; in the rest, each GPU's number is
 *                 as near to the takers in their turn as can be */
int planner_gpu_choose(const planner_gpu_search *search, uint32_t *gpu_of, topomap_error *err);

/** Orders the rest alone: the takers' GPUs, the first of \p gpu_of, stay. */
void planner_gpu_order_rest(const planner_gpu_search *search, uint32_t *gpu_of);

/** The sum of weight times cost of the takers' GPUs. */
double planner_gpu_cost(const planner_gpu_search *search, const uint32_t *gpu_of);

/* ---- gpu tasks ----------------------------------------------------------------- */
/* Which GPU each task of a plan takes, and which NIC that GPU uses. */

/** Fills gpu, nic and nic_name of \p plan; where no node's GPUs are known they stay NULL.
 *  \param bindings  with the orders of GPUs that the nodes have, of the plan's nodes or none; those
 *                   of the plan, or of a record */
int planner_gpu_tasks(const planner_inputs *in, const topomap_bindings *bindings,
                      topomap_plan *plan, topomap_error *err);
/** The same where Slurm gives tasks GPUs and nothing of theirs is planned: of which it is known, as
 *  of a count each. */
int planner_gpu_tasks_of_slurm(const planner_inputs *in, topomap_plan *plan, topomap_error *err);

/* ---- assign_nics --------------------------------------------------------------- */
/* Which NICs a step's tasks are next to, for nic=. */

typedef struct planner_nics {
    char *text; /* for the nodes (plan/node_plan.h), or NULL: nobody asks, or none is known */
    char *told; /* lines for an explanation, or NULL: nobody asks */
} planner_nics;

/** Of a task the NIC that its GPU uses (topomap_devices_nics()), of a node's only task those of all
 *  its GPUs. Where Slurm or the node decides which GPUs a task has, those of the node's GPUs. Of a
 *  task without a GPU the NIC next to most of its CPUs, where the plan binds it; of several that
 *  are as near the fastest, and what is left of these is shared evenly, in order.
 *  \param plan  its bindings are those that the tasks will have
 *  \param gpu   [tasks of the plan] as planner_gpu_order has it, or NULL
 *  \param nics  ends with planner_nics_clear(), after a failure, too */
int planner_nics_make(const planner_inputs *in, const topomap_plan *plan, const uint32_t *gpu,
                      planner_nics *nics, topomap_error *err);
void planner_nics_clear(planner_nics *nics);

/* ---- choose_objective ---------------------------------------------------------- */
/* What the objective `auto` is for a machine and a graph. */

/** Returns the objective that `auto` stands for: predicted time if the machine's links are known,
 *  else J. Routes and rates may be unknown: in 52 cases, judged by the tables that OpenSM had set,
 *  maps for time without these tables took 0.65 of the block layout's time, maps for J 0.75, and
 *  maps for time with the tables 0.57. */
enum topomap_objective_kind planner_objective(const topomap_request *asked,
                                              const topomap_machine *machine);
/** For topomap_map(). Under `auto` a graph that counts no messages goes by the links' loads alone:
 *  its weights need not be bytes, and a latency would be weighed against nothing.
 *  \return nonzero where what a message costs is left out: it is 0 then */
int planner_objective_costs(const topomap_request *asked, const topomap_graph *graph,
                            topomap_time_costs *costs);
/** What topomap_map() is to count for a message: nothing where bytes alone are asked for, and under
 *  `auto` where predicted time is made small, which has latencies of its own.
 *  \param worth  bytes that weigh as much as a message: those that pass during a hop's latency */
double planner_message_bytes(const topomap_request *asked, enum topomap_objective_kind objective,
                             double worth);
/** Such a worth on a machine that is in no database: the bytes that pass during one hop's latency,
 * at the mean rate of the machine's cables, or at \p costs' rate if that is not known. */
double planner_message_worth(const topomap_machine *machine, const topomap_time_costs *costs);
/** Prints what a map for predicted time rests on: the rate that every cable is assumed to have, if
 * the machine's links have no rates; and the gain with the graph's computation, if that is known.
 *  \param source  of the rate: "assumed", "measured" or "given" */
void planner_time_print(const topomap_graph *graph, const topomap_machine *machine,
                        const topomap_mapping *mapping, const topomap_time_costs *costs,
                        const char *source, FILE *out);
/** Under `auto`, where the time has not changed, J tells what is gained. */
void planner_objective_settle(const topomap_request *asked, topomap_mapping *mapping);

/* ---- profile_graph ------------------------------------------------------------- */
/* The graph of a step that is placed with a stored profile of its program. */

typedef struct planner_profile {
    topomap_graph *graph; /* the caller's; NULL: none, and the step stays as it is */
    int damaged;          /* the file is no graph of that many ranks, or of as many for each task */
    char line[480];       /* why there is none; or what its user should know, or "" */
    char detail[320];     /* for the explanation, or "" */
} planner_profile;

/** Reads the request's profile, which may have as many ranks for each task
 * (tasks=node). One of another size is taken for the pattern in it, where it has
 * one in the order of its ranks (topomap_graph_recognise), made for \p tasks ranks; the line tells
 * how sure that is. Where the program was profiled before, says whether its pattern changed. */
int planner_profile_open(const planner_request *request, uint32_t tasks, planner_profile *profile,
                         topomap_error *err);

/* ---- read_record --------------------------------------------------------------- */
/* Reading a record of a plan (plugin/common/reply.h writes it). */

typedef struct planner_record {
    char version[32];
    long long time; /* seconds since 1970: 0 to the end of the year 9999 */
    planner_request request;
    char *bytes; /* that the reply points into */
    plugin_reply reply;
} planner_record;

/** \param path  a file, packed or not; "-" is none. Anything but a whole record is TOPOMAP_EINPUT.
 *  \param record  ends with planner_record_clear() */
int planner_record_read(const char *path, planner_record *record, topomap_error *err);
void planner_record_clear(planner_record *record);

/** What it has planned, without slots, GPUs and NICs; \p plan ends with topomap_plan_clear(), after
 * a failure, too. */
int planner_record_plan(const planner_record *record, topomap_plan *plan, topomap_error *err);

/** The slots of all tasks by a reply's layout and bindings, on the machine of the same request.
 *  Where the bindings do not tell the slots of a node apart, its tasks are on them in their order.
 *  \param slot_of  [slots of the machine] filled */
int planner_record_slots(const planner_inputs *inputs, const plugin_reply *reply, uint32_t *slot_of,
                         topomap_error *err);
