/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the database have the order in which this Slurm gives tasks to nodes? Launches see it in the
 * step; the dry run goes by the database. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "cli/map/map_command.h"

enum { CONFIG_MOST = 1 << 20 };

/* What `scontrol show config` prints; ends with free(). "" where it does not answer. */
static char *ask_scontrol(void)
{
    FILE *in = popen("timeout 2 scontrol show config 2>/dev/null", "re");
    char *text = calloc(CONFIG_MOST + 1, 1);

    if (in && text)
        text[fread(text, 1, CONFIG_MOST, in)] = 0;
    if (in)
        pclose(in);
    return text;
}

/* scontrol does not say whether there is a topology.yaml; Slurm looks for it beside slurm.conf
 * (src/interfaces/topology.c, topology_g_init, 25.05 and later). */
static void look_for_yaml(const doctor_site *site, topomap_db_slurm_config *config,
                          char path[DOCTOR_PATH])
{
    const char *slash = strrchr(site->slurm_conf, '/');
    int there;

    snprintf(path, DOCTOR_PATH, "%.*stopology.yaml",
             slash ? (int)(slash + 1 - site->slurm_conf) : 0, site->slurm_conf);
    there = access(path, F_OK) == 0;
    if (*site->slurm_conf && (there || errno == ENOENT))
        snprintf(config->yaml, sizeof config->yaml, "%s", there ? "there" : "none");
}

static void say_unsure(const topomap_db_slurm_config *config, const char *path,
                       doctor_verdict *verdict)
{
    char advice[DOCTOR_PATH + 64];

    snprintf(advice, sizeof advice, "topomap db import slurm-topology %s", path);
    if (*config->yaml)
        doctor_say(verdict, DOCTOR_WARNING, advice,
                   "%s overrides TopologyPlugin (%s) and is not imported: the dry run may go by "
                   "another order",
                   path, config->plugin);
    else
        doctor_say(verdict, DOCTOR_WARNING, advice,
                   "TopologyPlugin is %s, which a topology.yaml would override: none is imported",
                   config->plugin);
}

static void compare(topomap_db *db, const topomap_db_slurm_config *config, const char *yaml,
                    doctor_verdict *verdict)
{
    topomap_db_slurm_order now, kept;
    topomap_names none = {0};
    topomap_error err;

    if (topomap_db_slurm_order_of(db, config, &now, &err) ||
        topomap_db_slurm_order_of(db, NULL, &kept, &err))
        doctor_say(verdict, DOCTOR_PROBLEM, "import it again", "%s", err.text);
    else if (now.unsure)
        say_unsure(config, yaml, verdict);
    else if (now.topology != kept.topology)
        doctor_say(verdict, DOCTOR_WARNING,
                   "scontrol show config > FILE; topomap db import slurm-config FILE",
                   "Slurm's order is %s (%s), the dry run goes by %s (%s)", cli_order_word(&now),
                   now.because, cli_order_word(&kept), kept.because);
    else if (now.topology && topomap_db_slurm_sequence(db, NULL, &none, NULL, NULL, NULL, &err))
        doctor_say(verdict, DOCTOR_WARNING, "topomap db import slurm-topology topology.conf",
                   "Slurm's order is topology, the dry run goes by node-index: %s", err.text);
    else
        doctor_say(verdict, DOCTOR_OK, NULL, "%s (%s)", cli_order_word(&now), now.because);
}

void doctor_order(doctor_site *site, doctor_verdict *verdict)
{
    topomap_db_slurm_config config;
    CLI_DB_CLOSED topomap_db *db = NULL;
    topomap_error err;
    TOPOMAP_FREED char *text = NULL;
    char yaml[DOCTOR_PATH];

    if (!site->db_ok || topomap_db_open(site->db, &db, &err)) {
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "no database that can be read");
        return;
    }
    text = ask_scontrol();
    if (!text || topomap_db_slurm_config_read(text, &config, &err)) {
        doctor_say(verdict, DOCTOR_SKIPPED, NULL, "`scontrol show config` does not answer");
        return;
    }
    look_for_yaml(site, &config, yaml);
    compare(db, &config, yaml, verdict);
}
