package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.OpenQueue;
import com.wookler.river.benchmarks.system.Work;

/** How a round of a line goes. */
interface Task {
  /** The unit of {@link Outcome#figure}. */
  String unit();

  /**
   * Does one round on a queue that is open and empty.
   *
   * @throws WrongCountException what came out is not what went in
   */
  Outcome run(OpenQueue queue, Work work, Request request) throws Exception;
}
