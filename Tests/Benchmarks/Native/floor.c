// The floor: the least that FastCGI behind nginx costs. It reads a request with its body and answers with a recorded answer
// of Gatehouse. libfcgi reads from and writes to the connection; epoll tells which connections have a request, so an idle
// one holds no thread.
//
//   floor SOCKET THREADS FOLDER
//
// FOLDER holds the answers' bodies: me, login, refresh.

#define _GNU_SOURCE
#include <fcgiapp.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct answer {
    const char *path;
    const char *file;
    char *body;
    int length;
};

static struct answer answers[] = {
    {"/api/users/me", "me", NULL, 0},
    {"/api/auth/apple", "login", NULL, 0},
    {"/api/auth/refresh", "refresh", NULL, 0},
};

static const char admission[] =
    "Status: 204 No Content\r\n"
    "X-User-Id: user_01BENCH0000000000000000000\r\n"
    "X-User-Role: USER\r\n"
    "X-Session-Id: sess_01BENCH0000000000000000000\r\n"
    "Cache-Control: no-store\r\n\r\n";

static int listener, poller;

static void stop(const char *why) {
    fprintf(stderr, "floor: %s\n", why);
    exit(3);
}

static void read_answer(struct answer *answer, const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, answer->file);
    FILE *file = fopen(path, "rb");
    if (file == NULL) stop("an answer is missing");
    answer->body = malloc(65536);
    answer->length = (int)fread(answer->body, 1, 65536, file);
    fclose(file);
}

static void reply(FCGX_Request *request) {
    char body[65536];
    while (FCGX_GetStr(body, sizeof body, request->in) > 0) continue;
    const char *path = FCGX_GetParam("DOCUMENT_URI", request->envp);
    if (path == NULL) return;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        if (strcmp(path, answers[i].path) != 0) continue;
        FCGX_FPrintF(
            request->out, "Status: 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
            "Content-Length: %d\r\n\r\n", answers[i].length);
        FCGX_PutStr(answers[i].body, answers[i].length, request->out);
        return;
    }
    FCGX_PutStr(admission, sizeof admission - 1, request->out);
}

// One event, then none until the descriptor is watched again: one thread at a time has a connection.
static void watch(int descriptor, int operation) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.fd = descriptor};
    if (epoll_ctl(poller, operation, descriptor, &event) != 0) stop("cannot watch a descriptor");
}

static void accept_connections(void) {
    int connection;
    while ((connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) watch(connection, EPOLL_CTL_ADD);
    watch(listener, EPOLL_CTL_MOD);
}

// FCGX_Accept_r reads the next request from the descriptor that it finds in the request. It would finish a request before
// that one and close the connection, unless keepConnection is set. Afterwards a descriptor of -1 means that it is closed.
static void serve_one(FCGX_Request *request, int connection) {
    request->ipcFd = connection;
    request->keepConnection = 1;
    if (FCGX_Accept_r(request) == 0) {
        reply(request);
        FCGX_Finish_r(request);
    }
    if (request->ipcFd >= 0) watch(connection, EPOLL_CTL_MOD);
    request->ipcFd = -1;
}

static void *serve(void *unused) {
    FCGX_Request request;
    // Without a listener, FCGX_Accept_r fails where it would accept a connection.
    FCGX_InitRequest(&request, -1, 0);
    for (;;) {
        struct epoll_event event;
        if (epoll_wait(poller, &event, 1, -1) != 1) continue;
        if (event.data.fd == listener) accept_connections();
        else if (event.events & EPOLLRDHUP) close(event.data.fd);
        else serve_one(&request, event.data.fd);
    }
    return unused;
}

static void listen_at(const char *path) {
    FCGX_Init();
    // libfcgi's handler of SIGTERM ends nothing but its own waiting for a connection.
    signal(SIGTERM, SIG_DFL);
    listener = FCGX_OpenSocket(path, 4096);
    if (listener < 0 || fcntl(listener, F_SETFL, O_NONBLOCK) != 0) stop("cannot listen");
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (poller < 0) stop("cannot make a poller");
    watch(listener, EPOLL_CTL_ADD);
}

int main(int count, char **arguments) {
    if (count != 4) stop("usage: floor SOCKET THREADS FOLDER");
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) read_answer(&answers[i], arguments[3]);
    listen_at(arguments[1]);
    for (int i = 1; i < atoi(arguments[2]); i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, NULL) != 0) stop("cannot start a thread");
    }
    serve(NULL);
    return 0;
}
