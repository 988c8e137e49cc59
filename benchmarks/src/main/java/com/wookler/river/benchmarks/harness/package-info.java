/**
 * The harness that every benchmark is measured by: a command chooses {@link
 * com.wookler.river.benchmarks.harness.Benchmark}s; each is measured in a {@link
 * com.wookler.river.benchmarks.harness.ChildJvm}; its contenders do {@link
 * com.wookler.river.benchmarks.harness.Rounds} in turn; {@link
 * com.wookler.river.benchmarks.harness.Samples} makes rows of them, with ratios round by round.
 *
 * <p>May import: {@code report}, River's {@code common}, Jackson, HdrHistogram, picocli. It knows
 * nothing of what is measured.
 */
@NullMarked
package com.wookler.river.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
