package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reactor with four threads, closed by a shutdown hook with its queue; each message takes its
 * time, and is written to a ledger at its end.
 */
final class StopChild {
  static final String SUBSCRIBER = "work";
  static final String CLOSED = "closed in time: ";

  private static final Logger LOG = LoggerFactory.getLogger(StopChild.class);

  private StopChild() {}

  /** Arguments: directory, ledger, milliseconds a message, milliseconds to close. */
  public static void main(String[] args) throws Exception {
    FileChannel ledger =
        FileChannel.open(Path.of(args[1]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    long work = Long.parseLong(args[2]);
    Duration patience = Duration.ofMillis(Long.parseLong(args[3]));
    MessageQueue<String> queue = open(Path.of(args[0]));
    Reactor<String> reactor =
        Reactor.builder(queue.subscriber(config()))
            .processor("work", delivery -> work(delivery, work, ledger))
            .threads(4)
            .start();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  LOG.warn("{}{}", CLOSED, reactor.close(patience));
                  queue.close();
                },
                "stop"));
    new CountDownLatch(1).await();
  }

  static MessageQueue<String> open(Path directory) {
    return MessageQueue.builder("stop", MessageConverter.utf8()).directory(directory).open();
  }

  static SubscriberConfig config() {
    return SubscriberConfig.builder(SUBSCRIBER).ack(true).ackTimeout(Duration.ofMinutes(5)).build();
  }

  private static ProcessResult<String> work(
      Delivery<String> delivery, long millis, FileChannel ledger)
      throws IOException, InterruptedException {
    if (new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("nobody counts it down");
    }
    ByteBuffer sequence = ByteBuffer.allocate(Integer.BYTES).putInt((int) delivery.sequence());
    ledger.write(sequence.flip());
    return ProcessResult.done();
  }
}
