/* As ph4 does it: the plain names are the program's own, on top of Fortran's. Links with the static library, too. */
int g6_open_(int *id);
int g6_close_(int *id);
int g6_npipes_(void);

int g6_open(int id) { return g6_open_(&id); }
int g6_close(int id) { return g6_close_(&id); }
int g6_npipes(void) { return 3 * g6_npipes_(); }
int g6_get_number_of_pipelines(void); /* this one is the library's */

int main(void)
{
  if (g6_open(0)) return 1;
  return g6_npipes() != 144 || g6_get_number_of_pipelines() != 48 || g6_close(0);
}
