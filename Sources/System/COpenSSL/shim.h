#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// SHA-256 with a state that can be copied as a plain value, without allocating memory for each token. OpenSSL has deprecated
// these functions in favour of EVP, which has no such state. Other deprecated functions are still reported.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline int sha256_begin(SHA256_CTX *state) { return SHA256_Init(state); }
static inline int sha256_update(SHA256_CTX *state, const void *bytes, size_t count) {
    return SHA256_Update(state, bytes, count);
}
static inline int sha256_finish(unsigned char *hash, SHA256_CTX *state) { return SHA256_Final(hash, state); }
#pragma clang diagnostic pop
