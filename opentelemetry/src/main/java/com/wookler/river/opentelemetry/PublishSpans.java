package com.wookler.river.opentelemetry;

import com.wookler.river.core.PublishInterceptor;
import com.wookler.river.core.message.Message;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.nio.charset.StandardCharsets;

/**
 * A span for each message that is created, and its context in the message's headers. It ends before
 * the message is stored, because an interceptor does not see the result.
 */
final class PublishSpans<M> implements PublishInterceptor<M> {
  private final Tracer tracer;
  private final TextMapPropagator propagator;

  /** The last one, so that none is made for each message; threads may replace each other's. */
  private volatile SpanName last = new SpanName("");

  private record SpanName(String queue, String text) {
    SpanName(String queue) {
      this(queue, MessagingConventions.CREATE + " " + queue);
    }
  }

  PublishSpans(Tracer tracer, TextMapPropagator propagator) {
    this.tracer = tracer;
    this.propagator = propagator;
  }

  @Override
  public Message<M> intercept(String queue, Message<M> message) {
    if (!Span.current().getSpanContext().isValid() && isInTrace(message)) {
      return message; // it comes from elsewhere, and keeps its trace
    }
    Span span =
        tracer
            .spanBuilder(spanName(queue))
            .setSpanKind(SpanKind.PRODUCER)
            .setAttribute(MessagingConventions.SYSTEM, MessagingConventions.RIVER)
            .setAttribute(MessagingConventions.DESTINATION, queue)
            .setAttribute(MessagingConventions.OPERATION, MessagingConventions.CREATE)
            .setAttribute(MessagingConventions.OPERATION_TYPE, MessagingConventions.CREATE)
            .startSpan();
    try {
      if (!span.getSpanContext().isValid()) {
        return message; // nothing records, and there is no trace to pass on
      }
      Carrier<M> carrier = new Carrier<>(withoutTrace(message));
      propagator.inject(Context.current().with(span), carrier, Carrier::set);
      return carrier.message;
    } finally {
      span.end();
    }
  }

  private String spanName(String queue) {
    SpanName name = last;
    if (!name.queue.equals(queue)) {
      name = new SpanName(queue);
      last = name;
    }
    return name.text;
  }

  private boolean isInTrace(Message<M> message) {
    return !message.headers().isEmpty()
        && propagator.fields().stream().anyMatch(message.headers()::containsKey);
  }

  /** Leaves nothing of an earlier trace, of which the new one may not replace each header. */
  private Message<M> withoutTrace(Message<M> message) {
    Message<M> without = message;
    for (String name : propagator.fields()) {
      without = without.withoutHeader(name);
    }
    return without;
  }

  /** Takes headers, of which each makes another message. */
  private static final class Carrier<M> {
    private Message<M> message;

    Carrier(Message<M> message) {
      this.message = message;
    }

    static <M> void set(Carrier<M> carrier, String name, String value) {
      carrier.message = carrier.message.withHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }
  }
}
