/* SPDX-License-Identifier: BSD-3-Clause */
/* Training of transformers on tp*cp*dp*pp ranks: the bytes of one step, dimension by dimension.
 *
 * Per rank and micro-batch, with b sequences of s tokens of h values of e bytes, L layers:
 *   A = b s/cp h e                       the activations of one layer
 *   tp  4 all-reduces of A a layer (two forward, two backward: Shoeybi et al., "Megatron-LM", 2019,
 *       section 3); all-gather and reduce-scatter of sequence parallelism move the same bytes
 *   cp  keys and values go round a ring, forward once, backward with their gradients: 6 kv A/tp
 *       (cp-1) a layer (Liu, Zaharia, Abbeel, "Ring attention", 2023)
 *   ep  4 all-to-alls a layer, of the topk copies of A/tp (Lepikhin et al., "GShard", 2020)
 *   pp  A/tp to the next stage and as much back (Narayanan et al., SC21, section 4.1, with their
 *       scatter/gather); with v interleaved chunks, v times, and v-1 times from the last to the
 * first and once a step, of the G = parameters/(tp pp) of a rank: dp  an all-reduce of the
 * gradients over the dp*cp replicas; ZeRO stages 1 and 2: reduce-scatter of the gradients,
 * all-gather of the parameters; stage 3: all-gathers twice a micro-batch instead of once a step
 * (Rajbhandari et al., "ZeRO", SC20, section 7). Experts' gradients go over the dp*cp/ep ranks that
 * hold the same experts. A ring moves (n-1)/n of the bytes of a reduce-scatter or an all-gather
 * from each rank to the next, and twice that of an all-reduce. Parameters: 12 L h^2 (1 + 13/(12 h)
 * + (V + s)/(12 L h)) (Narayanan et al., equation 2); with E experts the 8 h^2 of a layer's MLP are
 * there E times.
 *
 * Who is who is Megatron-LM's RankGenerator (megatron/core/parallel_state.py): the first dimension
 * of order= varies fastest, and experts have an order of their own over the same ranks, in which
 * etp stands for tp, cp is 1, and dp is what is left: they must have the same stages. With etp
 * other than tp the experts' all-reduces are over etp, of the topk copies: 2 of the 4 a layer, of
 * etp topk A/tp. An order that does not name ep takes it from cp and dp, in that order. */
#include <string.h>
#include <strings.h>

#include "graph/patterns/patterns.h"

enum dimension { TP, CP, EP, DP, PP, DIMENSIONS };

static const topomap_pattern_param parallel[] = {
    {"tp", TOPOMAP_PARAM_COUNT, "N", "1", "tensor parallel ranks", 1, 0x1p20},
    {"pp", TOPOMAP_PARAM_COUNT, "N", "1", "pipeline stages", 1, 0x1p20},
    {"dp", TOPOMAP_PARAM_COUNT, "N", "1", "replicas (data parallel)", 1, 0x1p20},
    {"cp", TOPOMAP_PARAM_COUNT, "N", "1", "context parallel ranks", 1, 0x1p20},
    {"ep", TOPOMAP_PARAM_COUNT, "N", "1", "expert parallel ranks, taken from cp*dp", 1, 0x1p20},
    {"etp", TOPOMAP_PARAM_COUNT, "N", "", "tensor parallel ranks of an expert (tp if left out)", 1,
     0x1p20},
    {"zero", TOPOMAP_PARAM_COUNT, "STAGE", "0", "ZeRO stage (FSDP is 3)", 0, 3},
    {"order", TOPOMAP_PARAM_TEXT, "megatron|deepspeed|torchtitan|tp-cp-ep-dp-pp|...", "megatron",
     "which dimension varies fastest, first named first; megatron is tp-cp-ep-dp-pp, with "
     "--use-tp-pp-dp-mapping tp-cp-ep-pp-dp",
     0, 0},
    {"layers", TOPOMAP_PARAM_COUNT, "L", "32", "layers of the model", 1, 0x1p20},
    {"hidden", TOPOMAP_PARAM_COUNT, "H", "4096", "size of the hidden state", 1, 0x1p24},
    {"seq", TOPOMAP_PARAM_COUNT, "S", "4096", "tokens of a sequence", 1, 0x1p31},
    {"vocab", TOPOMAP_PARAM_COUNT, "V", "51200", "size of the vocabulary", 1, 0x1p31},
    {"micro", TOPOMAP_PARAM_COUNT, "B", "1", "sequences of a micro-batch", 1, 0x1p20},
    {"batches", TOPOMAP_PARAM_COUNT, "M", "", "micro-batches of a step (4 pp if left out)", 1,
     0x1p20},
    {"interleave", TOPOMAP_PARAM_COUNT, "V", "1", "chunks of layers of a stage", 1, 1024},
    {"experts", TOPOMAP_PARAM_COUNT, "E", "", "experts of a layer (ep if left out)", 1, 0x1p20},
    {"topk", TOPOMAP_PARAM_COUNT, "K", "2", "experts of a token", 1, 1024},
    {"kv", TOPOMAP_PARAM_REAL, "F", "1", "key and value heads for each query head", 1e-3, 1},
    {"element", TOPOMAP_PARAM_COUNT, "N", "2", "bytes of an activation or parameter", 1, 8},
    {"gradient", TOPOMAP_PARAM_COUNT, "N", "4", "bytes of a gradient when it is reduced", 1, 8},
    {"allreduce", TOPOMAP_PARAM_WORD, "ring|direct", "ring",
     "collectives over a ring, or each rank's share straight to each other", 0, 0},
    {"phases", TOPOMAP_PARAM_FLAG, NULL, "", "tp, cp, ep, pp and dp happen one after the other", 0,
     0},
    TOPOMAP_PARAM_NONE,
};

/* Sizes of dimensions, and how far apart their ranks are. */
struct grid {
    uint64_t size[DIMENSIONS], stride[DIMENSIONS];
};

struct job {
    struct grid dense, expert; /* of all but experts; of experts */
    int apart;                 /* expert is said by order=; else ep is taken from cp and dp */
    uint64_t ep, etp, ranks;
    double batches, layers; /* of a step; of a stage */
    double activation;      /* A */
    double shared, experts; /* parameters of a rank */
    double element, gradient;
    double kv, topk, chunks; /* of the text: kv, topk, interleave */
    int zero, direct;
};

static const char dimension_names[DIMENSIONS][3] = {"tp", "cp", "ep", "dp", "pp"};

/* ---- The order of the ranks ------------------------------------------------------------------ */

static const struct {
    const char *name, *order;
} orders[] = {
    {"megatron", "tp-cp-ep-dp-pp"},
    {"deepspeed", "tp-cp-dp-pp"},
    {"torchtitan", "tp-cp-dp-pp"},
    {"use-tp-pp-dp-mapping", "tp-cp-ep-pp-dp"},
};

static int dimension_at(const char *at)
{
    for (int d = 0; d < DIMENSIONS; d++)
        if (!strncasecmp(at, dimension_names[d], 2))
            return d;
    return -1;
}

static void strides(struct grid *grid, const int *order, int count)
{
    uint64_t stride = 1;

    for (int i = 0; i < count; i++) {
        grid->stride[order[i]] = stride;
        stride *= grid->size[order[i]];
    }
}

/* What order= names, and behind it what it leaves out, of one rank each. */
static int set_order(struct job *job, const topomap_pattern_value *value, topomap_error *err)
{
    const char *text = value->text;
    size_t length = value->length;
    int order[DIMENSIONS], count = 0;
    unsigned seen = 0, named;

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (strlen(orders[i].name) == length && !strncasecmp(text, orders[i].name, length)) {
            text = orders[i].order;
            length = strlen(text);
            break;
        }
    for (size_t at = 0; at + 1 < length; at += 3) {
        int d = dimension_at(text + at);

        if (d < 0 || (at + 2 < length && text[at + 2] != '-') || (seen >> d & 1))
            break;
        seen |= 1u << d;
        order[count++] = d;
    }
    named = length % 3 == 2 && (size_t)count == (length + 1) / 3;
    for (int d = 0; named && d < DIMENSIONS; d++)
        if (!(seen >> d & 1)) {
            named = job->dense.size[d] == 1;
            order[count++] = d;
        }
    if (!named)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "order= takes megatron, deepspeed, torchtitan, or tp, cp, ep, dp "
                                 "and pp in any order, such as tp-cp-ep-pp-dp; what has more than "
                                 "one rank must be named");
    job->apart = (seen >> EP & 1) || job->etp != job->dense.size[TP];
    strides(&job->dense, order, count);
    strides(&job->expert, order, count);
    return 0;
}

/* Experts have the same stages as the rest. */
static int check_experts(const struct job *job, topomap_error *err)
{
    const struct grid *dense = &job->dense, *expert = &job->expert;

    if (!job->apart || job->ep * job->etp == 1 || dense->size[PP] == 1 ||
        dense->stride[PP] == expert->stride[PP])
        return 0;
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "with this order= the stages of experts are not those of the rest: "
                             "name pp last, or make etp*ep = %llu be tp*cp = %llu",
                             (unsigned long long)(job->etp * job->ep),
                             (unsigned long long)(dense->size[TP] * dense->size[CP]));
}

/* ---- Who is who ------------------------------------------------------------------------------ */

/* Every group is `size` of the replicas (cp fastest, then dp) from the `first` on, `step` apart, or
 * the ranks along one dimension. */
struct group {
    const struct job *job;
    const struct grid *grid;
    uint64_t base; /* the rank at 0 of the group's dimension, or of cp and dp */
    int along;     /* a dimension, or DIMENSIONS: replicas */
    uint64_t first, step, size;
};

static uint64_t member(const struct group *g, uint64_t i)
{
    const struct grid *grid = g->grid;
    uint64_t at = g->first + i * g->step;

    if (g->along < DIMENSIONS)
        return g->base + at * grid->stride[g->along];
    return g->base + at % grid->size[CP] * grid->stride[CP] +
           at / grid->size[CP] * grid->stride[DP];
}

/* From each member to the next, round. */
static int add_ring(const struct group *g, double bytes, topomap_pattern_out *out)
{
    for (uint64_t i = 0; i < g->size; i++)
        if (topomap_pattern_send(out, member(g, i), member(g, (i + 1) % g->size), bytes))
            return -1;
    return 0;
}

/* From each member to each other. */
static int add_all(const struct group *g, double bytes, topomap_pattern_out *out)
{
    for (uint64_t i = 0; i < g->size; i++)
        for (uint64_t j = 0; j < g->size; j++)
            if (topomap_pattern_send(out, member(g, i), member(g, j), bytes))
                return -1;
    return 0;
}

/* `times` reduce-scatters or all-gathers (an all-reduce is two) of `bytes` in a group. */
static int add_collective(const struct group *g, double times, double bytes,
                          topomap_pattern_out *out)
{
    double share = times * bytes / (double)g->size;

    return g->job->direct ? add_all(g, share, out)
                          : add_ring(g, share * (double)(g->size - 1), out);
}

/* ---- The dimensions -------------------------------------------------------------------------- */

typedef int (*add_group)(const struct group *g, topomap_pattern_out *out);

static double micro_batches(const struct group *g)
{
    return g->job->batches * g->job->layers;
}

static int add_tp(const struct group *g, topomap_pattern_out *out)
{
    double times = g->job->etp == g->job->dense.size[TP] ? 4.0 : 2.0;

    return add_collective(g, 2.0 * times * micro_batches(g), g->job->activation, out);
}

/* Of experts whose tensor parallel ranks are not tp. */
static int add_etp(const struct group *g, topomap_pattern_out *out)
{
    double tokens = g->job->topk * (double)g->job->etp / (double)g->job->dense.size[TP];

    return add_collective(g, 2.0 * 2.0 * micro_batches(g), tokens * g->job->activation, out);
}

static int add_cp(const struct group *g, topomap_pattern_out *out)
{
    double blocks = 6.0 * g->job->kv * (double)(g->size - 1);

    return add_ring(
        g, blocks * micro_batches(g) * g->job->activation / (double)g->job->dense.size[TP], out);
}

static int add_ep(const struct group *g, topomap_pattern_out *out)
{
    double copies = 4.0 * micro_batches(g) * g->job->topk;

    return add_all(
        g, copies * g->job->activation / (double)g->job->dense.size[TP] / (double)g->size, out);
}

static int add_pp(const struct group *g, topomap_pattern_out *out)
{
    double bytes = g->job->batches * g->job->activation / (double)g->job->dense.size[TP];

    for (uint64_t i = 0; g->size > 1 && i < g->size; i++) {
        uint64_t here = member(g, i), next = member(g, (i + 1) % g->size);
        double times = i + 1 < g->size ? g->job->chunks : g->job->chunks - 1.0;

        if (topomap_pattern_send(out, here, next, times * bytes) ||
            topomap_pattern_send(out, next, here, times * bytes))
            return -1;
    }
    return 0;
}

/* Gradients and parameters of `count` parameters a rank. */
static int add_update(const struct group *g, double count, topomap_pattern_out *out)
{
    double gradient = count * g->job->gradient, gather = count * g->job->element;

    if (g->job->zero == 0)
        return add_collective(g, 2.0, gradient, out);
    if (g->job->zero == 3)
        gather *= 2.0 * g->job->batches;
    return add_collective(g, 1.0, gradient + gather, out);
}

static int add_dp(const struct group *g, topomap_pattern_out *out)
{
    return add_update(g, g->job->shared, out);
}

static int add_experts(const struct group *g, topomap_pattern_out *out)
{
    return add_update(g, g->job->experts, out);
}

/* All groups along one dimension. */
static int along(const struct job *job, const struct grid *grid, enum dimension d, add_group add,
                 topomap_pattern_out *out)
{
    for (uint64_t r = 0; r < job->ranks; r++) {
        struct group g = {job, grid, r, (int)d, 0, 1, grid->size[d]};

        if (r / grid->stride[d] % grid->size[d] == 0 && add(&g, out))
            return -1;
    }
    return 0;
}

/* All groups of `size` replicas `step` apart, among those of each tensor rank and stage. */
static int among_replicas(const struct job *job, uint64_t size, uint64_t step, add_group add,
                          topomap_pattern_out *out)
{
    const struct grid *grid = &job->dense;
    uint64_t replicas = grid->size[CP] * grid->size[DP];

    for (uint64_t r = 0; r < job->ranks; r++) {
        if (r / grid->stride[CP] % grid->size[CP] || r / grid->stride[DP] % grid->size[DP])
            continue;
        for (uint64_t i = 0; i < replicas / size; i++) {
            uint64_t first = step > 1 ? i : i * size;
            struct group g = {job, grid, r, DIMENSIONS, first, step, size};

            if (add(&g, out))
                return -1;
        }
    }
    return 0;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void count_parameters(struct job *job, const topomap_pattern_args *args)
{
    double h = (double)topomap_pattern_number(args, "hidden");
    double layers = (double)topomap_pattern_number(args, "layers");
    double vocab = (double)topomap_pattern_number(args, "vocab");
    double seq = (double)topomap_pattern_number(args, "seq");
    double all = 12 * layers * h * h + 13 * layers * h + (vocab + seq) * h;
    double stages = (double)job->dense.size[PP];
    double shards = (double)job->dense.size[TP] * stages;
    double experts = (double)topomap_pattern_number_or(args, "experts", job->ep);

    job->shared = all / shards;
    if (job->ep == 1 && experts <= 1.0)
        return;
    job->shared = (all - 8 * layers * h * h) / shards;
    job->experts = 8 * layers * h * h * experts / (double)job->ep / (double)job->etp / stages;
}

/* How the ranks are divided among experts. */
static int set_experts(struct job *job, const topomap_pattern_args *args, topomap_error *err)
{
    const uint64_t *size = job->dense.size;
    uint64_t *expert = job->expert.size, replicas = size[CP] * size[DP];

    job->ep = topomap_pattern_number(args, "ep");
    job->etp = topomap_pattern_number_or(args, "etp", size[TP]);
    if (job->etp == size[TP] ? replicas % job->ep : size[TP] * replicas % (job->ep * job->etp))
        return topomap_error_set(err, TOPOMAP_EUSAGE, "ep=%llu does not divide cp*dp = %llu%s",
                                 (unsigned long long)job->ep, (unsigned long long)replicas,
                                 job->etp == size[TP] ? "" : ", or ep*etp not tp*cp*dp");
    expert[TP] = job->etp;
    expert[CP] = 1;
    expert[EP] = job->ep;
    expert[DP] = size[TP] * replicas / (job->ep * job->etp);
    expert[PP] = size[PP];
    return 0;
}

static int job_new(const topomap_pattern_args *args, struct job *job, topomap_error *err)
{
    job->ranks = 1;
    for (int d = 0; d < DIMENSIONS; d++) {
        job->dense.size[d] = d == EP ? 1 : topomap_pattern_number(args, dimension_names[d]);
        job->ranks = topomap_pattern_times(job->ranks, job->dense.size[d]);
    }
    if (job->ranks > TOPOMAP_PATTERN_MOST)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%llu ranks; " TOPOMAP_PATTERN_LIMIT,
                                 (unsigned long long)job->ranks);
    if (set_experts(job, args, err) || set_order(job, topomap_pattern_get(args, "order"), err) ||
        check_experts(job, err))
        return -1;
    job->zero = (int)topomap_pattern_number(args, "zero");
    job->direct = topomap_pattern_number(args, "allreduce") == 1;
    job->batches = (double)topomap_pattern_number_or(args, "batches", 4 * job->dense.size[PP]);
    job->kv = topomap_pattern_get(args, "kv")->real;
    job->topk = (double)topomap_pattern_number(args, "topk");
    job->chunks = (double)topomap_pattern_number(args, "interleave");
    job->element = (double)topomap_pattern_number(args, "element");
    job->gradient = (double)topomap_pattern_number(args, "gradient");
    job->layers = (double)topomap_pattern_number(args, "layers") / (double)job->dense.size[PP];
    job->activation = (double)topomap_pattern_number(args, "micro") *
                      (double)topomap_pattern_number(args, "seq") / (double)job->dense.size[CP] *
                      (double)topomap_pattern_number(args, "hidden") * job->element;
    count_parameters(job, args);
    return 0;
}

/* Most neighbours that a rank has. */
static uint64_t neighbours(const struct job *job)
{
    uint64_t replicas = job->dense.size[CP] * job->dense.size[DP];
    uint64_t wide = job->dense.size[TP] + job->etp + replicas + job->expert.size[DP];

    return 4 + job->ep + (job->direct ? wide : 6);
}

static int add_expert_groups(const struct job *job, topomap_pattern_out *out)
{
    if (job->ep == 1)
        return 0;
    return job->apart ? along(job, &job->expert, EP, add_ep, out)
                      : among_replicas(job, job->ep, 1, add_ep, out);
}

static int add_expert_replicas(const struct job *job, topomap_pattern_out *out)
{
    uint64_t replicas = job->dense.size[CP] * job->dense.size[DP];

    if (!(job->experts > 0.0))
        return 0;
    return job->apart ? along(job, &job->expert, DP, add_experts, out)
                      : among_replicas(job, replicas / job->ep, job->ep, add_experts, out);
}

static int make_parallel(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    int apart = topomap_pattern_number(args, "phases") != 0;
    struct job job = {0};

    if (job_new(args, &job, out->err) ||
        topomap_pattern_size(out, job.ranks, topomap_pattern_times(job.ranks, neighbours(&job))) ||
        (apart && topomap_pattern_phase(out)) || along(&job, &job.dense, TP, add_tp, out) ||
        (job.etp != job.dense.size[TP] && along(&job, &job.expert, TP, add_etp, out)) ||
        (apart && topomap_pattern_phase(out)) || along(&job, &job.dense, CP, add_cp, out) ||
        (apart && topomap_pattern_phase(out)) || add_expert_groups(&job, out) ||
        (apart && topomap_pattern_phase(out)) || along(&job, &job.dense, PP, add_pp, out) ||
        (apart && topomap_pattern_phase(out)) ||
        among_replicas(&job, job.dense.size[CP] * job.dense.size[DP], 1, add_dp, out))
        return -1;
    return add_expert_replicas(&job, out);
}

static double of_ring(double times, double bytes, double ranks)
{
    return times * bytes * (ranks - 1) / ranks;
}

int topomap_training_bytes(const char *text, double bytes[TOPOMAP_TRAINING_DIMS],
                           topomap_error *err)
{
    const topomap_pattern *row = topomap_patterns_training;
    topomap_pattern_args args;
    struct job job = {0};
    double stages, gather;

    if (topomap_pattern_parse(row, text, text, text + strlen(text), &args, err) ||
        job_new(&args, &job, err))
        return -1;
    stages = (double)job.dense.size[PP];
    gather = job.shared * job.element * (job.zero == 3 ? 2.0 * job.batches : 1.0);
    bytes[TOPOMAP_TRAINING_TP] =
        of_ring(2.0 * 4.0 * job.batches * job.layers, job.activation, (double)job.dense.size[TP]);
    bytes[TOPOMAP_TRAINING_PP] =
        2.0 * job.batches * job.activation / (double)job.dense.size[TP] * (stages - 1) / stages;
    bytes[TOPOMAP_TRAINING_DP] =
        of_ring(1.0, job.shared * job.gradient + (job.zero ? gather : job.shared * job.gradient),
                (double)job.dense.size[DP]);
    return 0;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

const char *topomap_graph_group_kind(size_t kind)
{
    return kind < DIMENSIONS ? dimension_names[kind] : NULL;
}

int topomap_graph_groups(const topomap_graph *graph, const char *kind, uint32_t *group_of,
                         uint32_t *groups, uint32_t *size, topomap_error *err)
{
    const topomap_pattern *row = topomap_patterns_training;
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;
    const char *text = graph->pattern;
    uint32_t ranks = graph->ranks;
    topomap_pattern_args args;
    const struct grid *grid;
    struct job job = {0};
    int d = strlen(kind) == 2 ? dimension_at(kind) : -1;

    if (d < 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "`%.40s` is no group; there are tp, cp, ep, "
                                 "dp and pp",
                                 kind);
    if (!text || strncmp(text, "parallel:", 9) != 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the graph is not of the pattern parallel:, which alone tells %s "
                                 "groups",
                                 kind);
    if (topomap_pattern_parse(row, text, text, text + strlen(text), &args, err) ||
        job_new(&args, &job, err))
        return -1;
    if (job.ranks != ranks)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "the pattern has %llu ranks, not %u",
                                 (unsigned long long)job.ranks, ranks);
    if (d == EP && !job.apart && job.ep > 1) /* taken from cp and dp */
        for (uint64_t r = 0; r < job.ranks; r++) {
            const struct grid *dense = &job.dense;
            uint64_t cp = r / dense->stride[CP] % dense->size[CP];
            uint64_t dp = r / dense->stride[DP] % dense->size[DP];
            uint64_t first = (cp + dp * dense->size[CP]) / job.ep * job.ep;

            group_of[r] = (uint32_t)(r + (first % dense->size[CP] - cp) * dense->stride[CP] +
                                     (first / dense->size[CP] - dp) * dense->stride[DP]);
        }
    grid = d == EP ? &job.expert : &job.dense;
    for (uint64_t r = 0; (d != EP || job.apart || job.ep == 1) && r < job.ranks; r++) {
        uint64_t stride = grid->stride[d]; /* the place in all dimensions but one is the group */

        group_of[r] = (uint32_t)(r % stride + r / (stride * grid->size[d]) * stride);
    }
    *size = (uint32_t)(d == EP ? job.ep : grid->size[d]);
    *groups = ranks / *size;
    if (topomap_graph_generate(text, &made, err))
        return -1;
    if (made->arcs == graph->arcs &&
        !memcmp(made->offset, graph->offset, ((size_t)made->ranks + 1) * sizeof *made->offset) &&
        !memcmp(made->target, graph->target, made->arcs * sizeof *made->target))
        return 0;
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "the graph is not as %.60s makes it, so that its groups are not known",
                             graph->pattern);
}

const topomap_pattern topomap_patterns_training[] = {
    {{"parallel", "machine-learning training: tensor, pipeline, data, context, expert parallel"},
     parallel,
     0,
     0,
     make_parallel},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
