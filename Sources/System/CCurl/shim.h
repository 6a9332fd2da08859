#include <curl/curl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, and Swift cannot call variadic functions: one typed wrapper for
// each kind of argument.

// An enumeration in older releases and a macro since 8.13, which Swift imports as different types.
static const long gatehouse_curl_use_ssl_always = CURLUSESSL_ALL;
static const long gatehouse_curl_use_ssl_never = CURLUSESSL_NONE;

static inline CURLcode gatehouse_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

// The verdict of OpenSSL about the certificate of the peer (X509_V_…).
static inline long gatehouse_curl_verify_result(CURL *easy) {
    long result = 0;
    return curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &result) == CURLE_OK ? result : 0;
}

static inline CURLcode gatehouse_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode gatehouse_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode gatehouse_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

// CURLOPT_COPYPOSTFIELDS copies the bytes, so the size has to be set before.
static inline CURLcode gatehouse_curl_set_body(CURL *easy, const void *bytes, curl_off_t count) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return result != CURLE_OK ? result : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

static inline CURLcode gatehouse_curl_set_write_callback(CURL *easy, curl_write_callback receive, void *buffer) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    return result != CURLE_OK ? result : curl_easy_setopt(easy, CURLOPT_WRITEDATA, buffer);
}

static inline CURLcode gatehouse_curl_set_header_callback(CURL *easy, curl_write_callback receive, void *meter) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive);
    return result != CURLE_OK ? result : curl_easy_setopt(easy, CURLOPT_HEADERDATA, meter);
}

static inline CURLcode gatehouse_curl_set_read_callback(CURL *easy, curl_read_callback send, void *buffer) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_READFUNCTION, send);
    return result != CURLE_OK ? result : curl_easy_setopt(easy, CURLOPT_READDATA, buffer);
}

// The debug callback is only called for a verbose handle, which then prints nothing itself.
static inline CURLcode gatehouse_curl_set_debug_callback(CURL *easy, curl_debug_callback observe, void *observer) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, observe);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, observer);
    return result != CURLE_OK ? result : curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
}

static inline CURLcode gatehouse_curl_set_progress_callback(
    CURL *easy, curl_xferinfo_callback decide, void *observer) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, decide);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_XFERINFODATA, observer);
    return result != CURLE_OK ? result : curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

static inline CURLcode gatehouse_curl_set_socket_callback(
    CURL *easy, curl_opensocket_callback open, void *opener) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    return result != CURLE_OK ? result : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, opener);
}

// The bytes of an IP address, and how many there are; 0 for an address of another family. libcurl declares the field addr as
// struct sockaddr, and has memory for any address behind it.
static inline int gatehouse_curl_ip(const struct curl_sockaddr *address, unsigned char bytes[16]) {
    const void *socket_address = &address->addr;
    if (address->family == AF_INET) {
        memcpy(bytes, &((const struct sockaddr_in *)socket_address)->sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6) {
        memcpy(bytes, &((const struct sockaddr_in6 *)socket_address)->sin6_addr, 16);
        return 16;
    }
    return 0;
}

// Subprocesses do not inherit the socket.
static inline curl_socket_t gatehouse_curl_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static inline CURLcode gatehouse_curl_certificates(CURL *easy, struct curl_certinfo **chain) {
    return curl_easy_getinfo(easy, CURLINFO_CERTINFO, chain);
}

static inline CURLcode gatehouse_curl_status(CURL *easy, long *status) {
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, status);
}
