// The floor: what FastCGI through nginx costs when nobody thinks. Takes a request in, body and all, and answers with what
// Gatehouse once answered, by libfcgi's plain loop in as many threads as there may be connections.
//
//   floor SOCKET THREADS FOLDER
//
// FOLDER holds the answers' bodies: me, login, refresh.

#include <fcgiapp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int listener;

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

// A kept connection holds its thread until nginx closes it.
static void *serve(void *unused) {
    FCGX_Request request;
    FCGX_InitRequest(&request, listener, 0);
    while (FCGX_Accept_r(&request) == 0) {
        reply(&request);
        FCGX_Finish_r(&request);
    }
    return unused;
}

int main(int count, char **arguments) {
    if (count != 4) stop("usage: floor SOCKET THREADS FOLDER");
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) read_answer(&answers[i], arguments[3]);
    FCGX_Init();
    listener = FCGX_OpenSocket(arguments[1], 4096);
    if (listener < 0) stop("cannot listen");
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    for (int i = 1; i < atoi(arguments[2]); i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, serve, NULL) != 0) stop("cannot start a thread");
    }
    serve(NULL);
    return 0;
}
