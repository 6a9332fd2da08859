// numbers.txt, as it is. C embeds it, because Swift takes seconds to compile its bytes as an array. They are read one by one,
// so that Swift needs no pointer.
#include <stddef.h>
#include <stdint.h>

size_t gatehouse_numbers_size(void);
uint8_t gatehouse_numbers_byte(size_t place);
