/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/policy/policy.h"
#include "util/alloc.h"
#include "util/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST = 1 << 20, RULES_MOST = 4096 };

static const char *const modes[POLICY_MODES] = {"off", "only-when-asked", "auto", "on"};

static const char *const facts[POLICY_FACTS] = {"partition", "account", "qos",   "user", "group",
                                                "program",   "mpi",     "nodes", "tasks"};

int policy_mode_read(const char *word, enum policy_mode *mode)
{
    for (int i = 0; i < POLICY_MODES; i++)
        if (!strcasecmp(word, modes[i])) {
            *mode = (enum policy_mode)i;
            return 0;
        }
    return -1;
}

const char *policy_mode_name(enum policy_mode mode)
{
    return modes[mode];
}

const char *policy_fact_name(enum policy_fact fact)
{
    return facts[fact];
}

/* ---- Mistakes ---------------------------------------------------------------------------- */

struct reader {
    policy *policy;
    unsigned line;     /* of the rule; the first one where it is continued */
    policy_rule *rule; /* being read, or NULL */
    int force_all;     /* Force=yes */
    void (*problem)(const char *text);
    topomap_error *err; /* the first mistake */
    int failed;
};

static void mistake(struct reader *r, const char *format, ...) TOPOMAP_PRINTF(2, 3);

static void mistake(struct reader *r, const char *format, ...)
{
    char text[256];
    topomap_error all;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    topomap_error_set(&all, TOPOMAP_EINPUT, "%.200s:%u: %s", r->policy->path, r->line, text);
    if (!r->failed++)
        *r->err = all;
    if (r->problem)
        r->problem(all.text);
}

static char *copy(struct reader *r, const char *text)
{
    char *made = topomap_strdup(text, r->err);

    r->failed |= !made;
    return made;
}

/* ---- Words of a rule --------------------------------------------------------------------- */

static int is_range(const char *value)
{
    size_t low = strspn(value, "0123456789"), high;

    if (!value[low])
        return low > 0 && low < 10;
    high = value[low] == '-' ? strspn(value + low + 1, "0123456789") : 0;
    return value[low] == '-' && !value[low + 1 + high] && low + high > 0 && low < 10 && high < 10;
}

/* "16-2" fits no step. */
static int is_backwards(const char *range)
{
    const char *dash = strchr(range, '-');

    return dash && dash != range && dash[1] &&
           strtoul(dash + 1, NULL, 10) < strtoul(range, NULL, 10);
}

static void read_fact(struct reader *r, enum policy_fact fact, const char *value)
{
    if (r->rule->wants[fact])
        mistake(r, "%s is given twice in rule '%s'", facts[fact], r->rule->name);
    else if (!*value)
        mistake(r, "%s has no value", facts[fact]);
    else if ((fact == POLICY_NODES || fact == POLICY_TASKS) && !is_range(value))
        mistake(r, "%s takes a count or a range such as 4, 2-16, 64-, -8, not '%s'", facts[fact],
                value);
    else if ((fact == POLICY_NODES || fact == POLICY_TASKS) && is_backwards(value))
        mistake(r, "%s=%s is no range: the first number is the smaller one", facts[fact], value);
    else
        r->rule->wants[fact] = copy(r, value);
}

static void read_mode(struct reader *r, const char *value)
{
    if (r->rule->has_mode)
        mistake(r, "Mode is given twice in rule '%s'", r->rule->name);
    else if (policy_mode_read(value, &r->rule->mode))
        mistake(r, "Mode is on, off, auto or only-when-asked, not '%s'", value);
    r->rule->has_mode = 1;
}

static void read_setting(struct reader *r, enum topomap_request_key key, const char *value)
{
    const topomap_request_row *row = topomap_request_row_of(key);
    char takes[160];

    topomap_request_takes(key, takes, sizeof takes);
    if (r->rule->settings.value[key])
        mistake(r, "%s is given twice in rule '%s'",
                key == TOPOMAP_REQUEST_GRAPH ? "a graph or pattern" : row->rule, r->rule->name);
    else if (policy_set(&r->rule->settings, key, value, POLICY_BY_RULE))
        mistake(r, "%s=%s makes no sense: it takes %s", row->rule, value,
                row->flag ? "yes or no" : takes);
}

/* Steps start in any folder. */
static void read_graph(struct reader *r, const char *value)
{
    if (*value != '/')
        mistake(r,
                "Graph takes the whole path of a file, not '%s' (Pattern=stencil2d:... for a "
                "pattern)",
                value);
    else
        read_setting(r, TOPOMAP_REQUEST_GRAPH, value);
}

static void read_pattern(struct reader *r, const char *value)
{
    if (*value == '/' || !strchr(value, ':'))
        mistake(r, "Pattern takes a pattern such as stencil2d:5:48x32, not '%s'", value);
    else
        read_setting(r, TOPOMAP_REQUEST_GRAPH, value);
}

/* Returns the key whose name in rules is \p name, or TOPOMAP_REQUEST_SETTINGS if no key has it. */
static int key_of(const char *name)
{
    int key = 0;

    for (; key < TOPOMAP_REQUEST_SETTINGS; key++) {
        const char *own = topomap_request_row_of((enum topomap_request_key)key)->rule;

        if (own && !strcasecmp(name, own))
            break;
    }
    return key;
}

static void force_one(struct reader *r, const char *name)
{
    int key = key_of(strcasecmp(name, "Pattern") ? name : "Graph");

    if (!strcasecmp(name, "Mode"))
        r->rule->force |= POLICY_FORCE_MODE;
    else if (key < TOPOMAP_REQUEST_SETTINGS)
        r->rule->force |= 1u << key;
    else
        mistake(r, "Force takes yes, no, or names of what the rule sets, not '%s'", name);
}

static void read_force(struct reader *r, const char *value)
{
    char name[32];

    if (!strcasecmp(value, "yes")) {
        r->force_all = 1;
        return;
    }
    while (strcasecmp(value, "no") != 0 && *value) {
        size_t length = strcspn(value, ",");

        snprintf(name, sizeof name, "%.*s", (int)length, value);
        force_one(r, name);
        value += length + (value[length] != 0);
    }
}

static const struct {
    const char *name;
    void (*read)(struct reader *r, const char *value);
} words[] = {
    {"Mode", read_mode},
    {"Force", read_force},
    {"Graph", read_graph},
    {"Pattern", read_pattern},
};

static void read_word(struct reader *r, const char *name, const char *value)
{
    int key = key_of(name);

    for (int fact = 0; fact < POLICY_FACTS; fact++)
        if (!strcasecmp(name, facts[fact])) {
            read_fact(r, (enum policy_fact)fact, value);
            return;
        }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(name, words[i].name)) {
            words[i].read(r, value);
            return;
        }
    if (key < TOPOMAP_REQUEST_SETTINGS)
        read_setting(r, (enum topomap_request_key)key, value);
    else
        mistake(r, "'%s' is not known", name);
}

/* ---- Rules ------------------------------------------------------------------------------- */

static int begin_rule(struct reader *r, const char *name)
{
    policy *p = r->policy;

    for (size_t i = 0; i < p->rules; i++)
        if (!strcmp(p->rule[i].name, name))
            mistake(r, "rule '%s' is already in line %u", name, p->rule[i].line);
    if (!*name)
        mistake(r, "a rule needs a name: Rule=NAME");
    if (p->rules == RULES_MOST) {
        mistake(r, "more than %d rules", RULES_MOST);
        return -1;
    }
    if (topomap_grow(&p->rule, &p->room, p->rules + 1, sizeof *p->rule, r->err)) {
        r->failed = 1;
        return -1;
    }
    r->rule = &p->rule[p->rules++];
    *r->rule = (policy_rule){.line = r->line, .name = copy(r, name)};
    return r->rule->name ? 0 : -1;
}

static unsigned what_is_set(const policy_rule *rule)
{
    unsigned set = rule->has_mode ? POLICY_FORCE_MODE : 0;

    for (int key = 0; key < TOPOMAP_REQUEST_SETTINGS; key++)
        set |= rule->settings.value[key] ? 1u << key : 0;
    return set;
}

static void end_rule(struct reader *r)
{
    policy_rule *rule = r->rule;
    unsigned set = what_is_set(rule);

    if (!set)
        mistake(r, "rule '%s' sets nothing", rule->name);
    else if (r->force_all)
        rule->force = set;
    else if (rule->force & ~set)
        mistake(r, "rule '%s' forces what it does not set", rule->name);
}

/* Cuts the next word off *text, with its quotes removed. A '#' outside quotes ends the line.
 * \return NULL at the end */
static char *next_word(struct reader *r, char **text)
{
    char *from = *text + strspn(*text, " \t\r"), *to = from, *word = from;
    int quoted = 0;

    if (!*from || *from == '#') {
        *text += strlen(*text);
        return NULL;
    }
    for (; *from && (quoted || !strchr(" \t\r#", *from)); from++) {
        if (*from == '"')
            quoted = !quoted;
        else
            *to++ = *from;
    }
    *text = *from == '#' ? from + strlen(from) : from + (*from != 0);
    *to = 0;
    if (quoted)
        mistake(r, "a quote (\") is not closed");
    return word;
}

/* One rule. */
static void read_line(struct reader *r, char *line)
{
    int before = r->failed;
    char *word;

    r->rule = NULL;
    r->force_all = 0;
    while (!(r->failed && !r->problem) && (word = next_word(r, &line)) != NULL) {
        char *equals = strchr(word, '=');

        if (!equals) {
            mistake(r, "expected Key=value, found '%s'", word);
            continue;
        }
        *equals = 0;
        if (r->rule) {
            read_word(r, word, equals + 1);
        } else if (strcasecmp(word, "Rule") != 0) {
            mistake(r, "a line begins with Rule=NAME, not with %s=", word);
            return;
        } else if (begin_rule(r, equals + 1)) {
            return;
        }
    }
    if (r->rule && r->failed == before)
        end_rule(r);
}

/* ---- The file ---------------------------------------------------------------------------- */

/* The whole text, NUL-terminated. */
static char *load(const char *path, topomap_error *err)
{
    struct stat status;
    TOPOMAP_CLOSED int fd = topomap_untrusted_open(AT_FDCWD, path, O_RDONLY, &status);
    char *text = NULL;
    ssize_t size = -1;

    if (fd < 0)
        topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: %s", path, topomap_untrusted_why(&status));
    else if (status.st_size > FILE_MOST)
        topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: not a plain file of 1 MiB at most", path);
    else if ((text = topomap_alloc((size_t)status.st_size + 1, 1, err)) != NULL)
        size = read(fd, text, (size_t)status.st_size);
    if (!text || (size >= 0 && strlen(text) == (size_t)size))
        return text;
    topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: %s", path,
                      size < 0 ? strerror(errno) : "not a text");
    free(text);
    return NULL;
}

/* Does a line end in '\', before a carriage return or not? The end of a comment does not count, as
 * in slurm.conf, where comments go first (_get_next_line in src/common/parse_config.c). */
static int is_continued(const char *line, const char *end)
{
    int quoted = 0;

    for (const char *c = line; c < end; c++) {
        if (*c == '"')
            quoted = !quoted;
        else if (*c == '#' && !quoted)
            return 0;
    }
    if (end > line && end[-1] == '\r')
        end--;
    return end > line && end[-1] == '\\';
}

/* Joins lines that end in '\'; *text moves past what was taken. */
static char *next_line(struct reader *r, char **text, unsigned *lines)
{
    char *line = *text, *end;

    if (!*line)
        return NULL;
    r->line = *lines + 1;
    for (end = line;; end++) {
        char *from = end;

        end += strcspn(end, "\n");
        ++*lines;
        if (!*end || !is_continued(from, end))
            break;
        end[end[-1] == '\r' ? -2 : -1] = end[0] = ' ';
    }
    *text = end + (*end != 0);
    *end = 0;
    return line;
}

int policy_read(const char *path, policy *read, void (*problem)(const char *text),
                topomap_error *err)
{
    policy made = {0};
    struct reader r = {.policy = &made, .problem = problem, .err = err};
    char *text = load(path, err), *rest = text, *line;
    unsigned lines = 0;

    if (!text)
        return -1;
    if (!strncmp(text, "\xef\xbb\xbf", 3)) /* what some editors put before a text */
        rest += 3;
    made.path = copy(&r, path);
    while (made.path && !(r.failed && !problem) && (line = next_line(&r, &rest, &lines)) != NULL)
        read_line(&r, line);
    free(text);
    if (r.failed) {
        policy_clear(&made);
        return -1;
    }
    *read = made;
    return 0;
}

void policy_clear(policy *policy)
{
    for (size_t i = 0; i < policy->rules; i++) {
        free(policy->rule[i].name);
        for (int fact = 0; fact < POLICY_FACTS; fact++)
            free(policy->rule[i].wants[fact]);
        policy_settings_clear(&policy->rule[i].settings);
    }
    free(policy->rule);
    free(policy->path);
    memset(policy, 0, sizeof *policy);
}
