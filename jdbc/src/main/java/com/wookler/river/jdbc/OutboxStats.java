package com.wookler.river.jdbc;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link OutboxRelay} has done, and what waits for it.
 *
 * @param moved messages that it has moved since it was started; not those that were deleted by hand
 * @param waiting messages in the table: those of the last look less those moved since. There is a
 *     look every five seconds while messages come, and after each failure if the database can be
 *     read; counted up to 100,000
 * @param lag how long the oldest of them has been there, now
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
