package com.wookler.river.opentelemetry;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.AsyncProcessor;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Processor;
import com.wookler.river.reactor.ProcessorInterceptor;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A span around each call of a processor, in which it runs; of an asynchronous one until its stage
 * completes.
 */
final class ProcessSpans<M> implements ProcessorInterceptor<M> {
  private final RiverTelemetry telemetry;
  private final Tracer tracer;
  private final String queue;
  private final String subscriber;
  private final boolean continuesTraces;

  ProcessSpans(
      RiverTelemetry telemetry,
      Tracer tracer,
      String queue,
      String subscriber,
      boolean continuesTraces) {
    this.telemetry = telemetry;
    this.tracer = tracer;
    this.queue = queue;
    this.subscriber = subscriber;
    this.continuesTraces = continuesTraces;
  }

  @Override
  @SuppressWarnings("try") // the scope is only to be closed
  public ProcessResult<M> around(String processor, Delivery<M> delivery, Processor<M> call)
      throws Exception {
    Span span = start(processor, delivery);
    try (Scope ignored = span.makeCurrent()) {
      ProcessResult<M> result = call.process(delivery);
      if (result != null && result.cause() != null) {
        fail(span, result.cause());
      }
      return result;
    } catch (Throwable e) {
      fail(span, e);
      throw e;
    } finally {
      span.end();
    }
  }

  @Override
  @SuppressWarnings("try") // the scope is only to be closed
  public List<ProcessResult<M>> aroundBatch(
      String processor, List<Delivery<M>> batch, BatchProcessor<M> call) throws Exception {
    SpanBuilder builder =
        builder(processor).setAttribute(MessagingConventions.BATCH_COUNT, (long) batch.size());
    batch.forEach(delivery -> link(builder, telemetry.context(delivery.headers())));
    Span span = builder.startSpan();
    try (Scope ignored = span.makeCurrent()) {
      List<ProcessResult<M>> results = call.process(batch);
      Throwable cause = firstCause(results);
      if (cause != null) {
        fail(span, cause);
      }
      return results;
    } catch (Throwable e) {
      fail(span, e);
      throw e;
    } finally {
      span.end();
    }
  }

  /** The span ends when the stage completes. */
  @Override
  @SuppressWarnings("try") // the scope is only to be closed
  public CompletionStage<ProcessResult<M>> aroundAsync(
      String processor, Delivery<M> delivery, AsyncProcessor<M> call) throws Exception {
    Span span = start(processor, delivery);
    try (Scope ignored = span.makeCurrent()) {
      return Objects.requireNonNull(call.process(delivery), "the processor's stage")
          .whenComplete((result, thrown) -> end(span, result, thrown));
    } catch (Throwable e) {
      fail(span, e);
      span.end();
      throw e;
    }
  }

  private static void end(
      Span span, @Nullable ProcessResult<?> result, @Nullable Throwable thrown) {
    Throwable inner = thrown instanceof CompletionException ? thrown.getCause() : null;
    Throwable cause = inner != null ? inner : thrown;
    if (cause == null && result != null) {
      cause = result.cause();
    }
    if (cause != null) {
      fail(span, cause);
    }
    span.end();
  }

  private Span start(String processor, Delivery<M> delivery) {
    Context published = telemetry.context(delivery.headers());
    SpanBuilder builder =
        builder(processor)
            .setAttribute(MessagingConventions.MESSAGE_ID, Long.toString(delivery.sequence()))
            .setAttribute(MessagingConventions.ATTEMPT, (long) delivery.attempt());
    byte[] bytes = delivery.bytes();
    if (bytes != null) {
      builder.setAttribute(MessagingConventions.BODY_SIZE, (long) bytes.length);
    }
    link(builder, published);
    if (continuesTraces) {
      builder.setParent(published);
    }
    return builder.startSpan();
  }

  /** Null results are the processor's mistake, which the reactor reports. */
  private static @Nullable Throwable firstCause(
      @Nullable List<? extends @Nullable ProcessResult<?>> results) {
    if (results != null) {
      for (ProcessResult<?> each : results) {
        if (each != null && each.cause() != null) {
          return each.cause();
        }
      }
    }
    return null;
  }

  private SpanBuilder builder(String processor) {
    return tracer
        .spanBuilder(MessagingConventions.PROCESS + " " + queue)
        .setSpanKind(SpanKind.CONSUMER)
        .setAttribute(MessagingConventions.SYSTEM, MessagingConventions.RIVER)
        .setAttribute(MessagingConventions.DESTINATION, queue)
        .setAttribute(MessagingConventions.SUBSCRIPTION, subscriber)
        .setAttribute(MessagingConventions.OPERATION, MessagingConventions.PROCESS)
        .setAttribute(MessagingConventions.OPERATION_TYPE, MessagingConventions.PROCESS)
        .setAttribute(MessagingConventions.PROCESSOR, processor);
  }

  private static void link(SpanBuilder builder, Context published) {
    SpanContext producer = Span.fromContext(published).getSpanContext();
    if (producer.isValid()) {
      builder.addLink(producer);
    }
  }

  private static void fail(Span span, Throwable cause) {
    span.recordException(cause);
    span.setStatus(StatusCode.ERROR);
    span.setAttribute(MessagingConventions.ERROR_TYPE, cause.getClass().getName());
  }
}
