package com.wookler.river.reactor;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.subscriber.Subscriber;

/**
 * What all workers of a reactor do.
 *
 * @param home what they share
 * @param batchSize how many at most at once
 * @param chain what they run them through
 * @param time clock
 * @param oneAtATime whether there is one worker, and none in the place of one that is stuck
 */
record Plan<M>(Home<M> home, int batchSize, Chain<M> chain, TimeSource time, boolean oneAtATime) {
  Subscriber<M> subscriber() {
    return home.subscriber();
  }

  Tally tally() {
    return home.tally();
  }

  Gate gate() {
    return home.gate();
  }
}
