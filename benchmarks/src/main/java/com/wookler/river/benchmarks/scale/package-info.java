/**
 * What must not grow: a message's cost with blocks, idle subscribers, backlog and acknowledgements;
 * a restart, a redelivery, a thousand queues; pauses while blocks are recycled, archived, forced.
 *
 * <p>Arrows: {@link com.wookler.river.benchmarks.scale.ScaleCommand} runs each {@code Part} in a
 * JVM of its own ({@code PartChild}); a part measures with {@code Lab}, {@code Comparison} and
 * {@code Rates} and answers with rows.
 *
 * <p>May import: River's public API, {@code options}, {@code report}, {@code utils}, {@code
 * RiverMonitor} of {@code system}, picocli. Never {@code load}.
 */
@NullMarked
package com.wookler.river.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
