package com.wookler.river.crash;

import java.nio.file.Path;

/**
 * Where everything is.
 *
 * @param tested the directory whose file system is tried: log, acknowledgements and backups
 * @param ledger what was promised; on another file system if the first one shall fail
 */
record Site(Path tested, Path ledger) {
  static final String QUEUE = "crash";

  Path data() {
    return tested.resolve("data");
  }

  Path queueDirectory() {
    return data().resolve(QUEUE);
  }

  Path log() {
    return queueDirectory().resolve("log");
  }

  Path backups() {
    return tested.resolve("backup");
  }

  /** There once the round's process begins to open the queue. */
  Path opening(int round) {
    return ledger.resolve("opening-" + round);
  }

  /** There once it works. */
  Path ready(int round) {
    return ledger.resolve("ready-" + round);
  }

  /** Returns the file with how long the round's process took to open the queue. */
  Path opened(int round) {
    return ledger.resolve("opened-" + round);
  }

  /**
   * Returns the file with how long a process took to open the queue that recovered it after the
   * round.
   */
  Path recovered(int round) {
    return ledger.resolve("recovered-" + round);
  }

  Path output(int round) {
    return ledger.resolve("output-" + round);
  }

  Path published(int round, int publisher) {
    return ledger.resolve("journal-" + round + "-publisher-" + publisher);
  }

  Path subscribed(int round, int subscriber) {
    return ledger.resolve("journal-" + round + "-" + Scenario.name(subscriber));
  }

  /** What was forced when; only where the classes that force are observed. */
  Path forced(int round) {
    return ledger.resolve("journal-" + round + "-forced");
  }
}
