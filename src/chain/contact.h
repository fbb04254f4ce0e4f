/* Contacts: whether two bodies with radii touch on their way from one place to another, and the record of those that did. What
 * becomes of them, such as a merger, is the caller's decision. */
#ifndef HB_CONTACT_H
#define HB_CONTACT_H

#include "chain/chain.h"

/* True if two bodies of total mass M came nearer than `reach` in a time dt, while their separation went from x0, v0 to x1, v1: at the
 * end, or at the pericenter of their orbit if they have passed it. dt < 0 is a step backward. */
int hb_contact_touches(double M, double reach, double dt, const double x0[3], const double v0[3],
                       const double x1[3], const double v1[3]);

/* Records in c->met that members k and l have touched. Sorting the chain does not change the record. */
void hb_contact_record(struct hb_chain *c, size_t k, size_t l);

/* True if it is recorded that members k and l have touched. */
int hb_contact_have_met(const struct hb_chain *c, size_t k, size_t l);

#endif
