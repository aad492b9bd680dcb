/* SPDX-License-Identifier: BSD-3-Clause */
/* Oracle Cloud: what each instance's metadata service says of it (/opc/v2/host), collected:
 *
 *   node1: {"rdmaTopologyData": {"customerHPCIslandId": "..", "customerNetworkBlock": "..",
 *   node1:  "customerLocalBlock": "..", "customerGpuMemoryFabric": ".."}, "rackId": ".."}
 *
 * as pdsh prints it, or an object with nodes for keys. A GPU memory fabric is an NVLink domain. */
#include <string.h>

#include "topology-db/import/cloud/levels.h"
#include "topology-db/import/json_reader.h"
#include "util/alloc.h"

static int take_node(struct db_import *import, struct levels *levels, const char *node,
                     const json_t *document)
{
    static const char *const parts[] = {"customerHPCIslandId", "customerNetworkBlock",
                                        "customerLocalBlock"};
    const json_t *data = json_object_get(document, "rdmaTopologyData");
    const char *level[sizeof parts / sizeof *parts], *fabric;
    int count = 0;

    if (!json_is_object(document))
        return db_fail(import, 0, "'%.60s': expected an object with rdmaTopologyData", node);
    if (!json_is_object(data))
        data = document;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        level[count] = db_json_text(data, parts[i]);
        count += level[count] != NULL;
    }
    fabric = db_json_text(data, "customerGpuMemoryFabric");
    /* The end of an OCID tells it from others. */
    if (fabric && count &&
        db_domains_add(&levels->domains, node,
                       strlen(fabric) < DB_DOMAIN ? fabric : fabric + strlen(fabric) - 100, 0,
                       import->err))
        return -1;
    return levels_add(levels, import, node, level, count, 0);
}

static int begin(struct db_import *import, void *levels)
{
    TOPOMAP_CLEANUP(db_json_clear) struct db_json json = {0};
    const char *node;
    json_t *document;

    if (db_json_read(import, &json))
        return -1;
    if (!json_is_object(json.root) || json_object_get(json.root, "rdmaTopologyData") ||
        json_object_get(json.root, "customerHPCIslandId"))
        return db_fail(import, 1,
                       "whose is this? expected an object with nodes for keys, or lines 'NODE: a "
                       "line of its metadata', as pdsh prints them");
    json_object_foreach(json.root, node,
                        document) if (take_node(import, levels, node, document)) return -1;
    return 0;
}

const db_importer db_oci_topology = {
    .row = {"oci-topology",
            "Oracle Cloud: rdmaTopologyData of instances' metadata, collected by pdsh; levels, no "
            "links"},
    LEVELS_IMPORTER,
    .begin = begin,
    .check = levels_finish,
};
