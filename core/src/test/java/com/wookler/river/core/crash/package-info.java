/**
 * Kills a queue and compares what is left with what it had promised: the child that is killed, the
 * ledger that it keeps outside the queue's directory, and the check that reads both.
 *
 * <p>Allowed imports: everything of core.
 */
@NullMarked
package com.wookler.river.core.crash;

import org.jspecify.annotations.NullMarked;
