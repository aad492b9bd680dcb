/* SPDX-License-Identifier: BSD-3-Clause */
/* Round-robin tournament: every two of n players meet once, each is in at most one pair a round,
 * and there are n - 1 rounds for even n, n for odd n (each sits out once). The circle method: of
 * the m = n + n mod 2 places one stays and the others turn, so that in round r places p and q with
 * p + q = 2r (mod m - 1) meet, and place r meets the one that stays. */
#pragma once

#include <stdint.h>

#define TOPOMAP_TOURNAMENT_BYE UINT32_MAX

/** Rounds of a whole tournament; 0 where there is nobody to meet. */
static inline uint32_t topomap_tournament_rounds(uint32_t players)
{
    return players < 2 ? 0 : players - 1 + players % 2;
}

/** Whom a player meets in a round, or TOPOMAP_TOURNAMENT_BYE.
 *  \param round   below topomap_tournament_rounds(players)
 *  \param player  below players */
static inline uint32_t topomap_tournament_partner(uint32_t players, uint32_t round, uint32_t player)
{
    uint32_t turning = topomap_tournament_rounds(players), partner;

    if (player == turning)
        return round;
    partner = (uint32_t)((2 * (uint64_t)round + turning - player) % turning);
    if (partner == player)
        partner = turning;
    return partner < players ? partner : TOPOMAP_TOURNAMENT_BYE;
}
