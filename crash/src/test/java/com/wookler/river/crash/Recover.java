package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** Opens the queue after a fault, and closes it again. Arguments as {@link Workload}. */
final class Recover {
  private Recover() {}

  public static void main(String[] args) throws IOException {
    Site site = new Site(Path.of(args[0]), Path.of(args[1]));
    int round = Integer.parseInt(args[2]);
    Scenario scenario = Scenario.of(Arrays.asList(args).subList(4, args.length));
    long started = TimeSource.system().nanoTime();
    try (MessageQueue<byte[]> queue = scenario.open(site, round)) {
      Openings.note(site.recovered(round), started);
      for (int i = 0; i < scenario.subscribers(); i++) {
        queue.subscriber(Scenario.subscriber(i)).stats();
      }
    }
  }
}
