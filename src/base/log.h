/* Messages for the user of the program; the library itself is silent unless a sink is set. */
#ifndef HB_LOG_H
#define HB_LOG_H

/* Called with one line, without its newline; NULL (the default) drops messages. */
void hb_log_set_sink(void (*sink)(const char *line));

void hb_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for warnings, which are shown even if messages are not. */
void hb_log_set_warning_sink(void (*sink)(const char *line));
void hb_log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
