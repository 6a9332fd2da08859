#include "version.h"

// Package.swift sets it from the environment. It is in a file of its own, so that another version compiles nothing else.
#ifndef GATEHOUSE_VERSION
#define GATEHOUSE_VERSION ""
#endif

const char *gatehouse_version(void) { return GATEHOUSE_VERSION; }
