package com.wookler.river.spring;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Processor;
import com.wookler.river.reactor.ProcessorInterceptor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An observation around each call of a listener, in whose scope it runs: for a message it continues
 * the trace of the headers, for a batch it begins one.
 */
final class ObservedCalls implements ProcessorInterceptor<Object> {
  static final String NAME = "river.listener";

  private final ObservationRegistry registry;
  private final String queue;
  private final String subscriber;

  ObservedCalls(ObservationRegistry registry, String queue, String subscriber) {
    this.registry = registry;
    this.queue = queue;
    this.subscriber = subscriber;
  }

  @Override
  @SuppressWarnings("try") // the scope is only to be closed
  public ProcessResult<Object> around(
      String processor, Delivery<Object> delivery, Processor<Object> call) throws Exception {
    ReceiverContext<Map<String, byte[]>> context =
        new ReceiverContext<>(ObservedCalls::header, Kind.CONSUMER);
    context.setCarrier(delivery.headers());
    Observation observation =
        observation(context)
            .highCardinalityKeyValue("messaging.message.id", Long.toString(delivery.sequence()))
            .highCardinalityKeyValue("river.message.attempt", "" + delivery.attempt())
            .start();
    try (Observation.Scope ignored = observation.openScope()) {
      ProcessResult<Object> result = call.process(delivery);
      reportFailure(observation, result);
      return result;
    } catch (Throwable e) {
      observation.error(e);
      throw e;
    } finally {
      observation.stop();
    }
  }

  @Override
  @SuppressWarnings("try") // the scope is only to be closed
  public List<ProcessResult<Object>> aroundBatch(
      String processor, List<Delivery<Object>> batch, BatchProcessor<Object> call)
      throws Exception {
    Observation observation =
        observation(new Observation.Context())
            .highCardinalityKeyValue("messaging.batch.message_count", "" + batch.size())
            .start();
    try (Observation.Scope ignored = observation.openScope()) {
      List<ProcessResult<Object>> results = call.process(batch);
      results.forEach(each -> reportFailure(observation, each));
      return results;
    } catch (Throwable e) {
      observation.error(e);
      throw e;
    } finally {
      observation.stop();
    }
  }

  private Observation observation(Observation.Context context) {
    return Observation.createNotStarted(NAME, () -> context, registry)
        .contextualName("process " + queue)
        .lowCardinalityKeyValue("messaging.system", "river")
        .lowCardinalityKeyValue("messaging.destination.name", queue)
        .lowCardinalityKeyValue("messaging.destination.subscription.name", subscriber)
        .lowCardinalityKeyValue("messaging.operation.name", "process");
  }

  /** A null result is the listener's mistake, which the reactor reports. */
  private static void reportFailure(Observation observation, @Nullable ProcessResult<?> result) {
    if (result != null && result.cause() != null) {
      observation.error(result.cause());
    }
  }

  private static @Nullable String header(@Nullable Map<String, byte[]> headers, String name) {
    byte[] value = headers == null ? null : headers.get(name);
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }
}
