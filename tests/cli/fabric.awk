# SPDX-License-Identifier: BSD-3-Clause
# Prints what ibnetdiscover would for a list of links: FROM PORT TO PORT RATE [ONLY], one a line.
# Names with an adapter (node1/mlx5_0) are adapters, others switches; GUIDs follow the order of
# names from -v base=. ONLY a or b: only that end is listed. -v generic=NAME,...: adapters whose
# driver has not set their description.
function label(n) {
    if (!(n ~ "/")) return n
    if (index("," generic ",", "," n ",")) return "MT4129 ConnectX7   Mellanox Technologies"
    return substr(n, 1, index(n, "/") - 1) " " substr(n, index(n, "/") + 1)
}
function id(n) { return sprintf("%s-%016x", n ~ "/" ? "H" : "S", guid[n]) }
function line(n, p, m, q, rate) {
    text = sprintf("[%d]%s\t\"%s\"[%d]%s\t\t# ", p, n ~ "/" ? sprintf("(%x) ", guid[n] + p) : "", id(m), q, m ~ "/" ? sprintf("(%x) ", guid[m] + q) : "")
    if (n ~ "/") text = text sprintf("lid %d lmc 0 ", lid[n])
    ports[n] = ports[n] text sprintf("\"%s\" lid %d %s\n", label(m), lid[m], rate)
}
function see(n) {
    if (n in guid) return
    order[++count] = n
    guid[n] = base + 16 * count
    lid[n] = count
}
BEGIN { if (!base) base = 1048576 }
!/^#/ && NF >= 5 {
    see($1); see($3)
    if ($6 != "b") line($1, $2, $3, $4, $5)
    if ($6 != "a") line($3, $4, $1, $2, $5)
}
END {
    print "#\n# Topology file: generated on Mon Jun  1 12:00:00 2026\n#"
    for (pass = 0; pass < 2; pass++)
        for (i = 1; i <= count; i++) {
            n = order[i]
            if ((n ~ "/") != pass || !ports[n]) continue
            printf "\nvendid=0x2c9\ndevid=0x%s\nsysimgguid=0x%x\n%sguid=0x%x(%x)\n", pass ? "1017" : "cf08", guid[n], pass ? "ca" : "switch", guid[n], guid[n]
            if (pass) printf "Ca\t2 \"%s\"\t\t# \"%s\"\n", id(n), label(n)
            else printf "Switch\t36 \"%s\"\t\t# \"%s\" base port 0 lid %d lmc 0\n", id(n), n, lid[n]
            printf "%s", ports[n]
        }
}
