#include <sqlite3.h>

// Swift calls no function with a variable number of arguments.
static inline int gatehouse_keep_log_on_close(sqlite3 *connection, int keeps) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}
