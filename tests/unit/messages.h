/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests check the facts of a message, its sentences are free to change: tests/messages.bash does
 * the same for bats. */
#ifndef TESTS_UNIT_MESSAGES_H
#define TESTS_UNIT_MESSAGES_H

#include <ctype.h>
#include <string.h>

/** Whether the characters beside a token end it: a number is a word of its own, and no other token
 * that begins or ends with a digit is part of a longer number. */
static inline int message_token_ends(const char *text, const char *at, const char *token,
                                     size_t size)
{
    int number = strspn(token, "0123456789.") >= size;
    unsigned char before = at > text ? (unsigned char)at[-1] : ' ', after = (unsigned char)at[size];

    if (isdigit((unsigned char)token[0]) &&
        (isdigit(before) || (number && (isalnum(before) || before == '_')) ||
         (before == '.' && at > text + 1 && isdigit((unsigned char)at[-2]))))
        return 0;
    return !isdigit((unsigned char)token[size - 1]) ||
           !(isdigit(after) || (number && (isalnum(after) || after == '_')) ||
             (after == '.' && isdigit((unsigned char)at[size + 1])));
}

/** Returns 1 if the text contains every token, else 0. A token is a fact, such as FILE:LINE, an
 * option, a name, a number or a key; several are separated by '|'. */
static inline int message_has(const char *text, const char *tokens)
{
    while (*tokens) {
        size_t size = strcspn(tokens, "|");
        const char *at = text;

        for (; *at; at++)
            if (strncmp(at, tokens, size) == 0 && message_token_ends(text, at, tokens, size))
                break;
        if (!*at && size)
            return 0;
        tokens += size + (tokens[size] == '|');
    }
    return 1;
}

/** Fails the test, and shows the text, unless the text contains every token. */
#define assert_message(text, tokens)                                                               \
    do {                                                                                           \
        if (!message_has(text, tokens))                                                            \
            fail_msg("'%s' lacks a token of '%s'", text, tokens);                                  \
    } while (0)

#endif
