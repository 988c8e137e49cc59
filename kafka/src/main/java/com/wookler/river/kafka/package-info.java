/**
 * Transfers messages between queues and Apache Kafka, in order and each exactly once.
 *
 * <p>Allowed imports: {@code reactor}, {@code core}, {@code core.subscriber}, {@code core.message},
 * {@code common} and {@code org.apache.kafka}, which no other module sees.
 */
@NullMarked
package com.wookler.river.kafka;

import org.jspecify.annotations.NullMarked;
