/**
 * Tests of what an application does with queues: a JUnit extension with temporary queues, a clock
 * that the test moves, delivery step by step on the test's thread, and faults.
 *
 * <p>Allowed imports: {@code reactor}, {@code core}, {@code core.subscriber}, {@code core.message},
 * {@code common} and {@code common.errors}; JUnit's API in the extension and its annotations only.
 */
@NullMarked
package com.wookler.river.test;

import org.jspecify.annotations.NullMarked;
