/**
 * River beside plain Chronicle Queue and other queues, all in one run.
 *
 * <p>Arrows: this package starts all others; {@code load} runs a {@code system} and yields what
 * {@code report} prints. Nothing of River may import anything from here.
 */
@NullMarked
package com.wookler.river.benchmarks;

import org.jspecify.annotations.NullMarked;
