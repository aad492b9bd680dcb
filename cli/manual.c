/* SPDX-License-Identifier: BSD-3-Clause */
/* Manual pages, from the same rows as the help. */
#include <string.h>

#include "cli/cli.h"
#include "plugin/policy/policy.h"
#include "request/request.h"
#include "topology-db/db.h"

/* Text with what roff would take for its own made harmless. */
static void put_roff(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++)
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            putc(*text, out);
}

/* Prints roff by a format: %s prints its argument escaped; there are no other conversions. */
static void put(const char *format, ...) TOPOMAP_PRINTF(1, 2);
static void put(const char *format, ...)
{
    va_list texts;

    va_start(texts, format);
    cli_put_escaped(stdout, put_roff, format, texts);
    va_end(texts);
}

static void put_option(const cli_option *o)
{
    printf(".TP\n.B ");
    if (o->alias)
        put("\\-%s, ", o->alias);
    put("\\-\\-%s", o->name);
    if (o->value)
        put(" \\fI%s\\fR", o->value);
    put("\n%s\n", o->help);
}

static void put_options(const cli_command *command)
{
    const cli_option *o;

    for (int expert = 0; expert <= cli_has_experts(command); expert++) {
        if (expert)
            printf(".PP\nExpert options:\n");
        for (int i = 0; (o = cli_option_at(command, i)); i++)
            if (o->expert == expert)
                put_option(o);
    }
}

static void put_command(const cli_command *command, const char *section)
{
    printf(".%s \"topomap %s [OPTION...]%s%s\"\n", section, command->name,
           *command->operands ? " " : "", command->operands);
    put("%s.\n", command->summary);
    put_options(command);
    if (command->text)
        put(".PP\n.nf\n%s.fi\n", command->text);
}

static void put_term(const char *name, const char *help, const char *end,
                     const topomap_graph_option *options)
{
    put(".TP\n.B %s\n%s", name, help);
    printf("%s\n", end);
    for (const topomap_graph_option *o = options; o && o->name; o++)
        put(".RS\n.TP\n.BI \"\\-\\-option \" %s=%s\n%s\n.RE\n", o->name, o->values, o->help);
}

/* Every importer with its options, on the page of db. */
static void put_imports(void)
{
    const topomap_db_importer_row *row;

    printf(".SH IMPORTED FORMATS\n");
    for (size_t i = 0; (row = topomap_db_importers(i)) != NULL; i++)
        put_term(row->name, row->help, ".", row->options);
}

/* Every pattern with its parameters, on the page of formats. */
static void put_patterns(void)
{
    topomap_graph_pattern_param param;
    char grammar[1000];

    printf(".SH PATTERNS\n");
    for (size_t i = 0; topomap_graph_pattern_grammar(i, grammar, sizeof grammar); i++) {
        put_term(grammar, topomap_graph_pattern_row(i)->help, ".", NULL);
        for (size_t k = 0; topomap_graph_pattern_parameter(i, k, &param); k++) {
            put(".br\n\\fI%s\\fR%s%s: %s", param.name, param.values ? "=" : "",
                param.values ? param.values : "", param.help);
            if (param.fallback && *param.fallback)
                put(" (default %s)", param.fallback);
            printf("\n");
        }
    }
    put(".SS Compositions\n.nf\n%s.fi\n", cli_pattern_text);
}

/* Every format of graph files with its options, on the page of graph. */
static void put_formats(void)
{
    const topomap_graph_format *row;

    printf(".SH FORMATS\n");
    for (size_t i = 0; (row = topomap_graph_format_row(i)); i++)
        put_term(row->name, row->help, row->can_write ? "." : " (read only).", row->options);
}

/* Every algorithm with its parameters. */
static void put_algorithms(void)
{
    const topomap_algorithm *row;
    const topomap_parameter *p;

    printf(".SH ALGORITHMS\n");
    for (size_t i = 0; (row = topomap_algorithm_row(i)); i++) {
        put_term(row->name, row->help, ".", NULL);
        put(".br\n%s; on %s\n", row->source, row->machines);
        for (size_t k = 0; (p = topomap_algorithm_parameter(i, k)); k++)
            put(".br\n\\fI%s\\fR=%s: %s\n", p->name, p->value, p->help);
    }
}

/* What `db check` looks for, on the page of db. */
static void put_checks(void)
{
    const topomap_db_check_row *row;

    printf(".SH CHECKS\n");
    for (size_t i = 0; (row = topomap_db_check_row_at(i)); i++) {
        put_term(row->name, row->help, ".", NULL);
        put(".br\nRemedy: %s\n", row->remedy);
    }
}

static int belongs(const cli_command *command, const char *page)
{
    size_t length = strlen(page);

    return strncmp(command->name, page, length) == 0 &&
           (command->name[length] == '\0' || command->name[length] == ' ');
}

static void put_head(const char *page, int section, const char *summary)
{
    const char *volume = section == 1   ? "User Commands"
                         : section == 5 ? "File Formats"
                                        : "System Administration";

    printf(".TH TOPOMAP%s%s %d \"\" \"topomap %s\" \"%s\"\n.SH NAME\ntopomap%s%s \\- ",
           *page ? "\\-" : "", page, section, topomap_version(), volume, *page ? "\\-" : "", page);
    put("%s\n", summary);
}

/* \param counts  where TOPOMAP_DB does; NULL: --db alone goes before it */
static void put_tail(const char *counts)
{
    put(".SH EXIT STATUS\n0 done (warnings included), 1 the answer is no, 2 bad usage, 3 bad "
        "input, 4 anything else.\n"
        ".SH ENVIRONMENT\n.TP\n.B TOPOMAP_DB\nThe topology database where %s.\n"
        ".TP\n.B NO_COLOR\nSet and not empty: no colours, unless \\-\\-color says otherwise.\n"
        ".SH FILES\n.TP\n.I /var/lib/topomap/topology.db\n"
        "The topology database where nothing else is named.\n",
        counts ? counts : "--db does not name it");
}

/* ---- Options of srun, sbatch and salloc ---------------------------------------------------- */

/* Every key of --topomap-options; the graph is none. */
static void put_keys(void)
{
    char takes[160];

    printf(".SH KEYS OF --topomap-options\n");
    for (int k = TOPOMAP_REQUEST_GRAPH + 1; k < TOPOMAP_REQUEST_SETTINGS; k++) {
        const topomap_request_row *row = topomap_request_row_of((enum topomap_request_key)k);

        topomap_request_takes((enum topomap_request_key)k, takes, sizeof takes);
        put(".TP\n.B %s", row->word);
        if (!row->flag)
            put(" \\fR= %s", takes);
        put("\n%s", row->help);
        if (row->fallback && !row->flag)
            printf(" (default %s)", row->fallback);
        printf(".\n");
    }
}

static void put_auto(void)
{
    put(".SH PROGRAMS OF --topomap=auto\n%s\n",
        "Which MPI a program uses is read from the program and its libraries. Interpreters, "
        "bash -c and launch scripts load theirs when they run: the first launch finds out "
        "which one that is, by the profiler of the MPI that --mpi is usual for, and the next "
        "one has the right profiler. What loads none is left alone from then on, until its "
        "script changes or the key profile says to try again; so is what starts a container. "
        "The key mpi says it beforehand. Of a program with MPI linked statically nobody sees "
        "what it sends; one line tells so, once.");
}

/* What the plugin reads, then what tasks see. */
static const char *const variables[][2] = {
    {"TOPOMAP", "off, no, 0 or false switches everything off."},
    {"TOPOMAP_GRAPH", "The graph of steps that name none."},
    {"TOPOMAP_DB", "The topology database, in place of the site's."},
    {"TOPOMAP_PROFILE",
     "The file of a user's own profiling; --topomap=auto profiles nothing then."},
    {"XDG_CACHE_HOME", "Users' own profiles and records are in topomap in it; not set: in "
                       "~/.cache/topomap."},
    {"TOPOMAP_APPLIED, TOPOMAP_PLAN_ID, TOPOMAP_GAIN",
     "For the tasks: whether they were placed, by which plan, and percent gained."},
    {"TOPOMAP_MASTER_ADDR", "For the tasks of a placed step: the node of rank 0."},
    {"TOPOMAP_GPU", "For a task that is bound next to a GPU of its own: its number on the node, as "
                    "Slurm counts."},
    {"TOPOMAP_NIC", "For tasks, with the key nic: the nearest NIC."},
    {"TOPOMAP_BINDINGS, TOPOMAP_SPOOL",
     "For the tasks: the CPUs that the plan binds them to, or the file that has them; "
     "topomap-verify(1) reads them."},
};

static int put_job_options(void)
{
    put_head("srun", 1, "what topomap adds to the options of srun, sbatch and salloc");
    printf(".SH SYNOPSIS\n.B srun\n[\\-\\-topomap=\\fIWHAT\\fR] "
           "[\\-\\-topomap\\-options=\\fIKEY=VALUE,...\\fR]\n"
           "[\\-\\-topomap\\-explain[=\\fIFILE\\fR]] \\fIPROGRAM\\fR [\\fIARGUMENT...\\fR]\n.br\n"
           ".B srun\n\\-\\-distribution=topomap[:\\fISOCKET\\fR[:\\fICORE\\fR]] \\fIPROGRAM\\fR\n"
           ".SH OPTIONS\n.TP\n.B \\-m, \\-\\-distribution=topomap\\fR[:\\fISOCKET\\fR[:\\fICORE"
           "\\fR]]\nThe same as \\-\\-topomap=on; with SOCKET the inside of nodes is left to "
           "Slurm. Also as SLURM_DISTRIBUTION.\n");
#define PUT(which, name, value, has_value, help)                                                   \
    put((has_value) == 2 ? ".TP\n.B \\-\\-%s\\fR[=\\fI%s\\fR]\n%s.\n"                              \
                         : ".TP\n.B \\-\\-%s\\fR=\\fI%s\\fR\n%s.\n",                               \
        name, value, help);
    POLICY_OPTIONS(PUT)
#undef PUT
    put_keys();
    put_auto();
    printf(".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        put_term(variables[i][0], variables[i][1], "", NULL);
    printf(".SH SEE ALSO\n.BR topomap (1),\n.BR topomap\\-why (1),\n"
           ".BR topomap\\-profile (1),\n.BR srun (1)\n");
    return CLI_DONE;
}

/* ---- Files, and what administrators run ---------------------------------------------------- */

static int put_policy_file(void)
{
    static const char *const own[][2] = {
        {"Rule=NAME", "Begins a rule. What stands behind it on the line is the rule's."},
        {"Mode=on|off|auto|only-when-asked",
         "Whether steps that it fits are placed. auto: those whose graph is known, and MPI "
         "programs, whose first launch is profiled. only-when-asked is what default= of "
         "topomap-plugin(8) is where nothing is said."},
        {"Pattern=PATTERN", "The graph, as a pattern of topomap-formats(1)."},
        {"Force=yes|KEY,...", "What users' options do not change: all that the rule sets, or these "
                              "of its keys. TOPOMAP=off and --topomap=off always work."}};
    char takes[160];

    put_head("policy", 5, "a site's rules of which steps topomap places, and how");
    put(".SH DESCRIPTION\n%s\n.SH RULES\n",
        "The file that policy= of topomap-plugin(8) names, in the style of slurm.conf: rules, "
        "one a line, of words NAME=VALUE, whose names are taken in capital and small letters; "
        "the first one that fits a step applies. Users' options win, but over what Force "
        "names. A # outside quotes begins a comment, a backslash at the end of a line "
        "continues it. topomap policy check finds mistakes, and tells which rule a job gets.");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        put_term(own[i][0], own[i][1], "", NULL);
    printf(".SH CONDITIONS\nA rule without any fits each step.\n");
    for (int fact = 0; fact < POLICY_FACTS; fact++)
        put_term(policy_fact_name((enum policy_fact)fact),
                 fact == POLICY_NODES || fact == POLICY_TASKS
                     ? "A count or a range: 4, 2-16, 64-, -8"
                     : "Names with wildcards, separated by commas",
                 ".", NULL);
    printf(".SH KEYS\n");
    for (int k = 0; k < TOPOMAP_REQUEST_SETTINGS; k++) {
        const topomap_request_row *row = topomap_request_row_of((enum topomap_request_key)k);

        if (!row->rule)
            continue;
        topomap_request_takes((enum topomap_request_key)k, takes, sizeof takes);
        put(".TP\n.B %s\n%s: %s.\n", row->rule, row->flag ? "yes or no" : takes, row->help);
    }
    printf(".SH SEE ALSO\n.BR topomap\\-policy (1),\n.BR topomap\\-srun (1),\n"
           ".BR topomap\\-plugin (8)\n");
    return CLI_DONE;
}

static int put_graph_files(void)
{
    put_head("graph-formats", 5, "files of communication graphs that topomap reads and writes");
    put(".SH DESCRIPTION\n%s\n",
        "A graph says how many bytes, and messages where they are known, each rank sends each "
        "other one. Every command and option that takes a graph takes a file of one of these "
        "formats, which topomap finds by the file's contents, then by its name, unless --from "
        "names it. Files may be packed by xz or zstd. topomap graph convert makes one of another.");
    put_formats();
    printf(".SH SEE ALSO\n.BR topomap\\-graph (1),\n.BR topomap\\-formats (1),\n"
           ".BR topomap\\-tmg (5)\n");
    return CLI_DONE;
}

static const char before_site[] = "--db does not name it; it goes before db= of plugstack.conf";

/* Pages that are not those of a command in section 1, and those that go by more than --db. */
static const struct made_page {
    const char *page, *title, *command;
    int section;
    int (*put)(void);
    const char *counts; /* put_tail() */
} made_pages[] = {
    {"srun", "srun", NULL, 1, put_job_options, NULL},
    {"policy.5", "policy", NULL, 5, put_policy_file, NULL},
    {"graph-formats.5", "graph-formats", NULL, 5, put_graph_files, NULL},
    {"run", "run", "run", 1, NULL, before_site},
    {"doctor.8", "doctor", "doctor", 8, NULL, before_site},
    {"refresh.8", "refresh", "db refresh", 8, NULL,
     "neither --db nor the configuration's db names it"},
};

/* What pages of several commands are about. */
static const char *const groups[][2] = {
    {"graph", "look at communication graphs, make, convert and change them"},
    {"db", "fill topology databases, look at what is in them, check, compare and export it"},
    {"profile", "look at the profiles that --topomap=auto has kept, and remove them"},
};

static const char *summary_of(const char *page, const cli_command *first)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strcmp(groups[i][0], page) == 0)
            return groups[i][1];
    return first->summary;
}

static const struct made_page *made_page_of(const char *page)
{
    for (size_t i = 0; i < sizeof made_pages / sizeof *made_pages; i++)
        if (strcmp(made_pages[i].page, page) == 0)
            return &made_pages[i];
    return NULL;
}

int cli_manual(const char *page)
{
    const struct made_page *made = made_page_of(page);
    const char *command = made ? made->command : page;
    int found = 0;

    if (made && made->put)
        return made->put();

    if (*page == '\0') {
        put_head("", 1, "place MPI ranks where they talk cheapest");
        printf(".SH SYNOPSIS\n.B topomap\n.I COMMAND\n[OPTION...] [OPERAND...]\n.SH COMMANDS\n");
        for (const cli_command_row *row = cli_commands; row->command; row++) {
            if (row == cli_commands || row[-1].group != row->group)
                printf(".SS %s\n", cli_group_titles[row->group]);
            printf(".TP\n.B %s\n", row->command->name);
            put("%s\n", row->command->summary);
        }
        put_tail(NULL);
        return CLI_DONE;
    }
    for (const cli_command_row *row = cli_commands; row->command; row++) {
        if (!belongs(row->command, command))
            continue;
        if (!found++) {
            put_head(made ? made->title : page, made ? made->section : 1,
                     summary_of(page, row->command));
            printf(".SH COMMANDS\n");
        }
        put_command(row->command, "SS");
    }
    if (!found) {
        fprintf(stderr, "topomap: no command '%s'; see `topomap help`\n", page);
        return CLI_USAGE;
    }
    if (strcmp(page, "db") == 0) {
        put_imports();
        put_checks();
    }
    if (strcmp(page, "formats") == 0)
        put_patterns();
    if (strcmp(page, "graph") == 0)
        put_formats();
    if (strcmp(page, "algorithms") == 0)
        put_algorithms();
    put_tail(made ? made->counts : NULL);
    return CLI_DONE;
}
