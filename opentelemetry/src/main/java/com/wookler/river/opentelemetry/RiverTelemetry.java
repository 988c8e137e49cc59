package com.wookler.river.opentelemetry;

import com.wookler.river.common.Monitor;
import com.wookler.river.core.PublishInterceptor;
import com.wookler.river.reactor.ProcessorInterceptor;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Spans for what is published and processed, metrics, and the trace context in the headers of
 * messages, by which a trace is seen again after a restart, and where a message is forwarded,
 * relayed, or taken by a remote client.
 *
 * <pre>{@code
 * RiverTelemetry telemetry = RiverTelemetry.create(openTelemetry);
 * MessageQueue<String> orders =
 *     MessageQueue.builder("orders", MessageConverter.utf8())
 *         .interceptor(telemetry.publishing())
 *         .open();
 * Reactor.builder(billing).around(telemetry.processing("orders", "billing"))…
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class RiverTelemetry {
  private static final String SCOPE = "com.wookler.river";

  private final Tracer tracer;
  private final MeterProvider meters;
  private final TextMapPropagator propagator;
  private final boolean continuesTraces;

  private RiverTelemetry(Builder settings) {
    this.tracer = settings.telemetry.getTracer(SCOPE);
    this.meters = settings.telemetry.getMeterProvider();
    this.propagator = settings.propagator;
    this.continuesTraces = settings.continuesTraces;
  }

  /** Returns telemetry with the defaults of the {@link #builder}. */
  public static RiverTelemetry create(OpenTelemetry telemetry) {
    return builder(telemetry).build();
  }

  /** Returns a builder of telemetry. */
  public static Builder builder(OpenTelemetry telemetry) {
    return new Builder(telemetry);
  }

  /**
   * Returns what gives each message of a queue a span {@code create <queue>} and the headers of its
   * context. Where the span is not recorded and there is no trace, the message stays as it is; so
   * do headers of a trace that it has already.
   */
  public <M> PublishInterceptor<M> publishing() {
    return new PublishSpans<>(tracer, propagator);
  }

  /**
   * Returns what puts a span {@code process <queue>} around each call of a processor, with links to
   * the spans where the messages were published.
   *
   * @param queue the name of the subscriber's queue
   * @param subscriber the name of the subscriber
   */
  public <M> ProcessorInterceptor<M> processing(String queue, String subscriber) {
    return new ProcessSpans<>(this, tracer, queue, subscriber, continuesTraces);
  }

  /**
   * Reports metrics of all queues, subscribers and reactors of a monitor, also of those that are
   * opened later, until the answer is closed. Counts and gauges are what the monitor has, read when
   * the SDK collects; times are measured from now on, each at the cost of two looks at the clock
   * and of what the SDK takes to record it. Without an SDK, or a reader of its metrics, nothing is
   * measured.
   */
  public RiverMetrics metrics(Monitor monitor) {
    return RiverMetrics.start(monitor, meters, SCOPE);
  }

  /**
   * Returns the context in which a message was published, by its headers; the root if they name
   * none. For consumers without a reactor, and clients of the REST server.
   */
  public Context context(Map<String, byte[]> headers) {
    return propagator.extract(Context.root(), headers, HeaderTexts.INSTANCE);
  }

  /**
   * Returns the headers of the current context, for messages that no {@link #publishing} sees, such
   * as those of a client of the REST server; empty if there is no trace.
   */
  public Map<String, byte[]> headers() {
    Map<String, byte[]> all = new LinkedHashMap<>();
    propagator.inject(
        Context.current(),
        all,
        (to, name, value) -> {
          if (to != null) {
            to.put(name, value.getBytes(StandardCharsets.UTF_8));
          }
        });
    return all;
  }

  /** Collects the settings. Not thread-safe. */
  public static final class Builder {
    private final OpenTelemetry telemetry;
    private TextMapPropagator propagator = W3CTraceContextPropagator.getInstance();
    private boolean continuesTraces;

    private Builder(OpenTelemetry telemetry) {
      this.telemetry = Objects.requireNonNull(telemetry, "telemetry");
    }

    /**
     * Sets what becomes headers (default: the W3C trace context alone, about 70 bytes a message).
     * Baggage would be stored on disk with each message.
     */
    public Builder propagator(TextMapPropagator headers) {
      propagator = Objects.requireNonNull(headers, "headers");
      return this;
    }

    /**
     * Sets whether the span of a single message's processing is a child of that of its publish
     * (default: no, it begins a trace and has a link). Suitable where messages are processed within
     * seconds.
     */
    public Builder continueTraces(boolean on) {
      continuesTraces = on;
      return this;
    }

    /** Returns the telemetry. */
    public RiverTelemetry build() {
      return new RiverTelemetry(this);
    }
  }
}
