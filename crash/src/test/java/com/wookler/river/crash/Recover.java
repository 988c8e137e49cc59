package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import java.nio.file.Path;
import java.util.Arrays;

/** Opens the queue after a fault, and closes it again. Arguments as {@link Workload}. */
final class Recover {
  private Recover() {}

  public static void main(String[] args) {
    Site site = new Site(Path.of(args[0]), Path.of(args[1]));
    Scenario scenario = Scenario.of(Arrays.asList(args).subList(4, args.length));
    try (MessageQueue<byte[]> queue = scenario.open(site, Integer.parseInt(args[2]))) {
      for (int i = 0; i < scenario.subscribers(); i++) {
        queue.subscriber(Scenario.subscriber(i)).stats();
      }
    }
  }
}
