/* SPDX-License-Identifier: BSD-3-Clause */
/* Any fabric as a list of links between named hosts and switches: fabric/fabric.h. */
#include "fabric/fabric.h"
#include "topology-db/import/lists/named_fabric.h"

static void list_clear(void *content)
{
    topomap_fabric_clear(content);
}

static int begin(struct db_import *import, void *content)
{
    return topomap_links_read(import->input, db_option(import, "hosts"), content, import->err);
}

static int write_list(struct db_import *import, void *content)
{
    return db_named_replace(import, content, "'links'", NULL, NULL);
}

static const topomap_graph_option options[] = {
    {"hosts", "HOSTLIST",
     "names that are hosts, as a line '# hosts: HOSTLIST' in the file says too; else a name that "
     "has one neighbour is a host"},
    {"routing", "adaptive|ecmp",
     "how the switches share traffic among shortest paths; explanations name it"},
    {NULL, NULL, NULL},
};

const db_importer db_links = {
    .row = {"links", "any fabric: CSV lines 'name,port,name,port,Gb/s[,class]'", options},
    .tables = {"vertex", "link", "routing"},
    .size = sizeof(topomap_fabric),
    .begin = begin,
    .write = write_list,
    .clear = list_clear,
};
