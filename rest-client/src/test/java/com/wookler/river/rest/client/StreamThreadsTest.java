package com.wookler.river.rest.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.rest.server.RiverServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Very many streams of one client. */
@Timeout(120)
class StreamThreadsTest {
  private static final int FEW = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
  private static final int A_HANDFUL = 3 * FEW + 10;
  private static final int STREAMS = Integer.getInteger("river.client.streams", A_HANDFUL + 50);

  @TempDir Path directory;

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("river-client-"))
        .count();
  }

  @Test
  void shouldServeManyStreamsByAFewThreadsAlsoWhileSomeHandlersBlock() throws Exception {
    int blocking = FEW + 4;
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger got = new AtomicInteger();
    try (RiverServer server = RiverServer.builder().port(0).directory(directory).start();
        RiverClient client = RiverClient.builder("http://127.0.0.1:" + server.port()).build()) {
      List<DeliveryStream> streams = new ArrayList<>();
      for (int i = 0; i < STREAMS; i++) {
        RemoteSubscriber subscriber = client.subscriber("q", "s" + i);
        subscriber.next(); // makes it, so that it gets what is published from now on
        streams.add(
            subscriber.stream(
                delivery -> {
                  got.incrementAndGet();
                  if (delivery.text().equals(subscriber.name())) {
                    awaitGo(go);
                  }
                }));
      }
      client.queue("q").publish("to all");
      await().until(() -> got.get() == STREAMS);
      assertThat(threads()).isLessThan(A_HANDFUL);

      for (int i = 0; i < blocking; i++) {
        client.queue("q").publish("s" + i);
      }
      client.queue("q").publish("to all");
      int others = (STREAMS - blocking) * (2 + blocking);
      await().until(() -> got.get() >= others);
      go.countDown();
      await().until(() -> got.get() == STREAMS * (2 + blocking));
      streams.forEach(DeliveryStream::close);
      assertThat(streams).allMatch(stream -> stream.ended().isDone());
    }
  }

  private static void awaitGo(CountDownLatch go) {
    try {
      assertThat(go.await(100, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
