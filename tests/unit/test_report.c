/* Templates of a report: what they say of values, what they refuse, and that those of data/report name nothing unknown, on
 * any branch. */
#include "report/reproduce.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int set_up(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/hb_report_XXXXXX");
  return mkdtemp(folder) && chdir(folder) == 0 && mkdir("data", 0777) == 0 && mkdir("figures", 0777) == 0
             ? 0
             : -1;
}

static int tear_down(void **state)
{
  (void)state;
  char command[128];
  unsetenv("HB_REPORT_DIR");
  snprintf(command, sizeof command, "rm -r %s", folder);
  return chdir("/") == 0 ? system(command) : -1;
}

/* ---- the language ---- */

static cJSON *values;

static void give_values(void)
{
  values = cJSON_CreateObject();
  hb_values_number(values, "n", 1024);
  hb_values_number(values, "error", 1.2345e-6);
  hb_values_number(values, "nothing", NAN);
  hb_values_word(values, "device", "<b>A & B</b>");
  hb_values_word(values, "empty", "");
  hb_values_markup(values, "svg", "<svg/>");
  hb_values_list(values, "none", "name");
  hb_values_list(values, "two", "name");
  hb_values_word(hb_values_row(values, "two"), "name", "a");
  hb_values_word(hb_values_row(values, "two"), "name", "b");
}

static enum hb_status fill(const char *template, struct hb_draft *html)
{
  FILE *file = fopen("page.html", "w");
  assert_non_null(file);
  fputs(template, file);
  fclose(file);
  setenv("HB_REPORT_DIR", ".", 1);
  give_values();
  *html = (struct hb_draft){0};
  hb_template_put("page.html", values, html);
  cJSON_Delete(values);
  return html->status;
}

static void assert_fills(const char *template, const char *expected)
{
  struct hb_draft html;
  ASSERT_OK(fill(template, &html));
  assert_string_equal(html.text.text ? html.text.text : "", expected);
  hb_draft_clear(&html);
}

static void assert_refused(const char *template, const char *reason)
{
  struct hb_draft html;
  ASSERT_FAILS(fill(template, &html), HB_ERR_INPUT, reason);
  hb_draft_clear(&html);
}

static void words_and_numbers(void **state)
{
  (void)state;
  assert_fills("N = {{n}}, {{nothing}}, {{device}}, {{svg}}",
               "N = 1024, &ndash;, &lt;b&gt;A &amp; B&lt;/b&gt;, <svg/>");
  assert_fills("{{error:2}}", "<span class=\"n\">1.2&thinsp;&times;&thinsp;10<sup>&minus;6</sup></span>");
}

static void branches_and_lists(void **state)
{
  (void)state;
  assert_fills(
      "{{#if n}}a{{/if}}{{#if nothing}}b{{else}}c{{/if}}{{#if not empty}}d{{/if}}{{#if none}}e{{/if}}",
      "acd");
  assert_fills(
      "{{#if n > 1000}}a{{/if}}{{#if n < error}}b{{/if}}{{#if n = 1024}}c{{/if}}{{#if nothing > 0}}d{{/if}}",
      "ac");
  assert_fills("{{#each two}}{{#if index > 0}}, {{/if}}{{name}}{{/each}}{{#each none}}{{name}}{{/each}}",
               "a, b");
  assert_fills("<ul>\n  {{#each two}}\n<li>{{name}}</li>\n  {{/each}}\n</ul>\n",
               "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n");
}

static void mistakes(void **state)
{
  (void)state;
  assert_refused("\n{{m}}", "report template page.html:2: unknown name 'm'");
  assert_refused("{{#if empty}}{{m}}{{/if}}", "page.html:1: unknown name 'm'");
  assert_refused("{{#each none}}{{m}}{{/each}}", "page.html:1: unknown name 'm'");
  assert_refused("{{#if n > m}}{{/if}}", "page.html:1: unknown name 'm'");
  assert_refused("{{#each n}}{{/each}}", "page.html:1: unknown list 'n'");
  assert_refused("{{#if n}}{{/each}}", "a block does not end here with '/if'");
  assert_refused("{{#if n}}", "a block does not end here with '/if'");
  assert_refused("{{/if}}", "there is nothing to end here: '/if'");
  assert_refused("{{n", "this tag has no end");
  assert_refused("{{two}}", "this is not a value: 'two'");
  assert_refused("{{> page.html}}", "templates include each other: 'page.html'");
}

/* ---- the design ---- */

static enum hb_status begin_with(const char *design, struct hb_report *report)
{
  FILE *file = fopen("report.json", "w");
  assert_non_null(file);
  fputs(design, file);
  fclose(file);
  setenv("HB_REPORT_DIR", ".", 1);
  enum hb_status status = hb_report_begin(report);
  unsetenv("HB_REPORT_DIR");
  return status;
}

static void mistakes_in_the_design(void **state)
{
  (void)state;
  struct hb_reproduction r = {.out = folder, .longest_s = 4, .n_least = 16, .n_most = 64};
  struct hb_report report;
  unsigned lacks;
  ASSERT_FAILS(begin_with("{", &report), HB_ERR_INPUT, "report.json");
  ASSERT_FAILS(begin_with("[1]", &report), HB_ERR_INPUT, "report.json");
  ASSERT_OK(begin_with(
      "{\"words\": {\"nothing\": [\"\"]}, \"figures\": [{\"section\": \"fig1\", \"name\": \"fig1\", "
      "\"curves\": [{\"each\": \"nobody\"}]}]}",
      &report));
  ASSERT_OK(hb_reproduce_plan_probes(&r, 0));
  hb_reproduce_fill(&r, ~0u, &report);
  ASSERT_FAILS(hb_report_save(&report, "report.html", &lacks), HB_ERR_INPUT, "there are no words 'nobody'");
  hb_report_clear(&report);
  hb_reproduce_clear(&r);
  remove("report.json");
}

/* ---- data/report ---- */

/* Without any job's output every number is missing: each name must be there nevertheless. */
static void every_section(void **state)
{
  (void)state;
  struct hb_reproduction r = {.out = folder, .longest_s = 4, .n_least = 16, .n_most = 64};
  struct hb_report report;
  unsigned lacks;
  unsetenv("HB_REPORT_DIR");
  ASSERT_OK(hb_report_begin(&report));
  ASSERT_OK(hb_reproduce_plan_probes(&r, 0));
  hb_reproduce_fill(&r, ~0u, &report);
  ASSERT_OK(report.html.status);
  for (size_t k = 0; hb_sections[k].name; k++) {
    char heading[160];
    snprintf(heading, sizeof heading, "<h3 id=\"%s\">%s</h3>", hb_sections[k].name, hb_sections[k].title);
    assert_non_null(strstr(report.html.text.text, heading));
  }
  assert_null(strstr(report.html.text.text, "{{"));
  ASSERT_OK(hb_report_save(&report, "report.html", &lacks));
  expect_above(lacks, 20);
  hb_report_clear(&report);
  hb_reproduce_clear(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_and_numbers), cmocka_unit_test(branches_and_lists),
      cmocka_unit_test(mistakes),          cmocka_unit_test(mistakes_in_the_design),
      cmocka_unit_test(every_section),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
