package com.wookler.river.reactor.flow;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Flow;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** The rules of reactive streams for subscribers. */
@Test
public class PublishingSubscriberTckTest
    extends FlowSubscriberBlackboxVerification<Message<String>> {
  private static final long TIMEOUT_MILLIS = 20_000;
  private static final long SILENCE_MILLIS = 50;
  private static final long POLL_MILLIS = 10;

  private Path directory;
  private MessageQueue<String> queue;

  public PublishingSubscriberTckTest() {
    super(new TestEnvironment(TIMEOUT_MILLIS, SILENCE_MILLIS, POLL_MILLIS));
  }

  @BeforeClass
  public void open() throws IOException {
    directory = Files.createTempDirectory("river-tck");
    queue = MessageQueue.builder("tck", MessageConverter.utf8()).directory(directory).open();
  }

  @AfterClass
  public void close() throws IOException {
    queue.delete();
    Files.deleteIfExists(directory);
  }

  @Override
  public Flow.Subscriber<Message<String>> createFlowSubscriber() {
    return new PublishingSubscriber<>(queue.publisher());
  }

  @Override
  public Message<String> createElement(int element) {
    return Message.of("m" + element);
  }
}
