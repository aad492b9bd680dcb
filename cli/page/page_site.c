/* SPDX-License-Identifier: BSD-3-Clause */
/* The site's report: collects the results of launches, and reads each user's records with that
 * user's rights. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/page/page.h"
#include "cli/page/page_site.h"
#include "cli/subprocess.h"
#include "util/full_io.h"

enum { MILLISECONDS = 30000, NOBODY = 65534 };

/* Who writes a record writes what is parsed: it is done with that user's rights. */
static int become(uid_t uid)
{
    const struct passwd *user;
    gid_t gid;

    if (geteuid() != 0)
        return 0;
    user = getpwuid(uid);
    gid = user ? user->pw_gid : NOBODY;
    return setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid) ? -1 : 0;
}

/* Whose records, and where. */
struct user {
    int folder;
    uid_t uid;
    const char *store;
    int64_t now;
};

static int read_as_user(void *site, void *with)
{
    const struct user *user = with;

    setenv("XDG_CACHE_HOME", "/nonexistent", 1); /* the site's store alone */
    if (become(user->uid))
        return -1;
    page_site_read_user(user->folder, user->store, user->now, site);
    return 0;
}

/* Adds what the process of one user returned: that process cannot change the sums of others. */
static void add(const page_site *from, page_site *to)
{
    to->users += from->users;
    to->records += from->records;
    to->bad += from->bad;
    to->placed += from->placed;
    to->stayed += from->stayed;
    to->failed += from->failed;
    to->ranks += from->ranks;
    to->gain += from->gain;
    to->searched += from->searched;
    if (from->searched_most > to->searched_most)
        to->searched_most = from->searched_most;
    for (int i = 0; i < SITE_BINS; i++)
        to->bin[i] += from->bin[i];
    for (int i = 0; i < SITE_REASONS; i++)
        to->reason[i] += from->reason[i];
    for (int i = 0; i < SITE_DAYS; i++) {
        to->day_placed[i] += from->day_placed[i];
        to->day_other[i] += from->day_other[i];
    }
    to->profiles += from->profiles;
    to->compared += from->compared;
    to->faster += from->faster;
    to->slower += from->slower;
    to->faster_percent += from->faster_percent;
}

static void read_user(struct user *user, page_site *site)
{
    page_site own = {.users = 1};

    switch (cli_call_in_child(read_as_user, user, &own, sizeof own, MILLISECONDS)) {
    case CLI_CHILD_DONE:
        add(&own, site);
        break;
    case CLI_CHILD_LATE:
        site->late++;
        break;
    default:
        site->shut++;
    }
}

/* A folder that another has made under a user's number is not read for that user: what is in it
 * would be parsed with the user's rights, root's for one. */
static int open_folder(int records, const char *name, uid_t uid)
{
    int folder = openat(records, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;

    if (folder >= 0 && (fstat(folder, &status) != 0 || status.st_uid != uid)) {
        close(folder);
        return -1;
    }
    return folder;
}

int page_site_read(const char *records, const char *store, int64_t now, page_site *site,
                   topomap_error *err)
{
    TOPOMAP_CLOSED_DIR DIR *list = opendir(records);
    const struct dirent *row;

    *site = (page_site){0};
    if (!list)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: %s", records, strerror(errno));
    while ((row = readdir(list))) {
        const uid_t uid = (uid_t)strtoul(row->d_name, NULL, 10);
        TOPOMAP_CLOSED int folder =
            cli_is_digits(row->d_name, 10) ? open_folder(dirfd(list), row->d_name, uid) : -1;

        if (folder >= 0)
            read_user(&(struct user){folder, uid, store, now}, site);
        else
            site->shut += (uint64_t)cli_is_digits(row->d_name, 10);
    }
    return 0;
}

/* ---- Prometheus -------------------------------------------------------------------------- */

static void put_help(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP topomap_%s %s\n# TYPE topomap_%s %s\n", name, help, name, type);
}

static void put_gauge(FILE *out, const char *name, const char *help, double value)
{
    put_help(out, name, "gauge", help);
    fprintf(out, "topomap_%s %.10g\n", name, value);
}

static void put_gains(FILE *out, const page_site *site)
{
    uint64_t sum = 0;

    put_help(out, "gain_percent", "histogram", "Gain of placed steps, as planned.");
    for (int i = 0; i < SITE_BINS; i++) {
        sum += site->bin[i];
        if (i < SITE_BINS - 1)
            fprintf(out, "topomap_gain_percent_bucket{le=\"%d\"} %" PRIu64 "\n",
                    (i + 1) * 100 / SITE_BINS, sum);
    }
    fprintf(out,
            "topomap_gain_percent_bucket{le=\"+Inf\"} %" PRIu64
            "\ntopomap_gain_percent_sum %.10g\ntopomap_gain_percent_count %" PRIu64 "\n",
            sum, site->gain, sum);
}

void page_site_prom(FILE *out, const page_site *site)
{
    const char *word;

    put_help(out, "steps", "gauge", "Steps that there are records of, by what became of them.");
    fprintf(out,
            "topomap_steps{result=\"placed\"} %" PRIu64 "\ntopomap_steps{result=\"left\"} %" PRIu64
            "\ntopomap_steps{result=\"failed\"} %" PRIu64 "\n",
            site->placed, site->stayed, site->failed);
    put_help(out, "steps_not_placed", "gauge", "Steps that were not placed, by the reason.");
    for (size_t i = 0; (word = page_site_reason(i, NULL)); i++)
        fprintf(out, "topomap_steps_not_placed{reason=\"%s\"} %" PRIu64 "\n", word,
                site->reason[i]);
    put_gains(out, site);
    put_gauge(out, "search_seconds", "Time that searches took, all records.", site->searched);
    put_gauge(out, "search_seconds_most", "The longest search.", site->searched_most);
    put_gauge(out, "records_unreadable", "Files that are no records.", (double)site->bad);
    put_gauge(out, "users_unreadable", "Users' folders that could not be read, or not in time.",
              (double)(site->shut + site->late));
    put_help(out, "programs_measured", "gauge",
             "Programs with enough timed runs of both layouts, by verdict.");
    fprintf(out,
            "topomap_programs_measured{result=\"faster\"} %" PRIu64
            "\ntopomap_programs_measured{result=\"slower\"} %" PRIu64
            "\ntopomap_programs_measured{result=\"noise\"} %" PRIu64 "\n",
            site->faster, site->slower, site->compared - site->faster - site->slower);
}

/* ---- HTML -------------------------------------------------------------------------------- */

static void put_card(FILE *out, const char *name, const char *value, const char *more)
{
    fprintf(out, "<div class=\"card\"><span>%s</span><b>%s</b><span>%s</span></div>\n", name, value,
            more);
}

static void put_cards(FILE *out, const page_site *site)
{
    uint64_t within = site->compared - site->faster - site->slower;
    char value[64], more[160];

    fputs("<div class=\"cards\">\n", out);
    snprintf(value, sizeof value, "%" PRIu64, site->placed);
    snprintf(more, sizeof more, "of %" PRIu64 " steps, %" PRIu64 " ranks", site->records,
             site->ranks);
    put_card(out, "placed", value, more);
    snprintf(value, sizeof value, "%.1f %%", site->placed ? site->gain / (double)site->placed : 0);
    put_card(out, "mean gain", value, "as planned, of placed steps");
    snprintf(value, sizeof value, "%" PRIu64, site->faster);
    snprintf(more, sizeof more,
             "programs measured faster, by %.1f %% in the mean; %" PRIu64 " slower, %" PRIu64
             " within the noise",
             site->faster ? site->faster_percent / (double)site->faster : 0, site->slower, within);
    put_card(out, "measured", value, more);
    snprintf(value, sizeof value, "%.3g s", site->searched);
    snprintf(more, sizeof more, "all searches; the longest %.3g s", site->searched_most);
    put_card(out, "time spent", value, more);
    fputs("</div>\n", out);
}

static void put_row(FILE *out, const char *name, uint64_t count, uint64_t most, const char *class)
{
    fprintf(out,
            "<tr><th scope=\"row\">%s</th><td class=\"n\">%" PRIu64
            "</td><td style=\"width:60%%\"><div class=\"bar %s\" style=\"width:%.1f%%\"></div></td>"
            "</tr>\n",
            name, count, class, most ? 100.0 * (double)count / (double)most : 0);
}

static uint64_t most_of(const uint64_t *count, size_t counts)
{
    uint64_t most = 0;

    for (size_t i = 0; i < counts; i++)
        most = count[i] > most ? count[i] : most;
    return most;
}

static void begin_table(FILE *out, const char *title, const char *caption, const char *what)
{
    fprintf(
        out,
        "<section><h2>%s</h2><table><caption>%s</caption><thead><tr><th scope=\"col\">%s</th><th "
        "scope=\"col\" class=\"n\">steps</th><td></td></tr></thead><tbody>\n",
        title, caption, what);
}

static void end_table(FILE *out)
{
    fputs("</tbody></table></section>\n", out);
}

static void put_gain_table(FILE *out, const page_site *site)
{
    char name[32];

    begin_table(out, "Gains", "Placed steps by what they gain as planned", "percent");
    for (int i = 0; i < SITE_BINS; i++) {
        snprintf(name, sizeof name, "%d to %d", i * 100 / SITE_BINS, (i + 1) * 100 / SITE_BINS);
        put_row(out, name, site->bin[i], most_of(site->bin, SITE_BINS), "after");
    }
    end_table(out);
}

static void put_reasons(FILE *out, const page_site *site)
{
    const char *words;

    begin_table(out, "Left alone", "Steps that were not placed", "why");
    for (size_t i = 0; page_site_reason(i, &words); i++)
        if (site->reason[i])
            put_row(out, words, site->reason[i], most_of(site->reason, SITE_REASONS), "before");
    end_table(out);
}

static void put_days(FILE *out, const page_site *site, int64_t now)
{
    uint64_t most = most_of(site->day_placed, SITE_DAYS),
             other = most_of(site->day_other, SITE_DAYS);
    char name[32];

    begin_table(out, "Days", "Placed steps of the last days", "day (UTC)");
    for (int i = 0; i < SITE_DAYS; i++) {
        time_t when = (time_t)(now - (int64_t)(SITE_DAYS - 1 - i) * 86400);
        struct tm parts;

        if (!site->day_placed[i] && !site->day_other[i])
            continue;
        if (!gmtime_r(&when, &parts) || !strftime(name, sizeof name, "%Y-%m-%d", &parts))
            snprintf(name, sizeof name, "-");
        put_row(out, name, site->day_placed[i], most > other ? most : other, "after");
    }
    end_table(out);
}

void page_site_html(FILE *out, const page_site *site, int64_t now)
{
    page_begin(out, "What topomap did here", "All steps that there are records of");
    put_cards(out, site);
    put_gain_table(out, site);
    put_reasons(out, site);
    put_days(out, site, now);
    fprintf(out,
            "<p class=\"note\">%" PRIu64 " users' records; %" PRIu64 " folders could not be read, "
            "%" PRIu64 " not in time; %" PRIu64
            " files are no records.</p>\n</main></body></html>\n",
            site->users, site->shut, site->late, site->bad);
}
