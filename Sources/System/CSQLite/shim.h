#include <sqlite3.h>

// Swift cannot call variadic functions.
static inline int gatehouse_keep_log_on_close(sqlite3 *connection, int keeps) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}

static inline int gatehouse_count_memory(int counts) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, counts);
}

// The number of pages that each connection allocates in one block.
static inline int gatehouse_pages_at_once(int pages) {
    return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, pages);
}
