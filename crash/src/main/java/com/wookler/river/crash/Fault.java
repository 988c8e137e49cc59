package com.wookler.river.crash;

import java.util.SplittableRandom;

/** What ends a round. */
interface Fault {
  /** How the round's process is started. */
  default ChildProcess.Launch launch(Site site, int round, SplittableRandom random) {
    return ChildProcess.Launch.PLAIN;
  }

  /**
   * Ends the process at some moment, from when it was started on. When it returns, the directory
   * can be read.
   *
   * @param random decides all that is left to chance
   */
  End end(ChildProcess child, Site site, int round, SplittableRandom random) throws Exception;
}
