/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/unit/messages.h"
#include "xml/xml.h"

/* The events as text: "a(x=1 )" where one opens, "/a[text] " where it closes. */
static int take(const topomap_xml *xml, enum topomap_xml_event event, void *data,
                topomap_error *err)
{
    char *out = data;

    if (strcmp(xml->name, "stop") == 0)
        return topomap_xml_fail(xml, err, "stopped");
    if (event == TOPOMAP_XML_CLOSE) {
        sprintf(out + strlen(out), "/%s[%s] ", xml->name, xml->text);
        return 0;
    }
    sprintf(out + strlen(out), "%s(", xml->name);
    for (const char *const *at = xml->attribute; *at; at += 2)
        sprintf(out + strlen(out), "%s=%s ", at[0], at[1]);
    strcat(out, ")");
    return 0;
}

static int told(const char *source, char *out, topomap_error *err)
{
    *out = 0;
    return topomap_xml_read("file", source, strlen(source), take, out, err);
}

static void elements(void **state)
{
    char out[512];
    topomap_error err;

    (void)state;
    assert_int_equal(told("<?xml version='1.0'?>\n<!DOCTYPE a SYSTEM 'nowhere.dtd'>\n<!-- <b> -->"
                          "<a x = \"1\" y='&lt;2 &amp;&quot;'>\n<b/><c z=\"\"></c>\n</a>\n",
                          out, &err),
                     0);
    assert_string_equal(out, "a(x=1 y=<2 &\" )b()/b[] c(z= )/c[] /a[] ");
    /* What is stopped ends there, an empty element too. */
    assert_int_equal(told("<a>\n<stop/><b></b></a>", out, &err), -1);
    assert_message(err.text, "file:2:|stopped");
    assert_string_equal(out, "a()");
}

/* What an element holds, where it closes: without blanks around it, decoded, after what is inside.
 */
static void texts(void **state)
{
    char out[512];
    topomap_error err;

    (void)state;
    assert_int_equal(
        told("<a><b> 1 &lt; 2\n</b><c/><d><![CDATA[<no>]]></d>rest<e x='y'/> </a>", out, &err), 0);
    assert_string_equal(out, "a()b()/b[1 < 2] c()/c[] d()/d[<no>] e(x=y )/e[] /a[] ");
}

static void broken(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "file:1:"},
        {"<a>\n<b>", "file:2:|<b>"},
        {"<a>\n</b>", "file:2:"},
        {"</a>", "file:1:"},
        {"<a>\n<b", "file:2:|<a>"},
        {"<a x", "file:1:"},
        {"<a x=1>", "file:1:"},
        {"<a x=\"1>\n</a>", "file:"},
        {"<a =\"1\">", "file:1:"},
        {"<>", "file:1:"},
        {"<a>\n<!-- ", "file:2:|<a>"},
        {"<a></a x>", "file:1:"},
        {"<a></a>\n<b></b>", "file:2:"},
        {"<a>&e;</a>", "file:1:"},
        /* Billion laughs (bounded here), a file from elsewhere, and one of parameters. */
        {"<!DOCTYPE a [\n<!ENTITY b \"bb\">\n<!ENTITY c \"&b;&b;\">]>\n<a>&c;</a>", "file:2:|'b'"},
        {"<!DOCTYPE a [\n<!ENTITY p SYSTEM \"/etc/passwd\">]>\n<a>&p;</a>", "file:2:|'p'"},
        {"<!DOCTYPE a [<!ENTITY % q \"x\">]>\n<a/>", "file:1:|'q'"},
        {"<!DOCTYPE a SYSTEM 'nowhere.dtd'>\n<a>&r;</a>", "file:2:|'r'"},
    };
    char out[512], many[1024] = "<a";
    topomap_error err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(told(bad[i].text, out, &err), -1);
        if (!message_has(err.text, bad[i].says))
            fail_msg("'%s' does not say '%s'", err.text, bad[i].says);
    }
    assert_int_equal(topomap_xml_read("file", "<a>\n\0</a>", 9, NULL, NULL, &err), -1);
    assert_message(err.text, "file:2:|NUL");
    for (int i = 0; i < 65; i++)
        sprintf(many + strlen(many), " x%d=''", i);
    strcat(many, "/>");
    assert_int_equal(told(many, out, &err), -1);
    assert_message(err.text, "file:1:|64");
    *many = 0;
    for (int i = 0; i < 70; i++)
        strcat(many, "<a>");
    assert_int_equal(told(many, out, &err), -1);
    assert_message(err.text, "file:1:|64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements), cmocka_unit_test(texts),
                                       cmocka_unit_test(broken)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
