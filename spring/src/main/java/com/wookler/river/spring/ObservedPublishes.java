package com.wookler.river.spring;

import com.wookler.river.core.PublishInterceptor;
import com.wookler.river.core.message.Message;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An observation for each message that is created: its handlers write the trace of the publisher's
 * thread into the message's headers. It ends before the message is stored, because an interceptor
 * does not see the result.
 */
final class ObservedPublishes implements PublishInterceptor<Object> {
  static final String NAME = "river.create";

  /** Headers of one trace, as W3C and B3 name them, which another trace replaces as a whole. */
  private static final Set<String> TRACE = Set.of("traceparent", "tracestate", "b3");

  private final ObservationRegistry registry;

  ObservedPublishes(ObservationRegistry registry) {
    this.registry = registry;
  }

  @Override
  public Message<Object> intercept(String queue, Message<Object> message) {
    boolean traced = TRACE.stream().anyMatch(message.headers()::containsKey);
    if (traced && registry.getCurrentObservation() == null) {
      return message; // it comes from elsewhere, and keeps its trace
    }
    SenderContext<Carrier> context = new SenderContext<>(Carrier::set, Kind.PRODUCER);
    Carrier carrier = new Carrier(message);
    context.setCarrier(carrier);
    Observation observation =
        Observation.createNotStarted(NAME, () -> context, registry)
            .contextualName("create " + queue)
            .lowCardinalityKeyValue("messaging.system", "river")
            .lowCardinalityKeyValue("messaging.destination.name", queue)
            .lowCardinalityKeyValue("messaging.operation.name", "create");
    observation.start();
    observation.stop();
    return carrier.message;
  }

  /** Takes headers, of which each makes another message. */
  private static final class Carrier {
    private Message<Object> message;
    private boolean replaces; // the trace that the message came with

    Carrier(Message<Object> message) {
      this.message = message;
    }

    static void set(@Nullable Carrier carrier, String name, @Nullable String value) {
      if (carrier != null && value != null) {
        carrier.put(name, value);
      }
    }

    private void put(String name, String value) {
      if (!replaces) {
        replaces = true;
        for (String each : TRACE) {
          message = message.withoutHeader(each);
        }
      }
      message = message.withHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }
  }
}
