package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Owns a queue until it is killed. Arguments: directory, a file that it makes when it has it. */
final class OwnerChild {
  static final String QUEUE = "orders";

  private OwnerChild() {}

  public static void main(String[] args) throws IOException {
    MessageQueue<String> queue =
        MessageQueue.builder(QUEUE, MessageConverter.utf8()).directory(Path.of(args[0])).open();
    queue.publisher().publish("of the owner");
    Files.createFile(Path.of(args[1]));
    ChildProcess.endWithParent();
  }
}
