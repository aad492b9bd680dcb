/* SPDX-License-Identifier: BSD-3-Clause */
/* Specifications of made machines: KIND:WORD,WORD..., a word being key=value, the first one also a
 * shape such as 8x8x8. The items of fault= are separated by commas too: name:number. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "topology-db/synth/synth.h"

int synth_fail(const struct synth_spec *spec, topomap_error *err, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return topomap_error_set(err, TOPOMAP_EUSAGE, "%.100s: %s", spec->text, text);
}

static int add_word(struct synth_spec *spec, const char *word, size_t length, int *fault,
                    topomap_error *err)
{
    const char *equals = memchr(word, '=', length), *colon = memchr(word, ':', length);
    size_t key = equals ? (size_t)(equals - word) : 0, value = length - key - (equals != NULL);
    struct synth_word *now = &spec->word[spec->words];

    if (!equals && !spec->words && !*spec->shape && length < sizeof spec->shape && !colon) {
        memcpy(spec->shape, word, length);
        return 0;
    }
    if (spec->words == SYNTH_WORDS)
        return synth_fail(spec, err, "more than %d words", SYNTH_WORDS);
    if (equals)
        *fault = key == 5 && memcmp(word, "fault", 5) == 0;
    else if (!colon || !*fault)
        return synth_fail(spec, err, "'%.*s' is not key=value", (int)(length < 40 ? length : 40),
                          word);
    if (key >= sizeof now->key || value >= sizeof now->value || !value)
        return synth_fail(spec, err, "'%.*s' is not key=value, or too long",
                          (int)(length < 40 ? length : 40), word);
    memcpy(now->key, equals ? word : "fault", equals ? key : 5);
    memcpy(now->value, word + length - value, value);
    spec->words++;
    return 0;
}

int synth_spec_parse(const char *text, struct synth_spec *spec, topomap_error *err)
{
    size_t kind = strcspn(text, ":");
    const char *at = text + kind + (text[kind] == ':');
    int fault = 0;

    *spec = (struct synth_spec){.text = text};
    if (!kind || kind >= sizeof spec->kind)
        return synth_fail(spec, err, "expected KIND:WORD,WORD...");
    memcpy(spec->kind, text, kind);
    while (*at) {
        size_t length = strcspn(at, ",");

        if (add_word(spec, at, length, &fault, err))
            return -1;
        at += length;
        if (*at && !*++at)
            return synth_fail(spec, err, "ends with a comma");
    }
    for (size_t i = 0; i < spec->words; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(spec->word[i].key, spec->word[j].key) == 0 &&
                strcmp(spec->word[i].key, "fault") != 0)
                return synth_fail(spec, err, "%s= is there twice", spec->word[i].key);
    return 0;
}

const char *synth_value(struct synth_spec *spec, const char *key)
{
    for (size_t i = 0; i < spec->words; i++)
        if (strcmp(spec->word[i].key, key) == 0) {
            spec->word[i].used = 1;
            return spec->word[i].value;
        }
    return NULL;
}

static int read_number(const char *text, size_t length, uint32_t *number)
{
    uint64_t n = 0;

    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)text[i]) || n > UINT32_MAX / 10)
            return -1;
        n = n * 10 + (uint64_t)(text[i] - '0');
    }
    *number = (uint32_t)n;
    return length ? 0 : -1;
}

int synth_number(struct synth_spec *spec, const char *key, uint32_t least, uint32_t most,
                 uint32_t fallback, uint32_t *number, topomap_error *err)
{
    const char *text = synth_value(spec, key);

    *number = fallback;
    if (text && (read_number(text, strlen(text), number) || *number < least || *number > most))
        return synth_fail(spec, err, "%s=%s: expected a number from %u to %u", key, text, least,
                          most);
    return 0;
}

int synth_list(const struct synth_spec *spec, const char *text, uint32_t *list, uint32_t most,
               uint32_t *count, topomap_error *err)
{
    const char *at = text;

    for (*count = 0; at && *at; ++*count) {
        size_t length = strcspn(at, "x");

        if (*count == most || read_number(at, length, &list[*count]) || !list[*count] ||
            list[*count] > SYNTH_LIDS || (at[length] && !at[length + 1]))
            return synth_fail(spec, err,
                              "'%s': expected up to %u numbers from 1 with an x between them", text,
                              most);
        at += length + (at[length] != 0);
    }
    return 0;
}

int synth_finish(const struct synth_spec *spec, topomap_error *err)
{
    if (*spec->shape && !spec->shaped)
        return synth_fail(spec, err, "'%s' is not key=value", spec->shape);
    for (size_t i = 0; i < spec->words; i++)
        if (!spec->word[i].used)
            return synth_fail(spec, err,
                              "%s has no %s= here; `topomap help db synth` lists the "
                              "words",
                              spec->kind, spec->word[i].key);
    return 0;
}
