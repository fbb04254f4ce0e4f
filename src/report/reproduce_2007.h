/* The model of [PZ07] section 5 for its four machines, as the sections of a reproduction ask for it. */
#ifndef HB_REPRODUCE_2007_H
#define HB_REPRODUCE_2007_H

/* Eqs 14 and 17: particles in a block, block steps of a time unit. */
double hb_2007_n_block(double n);
double hb_2007_n_steps(double n);

/* Seconds of a block step by eqs 11 to 13 and 15; machine by its name in the tables. */
struct hb_2007_step {
  double host_s, comm_s, force_s, all_s;
};
struct hb_2007_step hb_2007_step(const char *machine, double n);

/* Seconds of a time unit: eq. 16. */
double hb_2007_time(const char *machine, double n);

/* The same as Fig. 5 has it for the 8800GTX: only blocks travel; particles are predicted and corrected on the card, too. */
double hb_2007_time_blocks(double n);
double hb_2007_time_on_card(double n);

#endif
