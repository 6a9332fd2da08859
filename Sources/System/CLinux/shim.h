#include <linux/capability.h>
#include <linux/memfd.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/timex.h>

// glibc declares these only with _GNU_SOURCE. Defining that here would give this module other definitions of common types
// than Swift's Glibc module has, so they are declared here as documented in accept4(2), sched_getaffinity(2),
// pthread_setname_np(3), renameat2(2), sched_getcpu(3), setresuid(2), getresuid(2), capset(2), memfd_create(2) and
// pipe2(2), and sem_clockwait in the manual of glibc.
int sem_clockwait(sem_t *, clockid_t, const struct timespec *);
int accept4(int, struct sockaddr *, socklen_t *, int);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int pthread_setname_np(pthread_t, const char *);
int renameat2(int, const char *, int, const char *, unsigned int);
int sched_getcpu(void);
int setresuid(uid_t, uid_t, uid_t);
int setresgid(gid_t, gid_t, gid_t);
int getresuid(uid_t *, uid_t *, uid_t *);
int getresgid(gid_t *, gid_t *, gid_t *);
int memfd_create(const char *, unsigned int);
int pipe2(int[2], int);
int capset(struct __user_cap_header_struct *, const struct __user_cap_data_struct *);
int capget(struct __user_cap_header_struct *, struct __user_cap_data_struct *);
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif
// O_PATH and POLLRDHUP, which glibc also defines only with _GNU_SOURCE.
#define GATEHOUSE_O_PATH 010000000
#define GATEHOUSE_POLLRDHUP 0x2000

// Swift cannot call variadic functions.
static inline int gatehouse_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
static inline int gatehouse_forbids_new_privileges(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); }

static inline int gatehouse_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }

// The fields of siginfo_t that are used here. Some of them are macros, which Swift cannot import.
struct gatehouse_signal {
    int number;
    int code;
    int value;
    pid_t sender;
};

// Waits for one of the signals, without a limit if time is null. Returns -1 and sets errno if none arrives.
static inline int gatehouse_take_signal(const sigset_t *set, const struct timespec *time, struct gatehouse_signal *taken) {
    siginfo_t information;
    int number = time ? sigtimedwait(set, &information, time) : sigwaitinfo(set, &information);
    if (number < 0) return -1;
    taken->number = number;
    taken->code = information.si_code;
    taken->value = information.si_value.sival_int;
    taken->sender = information.si_pid;
    return 0;
}

// The user of the process that has connected a unix socket (unix(7)). glibc declares struct ucred only with _GNU_SOURCE.
// Returns -1 for a socket of another family, which has no such user.
static inline int gatehouse_peer_user(int socket, uid_t *user) {
    int family;
    socklen_t size = sizeof family;
    if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0 || family != AF_UNIX) return -1;
    struct {
        pid_t process;
        uid_t user;
        gid_t group;
    } peer;
    size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return -1;
    if (peer.user == (uid_t)-1) return -1;
    *user = peer.user;
    return 0;
}

static inline int gatehouse_queue_signal(pid_t process, int number, int value) {
    union sigval content = {.sival_int = value};
    return sigqueue(process, number, content);
}
