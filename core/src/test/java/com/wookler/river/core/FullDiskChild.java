package com.wookler.river.core;

import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;

/** Fills a disk, says how far it came, and waits to be killed. */
final class FullDiskChild {
  private FullDiskChild() {}

  public static void main(String[] arguments) throws Exception {
    MessageQueue<byte[]> queue =
        FullDiskTest.builder(Path.of(arguments[0]))
            .subscriber(SubscriberConfig.builder("billing").ack(true).build())
            .open();
    long end = FullDiskTest.fill(queue, Long.parseLong(arguments[1]));
    System.out.println("full at " + end);
    System.out.flush();
    while (System.in.read() >= 0) {
      // the pipe is at its end when the parent is gone
    }
  }
}
