# SPDX-License-Identifier: BSD-3-Clause
# Writes the simulator net file of a fabric (ibsim's format: one block a node, blocks separated by
# an empty line; a port line names the other end and, after `#`, the link's width and speed).
# Input: -v spec=SPEC. Output: the net file; -v facts=FILE gets `engine`, `switches`, `hosts`, and
# for a 3D torus the opensm torus-2QoS configuration in FILE.torus.
#
# Both ends of every link are written: the speed belongs to the end. Switches come first, since
# the simulator attaches at the first node of the file.

function fail(message)
{
    print message > "/dev/stderr"
    failed = 1
    exit 3
}

function number(key, fallback)
{
    if (!(key in value))
        return fallback
    used[key] = 1
    if (value[key] !~ /^[0-9]+$/ || value[key] + 0 > 4096)
        fail("fabric: " key "=" value[key] " is not a number up to 4096")
    return value[key] + 0
}

function add_switch(name)
{
    switch_of[switches] = name
    ports[name] = 0
    return switches++
}

function port_line(from, port, to, to_port)
{
    line[from, port] = "[" port "]\t\"" to "\"[" to_port "]\t# lid 0 4x" speed
    if (port > ports[from])
        ports[from] = port
}

function link(a, port_a, b, port_b)
{
    port_line(a, port_a, b, port_b)
    port_line(b, port_b, a, port_a)
}

function gcd(a, b)
{
    return b ? gcd(b, a % b) : a
}

# The first step from 0.618 n upwards that visits all of 0..n-1: neighbours in the order of names
# are then far apart in the fabric.
function stride(n, s)
{
    s = int(n * 0.618 + 0.5)
    while (gcd(s, n) != 1)
        s++
    return s
}

# `leaf[0..leaves-1]` take `per` hosts each on their ports 1..per; names in a row along a leaf, or
# dealt round the leaves by the stride.
function add_hosts(leaves, per,    total, width, step, i, name, where, place)
{
    total = leaves * per
    width = length(total "") < 2 ? 2 : length(total "")
    step = scatter ? stride(leaves) : 1
    for (i = 0; i < total; i++) {
        where = scatter ? (i * step) % leaves : int(i / per)
        name = sprintf("%s%0" width "d HCA-1", prefix, i + 1)
        place = ++filled[where]
        link(leaf[where], place, name, 1)
        host_of[hosts++] = name
    }
}

function fat_tree2(leaves, per, spines,    l, s, name)
{
    if (leaves < 1 || per < 1 || spines < 1 || (per + spines) > 64 || leaves > 64)
        fail("fabric: fat-tree needs 1 to 64 leaves, and hosts + spines of 1 to 64")
    for (s = 0; s < spines; s++)
        add_switch(sprintf("spine%02d", s + 1))
    for (l = 0; l < leaves; l++) {
        leaf[l] = sprintf("leaf%02d", l + 1)
        add_switch(leaf[l])
        for (s = 0; s < spines; s++)
            link(leaf[l], per + 1 + s, sprintf("spine%02d", s + 1), l + 1)
    }
    add_hosts(leaves, per)
}

# The k-ary fat tree: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 core switches.
function fat_tree3(k,    half, p, e, a, c, edge, agg, core)
{
    if (k % 2 || k < 2 || k > 24)
        fail("fabric: fat-tree with levels=3 needs an even k from 2 to 24")
    half = k / 2
    for (c = 0; c < half * half; c++)
        add_switch(sprintf("core%03d", c + 1))
    for (p = 0; p < k; p++)
        for (a = 0; a < half; a++) {
            agg = sprintf("agg%02d-%02d", p + 1, a + 1)
            add_switch(agg)
            for (c = 0; c < half; c++)
                link(agg, half + 1 + c, sprintf("core%03d", a * half + c + 1), p + 1)
        }
    for (p = 0; p < k; p++)
        for (e = 0; e < half; e++) {
            edge = sprintf("edge%02d-%02d", p + 1, e + 1)
            add_switch(edge)
            leaf[p * half + e] = edge
            for (a = 0; a < half; a++)
                link(edge, half + 1 + a, sprintf("agg%02d-%02d", p + 1, a + 1), e + 1)
        }
    add_hosts(k * half, half)
}

function torus_name(id,    d, name, rest)
{
    name = ""
    rest = id
    for (d = dims; d >= 1; d--) {
        name = "_" (rest % size[d]) name
        rest = int(rest / size[d])
    }
    return "sw" name
}

function torus(per,    n, d, id, step, position, next_id)
{
    n = 1
    for (d = 1; d <= dims; d++) {
        if (size[d] !~ /^[0-9]+$/ || size[d] < 1 || size[d] > 64)
            fail("fabric: a torus dimension is a number from 1 to 64")
        n *= size[d]
    }
    if (n > 1024 || per < 1 || per > 16)
        fail("fabric: torus needs up to 1024 switches and 1 to 16 hosts a switch")
    for (id = 0; id < n; id++) {
        leaf[id] = torus_name(id)
        add_switch(leaf[id])
    }
    for (id = 0; id < n; id++) {
        step = 1
        for (d = dims; d >= 1; d--) {
            position = int(id / step) % size[d]
            next_id = id + (position == size[d] - 1 ? -position : 1) * step
            # Two switches in a dimension have one link, not a double one.
            if (size[d] > 2 || (size[d] == 2 && position == 0))
                link(leaf[id], per + 2 * d - 1, leaf[next_id], per + 2 * d)
            step *= size[d]
        }
    }
    add_hosts(n, per)
}

# opensm numbers switch GUIDs in the file's order from 0x200000, so the seed links of torus-2QoS
# are known beforehand. It wants the minus links too where a dimension has four switches.
function torus_2qos(    file)
{
    file = facts ".torus"
    printf "torus %d %d %d\n", size[1], size[2], size[3] > file
    printf "xp_link 0x200000 0x%x\n", 2097152 + size[2] * size[3] > file
    printf "xm_link 0x200000 0x%x\n", 2097152 + (size[1] - 1) * size[2] * size[3] > file
    printf "yp_link 0x200000 0x%x\n", 2097152 + size[3] > file
    printf "ym_link 0x200000 0x%x\n", 2097152 + (size[2] - 1) * size[3] > file
    printf "zp_link 0x200000 0x%x\n", 2097152 + 1 > file
    printf "zm_link 0x200000 0x%x\n", 2097152 + size[3] - 1 > file
    printf "x_dateline 0\ny_dateline 0\nz_dateline 0\n" > file
    close(file)
}

function print_net(    i, p, name, parts)
{
    for (i = 0; i < switches; i++) {
        name = switch_of[i]
        printf "Switch\t%d \"%s\"\n", ports[name], name
        for (p = 1; p <= ports[name]; p++)
            if ((name, p) in line)
                print line[name, p]
        print ""
    }
    for (i = 0; i < hosts; i++) {
        name = host_of[i]
        printf "Hca\t1 \"%s\"\n%s\n\n", name, line[name, 1]
    }
}

BEGIN {
    switches = hosts = 0
    colon = index(spec, ":")
    kind = colon ? substr(spec, 1, colon - 1) : spec
    words = split(colon ? substr(spec, colon + 1) : "", word, ",")
    for (i = 1; i <= words; i++) {
        equals = index(word[i], "=")
        if (equals)
            value[substr(word[i], 1, equals - 1)] = substr(word[i], equals + 1)
        else if (kind == "torus" && i == 1 || kind == "ring" && i == 1 && word[i] !~ /x/)
            dims = split(word[i], size, "x")
        else
            fail("fabric: `" word[i] "' in " spec " is not key=value")
    }
    scatter = number("scatter", 0)
    speed = "speed" in value ? value["speed"] : "EDR"
    prefix = "prefix" in value ? value["prefix"] : "node"
    used["speed"] = used["prefix"] = 1
    if (speed !~ /^(SDR|DDR|QDR|FDR10|FDR|EDR|HDR)$/)
        fail("fabric: speed is one of SDR DDR QDR FDR10 FDR EDR HDR (the simulator knows no other)")
    if (prefix !~ /^[a-z][a-z0-9-]*$/ || length(prefix) > 32)
        fail("fabric: prefix is a short word of small letters, digits and dashes")

    engine = "ftree"
    if (kind == "fat-tree" && number("levels", 2) == 3) {
        fat_tree3(number("k", 4))
    } else if (kind == "fat-tree" && number("levels", 2) == 2) {
        k = number("k", 8)
        fat_tree2(number("leaves", k), number("hosts", k / 2), number("spines", k / 2))
    } else if ((kind == "torus" || kind == "ring") && dims) {
        torus(number("hosts", 1))
        # torus-2QoS needs three dimensions that really wrap; dor serves the others.
        engine = dims == 3 && size[1] > 2 && size[2] > 2 && size[3] > 2 ? "torus-2QoS" : "dor"
    } else
        fail("fabric: " spec " is none of fat-tree:leaves=L,hosts=H,spines=S " \
             "fat-tree:k=K,levels=3 torus:XxYxZ ring:N")
    for (key in value)
        if (!(key in used))
            fail("fabric: " kind " has no option `" key "'")

    print_net()
    printf "engine=%s\nswitches=%d\nhosts=%d\nports=%d\n", engine, switches, hosts,
        66 * switches + 2 * hosts > facts
    if (engine == "torus-2QoS")
        torus_2qos()
}
