/**
 * Traces that go through queues, and metrics, by OpenTelemetry.
 *
 * <p>May import {@code reactor}, {@code core}, {@code core.subscriber}, {@code core.message} and
 * {@code common} with {@code counters}; the only package that sees OpenTelemetry.
 */
@NullMarked
package com.wookler.river.opentelemetry;

import org.jspecify.annotations.NullMarked;
