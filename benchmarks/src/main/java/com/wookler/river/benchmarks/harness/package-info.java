/**
 * The harness that every benchmark is measured by. A {@link
 * com.wookler.river.benchmarks.harness.Suite} is a command and a table of benchmarks; each is
 * measured in a {@link com.wookler.river.benchmarks.harness.ChildJvm}; its contenders do {@link
 * com.wookler.river.benchmarks.harness.Rounds} in turn, which make {@link
 * com.wookler.river.benchmarks.harness.Row}s with ratios round by round; these become JSON, and
 * JSON the tables of docs/performance-tables.md.
 *
 * <p>May import: River's {@code common}, Jackson, HdrHistogram, JMH's statistics, picocli. It knows
 * nothing of what is measured.
 */
@NullMarked
package com.wookler.river.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
