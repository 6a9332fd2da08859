// openapi.json, as it is. C embeds it, because Swift takes ten seconds to compile its bytes as an array. They are read one by
// one, so that Swift needs no pointer.
#include <stddef.h>
#include <stdint.h>

size_t gatehouse_openapi_size(void);
uint8_t gatehouse_openapi_byte(size_t place);
