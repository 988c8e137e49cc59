/**
 * Lines of work, each done by several systems in turn: a {@code Line} says what, a {@code
 * LoadRound} does it once, in the JVM of its system.
 *
 * <p>May import: {@code harness}, {@code system}, the JDK's flight recorder and async-profiler's
 * converter, picocli.
 */
@NullMarked
package com.wookler.river.benchmarks.load;

import org.jspecify.annotations.NullMarked;
