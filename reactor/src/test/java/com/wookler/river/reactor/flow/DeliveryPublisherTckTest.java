package com.wookler.river.reactor.flow;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** The rules of reactive streams for publishers. */
@Test
public class DeliveryPublisherTckTest extends FlowPublisherVerification<Delivery<String>> {
  private static final long TIMEOUT_MILLIS = 20_000;
  private static final long SILENCE_MILLIS = 50;
  private static final long POLL_MILLIS = 10;
  private static final int MOST = 200;

  private final List<MessageQueue<String>> queues = new ArrayList<>();
  private final List<Path> directories = new ArrayList<>();
  private final ExecutorService pool = Executors.newCachedThreadPool();

  public DeliveryPublisherTckTest() {
    super(new TestEnvironment(TIMEOUT_MILLIS, SILENCE_MILLIS, POLL_MILLIS));
  }

  @Override
  public Flow.Publisher<Delivery<String>> createFlowPublisher(long elements) {
    MessageQueue<String> queue = open();
    for (int i = 0; i < Math.min(elements, MOST); i++) {
      queue.publisher().publish("m" + i);
    }
    Subscriber<String> subscriber =
        queue.subscriber(SubscriberConfig.builder("flow").ack(true).batchSize(4).build());
    return DeliveryPublisher.acknowledging(subscriber).on(task -> signal(task, subscriber));
  }

  /** Closes the subscriber behind the last message, so that the stream completes. */
  private void signal(Runnable task, Subscriber<String> subscriber) {
    pool.execute(
        () -> {
          task.run();
          closeIfDone(subscriber);
        });
  }

  private MessageQueue<String> open() {
    try {
      Path directory = Files.createTempDirectory("river-tck");
      directories.add(directory);
      MessageQueue<String> queue =
          MessageQueue.builder("tck", MessageConverter.utf8()).directory(directory).open();
      queues.add(queue);
      return queue;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** None: it completes or fails after onSubscribe only. */
  @Override
  public Flow.Publisher<Delivery<String>> createFailedFlowPublisher() {
    return null;
  }

  private static void closeIfDone(Subscriber<String> subscriber) {
    try {
      if (subscriber.stats().lag() == 0) {
        subscriber.close();
      }
    } catch (QueueClosedException e) {
      // it was closed already
    }
  }

  @AfterClass
  public void end() {
    pool.shutdownNow();
  }

  @AfterMethod
  public void close() throws IOException {
    queues.forEach(MessageQueue::delete);
    queues.clear();
    for (Path directory : directories) {
      Files.deleteIfExists(directory);
    }
    directories.clear();
  }
}
