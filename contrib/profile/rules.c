/* SPDX-License-Identifier: BSD-3-Clause */
#include "rules.h"

#include <mpi.h> /* says which one it is */

/* Open MPI 4.1, 5.0 and 6.0, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, for operations that
 * commute. Rows of one pattern of messages are joined, and so are some that differ within a few
 * sizes. */
static const profile_rules openmpi = {
    .bcast = {{4, {{ANY, LINEAR}}},
              {8, {{2048, BINARY}, {8192, BINOMIAL_HIGH}, {1048576, LINEAR}, {ANY, CHAIN}}},
              {16,
               {{8, KNOMIAL},
                {64, BINARY},
                {4096, KNOMIAL},
                {16384, BINARY},
                {32768, BINOMIAL_HIGH},
                {ANY, LINEAR}}},
              {32, {{4096, KNOMIAL}, {1048576, BINOMIAL_HIGH}, {ANY, SCATTER_DOUBLING}}},
              {64, {{2048, BINOMIAL_HIGH}}},
              {128, {{ANY, KNOMIAL}}},
              {256, {{16384, BINARY}, {32768, LINEAR}, {65536, BINARY}, {ANY, KNOMIAL}}},
              {1024, {{16384, KNOMIAL}, {32768, BINARY}, {ANY, KNOMIAL}}},
              {2048, {{524288, KNOMIAL}, {ANY, SCATTER_DOUBLING}}},
              {4096, {{262144, KNOMIAL}, {ANY, SCATTER_DOUBLING}}},
              {ANY, {{8192, KNOMIAL}, {16384, BINARY}, {ANY, KNOMIAL}}}},
    .reduce = {{4, {{ANY, LINEAR}}},
               {8,
                {{4096, BINARY},
                 {65536, CHAIN},
                 {262144, BINOMIAL},
                 {524288, LINEAR},
                 {1048576, BINOMIAL},
                 {ANY, LINEAR}}},
               {16, {{8192, BINARY}, {ANY, BINOMIAL}}},
               {32, {{4096, BINARY}}},
               {ANY, {{ANY, BINOMIAL}}}},
    .allreduce = {{4, {{65536, DOUBLING}, {262144, RING}}},
                  {16, {{8192, DOUBLING}}},
                  {32, {{4096, DOUBLING}}},
                  {64, {{128, DOUBLING}, {ANY, HALVING}}},
                  {128, {{262144, DOUBLING}, {ANY, HALVING}}},
                  {256, {{131072, THROUGH_ROOT}, {262144, DOUBLING}}},
                  {512, {{4096, THROUGH_ROOT}, {ANY, HALVING}}},
                  {4096, {{2048, THROUGH_ROOT}, {16384, DOUBLING}, {ANY, HALVING}}},
                  {ANY, {{2048, THROUGH_ROOT}, {16384, RING}, {32768, DOUBLING}, {ANY, RING}}}},
    .gather = {{4, {{ANY, LINEAR}}},
               {8, {{1024, BINOMIAL}, {8192, LINEAR}, {32768, BINOMIAL}, {ANY, LINEAR}}},
               {256, {{ANY, BINOMIAL}}},
               {512, {{2048, BINOMIAL}, {8192, LINEAR}}},
               {ANY, {{ANY, BINOMIAL}}}},
    .scatter = {{4, {{ANY, LINEAR}}},
                {8, {{2048, BINOMIAL}, {4096, LINEAR}, {8192, BINOMIAL}, {ANY, LINEAR}}},
                {32, {{16384, BINOMIAL}, {ANY, LINEAR}}},
                {64, {{512, BINOMIAL}, {8192, LINEAR}, {16384, BINOMIAL}, {ANY, LINEAR}}},
                {ANY, {{512, BINOMIAL}, {ANY, LINEAR}}}},
    .alltoall = {{16, {{ANY, PAIRS}}},
                 {64, {{512, BRUCK}, {ANY, PAIRS}}},
                 {512, {{1024, BRUCK}, {ANY, PAIRS}}},
                 {2048, {{512, BRUCK}, {ANY, PAIRS}}},
                 {4096, {{1024, BRUCK}, {ANY, PAIRS}}},
                 {8192, {{2048, BRUCK}}},
                 {ANY, {{ANY, PAIRS}}}},
    .evens_stay = 1,
    .gathers_by_block = 1,
    .allgather =
        {{32, {{ANY, DOUBLING}}},
         {64, {{1024, DOUBLING}}},
         {128, {{512, DOUBLING}, {65536, NEIGHBOR}, {ANY, RING}}},
         {256, {{512, DOUBLING}}},
         {512,
          {{1024, DOUBLING}, {131072, NEIGHBOR}, {524288, RING}, {1048576, NEIGHBOR}, {ANY, RING}}},
         {1024, {{2048, DOUBLING}, {ANY, NEIGHBOR}}},
         {ANY, {{4096, DOUBLING}, {ANY, NEIGHBOR}}}},
    .allgatherv = {{3, {{ANY, RING}}},
                   {8,
                    {{256, THROUGH_ROOT},
                     {4096, NEIGHBOR},
                     {8192, RING},
                     {16384, NEIGHBOR},
                     {262144, BRUCK},
                     {ANY, NEIGHBOR}}},
                   {16, {{1024, THROUGH_ROOT}, {ANY, BRUCK}}},
                   {32, {{128, THROUGH_ROOT}, {262144, BRUCK}, {ANY, RING}}},
                   {128, {{256, THROUGH_ROOT}}},
                   {64, {{8192, BRUCK}}},
                   {128, {{4096, BRUCK}, {ANY, RING}}},
                   {512, {{1024, BRUCK}}},
                   {256, {{65536, NEIGHBOR}}},
                   {512, {{ANY, RING}}},
                   {ANY, {{4096, BRUCK}}},
                   {1024, {{1048576, NEIGHBOR}, {ANY, RING}}},
                   {ANY, {{ANY, NEIGHBOR}}}},
    .reduce_scatter = {{4, {{ANY, RING}}},
                       {32, {{8, THROUGH_ROOT}, {262144, HALVING_FAR}, {ANY, RING}}},
                       {64,
                        {{64, THROUGH_ROOT}, {2048, HALVING_FAR}, {524288, HALVING}, {ANY, RING}}},
                       {512, {{256, THROUGH_ROOT}}},
                       {256, {{512, HALVING_FAR}, {ANY, HALVING}}},
                       {512, {{1024, HALVING_FAR}, {ANY, HALVING}}},
                       {4096, {{512, THROUGH_ROOT}}},
                       {1024, {{2048, HALVING_FAR}, {ANY, HALVING}}},
                       {4096, {{4096, HALVING_FAR}, {ANY, HALVING}}},
                       {8192, {{1024, THROUGH_ROOT}, {8192, HALVING_FAR}, {ANY, HALVING}}},
                       {ANY, {{ANY, HALVING_FAR}}}},
    .scatters_by_block = 1,
    .reduce_scatter_block =
        {{4, {{131072, HALVING}, {ANY, THROUGH_ROOT}}},
         {8, {{1048576, HALVING_FAR}, {ANY, THROUGH_ROOT}}},
         {16, {{4, THROUGH_ROOT}}},
         {32, {{32, THROUGH_ROOT}, {524288, HALVING_FAR}, {2097152, THROUGH_ROOT}, {ANY, HALVING}}},
         {8192, {{16, THROUGH_ROOT}, {65536, HALVING}, {262144, THROUGH_ROOT}, {ANY, HALVING}}},
         {ANY, {{ANY, HALVING_FAR}}}},
    .scan = CHAIN,
};

/* MPIR_CVAR_..._MSG_SIZE and _MIN_PROCS of MPICH 4.0 to 5.0, as MPI_T tells them. */
static const profile_rules mpich = {
    .bcast = {{8, {{ANY, BINOMIAL}}},
              {ANY, {{12288, BINOMIAL}, {524288, SCATTER_DOUBLING}, {ANY, SCATTER_RING}}}},
    .reduce = {{ANY, {{2049, BINOMIAL}, {ANY, HALVING}}}},
    .allreduce = {{ANY, {{2049, DOUBLING}, {ANY, HALVING}}}},
    .gather = {{ANY, {{ANY, BINOMIAL}}}},
    .scatter = {{ANY, {{ANY, BINOMIAL}}}},
    .alltoall = {{8, {{ANY, PAIRS}}}, {ANY, {{257, BRUCK}, {ANY, PAIRS}}}},
    .allgather = {{ANY, {{524288, DOUBLING}}, .only_powers = 1},
                  {ANY, {{81920, BRUCK}, {ANY, RING}}}},
    .allgatherv = {{ANY, {{524288, DOUBLING}}, .only_powers = 1},
                   {ANY, {{81920, BRUCK}, {ANY, RING}}}},
    .reduce_scatter = {{ANY, {{524288, HALVING_FAR}, {ANY, PAIRS}}}},
    .reduce_scatter_block = {{ANY, {{524288, HALVING_FAR}, {ANY, PAIRS}}}},
    .scan = DOUBLING,
};

#if defined OPEN_MPI || defined RULES_OF_OPEN_MPI
const profile_rules *profile_own_rules = &openmpi;
#else
const profile_rules *profile_own_rules = &mpich;
#endif

void profile_take_rules(int of_openmpi)
{
    profile_own_rules = of_openmpi ? &openmpi : &mpich;
}

static int is_below(uint64_t number, uint32_t limit)
{
    return limit == ANY || number < limit;
}

/* The last rule of each list fits always. */
enum profile_way profile_choose(const profile_rule *rules, int ranks, uint64_t bytes)
{
    int is_power = (ranks & (ranks - 1)) == 0;

    for (;; rules++)
        if (is_below((uint64_t)ranks, rules->ranks) && (is_power || !rules->only_powers))
            for (unsigned i = 0; i < RULE_STEPS && rules->step[i].bytes; i++)
                if (is_below(bytes, rules->step[i].bytes))
                    return rules->step[i].way;
}
