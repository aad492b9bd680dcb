/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/unit/messages.h"
#include "xml/xml.h"

/* The events as text: "a(x=1 )" where one opens, "/a" where it closes. */
static int told(const char *source, char *out, topomap_error *err)
{
    char *text = strdup(source);
    topomap_xml xml;
    int event;

    *out = 0;
    topomap_xml_begin(&xml, "file", text);
    while ((event = topomap_xml_next(&xml, err)) > 0) {
        sprintf(out + strlen(out), event == TOPOMAP_XML_OPEN ? "%s(" : "/%s ", xml.name);
        for (uint32_t i = 0; event == TOPOMAP_XML_OPEN && i < xml.attributes; i++)
            sprintf(out + strlen(out), "%s=%s ", xml.attribute[i].name, xml.attribute[i].value);
        if (event == TOPOMAP_XML_OPEN)
            strcat(out, ")");
    }
    free(text);
    return event;
}

static void elements(void **state)
{
    char out[512];
    topomap_error err;

    (void)state;
    assert_int_equal(
        told("<?xml version='1.0'?>\n<!DOCTYPE a>\n<!-- <b> -->text<a x = \"1\" y='&lt;2 "
             "&amp;&quot;'>\n<![CDATA[<no>]]><b/><c z=\"\"></c>\n</a>\n",
             out, &err),
        0);
    assert_string_equal(out, "a(x=1 y=<2 &\" )b()/b c(z= )/c /a ");
    assert_int_equal(told("", out, &err), 0);
}

/* What an element holds, where it closes: without blanks around it, decoded, after what is inside.
 */
static void texts(void **state)
{
    char text[] = "<a><b> 1 &lt; 2\n</b><c/><d></d>rest<e x='y'/> </a>", out[128] = "";
    topomap_xml xml;
    topomap_error err;
    int event;

    (void)state;
    topomap_xml_begin(&xml, "file", text);
    while ((event = topomap_xml_next(&xml, &err)) > 0)
        if (event == TOPOMAP_XML_CLOSE)
            sprintf(out + strlen(out), "%s(%s)", xml.name, xml.text);
    assert_int_equal(event, 0);
    assert_string_equal(out, "b(1 < 2)c()d()e()a()");
}

static void broken(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"<a>\n<b>", "file:2:|<b>"},
        {"<a>\n</b>", "file:2:|</b>"},
        {"</a>", "</a>"},
        {"<a", "cut inside <a"},
        {"<a x", "'x'"},
        {"<a x=1>", "value"},
        {"<a x=\"1>\n</a>", "'x'"},
        {"<a =\"1\">", "attribute"},
        {"<>", "element"},
        {"<a><!-- ", "'-->'"},
        {"<a></a x>", "expected '>'"},
    };
    char out[512], deep[1024] = "";
    topomap_error err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(told(bad[i].text, out, &err), -1);
        if (!message_has(err.text, bad[i].says))
            fail_msg("'%s' does not say '%s'", err.text, bad[i].says);
    }
    for (int i = 0; i < 70; i++)
        strcat(deep, "<a>");
    assert_int_equal(told(deep, out, &err), -1);
    assert_message(err.text, "elements");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements), cmocka_unit_test(texts),
                                       cmocka_unit_test(broken)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
