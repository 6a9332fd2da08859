// OpenSSL
