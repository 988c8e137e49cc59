package com.wookler.river.kafka;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.QueueEngine;
import com.wookler.river.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.KafkaException;

/** A queue whose engine is Kafka: a publisher, and reactors. */
final class KafkaQueue implements QueueEngine.EngineQueue {
  private final KafkaPublisher<Object> publisher;
  private final List<Reactor<Object>> reactors = new ArrayList<>(); // set before it is used

  private KafkaQueue(KafkaPublisher<Object> publisher) {
    this.publisher = publisher;
  }

  /** A reactor that can be started, and the element that says so. */
  record Planned(ConfigNode element, Reactor.Builder<Object> builder) {}

  static KafkaQueue start(KafkaPublisher<Object> publisher, List<Planned> planned) {
    KafkaQueue queue = new KafkaQueue(publisher);
    try {
      for (Planned each : planned) {
        queue.start(each);
      }
      return queue;
    } catch (RuntimeException | Error e) {
      FirstFailure.closeAfter(e, queue);
      throw e;
    }
  }

  private void start(Planned planned) {
    try {
      reactors.add(planned.builder().start());
    } catch (ConfigurationException e) {
      throw planned.element().located(e);
    } catch (KafkaException e) { // a processor that names where messages come from
      throw new RiverException(
          planned.element().location()
              + ": a processor asks which topic this is, and no broker says it: "
              + KafkaErrors.words(e),
          e);
    }
  }

  @Override
  public Publisher<Object> publisher() {
    return publisher;
  }

  @Override
  public void closeReactors() {
    FirstFailure failure = new FirstFailure();
    reactors.forEach(reactor -> failure.run(reactor::close));
    failure.rethrow();
  }

  @Override
  public void close() {
    FirstFailure failure = new FirstFailure();
    failure.run(this::closeReactors);
    failure.run(publisher::close);
    failure.rethrow();
  }
}
