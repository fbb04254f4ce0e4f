/* Messages for the user of the program; the library itself is silent unless a sink is set. */
#ifndef HB_LOG_H
#define HB_LOG_H

/* Warnings are shown even if messages are not. */
enum hb_log_kind { HB_LOG_MESSAGES, HB_LOG_WARNINGS };

/* Called with one line, without its newline; NULL (the default) drops those of the kind. */
typedef void (*hb_log_sink)(const char *line);
void hb_log_set_sink(enum hb_log_kind kind, hb_log_sink sink);

void hb_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
void hb_log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
