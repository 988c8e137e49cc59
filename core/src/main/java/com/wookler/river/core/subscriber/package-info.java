/**
 * Reads a queue: durable subscribers, their deliveries, acknowledgements and redelivery.
 *
 * <p>Applications see {@link com.wookler.river.core.subscriber.Subscriber}, {@link
 * com.wookler.river.core.subscriber.Delivery}, {@link
 * com.wookler.river.core.subscriber.SubscriberConfig} and what these name. To read the code, begin
 * with {@code DurableSubscriber}, the front, and {@code SubscriberState}, which has the lock, what
 * it guards, and {@code change}, the one way of changing that. Then follow a flow, class by class:
 *
 * <ul>
 *   <li><b>Take:</b> {@code Poller}, with {@code BlockingWaiters} and {@code AsyncWaiters} for
 *       consumers that find nothing, and {@code FilterStage}.
 *   <li><b>Fetch:</b> {@code MessageFetcher} decides what is delivered next, {@code MessageFinder}
 *       reads single messages (with {@code RedeliveryCache}), {@code PastReader} reads backups,
 *       {@code Expiry} keeps what has expired. The result is a {@code MessageDelivery}.
 *   <li><b>Acknowledge:</b> {@code AckHandler} by delivery; {@code ReceiptHandler} by receipt, with
 *       {@code Receipts} and {@code ReceiptMemory}; both through {@code Acknowledgements} into the
 *       ledger of {@code ack}. {@code LedgerForce} and {@code ForceOrder} bring that to the device.
 *   <li><b>Dead-letter:</b> {@code DeadLettering}, over a {@code DeadLetterStore}.
 *   <li><b>Maintain:</b> {@code Maintenance}, with {@code ExpirySweep}.
 *   <li><b>Peek:</b> {@code Peeker}, which makes {@code ReadOnlyDelivery}.
 *   <li><b>Settings:</b> {@code SubscriberOptions}, a row an option, and {@code StoredSubscriber}.
 * </ul>
 *
 * <p>Allowed imports: {@code ack}, {@code core.backup} (to read), {@code core.log}, {@code
 * common.file}, {@code core.message}, {@code common.settings}, {@code common}; Ehcache for the
 * redelivery cache.
 */
@NullMarked
package com.wookler.river.core.subscriber;

import org.jspecify.annotations.NullMarked;
