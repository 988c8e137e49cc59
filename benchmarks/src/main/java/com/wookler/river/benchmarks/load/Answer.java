package com.wookler.river.benchmarks.load;

import org.jspecify.annotations.Nullable;

/** What a worker answers: what the round yielded, or what went wrong. */
record Answer(@Nullable Outcome outcome, @Nullable String error) {}
