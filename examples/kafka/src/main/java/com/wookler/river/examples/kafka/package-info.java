/**
 * A queue that is forwarded to Apache Kafka, and processes that share the work there. May import
 * {@code kafka} and what that may.
 */
@NullMarked
package com.wookler.river.examples.kafka;

import org.jspecify.annotations.NullMarked;
