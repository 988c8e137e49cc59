package com.wookler.river.kafka;

import com.wookler.river.common.MonitoredThread;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Formats a broker's directory if it is new, and runs the broker until the parent ends. */
final class BrokerMain {
  private BrokerMain() {}

  public static void main(String[] args) throws Exception {
    new MonitoredThread("parent", BrokerMain::endWithParent).start();
    Path properties = Path.of(args[0]);
    if (!Files.exists(properties.resolveSibling("data/meta.properties"))) {
      // By reflection, because javac warns of what it finds in classes made by Scala.
      Class.forName("kafka.tools.StorageTool")
          .getMethod("execute", String[].class, PrintStream.class)
          .invoke(
              null,
              new String[] {"format", "-t", "AAAAAAAAQACAAAAAAAAAAQ", "-c", properties.toString()},
              new PrintStream(System.out, true, StandardCharsets.UTF_8));
    }
    Class.forName("kafka.Kafka")
        .getMethod("main", String[].class)
        .invoke(null, (Object) new String[] {properties.toString()});
  }

  static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // The pipe is at its end when the parent has ended.
      }
    } catch (IOException e) {
      // So has it then.
    }
    Runtime.getRuntime().halt(1);
  }
}
