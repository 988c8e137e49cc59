/**
 * Reading a queue: durable subscribers, their deliveries, and redelivery.
 *
 * <p>Allowed imports: {@code core.ack}, {@code core.backup} (to read), {@code core.log}, {@code
 * core.message}, {@code core.settings}, {@code common}; Ehcache for the redelivery cache.
 */
@NullMarked
package com.wookler.river.core.subscriber;

import org.jspecify.annotations.NullMarked;
