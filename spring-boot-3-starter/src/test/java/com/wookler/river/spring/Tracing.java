package com.wookler.river.spring;

import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.EventPublishingContextWrapper;
import io.micrometer.tracing.otel.bridge.OtelBaggageManager;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.otel.bridge.Slf4JEventListener;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.annotation.Bean;

/** A tracer and a registry of observations, put together as Spring Boot does. */
class Tracing {
  private static final Slf4JEventListener MDC = new Slf4JEventListener();

  static {
    ContextStorage.addWrapper(new EventPublishingContextWrapper(MDC::onEvent));
  }

  /** What was exported, in the order of the ends of the spans. */
  static final class Spans implements SpanExporter {
    private final List<SpanData> all = new CopyOnWriteArrayList<>();

    List<SpanData> named(String name) {
      return all.stream().filter(span -> span.getName().equals(name)).toList();
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      all.addAll(spans);
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  @Bean
  Spans spans() {
    return new Spans();
  }

  @Bean
  ObservationRegistry observations(Spans spans) {
    io.opentelemetry.api.trace.Tracer otel =
        SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(spans))
            .build()
            .get("test");
    OtelCurrentTraceContext current = new OtelCurrentTraceContext();
    Tracer tracer =
        new OtelTracer(
            otel, current, MDC::onEvent, new OtelBaggageManager(current, List.of(), List.of()));
    OtelPropagator propagator =
        new OtelPropagator(
            ContextPropagators.create(W3CTraceContextPropagator.getInstance()), otel);
    ObservationRegistry registry = ObservationRegistry.create();
    registry
        .observationConfig()
        .observationHandler(
            new io.micrometer.observation.ObservationHandler
                .FirstMatchingCompositeObservationHandler(
                new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                new DefaultTracingObservationHandler(tracer)));
    return registry;
  }
}
