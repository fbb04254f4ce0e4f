/* WebGL's own. */
#ifndef HB_WEB_GL_H
#define HB_WEB_GL_H

/* 1: glGetError says only whether the context is lost: to ask takes a browser a millisecond. */
void hb_web_trust(int trust);

#endif
