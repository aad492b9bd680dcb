/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/plan.h"

#include <string.h>

#include "util/sorted.h"

static void print_levels(FILE *out, const topomap_machine *machine, int kept,
                         const char *before_name, const topomap_cost *before,
                         const topomap_cost *after)
{
    fprintf(out, "  %-24s %16s %16s\n", "bytes between tasks on", before_name,
            kept ? "best found" : "topomap");
    for (uint32_t l = 0; l < before->levels; l++)
        if (before->level_bytes[l] || after->level_bytes[l])
            fprintf(out, "  %-24s %16llu %16llu\n", topomap_machine_level_name(machine, l),
                    (unsigned long long)before->level_bytes[l],
                    (unsigned long long)after->level_bytes[l]);
    fprintf(out, "  %-24s %16.0f %16.0f\n", "hop-bytes", before->hop_bytes, after->hop_bytes);
    fprintf(out, "  %-24s %16.2f %16.2f\n", "dilation (mean hops)", before->dilation,
            after->dilation);
    fprintf(out, "  %-24s %16u %16u\n", "most hops", before->max_dilation, after->max_dilation);
    fprintf(out, "  %-24s %16.0f %16.0f\n", "cost J", before->J, after->J);
    if (before->load_imbalance > 0)
        fprintf(out, "  %-24s %16.3f %16.3f\n", "load, fullest node/mean", before->load_imbalance,
                after->load_imbalance);
}

static void print_congestion(FILE *out, const topomap_congestion *load)
{
    fprintf(out, "  %-24s %16.6g %16.6g %s, model %s\n", "most loaded link", load[0].max,
            load[1].max, load[1].unit, load[1].model);
    fprintf(out, "  %-24s %16s %16s\n", "", load[0].worst, load[1].worst);
    fprintf(out, "  %-24s %16.6g %16.6g\n", "mean over all links", load[0].mean, load[1].mean);
}

static int is_known(const uint32_t *of, const topomap_plan *plan, uint32_t node)
{
    for (uint32_t t = plan->first[node]; of && t < plan->first[node + 1]; t++)
        if (of[t] != UINT32_MAX)
            return 1;
    return 0;
}

/* Prints "  gpus 1 0  nics hsn0 hsn0": for each task, by local id, its GPU and its NIC, "-" if that
 * is not known. GPUs or NICs that are not known of any task of the node are left out. */
static void print_devices(FILE *out, const topomap_plan *plan, uint32_t node)
{
    uint32_t first = plan->first[node], end = plan->first[node + 1];
    int gpus = is_known(plan->gpu, plan, node), nics = is_known(plan->nic, plan, node);

    fputs(gpus ? "  gpus" : "", out);
    for (uint32_t t = first; gpus && t < end; t++)
        if (plan->gpu[t] != UINT32_MAX)
            fprintf(out, " %u", plan->gpu[t]);
        else
            fputs(" -", out);
    fputs(nics ? "  nics" : "", out);
    for (uint32_t t = first; nics && t < end; t++)
        fprintf(out, " %s", plan->nic[t] != UINT32_MAX ? plan->nic_name[plan->nic[t]] : "-");
}

static void print_nodes(FILE *out, const topomap_machine *machine, const topomap_plan *plan)
{
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const char *name = topomap_machine_node_name(machine, i);

        if (name)
            fprintf(out, "  %-16s ranks ", name);
        else
            fprintf(out, "  node %-11u ranks ", i);
        topomap_ranges_print(out, plan->task + plan->first[i], plan->first[i + 1] - plan->first[i],
                             3);
        if (plan->bindings.nodes && plan->bindings.class_of[i] != UINT32_MAX) {
            fprintf(out, "  cpus ");
            for (uint32_t t = plan->first[i]; t < plan->first[i + 1]; t++) {
                const uint32_t *pu = NULL;
                uint32_t count = topomap_plan_cpus(plan, i, t, &pu);

                fputs(t > plan->first[i] ? " " : "", out);
                topomap_ranges_print(out, pu, count, 3);
            }
        }
        print_devices(out, plan, i);
        fputc('\n', out);
    }
}

/* What the search went by, less being better. */
static double judged(const topomap_mapping *mapping, const topomap_candidate *c)
{
    switch (mapping->objective) {
    case TOPOMAP_OBJECTIVE_CONGESTION:
        return c->congestion;
    case TOPOMAP_OBJECTIVE_MIX:
        return c->mix;
    case TOPOMAP_OBJECTIVE_TIME:
        return c->time;
    default:
        return c->J;
    }
}

static int is_better(const topomap_mapping *mapping, const topomap_candidate *a,
                     const topomap_candidate *b)
{
    double x = judged(mapping, a), y = judged(mapping, b);

    return x != y ? x < y : a->J < b->J;
}

/* Those of one name, which differ by their seeds: the best of them, and what all took. */
static void print_kind(FILE *out, const topomap_mapping *mapping, size_t first, int links)
{
    const topomap_candidate *best = &mapping->candidate[first];
    size_t alike = 0;
    double seconds = 0;

    for (size_t i = first; i < mapping->candidates; i++) {
        const topomap_candidate *c = &mapping->candidate[i];

        if (strcmp(c->name, best->name) != 0)
            continue;
        alike++;
        seconds += c->seconds;
        if (is_better(mapping, c, best))
            best = c;
    }
    fprintf(out, "  candidate %-14s J %.0f", best->name, best->J);
    if (links)
        fprintf(out, ", congestion %.6g", best->congestion);
    if (links && mapping->objective == TOPOMAP_OBJECTIVE_MIX)
        fprintf(out, ", mix %.4f", best->mix);
    if (links && mapping->time_before > 0)
        fprintf(out, ", time %.6g s", best->time);
    fprintf(out, alike > 1 ? " in %.1f ms, the best of %zu\n" : " in %.1f ms\n", 1000 * seconds,
            alike);
}

static void print_candidates(FILE *out, const topomap_mapping *mapping, int links)
{
    for (size_t i = 0; i < mapping->candidates; i++) {
        size_t k = 0;

        while (strcmp(mapping->candidate[k].name, mapping->candidate[i].name) != 0)
            k++;
        if (k == i)
            print_kind(out, mapping, i, links);
    }
}

static void print_phases(FILE *out, const topomap_mapping *mapping)
{
    static const char *const names[] = {[TOPOMAP_PHASE_TREE] = "tree",
                                        [TOPOMAP_PHASE_GROUP] = "group",
                                        [TOPOMAP_PHASE_INTER] = "inter",
                                        [TOPOMAP_PHASE_INTRA] = "intra",
                                        [TOPOMAP_PHASE_REFINE] = "refine"};

    fprintf(out, "  phases in ms             ");
    for (int i = 0; i < TOPOMAP_PHASES; i++)
        fprintf(out, " %s %.1f", names[i], 1000 * mapping->phase_seconds[i]);
    fputc('\n', out);
}

void topomap_plan_explain(FILE *out, const topomap_machine *machine, const topomap_plan *plan,
                          const topomap_mapping *mapping, int kept, const char *before_name,
                          const topomap_cost *before, const topomap_cost *after,
                          const topomap_congestion *load)
{
    fprintf(out, "topomap: %u ranks on %u nodes (%s)%s, %s, %s %.1f %% lower\n", mapping->ranks,
            plan->nodes, topomap_machine_kind(machine), kept ? " stay; the best layout found" : "",
            mapping->algorithm, topomap_plan_figure(mapping, load != NULL),
            topomap_plan_gain_of(mapping, before->J, after->J, load));
    print_levels(out, machine, kept, before_name, before, after);
    if (mapping->message_bytes > 0)
        fprintf(out, "  %-24s %16.0f %16.0f a message as %.0f bytes, of candidates too\n",
                "J, bytes+messages", mapping->J_before, mapping->J, mapping->message_bytes);
    if (load)
        print_congestion(out, load);
    if (load && mapping->time_before > 0)
        fprintf(out, "  predicted time           %.6g s before, %.6g s after\n",
                mapping->time_before, mapping->time);
    print_candidates(out, mapping, load != NULL);
    if (mapping->bound > 0)
        fprintf(out, "  bound                    J %.0f%s\n", mapping->bound,
                mapping->J <= mapping->bound * (1 + 1e-12) ? ": nothing can be better" : "");
    print_phases(out, mapping);
    print_nodes(out, machine, plan);
}
