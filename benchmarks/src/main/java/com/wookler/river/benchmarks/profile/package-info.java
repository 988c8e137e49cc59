/**
 * Where the time of a round goes: its flight recording, the stacks in that, and their flame graph.
 * It knows no line and no system; {@code load} says when to record and what to draw.
 *
 * <p>May import: the JDK only.
 */
@NullMarked
package com.wookler.river.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
