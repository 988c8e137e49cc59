/**
 * What a subscriber has been given and has completed: pure logic over sequences and a clock, plus
 * the journal that keeps it on disk behind one narrow interface.
 *
 * <p>{@code Ledgers} opens one of two implementations of {@code Ledger}. Nothing here knows
 * messages, threads or the log; the caller holds one lock a subscriber around every call. May
 * import {@code common}, {@code common.errors} and {@code DurableFiles} and {@code Mappings} of
 * {@code core.log}, and nothing else of River.
 */
@NullMarked
package com.wookler.river.core.ack;

import org.jspecify.annotations.NullMarked;
