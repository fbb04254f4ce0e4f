/* Templates of a report: what they say of values, what they refuse, and that those of data/report name nothing unknown, on
 * any branch. */
#include "support/support.h"

#include "report/reproduce.c"

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

static void give_values(struct values *v)
{
  v->given = cJSON_CreateObject();
  v->records = cJSON_CreateObject();
  set_number(v->given, "n", 1024);
  set_number(v->given, "error", 1.2345e-6);
  set_number(v->given, "nothing", NAN);
  set_word(v->given, "device", "<b>A & B</b>");
  set_word(v->given, "empty", "");
  set_markup(v->given, "svg", "<svg/>");
  add_record(v, "two name=a", NULL);
  add_record(v, "two name=b", NULL);
  for (int k = 1; k <= 3; k++)
    set_number(add_record(v, hb_phrase("run source=tile n=%d", 512 << k), NULL), "wall_s", -k * k);
}

static enum hb_status fill_page(const char *template, struct hb_draft *html)
{
  FILE *file = fopen("page.html", "w");
  struct values values = {0};
  struct page page = {.values = &values};
  assert_non_null(file);
  fputs(template, file);
  fclose(file);
  setenv("HB_REPORT_DIR", ".", 1);
  give_values(&values);
  put_page(&page, "page.html", NULL, NULL, 0);
  *html = page.html;
  close_values(&values);
  return html->status;
}

static void assert_fills(const char *template, const char *expected)
{
  struct hb_draft html;
  ASSERT_OK(fill_page(template, &html));
  assert_string_equal(html.text.text ? html.text.text : "", expected);
  hb_draft_clear(&html);
}

static void assert_refused(const char *template, const char *reason)
{
  struct hb_draft html;
  ASSERT_FAILS(fill_page(template, &html), HB_ERR_INPUT, reason);
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
      "{{#if n}}a{{/if}}{{#if nothing}}b{{else}}c{{/if}}{{#if !empty}}d{{/if}}{{#if count[none *]}}e{{/if}}",
      "acd");
  assert_fills(
      "{{#if n > 1000}}a{{/if}}{{#if n < error}}b{{/if}}{{#if n = 1024}}c{{/if}}{{#if nothing > 0}}d{{/if}}",
      "ac");
  assert_fills("{{#each two}}{{#if index > 0}}, {{/if}}{{.name}}{{/each}}{{#each none}}{{.name}}{{/each}}",
               "a, b");
  assert_fills("<ul>\n  {{#each two}}\n<li>{{.name}}</li>\n  {{/each}}\n</ul>\n",
               "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n");
}

static void expressions(void **state)
{
  (void)state;
  assert_fills("{{1 + 2 * 3 ^ 2}} {{(1 + 2) * 3}} {{-n / 2 + 1}} {{7 - 2 - 1}} {{if(n > 1, 4, "
               "5)}} {{max(nothing, 3)}}",
               "19 9 &minus;511 4 4 3");
  assert_fills("{{!n | n > 1 & n < 2}} {{n = 1024 & !nothing}} {{1 / 3:2}}", "0 1 0.33");
  assert_fills("{{[run source=tile n={n} wall_s]}} {{[run source=tile wall_s]}} {{[run source=bag wall_s]}} "
               "{{[run n={2 * n} wall_s]}} {{[table2: 256: 8800GTX]}}",
               "&minus;1 &minus;9 &ndash; &minus;4 2.708");
  assert_fills("{{least[run wall_s]}} {{mean[run wall_s]:3}} {{gmean[run wall_s]:3}} {{most[run wall_s]}} "
               "{{where[run wall_s]}} {{sum[run n=?0* wall_s]}} {{count[run source=b* *]}} {{mean[none n]}}",
               "1 4.67 3.3 9 4096 14 0 &ndash;");
}

static void mistakes(void **state)
{
  (void)state;
  assert_refused("\n{{m}}", "report template page.html:2: unknown name 'm'");
  assert_refused("{{#if empty}}{{m}}{{/if}}", "page.html:1: unknown name 'm'");
  assert_refused("{{#each none}}{{m}}{{/each}}", "page.html:1: unknown name 'm'");
  assert_refused("{{#if n > m}}{{/if}}", "page.html:1: unknown name 'm'");
  assert_refused("{{#each two}}{{.m}}{{/each}}", "page.html:1: unknown name '.m'");
  assert_refused("{{n + }}", "page.html:1: this is not an expression: 'n + '");
  assert_refused("{{n n}}", "page.html:1: this is not an expression: 'n n'");
  assert_refused("{{f(n)}}", "page.html:1: unknown function 'f'");
  assert_refused("{{last[run n]}}", "page.html:1: unknown function 'last'");
  assert_refused("{{#if n}}{{/each}}", "a block does not end here with '/if'");
  assert_refused("{{#if n}}", "a block does not end here with '/if'");
  assert_refused("{{/if}}", "there is nothing to end here: '/if'");
  assert_refused("{{n", "this tag has no end");
  assert_refused("{{n:0}}", "this is not a value: 'n'");
  assert_refused("{{> page.html}}", "templates include each other: 'page.html'");
}

/* ---- the design ---- */

static enum hb_status open_with(const char *design, struct values *values)
{
  FILE *file = fopen("report.json", "w");
  assert_non_null(file);
  fputs(design, file);
  fclose(file);
  setenv("HB_REPORT_DIR", ".", 1);
  enum hb_status status = open_values(values);
  unsetenv("HB_REPORT_DIR");
  remove("report.json");
  return status;
}

static enum hb_status write_with(const char *design)
{
  struct reproduction r = {.out = folder, .longest_s = 4, .n_most = 64, .chosen = 2};
  struct page page;
  ASSERT_OK(open_with(design, &r.values));
  enum hb_status status = write_pages(&r, &page);
  hb_draft_clear(&page.html);
  close_values(&r.values);
  return status;
}

static void mistakes_in_the_design(void **state)
{
  (void)state;
  struct values values;
  ASSERT_FAILS(open_with("{", &values), HB_ERR_INPUT, "report.json");
  ASSERT_FAILS(open_with("[1]", &values), HB_ERR_INPUT, "report.json");
  ASSERT_FAILS(write_with("{\"derived\": [{\"for\": \"n\", \"in\": \"nobody\", \"do\": []}]}"), HB_ERR_INPUT,
               "report.json: there are no words 'nobody'");
  ASSERT_FAILS(write_with("{\"numbers\": {\"a\": \"b + 1\"}}"), HB_ERR_INPUT, "unknown name 'b'");
}

static const char plan_design[] =
    "{\"records\": {\"source\": [{\"source\": \"cg2007\", \"there\": 1}, {\"source\": \"host\", \"there\": "
    "1}]},"
    "\"words\": {\"numbers\": [\"3\", \"5\"]},"
    "\"begin\": [{\"let\": \"over\", \"be\": \"0\"}],"
    "\"jobs\": [{\"sections\": \"fig1\", \"do\": ["
    "  {\"for\": \"n\", \"from\": \"16\", \"while\": \"!(n > 128)\", \"next\": \"2 * n\", \"do\": ["
    "    {\"job\": \"run source=host n={n}\", \"seconds\": \"n\", \"limit\": \"40\", \"command\": \"run {n "
    "/ 2}\"},"
    "    {\"if\": \"over\", \"stop\": 1}]},"
    "  {\"list\": \"sizes\"}, {\"for\": \"size\", \"in\": \"numbers\", \"do\": [{\"list\": \"sizes\", "
    "\"item\": \"{size}\"}]},"
    "  {\"for\": \"pass\", \"from\": \"0\", \"while\": \"pass < 2\", \"next\": \"pass + 1\", \"do\": ["
    "    {\"for\": \"n\", \"from\": \"128\", \"while\": \"n > 8\", \"next\": \"n / 2\", \"do\": ["
    "      {\"job\": \"fit n={n}\", \"either\": 1, \"seconds\": \"n\", \"limit\": \"pass * longest\", "
    "\"command\": \"fit "
    "{sizes}{place}\"}]}]}]},"
    " {\"sections\": \"fig2\", \"do\": [{\"job\": \"other\", \"command\": \"other\"}]}]}";
static const char *const planned[][3] = {{"run-host-16", "run 8", "0"},
                                         {"run-host-32", "run 16", "0"},
                                         {"run-host-64", "run 32", "1"},
                                         {"fit-32", "fit 3,5 --context egl", "0"}};

/* A loop ends at the first job that is too long, which is left out; of several that would do the first short one is taken; sections
 * that nobody chose have no jobs. */
static void plans(void **state)
{
  (void)state;
  struct reproduction r = {
      .out = folder, .longest_s = 50, .n_most = 64, .chosen = 2, .plans_only = 1, .place.context = "egl"};
  size_t count = 0;
  FILE *file = fopen("report.json", "w");
  assert_non_null(file);
  fputs(plan_design, file);
  fclose(file);
  file = fopen("machine.jsonl", "w");
  assert_non_null(file);
  fputs("{\"kind\": \"machine\", \"name\": \"host\", \"value\": \"ENIAC\"}\n", file);
  fclose(file);
  setenv("HB_REPORT_DIR", ".", 1);
  ASSERT_OK(open_design(&r));
  ASSERT_OK(run_jobs(&r));
  for (const cJSON *job = NULL; (job = next_record(&r.values, job, "job")); count++) {
    char room[64];
    assert_in_range(count, 0, 3);
    assert_string_equal(word_in(job, "name"), planned[count][0]);
    assert_string_equal(word_in(job, "command"), planned[count][1]);
    assert_string_equal(text_in(job, "left_out", room), planned[count][2]);
  }
  assert_int_equal(count, 4);
  close_values(&r.values);
  unsetenv("HB_REPORT_DIR");
}

/* ---- data/report ---- */

/* Without any job's output every number is missing: each name must be there nevertheless. */
static void every_section(void **state)
{
  (void)state;
  struct reproduction r = {.out = folder, .longest_s = 4, .n_most = 64, .chosen = ~0u};
  struct page page;
  unsetenv("HB_REPORT_DIR");
  ASSERT_OK(open_design(&r));
  ASSERT_OK(write_pages(&r, &page));
  char *text;
  size_t length;
  ASSERT_OK(hb_file_read("report.html", &text, &length));
  for (size_t k = 0; all_sections[k].name; k++) {
    char heading[160];
    snprintf(heading, sizeof heading, "<h3 id=\"%s\">%s</h3>", all_sections[k].name, all_sections[k].title);
    assert_non_null(strstr(text, heading));
  }
  assert_null(strstr(text, "{{"));
  expect_above(page.lacks, 20);
  hb_mem_free(text);
  close_values(&r.values);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_and_numbers),
      cmocka_unit_test(branches_and_lists),
      cmocka_unit_test(expressions),
      cmocka_unit_test(mistakes),
      cmocka_unit_test(mistakes_in_the_design),
      cmocka_unit_test(plans),
      cmocka_unit_test(every_section),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
