/**
 * Keeps which messages a subscriber was given and which are completed: logic over sequences and a
 * clock. Nothing here knows messages, threads, the log or files; what must survive goes through
 * {@code AckJournal}, which {@code ack.journal} implements. The caller holds one lock a subscriber
 * around every call. May import {@code common} and {@code common.errors}, and nothing else of
 * River.
 */
@NullMarked
package com.wookler.river.ack;

import org.jspecify.annotations.NullMarked;
