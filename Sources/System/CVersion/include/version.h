// The version of the package; empty in a developer's build.
const char *gatehouse_version(void);
