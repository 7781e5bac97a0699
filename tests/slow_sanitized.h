// For tests that take long under sanitizers and run no code that others do not: every small
// input, measured runs, error rates over hundreds of runs, searches that shorter ones make as well.
#pragma once

#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PLIMSOLL_SLOW_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PLIMSOLL_SLOW_SANITIZED true
#endif
#endif
#ifndef PLIMSOLL_SLOW_SANITIZED
#define PLIMSOLL_SLOW_SANITIZED false
#endif

/// The first line of such a test.
#define SLOW_SANITIZED() \
  if (PLIMSOLL_SLOW_SANITIZED) GTEST_SKIP() << "takes long under sanitizers"
