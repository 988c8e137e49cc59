package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** What a publisher says of failures that a broker gives seldom, by a producer in memory. */
class KafkaPublisherTest {
  private final MockProducer<byte[], byte[]> single = producer(false);
  private final Queue<MockProducer<byte[], byte[]>> singles =
      new ArrayDeque<>(List.of(single, producer(true)));
  private final List<MockProducer<byte[], byte[]>> batches = new ArrayList<>();

  private final KafkaPublisher<String> publisher =
      new KafkaPublisher<>(
          "orders",
          "topic",
          MessageConverter.utf8(),
          singles::remove,
          new BatchProducer(
              "orders",
              () -> {
                MockProducer<byte[], byte[]> made = producer(true);
                batches.add(made);
                return made;
              }));

  private static MockProducer<byte[], byte[]> producer(boolean completes) {
    return new MockProducer<>(
        completes, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private CompletableFuture<PublishResult> publish(String text) {
    return publisher.putAsync(List.of(Message.of(text)), Durability.MEMORY);
  }

  @Test
  void shouldSayWhetherWhatFailedMayBeThere() throws Exception {
    CompletableFuture<PublishResult> unknown = publish("one");
    assertThat(unknown).isNotDone();
    Thread broker = new Thread(() -> single.errorNext(new TimeoutException("no answer")));
    broker.start();
    assertThatThrownBy(unknown::join)
        .hasCauseInstanceOf(QueueFailedException.class)
        .hasMessageContaining("queue orders")
        .hasMessageContaining("no answer");
    broker.join();
    CompletableFuture<PublishResult> large = publish("two");
    Thread refusing = new Thread(() -> single.errorNext(new RecordTooLargeException("too large")));
    refusing.start();
    assertThatThrownBy(large::join).hasCauseInstanceOf(MessageTooLargeException.class);
    refusing.join();
  }

  @Test
  void shouldStoreABatchWholeOrNotAtAll() {
    publisher.publishAll(List.of("a", "b"));
    MockProducer<byte[], byte[]> first = batches.get(0);
    assertThat(first.history()).hasSize(2);
    assertThat(first.commitCount()).isEqualTo(1);
    assertThat(single.flushed()).isTrue();

    first.sendException = new RecordTooLargeException("too large");
    assertThatThrownBy(() -> publisher.publishAll(List.of("c", "d")))
        .isInstanceOf(MessageTooLargeException.class);
    assertThat(first.transactionAborted()).isTrue();
    first.sendException = null;

    first.commitTransactionException = new TimeoutException("no answer");
    assertThatThrownBy(() -> publisher.publishAll(List.of("e", "f")))
        .isInstanceOf(QueueFailedException.class)
        .hasMessageContaining("not known");
    assertThat(first.closed()).isTrue();
    publisher.publishAll(List.of("g", "h"));
    assertThat(batches).hasSize(2);
    assertThat(batches.get(1).commitCount()).isEqualTo(1);
  }

  @Test
  void shouldNotLetWhatIsNoMistakeOfTheMessageBeOne() throws Exception {
    CompletableFuture<PublishResult> refused = publish("one");
    Thread broker =
        new Thread(
            () -> single.errorNext(new KafkaException(new TopicAuthorizationException("topic"))));
    broker.start();
    assertThatThrownBy(refused::join)
        .hasCauseInstanceOf(QueueFullException.class) // for which processors hold back
        .hasMessageContaining("nothing was stored");
    broker.join();

    publisher.publishAll(List.of("a", "b"));
    MockProducer<byte[], byte[]> first = batches.get(0);
    first.sendException = new IllegalArgumentException("of a partitioner");
    assertThatThrownBy(() -> publisher.publishAll(List.of("c", "d")))
        .isExactlyInstanceOf(RiverException.class)
        .hasMessageContaining("nothing was stored");
    assertThat(first.transactionAborted()).isTrue();
    first.sendException = null;
    publisher.publishAll(List.of("e", "f"));
    assertThat(first.commitCount()).isEqualTo(2);
  }

  @Test
  void shouldReplaceAProducerThatWasNotLetIn() throws Exception {
    CompletableFuture<PublishResult> refused = publish("one");
    Thread broker = new Thread(() -> single.errorNext(new SaslAuthenticationException("password")));
    broker.start();
    assertThatThrownBy(refused::join).hasCauseInstanceOf(QueueFullException.class);
    broker.join();
    assertThat(publish("two").join().sequence()).isZero();
    assertThat(single.closed()).isTrue();
    assertThat(singles).isEmpty();
  }

  @Test
  void shouldGiveAMessagesKeyHeadersAndId() {
    CompletableFuture<PublishResult> sent =
        publisher.putAsync(
            List.of(
                Message.of("data").withKey("k").withId("id").withHeader("trace", new byte[] {1})),
            Durability.DISK);
    assertThat(single.completeNext()).isTrue();
    assertThat(sent.join().durability()).isEqualTo(Durability.DISK);
    assertThat(single.history().get(0).key()).isEqualTo(new byte[] {'k'});
    assertThat(single.history().get(0).headers().toArray())
        .extracting(Header::key)
        .containsExactly("trace", "river-id");
    publisher.close();
    publisher.close();
    assertThat(single.closed()).isTrue();
  }
}
