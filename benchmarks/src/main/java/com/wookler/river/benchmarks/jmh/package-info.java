/**
 * JMH benchmarks of the small paths, one thread each, and the command that runs them.
 *
 * <p>May import: River's public API and the parts of it that are measured alone, JMH, picocli,
 * {@code harness}, {@code report}.
 */
@NullMarked
package com.wookler.river.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
