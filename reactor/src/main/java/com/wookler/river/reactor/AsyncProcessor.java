package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import java.util.concurrent.CompletionStage;

/**
 * Begins to process a message, and says later what becomes of it: for clients that answer by
 * futures. No thread waits for the answer.
 *
 * <p>The message is acknowledged, retried and so on when the stage completes, on the thread that
 * completes it; if it completes exceptionally, the message fails as if {@link #process} had thrown.
 * Until then the message is in flight and its acknowledgement timeout runs, which should be longer
 * than a stage may take; with order by key, later messages of the key wait.
 *
 * @param <M> type of the data
 */
@FunctionalInterface
public interface AsyncProcessor<M> {
  /**
   * Begins to process a message, on a thread of the reactor. What the stage runs must not close the
   * reactor, which waits for it.
   *
   * @return completes with the result; {@link ProcessResult#pass} acknowledges
   * @throws Exception the message could not be processed; it fails
   */
  CompletionStage<ProcessResult<M>> process(Delivery<M> delivery) throws Exception;
}
