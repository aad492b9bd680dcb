/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/picture/picture.h"

/* Five points of viridis (van der Walt and Smith, matplotlib 2.0, CC0), straight lines between. */
picture_rgb picture_colour_of(double strength)
{
    static const picture_rgb point[] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    enum { LAST = sizeof point / sizeof *point - 1 };
    double at = (strength < 0 ? 0 : strength > 1 ? 1 : strength) * LAST;
    int i = at >= LAST ? LAST - 1 : (int)at;
    double part = at - i;

#define BETWEEN(c) (unsigned char)(point[i].c + part * (point[i + 1].c - point[i].c) + 0.5)
    return (picture_rgb){BETWEEN(r), BETWEEN(g), BETWEEN(b)};
#undef BETWEEN
}
