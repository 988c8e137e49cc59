/**
 * Reactive streams: a subscriber's messages as a {@link java.util.concurrent.Flow.Publisher}, and a
 * {@link java.util.concurrent.Flow.Subscriber} that publishes into a queue.
 *
 * <p>May import {@code core}, {@code core.subscriber}, {@code core.message} and {@code common}.
 */
@NullMarked
package com.wookler.river.reactor.flow;

import org.jspecify.annotations.NullMarked;
