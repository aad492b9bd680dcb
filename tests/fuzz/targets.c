/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "topology-db/import/import.h"
#include "topomap/topomap.h"

static const char *const hostlists[] = {"tux[0-3,12,018-020]",
                                        "a[1-2]b[3-4]",
                                        "n1,n2,n10",
                                        "circe-n[001-016],n[019-020]",
                                        "pi[3,0-2,4]",
                                        "node",
                                        "x[9-11]y",
                                        "gpu-01-[1-2]-[08-11].site",
                                        NULL};

static const char *const counts[] = {"4(x3),2", "2", "1,2,3", "1(x7)", "65535(x4096)", NULL};

static const char *const specs[] = {"tree:4:16:8@1:10:100",
                                    "torus:8x8x4",
                                    "mesh:8x8",
                                    "torus:4x3x2*8@1:10",
                                    "tree:4:4:4:8@1:10:40:100,node=2",
                                    "torus:3x3x3*4@1:10,wrap=xz,base=27,routers=2",
                                    "torus:99999999999x4",
                                    "tree:1:1@0:1e300",
                                    "fattree:k=4,levels=2*2@1:2",
                                    "fattree:leaves=3,hosts=2,spines=2,links=3",
                                    "dragonfly:p=1,a=4,h=2,groups=3",
                                    "percs:supernodes=2,links=9,seed=2",
                                    "gpus:nodes=6,gpus=4,rails=4,unit=2,domain=1,nvlink=2@1:10",
                                    NULL};

static const char *const patterns[] = {"stencil2d:5:8x6,periodic",
                                       "stencil3d:27:3x4x2,wrap=xz,order=row,bytes=10",
                                       "torus2d:4x4",
                                       "torus3d:2x3x4,bytes=99999999999999999999",
                                       "torus4d:2x2x2x3",
                                       "ring:7",
                                       "chain:9,bytes=3",
                                       "alltoall:n=12,group=4,bytes=8",
                                       "stencil2d:9:4",
                                       "stencil:19:3x2x2,bytes=x:4,y+:5,z-:1K,side=2",
                                       "sum(ring:5,0.5*alltoall:6,group=2)",
                                       "phases(fft:2x3,phases,chain:4)",
                                       "blocks(tree:5,k=3,2*butterfly:6,couple=2)",
                                       "blocks(md2d:9,3)",
                                       "random:9,deg=2.5,spread=0.5,seed=4",
                                       "powerlaw:n=20,deg=3,exponent=2.2",
                                       "nas-mg:8,class=S",
                                       "nas-lu:6,class=W",
                                       "parallel:tp=2,pp=2,dp=2,ep=2,zero=3,order=tp-cp-pp-dp",
                                       "amr:2x2,levels=1,n=3,subcycle",
                                       "fem3d:3x2x2,element=tet,dof=2",
                                       "kkt3d:2",
                                       "rgg:30,radius=0.2,order=curve",
                                       "delaunay:20",
                                       "sweep:3x2,sweeps=2",
                                       "master:7,masters=2,back=3",
                                       NULL};

static const char *const shapes[] = {
    "1 cores=4 pus=0;1;2;3 package=2x2",
    "1 cores=8 pus=0,1;2,3;4,5;6,7;8,9;10,11;12,13;14,15 package=2x4 numa*=4x2", "1 cores=1 pus=0",
    NULL};

static const char *const layouts[] = {"0-3;;4,6;5,7-8", "0,2,4,6;;1,3;5,7,8", NULL};

static const char *const measured[] = {
    "# "
    "made\nkind,from,to,hops,size,latency_us,bandwidth_MBps\npair,a,b,2,0,1,\npair,a,b,2,8,1.5,5."
    "3\n"
    "pair,a,c,4,0,2,\npair,a,c,4,8,2.5,3.2\npair,b,c,4,0,2.1,\npair,b,d,6,65536,30,2184.5\n"
    "inside,a,core,,8,0.2,40\ncontention,a,c,4,8,5,1.6\n",
    "pair,a,b,0,8,0,\n", NULL};

static const char *const changes[] = {"abcdef", "ABCDEFGHIJKLMNOPQRSTUVWX", NULL};

/* Without their heads and checksums. */
static const char *const bindings[] = {
    "RABEEDBAHADBEgA2BCgBAABDG", "jDBBEEDBAHADBEQAAAQAEAAoQBCQADAgAABDG",
    "jDBBEEDBAHABBEAAUwiAAAAAAAAAAAAA", "~AABQEPBAfABBEgBAjEQBwLEwdwBA", NULL};

static const char *const requests[] = {
    "topomap-request 1\njob 17\nstep 0\ndb /x.db\ngraph ring:4\nnodes n[1-2,7]\ntasks 4(x2),2\n"
    "layout 0-3;4-7;8-9\ncores 0-3(x2);*\ncapacity /c\nrecord 1\ncpus-per-task 1\nbind "
    "core\nobjective J\neffort fast\nseed 1\n"
    "inside compact\ncontiguous 1\nkeep tp:leaf\npin 0:first\ntime 0.5\nmin-gain 0\nexplain "
    "1\nend\n",
    "topomap-request 1\ndb d\nnodes a\ntasks 1\nlayout 0\nend\n",
    "topomap-request 1\ndb d\nnodes a,b\ntasks 1073741823\nlayout 0;1\nend\n", NULL};

static const char *const records[] = {"topomap-plan 1\nversion 0.1.0\ntime "
                                      "1780000000\ntopomap-request 1\ndb d\ngraph ring:4\nnodes a\n"
                                      "tasks 4\nlayout 0-3\ncores 0-3\nrecord 1\nend\n",
                                      "topomap-plan 1\nversion v\ntime 0\ntopomap-request 1\nend\n",
                                      NULL};

static const char *const site_records[] = {
    "topomap-plan 1\nversion 0.1.0\ntime 1779999000\ntopomap-request 1\ndb d\ngraph ring:4\nnodes "
    "a\n"
    "tasks 4\nlayout 0-3\ncores 0-3\nrecord 1\nend\n"
    "topomap-reply 1\nstatus applied\ngain 12.5\nsearched 0.25\nline placed\nquiet 0\nlayout "
    "0-3\n",
    "topomap-plan 1\nversion 0.1.0\ntime 1779999000\ntopomap-request 1\ndb d\ngraph ring:4\nnodes "
    "a\n"
    "tasks 4\nlayout 0-3\ncores 0-3\nrecord 1\nend\n"
    "topomap-reply 1\nstatus unchanged\nline \nquiet 0\nlayout 0-3\n",
    NULL};

static const char *const refresh_confs[] = {
    "db /a/b.db # c\nlose 5\ntopology /t\nsource hwloc nodes=node[1-64] file=/etc/node.xml\n"
    "source lft seconds=120 option=a=b command=echo 1 # 2\n",
    "source hosts file=x\n", NULL};

static const char *const core_lists[] = {"0-3,8;*(x2);0-1",     "5(x4)", "*",   "0-8191",
                                         "0-8191(x4294967298)", "1;2;3", "0,0", NULL};

static const char *const cpu_lists[] = {"0-3,8\n", "0", "0-8191\n", "1,3,5-7,64-127", NULL};

static const char *const cpu_masks[] = {"0x0003,0x0C00", "0x1", "FF,0xaB00000000000000",
                                        "0x80000000000000000000000000000000,1", NULL};

static const char *const preloads[] = {
    "17.3 /usr/lib/topomap/libtopomap-profile-mpich.so /home/a/.cache/topomap/run/17.3-AbcdEF",
    "17.3 /a.so /", "17.0 /a.so /b", "17.3 /a:b.so /with a blank", NULL};

static const char *const nics[] = {"N1 set 17.3 t:mlx5_0*4,mlx5_1+mlx5_2*3,- 0*3",
                                   "N1 advise 17.3 g:hsn0,hsn1;- 1,0",
                                   "N1 set 17.3 c:a*8;b:b 0,1*9", NULL};

static const char *const formats[] = {"1 0.1.0",
                                      "2 1.0.0",
                                      "1",
                                      "4294967297 x",
                                      "00000000000000000000000000000000000000000000000000000000000"
                                      "00000000000000000000000000000000000000000000000000000000000"
                                      "000000001111 x",
                                      NULL};

static const char *const replies[] = {
    "status applied\nline J fell\nquiet 1\nplan-id 9f3c01aa\ngain 43.1\n"
    "layout 0,2,5,7;1,3-4,6;8-9\nexplain 4\nabc\n\n",
    "status unchanged\nline \nquiet 0\nbindings T1AgAAAAAAAAAAAAA\nnew key\n",
    "status failed\nline no such node\n", NULL};

static const char *const policies[] = {
    "# the site\nRule=debug Partition=debug,inter* Mode=off\nrule=cfd program=solver* \\\n"
    "  NODES=2- mode=On pattern=stencil2d:5:4x4 # a comment\n",
    "Rule=bio Account=bio Group=staff Contiguous=yes Bind=numa Force=Contiguous,Bind\n"
    "Rule=\"the rest\" User=alice,1001 Tasks=-2000 Mode=auto MinGain=2.5 Effort=strong Force=yes\n",
    "Rule=seed=3,bind=pu,contiguous,time=4.5 Seed=1 Time=2 Graph=/x Required=no Layout=compact\n",
    NULL};

static const char *const words[] = {
    "srun\n-n\n4\n--distribution=topomap\na.out", "sbatch\n-m\ntopomap:SOCKET\n--wrap\nx",
    "srun\n-lum\ntopomap\n--mpi=pmix\n--cpu-bind\nnone\n:\n-n2\nb", NULL};

/* Matrices as text: n x n. */
static const char matrix[] = "matrix:", allocation[] = "torus:4x4x2,alloc=", fabric[] = "links:";
static const char *const fabrics[] = {
    "# hosts: a,b,c\na,1,s,1,100\na,2,t,1,50\nb,1,s,2,?\nc,1,t,3,50\ns,9,t,9,100\n",
    "name,port,name,port,rate\na,1,s,1\nb,,s,,25\nb,,s,,25\n", NULL};
static const char *const matrices[] = {"0 1 2\n1 0 3\n2 3 0\n", "# one\n0\n", "0 1e300\n1e300 0\n",
                                       NULL};
static const char *const lists[] = {"0\n5\n31\n", "# none\n", "7\n7\n", NULL};

static const char *const graphs[] = {
    "% comment\n3 2 11 1\n5 2 7\n6 1 7 3 9\n7 2 9\n",
    "4 3\n2 3\n1\n1 4\n3\n",
    "from,to,bytes,messages\n0,1,100,2\n1,0,50,1\n2,1,7,1\n",
    "0 1 5\n1 2 6\n",
    "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 5\n3 2 7\n",
    "%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n2\n0\n",
    "{\"ranks\":3,\"arcs\":[[0,1,10,1],[1,2,20,2]]}",
    "0 5 6 \n5 0 7 \n6 7 0 \n",
    "E\t0\t1\t108 bytes\t27 msgs sent\t27,0,0\n",
    "# POINT TO POINT\nI\t2\t0\t8 bytes\t2 msgs sent\nR\t1\t0\t8 bytes\t2 msgs sent\n# "
    "COLLECTIVES\n"
    "D\tMPI COMM WORLD\tprocs: 0,1,2,3\nO2A\t0\t8 bytes\t2 msgs sent\nC\t0\t3\t8 bytes\t1 msgs "
    "sent\n",
    "0\n3 4\n0 000\n1 1\n2 0 2\n1 1\n",
    "0\n3 4\n1 111\n30 5 1 9 10\n10 6 2 9 30 8 20\n20 7 1 8 10\n",
    "@ mpiP\n@ MPI Task Assignment      : 2 node\n------- Start Communication Matrix ------\n\n"
    "Statistics of rank: 0\nSource\tTarget\tTotal Amount\tTotal Count\n0\t0\t7\t2\n0\t1\t3\t1\n"
    "0\t2\t4\t1\n1\t0\t9000\t3\n2\t0\t0\t0\n------- End Communication Matrix ------\n",
    "4 3 111 2\n9 5 1 2 7\n8 6 2 1 7 3 9\n7 7 3 2 9 4 1\n6 8 4 3 1\n",
    "alice,bob,10\nbob,\"carol\",20\n",
    "# ranks 5\n# name 0 first\n0 1 5\n",
    "{\"ranks\":3,\"load\":[1,2,3],\"names\":[\"a\",\"b\",\"c\"],\"coordinates\":[[0.5,1],[2,3e1],["
    "4,5]],"
    "\"phases\":[{\"arcs\":[[0,1,10]]},{\"arcs\":[[1,2,20]]}],\"source\":\"\\u00e4\"}",
    "0: n:1:2 [0] NCCL INFO f comm 0xa rank 0 nranks 3 cudaDev 0 commId 0x5 - Init START\n"
    "n:1:2 [0] NCCL INFO Channel 00/01 : 0 2 1\nn:1:2 [0] NCCL INFO Ring 00 : 1 -> 0 -> 2\n"
    "n:1:2 [0] NCCL INFO Trees [0] 1/2/-1->0->-1|-1->0->2/1/-1 [1] -1->0->1/-1/-1\n"
    "n:1:2 [0] NCCL INFO f comm 0xa rank 0 nranks 3 cudaDev 0 commId 0x5 - Init COMPLETE\n"
    "n:1:9 [0] NCCL INFO AllReduce: opCount 0 count 8 datatype 7 op 0 root 0 comm 0xa [nranks=3]\n"
    "n:1:9 [0] NCCL INFO Send: opCount 0 count 8 datatype 7 op 0 root 2 comm 0xa [nranks=3]\n"
    "n:1:9 [0] NCCL INFO f comm 0xb rank 0 nranks 1 cudaDev 0 parent 0xa color 1 - Init COMPLETE\n",
    "<graphs version=\"1\"><graph id=\"0\"><channel><gpu dev=\"0\"/><gpu dev=\"1\" rank='3'/>"
    "</channel></graph><graph id=\"1\"><channel><gpu dev=\"0\"/><gpu dev=\"1\"/></channel>"
    "</graph></graphs>",
    "{\"schema\":\"1.1.1-chakra.0.0.4\",\"nodes\":[{\"name\":\"## process_group:init "
    "##\",\"inputs\":{"
    "\"values\":[\"[{\\\"pg_name\\\":\\\"0\\\",\\\"ranks\\\":[0,2,1]}]\"]}},{\"name\":"
    "\"record_param_comms\",\"inputs\":{\"values\":[[[1,2]],[1,false],[\"0\",\"d\"],1]},\"attrs\":["
    "{"
    "\"name\":\"collective_name\",\"value\":\"all_to_allv\"},{\"name\":\"dtype\",\"value\":"
    "\"Float\"},"
    "{\"name\":\"in_msg_nelems\",\"value\":9},{\"name\":\"in_split_size\",\"value\":\"[1,2,3]\"},{"
    "\"name\":\"pg_name\",\"value\":\"0\"},{\"name\":\"pg_size\",\"value\":3},{\"name\":"
    "\"global_rank_stride\",\"value\":1}]}]}",
    NULL};

static const struct fuzz_target fixed[] = {
    {"input", fuzz_input, NULL, NULL, "", NULL, 4, 0},
    {"hostlist", fuzz_hostlist, NULL, hostlists, NULL, NULL, 1, 1},
    {"counts", fuzz_counts, NULL, counts, NULL, NULL, 1, 1},
    {"machine", fuzz_spec, NULL, specs, NULL, NULL, 1, 0},
    {"machine-matrix", fuzz_spec_file, matrix, matrices, NULL, NULL, 4, 0},
    {"machine-alloc", fuzz_spec_file, allocation, lists, NULL, NULL, 4, 0},
    {"machine-links", fuzz_spec_file, fabric, fabrics, NULL, NULL, 4, 0},
    {"pattern", fuzz_pattern, NULL, patterns, NULL, NULL, 1, 0},
    {"shape", fuzz_shape, NULL, shapes, NULL, NULL, 1, 0},
    {"layout", fuzz_layout, NULL, layouts, NULL, NULL, 1, 1},
    {"bindings", fuzz_bindings, NULL, bindings, NULL, NULL, 1, 0},
    {"bindings-check", fuzz_bindings_check, NULL, bindings, NULL, NULL, 1, 1},
    {"node-plan", fuzz_node_plan, NULL, bindings, NULL, NULL, 1, 1},
    {"node-nics", fuzz_node_nics, NULL, nics, NULL, NULL, 1, 1},
    {"node-question", fuzz_node_question, NULL, NULL, NULL, fuzz_node_question_seeds, 1, 1},
    {"node-answer", fuzz_node_answer, NULL, NULL, NULL, fuzz_node_answer_seeds, 1, 1},
    {"request", fuzz_request, NULL, requests, NULL, NULL, 1, 0},
    {"record", fuzz_record, NULL, records, NULL, NULL, 4, 0},
    {"site-record", fuzz_site, NULL, site_records, NULL, NULL, 1, 0},
    {"refresh-conf", fuzz_refresh, NULL, refresh_confs, NULL, NULL, 4, 0},
    {"cores", fuzz_cores, NULL, core_lists, NULL, NULL, 1, 1},
    {"cpu-list", fuzz_cpu_list, NULL, cpu_lists, NULL, NULL, 1, 1},
    {"cpu-masks", fuzz_cpu_masks, NULL, cpu_masks, NULL, NULL, 1, 1},
    {"preload", fuzz_preload, NULL, preloads, NULL, NULL, 1, 1},
    {"format", fuzz_format, NULL, formats, NULL, NULL, 1, 1},
    {"reply", fuzz_reply, NULL, replies, NULL, NULL, 1, 1},
    {"policy", fuzz_policy, NULL, policies, NULL, NULL, 4, 0},
    {"measured", fuzz_measured, NULL, measured, NULL, NULL, 4, 0},
    {"command-line", fuzz_words, NULL, words, NULL, NULL, 1, 1},
    {"damage-bytes", fuzz_damage_bytes, NULL, NULL, NULL, fuzz_damage_seeds, 10, 0},
    {"damage-values", fuzz_damage_values, NULL, changes, NULL, NULL, 10, 0},
    {"graph", fuzz_graph, NULL, graphs, "", NULL, 4, 0},
    {"part", fuzz_part, NULL, NULL, NULL, fuzz_part_seeds, 4, 0},
    {"part-content", fuzz_part_content, NULL, NULL, NULL, fuzz_part_seeds, 4, 0},
    {"tmg-content", fuzz_tmg, NULL, NULL, NULL, fuzz_tmg_seeds, 4, 0},
};

enum { FIXED = sizeof fixed / sizeof *fixed, MOST = 192 };

static struct fuzz_target rows[MOST + 1];
static size_t filled;

static void add(const char *prefix, const char *name, const struct fuzz_target *like)
{
    struct fuzz_target *row = &rows[filled];

    if (filled == MOST)
        return;
    filled++;
    *row = *like;
    snprintf(row->name, sizeof row->name, "%s-%s", prefix, name);
}

static void add_importer(const db_importer *importer)
{
    /* hwloc's XML is loaded in a process of its own. */
    int fork = strcmp(importer->row.name, "hwloc") == 0;
    const char *files = fork ? ".xml" : "";

    add("import", importer->row.name,
        &(struct fuzz_target){"", fuzz_import, importer, NULL, files, NULL, fork ? 200 : 4, 0});
    add("store", importer->row.name,
        &(struct fuzz_target){"", fuzz_store, importer, NULL, files, NULL, fork ? 400 : 20, 0});
}

const struct fuzz_target *fuzz_targets(void)
{
    const topomap_graph_format *format;
    const db_importer *importer;

    if (filled)
        return rows;
    for (; filled < FIXED; filled++)
        rows[filled] = fixed[filled];
    for (size_t i = 0; (format = topomap_graph_format_row(i)); i++)
        if (format->can_read)
            add("graph", format->name,
                &(struct fuzz_target){"", fuzz_graph, format->name, graphs, "", fuzz_tmg_seeds, 4,
                                      0});
    for (size_t i = 0; (importer = db_importer_at(i)); i++)
        add_importer(importer);
    return rows;
}
