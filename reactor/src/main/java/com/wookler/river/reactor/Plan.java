package com.wookler.river.reactor;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.subscriber.Subscriber;

/**
 * What all workers of a reactor do.
 *
 * @param subscriber whose messages they take
 * @param batchSize how many at most at once
 * @param chain what they run them through
 * @param tally what they count in
 * @param time clock
 */
record Plan<M>(
    Subscriber<M> subscriber, int batchSize, Chain<M> chain, Tally tally, TimeSource time) {

  Outcomes<M> outcomes() {
    return new Outcomes<>(subscriber, tally);
  }
}
