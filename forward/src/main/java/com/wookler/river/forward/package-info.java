/**
 * Transfers messages safely from one queue to another queue of this JVM: forwarding and expiry
 * queues. An extension of core, which adds a part to every queue.
 *
 * <p>A transfer has four steps. It <b>reads</b> a message at its source, <b>gives</b> it to the
 * {@link com.wookler.river.core.transfer.TransferTarget} of the other queue, has what was given
 * <b>forced</b> there, and only then <b>completes</b> it on the device of the source. Each message
 * carries its origin in a header of the same document, and the target knows the origins that it
 * has: what is given again, because the process ended between two steps, is stored once. The two
 * uses differ in what they select, what they add and how they wait:
 *
 * <table>
 * <caption>Uses</caption>
 * <tr><th></th><th>Forward</th><th>ExpiryTransfer</th></tr>
 * <tr><td>selects</td><td>all that the source's log has forced, in its order, whole batches</td>
 *   <td>one message that has expired for a subscriber, in any order; it waits, and has the log
 *   forced, where that has not forced it</td></tr>
 * <tr><td>adds</td><td>the header {@code river-origin}</td>
 *   <td>{@code river-expired}, and the headers of a dead letter</td></tr>
 * <tr><td>the target knows</td><td>the last sequence of each source</td>
 *   <td>a set of sequences of each source</td></tr>
 * <tr><td>runs</td><td>on the worker, in a serial executor for each target</td>
 *   <td>under the lock of the subscriber, on the thread that polls or on housekeeping</td></tr>
 * <tr><td>force of the target</td><td>waits for the target's own, asking every 20 ms</td>
 *   <td>has one made before each force of the subscriber's ledger</td></tr>
 * <tr><td>completes</td><td>by a position, saved once a second; blocks above it stay</td>
 *   <td>in the ledger, at once, on the device only after the target's force</td></tr>
 * <tr><td>target closed, full or failed</td><td>tries again every 20 ms; all after it waits</td>
 *   <td>the message stays with the subscriber, as do those after it; housekeeping and polls try
 *   again</td></tr>
 * </table>
 *
 * <p><b>After the end of the process or the machine</b> a message is in the source, in the target,
 * or in both; then the transfer gives it again and the target answers that it has it. Both give
 * only what the source has forced, because a sequence that a power loss takes out of the source's
 * log may be given to another message.
 *
 * <p><b>Locks.</b> A target is used under the shared lock of its {@code OpenQueues.Slot}, so that
 * it is not closed meanwhile, and appends under {@code TransferTarget.lock}, under which no
 * subscriber is asked and nothing waits for capacity. No user code runs under either. A transfer
 * takes no lock of the target's subscribers while it holds one of the source's subscribers.
 */
@NullMarked
package com.wookler.river.forward;

import org.jspecify.annotations.NullMarked;
