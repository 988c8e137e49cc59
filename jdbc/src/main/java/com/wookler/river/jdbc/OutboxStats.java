package com.wookler.river.jdbc;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link OutboxRelay} has done, and what waits for it.
 *
 * @param moved messages that it has moved since it was started
 * @param waiting messages in the table at the last look, of which there is one every five seconds
 *     while messages come; counted up to 100,000
 * @param lag how long the oldest of them had been there then
 * @param failures failures since the relay was started
 * @param failure why messages cannot be moved now, or null
 * @param leading whether this instance moves; if not, another one does
 */
public record OutboxStats(
    long moved,
    long waiting,
    Duration lag,
    long failures,
    @Nullable String failure,
    boolean leading) {}
