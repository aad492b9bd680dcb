# SPDX-License-Identifier: BSD-3-Clause
# Makes a fabric's switches bridges and its links veth pairs: batches for ip, bridge and tc.
#
#   awk -v rate=BITS/S -v slow="NAME,PORT,BITS/S ..." -v dir=DIR -f network.awk NAMES DUMP LFTS
#
# NAMES has a node's name a line, DUMP is what ibnetdiscover printed, LFTS what dump_lfts did. Only what lies
# on a route between two of the nodes is made. The fastest link gets `rate`, the others their share by
# what the dump says; `slow` says it of single links, both ways. Files in DIR:
#   links, routes, rates    for ip, bridge and tc, in the fabric's network namespace
#   NAME.rates, NAME.links  for the node's own, where its interface is called fab0
#   order                   nodes in the order of their switches and ports
#   table                   what was made: from port to port bits/s interface
#   fastest                 the data rate of the fastest link by the dump, Mb/s, whose place `rate` takes
#
# A bridge's forwarding entries are the switch's routing table: for each host's address the port that the table
# has for the host's LID. Bridges learn nothing and flood nothing, and nodes have each other's addresses
# beforehand, so that loops are no harm and no packet takes another way.

function fail(message)
{
    print "testbed: " message > "/dev/stderr"
    failed = 1
    exit 3
}

# "4xEDR": the data rate in Mb/s, as lib/fabric/infiniband.c has it.
function mbps(link,    part)
{
    if (split(link, part, "x") != 2 || !(part[2] in lane))
        return 0
    return part[1] * lane[part[2]] * (part[2] ~ /^[SDQ]DR$/ ? 0.8 : 1)
}

function quoted(text, n,    part)
{
    split(text, part, "\"")
    return part[2 * n]
}

function is_node(description,    word)
{
    split(description, word, " ")
    sub(/\..*/, "", word[1])
    word[1] = tolower(word[1])
    return word[1] in number ? word[1] : ""
}

# `[port]...  "id"[port]...`: sets far, far_port; false where the line is none of a link.
function read_port(line)
{
    if (line !~ /^\[[0-9]+\]/ || !match(line, /"[SH]-[0-9a-f]+"\[[0-9]+\]/))
        return 0
    far = substr(line, RSTART + 1, RLENGTH - 2)
    far_port = far
    sub(/".*/, "", far)
    sub(/.*\[/, "", far_port)
    near_port = substr(line, 2) + 0
    return 1
}

FILENAME == ARGV[1] {
    number[$1] = nodes
    name_of[nodes++] = $1
    next
}

FILENAME == ARGV[2] && /^Switch[ \t]/ {
    id = quoted($0, 1)
    is_switch[id] = 1
    label[id] = quoted($0, 2)
    host = ""
    next
}

FILENAME == ARGV[2] && /^(Ca|Rt)[ \t]/ {
    id = quoted($0, 1)
    host = is_node(quoted($0, 2))
    next
}

FILENAME == ARGV[2] && read_port($0) {
    far_end[id, near_port] = far
    far_number[id, near_port] = far_port + 0
    speed[id, near_port] = mbps($NF)
    if (host == "" || host in lid)
        next
    # A port of a host: its LID and the switch. One port carries the traffic, the first.
    match($0, /# lid [0-9]+/)
    lid[host] = substr($0, RSTART + 6, RLENGTH - 6) + 0
    port_of[host] = near_port
    id_of[host] = id
    node_at[id] = host
    label[id] = host
    next
}

FILENAME == ARGV[3] && /^Unicast lids/ {
    match($0, /guid 0x[0-9a-f]+/)
    table = substr($0, RSTART + 7, RLENGTH - 7)
    while (length(table) < 16)
        table = "0" table
    table = "S-" table
    next
}

FILENAME == ARGV[3] && /^0x[0-9a-f]+ [0-9]+ / {
    out[table, substr($1, 3)] = $2 + 0
}

function hex4(value)
{
    return sprintf("%04x", value)
}

# Follows the tables from the switch of one node to another node, and notes what is passed.
function follow(from, to,    at, port, hops, key)
{
    at = far_end[id_of[from], port_of[from]]
    use_link(id_of[from], port_of[from])
    for (hops = 0; at != id_of[to]; hops++) {
        if (at in node_at || hops > 64)
            fail("the routing tables do not lead from " from " to " to)
        key = hex4(lid[to])
        if (!((at, key) in out))
            fail("the routing table of " label[at] " does not have LID " lid[to] " (" to ")")
        port = out[at, key]
        if (!((at, port) in far_end))
            fail("the routing table of " label[at] " leads " to " to port " port ", which has no link")
        use_link(at, port)
        forward[at, to] = port
        at = far_end[at, port]
    }
}

function use_link(id, port,    other, other_port)
{
    if ((id, port) in used)
        return
    other = far_end[id, port]
    other_port = far_number[id, port]
    used[id, port] = used[other, other_port] = 1
    first[links] = id
    first_port[links] = port
    second[links] = other
    second_port[links++] = other_port
    use_switch(id)
    use_switch(other)
    if (speed[id, port] > fastest)
        fastest = speed[id, port]
}

function use_switch(id)
{
    if (!(id in is_switch) || id in bridge)
        return
    bridge[id] = "s" bridges++
    print "link add " bridge[id] " type bridge stp_state 0 mcast_snooping 0" > (dir "/links")
    print "link set " bridge[id] " up" > (dir "/links")
}

# The interface at one end: s3p17, or n5 until node 5 takes it.
function interface(id, port)
{
    return id in bridge ? bridge[id] "p" port : "n" number[node_at[id]]
}

# Packets that wait for a link wait for ever (no link of such a fabric drops them): the queue is longer than
# all senders' windows. A burst of 1 ms lets a link keep its rate where the machine is late to serve it; a link
# that was idle passes that much at once.
function shape(id, port, bits, file,    burst)
{
    burst = bits * 0.001 / 8
    burst = burst < 2 * mtu ? 2 * mtu : int(burst)
    printf "qdisc add dev %s root tbf rate %dbit burst %d limit 67108864\n", file ? "fab0" : interface(id, port),
        bits, burst > (file ? file : dir "/rates")
    printf "%s %d %s %d %d %s\n", label[id], port, label[far_end[id, port]], far_number[id, port], bits,
        file ? "fab0" : interface(id, port) > (dir "/table")
}

function plug(id, port)
{
    if (!(id in bridge))
        return
    print "link set " interface(id, port) " master " bridge[id] > (dir "/links")
    print "link set " interface(id, port) " type bridge_slave learning off flood off mcast_flood off" > (dir "/links")
    print "link set " interface(id, port) " up" > (dir "/links")
}

function address(node)
{
    return sprintf("02:00:00:00:%02x:%02x", int(node / 256), node % 256)
}

function make_link(l,    bits, i, end, port)
{
    printf "link add %s mtu %d%s type veth peer name %s mtu %d%s\n", interface(first[l], first_port[l]), mtu,
        hardware(first[l]), interface(second[l], second_port[l]), mtu, hardware(second[l]) > (dir "/links")
    plug(first[l], first_port[l])
    plug(second[l], second_port[l])
    for (i = 0; i < 2; i++) {
        end = i ? second[l] : first[l]
        port = i ? second_port[l] : first_port[l]
        bits = speed[end, port] ? rate * speed[end, port] / fastest : rate
        if ((end, port) in slowed)
            bits = slowed[end, port]
        shape(end, port, bits, end in node_at ? dir "/" node_at[end] ".rates" : "")
    }
}

function hardware(id)
{
    return id in node_at ? " address " address(number[node_at[id]]) : ""
}

# "leaf01,5,10000000": both ends of the link.
function slow_down(word,    part, id, port, found)
{
    if (split(word, part, ",") != 3)
        fail("--slow " word " is not NAME,PORT,RATE")
    port = part[2] + 0
    for (id in label)
        if (label[id] == part[1] && (id, port) in used) {
            slowed[id, port] = slowed[far_end[id, port], far_number[id, port]] = part[3]
            found++
        }
    if (!found)
        fail("--slow: " part[1] " has no port " part[2] " with a link that the nodes' routes use")
}

# Static addresses of all others, and the way to them.
function node_links(node,    i)
{
    for (i = 0; i < nodes; i++)
        if (i != node)
            printf "neigh add 10.77.%d.%d lladdr %s dev fab0 nud permanent\n", int(i / 250), i % 250 + 1, address(i) > \
                (dir "/" name_of[node] ".links")
}

BEGIN {
    mtu = 4096
    lane["SDR"] = 2500; lane["DDR"] = 5000; lane["QDR"] = 10000; lane["FDR10"] = 10312; lane["FDR"] = 14062
    lane["EDR"] = 25781; lane["HDR"] = 53125; lane["NDR"] = 106250; lane["XDR"] = 212500
    nodes = links = bridges = 0
}

END {
    if (failed)
        exit 3
    for (i = 0; i < nodes; i++)
        if (!(name_of[i] in lid) || !((far_end[id_of[name_of[i]], port_of[name_of[i]]]) in is_switch))
            fail(name_of[i] " hangs on no switch")
    for (i = 0; i < nodes; i++)
        for (j = 0; j < nodes; j++)
            if (i != j)
                follow(name_of[i], name_of[j])
    print fastest > (dir "/fastest")
    words = split(slow, word, " ")
    for (i = 1; i <= words; i++)
        slow_down(word[i])
    for (i = 0; i < links; i++)
        make_link(i)
    for (i = 0; i < nodes; i++) {
        node_links(i)
        for (id in bridge)
            if ((id, name_of[i]) in forward)
                printf "fdb add %s dev %s master static\n", address(i),
                    interface(id, forward[id, name_of[i]]) > (dir "/routes")
        id = id_of[name_of[i]]
        printf "%s %d %s\n", label[far_end[id, port_of[name_of[i]]]], far_number[id, port_of[name_of[i]]],
            name_of[i] > (dir "/places")
    }
}
