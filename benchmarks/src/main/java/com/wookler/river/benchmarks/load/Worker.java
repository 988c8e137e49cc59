package com.wookler.river.benchmarks.load;

import java.io.IOException;

/** Does rounds for one system; what the JIT learns in one helps the next. */
interface Worker extends AutoCloseable {
  /**
   * Does one round.
   *
   * @throws RoundFailedException with what went wrong
   */
  Outcome run(Request request) throws IOException;

  @Override
  void close() throws IOException;
}
