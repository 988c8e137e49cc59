package com.wookler.river.crash;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Owns a queue until it is killed. Arguments: directory, a file that it makes when it has it; with
 * a third one it reads all files of the directory again and again, which ends its file lock.
 */
final class OwnerChild {
  static final String QUEUE = "orders";

  private OwnerChild() {}

  public static void main(String[] args) throws IOException {
    MessageQueue<String> queue =
        MessageQueue.builder(QUEUE, MessageConverter.utf8()).directory(Path.of(args[0])).open();
    queue.publisher().publish("of the owner");
    if (args.length > 2) {
      Path own = Path.of(args[0], QUEUE);
      readAll(own);
      new MonitoredThread("backup", () -> readForEver(own)).start();
    }
    Files.createFile(Path.of(args[1]));
    ChildProcess.endWithParent();
  }

  private static void readForEver(Path directory) {
    while (true) {
      readAll(directory);
    }
  }

  private static void readAll(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.newInputStream(file).close();
      }
    } catch (IOException | UncheckedIOException e) {
      // a file was removed meanwhile: the next time
    }
  }
}
