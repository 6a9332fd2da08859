#include "version.h"

// Package.swift sets it from the environment. A new version only recompiles this file.
#ifndef GATEHOUSE_VERSION
#define GATEHOUSE_VERSION ""
#endif

const char *gatehouse_version(void) { return GATEHOUSE_VERSION; }
