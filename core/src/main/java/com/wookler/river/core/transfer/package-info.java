/**
 * Takes messages from elsewhere, each once: a {@link
 * com.wookler.river.core.transfer.TransferTarget} knows the origins of the messages that its queue
 * has. It serves sources outside River ({@code MessageQueue.putFrom}) and, by the module
 * river-forward, other queues.
 *
 * <p>A target appends under {@code TransferTarget.lock}, under which no subscriber is asked and
 * nothing waits for capacity. No user code runs under it.
 *
 * <p>May import {@code core.log}, {@code core.message} and what is below them.
 */
@NullMarked
package com.wookler.river.core.transfer;

import org.jspecify.annotations.NullMarked;
