# SPDX-License-Identifier: BSD-3-Clause
# Prints the names of the compute hosts of an ibnetdiscover dump, one a line, unsorted: the first
# word of each channel adapter's description where the second word names an adapter. Generic
# descriptions ("MT25408 ConnectX ...") and aggregation nodes have no such second word.
/^Ca[ \t]/ {
    first = index($0, "# \"")
    if (!first)
        next
    description = substr($0, first + 3)
    sub(/"[^"]*$/, "", description)
    if (split(description, word, " ") < 2)
        next
    if (word[2] !~ /^(HCA-[0-9]+|mlx[0-9]+_[0-9]+|hfi[0-9]+_[0-9]+|qib[0-9]+|rocep[A-Za-z0-9]+|ib[A-Za-z0-9]+)$/)
        next
    name = tolower(word[1])
    sub(/\..*/, "", name)
    if (name ~ /^[a-z0-9][a-z0-9_-]*$/)
        print name
}
