#include <malloc.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/timex.h>

// glibc shows these to _GNU_SOURCE alone. Defining that here would give this module other definitions of common types
// than Swift's Glibc module has, so they are declared by hand, as accept4(2), sched_getaffinity(2),
// pthread_setname_np(3), renameat2(2) and sched_getcpu(3) give them.
int accept4(int, struct sockaddr *, socklen_t *, int);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int pthread_setname_np(pthread_t, const char *);
int renameat2(int, const char *, int, const char *, unsigned int);
int sched_getcpu(void);

// Swift calls no function with a variable number of arguments.
static inline int gatehouse_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif
