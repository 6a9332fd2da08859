#include <fcgiapp.h>

// The beginning of the structure behind FCGX_Stream.data, which is private to fcgiapp.c. It tells how far libfcgi has read:
// bytes read beyond the end of a request are lost when the request is freed, so its connection cannot be kept.
struct gatehouse_stream_data {
    unsigned char *buffer;
    int capacity;
    unsigned char *allocated;
    unsigned char *end;
};

static inline long gatehouse_bytes_read_ahead(const FCGX_Stream *stream) {
    return ((const struct gatehouse_stream_data *)stream->data)->end - stream->rdNext;
}
