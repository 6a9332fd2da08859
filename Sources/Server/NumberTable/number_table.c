#include "number_table.h"

#pragma clang diagnostic ignored "-Wc23-extensions"
static const uint8_t bytes[] = {
#embed "numbers.txt"
};

size_t gatehouse_numbers_size(void) { return sizeof bytes; }

uint8_t gatehouse_numbers_byte(size_t place) { return bytes[place]; }
