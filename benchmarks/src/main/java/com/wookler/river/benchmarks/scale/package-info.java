/**
 * What must not grow: a message's cost with blocks, idle subscribers, backlog and acknowledgements;
 * a restart, a redelivery, a thousand queues; pauses while blocks are recycled, archived, forced.
 *
 * <p>May import: River's public API, {@code harness}, {@code report}, picocli.
 */
@NullMarked
package com.wookler.river.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
