#include "openapi_file.h"

#pragma clang diagnostic ignored "-Wc23-extensions"
static const uint8_t bytes[] = {
#embed "openapi.json"
};

size_t gatehouse_openapi_size(void) { return sizeof bytes; }

uint8_t gatehouse_openapi_byte(size_t place) { return bytes[place]; }
