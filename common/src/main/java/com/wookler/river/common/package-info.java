/**
 * The environment in which River runs: time, threads, repeated tasks, and the monitor that reports
 * counters and threads. Imports {@code counters}, {@code config} and {@code errors}.
 */
@NullMarked
package com.wookler.river.common;

import org.jspecify.annotations.NullMarked;
