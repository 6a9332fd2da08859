// The version of the package that the program was built for; empty in a developer's build.
const char *gatehouse_version(void);
