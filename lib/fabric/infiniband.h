/* SPDX-License-Identifier: BSD-3-Clause */
/* What the database keeps of InfiniBand in its own terms: kinds of vertices, states of ports,
 * speeds, and what descriptions of adapters say. */
#ifndef TOPOMAP_DB_IB_NAMES_H
#define TOPOMAP_DB_IB_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum ib_kind {
    IB_SWITCH,
    IB_ADAPTER,
    IB_ROUTER,
    IB_AGGREGATION, /* an in-network reduction engine: an adapter that no host has */
    IB_OTHER,       /* of unknown type */
    IB_HOST,        /* a host that the source itself names, with no GUID; text is its name */
};

/** The logical state of a port or link, as PortInfo has it (InfiniBand specification 14.2.5.6). */
enum ib_state { IB_STATE_UNKNOWN, IB_DOWN, IB_INIT, IB_ARMED, IB_ACTIVE };

/** Per-lane signalling rates in Mb/s by speed code, and whether 8b/10b coding takes a fifth.
 *  Ends with name == NULL; row 0 is "???". */
struct ib_speed {
    const char *name;
    uint32_t mbps;
};
enum { IB_SPEEDS = 9 };
extern const struct ib_speed ib_speeds[IB_SPEEDS + 2];

/** Row of a speed by its name, or by its rate in Gb/s a lane as opensm and ibdiagnet write it
 *  ("2.5", "14", "25"); 0 where it is neither. The text ends after \p length. */
uint8_t ib_speed_named(const char *text, size_t length);
uint8_t ib_speed_of_rate(const char *text, size_t length);

/** Usable Mb/s of a link; 0 where its width or speed is unknown. */
uint32_t ib_mbps(uint32_t width, uint32_t speed);

/** The host that an adapter's description names: its first word where the second one is an
 *  adapter's name, or its only word; 0 where there is none (a driver that has not renamed
 *  its adapter, "MT4129 ConnectX7 ...").
 *  \param host  [size] */
int ib_host_name(const char *description, char *host, size_t size);
/** The adapter's name in it ("mlx5_0"), likewise. */
int ib_adapter_name(const char *description, char *adapter, size_t size);
/** Whether an adapter is an in-network aggregation engine. */
int ib_is_aggregation(const char *description, uint32_t device);

#endif
